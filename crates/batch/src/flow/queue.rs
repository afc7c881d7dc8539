//! The work for the threads of a run, and the rules by which threads choose their work.
//!
//! A hard record is a record that was left for a longer search after the easy records of its chunk were
//! answered. Its search can be split into parts, so that several threads search one record.
//!
//! Each worker thread does every kind of work. A thread without work takes the first item on this list that
//! exists:
//!
//! 1. a chunk, if rows are unordered and no thread works on a chunk, so that easy records never wait;
//! 2. the earliest hard record that no thread searches;
//! 3. a chunk, if the reorder buffer has room for its rows;
//! 4. a part of the earliest record that other threads already search.
//!
//! If none exists, the thread sleeps. A search may run for an unlimited time, and more chunks arrive during
//! the search. Therefore a searching thread may interrupt its search between two nodes and answer chunks
//! ([`YieldHook`](quadrille_engine::YieldHook)). It may always do so if other threads search the same record.
//! If it is the last thread on a record, it may do so only under rule 1.
//!
//! Invariants to keep:
//!
//! * The lock of the queue is always taken last. A thread that holds it takes no other lock and wakes no searching
//!   thread.
//! * Every operation that makes work available wakes a sleeping thread. If no thread sleeps, it wakes the threads that
//!   wait inside a search. A woken thread that finds more work than it takes wakes the next thread.
//! * With ordered rows, a searched record keeps at least one thread. The next row to write never waits for later rows.
//! * The number of unfinished hard records has a limit ([`MORE_RECORDS`]). At the limit, no further chunk is taken.
//! * With a memory limit ([`memory`](crate::memory)), the total bytes of unfinished chunks have a limit.
//! * With a memory limit, a hard record is taken only when as many bytes are free as its search requests. Earlier
//!   records come first. All threads are woken when bytes are released, and when a chunk ends while hard records wait.
//! * Only threads without work wait for bytes, never a thread inside a search. Therefore the record that must be
//!   written next always gets its bytes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::reorder::ReorderBuffer;
use crate::chunk::state::ChunkState;
use crate::locks::lock;
use crate::memory::{MemoryGrant, MemoryPlan, SearchMemory};
use crate::stats::nanoseconds_since;
use quadrille_engine::parallel::Split;
use quadrille_engine::{Control, EngineKind, WakeOnCancel};
use quadrille_formats::input::Chunk;

/// Maximum number of unfinished hard records, in addition to one record per thread.
///
/// Each of these records keeps the memory of its chunk in use.
const MORE_RECORDS: usize = 16;

/// A piece of work for a thread.
pub(crate) enum Work {
    Chunk(Chunk),
    /// A chunk in which all remaining records are hard.
    ///
    /// The first field is the first hard record. The thread that receives the chunk must search this record.
    /// The last field is the memory reserved for that search.
    Hard(SearchedRecord, Box<ChunkState>, MemoryGrant),
    /// A part of a record's search. Other threads have already begun this search.
    ///
    /// The first field is the number of the record. The last field is the memory reserved for the search of
    /// this part.
    Part(u64, SharedSearch, MemoryGrant),
    /// Tasks in the thread pool. Counting and rating a record can be divided into such tasks, which all
    /// threads of the pool run.
    PoolTasks,
}

/// A record whose search is split into parts, and the kind of engine that searches the parts.
#[derive(Debug, Clone)]
pub(crate) struct SharedSearch {
    pub split: Arc<Split>,
    pub kind: EngineKind,
    /// Number of bytes that a thread must reserve before it searches a part.
    pub bytes: u64,
}

/// Work queue of the threads of a run (see the [module](self)).
#[derive(Debug)]
pub(crate) struct WorkQueue {
    ordered: bool,
    /// Maximum number of waiting chunks.
    capacity: usize,
    most_records: usize,
    /// Maximum total size of unfinished chunks in bytes, or `None` without a memory limit.
    most_bytes: Option<u64>,
    control: Arc<Control>,
    window: Arc<ReorderBuffer>,
    state: Mutex<QueueState>,
    /// Condition that wakes threads when work becomes available, or when no more work will come.
    work: Condvar,
    /// Condition that wakes the feed thread when there is space for another chunk.
    room: Condvar,
    /// Number of chunks in the queue. Threads can read it without the lock.
    chunks: AtomicUsize,
    idle: AtomicUsize,
}

