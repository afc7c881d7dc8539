//! The limits that a search checks on its own.

use std::time::{Duration, Instant};

use super::{Control, Task};
use quadrille_model::{EndedBy, Limits};

/// Minimum number of nodes that a search enters before it hands over parts.
///
/// A part should take longer than the repetition of the path to it.
const NODES_BEFORE_SHARING: u64 = 16 * 1024;

/// Minimum number of nodes that a search for the best enters before it hands over parts.
///
/// Nodes of such a search take 10 to 100 times as long.
pub(super) const NODES_BEFORE_SHARING_THE_BEST: u64 = 256;

/// Units of work between two checks of the clock: links, options or words of sets touched. Some milliseconds.
pub(super) const WORK_BETWEEN_LOOKS: u64 = 1 << 20;

/// The moment at which a search must end. It is postponed by the time for which other work holds up the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    end: Instant,
    held_up_before: Duration,
}

impl TimeLimit {
    /// Returns the limit at `time` from now, or `None` if that moment cannot be represented.
    ///
    /// Time during which the search is held up for other work does not count.
    pub(super) fn new(time: Duration, control: &Control) -> Option<Self> {
        Some(TimeLimit { end: Instant::now().checked_add(time)?, held_up_before: control.suspended_for() })
    }

    /// Returns the time that is left, zero if the limit has passed.
    pub(super) fn left(self, control: &Control) -> Duration {
        let end = self.end + control.suspended_for().saturating_sub(self.held_up_before);
        end.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(self, control: &Control) -> bool {
        self.left(control).is_zero()
    }
}

/// The time limit and the control of a search, for checks before the first node and within a node.
///
/// A watch does not check the limit on nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch<'a> {
    pub(super) control: &'a Control,
    time: Option<TimeLimit>,
}

impl<'a> Watch<'a> {
    /// Returns a watch over `control` and a time limit that counts from now on.
    pub(super) fn new(limits: Limits, control: &'a Control) -> Self {
        Watch { control, time: limits.time.and_then(|time| TimeLimit::new(time, control)) }
    }

    /// Returns the reason if the search must end, or `None`.
    pub(super) fn stop(&self) -> Option<EndedBy> {
        let is_over = self.time.is_some_and(|time| time.is_over(self.control));
        self.control.stop().or(is_over.then_some(EndedBy::Time))
    }

    /// Returns the rest of the time limit, or `None` without a limit.
    pub(super) fn left(&self) -> Option<Duration> {
        self.time.map(|time| time.left(self.control))
    }

    /// Returns the time until the time limit or the deadline, whichever is first; `None` without either.
    pub(super) fn left_of_all(&self) -> Option<Duration> {
        let deadline = self.control.deadline().map(|at| at.saturating_duration_since(Instant::now()));
        self.left().into_iter().chain(deadline).min()
    }

    /// Creates the watch for a loop whose length grows with the problem.
    pub(super) fn pace(self) -> LoopWatch<'a> {
        LoopWatch { watch: self, work: 0 }
    }
}

/// Checks the clock within a loop whose length grows with the problem, each time after some work.
///
/// For work before a search and between searches; within a search there is a [`Budget`].
#[derive(Debug)]
pub(super) struct LoopWatch<'a> {
    watch: Watch<'a>,
    /// Units of work since the last check.
    work: u64,
}

impl LoopWatch<'_> {
    /// Adds units of work, and checks the clock if enough has been done.
    ///
    /// # Errors
    /// Returns the reason if the loop must end.
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
    /// Number of nodes at which the next check is due.
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
    /// Creates a budget whose limits count from now on.
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

    /// Sets the number of nodes between two checks of the clock and the cancel flag (default 1024).
    ///
    /// For searches whose nodes take long.
    pub fn look_every(&mut self, nodes: u64) {
        self.between_looks = nodes.max(1);
        self.next_look = self.node_limit.min(self.nodes + self.between_looks);
    }

    /// Sets the minimum number of nodes that the search enters before it shares (default 16,384).
    ///
    /// For searches whose nodes take long.
    pub fn share_after(&mut self, nodes: u64) {
        self.before_sharing = nodes;
    }

    /// Counts one node about to be entered.
    ///
    /// # Errors
    /// Returns the reason if the search must end instead.
    #[inline]
    pub fn enter(&mut self) -> Result<(), EndedBy> {
        if self.nodes >= self.next_look {
            self.look()?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// Counts one node if no check is due. Returns false if it was not counted.
    #[inline(always)]
    pub(super) fn enters_at_once(&mut self) -> bool {
        let at_once = self.nodes < self.next_look && !self.shares;
        self.nodes += u64::from(at_once);
        at_once
    }

    /// Counts `nodes` nodes that need not be entered, if the limit allows all. Returns false if none was counted.
    ///
    /// These nodes do not bring the next check nearer.
    #[inline(always)]
    pub(super) fn enters_many(&mut self, nodes: u64) -> bool {
        let is_within = nodes <= self.node_limit - self.nodes;
        if is_within {
            self.nodes += nodes;
            self.next_look = self.node_limit.min(self.next_look.saturating_add(nodes));
        }
        is_within
    }

    /// Adds units of work (links, options or words touched), and checks the clock if enough has been done.
    ///
    /// A search whose nodes take long uses this to check the clock within a node.
    ///
    /// # Errors
    /// Returns the reason if the search must end.
    #[inline(always)]
    pub(super) fn work(&mut self, units: u64) -> Result<(), EndedBy> {
        self.work += units;
        if self.work < WORK_BETWEEN_LOOKS { Ok(()) } else { self.look_at_clock() }
    }

    /// Returns the watch for checks within a node that takes long.
    pub(super) fn watch(&self) -> Watch<'a> {
        Watch { control: self.control, time: self.time }
    }

    /// Lets more urgent work go first, then checks the clock and the control.
    ///
    /// # Errors
    /// Returns the reason if the search must end.
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

    /// Returns true if the search must report nodes instead of entering them, so that idle threads can take them.
    #[inline]
    pub fn shares(&self) -> bool {
        self.shares
    }

    /// Returns the number of nodes entered.
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

    /// A hook that counts its calls and, for each call, claims to have held up the search for an hour.
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
