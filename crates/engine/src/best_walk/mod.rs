//! Branch and bound on grids of any kind: the stack of a search for the best solutions.
//!
//! At every node, *prices* give a bound that no solution below the node can beat. For every option they also
//! give the amount by which the bound falls if the option is chosen. A subtree is skipped if nothing in it
//! can beat the best solution found.
//!
//! * [`relaxation`]: the bound, from the prices of [`lagrangian`] or, on a plain 9x9, of [`templates`].
//! * This file: the stack.
//!
//! # Order
//! Of solutions with equal scores, the earliest in sequential order is chosen. All threads of a split search
//! must agree on which solution is the earliest. So the tree, with its prices and the order of its branches,
//! depends only on the path. It never depends on the best score so far, which varies with timing. That score
//! only decides which subtrees are skipped. So a candidate that cannot be in a better solution stays in a
//! node's grid. Instead, the search branches first on the cell whose second-best digit has the largest loss.
//! The cell's other digits are then skipped without being entered.

mod lagrangian;
mod relaxation;
mod templates;

use super::incumbent::BestFound;
use super::search_context::SearchContext;
use super::walk::decide;
use lagrangian::{AT_NODE, scale_of};
pub(crate) use lagrangian::{BestSearch, Choices, unscaled};
use quadrille_model::{Direction, EndedBy, MAX_SIDE, Outcome, ProblemRef, Puzzle, Solution};
pub(crate) use relaxation::Relaxation;
pub(crate) use templates::{Listing, Template};

/// A node with decisions that remain to be tried.
#[derive(Debug, Clone, Copy)]
struct Branching {
    /// Start of the node's decisions in `ranked`.
    ///
    /// All decisions from this index to the end of the list are untried.
    first: usize,
    /// Number of decisions on the path from the root to the node.
    depth: usize,
}

/// A decision left to try.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked {
    /// The largest scaled value that a solution with this decision can have.
    pub(crate) bound: i64,
    /// `cell * side + digit`.
    pub(crate) decision: u32,
}

/// The bound and the prices at the root of a problem, kept for the parts of a split search.
#[derive(Debug)]
struct Root {
    puzzle: Puzzle,
    direction: Direction,
    bound: i64,
    prices: Vec<i64>,
}

/// The stack of a search for the best solutions. The stack keeps its memory from one problem to the next.
#[derive(Debug, Default)]
pub(crate) struct BestWalk {
    relaxation: Relaxation,
    root: Option<Root>,
    branchings: Vec<Branching>,
    /// The decisions of all branchings. In each branching, the decisions with the best bound come last.
    ranked: Vec<Ranked>,
    /// The states at all branchings, one after the other. The prices are in `saved_prices`.
    saved: Vec<u64>,
    saved_prices: Vec<i64>,
    path: Vec<u32>,
    digits: Vec<u8>,
}

/// A function that tries to find the best solutions at the root of a whole search.
///
/// It returns true if it succeeded, so that the tree need not be searched.
pub(crate) trait Shortcut<P>:
    FnOnce(&mut P, &mut Relaxation, &mut BestSearch<'_>, &mut SearchContext<'_>) -> Result<bool, EndedBy>
{
}

impl<P, F> Shortcut<P> for F where
    F: FnOnce(&mut P, &mut Relaxation, &mut BestSearch<'_>, &mut SearchContext<'_>) -> Result<bool, EndedBy>
{
}