#[derive(Debug, Default)]
struct QueueState {
    chunks: VecDeque<Chunk>,
    /// Size of each unfinished chunk in bytes, by chunk number.
    unfinished_bytes: BTreeMap<u64, u64>,
    memory: SearchMemory,
    input_ended: bool,
    /// True if threads must not take any more work.
    closed: bool,
    /// Number of threads that are answering chunks.
    on_chunks: usize,
    /// Chunks in which all remaining records are hard. The key is the number of the chunk's first hard
    /// record. No thread searches this record yet.
    ///
    /// The value is the chunk, and the memory that the search of this record requests, in bytes.
    hard: BTreeMap<u64, (Box<ChunkState>, u64)>,
    /// Records being searched, by number.
    searched: BTreeMap<u64, Searched>,
    /// Number of threads that should still look for a task in the thread pool.
    pool_tasks: usize,
    /// Number of changes of the queue so far. A thread that found no work sleeps only if this number is the
    /// same as when it looked. This way, the thread does not miss a change.
    generation: u64,
    /// Number of threads without work.
    idle: usize,
}

#[derive(Debug, Default)]
struct Searched {
    /// Number of threads that search the record now. Threads that wait or do other work are not included.
    threads: Arc<AtomicUsize>,
    /// Number of threads that interrupted the search to do other work. They will return to the search.
    elsewhere: usize,
    /// Number of threads that wait for other threads of the same search.
    resting: usize,
    held_up_since: Option<Instant>,
    held_up_ns: Arc<AtomicU64>,
    offer: Option<SharedSearch>,
}

/// A handle that each thread has while it searches a record.
#[derive(Debug)]
pub(crate) struct SearchedRecord {
    pub record: u64,
    /// Number of threads that are searching the record now.
    pub threads: Arc<AtomicUsize>,
    held_up_ns: Arc<AtomicU64>,
}

impl SearchedRecord {
    /// Returns the total time for which the search of this record was suspended. In this time, all its
    /// threads did other work.
    pub(crate) fn suspended_for(&self) -> Duration {
        Duration::from_nanos(self.held_up_ns.load(Ordering::Relaxed))
    }
}

impl Searched {
    fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Adds the given differences to three counts of threads:
    /// - `threads`: threads that search the record;
    /// - `elsewhere`: threads that do other work;
    /// - `resting`: threads that wait for other threads.
    fn change(&mut self, threads: isize, elsewhere: isize, resting: isize) {
        let changed = |number: usize, by: isize| {
            number.checked_add_signed(by).expect("no more threads leave than have come")
        };
        self.threads.store(changed(self.threads(), threads), Ordering::Relaxed);
        self.elsewhere = changed(self.elsewhere, elsewhere);
        self.resting = changed(self.resting, resting);
        let is_held_up = self.threads() == 0 && self.elsewhere > 0;
        match self.held_up_since {
            None if is_held_up => self.held_up_since = Some(Instant::now()),
            Some(since) if !is_held_up => {
                self.held_up_ns.fetch_add(nanoseconds_since(since), Ordering::Relaxed);
                self.held_up_since = None;
            }
            _ => {}
        }
    }
}

impl WorkQueue {
    /// Creates an empty queue. `memory` determines the number of threads. `window` is the buffer that
    /// receives the rows.
    pub(crate) fn new(
        memory: &MemoryPlan,
        ordered: bool,
        control: &Arc<Control>,
        window: &Arc<ReorderBuffer>,
    ) -> Arc<Self> {
        let threads = memory.threads();
        let queue = Arc::new(WorkQueue {
            ordered,
            capacity: 2 * threads,
            most_records: threads + MORE_RECORDS,
            most_bytes: memory.of_chunks(),
            control: Arc::clone(control),
            window: Arc::clone(window),
            state: Mutex::new(QueueState { memory: SearchMemory::new(memory), ..QueueState::default() }),
            work: Condvar::new(),
            room: Condvar::new(),
            chunks: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
        });
        let sleepers: Arc<dyn WakeOnCancel> = Arc::clone(&queue) as _;
        control.wake_on_cancel(Arc::downgrade(&sleepers));
        queue
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        lock(&self.state)
    }

