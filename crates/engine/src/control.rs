//! Stopping a search from outside, and making it give way to other work.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use quadrille_model::EndedBy;

/// Other work for which the threads of a search may be needed.
///
/// A search cannot be moved off its thread, so the thread itself does the more urgent work: it calls the hook between
/// two nodes and returns to the search afterwards. A thread counts as searching as soon as it gets the hook.
pub trait YieldHook: Debug + Send + Sync {
    /// Does work that is more urgent than the search. Called by a searching thread now and then, between two nodes.
    fn yield_now(&self);

    /// Notes that a searching thread is about to wait for others. Must not block: called under locks of the search.
    fn begin_wait(&self);

    /// Notes that a thread has finished waiting and searches again.
    fn end_wait(&self);

    /// Returns true if there is other work for a waiting thread. Must not block: called under locks of the search.
    fn has_other_work(&self) -> bool;

    /// Does other work, if there is any. Called by a waiting thread.
    fn do_other_work(&self);

    /// Announces that `pieces` pieces of the search wait for threads.
    fn offer(&self, pieces: usize);

    /// Returns true if some threads have nothing to do.
    fn has_idle_threads(&self) -> bool;

    /// Returns the total time in which no thread has searched although at least one wanted to.
    fn suspended_for(&self) -> Duration;
}

/// Number of nodes between two checks of the clock and the cancel flag.
const NODES_BETWEEN_CHECKS: u64 = 1024;

/// Number of nodes between two checks if other work may wait.
///
/// A node of a large grid takes 0.1 ms.
pub(super) const NODES_BETWEEN_YIELDS: u64 = 64;

/// Threads that sleep until something happens, such as a stop.
pub trait WakeOnCancel: Debug + Send + Sync {
    /// Wakes all these threads, so that they check again.
    fn wake(&self);
}

/// Stops the searches of a run, or of a part of its work, on cancellation or at a deadline.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    /// The control whose stop also stops this control.
    parent: Option<Arc<Control>>,
    /// Number of nodes that the search under this control had entered at its last check.
    nodes_seen: AtomicU64,
    /// True if the search must hand over its unexplored nodes.
    share: AtomicBool,
    /// True if searches check the clock and the cancel flag after few nodes even without a hook.
    often: bool,
    /// Other work for which the search's threads may be needed, if any.
    hook: Option<Arc<dyn YieldHook>>,
    /// Sleeping threads to be woken by a stop.
    sleepers: Mutex<Vec<Weak<dyn WakeOnCancel>>>,
}

impl Control {
    /// Creates a control that stops only when it is cancelled.
    pub fn new() -> Self {
        Control::default()
    }

    /// Creates a control that stops when it is cancelled, or at `deadline`.
    pub fn until(deadline: Option<Instant>) -> Self {
        Control { deadline, ..Control::default() }
    }

    /// Creates a control for a part of the work, which also stops when `parent` does.
    ///
    /// The part has the hook of the parent.
    pub fn child(parent: &Arc<Control>) -> Self {
        Control {
            deadline: parent.deadline,
            parent: Some(Arc::clone(parent)),
            hook: parent.hook.clone(),
            often: parent.often,
            ..Control::default()
        }
    }

    /// Makes searches check the clock and the cancel flag after few nodes, for work whose nodes take long.
    pub fn checked_often(self) -> Self {
        Control { often: true, ..self }
    }

    /// Creates a control for work that gives way to the work of `hook`.
    pub fn with_hook(parent: &Arc<Control>, hook: Arc<dyn YieldHook>) -> Self {
        Control { hook: Some(hook), ..Control::child(parent) }
    }

    /// Lets more urgent work go first, see [`YieldHook::yield_now`].
    pub fn yield_now(&self) {
        if let Some(hook) = &self.hook {
            hook.yield_now();
        }
    }

    /// Announces pieces that wait for threads, see [`YieldHook::offer`].
    pub fn offer(&self, pieces: usize) {
        if let Some(hook) = &self.hook {
            hook.offer(pieces);
        }
    }

    /// Marks a searching thread as waiting for others until the returned value is dropped.
    pub fn begin_wait(&self) -> WaitGuard<'_> {
        let hook = self.hook();
        hook.inspect(|hook| hook.begin_wait());
        WaitGuard(hook)
    }

    /// Returns the hook of the search, or `None` if it has none.
    pub(super) fn hook(&self) -> Option<&dyn YieldHook> {
        self.hook.as_deref()
    }

    /// Returns the time for which the work waited for other work, which does not count towards time limits.
    pub fn suspended_for(&self) -> Duration {
        self.hook.as_ref().map_or(Duration::ZERO, |hook| hook.suspended_for())
    }

    /// Registers threads to be woken when this control or one above it is cancelled. A deadline wakes none.
    pub fn wake_on_cancel(&self, sleepers: Weak<dyn WakeOnCancel>) {
        if let Some(parent) = &self.parent {
            return parent.wake_on_cancel(sleepers);
        }
        let mut list = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|sleepers| sleepers.strong_count() > 0);
        list.push(sleepers);
    }

    /// Cancels every search under this control; they stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        let list = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Not under the lock: a woken thread may cancel in turn.
        list.iter().filter_map(Weak::upgrade).for_each(|sleepers| sleepers.wake());
    }

    /// Returns true if the control was cancelled; cheap enough for every record.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// Returns the deadline, or `None` if there is none.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Asks the one search under this control to share its work.
    ///
    /// After its first 16,384 nodes (256 in a search for the best) the search reports further nodes to
    /// [`Visitor::frontier`](super::Visitor::frontier) instead of entering them.
    pub fn share(&self) {
        self.share.store(true, Ordering::Relaxed);
    }

    /// Returns true if the one search under this control was asked to share.
    pub(super) fn asks_to_share(&self) -> bool {
        self.share.load(Ordering::Relaxed)
    }

    /// Records the number of nodes that the one search under this control has entered.
    pub(super) fn record_nodes(&self, nodes: u64) {
        self.nodes_seen.store(nodes, Ordering::Relaxed);
    }

    /// Returns the default number of nodes between two checks of the clock and the cancel flag.
    pub(super) fn nodes_between_looks(&self) -> u64 {
        if self.hook.is_some() || self.often { NODES_BETWEEN_YIELDS } else { NODES_BETWEEN_CHECKS }
    }

    /// Returns an upper bound on the nodes entered by the one search under this control.
    pub fn nodes_at_most(&self) -> u64 {
        self.nodes_seen.load(Ordering::Relaxed) + NODES_BETWEEN_CHECKS
    }

    /// Returns the reason if the work must stop now, or `None`. Reads the clock only if there is a deadline.
    pub fn stop(&self) -> Option<EndedBy> {
        if self.is_cancelled() {
            Some(EndedBy::Cancel)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(EndedBy::Deadline)
        } else {
            None
        }
    }
}

/// A searching thread that waits for others. The thread counts as searching again when this value is dropped.
#[derive(Debug)]
pub struct WaitGuard<'c>(Option<&'c dyn YieldHook>);

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.0.inspect(|hook| hook.end_wait());
    }
}
