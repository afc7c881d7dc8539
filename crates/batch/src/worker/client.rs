//! The open jobs of a worker as the client of an engine.

use super::jobs::OpenJobs;
use crate::chunk::minimal::Trials;
use crate::chunk::state::Ticket;
use quadrille_engine::{Client, EngineKind, Event, Flow, Jobs};
use quadrille_model::faults;

/// Chunks that one worker has open at most. Engines that hold many records go on while one of them takes long, and
/// each such record keeps its chunk open: this bounds their memory, at some 50 records that take thousands of
/// times as long as the others.
const OPEN_CHUNKS: usize = 64;

/// Gives one engine the records that need it, of the chunks that are open and of those that come.
pub(crate) struct ChunkClient<'j> {
    pub jobs: &'j mut OpenJobs,
    pub kind: EngineKind,
}

impl ChunkClient<'_> {
    /// Goes to the next job for this engine; `false` if there is none now. The records of open chunks go on where a hard
    /// record is to go first, since the thread for that may be this one: what waits for it is the next chunk, by the queue.
    fn finds_job(&mut self) -> bool {
        let jobs = &mut *self.jobs;
        loop {
            if jobs.shared.control.is_cancelled() {
                return false;
            }
            match jobs.next_engine(Some(self.kind)) {
                Some(kind) if kind == self.kind => return true,
                Some(kind) if !self.kind.info().is_timed() && jobs.put_off(kind) => {}
                Some(_) => return false,
                None if jobs.open_chunks() >= OPEN_CHUNKS => return false,
                None => match jobs.shared.queue.try_chunk() {
                    Some(chunk) => jobs.take_in(chunk),
                    None => return false,
                },
            }
        }
    }

    /// Runs this side of a call: a panic in it is not the engine's.
    fn called<T>(&mut self, answer: impl FnOnce(&mut Self) -> T) -> T {
        self.jobs.is_called = true;
        let answer = answer(self);
        self.jobs.is_called = false;
        answer
    }
}

impl Client for ChunkClient<'_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        while self.called(Self::finds_job) {
            let Some(place) = self.jobs.current_plain(self.kind) else {
                return self.jobs.next_job(self.kind).map(Jobs::One);
            };
            if let Some(first) = self.called(|client| client.jobs.read_series(place, most)) {
                return Some(Jobs::Series(self.jobs.series(first)));
            }
        }
        None
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => {
                self.jobs.keep(ticket, solution);
                return self.jobs.goes_on(ticket, solution);
            }
            Event::Solved(solved) => {
                for one in solved.iter().filter(|one| one.ended.is_some()) {
                    faults::break_engine(|| self.jobs.record_of(one.ticket.into()));
                }
                self.called(|client| client.jobs.take_all_solved(solved));
            }
            Event::End { ticket, outcome } => {
                if !Trials::owns(ticket) {
                    faults::break_engine(|| self.jobs.record_of(ticket.into()));
                }
                self.called(|client| client.jobs.settle(ticket, outcome));
            }
        }
        Flow::Continue
    }
}

/// Gives an engine one record alone, and the searches for its clues.
pub(crate) struct SingleClient<'j> {
    client: ChunkClient<'j>,
    ticket: Option<Ticket>,
}

impl<'j> SingleClient<'j> {
    pub(crate) fn new(jobs: &'j mut OpenJobs, kind: EngineKind, ticket: Ticket) -> Self {
        SingleClient { client: ChunkClient { jobs, kind }, ticket: Some(ticket) }
    }
}

impl Client for SingleClient<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let job = match self.ticket.take() {
            Some(ticket) => Some(self.client.jobs.job(ticket)),
            None => self.client.jobs.next_trial(),
        };
        job.map(Jobs::One)
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        self.client.report(event)
    }
}
