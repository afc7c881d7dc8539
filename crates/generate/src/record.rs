//! A generated puzzle.

use std::sync::Arc;

use quadrille_model::canonical::Cells;
use quadrille_model::rules::Rules;
use quadrille_model::{DigitSet, Geometry, Puzzle, Symbols, binomial};
use quadrille_rating::{Rater, RatingBound, StepFilter, Tenths};

/// A generated puzzle or grid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Generated {
    /// 0-based index of this record among all records that are made from the same seed.
    pub index: u64,
    /// The shape of the grid.
    pub geometry: Arc<Geometry>,
    /// The rules, or `None` if there are only rows, columns and boxes.
    pub rules: Option<Arc<Rules>>,
    /// The clues, as one 0-based digit per cell; `None` for an empty cell.
    pub cells: Box<[Option<u8>]>,
    /// The solved grid from which the record was made, or `None` if this grid is no longer a solution.
    pub solution: Option<Box<[u8]>>,
    /// Number of guesses that the engine made to solve the puzzle, or `None` if the request does not need
    /// this number.
    pub guesses: Option<u64>,
    /// The rating, or `None` if the request has no range of ratings.
    pub rating: Option<Tenths>,
    /// Number of orders of clue removal that were tried, including the order that made the record.
    ///
    /// `None` unless the method was [`Method::Controlled`](crate::Method::Controlled).
    pub orders: Option<u64>,
    /// Number of attempts to make this record, including the attempt that succeeded.
    pub attempts: u64,
}

impl Generated {
    /// Returns the number of clues.
    pub fn clues(&self) -> u32 {
        self.cells.iter().flatten().count() as u32
    }

    /// Returns the weight of this puzzle in an unbiased sample.
    ///
    /// Returns `None` unless the method was [`Method::Controlled`](crate::Method::Controlled). If the puzzle
    /// has n clues, the weight is the number of ways to choose n cells of the grid. The sum of the weights,
    /// divided by the number of [orders](Self::orders), estimates the mean number of minimal puzzles per
    /// solved grid.
    pub fn weight(&self) -> Option<u128> {
        self.orders.map(|_| binomial(self.cells.len() as u32, self.clues()))
    }

    /// Returns the clues as a grid, or `None` if grids of this shape have no canonical form.
    pub(super) fn clue_cells(&self) -> Option<Cells> {
        let clues: Vec<u8> = self.cells.iter().map(|cell| cell.map_or(0, |digit| digit + 1)).collect();
        Cells::new(&clues).ok()
    }

    /// Returns the rating of a puzzle with one solution.
    ///
    /// Returns `None` if the puzzle cannot be rated, if the rating exceeds the rater's maximum, or if the
    /// solving steps do not meet the conditions in `steps`.
    pub(super) fn rate(&self, rater: &mut Rater, steps: &StepFilter) -> Option<Tenths> {
        let solution = Cells::of_solution(self.solution.as_ref()?).ok()?;
        let rating = rater.rate(&self.clue_cells()?, &solution).ok();
        match rating.filter(|rating| steps.accepts(rating))?.er {
            RatingBound::Exactly(rating) => Some(rating),
            RatingBound::Above(_) => None,
        }
    }

    /// Converts the record into a puzzle.
    pub fn puzzle(&self) -> Puzzle {
        let mut puzzle = Puzzle::new(&self.geometry);
        self.rules.iter().for_each(|rules| puzzle.set_rules(rules));
        for (cell, digit) in self.cells.iter().enumerate() {
            if let Some(digit) = digit {
                puzzle.restrict(cell, DigitSet::only(usize::from(*digit)));
            }
        }
        puzzle
    }

    /// Writes the puzzle as text, with one character per cell and `.` for an empty cell.
    ///
    /// If there are rules, writes a tab and the rules after the cells.
    pub fn write_puzzle(&self, out: &mut Vec<u8>) {
        self.write_cells(out);
        if let Some(rules) = &self.rules {
            out.push(b'\t');
            out.extend_from_slice(rules.text().as_bytes());
        }
    }

    /// Writes the puzzle as text without its rules, with one character per cell and `.` for an empty cell.
    pub fn write_cells(&self, out: &mut Vec<u8>) {
        let character = |digit: u8| Symbols::DEFAULT.character(usize::from(digit)).unwrap_or(b'?');
        out.extend(self.cells.iter().map(|cell| cell.map_or(b'.', character)));
    }

    /// Writes the solution as text, if there is one.
    pub fn write_solution(&self, out: &mut Vec<u8>) {
        if let Some(solution) = &self.solution {
            Symbols::DEFAULT.write(solution, out);
        }
    }
}
