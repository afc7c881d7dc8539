//! Stopping a search from outside, and having it wait.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use quadrille_model::EndedBy;

/// The work besides a search that the threads on it may be wanted for.
///
/// A search cannot be taken out of its thread. So the thread itself does what is more urgent, where it stands: between two
/// nodes it passes the gate, and comes back when that is done. A thread is taken to search when it gets the gate.
pub trait Gate: Debug + Send + Sync {
    /// Called by a searching thread now and then, between two nodes: does other work that goes before the search.
    fn pass(&self);

    /// Called when a searching thread is about to wait for others, under locks of the search: waits for nothing.
    fn rest(&self);

    /// Called when it has waited and searches again.
    fn resume(&self);

    /// True if there is other work for a thread that rests. Called under locks of the search: waits for nothing.
    fn has_other_work(&self) -> bool;

    /// Called by a thread that rests: does other work, if there is any.
    fn do_other_work(&self);

    /// Called when so many pieces of the search wait for a thread.
    fn offer(&self, pieces: usize);

    /// True if there are threads that have nothing to do.
    fn has_idle_threads(&self) -> bool;

    /// The time in which no thread has searched, though at least one would have.
    fn held_up(&self) -> Duration;
}

/// Nodes between two looks at the clock and the cancel flag.
const NODES_BETWEEN_LOOKS: u64 = 1024;

/// The same for a search that others may wait for: nodes of large grids take a tenth of a millisecond.
pub(super) const NODES_BETWEEN_GATES: u64 = 64;

/// Threads that sleep until something happens, which may be a stop.
pub trait Sleepers: Debug + Send + Sync {
    /// Wakes them all, to look again.
    fn wake(&self);
}

/// Stops every search of a run, or one part of a search, when it is cancelled or at a moment.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    /// The control whose stop stops this one too.
    parent: Option<Arc<Control>>,
    /// Nodes the search under this control has entered, at its last look.
    nodes_seen: AtomicU64,
    /// True if the search is to share what it has not begun.
    share: AtomicBool,
    /// True if a search under this control stops to look after few nodes, though nobody else waits for its thread.
    often: bool,
    /// The other work that the threads on the search may be needed for; nothing where there is none.
    gate: Option<Arc<dyn Gate>>,
    /// Sleeping threads that a stop wakes.
    sleepers: Mutex<Vec<Weak<dyn Sleepers>>>,
}

impl Control {
    /// Returns a control that stops only when it is cancelled.
    pub fn new() -> Self {
        Control::default()
    }

    /// Returns a control that stops when it is cancelled, or at a moment.
    pub fn until(deadline: Option<Instant>) -> Self {
        Control { deadline, ..Control::default() }
    }

    /// A control for one part of the work: stops when it is cancelled, and whenever its parent does. Its gate is the
    /// parent's.
    pub fn child(parent: &Arc<Control>) -> Self {
        Control {
            deadline: parent.deadline,
            parent: Some(Arc::clone(parent)),
            gate: parent.gate.clone(),
            often: parent.often,
            ..Control::default()
        }
    }

    /// Has searches check the clock and the cancel flag after few nodes, for work whose nodes take long.
    pub fn checked_often(self) -> Self {
        Control { often: true, ..self }
    }

    /// A control for work that gives way to other work.
    pub fn behind(parent: &Arc<Control>, gate: Arc<dyn Gate>) -> Self {
        Control { gate: Some(gate), ..Control::child(parent) }
    }

    /// See [`Gate::pass`].
    pub fn give_way(&self) {
        if let Some(gate) = &self.gate {
            gate.pass();
        }
    }

    /// See [`Gate::offer`].
    pub fn offer(&self, pieces: usize) {
        if let Some(gate) = &self.gate {
            gate.offer(pieces);
        }
    }

    /// Marks a searching thread as waiting for others, until the value returned is dropped.
    pub fn rest(&self) -> Resting<'_> {
        let gate = self.gate();
        gate.inspect(|gate| gate.rest());
        Resting(gate)
    }

    /// The gate of the search, where it has one.
    pub(super) fn gate(&self) -> Option<&dyn Gate> {
        self.gate.as_deref()
    }

    /// The time in which the work under this control was held up for other work: no limit of its own counts that.
    pub fn held_up(&self) -> Duration {
        self.gate.as_ref().map_or(Duration::ZERO, |gate| gate.held_up())
    }

    /// Has threads woken when this control, or one above it, is cancelled. A deadline wakes none.
    pub fn wakes(&self, sleepers: Weak<dyn Sleepers>) {
        if let Some(parent) = &self.parent {
            return parent.wakes(sleepers);
        }
        let mut list = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|sleepers| sleepers.strong_count() > 0);
        list.push(sleepers);
    }

    /// Makes every search under this control stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        let list = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Without the lock: a thread that wakes may cancel in turn.
        list.iter().filter_map(Weak::upgrade).for_each(|sleepers| sleepers.wake());
    }

    /// Returns true if it was cancelled; cheap enough for every record.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// The moment at which it stops by itself.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Asks the one search under this control to share its work: once it has entered 16,384 nodes it
    /// reports every further node to [`Visitor::frontier`](super::Visitor::frontier) instead of entering it.
    pub fn share(&self) {
        self.share.store(true, Ordering::Relaxed);
    }

    /// True if the one search under this control was asked to share.
    pub(super) fn asks_to_share(&self) -> bool {
        self.share.load(Ordering::Relaxed)
    }

    /// Notes the number of nodes that the one search under this control has entered.
    pub(super) fn saw_nodes(&self, nodes: u64) {
        self.nodes_seen.store(nodes, Ordering::Relaxed);
    }

    /// Returns the nodes that a search under this control enters between two looks at the clock and the cancel flag, by
    /// default.
    pub(super) fn nodes_between_looks(&self) -> u64 {
        if self.gate.is_some() || self.often { NODES_BETWEEN_GATES } else { NODES_BETWEEN_LOOKS }
    }

    /// An upper bound on the nodes that the one search under this control has entered.
    pub fn nodes_at_most(&self) -> u64 {
        self.nodes_seen.load(Ordering::Relaxed) + NODES_BETWEEN_LOOKS
    }

    /// Returns the reason if it is to stop now. Reads the clock where there is a deadline.
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

/// A searching thread that waits for others; searches again when this is dropped.
#[derive(Debug)]
pub struct Resting<'c>(Option<&'c dyn Gate>);

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.0.inspect(|gate| gate.resume());
    }
}
