//! Engine clients that hand out the open jobs of a worker.

use super::jobs::OpenJobs;
use crate::chunk::minimal::Trials;
use crate::chunk::state::Ticket;
use quadrille_engine::{Client, EngineKind, Event, Flow, Jobs};
use quadrille_files::fault_injection;

/// Maximum number of chunks that one worker has open.
///
/// While one record takes long, an engine that holds many records continues with others, and the chunk of the long
/// record stays open. The limit bounds the memory of these chunks. It leaves room for some 50 records that take
/// thousands of times as long as the others.
const OPEN_CHUNKS: usize = 64;

/// Gives one engine the records that need it, from the open chunks and from chunks that arrive.
pub(crate) struct ChunkClient<'j> {
    pub jobs: &'j mut OpenJobs,
    pub kind: EngineKind,
    /// If not `None`, the only record to be given, until it was, and then the searches that test its clues.
    pub alone: Option<Option<Ticket>>,
}

impl ChunkClient<'_> {
    /// Advances to the next job for this engine. Returns false if there is none now.
    ///
    /// Records of open chunks continue even if a hard record is due, since this thread may be the one to search it.
    /// Only the next chunk waits for the hard record; the queue sees to that.
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

    /// Runs `answer` while the engine waits for the worker.
    ///
    /// If `answer` panics, the panic is not attributed to the engine.
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
