//! Clients of engines. A client passes the records of a worker's open chunks to an engine as jobs.

use super::jobs::OpenJobs;
use crate::chunk::minimal::Trials;
use crate::chunk::state::Ticket;
use quadrille_engine::{Client, EngineKind, Event, Flow, Jobs};
use quadrille_files::fault_injection;

/// Maximum number of open chunks per worker. A chunk is open until all its records are answered.
///
/// While one record takes long, an engine may continue with other records. The chunk of the long record then
/// stays open and takes memory. The limit allows some 50 records that take thousands of times as long as the
/// other records.
const OPEN_CHUNKS: usize = 64;

/// Client that passes records to one engine. The records come from open chunks and from new chunks.
pub(crate) struct ChunkClient<'j> {
    pub jobs: &'j mut OpenJobs,
    pub kind: EngineKind,
    /// If this is `Some`, the client passes only a single record to the engine, followed by the searches that
    /// test the clues of this record.
    ///
    /// The inner value is the record, or `None` after the record was passed to the engine.
    pub alone: Option<Option<Ticket>>,
}

impl ChunkClient<'_> {
    /// Finds the next job for this engine. Returns false if there is none at the moment.
    ///
    /// If a hard record must be searched soon, work on open chunks still continues, because this thread may
    /// have to search that record. The queue returns no new chunk before the search for the hard record has
    /// begun.
    fn finds_job(&mut self) -> bool {
        let jobs = &mut *self.jobs;
        loop {
            if jobs.shared.control.stop().is_some() {
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

    /// Runs `answer`, and sets a flag while it runs. `answer` is code of the worker that an engine calls.
    ///
    /// The flag shows that a panic in `answer` is not a panic of the engine.
    fn called<T>(&mut self, answer: impl FnOnce(&mut Self) -> T) -> T {
        self.jobs.is_called = true;
        let answer = answer(self);
        self.jobs.is_called = false;
        answer
    }
}

impl Client for ChunkClient<'_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        if let Some(ticket) = &mut self.alone {
            let job = match ticket.take() {
                Some(ticket) => Some(self.jobs.job(ticket)),
                None => self.jobs.next_trial(),
            };
            return job.map(Jobs::One);
        }
        while self.called(Self::finds_job) {
            let Some(place) = self.jobs.current_plain(self.kind) else {
                return self.jobs.next_job(self.kind).map(Jobs::One);
            };
            if let Some(first) = self.called(|client| client.jobs.read_series(place, most)) {
                return Some(Jobs::JobBatch(self.jobs.series(first)));
            }
        }
        None
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => {
                self.jobs.keep(ticket, solution);
                return self.jobs.should_continue(ticket, solution);
            }
            Event::Solved(solved) => {
                for one in solved.iter().filter(|one| one.ended.is_some()) {
                    fault_injection::break_engine(|| self.jobs.record_of(one.ticket.into()));
                }
                self.called(|client| client.jobs.take_all_solved(solved));
            }
            Event::End { ticket, outcome } => {
                if !Trials::owns(ticket) {
                    fault_injection::break_engine(|| self.jobs.record_of(ticket.into()));
                }
                self.called(|client| client.jobs.settle(ticket, outcome));
            }
        }
        Flow::Continue
    }
}
