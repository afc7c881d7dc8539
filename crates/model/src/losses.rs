//! The data lost if a record is written in a format that cannot hold them.

use crate::worded;

worded! {
/// A part of a record that a format may be unable to hold.
pub Loss, word, from_word {
    /// Candidates of cells that are not clues (pencilmarks).
    Candidates = "candidates",
    /// Cells that are even or odd.
    Parities = "parities",
    /// Cells marked by a letter as holding the same digit.
    Letters = "letters",
    /// The id after the puzzle, or in the column of ids.
    Ids = "ids",
    /// The given solution.
    Solutions = "solutions",
    /// Other columns, or members of an object.
    Columns = "columns",
    /// Bytes that are not UTF-8, which JSON text and tables require.
    Bytes = "bytes",
}
}

/// A set of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Losses(u8);

impl Losses {
    /// Adds a loss if `is_there` is true.
    pub fn add_if(&mut self, loss: Loss, is_there: bool) {
        self.0 |= u8::from(is_there) << loss as u8;
    }

    /// Returns true if nothing is lost.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the losses in the set, in the order of [`Loss::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Loss> {
        Loss::ALL.iter().copied().filter(move |&loss| self.0 >> loss as u8 & 1 != 0)
    }
}

impl std::ops::BitOr for Losses {
    type Output = Losses;

    fn bitor(self, other: Losses) -> Losses {
        Losses(self.0 | other.0)
    }
}
