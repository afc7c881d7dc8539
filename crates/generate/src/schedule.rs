//! Schedules the attempts of many workers, and puts their results into order.
//!
//! A record takes one or more attempts, numbered from 0. The first attempt that succeeds makes the record. A
//! worker makes [`RUN`] successive attempts at a time, which are called a run. When no more records can be
//! started, workers make later attempts at unfinished records. These later attempts produce the same records
//! sooner, for any number of workers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::record::Generated;
use quadrille_engine::{Control, WakeOnCancel};

/// Number of successive attempts in a run, which is the unit of work that a worker starts.
const RUN: u64 = 16;
/// Maximum number of records in progress. If it is reached, the oldest record must be output before another
/// one starts.
pub(super) const WINDOW: u64 = 1 << 14;

/// Records made by one successful attempt: a single record, or the neighbours of a puzzle.
///
/// Each record comes with its key if the records must be distinct, otherwise with `None`.
pub(super) type Made = Vec<(Generated, Option<u128>)>;
/// A record number, with the records made for this number, or `None` if no attempt succeeded.
pub(super) type Settled = (u64, Option<Made>);

/// A run of attempts to make one record.
#[derive(Debug)]
pub(super) struct Task {
    pub record: u64,
    pub attempts: Range<u64>,
    /// 0-based index of this run of attempts among the runs for the same record.
    pub run: u64,
    /// Lowest index of a run of attempts that has succeeded for the same record so far. `u64::MAX` if none
    /// has succeeded.
    pub first_success: Arc<AtomicU64>,
}

/// A started record whose result is not known yet.
#[derive(Debug, Default)]
struct OpenRecord {
    /// Number of failed runs of attempts, counted from the first run up to the first run that has not failed.
    failed: u64,
    /// Results of runs of attempts that ended while an earlier run for the same record was still in progress,
    /// by index of the run.
    ended: BTreeMap<u64, Option<Made>>,
    /// Index of the next run of attempts that a worker can start for this record.
    next: u64,
    running: u32,
    first_success: Arc<AtomicU64>,
}

#[derive(Debug)]
struct State {
    /// The next record to start.
    next: u64,
    /// Number of the next record that must be output.
    head: u64,
    /// Exclusive end of the range of record numbers that workers may start.
    end: u64,
    open: BTreeMap<u64, OpenRecord>,
    /// Started records that no worker is working on.
    waiting: BTreeSet<u64>,
}

/// State shared by the workers and by the thread that outputs the records.
#[derive(Debug)]
pub(super) struct Schedule {
    state: Mutex<State>,
    /// Notified when a worker may find something to do.
    work: Condvar,
    attempts: u64,
    /// Maximum number of records in progress, counted from the next record to output.
    window: u64,
    /// True if workers make later attempts before all earlier attempts have failed.
    ///
    /// This is worthwhile if attempts fail often.
    speculates: bool,
}

impl Schedule {
    /// Creates a schedule for `records`, with at most `attempts` attempts per record.
    ///
    /// [`Schedule::take`] can add more records later.
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

    /// Chooses the record for which attempts are made next, or returns `None` if no attempt can be made now.
    ///
    /// The first choice is a started record that no worker is working on. The second choice is a new record.
    /// The last choice is the oldest started record that has attempts left.
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

    /// Returns the next run of attempts, or `None` if no attempt can be made now.
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

    /// Waits until a worker may be able to make attempts. Returns false if the schedule has ended.
    ///
    /// The schedule ends when all records have been output, or when `control` requests a stop. While the last
    /// records are in progress, [`Schedule::take`] may still add more records.
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

    /// Accepts the result of a task. If the result of the task's record is now known, returns it, otherwise
    /// `None`.
    pub(super) fn settle(&self, task: &Task, generated: Option<Made>) -> Option<Settled> {
        let state = &mut *self.lock();
        // If the result of the record is already known, the result of this task is not needed.
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

    /// Sets the range of records that must still be output, from `head` to `end` (exclusive).
    ///
    /// Workers still finish any started records with higher numbers.
    pub(super) fn take(&self, head: u64, end: u64) {
        let mut state = self.lock();
        (state.head, state.end) = (head, end);
        drop(state);
        self.work.notify_all();
    }
}

impl WakeOnCancel for Schedule {
    /// Wakes all waiting workers, so that they check whether they must stop.
    fn wake(&self) {
        // A worker holds the lock while it checks whether it must stop. It releases the lock only by waiting.
        // So after this line, each worker is either waiting, or has not checked yet. The waiting workers are
        // woken.
        drop(self.lock());
        self.work.notify_all();
    }
}
