//! The digits that occur in the cells of a grid in at least one solution.

use super::DigitSet;

/// For each cell of a grid, the digits that occur in at least one solution.
///
/// If requested, also the number of solutions for each digit in each cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleDigits {
    /// Possible digits of each cell, row by row. Every cell has at least one.
    pub cells: Vec<DigitSet>,
    /// Number of solutions for each digit in each cell, or `None` if not requested.
    pub counts: Option<DigitCounts>,
}

/// For each digit in each cell, the number of solutions that have this digit in this cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DigitCounts {
    /// One number per digit for each cell, row by row.
    pub numbers: Vec<u64>,
    /// True if all solutions were counted. If false, the numbers are lower bounds.
    pub is_exact: bool,
}

impl PossibleDigits {
    /// Returns the number of cells that have several possible digits.
    pub fn ambiguous(&self) -> usize {
        self.cells.iter().filter(|set| set.single().is_none()).count()
    }
}

impl DigitCounts {
    /// Adds a solution of a grid that has `side` cells in a row.
    pub fn add(&mut self, digits: &[u8], side: usize) {
        self.numbers.resize(digits.len() * side, 0);
        for (numbers, &digit) in self.numbers.chunks_exact_mut(side).zip(digits) {
            numbers[usize::from(digit)] += 1;
        }
    }
}
