//! Stopping a search from outside, and having it wait.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::model::EndedBy;

/// Decides when the threads that work on one problem compute, so that they can make room for other work where they stand.
///
/// A thread is expected to compute when it gets the gate.
pub trait Gate: Debug + Send + Sync {
    /// Asked by a computing thread now and then, between two nodes: returns when it may go on. At once where `control` says stop.
    fn pass(&self, control: &Control);

    /// A computing thread is about to wait for others. Never waits itself.
    fn rest(&self);

    /// It has waited, and returns when it may compute again. At once where `control` says stop.
    fn resume(&self, control: &Control);

    /// For how long nobody has computed, though somebody would have.
    fn held_up(&self) -> Duration;
}

/// Nodes between two looks at the clock and the cancel flag.
const NODES_BETWEEN_LOOKS: u64 = 1024;

/// The same for a search that others may wait for: nodes of large grids take a tenth of a millisecond.
pub(super) const NODES_BETWEEN_GATES: u64 = 64;

/// What can stop every search of a run, or one part of a search.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    deadline: Option<Instant>,
    /// Whoever stops this one too.
    parent: Option<Arc<Control>>,
    /// Nodes the search under this control has entered, at its last look.
    nodes_seen: AtomicU64,
    /// Whether the search is to share what it has not begun.
    share: AtomicBool,
    /// When the search may compute; always where there is none.
    gate: Option<Arc<dyn Gate>>,
}

impl Control {
    /// Stops only when told to.
    pub fn new() -> Self {
        Control::default()
    }

    /// Stops when told to, or at a moment.
    pub fn until(deadline: Option<Instant>) -> Self {
        Control { deadline, ..Control::default() }
    }

    /// A control for one part of the work: stops when told to, and whenever its parent says stop.
    /// Its gate is the parent's.
    pub fn child(parent: &Arc<Control>) -> Self {
        Control {
            deadline: parent.deadline,
            parent: Some(Arc::clone(parent)),
            gate: parent.gate.clone(),
            ..Control::default()
        }
    }

    /// A control for work that makes room for other work.
    pub fn behind(parent: &Arc<Control>, gate: Arc<dyn Gate>) -> Self {
        Control { gate: Some(gate), ..Control::child(parent) }
    }

    /// Makes room for other work where the gate says so; returns when the search may go on.
    pub fn give_way(&self) {
        if let Some(gate) = &self.gate {
            gate.pass(self);
        }
    }

    /// See [`Gate::rest`].
    pub fn rest(&self) {
        if let Some(gate) = &self.gate {
            gate.rest();
        }
    }

    /// See [`Gate::resume`].
    pub fn resume(&self) {
        if let Some(gate) = &self.gate {
            gate.resume(self);
        }
    }

    /// For how long the work under this control was held up for other work: no limit of its own counts that.
    pub fn held_up(&self) -> Duration {
        self.gate.as_ref().map_or(Duration::ZERO, |gate| gate.held_up())
    }

    /// Tells every search to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was told to stop; cheap enough for every record.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// Asks the one search under this control to share its work: once it has entered 16,384 nodes it
    /// reports every further node to [`Visitor::frontier`](super::Visitor::frontier) instead of entering it. Only
    /// searches that say so ([`TreeSearch::shares`](super::TreeSearch::shares)) heed it.
    pub fn share(&self) {
        self.share.store(true, Ordering::Relaxed);
    }

    /// Whether the one search under this control was asked to share.
    pub(super) fn asks_to_share(&self) -> bool {
        self.share.load(Ordering::Relaxed)
    }

    /// Notes how many nodes the one search under this control has entered.
    pub(super) fn saw_nodes(&self, nodes: u64) {
        self.nodes_seen.store(nodes, Ordering::Relaxed);
    }

    /// How many nodes a search under this control enters between two looks at the clock and the cancel flag, unless told
    /// otherwise.
    pub(super) fn nodes_between_looks(&self) -> u64 {
        if self.gate.is_some() { NODES_BETWEEN_GATES } else { NODES_BETWEEN_LOOKS }
    }

    /// An upper bound on the nodes that the one search under this control has entered.
    pub fn nodes_at_most(&self) -> u64 {
        self.nodes_seen.load(Ordering::Relaxed) + NODES_BETWEEN_LOOKS
    }

    /// Whether to stop now and why. Reads the clock where there is a deadline.
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
