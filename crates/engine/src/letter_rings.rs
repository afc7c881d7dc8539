//! Groups of cells with the same digit, as rings.

use quadrille_model::Constraint;

/// For each cell the next cell of its group, itself if it is in none. Empty if there are no groups.
#[derive(Debug, Default)]
pub(super) struct LetterRings(Vec<u16>);

impl LetterRings {
    /// Makes the rings of a grid. Groups with a common cell become one ring.
    pub(super) fn assign(&mut self, cells: usize, groups: &[Constraint]) {
        self.0.clear();
        if groups.is_empty() {
            return;
        }
        self.0.extend(0..cells as u16);
        for Constraint::SameDigit { cells, .. } in groups {
            for pair in cells.windows(2) {
                let (a, b) = (usize::from(pair[0]), usize::from(pair[1]));
                let mut at = self.next(a);
                while at != a && at != b {
                    at = self.next(at);
                }
                // Exchanging successors joins two rings, but would cut one ring in two.
                if at != b {
                    self.0.swap(a, b);
                }
            }
        }
    }

    /// Returns the next cell of a cell's group, the cell itself if it is in none.
    #[inline]
    pub(super) fn next(&self, cell: usize) -> usize {
        self.0.get(cell).map_or(cell, |&next| next.into())
    }
}
