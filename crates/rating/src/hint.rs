//! A step that was found but not yet applied.

use super::grid::Grid;
use super::{Technique, Tenths};

/// Result of the callback that receives a hint: true stops the search, false continues it.
pub(super) type Stop = bool;

/// A step that a technique found.
///
/// A rater reuses one `Hint` for all searches, so that searches need not allocate memory.
#[derive(Clone)]
pub(super) struct Hint {
    pub technique: Technique,
    /// The rating of the step.
    pub rating: Tenths,
    /// The cell and the 0-based digit that the step places, or `None` if it only removes candidates.
    pub placed: Option<(u8, u8)>,
    /// Cells that the step is based on, one bit per cell.
    pub cells: u128,
    /// Digits that the step is based on, one bit per digit.
    pub digits: u16,
    /// Houses that the step is based on.
    pub houses: Vec<u8>,
    /// Candidates that the step removes, as cells with sets of digits. No cell occurs twice.
    pub removed: Vec<(u8, u16)>,
}

impl Default for Hint {
    fn default() -> Self {
        Hint {
            technique: Technique::LastCell,
            rating: Tenths(0),
            placed: None,
            cells: 0,
            digits: 0,
            houses: Vec::new(),
            removed: Vec::new(),
        }
    }
}

impl Hint {
    /// Starts the hint of a technique. Its rating is at first the technique's minimum rating.
    pub(super) fn begin(&mut self, technique: Technique) {
        self.technique = technique;
        self.rating = technique.least();
        self.placed = None;
        self.cells = 0;
        self.digits = 0;
        self.houses.clear();
        self.removed.clear();
    }

    pub(super) fn add_house(&mut self, house: usize) {
        self.houses.push(house as u8);
    }

    /// Adds candidates that the step removes: those of the `digits` that the cell has as candidates.
    pub(super) fn remove(&mut self, grid: &Grid, cell: usize, digits: u16) {
        let digits = grid.candidates[cell] & digits;
        if digits != 0 {
            self.removed.push((cell as u8, digits));
        }
    }

    /// Returns true if the step removes any candidate.
    pub(super) fn is_worth(&self) -> bool {
        !self.removed.is_empty()
    }

    /// Applies the step: removes its candidates, then places its digit.
    pub(super) fn apply(&self, grid: &mut Grid) {
        for &(cell, digits) in &self.removed {
            grid.remove_all(usize::from(cell), digits);
        }
        if let Some((cell, digit)) = self.placed {
            grid.place(usize::from(cell), usize::from(digit));
        }
    }
}
