//! A filled grid.

use std::sync::Arc;

use crate::{Geometry, Solution};

/// A solved grid that owns its digits.
///
/// `Display` writes the grid on one line, and `{:#}` writes it as a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    geometry: Arc<Geometry>,
    digits: Vec<u8>,
}

impl Grid {
    /// Creates a grid from a solution.
    ///
    /// # Panics
    /// Panics if `solution` is not the solution of a grid.
    pub fn new(geometry: &Arc<Geometry>, solution: Solution<'_>) -> Self {
        let Solution::Digits(digits) = solution else { unreachable!("verified as a solution of a grid") };
        Grid { geometry: Arc::clone(geometry), digits: digits.to_vec() }
    }

    /// Returns the shape of the grid.
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// Returns the digits, one per cell, row by row. Digits are 0-based.
    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// Consumes the grid and returns its digits, in the order of [`digits`](Self::digits).
    pub fn into_digits(self) -> Vec<u8> {
        self.digits
    }
}
