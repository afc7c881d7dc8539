//! The data that is lost if a format cannot hold all of a record.

use crate::worded;

worded! {
/// A part of a record that some formats cannot hold.
pub Loss, word, from_word {
    /// Candidates of cells without a clue (pencilmarks).
    Candidates = "candidates",
    /// Marks for cells whose digit is even or odd.
    Parities = "parities",
    /// Letters that mark cells with the same digit.
    Letters = "letters",
    /// The record's id, which follows the puzzle or is in the column of ids.
    Ids = "ids",
    /// The given solution.
    Solutions = "solutions",
    /// Other columns of a table or other members of a JSON object, which have no kind of loss of their own.
    Columns = "columns",
    /// Bytes that are not valid UTF-8. JSON text and tables cannot hold such bytes.
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

    /// Returns true if there are no losses.
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
