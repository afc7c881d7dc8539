//! The grid at the end of a path that a bound may have ended.

use super::Technique;
use quadrille_model::DigitSet;

/// The grid after the last step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The candidates of each cell, row by row; one digit in a filled cell.
    pub cells: Vec<DigitSet>,
    /// The technique of the next step, if it was asked for; `None` also if the grid is solved or no technique is left.
    pub missing: Option<Technique>,
}

impl Reached {
    /// Returns the number of cells with one candidate.
    pub fn filled(&self) -> usize {
        self.cells.iter().filter(|set| set.single().is_some()).count()
    }
}
