//! The relaxation behind the bound: which rules are dropped, and the prices charged for them.
//!
//! * On a 9x9 with 3x3 boxes each digit chooses its nine cells on its own, one in every row, column and box (a
//!   *template*, see [`templates`](super::templates)); dropped is that a cell holds one digit. One price a cell.
//! * On every other grid each cell chooses its digit on its own; dropped is that a digit stands once in a house.
//!   One price for each digit in each house. At the best prices this is the linear programming bound.
//!
//! For any prices, the best choices net of prices plus the sum of all prices is a bound: a solution breaks no
//! rule, so it pays each price exactly once. Prices move along the subgradient (how often each rule is met, less
//! one) in steps that shrink by a fixed factor: everything here is a function of the path of the search.

use super::Ranked;
use super::templates::Templates;
use crate::bits::Bits;
use crate::engine::bitmask::board::Board;
use crate::engine::bitmask::shape::Shape;
use crate::engine::scale::Scale;
use crate::model::Puzzle;

/// Prices stay within this either way, so that no sum overflows.
const LARGEST_PRICE: i64 = 1 << 44;

/// A schedule of price steps; sizes in 65,536ths of a typical step from one digit to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    /// Number of steps.
    pub(super) steps: u32,
    /// Size of the first.
    pub(super) first: i64,
    /// Size of each as a fraction, in 65,536ths, of the one before.
    pub(super) shrink: i64,
}

/// The relaxation of one puzzle.
#[derive(Debug, Default)]
pub(super) struct Relaxation {
    /// Scaled value of each candidate, `cell * side + digit`; more is better.
    values: Vec<i64>,
    prices: Vec<i64>,
    /// The prices of a node's best bound so far.
    kept: Vec<i64>,
    /// The number of times that each priced rule is met by the present choices.
    met: Vec<u32>,
    /// Loss of each candidate.
    losses: Vec<i64>,
    /// Typical difference of value from one digit of a cell to the next, scaled.
    pub(super) grain: i64,
    /// For a 9x9.
    templates: Option<Box<Templates>>,
    by_templates: bool,
}

impl Relaxation {
    /// Takes a puzzle; all prices are zero.
    pub(super) fn reset(&mut self, shape: &Shape, puzzle: &Puzzle, scale: Scale) {
        let (side, cells) = (shape.side, shape.cells);
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
        self.by_templates = puzzle.geometry().is_9x9();
        if self.by_templates {
            self.templates.get_or_insert_default();
        }
        let rules = if self.by_templates { cells } else { shape.houses * side };
        for prices in [&mut self.prices, &mut self.kept] {
            prices.clear();
            prices.resize(rules, 0);
        }
        self.met.clear();
        self.met.resize(rules, 0);
        self.grain = self.typical_step(puzzle, side);
    }

    /// The spread of an open cell's values over the digits it spans, on average.
    fn typical_step(&self, puzzle: &Puzzle, side: usize) -> i64 {
        let (mut spread, mut open) = (0i64, 0i64);
        for (set, values) in puzzle.candidates().iter().zip(self.values.chunks_exact(side)) {
            if set.len() > 1 {
                let of_set = || set.iter().map(|digit| values[digit]);
                spread += of_set().max().unwrap_or(0) - of_set().min().unwrap_or(0);
                open += i64::from(set.len()) - 1;
            }
        }
        (spread / open.max(1)).max(1)
    }

    /// The templates with the values and prices that give theirs, where these are the relaxation.
    pub(super) fn templates(&mut self) -> Option<(&mut Templates, &[i64], &[i64])> {
        let templates = self.templates.as_deref_mut().filter(|_| self.by_templates)?;
        Some((templates, &self.values, &self.prices))
    }

    /// The prices in force.
    pub(super) fn prices(&self) -> &[i64] {
        &self.prices
    }

    /// Goes back to prices saved earlier.
    pub(super) fn set_prices(&mut self, prices: &[i64]) {
        self.prices.copy_from_slice(prices);
    }

