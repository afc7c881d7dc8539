//! A step that was found and is not applied yet.

use super::grid::Grid;
use super::{Technique, Tenths};

/// Tells a search to go on or to stop behind a hint.
pub(super) type Stop = bool;

/// A step that a technique found. One is used for all searches of a rater, so that nothing is allocated.
#[derive(Clone)]
pub(super) struct Hint {
    pub technique: Technique,
    /// Its rating in tenths.
    pub rating: Tenths,
    /// The cell and digit that it places.
    pub placed: Option<(u8, u8)>,
    /// The cells that it rests on.
    pub cells: u128,
    /// The digits that it rests on.
    pub digits: u16,
    houses: [u8; 8],
    house_count: u8,
    removed: [(u8, u16); 81],
    removed_count: u8,
}

impl Hint {
    pub(super) fn new() -> Self {
        Hint {
            technique: Technique::LastCell,
            rating: Tenths(0),
            placed: None,
            cells: 0,
            digits: 0,
            houses: [0; 8],
            house_count: 0,
            removed: [(0, 0); 81],
            removed_count: 0,
        }
    }

    /// Begins a hint of a technique with the least rating of that technique.
    pub(super) fn begin(&mut self, technique: Technique) {
        self.technique = technique;
        self.rating = technique.least();
        self.placed = None;
        self.cells = 0;
        self.digits = 0;
        self.house_count = 0;
        self.removed_count = 0;
    }

    pub(super) fn add_house(&mut self, house: usize) {
        self.houses[usize::from(self.house_count)] = house as u8;
        self.house_count += 1;
    }

    /// The houses that it rests on.
    pub(super) fn houses(&self) -> &[u8] {
        &self.houses[..usize::from(self.house_count)]
    }

    /// Takes those of these digits that the cell can hold.
    pub(super) fn remove(&mut self, grid: &Grid, cell: usize, digits: u16) {
        let digits = grid.candidates[cell] & digits;
        if digits != 0 {
            self.removed[usize::from(self.removed_count)] = (cell as u8, digits);
            self.removed_count += 1;
        }
    }

    /// The digits that go, by cell; no cell stands twice.
    pub(super) fn removed(&self) -> &[(u8, u16)] {
        &self.removed[..usize::from(self.removed_count)]
    }

    /// True if it takes a candidate away.
    pub(super) fn is_worth(&self) -> bool {
        self.removed_count > 0
    }

    /// Does what it says: takes candidates away, then places its digit.
    pub(super) fn apply(&self, grid: &mut Grid) {
        for &(cell, digits) in self.removed() {
            grid.remove_all(usize::from(cell), digits);
        }
        if let Some((cell, digit)) = self.placed {
            grid.place(usize::from(cell), usize::from(digit));
        }
    }
}
