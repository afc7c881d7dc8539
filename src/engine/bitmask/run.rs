//! The books of one search: limits, counters, solutions.

use crate::engine::budget::NODES_BEFORE_SHARING_THE_BEST;
use crate::engine::{Budget, Control, Flow, Task, Visitor};
use crate::model::{Best, Count, Counters, EndedBy, Goal, Outcome, Solution};

/// The books of one search.
pub(crate) struct Run<'a> {
    visitor: &'a mut dyn Visitor,
    budget: Budget<'a>,
    goal: Goal,
    /// Solutions after which to stop.
    limit: u64,
    frontier: u32,
    found: u64,
    guesses: u64,
}

impl<'a> Run<'a> {
    /// Books for a task, from now on.
    pub(crate) fn new(task: &Task<'_>, visitor: &'a mut dyn Visitor, control: &'a Control) -> Self {
        Run {
            visitor,
            budget: Budget::new(task, control),
            goal: task.goal,
            limit: task.goal.limit().unwrap_or(u64::MAX),
            frontier: task.frontier.unwrap_or(u32::MAX),
            found: 0,
            guesses: 0,
        }
    }

    /// Looks at the clock at every node and shares early: for searches whose nodes take long.
    pub(crate) fn looking_often(mut self) -> Self {
        self.budget.look_every(1);
        self.budget.share_after(NODES_BEFORE_SHARING_THE_BEST);
        self
    }

    /// Asks to enter the node at the end of a path. `false`: it was reported as a frontier node instead.
    #[inline]
    pub(crate) fn enter(&mut self, path: &[u32]) -> Result<bool, EndedBy> {
        self.enter_or(path, |visitor, nodes| visitor.frontier(path, nodes))
    }

    /// The same in a search for the best, with a score that no solution below the node beats.
    pub(crate) fn enter_within(&mut self, path: &[u32], bound: i64) -> Result<bool, EndedBy> {
        self.enter_or(path, |visitor, nodes| visitor.frontier_within(path, nodes, bound))
    }

    #[inline]
    fn enter_or(
        &mut self,
        path: &[u32],
        report: impl FnOnce(&mut dyn Visitor, u64) -> Flow,
    ) -> Result<bool, EndedBy> {
        let is_frontier = path.len() as u64 >= u64::from(self.frontier) && self.frontier != u32::MAX;
        if is_frontier || self.budget.shares() {
            return match report(self.visitor, self.budget.nodes()) {
                Flow::Continue => Ok(false),
                Flow::Stop => Err(EndedBy::Cancel),
            };
        }
        self.budget.enter()?;
        Ok(true)
    }

    /// Reports the bound of what a search for the best that ends early has not seen.
    pub(crate) fn unseen(&mut self, bound: i64) {
        self.visitor.unseen(bound);
    }

    /// Enters a node of a search within a node, which cannot be shared with another thread.
    #[inline]
    pub(crate) fn enter_inside(&mut self) -> Result<(), EndedBy> {
        self.budget.enter()
    }

    /// Counts a decision that was not forced.
    #[inline]
    pub(crate) fn guess(&mut self) {
        self.guesses += 1;
    }

    /// Counts a solution and passes it on if solutions are wanted.
    pub(crate) fn solution(&mut self, digits: &[u8]) -> Result<(), EndedBy> {
        self.found += 1;
        if self.goal.wants_solutions() && self.visitor.solution(Solution::Digits(digits)) == Flow::Stop {
            return Err(EndedBy::Cancel);
        }
        if self.found >= self.limit {
            return Err(EndedBy::Limit);
        }
        Ok(())
    }

    /// The outcome of a search for solutions.
    pub(crate) fn outcome(self, end: Result<(), EndedBy>) -> Outcome {
        let found = self.found;
        self.finish(end, found, None)
    }

    /// The outcome of a search for the best solution.
    pub(crate) fn outcome_best(self, end: Result<(), EndedBy>, found: u64, best: Option<Best>) -> Outcome {
        self.finish(end, found, best)
    }

    fn finish(self, end: Result<(), EndedBy>, found: u64, best: Option<Best>) -> Outcome {
        let ended_by = match end {
            Ok(()) => EndedBy::Complete,
            Err(ended_by) => ended_by,
        };
        let counters = Counters { nodes: self.budget.nodes(), guesses: self.guesses, ..Counters::default() };
        Outcome { found: Count::from(found), ended_by, counters: Some(counters), best }
    }
}
