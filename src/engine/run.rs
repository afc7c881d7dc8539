//! The state of a search of one problem beside its tree: limits, counters, and the visitor of its solutions.

use super::budget::{NODES_BEFORE_SHARING_THE_BEST, Watch};
use super::{Budget, Control, Flow, Task, Visitor};
use crate::model::{Counters, EndedBy, Leaders, Outcome, Solution};

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
            return match report(self.visitor, self.budget.nodes()) {
                Flow::Continue => Ok(false),
                Flow::Stop => Err(EndedBy::Cancel),
            };
        }
        self.budget.enter()?;
        Ok(true)
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

    /// Counts a solution that costs nothing to show.
    pub(super) fn solution(&mut self, solution: Solution<'_>) -> Result<(), EndedBy> {
        self.solved(|visitor| visitor.solution(solution))
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
