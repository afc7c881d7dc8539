//! Branch and bound on grids: the stack of a search for the best, for any kind of position.
//!
//! At every node *prices* give a bound that no solution below can beat. For every option they also give the amount by
//! which the bound falls if the option is chosen. A subtree is left out if nothing in it can beat the best solution
//! found.
//!
//! # Order Ties go to the earliest solution in sequential order, and all threads of a split search must agree on
//! which solution is the earliest. So the tree, with its prices and the order of branches, depends only on the path.
//! It never depends on the best score so far, which varies with timing: that score only decides which subtrees are
//! skipped. Nothing is removed from a node's grid because it cannot win. Instead, the cell whose second-best digit
//! loses most is branched on first, and its other digits are then skipped without being entered.

use super::incumbent::BestFound;
use super::lagrangian::{AT_NODE, BestSearch, Schedule, scale_of, unscaled};
use super::search_context::SearchContext;
use quadrille_model::{Direction, EndedBy, MAX_SIDE, Outcome, ProblemRef, Puzzle, Solution, TopK};

/// A grid under propagation, with prices that bound its value.
pub(super) trait Priced {
    /// Loads the problem and propagates. Returns false on a contradiction.
    ///
    /// # Errors
    /// Returns the reason if the search must end.
    fn load(&mut self) -> Result<bool, EndedBy>;
    /// Makes a decision (`cell * side + digit`) and propagates.
    ///
    /// Returns false on a contradiction, or if the decision is not open in this grid.
    ///
    /// # Errors
    /// Returns the reason if the search must end.
    fn decide(&mut self, decision: u32) -> Result<bool, EndedBy>;
    /// Writes the digits of all cells, 0-based. Returns false if a cell has no digit yet.
    fn fill(&self, digits: &mut Vec<u8>) -> bool;
    /// Returns the current prices.
    fn prices(&mut self) -> &mut [i64];
    /// Returns the schedule of the prices at the root.
    fn at_root(&self) -> Schedule;
    /// Moves the prices and returns the bound of the current node, scaled.
    ///
    /// Returns `None` if there is no solution or `hopeless` returned true for a bound.
    fn tighten(&mut self, schedule: Schedule, hopeless: impl Fn(i64) -> bool) -> Option<i64>;
    /// Chooses a branching by the losses at the current prices and appends its decisions, the best last.
    fn rank(&mut self, bound: i64, ranked: &mut Vec<Ranked>);
    /// Returns the state for [`restore`](Self::restore); its length does not change.
    fn state(&self) -> &[u64];
    /// Restores a state.
    fn restore(&mut self, state: &[u64]);
}

/// A node with decisions left to try.
#[derive(Debug, Clone, Copy)]
struct Branching {
    /// Start of the node's decisions in `ranked`; all decisions from there to the end of the list are untried.
    first: usize,
    /// Number of decisions on the path down to the node.
    depth: usize,
}

/// A decision left to try.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked {
    /// The largest value of a solution with this decision, scaled.
    pub(super) bound: i64,
    /// `cell * side + digit`.
    pub(super) decision: u32,
}

/// The bound and the prices at a problem's root, kept for the parts of a split search.
#[derive(Debug)]
struct Root {
    puzzle: Puzzle,
    direction: Direction,
    bound: i64,
    prices: Vec<i64>,
}

/// The stack of a search for the best, kept from problem to problem.
#[derive(Debug, Default)]
pub(super) struct BestWalk {
    root: Option<Root>,
    branchings: Vec<Branching>,
    /// Decisions of all branchings; in each branching, the decisions with the best bound come last.
    ranked: Vec<Ranked>,
    /// The states and the prices at each branching.
    saved: Vec<u64>,
    saved_prices: Vec<i64>,
    path: Vec<u32>,
    digits: Vec<u8>,
}

impl BestWalk {
    /// Returns the bound at the root if `problem` is the same as last time, otherwise a loose bound.
    pub(super) fn bound(&self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        match (problem, self.known(problem, direction)) {
            (ProblemRef::Puzzle(puzzle), Some(root)) => unscaled(scale_of(puzzle, direction), root.bound),
            _ => problem.loose_bound(direction),
        }
    }

    fn known(&self, problem: ProblemRef<'_>, direction: Direction) -> Option<&Root> {
        let is_known = |root: &&Root| {
            root.direction == direction
                && matches!(problem, ProblemRef::Puzzle(puzzle) if root.puzzle == *puzzle)
        };
        self.root.as_ref().filter(is_known)
    }

