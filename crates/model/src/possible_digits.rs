//! The digits of a grid that occur in some solution.

use super::{DigitSet, Solution};

/// The digits of each cell that occur in some solution of a grid, and the numbers of those solutions if asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleDigits {
    /// The digits of each cell, row by row. None is empty.
    pub cells: Vec<DigitSet>,
    /// In how many solutions each digit is in each cell, if asked for.
    pub counts: Option<DigitCounts>,
}

/// In how many solutions of a grid each digit is in each cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DigitCounts {
    /// For each cell, row by row, a number for each digit.
    pub numbers: Vec<u64>,
    /// False if only some of the solutions were counted, so that the numbers are lower bounds.
    pub is_exact: bool,
}

impl PossibleDigits {
    /// Returns the digits of a grid's only solution; `None` for a solution of an exact cover problem.
    pub fn of_only(solution: Solution<'_>) -> Option<Self> {
        let Solution::Digits(digits) = solution else { return None };
        let cells = digits.iter().map(|&digit| DigitSet::only(digit.into())).collect();
        Some(PossibleDigits { cells, counts: None })
    }

    /// Returns the number of cells with several digits.
    pub fn ambiguous(&self) -> usize {
        self.cells.iter().filter(|set| set.single().is_none()).count()
    }
}

impl DigitCounts {
    /// Adds a solution of a grid with this many cells in a row.
    pub fn add(&mut self, digits: &[u8], side: usize) {
        self.numbers.resize(digits.len() * side, 0);
        for (numbers, &digit) in self.numbers.chunks_exact_mut(side).zip(digits) {
            numbers[usize::from(digit)] += 1;
        }
    }
}
