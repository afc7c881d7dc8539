//! The work that there is for the threads of a run, and the rules by which threads take it.
//!
//! There is one kind of thread, and none waits in the midst of a search. A thread without work takes, in this order,
//!
//! 1. a chunk, where rows are unordered and no thread has one in work: easy records never wait there;
//! 2. a hard record that no thread searches, the earliest first;
//! 3. a chunk, if the window has room for its rows;
//! 4. a part of a record that others search already, the earliest record first;
//!
//! and sleeps where there is none of these. A record that is searched may take for ever, and chunks come meanwhile. Then a
//! thread on it answers them where it stands, between two nodes of its search ([`Gate`](quadrille_engine::Gate)): always while
//! another thread searches the same record, and the last one too where rule 1 asks for it.
//!
//! Invariants an editor must keep:
//!
//! * The lock is the last one taken: nothing else is locked under it, and no thread of a search is woken under it.
//! * Whoever makes something possible wakes a thread for it: one that sleeps, else those that wait inside a search. A thread
//!   that was woken and finds more than it takes wakes the next.
//! * With ordered rows a record that is searched keeps a thread: the head of the output never waits for rows behind it.
//! * Hard records that are not done are bounded ([`MORE_RECORDS`]): with them no further chunk is taken.
//! * With a budget for memory ([`memory`](crate::memory)) chunks that are not done are bounded by their bytes, and a
//!   hard record is taken when there are the bytes that it asks for, an earlier one first. Whoever gives bytes back, and
//!   whoever makes another chunk the first one, wakes all. No thread waits for bytes inside a search: a thread without work
//!   does, and so a record whose turn it is to be written gets them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::reorder::ReorderBuffer;
use crate::chunk::state::ChunkState;
use crate::memory::{Held, MemoryPlan, SearchMemory};
use crate::stats::nanoseconds_since;
use quadrille_engine::parallel::Split;
use quadrille_engine::{Control, EngineKind, Sleepers};
use quadrille_formats::input::Chunk;

/// Hard records that may be open at a time beside one for every thread: each keeps the memory of its chunk.
const MORE_RECORDS: usize = 16;

/// The next piece of work for a thread.
pub(crate) enum Work {
    Chunk(Chunk),
    /// A chunk of whose records only hard ones are unanswered; the first of them, of this number, is begun, with the memory
    /// that it asked for.
    Hard(u64, Box<ChunkState>, Held),
    /// A part of a record that is searched, and the bytes that are held for it.
    Part(u64, Offer, Held),
    /// Tasks of the pool of threads, which a counter spreads over it.
    PoolTasks,
}

/// A record that is searched in parts, and the engine that these need.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub split: Arc<Split>,
    pub kind: EngineKind,
    /// Bytes that a thread which takes part has to ask for.
    pub bytes: u64,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct WorkQueue {
    ordered: bool,
    /// Chunks that may wait.
    capacity: usize,
    most_records: usize,
    /// Bytes that chunks which are not done may have together; `None` where they are not added up.
    most_bytes: Option<u64>,
    control: Arc<Control>,
    window: Arc<ReorderBuffer>,
    state: Mutex<State>,
    /// There is work, or there will be none.
    work: Condvar,
    /// There is space for a chunk.
    room: Condvar,
    /// For looks without the lock: chunks that wait, threads without work.
    chunks: AtomicUsize,
    idle: AtomicUsize,
}

#[derive(Debug)]
struct State {
    chunks: VecDeque<Chunk>,
    /// The bytes of chunks that are not done, by the chunks' numbers, and of all of them.
    undone: BTreeMap<u64, u64>,
    undone_bytes: u64,
    memory: SearchMemory,
    input_ended: bool,
    /// The run is over.
    closed: bool,
    /// Threads that answer chunks.
    on_chunks: usize,
    /// Chunks of hard records that no thread searches, by the first of these, with the bytes that it asks for.
    hard: BTreeMap<u64, (Box<ChunkState>, u64)>,
    /// Records that are searched.
    searched: BTreeMap<u64, Searched>,
    has_pool_tasks: bool,
    /// Counts what a thread without work may have missed.
    news: u64,
    /// Threads without work.
    idle: usize,
}

