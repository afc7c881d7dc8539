//! Stopping a search from outside, having it wait, and budgets that a search keeps itself.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Task;
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

/// The same for a search that others may wait for: nodes of large grids take a tenth of a millisecond.
const NODES_BETWEEN_GATES: u64 = 64;

/// How many nodes a search enters at least before it shares: what it hands on should be worth the way down to it.
const NODES_BEFORE_SHARING: u64 = 16 * 1024;

/// The same for searches for the best, whose nodes take ten to a hundred times as long.
pub(super) const NODES_BEFORE_SHARING_THE_BEST: u64 = 256;

/// Until when a search may go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    end: Instant,
    held_up_before: Duration,
}

impl TimeLimit {
    /// So much time from now, what the search is held up not counted; `None` where that is never.
    pub(super) fn new(time: Duration, control: &Control) -> Option<Self> {
        Some(TimeLimit { end: Instant::now().checked_add(time)?, held_up_before: control.held_up() })
    }

    /// What is left of it.
    pub(super) fn left(self, control: &Control) -> Duration {
        let end = self.end + control.held_up().saturating_sub(self.held_up_before);
        end.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(self, control: &Control) -> bool {
        self.left(control).is_zero()
    }
}

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
    time: Option<TimeLimit>,
    shares: bool,
}

impl<'a> Budget<'a> {
    /// A budget that starts now.
    pub fn new(task: &Task<'_>, control: &'a Control) -> Self {
        let node_limit = task.limits.nodes.unwrap_or(u64::MAX);
        let between_looks = if control.gate.is_some() { NODES_BETWEEN_GATES } else { NODES_BETWEEN_LOOKS };
        Budget {
            control,
            nodes: 0,
            next_look: node_limit.min(between_looks),
            node_limit,
            between_looks,
            before_sharing: NODES_BEFORE_SHARING,
            time: task.limits.time.and_then(|time| TimeLimit::new(time, control)),
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
        self.control.give_way();
        if let Some(reason) = self.control.stop() {
            return Some(reason);
        }
        if self.time.is_some_and(|time| time.is_over(self.control)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts what it is asked, and says that an hour was lost each time.
    #[derive(Debug, Default)]
    struct Counted(AtomicU64);

    impl Gate for Counted {
        fn pass(&self, _: &Control) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn rest(&self) {}

        fn resume(&self, _: &Control) {}

        fn held_up(&self) -> Duration {
            Duration::from_secs(3600) * self.0.load(Ordering::Relaxed) as u32
        }
    }

    #[test]
    fn a_search_asks_its_gate_and_its_time_does_not_run_meanwhile() {
        let gate = Arc::new(Counted::default());
        let control = Control::behind(&Arc::new(Control::new()), Arc::clone(&gate) as Arc<dyn Gate>);
        let limit = TimeLimit::new(Duration::ZERO, &control).expect("now is a time");
        assert!(limit.is_over(&control));
        let problem = crate::model::ProblemRef::Packed(&crate::model::Packed::FULL);
        let task = Task::whole(problem, crate::model::Goal::All, crate::model::Limits::default());
        let part = Control::child(&Arc::new(control));
        let mut budget = Budget::new(&task, &part);
        while budget.nodes() < 3 * NODES_BETWEEN_GATES {
            assert_eq!(budget.enter(), None);
        }
        assert_eq!(gate.0.load(Ordering::Relaxed), 2);
        assert!(!limit.is_over(&part));
    }
}
