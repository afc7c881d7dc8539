//! The relaxation that bounds the best grid: the dropped rules, and the prices charged for breaking them.
//!
//! Each cell chooses its digit independently. The dropped rule is that a house holds each digit once. There
//! is one price for each digit in each house. The best prices give the same bound as linear programming
//! (Lagrangian relaxation; for the step rule see Held and Karp 1971).
//!
//! The worth of a choice is its value minus its prices. Any prices give a bound: the sum of the best choices
//! plus the sum of all prices. The reason is that a solution breaks no rule, so it pays each price exactly
//! once. Prices move along the subgradient. For each rule, this is the number of choices that meet the rule,
//! minus one. The steps shrink by a fixed factor. So everything here depends only on the path of the search.

use crate::fixed_point::FixedPoint;
use crate::incumbent::BestFound;
use crate::walk::Position;
use quadrille_model::bits::Bits;
use quadrille_model::{Direction, Puzzle};

/// Maximum absolute value of a price, chosen so that no sum overflows.
const MAX_PRICE: i64 = 1 << 44;
/// Number of bits of the largest scaled value of a candidate.
///
/// With this number, sums over all cells and prices stay far within 64 bits.
const VALUE_BITS: i32 = 40;
/// Maximum number of bits after the binary point in a scaled value.
const FRACTION_BITS: i32 = 12;

/// A schedule of price steps.
///
/// Step sizes are in 65,536ths of the typical difference between the values of two digits of a cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    /// Number of steps.
    pub(crate) steps: u32,
    /// Size of the first step.
    pub(crate) first: i64,
    /// Size of each step relative to the step before it, in 65,536ths.
    pub(crate) shrink: i64,
}

/// The schedule at the root. Its last step has only a 30,000th of the size of the first step, because small
/// steps make the bound tight.
pub(crate) const AT_ROOT: Schedule = Schedule { steps: 600, first: 2 << 16, shrink: 64_408 };
/// The schedule at a node whose item to branch on is chosen next. The first prices are those of the node's
/// parent.
pub(crate) const AT_NODE: Schedule = Schedule { steps: 8, first: 1 << 13, shrink: 51_200 };

/// The best grids found so far, and the bound of the nodes that remain.
pub(crate) struct BestSearch<'a> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) scale: FixedPoint,
    pub(crate) found: BestFound<'a>,
    /// Scaled bound of the current node.
    ///
    /// When a search stops, each unseen solution is below this node or below a decision on the stack.
    pub(crate) in_hand: i64,
}

impl BestSearch<'_> {
    /// Returns the best score that a solution can have if `bound` is its scaled bound.
    pub(crate) fn unscaled(&self, bound: i64) -> i64 {
        unscaled(self.scale, bound)
    }

    /// Returns true if a subtree with this scaled bound cannot contain a wanted solution.
    pub(crate) fn is_hopeless(&self, bound: i64) -> bool {
        !self.found.wants(self.unscaled(bound))
    }
}

/// A grid in which each cell can choose a digit on its own, without regard to other cells.
pub(crate) trait Choices: Position<Part = u64> {
    /// Returns the remaining options of every item that can be branched on.
    ///
    /// The first items are the cells, and their options are digits. In some grids, there is also one item per
    /// house and digit. Its options are the cells of the house that can hold the digit.
    fn items(&self) -> &[u64];

    /// Returns the cell and the digit that an option of an item represents.
    fn option(&self, item: usize, option: usize) -> (usize, usize);

    /// Returns where the prices of a cell's houses begin. Each of these houses must hold each digit once.
    ///
    /// For each house, the result is the index of the price for digit 0. The prices of the other digits
    /// follow it.
    fn houses(&self, cell: usize) -> impl Iterator<Item = usize>;

    /// Returns the number of prices: one for each digit of each house that must hold each digit once.
    fn prices(&self) -> usize;
}

/// Returns the finest possible scale for the weights of a puzzle.
///
/// On this scale, values and bounds are negated costs, so larger numbers are better.
pub(crate) fn scale_of(puzzle: &Puzzle, direction: Direction) -> FixedPoint {
    let largest = puzzle.weights().map_or(0, |weights| {
        let values =
            puzzle.candidates().iter().enumerate().flat_map(|(cell, set)| {
                set.iter().map(move |digit| weights.value(cell, digit).unsigned_abs())
            });
        values.max().unwrap_or(0)
    });
    FixedPoint::new(direction, VALUE_BITS, largest, FRACTION_BITS)
}

/// Returns the best score that a solution can have if `bound` is its scaled bound.
pub(crate) fn unscaled(scale: FixedPoint, bound: i64) -> i64 {
    scale.score(bound.saturating_neg())
}

/// Values of the candidates of one puzzle, and the prices.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    side: usize,
    /// Scaled value of each candidate, at index `cell * side + digit`. Larger values are better.
    pub(crate) values: Vec<i64>,
    /// The current prices.
    pub(crate) prices: Vec<i64>,
    /// The prices that have given the best bound of the node so far.
    kept: Vec<i64>,
    /// For each rule with a price, the number of current choices that meet the rule.
    pub(crate) met: Vec<u32>,
    /// Loss of each candidate, at index `cell * side + digit`.
    pub(crate) losses: Vec<i64>,
    /// Typical difference between the values of two digits of a cell, scaled.
    pub(crate) grain: i64,
}

