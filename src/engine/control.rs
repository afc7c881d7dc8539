//! Stopping a search from outside, and budgets that a search keeps itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::Task;
use crate::model::EndedBy;

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
    pub fn child(parent: &Arc<Control>) -> Self {
        Control { deadline: parent.deadline, parent: Some(Arc::clone(parent)), ..Control::default() }
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

/// How many nodes a search enters between two looks at the clock and the cancel flag, unless told otherwise.
const NODES_BETWEEN_LOOKS: u64 = 1024;

/// How many nodes a search enters at least before it shares: what it hands on should be worth the way down to it.
const NODES_BEFORE_SHARING: u64 = 16 * 1024;

/// The same for searches for the best, whose nodes take ten to a hundred times as long.
pub(super) const NODES_BEFORE_SHARING_THE_BEST: u64 = 256;

/// The limits of one search, checked at every node for a few instructions.
///
/// ```
/// use quadrille::engine::{Budget, Control, Task};
/// use quadrille::{EndedBy, Goal, Limits, Packed, ProblemRef};
/// let limits = Limits { nodes: Some(2), ..Limits::default() };
/// let control = Control::new();
/// let mut budget = Budget::new(&Task::whole(ProblemRef::Packed(&Packed::FULL), Goal::All, limits), &control);
/// assert_eq!([budget.enter(), budget.enter(), budget.enter()], [None, None, Some(EndedBy::Nodes)]);
/// assert_eq!(budget.nodes(), 2);
/// ```
#[derive(Debug)]
pub struct Budget<'a> {
    control: &'a Control,
    nodes: u64,
    /// The next node number at which something has to be looked at.
    next_look: u64,
    node_limit: u64,
    between_looks: u64,
    before_sharing: u64,
    time_ends: Option<Instant>,
    shares: bool,
}

impl<'a> Budget<'a> {
    /// A budget that starts now.
    pub fn new(task: &Task<'_>, control: &'a Control) -> Self {
        let time_ends = task.limits.time.map(|time| Instant::now() + time);
        let node_limit = task.limits.nodes.unwrap_or(u64::MAX);
        Budget {
            control,
            nodes: 0,
            next_look: node_limit.min(NODES_BETWEEN_LOOKS),
            node_limit,
            between_looks: NODES_BETWEEN_LOOKS,
            before_sharing: NODES_BEFORE_SHARING,
            time_ends,
            shares: false,
        }
    }

    /// Sets how many nodes lie between two looks at the clock and the cancel flag; 1024 unless set. For searches
    /// whose nodes take long.
    pub fn look_every(&mut self, nodes: u64) {
        self.between_looks = nodes.max(1);
        self.next_look = self.node_limit.min(self.nodes + self.between_looks);
    }

    /// Sets how many nodes the search enters at least before it shares; 16,384 unless set. For searches whose nodes take
    /// long.
    pub fn share_after(&mut self, nodes: u64) {
        self.before_sharing = nodes;
    }

    /// Asks to enter one more node: `None` counts it, else the reason why the search must end.
    #[inline]
    pub fn enter(&mut self) -> Option<EndedBy> {
        if self.nodes >= self.next_look
            && let Some(reason) = self.look()
        {
            return Some(reason);
        }
        self.nodes += 1;
        None
    }

    #[cold]
    fn look(&mut self) -> Option<EndedBy> {
        self.control.nodes_seen.store(self.nodes, Ordering::Relaxed);
        if self.nodes >= self.node_limit {
            return Some(EndedBy::Nodes);
        }
        if let Some(reason) = self.control.stop() {
            return Some(reason);
        }
        if self.time_ends.is_some_and(|end| Instant::now() >= end) {
            return Some(EndedBy::Time);
        }
        self.shares = self.nodes >= self.before_sharing && self.control.share.load(Ordering::Relaxed);
        self.next_look = self.node_limit.min(self.nodes + self.between_looks);
        None
    }

    /// Whether further nodes are to be reported instead of entered, because other threads have nothing to do.
    #[inline]
    pub fn shares(&self) -> bool {
        self.shares
    }

    /// Nodes entered.
    #[inline]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }
}
