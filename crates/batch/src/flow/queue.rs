//! The work available to the threads of a run, and the rules by which threads take it.
//!
//! All worker threads are of one kind. A thread without work takes the first of these that exists:
//!
//! 1. a chunk, if rows are unordered and no thread works on a chunk: easy records never wait there;
//! 2. the earliest hard record that no thread searches;
//! 3. a chunk, if the reorder buffer has room for its rows;
//! 4. a part of the earliest record that other threads already search.
//!
//! A thread that finds none of these sleeps. A search may never end, and chunks arrive during it. Then a searching
//! thread answers chunks between two nodes of its search ([`YieldHook`](quadrille_engine::YieldHook)): always if other
//! threads search the same record, but only under rule 1 if it is the last thread on the record.
//!
//! Invariants to keep:
//!
//! * The lock of the queue is the last one taken: while a thread holds it, the thread takes no other lock and wakes no
//!   searching thread.
//! * Every operation that makes work available wakes a sleeping thread or, if none sleeps, those that wait inside a
//!   search. A woken thread that finds more work than it takes wakes the next.
//! * With ordered rows a searched record keeps at least one thread, so the head of the output never waits for later
//!   rows.
//! * The number of unfinished hard records is bounded ([`MORE_RECORDS`]): at the bound no further chunk is taken.
//! * With a memory budget ([`memory`](crate::memory)) the total bytes of unfinished chunks are bounded. A hard record
//!   is taken when the bytes that it requests are free, an earlier record first. Releasing bytes wakes all threads, and
//!   so does ending a chunk while hard records wait. Only threads without work wait for bytes, never a
//!   thread inside a search; so the record whose turn it is to be written gets its bytes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::reorder::ReorderBuffer;
use crate::chunk::state::ChunkState;
use crate::memory::{MemoryGrant, MemoryPlan, SearchMemory};
use crate::stats::nanoseconds_since;
use quadrille_engine::parallel::Split;
use quadrille_engine::{Control, EngineKind, WakeOnCancel};
use quadrille_formats::input::Chunk;

/// Maximum number of open hard records, in addition to one per thread. Each keeps the memory of its chunk.
const MORE_RECORDS: usize = 16;

/// The next piece of work for a thread.
pub(crate) enum Work {
    Chunk(Chunk),
    /// A chunk with only hard records left.
    ///
    /// Holds the number of the first of these records. The thread that takes the chunk must search that record, with
    /// the memory that is reserved for it.
    Hard(u64, Box<ChunkState>, MemoryGrant),
    /// A part of a record that is being searched.
    ///
    /// Holds the record's number and the memory reserved for the part.
    Part(u64, SharedSearch, MemoryGrant),
    /// Tasks of the thread pool: a counter or a rating spreads its work over the pool.
    PoolTasks,
}

/// A record that is searched in parts, and the engine that searches the parts.
#[derive(Debug, Clone)]
pub(crate) struct SharedSearch {
    pub split: Arc<Split>,
    pub kind: EngineKind,
    /// Number of bytes that a thread must reserve before it takes a part.
    pub bytes: u64,
}

/// The queue of work for the threads of a run; see the [module](self).
#[derive(Debug)]
pub(crate) struct WorkQueue {
    ordered: bool,
    /// Maximum number of waiting chunks.
    capacity: usize,
    most_records: usize,
    /// Maximum total bytes of unfinished chunks, or `None` if their bytes are not counted.
    most_bytes: Option<u64>,
    control: Arc<Control>,
    window: Arc<ReorderBuffer>,
    state: Mutex<QueueState>,
    /// Signals that there is work, or that there will be no more.
    work: Condvar,
    /// Signals that there is space for a chunk.
    room: Condvar,
    /// Number of waiting chunks, readable without the lock.
    chunks: AtomicUsize,
    idle: AtomicUsize,
}