impl Prices {
    /// Loads a puzzle and sets all prices to zero. `rules` is the number of prices.
    pub(crate) fn reset(&mut self, puzzle: &Puzzle, scale: FixedPoint, rules: usize) {
        let (side, cells) = (puzzle.geometry().side(), puzzle.geometry().cells());
        self.side = side;
        self.values.clear();
        self.values.resize(cells * side, 0);
        if let Some(weights) = puzzle.weights() {
            for (cell, values) in self.values.chunks_exact_mut(side).enumerate() {
                for (digit, value) in values.iter_mut().enumerate() {
                    if puzzle.candidates()[cell].contains(digit) {
                        *value = -scale.limit(weights.value(cell, digit), 0);
                    }
                }
            }
        }
        self.losses.clear();
        self.losses.resize(cells * side, 0);
        for prices in [&mut self.prices, &mut self.kept] {
            prices.clear();
            prices.resize(rules, 0);
        }
        self.met.clear();
        self.met.resize(rules, 0);
        self.grain = self.typical_step(puzzle);
    }

    /// Returns the typical difference between the values of two digits of an open cell, at least 1.
    ///
    /// First computes two sums over all open cells. One adds, for each cell, its largest value minus its
    /// smallest value. The other adds the number of candidates minus one. The result is the first sum divided
    /// by the second.
    fn typical_step(&self, puzzle: &Puzzle) -> i64 {
        let (mut spread, mut open) = (0i64, 0i64);
        for (set, values) in puzzle.candidates().iter().zip(self.values.chunks_exact(self.side)) {
            if set.len() > 1 {
                let of_set = || set.iter().map(|digit| values[digit]);
                spread += of_set().max().unwrap_or(0) - of_set().min().unwrap_or(0);
                open += i64::from(set.len()) - 1;
            }
        }
        (spread / open.max(1)).max(1)
    }

    /// Moves the prices according to a schedule, and returns the best bound reached, scaled. Keeps the prices
    /// that gave this bound.
    ///
    /// `evaluate` returns the bound at the current prices. It also counts in `met` how often each rule is
    /// met. The result is `None` if there is no solution, or if `hopeless` returned true for a bound.
    pub(crate) fn tighten(
        &mut self,
        schedule: Schedule,
        mut evaluate: impl FnMut(&mut Self) -> Option<i64>,
        hopeless: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        let mut best = i64::MAX;
        // The step size has sixteen extra bits. So even small sizes shrink by almost exactly the wanted
        // factor.
        let mut size = i128::from(schedule.first) << 16;
        for step in 0..=schedule.steps {
            self.met.fill(0);
            let bound = evaluate(self)?;
            if bound < best {
                best = bound;
                self.kept.copy_from_slice(&self.prices);
                if hopeless(best) {
                    return None;
                }
            }
            if step == schedule.steps || self.met.iter().all(|&met| met == 1) {
                break;
            }
            let length = ((i128::from(self.grain) * size) >> 32).max(1) as i64;
            for (price, &met) in self.prices.iter_mut().zip(&self.met) {
                *price = (*price + length * (i64::from(met) - 1)).clamp(-MAX_PRICE, MAX_PRICE);
            }
            size = (size * i128::from(schedule.shrink)) >> 16;
        }
        self.prices.copy_from_slice(&self.kept);
        Some(best)
    }

    /// Returns the bound at the current prices if each cell chooses independently.
    ///
    /// Counts in `met` how often each rule is met.
    pub(crate) fn by_cells(&mut self, choices: &impl Choices) -> i64 {
        let mut sum: i64 = self.prices.iter().sum();
        for cell in 0..self.values.len() / self.side {
            let (net, digit) = self.best_of_cell(choices, cell);
            sum += net;
            for base in choices.houses(cell) {
                self.met[base + digit] += 1;
            }
        }
        sum
    }

    /// Returns the value of a digit in a cell, minus the prices of the cell's houses for this digit.
    fn net(&self, choices: &impl Choices, cell: usize, digit: usize) -> i64 {
        let charged: i64 = choices.houses(cell).map(|base| self.prices[base + digit]).sum();
        self.values[cell * self.side + digit] - charged
    }

    /// Returns the worth of the best digit of a cell, and this digit. The worth of a digit is its value minus
    /// its prices.
    ///
    /// If several digits are equally good, returns the lowest.
    fn best_of_cell(&self, choices: &impl Choices, cell: usize) -> (i64, usize) {
        let mut best = (i64::MIN, 0);
        for digit in Bits(choices.items()[cell]) {
            let net = self.net(choices, cell, digit);
            if net > best.0 {
                best = (net, digit);
            }
        }
        best
    }

    /// Computes the loss of every candidate: how far the bound falls if the candidate must be chosen.
    pub(crate) fn lose(&mut self, choices: &impl Choices) {
        for cell in 0..self.values.len() / self.side {
            let (best, _) = self.best_of_cell(choices, cell);
            for digit in Bits(choices.items()[cell]) {
                self.losses[cell * self.side + digit] = best - self.net(choices, cell, digit);
            }
        }
    }
}
