//! Weights: a value for each digit in each cell.

use super::Geometry;
use crate::{Error, Result};

/// A value for every digit in every cell. The score of a solution is the sum of its cells' values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    side: usize,
    /// Value of each digit in each cell, at index `cell * side + digit`.
    values: Vec<i64>,
}

impl Weights {
    /// Creates weights that give the 0-based digit `d` in cell `c` the value `per_cell[c] * (d + 1)`.
    ///
    /// # Errors
    /// Returns an error if the number of weights differs from the number of cells, or if a score could
    /// overflow 64 bits.
    pub fn per_cell(geometry: &Geometry, per_cell: &[i64]) -> Result<Self> {
        let side = geometry.side();
        if per_cell.len() != geometry.cells() {
            return Err(Error::model(format!(
                "{} weights given, but a grid of side {side} has {} cells",
                per_cell.len(),
                geometry.cells()
            )));
        }
        let largest = i64::MAX / (geometry.cells() as i64 * side as i64 * 2);
        if let Some(weight) = per_cell.iter().find(|weight| weight.unsigned_abs() > largest as u64) {
            return Err(Error::model(format!("weight {weight} is out of range (-{largest} to {largest})")));
        }
        let values =
            per_cell.iter().flat_map(|weight| (1..=side as i64).map(move |digit| weight * digit)).collect();
        Ok(Weights { side, values })
    }

    /// Creates the weights of the target puzzle in NOIP 2009 (Luogu P1074), for grids of any side length.
    ///
    /// Cells on the edge of the grid have the weight 6. The weight grows by one with each ring of cells
    /// further inwards.
    pub fn target(geometry: &Geometry) -> Self {
        let side = geometry.side();
        let per_cell: Vec<i64> = (0..geometry.cells())
            .map(|cell| {
                let (row, column) = (cell / side, cell % side);
                6 + row.min(column).min(side - 1 - row).min(side - 1 - column) as i64
            })
            .collect();
        Self::per_cell(geometry, &per_cell).expect("target weights are small, and there is one per cell")
    }

    /// Returns the side length of the grids to which the weights apply.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Returns the value of a 0-based digit in a cell.
    #[inline]
    pub fn value(&self, cell: usize, digit: usize) -> i64 {
        self.values[cell * self.side + digit]
    }

    /// Returns the score of a solution. `digits` has one 0-based digit per cell.
    pub fn score(&self, digits: &[u8]) -> i64 {
        digits.iter().enumerate().map(|(cell, &digit)| self.value(cell, digit as usize)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_of_9x9_has_ten_in_the_centre() {
        let target = Weights::target(&Geometry::of_side(9).unwrap());
        assert_eq!(target.value(40, 0), 10);
        assert_eq!(target.value(0, 8), 54);
        assert_eq!(target.value(10, 1), 14);
        let total: i64 = (0..81).map(|cell| target.value(cell, 0)).sum();
        assert_eq!(total, 6 * 32 + 7 * 24 + 8 * 16 + 9 * 8 + 10);
    }

    #[test]
    fn weights_that_could_overflow_are_refused() {
        let grid = Geometry::of_side(4).unwrap();
        assert!(Weights::per_cell(&grid, &[i64::MAX; 16]).is_err());
        assert!(Weights::per_cell(&grid, &[i64::MIN; 16]).is_err());
        assert!(Weights::per_cell(&grid, &[1; 15]).is_err());
    }
}
