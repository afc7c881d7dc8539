//! The threads that answer records.
//!
//! ```text
//! Worker           takes work from the queue
//!   ChunkWorker      chunks: OpenJobs <- ChunkClient <-> engines
//!   HardWorker       hard records: counters and searches in parts; NestedWorkers answer chunks during a search
//! ```

mod chunk_worker;
mod client;
pub(super) mod hard;
mod jobs;
mod short_search;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use chunk_worker::ChunkWorker;
use hard::{HardWorker, NestedWorkers};

use crate::flow::queue::{Work, WorkQueue};
use crate::shared::Shared;
use crate::stats::{Phases, ThreadTime, Timeline, nanoseconds, nanoseconds_since};
use quadrille_files::fault_injection;
use quadrille_model::Error;

/// Name of a worker thread in messages.
const WORKER: &str = "a worker";

/// Final report of a worker thread, or of several worker threads.
#[derive(Default)]
pub(crate) struct WorkerReport {
    pub phases: Phases,
    pub timeline: Timeline,
    pub time: ThreadTime,
    pub failure: Option<Error>,
}

impl WorkerReport {
    /// Creates the report of a thread that had nothing to do for `wall_ns` nanoseconds.
    pub(crate) fn idle(wall_ns: u64) -> Self {
        WorkerReport { time: ThreadTime { busy_ns: 0, wall_ns }, ..WorkerReport::default() }
    }

    /// Adds a later report of the same worker, or the report of another worker.
    pub(crate) fn add(&mut self, other: WorkerReport) {
        self.phases += other.phases;
        self.timeline.merge(&other.timeline);
        self.time.busy_ns += other.time.busy_ns;
        self.time.wall_ns += other.time.wall_ns;
        self.failure = self.failure.take().or(other.failure);
    }
}

/// Does each piece of work that `next` returns, until `next` returns `None`. If the thread panics, the whole
/// run stops.
pub(crate) fn work(
    shared: &Arc<Shared>,
    side: &Arc<NestedWorkers>,
    number: usize,
    next: fn(&WorkQueue) -> Option<Work>,
) -> WorkerReport {
    let work = || {
        let worker = Worker {
            shared: Arc::clone(shared),
            chunks: ChunkWorker::new(shared, number),
            hard: HardWorker::new(side),
            waited_ns: 0,
            number,
        };
        worker.run(next)
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| WorkerReport {
        failure: Some(shared.panicked(WORKER, panic.as_ref())),
        ..WorkerReport::default()
    })
}

struct Worker {
    shared: Arc<Shared>,
    chunks: ChunkWorker,
    hard: HardWorker,
    waited_ns: u64,
    /// Index of the worker's row in the timeline.
    number: usize,
}

impl Worker {
    /// Does each piece of work that `next` returns, until `next` returns `None`.
    fn run(mut self, next: fn(&WorkQueue) -> Option<Work>) -> WorkerReport {
        let begin = Instant::now();
        while let Some(work) = self.next_work(next) {
            fault_injection::reach("work");
            let since = self.chunks.jobs.times.working_since;
            match work {
                Work::Chunk(chunk) => {
                    self.chunks.answer(chunk);
                    self.end_chunks();
                }
                Work::Hard(searched, chunk, held) => {
                    self.hard.search(searched, *chunk, held, &mut self.chunks);
                    self.chunks.finish();
                    self.end_chunks();
                }
                Work::Part(record, offer, held) => self.hard.run_part(record, &offer, held),
                Work::PoolTasks => while rayon::yield_now() == Some(rayon::Yield::Executed) {},
            }
            self.was_busy(since);
        }
        while self.shared.control.stop().is_some()
            && let Some(chunk) = self.shared.queue.take_unfinished()
        {
            self.chunks.jobs.adopt(*chunk);
        }
        self.chunks.jobs.close_all();
        let wall_ns = nanoseconds_since(begin);
        let time = ThreadTime { busy_ns: wall_ns.saturating_sub(self.waited_ns), wall_ns };
        WorkerReport { time, ..self.chunks.report() }
    }

    /// Adds the interval from `since` until now to the timeline, as time in which the worker was busy.
    fn was_busy(&mut self, since: Instant) {
        let at = |moment: Instant| nanoseconds(moment.saturating_duration_since(self.shared.began));
        self.chunks.jobs.times.timeline.add_busy(self.number, at(since), at(Instant::now()));
    }

    /// Returns the next piece of work, or `None` if no more will come. Counts the duration of this call as
    /// waiting time.
    fn next_work(&mut self, next: fn(&WorkQueue) -> Option<Work>) -> Option<Work> {
        let begin = Instant::now();
        self.chunks.jobs.mark_idle();
        let work = next(&self.shared.queue);
        self.waited_ns += nanoseconds_since(begin);
        self.chunks.jobs.times.mark_busy();
        work
    }

    /// Closes all open chunks and tells the queue that the thread no longer answers chunks.
    ///
    /// If chunks are still open here, the run was stopped.
    fn end_chunks(&mut self) {
        self.chunks.jobs.close_all();
        self.shared.queue.end_chunks();
    }
}
