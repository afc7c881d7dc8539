//! Hard records, which reached the limit of their first, short search. Either a counter (an engine that
//! counts solutions without a search) answers such a record, or all threads search it in parts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::chunk_worker::ChunkWorker;
use super::jobs::{NOT_SHOWN, OpenJobs};
use super::{WORKER, WorkerReport};
use crate::chunk::state::{ChunkState, Ticket};
use crate::flow::queue::{SearchedRecord, SharedSearch};
use crate::locks::lock;
use crate::memory::MemoryGrant;
use crate::shared::Shared;
use quadrille_engine::parallel::{self, Owner, Split};
use quadrille_engine::{
    Asked, Control, EngineKind, EnginePreference, Flow, LongSearch, Selection, SelectionReason, Task,
    Visitor, YieldHook, at_least, select,
};
use quadrille_files::fault_injection;
use quadrille_formats::input::Chunk;
use quadrille_model::{Count, Error, Goal, Outcome, Reason, Solution, Status, message_of};

/// Searches and counters of one thread. Their memory is reused for later records.
pub(crate) struct HardWorker {
    side: Arc<NestedWorkers>,
    long: LongSearch,
}

impl HardWorker {
    pub(crate) fn new(side: &Arc<NestedWorkers>) -> Self {
        let long = LongSearch::new(side.shared.options.preference.isa);
        HardWorker { side: Arc::clone(side), long }
    }

    /// Answers the record `searched`, which is the first hard record of `chunk`.
    ///
    /// `held` is the memory reserved for the search. It is released after the tables of the search were
    /// dropped.
    pub(crate) fn search(
        &mut self,
        searched: SearchedRecord,
        mut chunk: ChunkState,
        mut held: MemoryGrant,
        worker: &mut ChunkWorker,
    ) {
        let (shared, record) = (Arc::clone(&worker.jobs.shared), searched.record);
        let (slot, known) = chunk.hard.pop_first().expect("the queue has chunks with hard records only");
        let ticket = Ticket { chunk: worker.jobs.adopt(chunk), slot };
        let Some(known) = known else {
            // If the short search does not answer the record, it returns the chunk to the queue.
            worker.begin_large(ticket, record);
            shared.queue.end_begun(record, held);
            return;
        };
        let jobs = &mut worker.jobs;
        jobs.take_up(ticket, record);
        let searched = Arc::new(searched);
        let hook = RecordHook { searched: Arc::clone(&searched), side: Arc::clone(&self.side) };
        let control = Arc::new(Control::with_hook(&shared.control, Arc::new(hook)));
        let mut owner = RecordOwner { jobs, ticket, control, searched, offered: None };
        let run = catch_unwind(AssertUnwindSafe(|| match self.count(known, &mut owner) {
            Asked::Answered(outcome) => Ok(outcome),
            Asked::SearchOn(known) => Ok(at_least(self.search_in_parts(&mut held, &mut owner)?, known)),
        }));
        let RecordOwner { jobs, searched, .. } = owner;
        if run.is_err() || held.is_any() {
            self.long.clear();
        }
        shared.queue.end_record(record);
        jobs.was_held_up(ticket, searched.suspended_for());
        match run {
            Ok(Ok(outcome)) => jobs.settle(ticket.into(), outcome),
            Ok(Err(reason)) => jobs.settle_without_search(ticket, Status::Unsupported, reason),
            Err(panic) => jobs.give_up(ticket, &message_of(panic.as_ref())),
        }
        if held.is_any() {
            // Searches that test the clues of the record may remain.
            worker.with_new_engines(ChunkWorker::finish);
        }
        shared.queue.give_back(held);
    }

