//! The state of a search of one problem beside its tree: limits, counters, and the visitor of its solutions.

use super::budget::{NODES_BEFORE_SHARING_THE_BEST, Watch};
use super::{Budget, Control, Flow, Task, Visitor};
use quadrille_model::{Counters, EndedBy, Leaders, Outcome, Solution};

/// The counters of a search, or their growth in a part of its tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) found: u64,
    pub(super) nodes: u64,
    pub(super) guesses: u64,
}

/// The limits, counters and visitor of one search.
pub(super) struct Run<'a> {
    pub(super) task: &'a Task<'a>,
    visitor: &'a mut dyn Visitor,
    budget: Budget<'a>,
    /// Solutions after which to stop.
    limit: u64,
    frontier: usize,
    wants_solutions: bool,
    found: u64,
    /// Decisions that were not forced.
    pub(super) guesses: u64,
}

impl<'a> Run<'a> {
    /// For a task; its limits count from now on.
    pub(super) fn new(task: &'a Task<'a>, visitor: &'a mut dyn Visitor, control: &'a Control) -> Self {
        Run {
            task,
            visitor,
            budget: Budget::new(task, control),
            limit: task.goal.limit().unwrap_or(u64::MAX),
            frontier: task.frontier.map_or(usize::MAX, |frontier| frontier as usize),
            wants_solutions: task.goal.wants_solutions(),
            found: 0,
            guesses: 0,
        }
    }

    /// Looks at the clock every so many nodes: for searches whose nodes take long.
    pub(super) fn looking_every(mut self, nodes: u64) -> Self {
        self.budget.look_every(nodes);
        self
    }

    /// Shares early: for searches for the best.
    pub(super) fn sharing_early(mut self) -> Self {
        self.budget.share_after(NODES_BEFORE_SHARING_THE_BEST);
        self
    }

    /// Asks to enter the node at the end of a path. `false`: it was reported as a frontier node instead.
    #[inline]
    pub(super) fn enter(&mut self, path: &[u32]) -> Result<bool, EndedBy> {
        self.enter_or(path.len(), |visitor, nodes| visitor.frontier(path, nodes))
    }

    /// The same in a search for the best, with a score that no solution below the node beats.
    pub(super) fn enter_within(
        &mut self,
        path: &[u32],
        bound: impl FnOnce() -> i64,
    ) -> Result<bool, EndedBy> {
        self.enter_or(path.len(), |visitor, nodes| visitor.frontier_within(path, nodes, bound()))
    }

    /// Asks to enter a node behind so many branchings, which is reported with the nodes entered so far if it is one of
    /// the frontier.
    #[inline(always)]
    pub(super) fn enter_or(
        &mut self,
        branchings: usize,
        report: impl FnOnce(&mut dyn Visitor, u64) -> Flow,
    ) -> Result<bool, EndedBy> {
        if branchings >= self.frontier || self.budget.shares() {
            // A node of a large problem has thousands of children to report.
            self.budget.work(1 + branchings as u64)?;
            return match report(self.visitor, self.budget.nodes()) {
                Flow::Continue => Ok(false),
                Flow::Stop => Err(EndedBy::Cancel),
            };
        }
        self.budget.enter()?;
        Ok(true)
    }

    /// Enters a node if there is nothing to look at before; `false`: it is to be asked for.
    #[inline(always)]
    pub(super) fn enters_at_once(&mut self) -> bool {
        self.frontier == usize::MAX && self.budget.enters_at_once()
    }

    /// Asks the visitor which of the `ways` of a branching to take; 0 is the first.
    pub(super) fn choose(&mut self, ways: u32) -> Result<u32, EndedBy> {
        self.visitor.choose(ways, self.budget.nodes()).ok_or(EndedBy::Cancel)
    }

    /// Enters a node of a search within a node, which cannot be shared with another thread.
    #[inline]
    pub(super) fn enter_inside(&mut self) -> Result<(), EndedBy> {
        self.budget.enter()
    }

    /// Counts a solution, and has it shown if solutions are wanted.
    #[inline(always)]
    pub(super) fn solved(&mut self, show: impl FnOnce(&mut dyn Visitor) -> Flow) -> Result<(), EndedBy> {
        self.found += 1;
        if self.wants_solutions && show(self.visitor) == Flow::Stop {
            return Err(EndedBy::Cancel);
        }
        if self.found >= self.limit { Err(EndedBy::Limit) } else { Ok(()) }
    }

    /// True if solutions are counted, all of them, and nothing else.
    pub(super) fn counts_only(&self) -> bool {
        !self.wants_solutions && self.limit == u64::MAX
    }

    /// Counts a solution if there is one, where that [is all](Self::counts_only).
    #[inline(always)]
    pub(super) fn count_if(&mut self, solved: bool) {
        self.found += u64::from(solved);
    }

    /// True if the whole tree is searched here: nothing is reported instead.
    #[inline(always)]
    pub(super) fn is_whole(&self) -> bool {
        self.frontier == usize::MAX && !self.budget.shares()
    }

    /// The counters so far.
    #[inline(always)]
    pub(super) fn totals(&self) -> Totals {
        Totals { found: self.found, nodes: self.budget.nodes(), guesses: self.guesses }
    }

    /// Adds what a search would find, enter and guess, where all solutions are counted and that is within the limit of nodes;
    /// `false`: nothing is added.
    #[inline(always)]
    pub(super) fn adds(&mut self, more: Totals) -> bool {
        let is_within = self.budget.enters_many(more.nodes);
        if is_within {
            self.found += more.found;
            self.guesses += more.guesses;
        }
        is_within
    }

    /// Counts a solution that costs nothing to show.
    pub(super) fn solution(&mut self, solution: Solution<'_>) -> Result<(), EndedBy> {
        self.solved(|visitor| visitor.solution(solution))
    }

    /// Adds units of work: see [`Budget::work`].
    #[inline(always)]
    pub(super) fn work(&mut self, units: u64) -> Result<(), EndedBy> {
        self.budget.work(units)
    }

    /// Looks at the clock now: see [`Budget::look_at_clock`].
    #[cold]
    pub(super) fn look_at_clock(&mut self) -> Result<(), EndedBy> {
        self.budget.look_at_clock()
    }

    /// What to look at within a node that takes long.
    pub(super) fn watch(&self) -> Watch<'a> {
        self.budget.watch()
    }

    /// Nodes entered.
    pub(super) fn nodes(&self) -> u64 {
        self.budget.nodes()
    }

    /// The outcome of a search for solutions.
    pub(super) fn outcome(self, end: Result<(), EndedBy>) -> Outcome {
        let ended_by = end.err().unwrap_or(EndedBy::Complete);
        let counters = Counters { nodes: self.nodes(), guesses: self.guesses, ..Counters::default() };
        Outcome { found: self.found.into(), ended_by, counters: Some(counters), best: None }
    }

    /// The outcome of a search for the best, of what it has found. Where it ended early, nothing that it has neither seen
    /// nor handed on beats the score `open`.
    pub(super) fn outcome_best(self, end: Result<(), EndedBy>, found: &Leaders, open: i64) -> Outcome {
        let open = end.is_err().then_some(open);
        if let Some(bound) = open {
            self.visitor.unseen(bound);
        }
        let number = found.scores().len() as u64;
        Outcome { found: number.into(), best: found.to_best(open), ..self.outcome(end) }
    }
}