impl BestWalk {
    /// Returns the bound at the root if `problem` is the problem that was searched last. Otherwise returns a
    /// loose bound.
    pub(crate) fn bound(&self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
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

    /// Searches a grid for its best solutions. The goal of `run` must be the best solutions.
    pub(crate) fn search<P: Choices>(
        &mut self,
        position: &mut P,
        puzzle: &Puzzle,
        mut run: SearchContext<'_>,
        shortcut: impl Shortcut<P>,
    ) -> Outcome {
        let Some(top) = run.task.goal.top() else { return Outcome::nothing(EndedBy::Cancel) };
        let (scale, found) = (scale_of(puzzle, top.direction), BestFound::new(top, run.task.incumbent));
        let mut best = BestSearch { puzzle, scale, found, in_hand: i64::MAX };
        self.relaxation.reset(position, puzzle, scale);
        self.branchings.clear();
        self.ranked.clear();
        self.saved.clear();
        self.saved_prices.clear();
        self.path.clear();
        self.path.extend_from_slice(run.task.prefix);
        let end = self.walk(position, &mut best, &mut run, shortcut);
        let open = self.ranked.iter().map(|option| option.bound).fold(best.in_hand, i64::max);
        run.outcome_best(end, &best.found.leaders, best.unscaled(open))
    }

    fn walk<P: Choices>(
        &mut self,
        position: &mut P,
        best: &mut BestSearch<'_>,
        run: &mut SearchContext<'_>,
        shortcut: impl Shortcut<P>,
    ) -> Result<(), EndedBy> {
        let prefix = run.task.prefix;
        if !run.enter_within(prefix, || best.unscaled(best.in_hand))? {
            return Ok(());
        }
        let mut holds = self.load_root(position, best)?;
        if holds
            && prefix.is_empty()
            && !self.is_solved(position)
            && shortcut(position, &mut self.relaxation, best, run)?
        {
            return Ok(());
        }
        for &decision in prefix {
            // Recomputes the prices of each node on the path, as they were before the node's decision.
            holds = holds
                && self.relaxation.tighten(position, AT_NODE, |_| false).is_some()
                && decide(position, decision)?;
        }
        loop {
            if holds && self.is_solved(position) {
                let score = best.puzzle.weights().map_or(0, |weights| weights.score(&self.digits));
                if best.found.wants(score) {
                    best.found.take(score);
                    run.solution(Solution::Digits(&self.digits))?;
                }
            } else if holds
                && let Some(bound) =
                    self.relaxation.tighten(position, AT_NODE, |bound| best.is_hopeless(bound))
            {
                self.branch(position, bound.min(best.in_hand))?;
            }
            holds = loop {
                let Some(&Branching { first, depth }) = self.branchings.last() else { return Ok(()) };
                let state = self.saved.len() - position.state().len();
                let prices = self.saved_prices.len() - self.relaxation.prices().len();
                let next = self.ranked.pop().filter(|next| !best.is_hopeless(next.bound));
                if next.is_none() {
                    // The remaining decisions of the node have no better bounds than this one. So they cannot
                    // be in a wanted solution either.
                    self.ranked.truncate(first);
                } else {
                    position.restore(&self.saved[state..]);
                    self.relaxation.prices().copy_from_slice(&self.saved_prices[prices..]);
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
                    break decide(position, decision)?;
                }
            };
        }
    }

    /// If every cell has its digit, stores the digits in `self.digits` and returns true. Otherwise returns
    /// false.
    fn is_solved(&mut self, position: &impl Choices) -> bool {
        self.digits.clear();
        position.fill(&mut self.digits)
    }

    /// Loads a puzzle, and computes the bound and the prices at its root.
    ///
    /// Returns false if there is a contradiction.
    fn load_root(&mut self, position: &mut impl Choices, best: &mut BestSearch<'_>) -> Result<bool, EndedBy> {
        let (puzzle, direction) = (best.puzzle, best.found.leaders.top().direction);
        if !position.load()? {
            return Ok(false);
        }
        if self.is_solved(position) {
            return Ok(true);
        }
        if let Some(root) = self.known(ProblemRef::Puzzle(puzzle), direction) {
            best.in_hand = root.bound;
            let BestWalk { root: Some(Root { prices, .. }), relaxation, .. } = self else { return Ok(true) };
            relaxation.prices().copy_from_slice(prices);
            return Ok(true);
        }
        let schedule = self.relaxation.at_root();
        let Some(bound) = self.relaxation.tighten(position, schedule, |_| false) else { return Ok(false) };
        let root = self.root.get_or_insert_with(|| Root {
            puzzle: Puzzle::new(puzzle.geometry()),
            direction,
            bound,
            prices: Vec::new(),
        });
        root.puzzle.copy_from(puzzle);
        (root.direction, root.bound) = (direction, bound);
        root.prices.clear();
        root.prices.extend_from_slice(self.relaxation.prices());
        best.in_hand = bound;
        Ok(true)
    }

    /// Adds a branching at the current node to the stack.
    fn branch(&mut self, position: &impl Choices, bound: i64) -> Result<(), EndedBy> {
        let first = self.ranked.len();
        self.ranked.try_reserve(MAX_SIDE)?;
        self.branchings.try_reserve(1)?;
        self.saved.try_reserve(position.state().len())?;
        self.saved_prices.try_reserve(self.relaxation.prices().len())?;
        self.relaxation.rank(position, bound, &mut self.ranked);
        self.saved.extend_from_slice(position.state());
        self.saved_prices.extend_from_slice(self.relaxation.prices());
        self.branchings.push(Branching { first, depth: self.path.len() });
        Ok(())
    }
}
