//! A jobs as the client of an engine.

use crate::batch::chunk::minimal::Trials;
use crate::batch::worker::jobs::OpenJobs;
use crate::engine::{Client, EngineKind, Event, Flow, Jobs};
use crate::faults;

/// Chunks that one worker has open at most. Engines that hold many records go on while one of them takes long, and
/// each such record keeps its chunk open: this bounds their memory, at some 50 records that take thousands of
/// times as long as the others.
const OPEN_CHUNKS: usize = 64;

/// The jobs as the client of one engine: gives it the records that need it.
pub(crate) struct ChunkClient<'d, 'r> {
    pub jobs: &'d mut OpenJobs<'r>,
    pub kind: EngineKind,
}

impl ChunkClient<'_, '_> {
    /// Goes to the next job for this engine, if there is one now.
    fn finds_job(&mut self) -> bool {
        let jobs = &mut *self.jobs;
        let is_hard = jobs.has_hard();
        if is_hard && jobs.shared.options.ordered || jobs.shared.control.is_cancelled() {
            return false;
        }
        loop {
            match jobs.next_engine() {
                Some(kind) => return kind == self.kind,
                None if is_hard => return false,
                None if jobs.open_chunks() >= OPEN_CHUNKS || !jobs.shared.window.has_room() => return false,
                None => match jobs.shared.try_chunk() {
                    Some(chunk) => jobs.take_in(chunk),
                    None => return false,
                },
            }
        }
    }

    /// Runs the jobs's side of a call: a panic in it is not the engine's.
    fn called<T>(&mut self, answer: impl FnOnce(&mut Self) -> T) -> T {
        self.jobs.is_called = true;
        let answer = answer(self);
        self.jobs.is_called = false;
        answer
    }
}

impl Client for ChunkClient<'_, '_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        while self.called(Self::finds_job) {
            let Some(place) = self.jobs.in_columns() else {
                return self.jobs.next_job(self.kind).map(Jobs::One);
            };
            if let Some(first_ticket) = self.called(|session| session.jobs.read_series(place, most)) {
                return Some(Jobs::Series(self.jobs.series(first_ticket)));
            }
        }
        None
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => return self.jobs.keep(ticket, solution),
            Event::Solved(solved) => {
                for one in solved {
                    if one.ended.is_some() {
                        faults::break_engine(|| self.jobs.record_of(one.ticket));
                    }
                    self.called(|session| session.jobs.take_solved(one));
                }
            }
            Event::End { ticket, outcome } => {
                if !Trials::owns(ticket) {
                    faults::break_engine(|| self.jobs.record_of(ticket));
                }
                self.called(|session| session.jobs.settle(ticket, outcome));
            }
        }
        Flow::Continue
    }
}

/// The jobs as the client of an engine that works on one record alone, and on its clues.
pub(crate) struct SingleClient<'d, 'r> {
    session: ChunkClient<'d, 'r>,
    ticket: Option<u64>,
}

impl<'d, 'r> SingleClient<'d, 'r> {
    pub(crate) fn new(jobs: &'d mut OpenJobs<'r>, kind: EngineKind, ticket: u64) -> Self {
        SingleClient { session: ChunkClient { jobs, kind }, ticket: Some(ticket) }
    }
}

impl Client for SingleClient<'_, '_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let job = match self.ticket.take() {
            Some(ticket) => Some(self.session.jobs.job(ticket)),
            None => self.session.jobs.next_trial(),
        };
        job.map(Jobs::One)
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        self.session.report(event)
    }
}
