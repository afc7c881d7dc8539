//! The solution with the largest or smallest score: branch and bound on the [board](super::board).
//!
//! At every node [`prices`](crate::prices) gives a score that no solution below can beat. For every candidate
//! it gives the loss of that bound if the candidate must be chosen. Only full houses have prices. All other
//! rules remove candidates first.
//!
//! # Order
//! Ties go to the earliest solution in sequential order, and a search that is split over threads must agree
//! on which that is. So the tree, its prices and the order of its branches are a function of the path alone.
//! The best score so far only decides which branches are left out.

use super::board::{Board, Culprit, Step};
use super::tables::Tables;
use crate::budget::Watch;
use crate::incumbent::BestFound;
use crate::prices::{AT_NODE, AT_ROOT, BestSearch, Choices, Prices, Schedule, scale_of, unscaled};
use crate::run::Run;
use quadrille_model::bits::Bits;
use quadrille_model::{Direction, EndedBy, Outcome, ProblemRef, Puzzle, Solution, Top};

/// A board in which each cell makes a choice.
struct ByCells<'a> {
    board: &'a Board,
    tables: &'a Tables,
}

impl Choices for ByCells<'_> {
    #[inline]
    fn mask(&self, cell: usize) -> u64 {
        self.board.masks[cell]
    }

    #[inline]
    fn houses(&self, cell: usize) -> impl Iterator<Item = usize> {
        self.tables.houses_of.of(cell).iter().map(|&house| usize::from(house) * self.tables.side)
    }
}

/// A node with digits of a cell left to try.
#[derive(Debug, Clone, Copy)]
struct Branching {
    /// Index of its first decision in `ranked`. The decisions from there to the end of the list are left.
    first: usize,
    /// Number of decisions on the path to the node.
    depth: usize,
}

/// A decision that is left.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    /// Scaled bound: no solution with the decision is worth more.
    bound: i64,
    /// `cell * side + digit`.
    decision: u32,
}

/// The bound and the prices of a problem's root, kept for the parts of a split search.
#[derive(Debug)]
struct Root {
    puzzle: Puzzle,
    direction: Direction,
    bound: i64,
    prices: Vec<i64>,
}

/// The memory of a search for the best value, kept from problem to problem.
#[derive(Debug, Default)]
pub(super) struct BestVariant {
    board: Board,
    priced: Prices,
    root: Option<Root>,
    branchings: Vec<Branching>,
    /// Decisions of all branchings; in each, the one with the best bound is last.
    ranked: Vec<Ranked>,
    /// The masks of each branching.
    saved: Vec<u64>,
    /// The prices of each branching.
    saved_prices: Vec<i64>,
    path: Vec<u32>,
    digits: Vec<u8>,
}

impl BestVariant {
    /// Returns the bound of the last problem's root, or `None` if that was another problem.
    pub(super) fn bound(&self, problem: ProblemRef<'_>, direction: Direction) -> Option<i64> {
        let ProblemRef::Puzzle(puzzle) = problem else { return None };
        let root = self.root.as_ref().filter(|root| root.direction == direction && root.puzzle == *puzzle)?;
        Some(unscaled(scale_of(puzzle, direction), root.bound))
    }

    /// Searches a grid with rules for its best solutions.
    pub(super) fn search(&mut self, tables: &Tables, puzzle: &Puzzle, top: Top, mut run: Run<'_>) -> Outcome {
        let scale = scale_of(puzzle, top.direction);
        let mut walk =
            BestSearch { scale, found: BestFound::new(top, run.task.incumbent), in_hand: i64::MAX };
        self.branchings.clear();
        self.ranked.clear();
        self.saved.clear();
        self.saved_prices.clear();
        self.path.clear();
        self.path.extend_from_slice(run.task.prefix);
        self.priced.reset(puzzle, scale, tables.full.len());
        let end = self.walk(tables, puzzle, top.direction, &mut walk, &mut run);
        let open = self.ranked.iter().map(|option| option.bound).fold(walk.in_hand, i64::max);
        run.outcome_best(end, &walk.found.leaders, unscaled(scale, open))
    }

