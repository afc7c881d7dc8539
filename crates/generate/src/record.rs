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
    /// Number among the records of its seed, 0-based.
    pub index: u64,
    /// The shape of the grid.
    pub geometry: Arc<Geometry>,
    /// The rules, if there are any besides rows, columns and boxes.
    pub rules: Option<Arc<Rules>>,
    /// The clues: a 0-based digit per cell, `None` for an empty cell.
    pub cells: Box<[Option<u8>]>,
    /// The solved grid that the record was made from, if it still is a solution.
    pub solution: Option<Box<[u8]>>,
    /// Guesses of the engine, if they were asked for.
    pub guesses: Option<u64>,
    /// The rating, if a range of ratings was asked for.
    pub rating: Option<Tenths>,
    /// Number of orders of removal that were tried, including the one that made the record, for
    /// [`Method::Controlled`](crate::Method::Controlled).
    pub orders: Option<u64>,
    /// Number of attempts, including the one that succeeded.
    pub attempts: u64,
}

impl Generated {
    /// Returns the number of clues.
    pub fn clues(&self) -> u32 {
        self.cells.iter().flatten().count() as u32
    }

    /// Returns the weight of a puzzle in an unbiased sample, or `None` unless the method was
    /// [`Method::Controlled`](crate::Method::Controlled).
    ///
    /// The weight is the number of ways to choose as many cells as there are clues. The sum of weights, divided by the
    /// number of [orders](Self::orders), estimates the mean number of minimal puzzles of a solved grid.
    pub fn weight(&self) -> Option<u128> {
        self.orders.map(|_| binomial(self.cells.len() as u32, self.clues()))
    }

    /// Returns the rating of a puzzle with one solution, or `None` if it has none, exceeds the rater's maximum, or
    /// breaks a condition on its steps.
    pub(super) fn rate(&self, rater: &mut Rater, steps: &StepFilter) -> Option<Tenths> {
        let clues: Vec<u8> = self.cells.iter().map(|cell| cell.map_or(0, |digit| digit + 1)).collect();
        let solution = Cells::of_solution(self.solution.as_ref()?).ok()?;
        let rating =
            rater.rate(&Cells::new(&clues).ok()?, &solution).ok().filter(|rating| steps.accepts(rating))?;
        match rating.er {
            RatingBound::Exactly(rating) => Some(rating),
            RatingBound::Above(_) => None,
        }
    }

    /// Returns the record as a problem.
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

    /// Writes the puzzle as text: one character per cell, `.` for an empty cell. Rules follow after a tab.
    pub fn write_puzzle(&self, out: &mut Vec<u8>) {
        self.write_cells(out);
        if let Some(rules) = &self.rules {
            out.push(b'\t');
            out.extend_from_slice(rules.text().as_bytes());
        }
    }

    /// Writes the puzzle as text without its rules: one character per cell, `.` for an empty cell.
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
