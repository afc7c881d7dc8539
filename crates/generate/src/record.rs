//! A generated puzzle.

use std::sync::Arc;

use quadrille_model::canonical::Cells;
use quadrille_model::rules::Rules;
use quadrille_model::{DigitSet, Geometry, Puzzle, Symbols};
use quadrille_rating::{Grade, Rater, Tenths};

/// A generated puzzle or grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// Its number among the records of its seed.
    pub index: u64,
    /// Its shape.
    pub geometry: Arc<Geometry>,
    /// The rules, where there are others than rows, columns and boxes.
    pub rules: Option<Arc<Rules>>,
    /// The clues: a 0-based digit a cell, `None` where the cell is empty.
    pub cells: Box<[Option<u8>]>,
    /// The solved grid it was made from, where it still is a solution.
    pub solution: Option<Box<[u8]>>,
    /// Guesses of the engine, where they were what the puzzle was chosen for.
    pub guesses: Option<u64>,
    /// The rating, where it was what the puzzle was chosen for.
    pub rating: Option<Tenths>,
    /// Attempts that it took, the one that made it included.
    pub attempts: u64,
}

impl Generated {
    /// The number of its clues.
    pub fn clues(&self) -> u32 {
        self.cells.iter().flatten().count() as u32
    }

    /// The rating of a puzzle with one solution; `None` where it has none, or a higher one than the rater looks for.
    pub(super) fn rate(&self, rater: &mut Rater) -> Option<Tenths> {
        let clues: Vec<u8> = self.cells.iter().map(|cell| cell.map_or(0, |digit| digit + 1)).collect();
        let solution = Cells::of_solution(self.solution.as_ref()?).ok()?;
        match rater.rate(&Cells::new(&clues).ok()?, &solution).ok()?.er {
            Grade::Exactly(rating) => Some(rating),
            Grade::Above(_) => None,
        }
    }

    /// The puzzle as a problem.
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

    /// Writes the puzzle as text: a character a cell, `.` for an empty one; rules behind it, after a tab.
    pub fn write_puzzle(&self, out: &mut Vec<u8>) {
        let character = |digit: u8| Symbols::DEFAULT.character(usize::from(digit)).unwrap_or(b'?');
        out.extend(self.cells.iter().map(|cell| cell.map_or(b'.', character)));
        if let Some(rules) = &self.rules {
            out.push(b'\t');
            out.extend_from_slice(rules.text().as_bytes());
        }
    }

    /// Writes the solution as text, if there is one.
    pub fn write_solution(&self, out: &mut Vec<u8>) {
        if let Some(solution) = &self.solution {
            Symbols::DEFAULT.write(solution, out);
        }
    }
}
