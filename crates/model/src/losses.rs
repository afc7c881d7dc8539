//! What is lost where a record is written in a form that has no place for it.

use crate::worded;

worded! {
/// A part of a record that a format may have no place for.
pub Loss, word, from_word {
    /// Candidates of cells that are no clues (pencilmarks).
    Candidates = "candidates",
    /// Cells that are even or odd.
    Parities = "parities",
    /// Cells that hold the same digit, by a letter.
    Letters = "letters",
    /// The id behind the puzzle, or in its column.
    Ids = "ids",
    /// The given solution.
    Solutions = "solutions",
    /// Other columns, or members of an object.
    Columns = "columns",
    /// Bytes that are no UTF-8, which text of JSON and tables has to be.
    Bytes = "bytes",
}
}

/// A set of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Losses(u8);

impl Losses {
    /// Adds one, if it is there.
    pub fn add_if(&mut self, loss: Loss, is_there: bool) {
        self.0 |= u8::from(is_there) << loss as u8;
    }

    /// True if nothing is lost.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All in it, in the order of [`Loss::ALL`].
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
