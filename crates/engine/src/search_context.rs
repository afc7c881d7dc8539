//! The state of a search without its tree: limits, counters, and the visitor that receives solutions.

use super::budget::NODES_BEFORE_SHARING_THE_BEST;
use super::{Budget, Control, Flow, Task, Visitor};
use quadrille_model::{Counters, EndedBy, Outcome, Solution, TopScores};

/// The counters of a whole search, or the amounts that a part of its tree adds to the counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) found: u64,
    pub(super) nodes: u64,
    pub(super) guesses: u64,
}

/// The limits, counters and visitor of one search.
pub(super) struct SearchContext<'a> {
    pub(super) task: &'a Task<'a>,
    visitor: &'a mut dyn Visitor,
    pub(super) budget: Budget<'a>,
    /// Number of solutions after which the search stops.
    limit: u64,
    frontier: usize,
    wants_solutions: bool,
    found: u64,
    /// Number of decisions made so far that were not forced.
    pub(super) guesses: u64,
}

impl<'a> SearchContext<'a> {
    /// Creates the state for a task. Time limits count from this call.
    pub(super) fn new(task: &'a Task<'a>, visitor: &'a mut dyn Visitor, control: &'a Control) -> Self {
        SearchContext {
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

    /// Makes the search check the clock every `nodes` nodes. Used by searches whose nodes take long.
    pub(super) fn looking_every(mut self, nodes: u64) -> Self {
        self.budget.look_every(nodes);
        self
    }

    /// Makes the search leave unexplored nodes to other threads earlier than other searches do.
    ///
    /// Used by searches for the best solutions.
    pub(super) fn sharing_early(mut self) -> Self {
        self.budget.share_after(NODES_BEFORE_SHARING_THE_BEST);
        self
    }

    /// Enters the node at the end of `path`.
    ///
    /// If the search must report the node as a frontier node instead, reports it and returns false.
    #[inline]
    pub(super) fn enter(&mut self, path: &[u32]) -> Result<bool, EndedBy> {
        self.enter_or(path.len(), |visitor, nodes| visitor.frontier(path, nodes))
    }

    /// Enters a node in a search for the best solutions. Returns true if it was entered.
    ///
    /// If the node is a frontier node, reports it and returns false. `bound` is a score. No solution below
    /// the node has a better score than `bound`.
    pub(super) fn enter_within(
        &mut self,
        path: &[u32],
        bound: impl FnOnce() -> i64,
    ) -> Result<bool, EndedBy> {
        self.enter_or(path.len(), |visitor, nodes| visitor.frontier_within(path, nodes, bound()))
    }

    /// Enters a node, or calls `report` if the node is a frontier node. `branchings` is the number of
    /// branchings on the path to the node.
    ///
    /// `report` receives the number of nodes entered so far. Returns false if the node was reported.
    #[inline(always)]
    pub(super) fn enter_or(
        &mut self,
        branchings: usize,
        report: impl FnOnce(&mut dyn Visitor, u64) -> Flow,
    ) -> Result<bool, EndedBy> {
        if branchings >= self.frontier || self.budget.shares() {
            // A node of a large problem may have thousands of children that must be reported. Each report
            // counts as work.
            self.budget.work(1 + branchings as u64)?;
            return match report(self.visitor, self.budget.nodes()) {
                Flow::Continue => Ok(false),
                Flow::Stop => Err(EndedBy::Cancel),
            };
        }
        self.budget.enter()?;
        Ok(true)
    }

    /// Enters a node and returns true, if no check of the limits is due and no frontier nodes are reported.
    ///
    /// Otherwise returns false. The caller must then call [`enter`](Self::enter).
    #[inline(always)]
    pub(super) fn enters_at_once(&mut self) -> bool {
        self.frontier == usize::MAX && self.budget.enters_at_once()
    }

    /// Asks the visitor which of the `ways` branches to take. Branches are numbered from 0.
    pub(super) fn choose(&mut self, ways: u32) -> Result<u32, EndedBy> {
        self.visitor.choose(ways, self.budget.nodes()).ok_or(EndedBy::Cancel)
    }

    /// Counts a solution. If the visitor wants solutions, also calls `show`.
    #[inline(always)]
    pub(super) fn solved(&mut self, show: impl FnOnce(&mut dyn Visitor) -> Flow) -> Result<(), EndedBy> {
        self.found += 1;
        if self.wants_solutions && show(self.visitor) == Flow::Stop {
            return Err(EndedBy::Cancel);
        }
        if self.found >= self.limit { Err(EndedBy::Limit) } else { Ok(()) }
    }

    /// Returns true if the search counts all solutions and reports none of them.
    pub(super) fn counts_only(&self) -> bool {
        !self.wants_solutions && self.limit == u64::MAX
    }

    /// Counts a solution if `solved` is true.
    ///
    /// Call this only in a search that [only counts](Self::counts_only).
    #[inline(always)]
    pub(super) fn count_if(&mut self, solved: bool) {
        self.found += u64::from(solved);
    }

    /// Returns true if the search enters every node itself and reports no frontier nodes.
    #[inline(always)]
    pub(super) fn is_whole(&self) -> bool {
        self.frontier == usize::MAX && !self.budget.shares()
    }

    /// Returns the counters so far.
    #[inline(always)]
    pub(super) fn totals(&self) -> Totals {
        Totals { found: self.found, nodes: self.budget.nodes(), guesses: self.guesses }
    }

    /// Adds the counters of a part of the tree that need not be searched.
    ///
    /// Returns false, and adds nothing, if the nodes of the part would exceed the node limit. Call this only
    /// in a search that [only counts](Self::counts_only).
    #[inline(always)]
    pub(super) fn try_add(&mut self, more: Totals) -> bool {
        let is_within = self.budget.enters_many(more.nodes);
        if is_within {
            self.found += more.found;
            self.guesses += more.guesses;
        }
        is_within
    }

    /// Counts a solution that needs no conversion. If the visitor wants solutions, also reports it.
    pub(super) fn solution(&mut self, solution: Solution<'_>) -> Result<(), EndedBy> {
        self.solved(|visitor| visitor.solution(solution))
    }

    /// Returns the outcome of a search for solutions.
    pub(super) fn outcome(self, end: Result<(), EndedBy>) -> Outcome {
        let ended_by = end.err().unwrap_or(EndedBy::Complete);
        let counters = Counters { nodes: self.budget.nodes(), guesses: self.guesses, ..Counters::default() };
        Outcome { found: self.found.into(), ended_by, counters: Some(counters), best: None }
    }

    /// Returns the outcome of a search for the best solutions.
    ///
    /// `open` matters only if the search ended early. It is a score: no unseen solution has a better one.
    /// This does not apply to parts of the tree that were left to other threads.
    pub(super) fn outcome_best(self, end: Result<(), EndedBy>, found: &TopScores, open: i64) -> Outcome {
        let open = end.is_err().then_some(open);
        if let Some(bound) = open {
            self.visitor.unseen(bound);
        }
        let number = found.scores().len() as u64;
        Outcome { found: number.into(), best: found.to_best(open), ..self.outcome(end) }
    }
}