#[derive(Debug, Default)]
struct Searched {
    /// Threads that search it at this moment, those left out that wait for others or do other work.
    threads: Arc<AtomicUsize>,
    /// Threads that do other work, and would search it.
    away: usize,
    /// Threads that wait for others.
    resting: usize,
    held_up_since: Option<Instant>,
    held_up_ns: Arc<AtomicU64>,
    offer: Option<Offer>,
}

/// A record that is searched, for the threads on it.
#[derive(Debug)]
pub(crate) struct SearchedRecord {
    pub record: u64,
    /// Threads that search it at this moment.
    pub threads: Arc<AtomicUsize>,
    held_up_ns: Arc<AtomicU64>,
}

impl SearchedRecord {
    /// The time in which no thread has searched it, though at least one would have.
    pub(crate) fn held_up(&self) -> Duration {
        Duration::from_nanos(self.held_up_ns.load(Ordering::Relaxed))
    }
}

impl Searched {
    fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Adds to the numbers of threads that search it, that do other work, and that wait.
    fn change(&mut self, threads: isize, away: isize, resting: isize) {
        let changed =
            |number: usize, by: isize| number.checked_add_signed(by).expect("threads come before they go");
        self.threads.store(changed(self.threads(), threads), Ordering::Relaxed);
        self.away = changed(self.away, away);
        self.resting = changed(self.resting, resting);
        let is_held_up = self.threads() == 0 && self.away > 0;
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
    /// An empty queue for a run on the threads of this plan, whose rows go to the window.
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
            state: Mutex::new(State::new(SearchMemory::new(memory))),
            work: Condvar::new(),
            room: Condvar::new(),
            chunks: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
        });
        let sleepers: Arc<dyn Sleepers> = Arc::clone(&queue) as _;
        control.wakes(Arc::downgrade(&sleepers));
        queue
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until woken, or until the deadline of the run.
    fn sleep<'s>(&self, state: MutexGuard<'s, State>, until: &Condvar) -> MutexGuard<'s, State> {
        match self.control.deadline() {
            None => until.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                until.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    // The side of the cutting thread.

    /// Adds a chunk, when the queue has space for it; `false` where no thread will take it.
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
            state.undone.insert(chunk.sequence, bytes);
            state.undone_bytes += bytes;
        }
        state.chunks.push_back(chunk);
        self.wake_next(state);
        true
    }

    /// True if there is space for a chunk of so many bytes. One alone has space, however large it is.
    fn has_space(&self, state: &State, bytes: Option<u64>) -> bool {
        let fits = |most: u64, bytes: u64| state.undone.is_empty() || state.undone_bytes + bytes <= most;
        state.chunks.len() < self.capacity
            && self.most_bytes.zip(bytes).is_none_or(|(most, bytes)| fits(most, bytes))
    }

    /// True if a chunk can be added without waiting, however large it is.
    pub(crate) fn is_open_for_chunks(&self) -> bool {
        let state = self.lock();
        let has_bytes = self.most_bytes.is_none() || state.undone.is_empty();
        has_bytes && state.chunks.len() < self.capacity && !state.closed && self.control.stop().is_none()
    }

    /// Says that no chunk will come.
    pub(crate) fn end_input(&self) {
        self.lock().input_ended = true;
        self.work.notify_all();
    }

    /// Says that no thread will take work any more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
    }

    // The side of the writer.

    /// Wakes threads for chunks: the window was full and has space again.
    pub(crate) fn window_has_room(&self) {
        self.wake_next(self.lock());
    }

    // The side of the thread that starts the others.

    /// True if the whole input is one chunk, and nobody has taken it.
    pub(crate) fn has_one_chunk(&self) -> bool {
        let state = self.lock();
        state.input_ended && state.chunks.len() == 1
    }

    /// Takes a chunk if one is there, and nothing else.
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

    /// True if no work is left, and none will come.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    // The side of threads without work.

    /// Waits for work; `None` when there will be none, or the run was stopped.
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
            // Known to be without work before parts are asked to share: those that begin later see it.
            state.idle += 1;
            self.note(&state);
            let news = state.news;
            let offers = state.offers();
            if !offers.is_empty() {
                // Without the lock: a search has one of its own.
                drop(state);
                let part = offers.iter().find(|(_, offer)| offer.split.has_part()).cloned();
                if part.is_none() {
                    offers.iter().any(|(_, offer)| offer.split.ask_to_share());
                }
                state = self.lock();
                // What came meanwhile goes before parts: it is looked for again.
                if state.news == news
                    && let Some((record, offer)) = part
                {
                    state.idle -= 1;
                    self.note(&state);
                    let State { searched, memory, .. } = &mut *state;
                    let open = searched.get_mut(&record).filter(|searched| searched.offer.is_some());
                    match open.filter(|_| memory.has(offer.bytes, false)) {
                        None => continue,
                        Some(searched) => searched.change(1, 0, 0),
                    }
                    let held = memory.take(offer.bytes, false);
                    return Some(Work::Part(record, offer, held));
                }
            }
            // The end may have come while the lock was not held, and whoever saw it has told those who slept.
            if state.news == news && !state.is_over() && self.control.stop().is_none() {
                state = self.sleep(state, &self.work);
            }
            state.idle -= 1;
            self.note(&state);
        }
    }

    /// Takes a chunk for a thread that answers chunks, and may go on with them.
    pub(crate) fn try_chunk(&self) -> Option<Chunk> {
        if self.chunks.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut state = self.lock();
        let chunk = if state.is_record_due(self.ordered) { None } else { self.take_chunk(&mut state) };
        self.wake_next(state);
        chunk
    }

    /// A thread has no chunk in work any more.
    pub(crate) fn end_chunks(&self) {
        let mut state = self.lock();
        state.on_chunks -= 1;
        if state.is_over() {
            self.work.notify_all();
        }
    }

    /// Adds a chunk of whose records only hard ones are unanswered, the first of which asks for so many bytes.
    pub(crate) fn add_hard(&self, record: u64, chunk: Box<ChunkState>, bytes: u64) {
        let mut state = self.lock();
        state.hard.insert(record, (chunk, bytes));
        self.wake_next(state);
    }

    /// The chunks of hard records of a run that was stopped.
    pub(crate) fn take_unfinished(&self) -> Option<Box<ChunkState>> {
        self.lock().hard.pop_first().map(|(_, (chunk, _))| chunk)
    }

    /// A chunk is done: its rows are handed over, its records forgotten.
    pub(crate) fn end_chunk(&self, sequence: u64) {
        if self.most_bytes.is_none() {
            return;
        }
        let mut state = self.lock();
        state.undone_bytes -= state.undone.remove(&sequence).unwrap_or_default();
        self.room.notify_one();
        if !state.hard.is_empty() {
            self.tell_all(state);
        }
    }

    // The side of threads on a record.

    /// A record that was begun.
    pub(crate) fn searched(&self, record: u64) -> SearchedRecord {
        let state = self.lock();
        let Searched { threads, held_up_ns, .. } = &state.searched[&record];
        SearchedRecord { record, threads: Arc::clone(threads), held_up_ns: Arc::clone(held_up_ns) }
    }

    /// Lets others take parts of a record.
    pub(crate) fn offer(&self, record: u64, offer: Offer) {
        let mut state = self.lock();
        if let Some(searched) = state.searched.get_mut(&record) {
            searched.offer = Some(offer);
        }
        state.news += 1;
        self.work.notify_all();
    }

    /// Wakes threads for so many parts of a record, or tasks of its counter.
    pub(crate) fn offer_pieces(&self, record: u64, pieces: usize) {
        let mut state = self.lock();
        state.news += 1;
        state.has_pool_tasks |= state.searched.get(&record).is_some_and(|searched| searched.offer.is_none());
        for _ in 0..pieces.min(state.idle) {
            self.work.notify_one();
        }
    }

    /// The thread that began a record goes back to its chunk; the others are gone or going.
    pub(crate) fn end_record(&self, record: u64) {
        let mut state = self.lock();
        state.on_chunks += 1;
        let searched = state.searched.get_mut(&record).expect("it was begun");
        searched.offer = None;
        self.leave(state, record);
    }

    /// The thread that did the short search of a large record goes back to chunks; others may search the record already.
    pub(crate) fn end_begun(&self, record: u64, held: Held) {
        self.give_back(held);
        let mut state = self.lock();
        state.on_chunks += 1;
        self.leave(state, record);
    }

    /// A thread has run a part of a record.
    pub(crate) fn end_part(&self, record: u64, held: Held) {
        self.give_back(held);
        self.leave(self.lock(), record);
    }

    /// Gives the memory back that was held for a search.
    pub(crate) fn give_back(&self, mut held: Held) {
        self.keep(&mut held, 0);
    }

    /// Gives all but so many bytes back of the memory that is held for a search.
    pub(crate) fn keep(&self, held: &mut Held, bytes: u64) {
        if held.is_any() {
            let mut state = self.lock();
            if state.memory.keep(held, bytes) {
                self.tell_all(state);
            }
        }
    }

    /// Wakes all threads without work.
    fn tell_all(&self, mut state: MutexGuard<'_, State>) {
        state.news += 1;
        self.note(&state);
        self.work.notify_all();
    }

    fn leave(&self, mut state: MutexGuard<'_, State>, record: u64) {
        let searched = state.searched.get_mut(&record).expect("it has a thread");
        searched.change(-1, 0, 0);
        if searched.threads() + searched.away + searched.resting == 0 {
            state.searched.remove(&record);
        }
        if state.is_over() {
            self.work.notify_all();
        }
        self.wake_next(state);
    }

    /// A chunk that a thread which searches a record answers before it goes on.
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
        state.searched.get_mut(&record).expect("it has a thread").change(-1, 1, 0);
        self.wake_next(state);
        Some(chunk)
    }

    /// The thread has answered chunks and searches its record again.
    pub(crate) fn come_back(&self, record: u64) {
        let mut state = self.lock();
        state.on_chunks -= 1;
        state.searched.get_mut(&record).expect("it has a thread").change(1, -1, 0);
    }

    /// A thread that searches a record waits for others.
    pub(crate) fn rest(&self, record: u64) {
        self.lock().searched.get_mut(&record).expect("it has a thread").change(-1, 0, 1);
    }

    /// It has waited.
    pub(crate) fn resume(&self, record: u64) {
        self.lock().searched.get_mut(&record).expect("it has a thread").change(1, 0, -1);
    }

    /// There is a chunk for a thread that waits for others.
    pub(crate) fn has_chunk(&self) -> bool {
        self.chunks.load(Ordering::Relaxed) > 0 && {
            let state = self.lock();
            self.may_take_chunk(&state) && !state.is_record_due(self.ordered)
        }
    }

    /// Takes a chunk for a thread that waits for others.
    pub(crate) fn chunk_meanwhile(&self) -> Option<Chunk> {
        let chunk = self.try_chunk()?;
        self.lock().on_chunks += 1;
        Some(chunk)
    }

    /// There are threads without work.
    pub(crate) fn has_idle_threads(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Takes what goes first of all but parts.
    fn take(&self, state: &mut State) -> Option<Work> {
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
        std::mem::take(&mut state.has_pool_tasks).then_some(Work::PoolTasks)
    }

    fn take_chunk(&self, state: &mut State) -> Option<Chunk> {
        let chunk = if self.may_take_chunk(state) { state.chunks.pop_front() } else { None };
        if chunk.is_some() {
            self.room.notify_one();
        }
        chunk
    }

    fn may_take_chunk(&self, state: &State) -> bool {
        !state.chunks.is_empty()
            && self.window.has_room()
            && state.hard.len() + state.searched.len() < self.most_records
    }

    /// Keeps the numbers that are read without the lock.
    fn note(&self, state: &State) {
        self.chunks.store(state.chunks.len(), Ordering::Relaxed);
        self.idle.store(state.idle, Ordering::Relaxed);
    }

    /// Wakes a thread if there is work for one more: one that sleeps, else those that wait inside a search.
    fn wake_next(&self, mut state: MutexGuard<'_, State>) {
        self.note(&state);
        let has_chunk = self.may_take_chunk(&state);
        if !has_chunk && state.next_hard().is_none() && !state.has_pool_tasks {
            return;
        }
        state.news += 1;
        if state.idle > 0 {
            self.work.notify_one();
        } else if has_chunk {
            let waiting = state.searched.values().filter(|searched| searched.resting > 0);
            let waiting: Vec<Offer> = waiting.filter_map(|searched| searched.offer.clone()).collect();
            drop(state);
            waiting.iter().for_each(|offer| offer.split.wake());
        }
    }
}

