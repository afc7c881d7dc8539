//! Groups of cells that must have the same digit, stored as rings.

use quadrille_model::Constraint;

/// For each cell, the next cell in its group. A cell without a group is its own next cell.
///
/// The list is empty if there are no groups.
#[derive(Debug, Default)]
pub(super) struct LetterRings(Vec<u16>);

impl LetterRings {
    /// Builds the rings of a grid. Groups that share a cell become one ring.
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
                // If the two cells are in different rings, exchanging their successors joins the rings. If
                // they are in the same ring, the exchange would split it.
                if at != b {
                    self.0.swap(a, b);
                }
            }
        }
    }

    /// Returns the next cell in the group of `cell`, or `cell` itself if it has no group.
    #[inline]
    pub(super) fn next(&self, cell: usize) -> usize {
        self.0.get(cell).map_or(cell, |&next| next.into())
    }
}
