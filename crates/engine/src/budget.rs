//! Limits of a search, and the checks with which a search finds out that a limit was reached.

use std::time::{Duration, Instant};

use super::{Control, Task};
use quadrille_model::{EndedBy, Limits};

/// Minimum number of nodes that a search enters before it leaves parts of its tree to other threads.
///
/// A part of the tree should take longer to search than it takes to repeat the path to that part.
const NODES_BEFORE_SHARING: u64 = 16 * 1024;

/// Minimum number of nodes that a search for the best solution enters before it leaves parts of its tree to
/// other threads.
///
/// A node of such a search takes 10 to 100 times as long as a node of another search.
pub(super) const NODES_BEFORE_SHARING_THE_BEST: u64 = 256;

/// Number of units of work between two checks of the clock. Together, these units take some milliseconds.
///
/// A unit is a link, an option, or a word of a bit set that the search reads or writes.
pub(super) const WORK_BETWEEN_LOOKS: u64 = 1 << 20;

/// Time at which a search must end. If other work interrupts the search, this time moves forward.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    end: Instant,
    held_up_before: Duration,
}

impl TimeLimit {
    /// Creates a limit that ends `time` from now. Returns `None` if that point in time cannot be represented.
    ///
    /// Time during which other work interrupts the search does not count towards the limit.
    pub(super) fn new(time: Duration, control: &Control) -> Option<Self> {
        Some(TimeLimit { end: Instant::now().checked_add(time)?, held_up_before: control.suspended_for() })
    }

    /// Returns the remaining time, or zero if the limit has passed.
    pub(super) fn left(self, control: &Control) -> Duration {
        let end = self.end + control.suspended_for().saturating_sub(self.held_up_before);
        end.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(self, control: &Control) -> bool {
        self.left(control).is_zero()
    }
}

/// Time limit and control of a search. The search checks them before its first node and within long nodes.
///
/// A watch does not check the node limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch<'a> {
    pub(super) control: &'a Control,
    time: Option<TimeLimit>,
}

impl<'a> Watch<'a> {
    /// Creates a watch for `control` and for the time limit in `limits`. The time limit starts now.
    pub(super) fn new(limits: Limits, control: &'a Control) -> Self {
        Watch { control, time: limits.time.and_then(|time| TimeLimit::new(time, control)) }
    }

    /// Returns the reason why the search must end, or `None` if it may continue.
    pub(super) fn stop(&self) -> Option<EndedBy> {
        let is_over = self.time.is_some_and(|time| time.is_over(self.control));
        self.control.stop().or(is_over.then_some(EndedBy::Time))
    }

    /// Returns the time that is left before the time limit, or `None` without a time limit.
    pub(super) fn left(&self) -> Option<Duration> {
        self.time.map(|time| time.left(self.control))
    }

    /// Returns the time until the time limit or the deadline, whichever comes first.
    ///
    /// Returns `None` if there is neither a time limit nor a deadline.
    pub(super) fn left_of_all(&self) -> Option<Duration> {
        let deadline = self.control.deadline().map(|at| at.saturating_duration_since(Instant::now()));
        self.left().into_iter().chain(deadline).min()
    }

    /// Creates a watch for a loop whose duration depends on the size of the problem.
    pub(super) fn pace(self) -> LoopWatch<'a> {
        LoopWatch { watch: self, work: 0 }
    }
}

/// Watch for a loop whose duration depends on the size of the problem. It checks the clock after each portion
/// of work.
///
/// It is meant for work before a search and between searches. During a search, [`Budget`] makes these checks.
#[derive(Debug)]
pub(super) struct LoopWatch<'a> {
    watch: Watch<'a>,
    /// Units of work since the last check.
    work: u64,
}

impl LoopWatch<'_> {
    /// Counts `units` units of work, and checks the clock if enough work was done since the last check.
    ///
    /// # Errors
    /// Returns the reason why the loop must end.
    #[inline(always)]
    pub(super) fn work(&mut self, units: usize) -> Result<(), EndedBy> {
        self.work += units as u64;
        if self.work < WORK_BETWEEN_LOOKS { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> Result<(), EndedBy> {
        self.work = 0;
        self.watch.stop().map_or(Ok(()), Err)
    }
}

/// The limits of one search. Checking them at every node costs a few instructions.
///
/// ```
/// use quadrille::engine::{Control, Task};
/// use quadrille::internals::Budget;
/// use quadrille::{EndedBy, Goal, Limits, Packed9x9, ProblemRef};
/// let limits = Limits { nodes: Some(2), ..Limits::default() };
/// let control = Control::new();
/// let mut budget = Budget::new(&Task::whole(ProblemRef::Packed(&Packed9x9::FULL), Goal::All, limits), &control);
/// assert_eq!([budget.enter(), budget.enter(), budget.enter()], [Ok(()), Ok(()), Err(EndedBy::Nodes)]);
/// assert_eq!(budget.nodes(), 2);
/// ```
#[derive(Debug)]
pub struct Budget<'a> {
    control: &'a Control,
    nodes: u64,
    /// Number of entered nodes at which the clock and the limits are checked next.
    next_look: u64,
    node_limit: u64,
    between_looks: u64,
    before_sharing: u64,
    time: Option<TimeLimit>,
    shares: bool,
    /// Units of work since the last check.
    work: u64,
}

