//! The grid at the end of a path. The path may have ended early, because its next step exceeds a bound on
//! ratings.

use super::Technique;
use quadrille_model::DigitSet;

/// The grid after the last step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// Candidates of each cell, row by row. For a filled cell, this is its digit.
    pub cells: Vec<DigitSet>,
    /// Technique of the next step, if it was requested.
    ///
    /// This is also `None` if the grid is solved, or if no technique finds a step.
    pub missing: Option<Technique>,
}

impl Reached {
    /// Returns the number of cells with exactly one candidate, including filled cells.
    pub fn filled(&self) -> usize {
        self.cells.iter().filter(|set| set.single().is_some()).count()
    }
}
