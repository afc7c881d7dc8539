//! The relaxation that bounds the best grid: which rules are dropped, and the prices charged for them.
//!
//! Each cell chooses its digit on its own; the dropped rule is that a house holds each digit once. There is one price
//! for each digit in each house. The best prices give the bound of linear programming (Lagrangian relaxation; for the
//! step rule see Held and Karp 1971).
//!
//! For any prices, the sum of the best choices net of prices, plus the sum of all prices, is a bound: a solution breaks
//! no rule, so it pays each price exactly once. Prices move along the subgradient (how often each rule is met, minus
//! one) in steps that shrink by a fixed factor. So everything here depends only on the path of the search.

use crate::fixed_point::FixedPoint;
use crate::incumbent::BestFound;
use crate::walk::Position;
use quadrille_model::bits::Bits;
use quadrille_model::{Direction, Puzzle};

/// Maximum absolute value of a price, so that no sum overflows.
const MAX_PRICE: i64 = 1 << 44;
/// Bits of the largest scaled value of a candidate.
///
/// Sums over all cells and prices stay far within 64 bits.
const VALUE_BITS: i32 = 40;
/// Maximum number of bits for fractions of a point.
const FRACTION_BITS: i32 = 12;

/// A schedule of price steps. Sizes are in 65,536ths of a typical difference from one digit to the next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    /// Number of steps.
    pub(crate) steps: u32,
    /// Size of the first step.
    pub(crate) first: i64,
    /// Ratio of each step's size to the size of the step before it, in 65,536ths.
    pub(crate) shrink: i64,
}

/// The steps at the root, down to a 30,000th of the first: the last steps make the bound tight.
pub(crate) const AT_ROOT: Schedule = Schedule { steps: 600, first: 2 << 16, shrink: 64_408 };
/// The steps at a node before it is branched on, from its parent's prices.
pub(crate) const AT_NODE: Schedule = Schedule { steps: 8, first: 1 << 13, shrink: 51_200 };

/// The best grids found, and the bound of the nodes left.
pub(crate) struct BestSearch<'a> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) scale: FixedPoint,
    pub(crate) found: BestFound<'a>,
    /// Scaled bound of the current node. When a search stops, everything that it has not seen is below this node or
    /// on the stack.
    pub(crate) in_hand: i64,
}

impl BestSearch<'_> {
    /// Returns the best score that a scaled bound allows.
    pub(crate) fn unscaled(&self, bound: i64) -> i64 {
        unscaled(self.scale, bound)
    }

    /// Returns true if no solution within a scaled bound is wanted.
    pub(crate) fn is_hopeless(&self, bound: i64) -> bool {
        !self.found.wants(self.unscaled(bound))
    }
}

/// A grid whose cells can choose digits on their own.
pub(crate) trait Choices: Position<Part = u64> {
    /// Returns the open options of every item that can be branched on: first the cells with their digits, then, in
    /// some grids, the digits of houses with their places.
    fn items(&self) -> &[u64];

    /// Returns the cell and digit of an option of an item.
    fn option(&self, item: usize, option: usize) -> (usize, usize);

    /// Returns for each house of a cell that holds each digit once the index of its price for digit 0.
    fn houses(&self, cell: usize) -> impl Iterator<Item = usize>;

    /// Returns the number of prices of all such houses.
    fn prices(&self) -> usize;
}

/// Returns the finest scale for a puzzle's weights.
///
/// Values and bounds have the opposite sign of its costs: more is better.
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

/// Returns the best score that a scaled bound allows.
pub(crate) fn unscaled(scale: FixedPoint, bound: i64) -> i64 {
    scale.score(bound.saturating_neg())
}

/// Values and prices of one puzzle.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    side: usize,
    /// Scaled value of each candidate, `cell * side + digit`; more is better.
    pub(crate) values: Vec<i64>,
    /// The current prices.
    pub(crate) prices: Vec<i64>,
    /// The prices that gave the node's best bound so far.
    kept: Vec<i64>,
    /// Number of times that the current choices meet each priced rule.
    pub(crate) met: Vec<u32>,
    /// Loss of each candidate, `cell * side + digit`.
    pub(crate) losses: Vec<i64>,
    /// Typical difference in value from one digit of a cell to the next, scaled.
    pub(crate) grain: i64,
}

impl Prices {
    /// Loads a puzzle and sets the prices of all `rules` rules to zero.
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

    /// Returns the average difference in value per digit over open cells, at least 1.
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

    /// Moves the prices by a schedule and keeps those of the best bound. Returns that bound, scaled.
    ///
    /// `evaluate` returns the bound at the current prices, and counts in `met` how often each rule is met. Returns
    /// `None` if there is no solution or `hopeless` returned true for a bound.
    pub(crate) fn tighten(
        &mut self,
        schedule: Schedule,
        mut evaluate: impl FnMut(&mut Self) -> Option<i64>,
        hopeless: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        let mut best = i64::MAX;
        // Sixteen more bits, so that even small sizes shrink by the exact factor.
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

    /// Returns the bound at the current prices if each cell chooses on its own. Counts in `met` how often each rule
    /// is met.
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

    /// Returns the value of a digit in a cell, net of the prices of its houses.
    fn net(&self, choices: &impl Choices, cell: usize, digit: usize) -> i64 {
        let charged: i64 = choices.houses(cell).map(|base| self.prices[base + digit]).sum();
        self.values[cell * self.side + digit] - charged
    }

    /// Returns the net worth of the best digit of a cell, and the digit, the lowest of equals.
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

    /// Computes the loss of every candidate: how far the bound falls if it must be chosen.
    pub(crate) fn lose(&mut self, choices: &impl Choices) {
        for cell in 0..self.values.len() / self.side {
            let (best, _) = self.best_of_cell(choices, cell);
            for digit in Bits(choices.items()[cell]) {
                self.losses[cell * self.side + digit] = best - self.net(choices, cell, digit);
            }
        }
    }
}