#[derive(Debug, Default)]
struct QueueState {
    chunks: VecDeque<Chunk>,
    /// Bytes of each unfinished chunk, by chunk number.
    unfinished_bytes: BTreeMap<u64, u64>,
    undone_bytes: u64,
    memory: SearchMemory,
    input_ended: bool,
    /// True if the run is over.
    closed: bool,
    /// Number of threads that answer chunks.
    on_chunks: usize,
    /// Chunks with only hard records left, each with the bytes requested by its first unsearched record.
    ///
    /// The key is the number of that record.
    hard: BTreeMap<u64, (Box<ChunkState>, u64)>,
    /// Records being searched, by number.
    searched: BTreeMap<u64, Searched>,
    /// Number of threads that may find tasks in the thread pool.
    pool_tasks: usize,
    /// Number of changes so far. A thread that is about to sleep checks it, so as not to miss a change.
    generation: u64,
    /// Number of threads without work.
    idle: usize,
}

#[derive(Debug, Default)]
struct Searched {
    /// Number of threads that search the record now, except those that wait for others or do other work.
    threads: Arc<AtomicUsize>,
    /// Number of threads that left the search for other work and will return.
    elsewhere: usize,
    /// Number of threads that wait for other threads of the search.
    resting: usize,
    held_up_since: Option<Instant>,
    held_up_ns: Arc<AtomicU64>,
    offer: Option<SharedSearch>,
}

/// A handle on a record being searched, for the threads that search it.
#[derive(Debug)]
pub(crate) struct SearchedRecord {
    pub record: u64,
    /// Number of threads that search the record now.
    pub threads: Arc<AtomicUsize>,
    held_up_ns: Arc<AtomicU64>,
}

impl SearchedRecord {
    /// Returns the total time in which no thread searched the record because its threads did other work.
    pub(crate) fn suspended_for(&self) -> Duration {
        Duration::from_nanos(self.held_up_ns.load(Ordering::Relaxed))
    }
}

impl Searched {
    fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Changes the numbers of threads that search the record, that do other work, and that wait for others.
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
    /// Creates an empty queue for the threads of the plan `memory`; rows go to `window`.
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until woken, or until the deadline of the run.
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

    /// Adds a chunk, waiting until the queue has space. Returns false if no thread will take it.
    pub(crate) fn push(&self, chunk: Chunk) -> bool {
        let bytes = self.most_bytes.map(|_| MemoryPlan::weight(chunk.bytes.len(), chunk.records));
        let mut state = self.lock();
        while !self.has_space(&state, bytes) && !state.closed && self.control.stop().is_none() {
            state = self.sleep(state, &self.room);
        }
        if state.closed || self.control.stop().is_some() {
            return false;
        }
        if let Some(bytes) = bytes {
            state.unfinished_bytes.insert(chunk.sequence, bytes);
            state.undone_bytes += bytes;
        }
        state.chunks.push_back(chunk);
        self.wake_next(state);
        true
    }

    /// Returns true if there is space for a chunk of `bytes` bytes.
    ///
    /// If no other chunk is unfinished, a chunk of any size has space.
    fn has_space(&self, state: &QueueState, bytes: Option<u64>) -> bool {
        let fits =
            |most: u64, bytes: u64| state.unfinished_bytes.is_empty() || state.undone_bytes + bytes <= most;
        state.chunks.len() < self.capacity
            && self.most_bytes.zip(bytes).is_none_or(|(most, bytes)| fits(most, bytes))
    }

    /// Returns true if a chunk of any size can be added without waiting.
    pub(crate) fn is_open_for_chunks(&self) -> bool {
        let state = self.lock();
        let has_bytes = self.most_bytes.is_none() || state.unfinished_bytes.is_empty();
        has_bytes && state.chunks.len() < self.capacity && !state.closed && self.control.stop().is_none()
    }

    /// Declares that no more chunks will come.
    pub(crate) fn end_input(&self) {
        self.lock().input_ended = true;
        self.work.notify_all();
    }