    /// Counts the solutions of the record with a counter engine, if there is one for this record.
    ///
    /// `known` is the number of solutions that the short search found.
    fn count(&mut self, known: Count, owner: &mut RecordOwner<'_>) -> Asked {
        let RecordOwner { jobs, ticket, control, .. } = owner;
        let Some((counter, search, limits)) = jobs.counter(*ticket) else {
            let counts = matches!(jobs.shared.options.ask.goal(), Goal::Count { .. });
            return Asked::SearchOn(if counts { known } else { Count::ZERO });
        };
        let (problem, _) = jobs.problem(*ticket);
        let task = Task::count(problem, limits);
        let asked = self.long.ask((counter, search), &task, control, known);
        if limits.memory.is_some() {
            self.long.clear();
        }
        if matches!(asked, Asked::Answered(_)) {
            jobs.now_by(*ticket, Selection::taken_over(counter, SelectionReason::LongCount));
        }
        asked
    }

    /// Divides the search into parts, lets other threads search some of the parts, and combines the results.
    ///
    /// This thread also searches some of the parts itself.
    fn search_in_parts(
        &mut self,
        held: &mut MemoryGrant,
        owner: &mut RecordOwner<'_>,
    ) -> Result<Outcome, Reason> {
        let (record, ticket, control) = (owner.searched.record, owner.ticket, Arc::clone(&owner.control));
        let jobs = &mut *owner.jobs;
        fault_injection::break_engine(|| record);
        let shared = Arc::clone(&jobs.shared);
        let (goal, preference) = (shared.options.ask.goal(), shared.options.preference);
        let limits = jobs.hard_limits(ticket);
        let (problem, engine) = jobs.problem(ticket);
        // If the engine works on many problems at once, its searches cannot be split. Then another engine
        // searches the hard record.
        let replaced = if engine.info().make_search().is_some() {
            None
        } else {
            let preference = EnginePreference { engine: None, timings: true, ..preference };
            let selected = select(problem.class(), goal, preference);
            Some(selected.map_err(|error| Reason::Text(error.to_string()))?)
        };
        let kind = replaced.map_or(engine, |selection| selection.kind);
        let (limits, bytes) = shared.memory.of_search(problem, kind, limits);
        // The reserved memory may be larger than the search needs, because it was enough for a counter. The
        // rest can be released now.
        shared.queue.keep(held, bytes);
        owner.offered = Some((kind, bytes));
        let problem = problem.to_owned();
        let task = Task::whole(problem.as_ref(), goal, limits);
        let outcome = self.long.with(kind, |search| parallel::run(&task, &control, search, owner));
        let outcome =
            outcome.ok_or_else(|| Reason::Text(format!("engine {} cannot be split", kind.name())))?;
        let is_split = goal != Goal::Least;
        let now = is_split.then(|| Selection::taken_over(kind, SelectionReason::Split)).or(replaced);
        now.into_iter().for_each(|selection| owner.jobs.now_by(ticket, selection));
        Ok(outcome)
    }

    /// Searches one part of a record's search. Another thread has begun this search.
    pub(crate) fn run_part(&mut self, record: u64, offer: &SharedSearch, held: MemoryGrant) {
        // A panic is not reported here. The thread that began the search repeats the part and reports the
        // panic.
        let part = || self.long.with(offer.kind, |search| offer.split.run_part(search));
        let _ = catch_unwind(AssertUnwindSafe(part));
        if held.is_any() {
            self.long.clear();
        }
        self.side.shared.queue.end_part(record, held);
    }
}

/// Owner of the search for a hard record. It collects the solutions, streams them if there are many, and
/// makes parts of the search available to other threads.
struct RecordOwner<'j> {
    jobs: &'j mut OpenJobs,
    ticket: Ticket,
    control: Arc<Control>,
    searched: Arc<SearchedRecord>,
    /// Engine that searches the parts, and number of bytes that each thread must reserve before it searches a
    /// part.
    offered: Option<(EngineKind, u64)>,
}