    /// Waits until the condition `until` is signalled, or until the deadline of the run.
    fn sleep<'s>(&self, state: MutexGuard<'s, QueueState>, until: &Condvar) -> MutexGuard<'s, QueueState> {
        match self.control.deadline() {
            None => until.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                until.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    // Methods for the feed thread.

    /// Waits until the queue has space and adds a chunk. Returns false if threads accept no more chunks.
    pub(crate) fn push(&self, chunk: Chunk) -> bool {
        let bytes = MemoryPlan::weight(chunk.bytes.len(), chunk.records);
        let mut state = self.lock();
        while !self.has_space(&state, bytes) && !state.closed && self.control.stop().is_none() {
            state = self.sleep(state, &self.room);
        }
        if state.closed || self.control.stop().is_some() {
            return false;
        }
        if self.most_bytes.is_some() {
            state.unfinished_bytes.insert(chunk.sequence, bytes);
        }
        state.chunks.push_back(chunk);
        self.wake_next(state);
        true
    }

    /// Returns true if there is space for a chunk of `bytes` bytes.
    ///
    /// If all earlier chunks are finished, there is space for a chunk of any size.
    fn has_space(&self, state: &QueueState, bytes: u64) -> bool {
        let unfinished = &state.unfinished_bytes;
        let fits = |most: u64| {
            unfinished.is_empty() || unfinished.values().sum::<u64>().saturating_add(bytes) <= most
        };
        state.chunks.len() < self.capacity && self.most_bytes.is_none_or(fits)
    }

    /// Returns true if a chunk of any size can be added without waiting.
    pub(crate) fn is_open_for_chunks(&self) -> bool {
        let state = self.lock();
        self.has_space(&state, u64::MAX) && !state.closed && self.control.stop().is_none()
    }

    /// Marks the input as ended. No more chunks will be added.
    pub(crate) fn end_input(&self) {
        self.lock().input_ended = true;
        self.work.notify_all();
    }

    /// Closes the queue. Threads take no more work from it.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
    }

    // Methods for the writer.

    /// Wakes threads so that they take chunks. Called when the reorder buffer was full and has room again.
    pub(crate) fn window_has_room(&self) {
        self.wake_next(self.lock());
    }

    // The following methods are for the thread that starts the other threads.

    /// Returns true if the whole input is a single chunk, and this chunk is still in the queue.
    pub(crate) fn has_one_chunk(&self) -> bool {
        let state = self.lock();
        state.input_ended && state.chunks.len() == 1
    }

    /// Removes and returns the next chunk. Ignores all other kinds of work.
    ///
    /// Returns `None` if there is no chunk or the run was stopped.
    pub(crate) fn next_chunk(&self) -> Option<Work> {
        if self.control.stop().is_some() {
            return None;
        }
        let mut state = self.lock();
        let chunk = self.take_chunk(&mut state)?;
        state.on_chunks += 1;
        self.note(&state);
        Some(Work::Chunk(chunk))
    }

    /// Returns true if there is no work left and none will come.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    // Methods for threads without work.

    /// Waits for the next piece of work and returns it.
    ///
    /// Returns `None` if no more work will come or the run was stopped.
    pub(crate) fn next(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if self.control.stop().is_some() {
                return None;
            }
            if let Some(work) = self.take(&mut state) {
                self.wake_next(state);
                return Some(work);
            }
            if state.is_over() {
                self.work.notify_all();
                return None;
            }
            // The thread must count as idle before it asks other threads for parts of their searches.
            // Searches that begin later can then see that it is idle.
            state.idle += 1;
            self.note(&state);
            let generation = state.generation;
            let offers = state.offers();
            if !offers.is_empty() {
                // Unlock the queue here, because the search has its own lock.
                drop(state);
                let part = offers.iter().find(|(_, offer)| offer.split.has_part()).cloned();
                if part.is_none() {
                    offers.iter().any(|(_, offer)| offer.split.ask_to_share());
                }
                state = self.lock();
                // Other work takes precedence over parts. If such work arrived while the queue was unlocked,
                // the loop must look for it first.
                if state.generation == generation
                    && let Some((record, offer)) = part
                {
                    state.idle -= 1;
                    self.note(&state);
                    let QueueState { searched, memory, .. } = &mut *state;
                    let open = searched.get_mut(&record).filter(|searched| searched.offer.is_some());
                    match open.filter(|_| memory.has(offer.bytes, false)) {
                        None => continue,
                        Some(searched) => searched.change(1, 0, 0),
                    }
                    let held = memory.take(offer.bytes, false);
                    return Some(Work::Part(record, offer, held));
                }
            }
            // If the queue ended while it was unlocked, this thread missed the notification and must not
            // sleep.
            if state.generation == generation && !state.is_over() && self.control.stop().is_none() {
                state = self.sleep(state, &self.work);
            }
            state.idle -= 1;
            self.note(&state);
        }
    }

    /// Returns the next chunk for a thread that already answers chunks.
    ///
    /// Returns `None` if there is no chunk, or if a hard record must be started first.
    pub(crate) fn try_chunk(&self) -> Option<Chunk> {
        if self.chunks.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut state = self.lock();
        let chunk = if state.is_record_due(self.ordered) { None } else { self.take_chunk(&mut state) };
        self.wake_next(state);
        chunk
    }

    /// Notes that the calling thread no longer answers chunks.
    pub(crate) fn end_chunks(&self) {
        let mut state = self.lock();
        state.on_chunks -= 1;
        if state.is_over() {
            self.work.notify_all();
        }
    }

    /// Adds a chunk in which all remaining records are hard.
    ///
    /// `record` is the number of the first of these records. Its search requests `bytes` bytes.
    pub(crate) fn add_hard(&self, record: u64, chunk: Box<ChunkState>, bytes: u64) {
        let mut state = self.lock();
        state.hard.insert(record, (chunk, bytes));
        self.wake_next(state);
    }

    /// Removes and returns a chunk with unanswered hard records, or `None` if there is none left.
    ///
    /// To be called after the run was stopped.
    pub(crate) fn take_unfinished(&self) -> Option<Box<ChunkState>> {
        self.lock().hard.pop_first().map(|(_, (chunk, _))| chunk)
    }

    /// Notes that a chunk is finished: its rows were submitted and its records were dropped.
    pub(crate) fn end_chunk(&self, sequence: u64) {
        if self.most_bytes.is_none() {
            return;
        }
        let mut state = self.lock();
        state.unfinished_bytes.remove(&sequence);
        self.room.notify_one();
        if !state.hard.is_empty() {
            self.tell_all(state);
        }
    }

    // The following methods are for threads that search a record.

    /// Makes parts of a record's search available to other threads.
    pub(crate) fn offer(&self, record: u64, offer: SharedSearch) {
        let mut state = self.lock();
        if let Some(searched) = state.searched.get_mut(&record) {
            searched.offer = Some(offer);
        }
        state.generation += 1;
        self.work.notify_all();
    }

    /// Wakes at most `pieces` idle threads. They search parts of the record, or run tasks for counting the
    /// record's solutions.
    pub(crate) fn offer_pieces(&self, record: u64, pieces: usize) {
        let mut state = self.lock();
        if state.searched.get(&record).is_some_and(|searched| searched.offer.is_none()) {
            state.pool_tasks = state.pool_tasks.max(pieces);
        }
        self.wake(state, pieces);
    }

    /// Makes `tasks` tasks of the thread pool available to threads that have no other work now or later.
    pub(crate) fn offer_tasks(&self, tasks: usize) {
        let mut state = self.lock();
        state.pool_tasks = state.pool_tasks.max(tasks);
        self.wake(state, tasks);
    }

    fn wake(&self, mut state: MutexGuard<'_, QueueState>, most: usize) {
        state.generation += 1;
        for _ in 0..most.min(state.idle) {
            self.work.notify_one();
        }
    }

    /// Notes that the calling thread has ended the search that it began. The thread now returns to the
    /// record's chunk.
    ///
    /// All other threads must have left the search, or must be leaving it.
    pub(crate) fn end_record(&self, record: u64) {
        let mut state = self.lock();
        state.on_chunks += 1;
        let searched = state.searched.get_mut(&record).expect("the record's search has begun");
        searched.offer = None;
        self.leave(state, record);
    }

    /// Notes that a thread stops its short search of a large record and returns to answering chunks.
    ///
    /// Other threads may already be searching parts of the record.
    pub(crate) fn end_begun(&self, record: u64, held: MemoryGrant) {
        self.give_back(held);
        let mut state = self.lock();
        state.on_chunks += 1;
        self.leave(state, record);
    }

    /// Notes that a thread has finished a part of a record's search, and releases the memory for that part.
    pub(crate) fn end_part(&self, record: u64, held: MemoryGrant) {
        self.give_back(held);
        self.leave(self.lock(), record);
    }

    /// Releases the memory that was reserved for a search.
    pub(crate) fn give_back(&self, mut held: MemoryGrant) {
        self.keep(&mut held, 0);
    }

    /// Reduces the memory reserved for a search to at most `bytes` bytes, and releases the rest.
    pub(crate) fn keep(&self, held: &mut MemoryGrant, bytes: u64) {
        if held.is_any() {
            let mut state = self.lock();
            if state.memory.keep(held, bytes) {
                self.tell_all(state);
            }
        }
    }

    /// Wakes all threads without work.
    fn tell_all(&self, mut state: MutexGuard<'_, QueueState>) {
        state.generation += 1;
        self.note(&state);
        self.work.notify_all();
    }

    fn leave(&self, mut state: MutexGuard<'_, QueueState>, record: u64) {
        let searched = state.searched.get_mut(&record).expect("a thread is on the record");
        searched.change(-1, 0, 0);
        if searched.threads() + searched.elsewhere + searched.resting == 0 {
            state.searched.remove(&record);
        }
        if state.is_over() {
            self.work.notify_all();
        }
        self.wake_next(state);
    }

    /// Returns a chunk that a thread must answer before it continues to search `record`.
    ///
    /// Returns `None` if the thread may continue its search.
    pub(crate) fn chunk_before(&self, record: u64) -> Option<Chunk> {
        if self.chunks.load(Ordering::Relaxed) == 0 || !self.window.has_room() {
            return None;
        }
        let mut state = self.lock();
        let others_search = state.searched[&record].threads() > 1 && !state.is_record_due(self.ordered);
        if !others_search && !state.is_chunk_first(self.ordered) {
            return None;
        }
        let chunk = self.take_chunk(&mut state)?;
        state.on_chunks += 1;
        state.searched.get_mut(&record).expect("a thread is on the record").change(-1, 1, 0);
        self.wake_next(state);
        Some(chunk)
    }

    /// Notes that a thread has answered its chunks and continues to search `record`.
    pub(crate) fn come_back(&self, record: u64) {
        let mut state = self.lock();
        state.on_chunks -= 1;
        state.searched.get_mut(&record).expect("a thread is on the record").change(1, -1, 0);
    }

    /// Notes that a thread interrupts its search of `record` to wait for other threads of this search.
    pub(crate) fn rest(&self, record: u64) {
        self.lock().searched.get_mut(&record).expect("a thread is on the record").change(-1, 0, 1);
    }

    /// Notes that a thread no longer waits for other threads and continues to search `record`.
    pub(crate) fn resume(&self, record: u64) {
        self.lock().searched.get_mut(&record).expect("a thread is on the record").change(1, 0, -1);
    }

    /// Returns true if a thread may answer a chunk while it waits for other threads of its search.
    pub(crate) fn has_chunk(&self) -> bool {
        self.chunks.load(Ordering::Relaxed) > 0 && {
            let state = self.lock();
            self.may_take_chunk(&state) && !state.is_record_due(self.ordered)
        }
    }

    /// Returns a chunk for a thread that waits for other threads of its search.
    ///
    /// Returns `None` if the thread may not answer a chunk now.
    pub(crate) fn chunk_meanwhile(&self) -> Option<Chunk> {
        let chunk = self.try_chunk()?;
        self.lock().on_chunks += 1;
        Some(chunk)
    }

    /// Returns true if there are threads without work.
    pub(crate) fn has_idle_threads(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Removes and returns the first work on the list in the [module documentation](self), except parts of
    /// searches.
    ///
    /// Returns `None` if there is no such work.
    fn take(&self, state: &mut QueueState) -> Option<Work> {
        let chunk = if state.is_chunk_first(self.ordered) { self.take_chunk(state) } else { None };
        if chunk.is_none()
            && let Some(hard) = state.take_hard()
        {
            return Some(hard);
        }
        if let Some(chunk) = chunk.or_else(|| self.take_chunk(state)) {
            state.on_chunks += 1;
            return Some(Work::Chunk(chunk));
        }
        state.pool_tasks = state.pool_tasks.checked_sub(1)?;
        Some(Work::PoolTasks)
    }

    fn take_chunk(&self, state: &mut QueueState) -> Option<Chunk> {
        let chunk = if self.may_take_chunk(state) { state.chunks.pop_front() } else { None };
        if chunk.is_some() {
            self.room.notify_one();
        }
        chunk
    }

    fn may_take_chunk(&self, state: &QueueState) -> bool {
        !state.chunks.is_empty()
            && self.window.has_room()
            && state.hard.len() + state.searched.len() < self.most_records
    }

    /// Copies two counts to the atomic counters, which threads can read without the lock.
    fn note(&self, state: &QueueState) {
        self.chunks.store(state.chunks.len(), Ordering::Relaxed);
        self.idle.store(state.idle, Ordering::Relaxed);
    }

    /// Wakes another thread if there is more work.
    ///
    /// Wakes a sleeping thread or, if no thread sleeps, the threads that wait inside a search.
    fn wake_next(&self, mut state: MutexGuard<'_, QueueState>) {
        self.note(&state);
        let has_chunk = self.may_take_chunk(&state);
        if !has_chunk && state.next_hard().is_none() && state.pool_tasks == 0 {
            return;
        }
        state.generation += 1;
        if state.idle > 0 {
            self.work.notify_one();
        } else if has_chunk {
            let waiting = state.searched.values().filter(|searched| searched.resting > 0);
            let waiting: Vec<SharedSearch> = waiting.filter_map(|searched| searched.offer.clone()).collect();
            drop(state);
            waiting.iter().for_each(|offer| offer.split.wake());
        }
    }
}

