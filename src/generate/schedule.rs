//! The order in which many workers try attempts, and in which their results come out.
//!
//! A record is generated in attempts, numbered from 0, and is what the first attempt that succeeds gives. Attempts
//! are handed out in runs of [`RUN`]. When there are no more records to begin, workers try later attempts at records
//! that others still try: that finds the same record sooner, however many do it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::record::Generated;
use crate::engine::Control;

/// Attempts handed out at once.
const RUN: u64 = 16;
/// Records begun before the first of them is taken.
const WINDOW: u64 = 1 << 14;
/// The time after which a worker without work looks at the control again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A run of attempts at a record.
#[derive(Debug)]
pub(super) struct Task {
    pub record: u64,
    /// The next attempt.
    pub attempt: u64,
    /// The attempt after the last.
    pub end: u64,
    /// Number of this run among those of its record, from 0.
    pub run: u64,
    /// The first run that succeeded, of those that have ended.
    pub first_success: Arc<AtomicU64>,
}

impl Task {
    /// The same task, one attempt later.
    pub(super) fn next_attempt(self) -> Self {
        Task { attempt: self.attempt + 1, ..self }
    }
}

/// A record that some worker tries.
#[derive(Debug, Default)]
struct Open {
    /// Runs before this one failed.
    failed: u64,
    /// Later runs that have ended.
    ended: BTreeMap<u64, Option<Generated>>,
    /// The next run to hand out.
    next: u64,
    running: u32,
    first_success: Arc<AtomicU64>,
}

#[derive(Debug)]
struct State {
    /// The next record to begin.
    next: u64,
    /// The next record to come out.
    head: u64,
    open: BTreeMap<u64, Open>,
    /// Open records that no worker tries.
    waiting: BTreeSet<u64>,
    /// Records that are done but not out; `None` where no attempt succeeded.
    done: BTreeMap<u64, Option<Generated>>,
    /// Workers at work.
    workers: usize,
    /// A worker left in a panic, and what it had begun will not be done.
    broken: bool,
}

/// Shared by the workers and the thread that takes the records.
#[derive(Debug)]
pub(super) struct Schedule {
    state: Mutex<State>,
    /// The head is done, or a worker left.
    head_done: Condvar,
    /// There may be something to do.
    work: Condvar,
    end: u64,
    attempts: u64,
    /// True if attempts fail often enough for later ones to be tried before earlier ones have failed.
    speculates: bool,
}

/// A worker's presence; ends when dropped, also by a panic.
pub(super) struct Present<'s>(&'s Schedule);

impl Drop for Present<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.workers -= 1;
        state.broken = state.broken || std::thread::panicking();
        drop(state);
        self.0.head_done.notify_all();
    }
}

impl Schedule {
    /// A schedule of records, each in at most so many attempts, for so many workers.
    pub(super) fn new(
        records: std::ops::Range<u64>,
        attempts: u64,
        speculates: bool,
        workers: usize,
    ) -> Self {
        let state = State {
            next: records.start,
            head: records.start,
            open: BTreeMap::new(),
            waiting: BTreeSet::new(),
            done: BTreeMap::new(),
            workers,
            broken: false,
        };
        Schedule {
            state: Mutex::new(state),
            head_done: Condvar::new(),
            work: Condvar::new(),
            end: records.end,
            attempts,
            speculates,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn runs(&self) -> u64 {
        self.attempts.div_ceil(RUN)
    }

    /// One of the workers that [`new`](Self::new) counted.
    pub(super) fn present(&self) -> Present<'_> {
        Present(self)
    }

    /// The record to try next, if there is anything to try now: first one that no worker tries, then a new one, then
    /// later attempts at the oldest.
    fn choose(&self, state: &State) -> Option<u64> {
        if let Some(&record) = state.waiting.first() {
            return Some(record);
        }
        if state.next < self.end && state.next < state.head.saturating_add(WINDOW) {
            return Some(state.next);
        }
        let has_more =
            |open: &Open| open.next < self.runs() && open.first_success.load(Ordering::Relaxed) == u64::MAX;
        let oldest = || state.open.iter().find(|(_, open)| has_more(open));
        self.speculates.then(oldest).flatten().map(|(&record, _)| record)
    }

    /// Something to try, if there is anything now.
    pub(super) fn take_task(&self) -> Option<Task> {
        let state = &mut *self.lock();
        let record = self.choose(state)?;
        state.waiting.remove(&record);
        if record == state.next {
            state.next += 1;
            let first_success = Arc::new(AtomicU64::new(u64::MAX));
            state.open.insert(record, Open { first_success, ..Open::default() });
        }
        let open = state.open.get_mut(&record)?;
        let run = open.next;
        open.next += 1;
        open.running += 1;
        let first_success = Arc::clone(&open.first_success);
        let attempt = run * RUN;
        Some(Task { record, attempt, end: (attempt + RUN).min(self.attempts), run, first_success })
    }

    /// Waits until there may be something to try; `false` when there never will be, or it is time to stop.
    pub(super) fn wait_for_task(&self, control: &Control) -> bool {
        let mut state = self.lock();
        loop {
            if control.stop().is_some() || (state.next >= self.end && state.open.is_empty()) {
                return false;
            }
            if self.choose(&state).is_some() {
                return true;
            }
            state = self.work.wait_timeout(state, LOOK_AGAIN).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Records the result of a task: the record that it made, or none.
    pub(super) fn settle(&self, task: Task, generated: Option<Generated>) {
        let state = &mut *self.lock();
        // A record that is done needs no later attempts.
        let Some(open) = state.open.get_mut(&task.record) else { return };
        open.running -= 1;
        if generated.is_some() {
            open.first_success.fetch_min(task.run, Ordering::Relaxed);
        }
        open.ended.insert(task.run, generated);
        let result = loop {
            match open.ended.remove(&open.failed) {
                Some(Some(generated)) => break Some(Some(generated)),
                Some(None) => open.failed += 1,
                None => break (open.failed >= self.runs()).then_some(None),
            }
        };
        match result {
            Some(result) => {
                state.open.remove(&task.record);
                state.done.insert(task.record, result);
                if task.record == state.head {
                    self.head_done.notify_all();
                }
                if state.open.is_empty() {
                    self.work.notify_all();
                }
            }
            None if open.running == 0 && open.next < self.runs() => {
                state.waiting.insert(task.record);
                self.work.notify_one();
            }
            None => {}
        }
    }

    /// The records that are done and next in order; waits for the first. `None` when all are out or no worker is
    /// left to do them.
    pub(super) fn take_done(&self) -> Option<Vec<(u64, Option<Generated>)>> {
        let mut state = self.lock();
        let mut taken = Vec::new();
        loop {
            while let Some(result) = {
                let head = state.head;
                state.done.remove(&head)
            } {
                taken.push((state.head, result));
                state.head += 1;
            }
            if !taken.is_empty() {
                self.work.notify_all();
                return Some(taken);
            }
            if state.head >= self.end || state.workers == 0 || state.broken {
                return None;
            }
            state = self.head_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