    fn walk(
        &mut self,
        tables: &Tables,
        puzzle: &Puzzle,
        direction: Direction,
        walk: &mut BestSearch<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), EndedBy> {
        if !run.enter_within(&self.path, || walk.unscaled(walk.in_hand))? {
            return Ok(());
        }
        let watch = run.watch();
        let mut step = self.load_root(tables, puzzle, direction, watch).and_then(|bound| {
            walk.in_hand = bound;
            self.replay(tables, run.task.prefix, watch)
        });
        loop {
            if let Err(Culprit::Stop(reason)) = step {
                return Err(reason);
            }
            if step.is_ok() && self.board.is_solved() {
                self.digits.clear();
                self.digits.extend(self.board.masks.iter().map(|mask| mask.trailing_zeros() as u8));
                let score = puzzle.weights().map_or(0, |weights| weights.score(&self.digits));
                if walk.found.wants(score) {
                    walk.found.take(score);
                    run.solution(Solution::Digits(&self.digits))?;
                }
            } else if step.is_ok()
                && let Some(bound) = self.tighten(tables, AT_NODE, |bound| walk.is_hopeless(bound))
            {
                self.branch(tables, bound.min(walk.in_hand))?;
            }
            step = loop {
                let Some(&Branching { first, depth }) = self.branchings.last() else { return Ok(()) };
                let (masks, prices) =
                    (self.saved.len() - tables.cells, self.saved_prices.len() - tables.full.len());
                let next = self.ranked.pop().filter(|next| !walk.is_hopeless(next.bound));
                let Some(Ranked { bound, decision }) = next else {
                    // The other decisions have no better bounds.
                    self.ranked.truncate(first);
                    self.branchings.pop();
                    self.saved.truncate(masks);
                    self.saved_prices.truncate(prices);
                    continue;
                };
                self.board.restore(&self.saved[masks..]);
                self.priced.prices.copy_from_slice(&self.saved_prices[prices..]);
                self.path.truncate(depth);
                self.path.push(decision);
                if self.ranked.len() == first {
                    self.branchings.pop();
                    self.saved.truncate(masks);
                    self.saved_prices.truncate(prices);
                } else {
                    run.guesses += 1;
                }
                walk.in_hand = bound;
                if run.enter_within(&self.path, || walk.unscaled(bound))? {
                    break self.decide(tables, decision, watch);
                }
            };
        }
    }

    /// Loads a puzzle and computes the scaled bound and the prices of the root.
    fn load_root(
        &mut self,
        tables: &Tables,
        puzzle: &Puzzle,
        direction: Direction,
        watch: Watch<'_>,
    ) -> Result<i64, Culprit> {
        self.board.load(tables, puzzle.candidates(), puzzle.constraints(), watch)?;
        if self.board.is_solved() {
            return Ok(i64::MAX);
        }
        if let Some(root) = &self.root
            && root.direction == direction
            && root.puzzle == *puzzle
        {
            self.priced.prices.copy_from_slice(&root.prices);
            return Ok(root.bound);
        }
        // Nothing counts as hopeless, so that the kept bound suits every search.
        let bound = self.tighten(tables, AT_ROOT, |_| false).unwrap_or(i64::MAX);
        let prices = self.priced.prices.clone();
        self.root = Some(Root { puzzle: puzzle.clone(), direction, bound, prices });
        Ok(bound)
    }

    /// Replays a prefix from the root, with the prices that each of its nodes had.
    fn replay(&mut self, tables: &Tables, prefix: &[u32], watch: Watch<'_>) -> Step {
        for &decision in prefix {
            self.tighten(tables, AT_NODE, |_| false);
            self.decide(tables, decision, watch)?;
        }
        Ok(())
    }

    /// Takes a decision and propagates. A decision that does not exist in this grid is a contradiction.
    fn decide(&mut self, tables: &Tables, decision: u32, watch: Watch<'_>) -> Step {
        let (cell, digit) = (decision as usize / tables.side, decision as usize % tables.side);
        if cell >= tables.cells {
            return Err(Culprit::Cell(0));
        }
        self.board.decide(tables, cell, digit, watch)
    }

    /// Adjusts the prices; returns the bound of the current node, or `None` if that is hopeless.
    fn tighten(
        &mut self,
        tables: &Tables,
        schedule: Schedule,
        hopeless: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        let choices = ByCells { board: &self.board, tables };
        self.priced.tighten(schedule, |priced| Some(priced.by_cells(&choices)), hopeless)
    }

    /// Opens a branching at the current node.
    ///
    /// It is on the cell whose second-best digit loses most, then on the one with the fewest digits, then on
    /// the first.
    fn branch(&mut self, tables: &Tables, bound: i64) -> Result<(), EndedBy> {
        self.priced.lose(&ByCells { board: &self.board, tables });
        let losses = &self.priced.losses;
        let (mut chosen, mut most) = (0, (i64::MIN, 0));
        for (cell, &mask) in self.board.masks.iter().enumerate().filter(|(_, mask)| mask.count_ones() > 1) {
            let (mut least, mut second) = (i64::MAX, i64::MAX);
            for digit in Bits(mask) {
                let loss = losses[cell * tables.side + digit];
                (least, second) = (least.min(loss), second.min(loss.max(least)));
            }
            let merit = (second, -i64::from(mask.count_ones()));
            if merit > most {
                (chosen, most) = (cell, merit);
            }
        }
        let first = self.ranked.len();
        self.ranked.try_reserve(tables.side)?;
        self.branchings.try_reserve(1)?;
        self.saved.try_reserve(tables.cells)?;
        self.saved_prices.try_reserve(tables.full.len())?;
        let ranked = |digit: usize| {
            let place = chosen * tables.side + digit;
            Ranked { bound: bound.saturating_sub(losses[place]), decision: place as u32 }
        };
        self.ranked.extend(Bits(self.board.masks[chosen]).map(ranked));
        self.ranked[first..]
            .sort_unstable_by_key(|option| (option.bound, std::cmp::Reverse(option.decision)));
        self.saved.extend_from_slice(&self.board.masks);
        self.saved_prices.extend_from_slice(&self.priced.prices);
        self.branchings.push(Branching { first, depth: self.path.len() });
        Ok(())
    }
}
