//! One deterministic depth-first search: what a solver of one problem at a time implements.

use super::{Control, Flow, Incumbent};
use quadrille_model::{Direction, Goal, Limits, Outcome, ProblemRef, Solution};

/// One search: a whole problem, or the part of it below a prefix.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The problem.
    pub problem: ProblemRef<'a>,
    /// The question.
    pub goal: Goal,
    /// The limits of the search; counted from the end of the prefix.
    pub limits: Limits,
    /// Decisions to repeat first, as an earlier search of the same engine reported them to
    /// [`Visitor::frontier`]. Repeating them counts no nodes and no guesses. Empty: the whole problem.
    pub prefix: &'a [u32],
    /// The depth at which to stop: the search reports a node whose path has this many branchings (nodes with two or
    /// more options) to [`Visitor::frontier`] and does not enter it. `None`: search on.
    pub frontier: Option<u32>,
    /// For [`Goal::Best`]: what other parts of the same problem have found.
    pub incumbent: Option<&'a Incumbent>,
}

impl<'a> Task<'a> {
    /// A whole problem.
    pub fn whole(problem: ProblemRef<'a>, goal: Goal, limits: Limits) -> Self {
        Task { problem, goal, limits, prefix: &[], frontier: None, incumbent: None }
    }

    /// The number of all solutions of a problem.
    pub fn count(problem: ProblemRef<'a>, limits: Limits) -> Self {
        Task::whole(problem, Goal::Count { limit: None }, limits)
    }
}

/// Takes what a [`TreeSearch`] finds, in its depth-first order.
pub trait Visitor {
    /// A solution; only where the goal wants solutions. For [`Goal::Best`] each that is among the best so far, the
    /// earlier of equals: at any time the best of those reported, as many as are wanted, are the best so far.
    fn solution(&mut self, solution: Solution<'_>) -> Flow;

    /// A node the search does not enter: its decisions, and the nodes entered so far (this one not counted).
    fn frontier(&mut self, prefix: &[u32], nodes: u64) -> Flow {
        let _ = (prefix, nodes);
        Flow::Continue
    }

    /// For [`Goal::Best`] instead of [`frontier`](Self::frontier), with a score that no solution below the node beats.
    fn frontier_within(&mut self, prefix: &[u32], nodes: u64, bound: i64) -> Flow {
        let _ = bound;
        self.frontier(prefix, nodes)
    }

    /// A branching of [`TreeSearch::descend`]: the number of ways, at least 2, and the nodes entered so far. Returns the way to
    /// take, the first being 0, or `None` to end the walk.
    fn choose(&mut self, ways: u32, nodes: u64) -> Option<u32> {
        let _ = (ways, nodes);
        Some(0)
    }

    /// For [`Goal::Best`], by a search that ends early: a score that no solution beats which it has neither seen nor handed
    /// on.
    fn unseen(&mut self, bound: i64) {
        let _ = bound;
    }
}

/// Takes the solutions, and nothing else.
impl<F: FnMut(Solution<'_>) -> Flow> Visitor for F {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        self(solution)
    }
}

/// A solver of one problem at a time: a deterministic depth-first search.
///
/// Whatever the prefix, frontier and limits, the tree is the same: the solutions of a problem, in order, are
/// those met before each frontier node and below it. Nodes add up likewise.
///
/// When its [`Control`] asks it to share it reports nodes instead of entering them.
pub trait TreeSearch: Send {
    /// Runs one search.
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome;

    /// Walks down one path of the tree: at each branching the visitor [chooses](Visitor::choose) a way. Costs far less than one
    /// search per branching where nodes have many children. Returns `None`, and reports nothing, if the search cannot do this for
    /// the problem. The task has neither prefix nor frontier.
    fn descend(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Option<Outcome> {
        let _ = (task, visitor, control);
        None
    }

    /// A score that no solution of a problem beats, proved at little cost.
    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        problem.loose_bound(direction)
    }
}
