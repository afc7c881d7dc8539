//! The interface of solvers that run one deterministic depth-first search at a time.

use super::{Control, Flow, Incumbent};
use quadrille_model::{Direction, Goal, Limits, Outcome, ProblemRef, Solution};

/// Task of a search: a whole problem, or only the part of its tree below a prefix of decisions.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The problem.
    pub problem: ProblemRef<'a>,
    /// The question.
    pub goal: Goal,
    /// Limits of the search. The work for repeating the decisions of the prefix does not count towards them.
    pub limits: Limits,
    /// Decisions that the search repeats first. Empty for the whole problem.
    ///
    /// An earlier search with the same engine reported these decisions to [`Visitor::frontier`]. Repeating
    /// them does not count as nodes or guesses.
    pub prefix: &'a [u32],
    /// Depth at which the search stops, or `None` to search the whole tree below the prefix.
    ///
    /// A node at this depth is reported to [`Visitor::frontier`] instead of entered. The depth of a node is
    /// the number of branchings on the path to the node. A branching is a node with two or more options.
    pub frontier: Option<u32>,
    /// For [`Goal::Best`], the best scores found so far in all parts of the search.
    pub incumbent: Option<&'a Incumbent>,
}

impl<'a> Task<'a> {
    /// Creates a task for a whole problem.
    pub fn whole(problem: ProblemRef<'a>, goal: Goal, limits: Limits) -> Self {
        Task { problem, goal, limits, prefix: &[], frontier: None, incumbent: None }
    }

    /// Creates a task that counts all solutions of a problem.
    pub fn count(problem: ProblemRef<'a>, limits: Limits) -> Self {
        Task::whole(problem, Goal::Count { limit: None }, limits)
    }
}

/// Receives the solutions of a [`TreeSearch`] in its depth-first order.
pub trait Visitor {
    /// Receives a solution. Called only if the goal asks for solutions.
    ///
    /// For [`Goal::Best`], the visitor receives each solution that is one of the best found so far. If two
    /// solutions have equal scores, the earlier one counts as better.
    fn solution(&mut self, solution: Solution<'_>) -> Flow;

    /// Receives a node that the search does not enter.
    ///
    /// `prefix` lists the decisions that lead to the node. `nodes` is the number of nodes entered so far, not
    /// counting this node.
    fn frontier(&mut self, prefix: &[u32], nodes: u64) -> Flow {
        let _ = (prefix, nodes);
        Flow::Continue
    }

    /// Receives a node that a search for [`Goal::Best`] does not enter.
    ///
    /// `bound` is a score, and no solution below the node has a better score. The other arguments are the
    /// same as in [`frontier`](Self::frontier).
    fn frontier_within(&mut self, prefix: &[u32], nodes: u64, bound: i64) -> Flow {
        let _ = bound;
        self.frontier(prefix, nodes)
    }

    /// Chooses a branch for [`TreeSearch::descend`], or returns `None` to end the walk.
    ///
    /// `ways` is the number of branches, at least 2. The result is the index of a branch, from 0 to `ways -
    /// 1`. `nodes` is the number of nodes entered so far.
    fn choose(&mut self, ways: u32, nodes: u64) -> Option<u32> {
        let _ = (ways, nodes);
        Some(0)
    }

    /// Receives a bound from a search for [`Goal::Best`] that ends early.
    ///
    /// `bound` is a score. No solution that the search has not seen has a better score. This does not apply
    /// to parts of the tree that were left to other threads.
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

/// A solver that uses a deterministic depth-first search, for one problem at a time.
///
/// The tree does not depend on prefix, frontier or limits. So a search can stop at a frontier, and further
/// searches can continue from there, one per frontier node. Together these searches find the solutions of the
/// problem in order. The sum of their nodes is the number of nodes of one whole search.
///
/// When the [`Control`] asks a search to share its work, the search reports nodes instead of entering them.
pub trait TreeSearch: Send {
    /// Runs one search. Finding the least solution takes several searches, see
    /// [`search_least`](super::search_least).
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome;

    /// Walks down one path of the tree. The visitor [chooses](Visitor::choose) a branch at each branching.
    ///
    /// If nodes have many children, this walk is far cheaper than one search per branching. If the search
    /// does not support walks for the problem, returns `None` and reports nothing. The task must not have a
    /// prefix or a frontier.
    fn descend(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Option<Outcome> {
        let _ = (task, visitor, control);
        None
    }

    /// Returns a score, such that no solution of the problem has a better score. This bound can be computed
    /// quickly.
    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        problem.loose_bound(direction)
    }
}
