//! The interface of solvers for one problem at a time: one deterministic depth-first search.

use super::{Control, Flow, Incumbent};
use quadrille_model::{Direction, Goal, Limits, Outcome, ProblemRef, Solution};

/// One search: a whole problem, or the part of it below a prefix.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The problem.
    pub problem: ProblemRef<'a>,
    /// The question.
    pub goal: Goal,
    /// The limits of the search, counted from the end of the prefix.
    pub limits: Limits,
    /// Decisions to repeat first, as an earlier search of the same engine reported them to [`Visitor::frontier`].
    /// Repeating them counts no nodes and no guesses. Empty for the whole problem.
    pub prefix: &'a [u32],
    /// The depth at which to stop, or `None` to search on. A node whose path has this many branchings (nodes with two
    /// or more options) is reported to [`Visitor::frontier`] and not entered.
    pub frontier: Option<u32>,
    /// For [`Goal::Best`], the best scores found by all parts of the problem.
    pub incumbent: Option<&'a Incumbent>,
}

impl<'a> Task<'a> {
    /// Creates a task for a whole problem.
    pub fn whole(problem: ProblemRef<'a>, goal: Goal, limits: Limits) -> Self {
        Task { problem, goal, limits, prefix: &[], frontier: None, incumbent: None }
    }

    /// Creates a task for the number of all solutions of a problem.
    pub fn count(problem: ProblemRef<'a>, limits: Limits) -> Self {
        Task::whole(problem, Goal::Count { limit: None }, limits)
    }
}

/// Receives the solutions of a [`TreeSearch`] in its depth-first order.
pub trait Visitor {
    /// Receives a solution. Called only if the goal wants solutions.
    ///
    /// For [`Goal::Best`] the visitor receives each solution that is among the best so far; of equal solutions the
    /// earlier one counts. So at any time, the best solutions received are the best so far.
    fn solution(&mut self, solution: Solution<'_>) -> Flow;

    /// Receives a node that the search does not enter.
    ///
    /// `prefix` lists the decisions that lead to the node. `nodes` is the number of nodes entered so far, without
    /// this node.
    fn frontier(&mut self, prefix: &[u32], nodes: u64) -> Flow {
        let _ = (prefix, nodes);
        Flow::Continue
    }

    /// Receives a node as [`frontier`](Self::frontier) does, in a search for [`Goal::Best`].
    ///
    /// `bound` is a score that no solution below the node beats.
    fn frontier_within(&mut self, prefix: &[u32], nodes: u64, bound: i64) -> Flow {
        let _ = bound;
        self.frontier(prefix, nodes)
    }

    /// Chooses the way at a branching of [`TreeSearch::descend`], from 0, or returns `None` to end the walk.
    ///
    /// `ways` is the number of ways, at least 2, and `nodes` the number of nodes entered so far.
    fn choose(&mut self, ways: u32, nodes: u64) -> Option<u32> {
        let _ = (ways, nodes);
        Some(0)
    }

    /// Receives a bound from a search for [`Goal::Best`] that ends early.
    ///
    /// Solutions that the search has neither seen nor handed over do not beat `bound`.
    fn unseen(&mut self, bound: i64) {
        let _ = bound;
    }
}

/// Receives only the solutions.
impl<F: FnMut(Solution<'_>) -> Flow> Visitor for F {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        self(solution)
    }
}

/// A solver of one problem at a time: a deterministic depth-first search.
///
/// The tree is the same for any prefix, frontier and limits. So a search with a frontier, continued at each frontier
/// node by a search of its own, finds the solutions of the problem in order. The nodes of these searches add up to
/// those of a whole search.
///
/// When the [`Control`] asks a search to share, the search reports nodes instead of entering them.
pub trait TreeSearch: Send {
    /// Runs one search. The least solution takes several: see [`search_least`](super::search_least).
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome;

    /// Walks down one path of the tree; at each branching the visitor [chooses](Visitor::choose) a way.
    ///
    /// If nodes have many children, this costs far less than one search per branching. Returns `None`, and reports
    /// nothing, if the search cannot do this for the problem. The task must have neither prefix nor frontier.
    fn descend(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Option<Outcome> {
        let _ = (task, visitor, control);
        None
    }

    /// Returns a score that no solution of a problem beats, proved at little cost.
    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        problem.loose_bound(direction)
    }
}