impl State {
    fn new(memory: SearchMemory) -> Self {
        State {
            chunks: VecDeque::new(),
            undone: BTreeMap::new(),
            undone_bytes: 0,
            memory,
            input_ended: false,
            closed: false,
            on_chunks: 0,
            hard: BTreeMap::new(),
            searched: BTreeMap::new(),
            has_pool_tasks: false,
            news: 0,
            idle: 0,
        }
    }

    /// The earliest hard record that no thread searches and for which there are the bytes that it asks for; true if it is
    /// one of the first chunk that is not done.
    fn next_hard(&self) -> Option<(u64, bool)> {
        let first = self.undone.keys().next();
        self.hard.iter().find_map(|(&record, (chunk, bytes))| {
            let is_first = Some(&chunk.chunk.sequence) == first;
            self.memory.has(*bytes, is_first).then_some((record, is_first))
        })
    }

    /// Takes that record.
    fn take_hard(&mut self) -> Option<Work> {
        let (record, is_first) = self.next_hard()?;
        let (chunk, bytes) = self.hard.remove(&record)?;
        self.searched.entry(record).or_default().change(1, 0, 0);
        Some(Work::Hard(record, chunk, self.memory.take(bytes, is_first)))
    }

    /// Chunks go before everything else.
    fn is_chunk_first(&self, ordered: bool) -> bool {
        !ordered && self.on_chunks == 0
    }

    /// A hard record goes before further chunks.
    fn is_record_due(&self, ordered: bool) -> bool {
        self.next_hard().is_some() && (ordered || self.on_chunks > 1)
    }

    /// True if no work is left, and none will come.
    fn is_over(&self) -> bool {
        self.input_ended
            && self.on_chunks == 0
            && self.chunks.is_empty()
            && self.hard.is_empty()
            && self.searched.is_empty()
    }

    /// The records that have parts and for whose parts there are bytes, the earliest first.
    fn offers(&self) -> Vec<(u64, Offer)> {
        let offer = |(&record, searched): (&u64, &Searched)| {
            let offer = searched.offer.as_ref().filter(|offer| self.memory.has(offer.bytes, false))?;
            Some((record, offer.clone()))
        };
        self.searched.iter().filter_map(offer).collect()
    }
}

impl Sleepers for WorkQueue {
    fn wake(&self) {
        drop(self.lock());
        self.work.notify_all();
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests;