impl Owner for RecordOwner<'_> {
    fn offer(&mut self, split: &Arc<Split>) {
        let (shared, record) = (&self.jobs.shared, self.searched.record);
        if let Some(bytes) = shared.memory.held() {
            split.hold_at_most(bytes);
        }
        shared.progress.splits(record, split, &self.searched.threads);
        if let Some((kind, bytes)) = self.offered {
            shared.queue.offer(record, SharedSearch { split: Arc::clone(split), kind, bytes });
        }
    }
}

impl Visitor for RecordOwner<'_> {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        self.jobs.keep(self.ticket.into(), solution);
        if self.jobs.has_much_to_stream(self.ticket) {
            // Streaming may block until the rows of all earlier records are written.
            let _resting = self.control.begin_wait();
            self.jobs.stream(self.ticket);
        }
        if self.control.is_cancelled() { Flow::Stop } else { Flow::Continue }
    }
}

/// Additional workers. A thread uses one of them to answer chunks while its own search is interrupted.
pub(crate) struct NestedWorkers {
    shared: Arc<Shared>,
    idle: Mutex<Vec<ChunkWorker>>,
    /// Error of the nested worker that panicked first.
    failure: Mutex<Option<Error>>,
}

impl NestedWorkers {
    pub(crate) fn new(shared: &Arc<Shared>) -> Arc<Self> {
        Arc::new(NestedWorkers {
            shared: Arc::clone(shared),
            idle: Mutex::default(),
            failure: Mutex::default(),
        })
    }

    /// Answers a chunk with a nested worker. Also answers further chunks if an engine requests more records
    /// meanwhile.
    fn answer(&self, chunk: Chunk) {
        let known = lock(&self.idle).pop();
        let mut worker = known.unwrap_or_else(|| ChunkWorker::new(&self.shared, NOT_SHOWN));
        worker.jobs.times.mark_busy();
        let answer = || {
            fault_injection::reach("side");
            worker.answer(chunk);
            worker.jobs.close_all();
            worker
        };
        // A panic here does not affect the search that this thread interrupted.
        match catch_unwind(AssertUnwindSafe(answer)) {
            Ok(worker) => lock(&self.idle).push(worker),
            Err(panic) => {
                let error = self.shared.panicked(WORKER, panic.as_ref());
                lock(&self.failure).get_or_insert(error);
            }
        }
    }

    /// Returns the sum of the reports of the nested workers. Must be called at the end of the run.
    pub(crate) fn end(&self) -> WorkerReport {
        let failure = lock(&self.failure).take();
        let mut sum = WorkerReport { failure, ..WorkerReport::default() };
        lock(&self.idle).drain(..).for_each(|worker| sum.add(worker.report()));
        sum
    }
}

/// Hook through which a search is interrupted so that its thread can answer chunks. The rules of the
/// [queue](crate::flow::queue) decide when.
struct RecordHook {
    searched: Arc<SearchedRecord>,
    side: Arc<NestedWorkers>,
}

impl YieldHook for RecordHook {
    fn yield_now(&self) {
        let (queue, record) = (&self.side.shared.queue, self.searched.record);
        if let Some(chunk) = queue.chunk_before(record) {
            self.side.answer(chunk);
            queue.come_back(record);
        }
    }

    fn begin_wait(&self) {
        self.side.shared.queue.rest(self.searched.record);
    }

    fn end_wait(&self) {
        self.side.shared.queue.resume(self.searched.record);
    }

    fn has_other_work(&self) -> bool {
        self.side.shared.queue.has_chunk()
    }

    fn do_other_work(&self) {
        if let Some(chunk) = self.side.shared.queue.chunk_meanwhile() {
            self.side.answer(chunk);
            self.side.shared.queue.end_chunks();
        }
    }

    fn offer(&self, pieces: usize) {
        self.side.shared.queue.offer_pieces(self.searched.record, pieces);
    }

    fn has_idle_threads(&self) -> bool {
        self.side.shared.queue.has_idle_threads()
    }

    fn suspended_for(&self) -> Duration {
        self.searched.suspended_for()
    }
}

impl std::fmt::Debug for RecordHook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "RecordHook({})", self.searched.record)
    }
}
