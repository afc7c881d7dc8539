//! A filled grid.

use std::sync::Arc;

use crate::{Geometry, Solution};

/// A filled grid that owns its digits: a solution. `Display` writes it on one line, `{:#}` as a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    geometry: Arc<Geometry>,
    digits: Vec<u8>,
}

impl Grid {
    /// Creates the grid of a solution.
    ///
    /// # Panics
    /// Panics if the solution is not of a grid.
    pub fn new(geometry: &Arc<Geometry>, solution: Solution<'_>) -> Self {
        let Solution::Digits(digits) = solution else { unreachable!("verified as a solution of a grid") };
        Grid { geometry: Arc::clone(geometry), digits: digits.to_vec() }
    }

    /// Returns the shape of the grid.
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// Returns the digits, 0-based, one per cell, row by row.
    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// Returns the digits by value, as [`digits`](Self::digits) does by reference.
    pub fn into_digits(self) -> Vec<u8> {
        self.digits
    }
}
