//! Control over searches. It can stop a search from outside, or interrupt it for more urgent work.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use quadrille_model::EndedBy;

/// Hook for other work that may need the threads of a search.
///
/// A search cannot be moved to another thread. So its own thread must do the more urgent work. The thread
/// calls the hook between two nodes, and then continues the search. A thread that has received the hook
/// counts as searching.
pub trait YieldHook: Debug + Send + Sync {
    /// Does other work that is more urgent than the search, if there is any.
    ///
    /// A searching thread calls this method now and then, between two nodes.
    fn yield_now(&self);

    /// Tells the hook that a searching thread is about to wait for other threads.
    ///
    /// Must not block, because it is called while locks of the search are held.
    fn begin_wait(&self);

    /// Tells the hook that a thread has finished waiting and searches again.
    fn end_wait(&self);

    /// Returns true if there is other work for a waiting thread.
    ///
    /// Must not block, because it is called while locks of the search are held.
    fn has_other_work(&self) -> bool;

    /// Does other work, if there is any. Called by a thread that waits for other threads.
    fn do_other_work(&self);

    /// Tells the hook that `pieces` parts of the search can be searched by other threads.
    fn offer(&self, pieces: usize);

    /// Returns true if some threads have nothing to do.
    fn has_idle_threads(&self) -> bool;

    /// Returns the total time during which the search was suspended. A search is suspended while no thread
    /// searches and at least one of its threads does other work.
    fn suspended_for(&self) -> Duration;
}

/// Number of nodes between two checks of the clock and the cancel flag.
const NODES_BETWEEN_CHECKS: u64 = 1024;

/// Number of nodes between two checks in a search that may be interrupted for other work.
///
/// A node of a large grid takes 0.1 ms.
pub(super) const NODES_BETWEEN_YIELDS: u64 = 64;

/// A group of sleeping threads that wait for an event, such as a cancellation.
pub trait WakeOnCancel: Debug + Send + Sync {
    /// Wakes all threads of this group, so that they check whether to stop.
    fn wake(&self);
}

/// Stops the searches of a run, or of a part of the run. They stop when this control is cancelled or its
/// deadline passes.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    /// The parent control, if any. When the parent stops, this control stops too.
    parent: Option<Arc<Control>>,
    /// Number of nodes that the search had entered when it last checked this control.
    nodes_seen: AtomicU64,
    /// True if the search must leave the nodes that it has not explored to other threads.
    share: AtomicBool,
    /// True if searches must check the clock and the cancel flag after few nodes, even if there is no hook.
    often: bool,
    /// Hook for other work that may need the threads of the search, if any.
    hook: Option<Arc<dyn YieldHook>>,
    /// Sleeping threads that a cancellation must wake.
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

    /// Creates a control for a part of the work. The new control also stops when `parent` stops.
    ///
    /// The new control has the same hook as `parent`.
    pub fn child(parent: &Arc<Control>) -> Self {
        Control {
            deadline: parent.deadline,
            parent: Some(Arc::clone(parent)),
            hook: parent.hook.clone(),
            often: parent.often,
            ..Control::default()
        }
    }

    /// Makes searches check the clock and the cancel flag after few nodes.
    ///
    /// This is meant for searches whose nodes take long.
    pub fn checked_often(self) -> Self {
        Control { often: true, ..self }
    }

    /// Creates a child control with a hook. Searches under the new control are interrupted when `hook` has
    /// more urgent work.
    pub fn with_hook(parent: &Arc<Control>, hook: Arc<dyn YieldHook>) -> Self {
        Control { hook: Some(hook), ..Control::child(parent) }
    }

    /// Does any more urgent work before the search continues, see [`YieldHook::yield_now`].
    pub fn yield_now(&self) {
        if let Some(hook) = &self.hook {
            hook.yield_now();
        }
    }

    /// Tells the hook that `pieces` parts of the search can be searched by other threads, see
    /// [`YieldHook::offer`].
    pub fn offer(&self, pieces: usize) {
        if let Some(hook) = &self.hook {
            hook.offer(pieces);
        }
    }

    /// Marks a searching thread as waiting for other threads until the returned guard is dropped.
    pub fn begin_wait(&self) -> WaitGuard<'_> {
        let hook = self.hook();
        hook.inspect(|hook| hook.begin_wait());
        WaitGuard(hook)
    }

    /// Returns the hook of the search, or `None` if it has none.
    pub(super) fn hook(&self) -> Option<&dyn YieldHook> {
        self.hook.as_deref()
    }

    /// Returns the total time during which the search was suspended for other work. This time does not count
    /// towards time limits.
    pub fn suspended_for(&self) -> Duration {
        self.hook.as_ref().map_or(Duration::ZERO, |hook| hook.suspended_for())
    }

    /// Registers threads to be woken when this control or one of its ancestors is cancelled.
    ///
    /// Reaching a deadline does not wake the threads.
    pub fn wake_on_cancel(&self, sleepers: Weak<dyn WakeOnCancel>) {
        if let Some(parent) = &self.parent {
            return parent.wake_on_cancel(sleepers);
        }
        let mut list = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|sleepers| sleepers.strong_count() > 0);
        list.push(sleepers);
    }

    /// Cancels every search under this control. The searches stop soon afterwards.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        let list = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Release the lock first, because a woken thread may itself call `cancel`.
        list.iter().filter_map(Weak::upgrade).for_each(|sleepers| sleepers.wake());
    }

    /// Returns true if the control was cancelled. The check is cheap enough to be made for every record.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// Returns the deadline, or `None` if there is none.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Asks the search under this control to share its work. Only one search may use this control.
    ///
    /// The search first enters 16,384 nodes, or 256 nodes if it looks for the best solutions. After these
    /// nodes, it enters no further ones. It reports each of them to
    /// [`Visitor::frontier`](super::Visitor::frontier) instead.
    pub fn share(&self) {
        self.share.store(true, Ordering::Relaxed);
    }

    /// Returns true if the search under this control was asked to share its work.
    pub(super) fn asks_to_share(&self) -> bool {
        self.share.load(Ordering::Relaxed)
    }

    /// Stores the number of nodes that the search under this control has entered so far.
    pub(super) fn record_nodes(&self, nodes: u64) {
        self.nodes_seen.store(nodes, Ordering::Relaxed);
    }

    /// Returns the default number of nodes between two checks of the clock and the cancel flag.
    pub(super) fn nodes_between_looks(&self) -> u64 {
        if self.hook.is_some() || self.often { NODES_BETWEEN_YIELDS } else { NODES_BETWEEN_CHECKS }
    }

    /// Returns an upper bound on the number of nodes that the search under this control has entered so far.
    pub fn nodes_at_most(&self) -> u64 {
        self.nodes_seen.load(Ordering::Relaxed) + NODES_BETWEEN_CHECKS
    }

    /// Returns the reason why the work must stop now, or `None` if it may continue.
    ///
    /// Reads the clock only if there is a deadline.
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

/// Marks a searching thread as waiting for other threads until the guard is dropped.
#[derive(Debug)]
pub struct WaitGuard<'c>(Option<&'c dyn YieldHook>);

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.0.inspect(|hook| hook.end_wait());
    }
}