    /// Declares that no thread will take work any more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
    }

    // Methods for the writer.

    /// Wakes threads for chunks after the reorder buffer, which was full, has space again.
    pub(crate) fn window_has_room(&self) {
        self.wake_next(self.lock());
    }

    // Methods for the thread that starts the others.

    /// Returns true if the whole input is one chunk and no thread has taken it.
    pub(crate) fn has_one_chunk(&self) -> bool {
        let state = self.lock();
        state.input_ended && state.chunks.len() == 1
    }

    /// Takes a waiting chunk and no other work. Returns `None` if there is no chunk or the run was stopped.
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

    /// Returns true if no work is left and none will come.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    // Methods for threads without work.

    /// Returns the next work, waiting for it, or `None` if no more will come or the run was stopped.
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
            // This thread counts as idle before it asks for parts, so that searches that begin later see it.
            state.idle += 1;
            self.note(&state);
            let generation = state.generation;
            let offers = state.offers();
            if !offers.is_empty() {
                // The lock is released here because a search takes a lock of its own.
                drop(state);
                let part = offers.iter().find(|(_, offer)| offer.split.has_part()).cloned();
                if part.is_none() {
                    offers.iter().any(|(_, offer)| offer.split.ask_to_share());
                }
                state = self.lock();
                // Work that arrived meanwhile has precedence over parts, so the loop looks for it first.
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
            // The end may have come while the lock was not held; its notification has been missed.
            if state.generation == generation && !state.is_over() && self.control.stop().is_none() {
                state = self.sleep(state, &self.work);
            }
            state.idle -= 1;
            self.note(&state);
        }
    }

    /// Takes the next chunk for a thread that already answers chunks.
    ///
    /// Returns `None` if there is no chunk or a hard record must be started first.
    pub(crate) fn try_chunk(&self) -> Option<Chunk> {
        if self.chunks.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut state = self.lock();
        let chunk = if state.is_record_due(self.ordered) { None } else { self.take_chunk(&mut state) };
        self.wake_next(state);
        chunk
    }

    /// Notes that the calling thread no longer works on chunks.
    pub(crate) fn end_chunks(&self) {
        let mut state = self.lock();
        state.on_chunks -= 1;
        if state.is_over() {
            self.work.notify_all();
        }
    }

    /// Adds a chunk with only hard records left to answer; the first, `record`, requests `bytes` bytes.
    pub(crate) fn add_hard(&self, record: u64, chunk: Box<ChunkState>, bytes: u64) {
        let mut state = self.lock();
        state.hard.insert(record, (chunk, bytes));
        self.wake_next(state);
    }

    /// Removes and returns a chunk with unanswered hard records after a stop, or `None`.
    pub(crate) fn take_unfinished(&self) -> Option<Box<ChunkState>> {
        self.lock().hard.pop_first().map(|(_, (chunk, _))| chunk)
    }

    /// Notes that a chunk is done: its rows were handed over and its records dropped.
    pub(crate) fn end_chunk(&self, sequence: u64) {
        if self.most_bytes.is_none() {
            return;
        }
        let mut state = self.lock();
        state.undone_bytes -= state.unfinished_bytes.remove(&sequence).unwrap_or_default();
        self.room.notify_one();
        if !state.hard.is_empty() {
            self.tell_all(state);
        }
    }

    // Methods for threads that search a record.

    /// Returns the handle of a record whose search has begun.
    pub(crate) fn searched(&self, record: u64) -> SearchedRecord {
        let state = self.lock();
        let Searched { threads, held_up_ns, .. } = &state.searched[&record];
        SearchedRecord { record, threads: Arc::clone(threads), held_up_ns: Arc::clone(held_up_ns) }
    }

    /// Lets other threads take parts of a record.
    pub(crate) fn offer(&self, record: u64, offer: SharedSearch) {
        let mut state = self.lock();
        if let Some(searched) = state.searched.get_mut(&record) {
            searched.offer = Some(offer);
        }
        state.generation += 1;
        self.work.notify_all();
    }

    /// Wakes up to `pieces` idle threads for parts of a record or tasks of its counter.
    pub(crate) fn offer_pieces(&self, record: u64, pieces: usize) {
        let mut state = self.lock();
        if state.searched.get(&record).is_some_and(|searched| searched.offer.is_none()) {
            state.pool_tasks = state.pool_tasks.max(pieces);
        }
        self.wake(state, pieces);
    }

    /// Lets idle threads take `tasks` tasks of the thread pool, now or when they have no other work.
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

    /// Notes that the thread that began a record goes back to its chunk.
    ///
    /// The other threads of the search have left it or are leaving.
    pub(crate) fn end_record(&self, record: u64) {
        let mut state = self.lock();
        state.on_chunks += 1;
        let searched = state.searched.get_mut(&record).expect("the record's search has begun");
        searched.offer = None;
        self.leave(state, record);
    }

    /// Notes that the thread that did the short search of a large record takes chunks again.
    ///
    /// Other threads may already search the record.
    pub(crate) fn end_begun(&self, record: u64, held: MemoryGrant) {
        self.give_back(held);
        let mut state = self.lock();
        state.on_chunks += 1;
        self.leave(state, record);
    }

    /// Notes that a thread has run a part of a record, and releases the memory of the part.
    pub(crate) fn end_part(&self, record: u64, held: MemoryGrant) {
        self.give_back(held);
        self.leave(self.lock(), record);
    }

    /// Releases the memory that was reserved for a search.
    pub(crate) fn give_back(&self, mut held: MemoryGrant) {
        self.keep(&mut held, 0);
    }

    /// Releases all but `bytes` bytes of the memory reserved for a search.
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

    /// Returns a chunk that a thread on `record` must answer before it continues its search, or `None`.
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

    /// Notes that a thread has answered chunks and searches its record again.
    pub(crate) fn come_back(&self, record: u64) {
        let mut state = self.lock();
        state.on_chunks -= 1;
        state.searched.get_mut(&record).expect("a thread is on the record").change(1, -1, 0);
    }

    /// Notes that a thread on a record begins to wait for other threads.
    pub(crate) fn rest(&self, record: u64) {
        self.lock().searched.get_mut(&record).expect("a thread is on the record").change(-1, 0, 1);
    }

    /// Notes that a thread on a record no longer waits for other threads.
    pub(crate) fn resume(&self, record: u64) {
        self.lock().searched.get_mut(&record).expect("a thread is on the record").change(1, 0, -1);
    }

    /// Returns true if a thread that waits for other threads may take a chunk.
    pub(crate) fn has_chunk(&self) -> bool {
        self.chunks.load(Ordering::Relaxed) > 0 && {
            let state = self.lock();
            self.may_take_chunk(&state) && !state.is_record_due(self.ordered)
        }
    }

    /// Takes a chunk for a thread that waits for other threads, or returns `None`.
    pub(crate) fn chunk_meanwhile(&self) -> Option<Chunk> {
        let chunk = self.try_chunk()?;
        self.lock().on_chunks += 1;
        Some(chunk)
    }

    /// Returns true if there are threads without work.
    pub(crate) fn has_idle_threads(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Takes the work that comes first by the rules, except parts. Returns `None` if there is no such work.
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

    /// Updates the numbers that are read without the lock.
    fn note(&self, state: &QueueState) {
        self.chunks.store(state.chunks.len(), Ordering::Relaxed);
        self.idle.store(state.idle, Ordering::Relaxed);
    }

    /// Wakes a thread if there is work for one more.
    ///
    /// Wakes a sleeping thread, or otherwise the threads that wait inside a search.
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
    /// Returns the earliest unsearched hard record whose requested bytes are free, or `None`.
    ///
    /// The second value is true if the record belongs to the first unfinished chunk.
    fn next_hard(&self) -> Option<(u64, bool)> {
        let first = self.unfinished_bytes.keys().next();
        self.hard.iter().find_map(|(&record, (chunk, bytes))| {
            let is_first = Some(&chunk.chunk.sequence) == first;
            self.memory.has(*bytes, is_first).then_some((record, is_first))
        })
    }

    /// Takes the record that [`next_hard`](Self::next_hard) returns, with its memory.
    fn take_hard(&mut self) -> Option<Work> {
        let (record, is_first) = self.next_hard()?;
        let (chunk, bytes) = self.hard.remove(&record)?;
        self.searched.entry(record).or_default().change(1, 0, 0);
        Some(Work::Hard(record, chunk, self.memory.take(bytes, is_first)))
    }

    /// Returns true if a chunk must be taken before any other work.
    fn is_chunk_first(&self, ordered: bool) -> bool {
        !ordered && self.on_chunks == 0
    }

    /// Returns true if a hard record must be started before another chunk is taken.
    fn is_record_due(&self, ordered: bool) -> bool {
        self.next_hard().is_some() && (ordered || self.on_chunks > 1)
    }

    /// Returns true if no work is left and none will come.
    fn is_over(&self) -> bool {
        self.input_ended
            && self.on_chunks == 0
            && self.chunks.is_empty()
            && self.hard.is_empty()
            && self.searched.is_empty()
    }

    /// Returns the records that offer parts and for whose parts enough memory is free, the earliest first.
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