    /// Searches a grid for its best solutions.
    ///
    /// In a whole search `shortcut` is asked first, at the root: it returns true if it has found the best without a
    /// tree.
    pub(super) fn search<P: Priced>(
        &mut self,
        position: &mut P,
        puzzle: &Puzzle,
        top: TopK,
        mut run: SearchContext<'_>,
        shortcut: impl FnOnce(&mut P, &mut BestSearch<'_>, &mut SearchContext<'_>) -> Result<bool, EndedBy>,
    ) -> Outcome {
        let (scale, found) = (scale_of(puzzle, top.direction), BestFound::new(top, run.task.incumbent));
        let mut best = BestSearch { scale, found, in_hand: i64::MAX };
        self.branchings.clear();
        self.ranked.clear();
        self.saved.clear();
        self.saved_prices.clear();
        self.path.clear();
        self.path.extend_from_slice(run.task.prefix);
        let end = self.walk(position, puzzle, top.direction, &mut best, &mut run, shortcut);
        let open = self.ranked.iter().map(|option| option.bound).fold(best.in_hand, i64::max);
        run.outcome_best(end, &best.found.leaders, best.unscaled(open))
    }

    fn walk<P: Priced>(
        &mut self,
        position: &mut P,
        puzzle: &Puzzle,
        direction: Direction,
        best: &mut BestSearch<'_>,
        run: &mut SearchContext<'_>,
        shortcut: impl FnOnce(&mut P, &mut BestSearch<'_>, &mut SearchContext<'_>) -> Result<bool, EndedBy>,
    ) -> Result<(), EndedBy> {
        let prefix = run.task.prefix;
        if !run.enter_within(prefix, || best.unscaled(best.in_hand))? {
            return Ok(());
        }
        let mut holds = self.load_root(position, puzzle, direction, best)?;
        if holds && prefix.is_empty() && !position.fill(&mut self.digits) && shortcut(position, best, run)? {
            return Ok(());
        }
        for &decision in prefix {
            // Computes the prices that each node had before its decision.
            holds = holds && position.tighten(AT_NODE, |_| false).is_some() && position.decide(decision)?;
        }
        loop {
            if holds && position.fill(&mut self.digits) {
                let score = puzzle.weights().map_or(0, |weights| weights.score(&self.digits));
                if best.found.wants(score) {
                    best.found.take(score);
                    run.solution(Solution::Digits(&self.digits))?;
                }
            } else if holds && let Some(bound) = position.tighten(AT_NODE, |bound| best.is_hopeless(bound)) {
                self.branch(position, bound.min(best.in_hand))?;
            }
            holds = loop {
                let Some(&Branching { first, depth }) = self.branchings.last() else { return Ok(()) };
                let state = self.saved.len() - position.state().len();
                let prices = self.saved_prices.len() - position.prices().len();
                let next = self.ranked.pop().filter(|next| !best.is_hopeless(next.bound));
                if next.is_none() {
                    // The remaining decisions have no better bound.
                    self.ranked.truncate(first);
                } else {
                    position.restore(&self.saved[state..]);
                    position.prices().copy_from_slice(&self.saved_prices[prices..]);
                }
                let is_last = self.ranked.len() == first;
                if is_last {
                    self.branchings.pop();
                    self.saved.truncate(state);
                    self.saved_prices.truncate(prices);
                }
                let Some(Ranked { bound, decision }) = next else { continue };
                self.path.truncate(depth);
                self.path.push(decision);
                run.guesses += u64::from(!is_last);
                best.in_hand = bound;
                if run.enter_within(&self.path, || best.unscaled(bound))? {
                    break position.decide(decision)?;
                }
            };
        }
    }

    /// Loads a puzzle and computes the bound and prices of its root. Returns false on a contradiction.
    fn load_root(
        &mut self,
        position: &mut impl Priced,
        puzzle: &Puzzle,
        direction: Direction,
        best: &mut BestSearch<'_>,
    ) -> Result<bool, EndedBy> {
        if !position.load()? {
            return Ok(false);
        }
        if position.fill(&mut self.digits) {
            return Ok(true);
        }
        if let Some(root) = self.known(ProblemRef::Puzzle(puzzle), direction) {
            position.prices().copy_from_slice(&root.prices);
            best.in_hand = root.bound;
            return Ok(true);
        }
        let Some(bound) = position.tighten(position.at_root(), |_| false) else { return Ok(false) };
        let root = self.root.get_or_insert_with(|| Root {
            puzzle: Puzzle::new(puzzle.geometry()),
            direction,
            bound,
            prices: Vec::new(),
        });
        root.puzzle.copy_from(puzzle);
        (root.direction, root.bound) = (direction, bound);
        root.prices.clear();
        root.prices.extend_from_slice(position.prices());
        best.in_hand = bound;
        Ok(true)
    }

    /// Opens a branching at the current node.
    fn branch(&mut self, position: &mut impl Priced, bound: i64) -> Result<(), EndedBy> {
        let first = self.ranked.len();
        self.ranked.try_reserve(MAX_SIDE)?;
        self.branchings.try_reserve(1)?;
        self.saved.try_reserve(position.state().len())?;
        self.saved_prices.try_reserve(position.prices().len())?;
        position.rank(bound, &mut self.ranked);
        self.saved.extend_from_slice(position.state());
        self.saved_prices.extend_from_slice(position.prices());
        self.branchings.push(Branching { first, depth: self.path.len() });
        Ok(())
    }
}