    /// Moves the prices by a schedule and keeps those of the best bound, which it returns, scaled. `None`: there is
    /// no solution, or `hopeless` returned true for a bound.
    pub(super) fn tighten(
        &mut self,
        board: &Board,
        shape: &Shape,
        schedule: Schedule,
        hopeless: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        let mut best = i64::MAX;
        // With sixteen more bits, so that it shrinks evenly to the end.
        let mut size = i128::from(schedule.first) << 16;
        for step in 0..=schedule.steps {
            let bound = self.evaluate(board, shape)?;
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
                *price = (*price + length * (i64::from(met) - 1)).clamp(-LARGEST_PRICE, LARGEST_PRICE);
            }
            size = (size * i128::from(schedule.shrink)) >> 16;
        }
        self.prices.copy_from_slice(&self.kept);
        Some(best)
    }

    /// Returns the bound at the present prices; counts the times that each rule is met.
    fn evaluate(&mut self, board: &Board, shape: &Shape) -> Option<i64> {
        self.met.fill(0);
        let paid: i64 = self.prices.iter().sum();
        if let (true, Some(templates)) = (self.by_templates, &mut self.templates) {
            return Some(paid + templates.choose(board, &self.values, &self.prices, &mut self.met)?);
        }
        let mut sum = paid;
        for cell in 0..shape.cells {
            let (net, digit) = self.best_of_cell(board, shape, cell);
            sum += net;
            for seat in shape.seats(cell) {
                self.met[seat.base as usize + digit] += 1;
            }
        }
        Some(sum)
    }

    /// Returns the value of a digit in a cell, net of the prices of its houses.
    fn net(&self, shape: &Shape, cell: usize, digit: usize) -> i64 {
        let charged: i64 = shape.seats(cell).iter().map(|seat| self.prices[seat.base as usize + digit]).sum();
        self.values[cell * shape.side + digit] - charged
    }

    /// Returns the net worth of the best digit of a cell, and the digit, the lowest of equals.
    fn best_of_cell(&self, board: &Board, shape: &Shape, cell: usize) -> (i64, usize) {
        let mut best = (i64::MIN, 0);
        for digit in Bits(board.cell(cell)) {
            let net = self.net(shape, cell, digit);
            if net > best.0 {
                best = (net, digit);
            }
        }
        best
    }

    /// Chooses the item to branch on and appends its options to the list, the best last: that whose second-best
    /// option loses most, then the one with the fewest options, then the first.
    ///
    /// Uses the prices left by [`tighten`](Self::tighten), whose bound is given.
    pub(super) fn rank(
        &mut self,
        board: &Board,
        shape: &Shape,
        bound: i64,
        ranked: &mut Vec<Ranked>,
    ) -> usize {
        self.lose(board, shape);
        let side = shape.side;
        let loss = |item: usize, option: usize| {
            let (cell, digit) = board.option(shape, item, option);
            self.losses[cell * side + digit]
        };
        let mut chosen = (0, (i64::MIN, 0));
        for (item, &word) in board.items().iter().enumerate() {
            let count = word.count_ones();
            if count < 2 {
                continue;
            }
            let (mut least, mut second) = (i64::MAX, i64::MAX);
            for option in Bits(word) {
                let loss = loss(item, option);
                if loss < least {
                    (least, second) = (loss, least);
                } else {
                    second = second.min(loss);
                }
            }
            let merit = (second, -i64::from(count));
            if merit > chosen.1 {
                chosen = (item, merit);
            }
        }
        let item = chosen.0;
        let start = ranked.len();
        let options = Bits(board.items()[item]);
        ranked
            .extend(options.map(|option| Ranked { bound: bound - loss(item, option), option: option as u8 }));
        ranked[start..].sort_unstable_by_key(|option| (option.bound, std::cmp::Reverse(option.option)));
        item
    }

    /// Works out the loss of every candidate at the present prices.
    fn lose(&mut self, board: &Board, shape: &Shape) {
        if let (true, Some(templates)) = (self.by_templates, &mut self.templates) {
            return templates.lose(board, &self.values, &self.prices, &mut self.losses);
        }
        for cell in 0..shape.cells {
            let (best, _) = self.best_of_cell(board, shape, cell);
            for digit in 0..shape.side {
                if board.cell(cell) >> digit & 1 != 0 {
                    self.losses[cell * shape.side + digit] = best - self.net(shape, cell, digit);
                }
            }
        }
    }
}
