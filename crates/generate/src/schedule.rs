//! The order in which many workers make attempts, and in which their results come out.
//!
//! A record is generated in attempts, numbered from 0, and is the result of the first attempt that succeeds.
//! Attempts are handed out in runs of [`RUN`]. When there are no more records to start, workers make later
//! attempts at records that others still try. This finds the same record sooner, with any number of workers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::record::Generated;
use quadrille_engine::{Control, WakeOnCancel};

/// Number of attempts handed out at once.
const RUN: u64 = 16;
/// Maximum number of records started before the first of them is taken.
pub(super) const WINDOW: u64 = 1 << 14;

/// A record, with its key if records must be distinct.
#[derive(Debug)]
pub(super) struct KeyedRecord {
    pub record: Generated,
    pub key: Option<u128>,
}

impl From<Generated> for KeyedRecord {
    fn from(record: Generated) -> Self {
        KeyedRecord { record, key: None }
    }
}

/// The records that an attempt made: one, or the neighbours of a puzzle.
pub(super) type Made = Vec<KeyedRecord>;
/// The records made for a number; `None` if no attempt succeeded.
pub(super) type Settled = (u64, Option<Made>);

/// A run of attempts at a record.
#[derive(Debug)]
pub(super) struct Task {
    pub record: u64,
    pub attempts: Range<u64>,
    /// Number of this run among those of its record, 0-based.
    pub run: u64,
    /// The first successful run among those that have ended.
    pub first_success: Arc<AtomicU64>,
}

/// A record that workers try to make.
#[derive(Debug, Default)]
struct OpenRecord {
    /// Number of runs, counted from the first, that are known to have failed.
    failed: u64,
    /// Runs that have ended while an earlier run is still undecided, with their results.
    ended: BTreeMap<u64, Option<Made>>,
    /// The next run to hand out.
    next: u64,
    running: u32,
    first_success: Arc<AtomicU64>,
}

#[derive(Debug)]
struct State {
    /// The next record to start.
    next: u64,
    /// The next record to come out.
    head: u64,
    /// The number after the last record to start.
    end: u64,
    open: BTreeMap<u64, OpenRecord>,
    /// Open records that no worker tries.
    waiting: BTreeSet<u64>,
}

/// Shared by the workers and the thread that takes the records.
#[derive(Debug)]
pub(super) struct Schedule {
    state: Mutex<State>,
    /// Notified when there may be something to do.
    work: Condvar,
    attempts: u64,
    /// Maximum number of records started before the first of them is taken.
    window: u64,
    /// True if attempts fail so often that later attempts are made before earlier attempts have failed.
    speculates: bool,
}

impl Schedule {
    /// Creates a schedule of records, with at most `attempts` attempts each. [`Schedule::take`] may add more
    /// records.
    pub(super) fn new(records: Range<u64>, attempts: u64, window: u64, speculates: bool) -> Self {
        let Range { start, end } = records;
        let state = State { next: start, head: start, end, open: BTreeMap::new(), waiting: BTreeSet::new() };
        Schedule { state: Mutex::new(state), work: Condvar::new(), attempts, window, speculates }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn runs(&self) -> u64 {
        self.attempts.div_ceil(RUN)
    }

    /// Returns the record to try next, or `None` if there is nothing to try now.
    ///
    /// The first choice is a record that waits for a worker, the second a new record, and the last the oldest open record
    /// with attempts left.
    fn choose(&self, state: &State) -> Option<u64> {
        if let Some(&record) = state.waiting.first() {
            return Some(record);
        }
        if state.next < state.end && state.next < state.head.saturating_add(self.window) {
            return Some(state.next);
        }
        let has_more = |open: &OpenRecord| {
            open.next < self.runs() && open.first_success.load(Ordering::Relaxed) == u64::MAX
        };
        let oldest = || state.open.iter().find(|(_, open)| has_more(open));
        self.speculates.then(oldest).flatten().map(|(&record, _)| record)
    }

    /// Takes a run of attempts, or returns `None` if there is nothing to try now.
    pub(super) fn take_task(&self) -> Option<Task> {
        let state = &mut *self.lock();
        let record = self.choose(state)?;
        state.waiting.remove(&record);
        if record == state.next {
            state.next += 1;
            let first_success = Arc::new(AtomicU64::new(u64::MAX));
            state.open.insert(record, OpenRecord { first_success, ..OpenRecord::default() });
        }
        let open = state.open.get_mut(&record)?;
        let run = open.next;
        open.next += 1;
        open.running += 1;
        let first_success = Arc::clone(&open.first_success);
        let attempts = run * RUN..(run * RUN + RUN).min(self.attempts);
        Some(Task { record, attempts, run, first_success })
    }

    /// Waits until there may be something to try; returns `false` if the run has ended.
    ///
    /// The run ends when all records have come out, or when it is time to stop. While the last records are in
    /// progress, more may be added.
    pub(super) fn wait_for_task(&self, control: &Control) -> bool {
        let mut state = self.lock();
        loop {
            if control.stop().is_some() || state.head >= state.end {
                return false;
            }
            if self.choose(&state).is_some() {
                return true;
            }
            state = match control.deadline() {
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    self.work.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Takes the result of a task; returns its record if that is decided now, `None` otherwise.
    pub(super) fn settle(&self, task: &Task, generated: Option<Made>) -> Option<Settled> {
        let state = &mut *self.lock();
        // A finished record needs no later attempts.
        let open = state.open.get_mut(&task.record)?;
        open.running -= 1;
        if generated.is_some() {
            open.first_success.fetch_min(task.run, Ordering::Relaxed);
        }
        open.ended.insert(task.run, generated);
        while let Some(ended) = open.ended.remove(&open.failed) {
            open.failed += 1;
            if ended.is_some() || open.failed >= self.runs() {
                state.open.remove(&task.record);
                return Some((task.record, ended));
            }
        }
        if open.running == 0 && open.next < self.runs() {
            state.waiting.insert(task.record);
            self.work.notify_one();
        }
        None
    }

    /// Sets the next record to come out, and the number after the last record to start.
    ///
    /// Records with higher numbers that have been started are still finished.
    pub(super) fn take(&self, head: u64, end: u64) {
        let mut state = self.lock();
        (state.head, state.end) = (head, end);
        drop(state);
        self.work.notify_all();
    }
}

impl WakeOnCancel for Schedule {
    /// Wakes workers that wait, so that they check their control.
    fn wake(&self) {
        // Workers check their control under the lock and release it by waiting. So after this, each worker either waits
        // and is woken, or checks later.
        drop(self.lock());
        self.work.notify_all();
    }
}