impl<'a> Budget<'a> {
    /// Creates a budget with the limits of `task`. The time limit starts now.
    pub fn new(task: &Task<'_>, control: &'a Control) -> Self {
        let node_limit = task.limits.nodes.unwrap_or(u64::MAX);
        let between_looks = control.nodes_between_looks();
        Budget {
            control,
            nodes: 0,
            next_look: node_limit.min(between_looks),
            node_limit,
            between_looks,
            before_sharing: NODES_BEFORE_SHARING,
            time: task.limits.time.and_then(|time| TimeLimit::new(time, control)),
            shares: false,
            work: 0,
        }
    }

    /// Sets the number of nodes between two checks of the clock and of the cancel flag (default: 1024).
    ///
    /// A search whose nodes take long should set a smaller number.
    pub fn look_every(&mut self, nodes: u64) {
        self.between_looks = nodes.max(1);
        self.next_look = self.node_limit.min(self.nodes + self.between_looks);
    }

    /// Sets the minimum number of nodes that the search enters before it shares its work (default: 16,384).
    ///
    /// A search whose nodes take long should set a smaller number.
    pub fn share_after(&mut self, nodes: u64) {
        self.before_sharing = nodes;
    }

    /// Counts a node that the search is about to enter.
    ///
    /// # Errors
    /// Returns the reason why the search must end instead of entering the node.
    #[inline]
    pub fn enter(&mut self) -> Result<(), EndedBy> {
        if self.nodes >= self.next_look {
            self.look()?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// Counts a node, unless a check is due or nodes must be left to other threads. Returns false if the node
    /// was not counted.
    #[inline(always)]
    pub(super) fn enters_at_once(&mut self) -> bool {
        let at_once = self.nodes < self.next_look && !self.shares;
        self.nodes += u64::from(at_once);
        at_once
    }

    /// Counts `nodes` nodes that the search skips, if the node limit allows all of them.
    ///
    /// If the limit does not allow all of them, counts none and returns false. Skipped nodes do not count
    /// towards the next check of the clock.
    #[inline(always)]
    pub(super) fn enters_many(&mut self, nodes: u64) -> bool {
        let is_within = nodes <= self.node_limit - self.nodes;
        if is_within {
            self.nodes += nodes;
            self.next_look = self.node_limit.min(self.next_look.saturating_add(nodes));
        }
        is_within
    }

    /// Counts `units` units of work (links, options or words), and checks the clock if enough work was done.
    ///
    /// A search whose nodes take long uses this method to check the clock within a node.
    ///
    /// # Errors
    /// Returns the reason why the search must end.
    #[inline(always)]
    pub(super) fn work(&mut self, units: u64) -> Result<(), EndedBy> {
        self.work += units;
        if self.work < WORK_BETWEEN_LOOKS { Ok(()) } else { self.look_at_clock() }
    }

    /// Returns a watch for checks within a node that takes long.
    pub(super) fn watch(&self) -> Watch<'a> {
        Watch { control: self.control, time: self.time }
    }

    /// Interrupts the search for more urgent work, if there is any. Then checks the clock and the control.
    ///
    /// # Errors
    /// Returns the reason why the search must end.
    #[cold]
    pub(super) fn look_at_clock(&mut self) -> Result<(), EndedBy> {
        self.work = 0;
        self.control.yield_now();
        self.watch().stop().map_or(Ok(()), Err)
    }

    #[cold]
    fn look(&mut self) -> Result<(), EndedBy> {
        self.control.record_nodes(self.nodes);
        if self.nodes >= self.node_limit {
            return Err(EndedBy::Nodes);
        }
        self.look_at_clock()?;
        self.shares = self.nodes >= self.before_sharing && self.control.asks_to_share();
        self.next_look = self.node_limit.min(self.nodes + self.between_looks);
        Ok(())
    }

    /// Returns true if the search must report nodes instead of entering them. Idle threads then search these
    /// nodes.
    #[inline]
    pub fn shares(&self) -> bool {
        self.shares
    }

    /// Returns the number of nodes that the search has entered.
    #[inline]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::YieldHook;
    use crate::control::NODES_BETWEEN_YIELDS;

    /// Hook for tests that counts its calls. It reports that each call interrupted the search for an hour.
    #[derive(Debug, Default)]
    struct Counted(AtomicU64);

    impl YieldHook for Counted {
        fn yield_now(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn begin_wait(&self) {}

        fn end_wait(&self) {}

        fn has_other_work(&self) -> bool {
            false
        }

        fn do_other_work(&self) {}

        fn offer(&self, _: usize) {}

        fn has_idle_threads(&self) -> bool {
            false
        }

        fn suspended_for(&self) -> Duration {
            Duration::from_secs(3600) * self.0.load(Ordering::Relaxed) as u32
        }
    }

    #[test]
    fn the_time_limit_does_not_run_while_a_search_yields() {
        let hook = Arc::new(Counted::default());
        let control = Control::with_hook(&Arc::new(Control::new()), Arc::clone(&hook) as Arc<dyn YieldHook>);
        let limit = TimeLimit::new(Duration::ZERO, &control).expect("now is a time");
        assert!(limit.is_over(&control));
        let problem = quadrille_model::ProblemRef::Packed(&quadrille_model::Packed9x9::FULL);
        let task = Task::whole(problem, quadrille_model::Goal::All, quadrille_model::Limits::default());
        let part = Control::child(&Arc::new(control));
        let mut budget = Budget::new(&task, &part);
        while budget.nodes() < 3 * NODES_BETWEEN_YIELDS {
            assert_eq!(budget.enter(), Ok(()));
        }
        assert_eq!(hook.0.load(Ordering::Relaxed), 2);
        assert!(!limit.is_over(&part));
    }
}