impl QueueState {
    /// Returns the earliest hard record that is not being searched and for whose search enough memory is
    /// free.
    ///
    /// The second value is true if the record belongs to the first unfinished chunk. Returns `None` if there
    /// is no such record.
    fn next_hard(&self) -> Option<(u64, bool)> {
        let first = self.unfinished_bytes.keys().next();
        self.hard.iter().find_map(|(&record, (chunk, bytes))| {
            let is_first = Some(&chunk.chunk.sequence) == first;
            self.memory.has(*bytes, is_first).then_some((record, is_first))
        })
    }

    /// Removes and returns the record that [`next_hard`](Self::next_hard) finds, and reserves memory for its
    /// search.
    fn take_hard(&mut self) -> Option<Work> {
        let (record, is_first) = self.next_hard()?;
        let (chunk, bytes) = self.hard.remove(&record)?;
        let searched = self.searched.entry(record).or_default();
        searched.change(1, 0, 0);
        let (threads, held_up_ns) = (Arc::clone(&searched.threads), Arc::clone(&searched.held_up_ns));
        let searched = SearchedRecord { record, threads, held_up_ns };
        Some(Work::Hard(searched, chunk, self.memory.take(bytes, is_first)))
    }

    /// Returns true if a thread should answer a chunk before it does any other work.
    fn is_chunk_first(&self, ordered: bool) -> bool {
        !ordered && self.on_chunks == 0
    }

    /// Returns true if a thread should search a hard record before it answers the next chunk.
    fn is_record_due(&self, ordered: bool) -> bool {
        self.next_hard().is_some() && (ordered || self.on_chunks > 1)
    }

    /// Returns true if there is no work left and none will come.
    fn is_over(&self) -> bool {
        self.input_ended
            && self.on_chunks == 0
            && self.chunks.is_empty()
            && self.hard.is_empty()
            && self.searched.is_empty()
    }

    /// Returns the searches that offer parts to other threads, in the order of their records. Omits a search
    /// if there is not enough free memory for one of its parts.
    fn offers(&self) -> Vec<(u64, SharedSearch)> {
        let offer = |(&record, searched): (&u64, &Searched)| {
            let offer = searched.offer.as_ref().filter(|offer| self.memory.has(offer.bytes, false))?;
            Some((record, offer.clone()))
        };
        self.searched.iter().filter_map(offer).collect()
    }
}

impl WakeOnCancel for WorkQueue {
    fn wake(&self) {
        drop(self.lock());
        self.work.notify_all();
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests;
