//! The digits of a grid that occur in some solution.

use super::DigitSet;

/// The digits of each cell that occur in some solution of a grid, and the numbers of those solutions if asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleDigits {
    /// The digits of each cell, row by row. Every cell has at least one.
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
