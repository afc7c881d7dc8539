//! The books of one search: limits, counters, solutions.

use crate::engine::control::NODES_BEFORE_SHARING_THE_BEST;
use crate::engine::{Budget, Control, Flow, Task, Visitor};
use crate::model::{Best, Count, Counters, EndedBy, Goal, Outcome, Solution};

/// Why a search stops before its tree is seen whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop(pub(crate) EndedBy);

/// The outcome for a problem that the search does not support: nothing found, nothing claimed.
pub(crate) fn declined() -> Outcome {
    Outcome { found: Count::ZERO, ended_by: EndedBy::Cancel, counters: Some(Counters::default()), best: None }
}

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
    pub(crate) fn enter(&mut self, path: &[u32]) -> Result<bool, Stop> {
        self.enter_or(path, |visitor, nodes| visitor.frontier(path, nodes))
    }

    /// The same in a search for the best, with a score that no solution below the node beats.
    pub(crate) fn enter_within(&mut self, path: &[u32], bound: i64) -> Result<bool, Stop> {
        self.enter_or(path, |visitor, nodes| visitor.frontier_within(path, nodes, bound))
    }

    #[inline]
    fn enter_or(
        &mut self,
        path: &[u32],
        report: impl FnOnce(&mut dyn Visitor, u64) -> Flow,
    ) -> Result<bool, Stop> {
        let is_frontier = path.len() as u64 >= u64::from(self.frontier) && self.frontier != u32::MAX;
        if is_frontier || self.budget.shares() {
            return match report(self.visitor, self.budget.nodes()) {
                Flow::Continue => Ok(false),
                Flow::Stop => Err(Stop(EndedBy::Cancel)),
            };
        }
        match self.budget.enter() {
            None => Ok(true),
            Some(ended_by) => Err(Stop(ended_by)),
        }
    }

    /// Tells what a search for the best that ends early has not seen.
    pub(crate) fn unseen(&mut self, bound: i64) {
        self.visitor.unseen(bound);
    }

    /// Asks to enter a node of a search within a node, which nobody else can be given.
    #[inline]
    pub(crate) fn enter_inside(&mut self) -> Result<(), Stop> {
        self.budget.enter().map_or(Ok(()), |ended_by| Err(Stop(ended_by)))
    }

    /// Counts a decision that was not forced.
    #[inline]
    pub(crate) fn guess(&mut self) {
        self.guesses += 1;
    }

    /// Counts a solution and passes it on if solutions are wanted.
    pub(crate) fn solution(&mut self, digits: &[u8]) -> Result<(), Stop> {
        self.found += 1;
        if self.goal.wants_solutions() && self.visitor.solution(Solution::Digits(digits)) == Flow::Stop {
            return Err(Stop(EndedBy::Cancel));
        }
        if self.found >= self.limit {
            return Err(Stop(EndedBy::Limit));
        }
        Ok(())
    }

    /// The outcome of a search for solutions.
    pub(crate) fn outcome(self, end: Result<(), Stop>) -> Outcome {
        let found = self.found;
        self.finish(end, found, None)
    }

    /// The outcome of a search for the best solution.
    pub(crate) fn outcome_best(self, end: Result<(), Stop>, found: u64, best: Option<Best>) -> Outcome {
        self.finish(end, found, best)
    }

    fn finish(self, end: Result<(), Stop>, found: u64, best: Option<Best>) -> Outcome {
        let ended_by = match end {
            Ok(()) => EndedBy::Complete,
            Err(Stop(ended_by)) => ended_by,
        };
        let counters = Counters { nodes: self.budget.nodes(), guesses: self.guesses, ..Counters::default() };
        Outcome { found: Count::from(found), ended_by, counters: Some(counters), best }
    }
}
