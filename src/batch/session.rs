//! A desk as the client of an engine.

use super::desk::Desk;
use super::minimal::Trials;
use crate::engine::{Client, EngineKind, Flow, Job, Jobs, Solved};
use crate::faults;
use crate::model::{Outcome, Solution};

/// Chunks that one worker has open at most. Engines that hold many records go on while one of them takes long, and
/// each such record keeps its chunk open: this bounds their memory, at some 50 records that take thousands of
/// times as long as the others.
const OPEN_CHUNKS: usize = 64;

/// The desk as the client of one engine: gives it the records that need it.
pub(super) struct Session<'d, 'r> {
    pub desk: &'d mut Desk<'r>,
    pub kind: EngineKind,
}

impl Session<'_, '_> {
    /// Goes to the next job for this engine, if there is one now.
    fn finds_job(&mut self) -> bool {
        let desk = &mut *self.desk;
        let is_hard = desk.has_hard();
        if is_hard && desk.shared.options.ordered || desk.shared.control.is_cancelled() {
            return false;
        }
        loop {
            match desk.next_engine() {
                Some(kind) => return kind == self.kind,
                None if is_hard => return false,
                None if desk.open_chunks() >= OPEN_CHUNKS || !desk.shared.window.has_room() => return false,
                None => match desk.shared.try_chunk() {
                    Some(chunk) => desk.take_in(chunk),
                    None => return false,
                },
            }
        }
    }

    /// Runs the desk's side of a call: a panic in it is not the engine's.
    fn called<T>(&mut self, answer: impl FnOnce(&mut Self) -> T) -> T {
        self.desk.is_called = true;
        let answer = answer(self);
        self.desk.is_called = false;
        answer
    }
}

impl Client for Session<'_, '_> {
    fn next_job(&mut self) -> Option<Job<'_>> {
        self.next_jobs(1).map(|jobs| match jobs {
            Jobs::One(job) => job,
            Jobs::Series(series) => series.first(),
        })
    }

    fn next_jobs(&mut self, most: usize) -> Option<Jobs<'_>> {
        while self.called(Self::finds_job) {
            let Some(place) = self.desk.in_columns() else {
                return self.desk.next_job(self.kind).map(Jobs::One);
            };
            if let Some(first_ticket) = self.called(|session| session.desk.read_series(place, most)) {
                return Some(Jobs::Series(self.desk.series(first_ticket)));
            }
        }
        None
    }

    fn solved(&mut self, solved: &[Solved]) {
        for one in solved {
            if one.ended.is_some() {
                faults::break_engine(|| self.desk.record_of(one.ticket));
            }
            self.called(|session| session.desk.take_solved(one));
        }
    }

    fn solution(&mut self, ticket: u64, solution: Solution<'_>) -> Flow {
        self.desk.keep(ticket, solution)
    }

    fn finish(&mut self, ticket: u64, outcome: Outcome) {
        if !Trials::owns(ticket) {
            faults::break_engine(|| self.desk.record_of(ticket));
        }
        self.called(|session| session.desk.settle(ticket, outcome));
    }
}

/// The desk as the client of an engine that works on one record alone, and on its clues.
pub(super) struct Alone<'d, 'r> {
    session: Session<'d, 'r>,
    ticket: Option<u64>,
}

impl<'d, 'r> Alone<'d, 'r> {
    pub(super) fn new(desk: &'d mut Desk<'r>, kind: EngineKind, ticket: u64) -> Self {
        Alone { session: Session { desk, kind }, ticket: Some(ticket) }
    }
}

impl Client for Alone<'_, '_> {
    fn next_job(&mut self) -> Option<Job<'_>> {
        match self.ticket.take() {
            Some(ticket) => Some(self.session.desk.job(ticket)),
            None => self.session.desk.next_trial(),
        }
    }

    fn solution(&mut self, ticket: u64, solution: Solution<'_>) -> Flow {
        self.session.solution(ticket, solution)
    }

    fn finish(&mut self, ticket: u64, outcome: Outcome) {
        self.session.finish(ticket, outcome);
    }
}
