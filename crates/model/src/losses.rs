//! What is lost where a record is written in a form that has no place for it.

/// A part of a record that a format may have no place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loss {
    /// Candidates of cells that are no clues (pencilmarks).
    Candidates,
    /// Cells that are even or odd.
    Parities,
    /// Cells that hold the same digit, by a letter.
    Letters,
    /// The id behind the puzzle, or in its column.
    Ids,
    /// The given solution.
    Solutions,
    /// Other columns, or members of an object.
    Columns,
    /// Bytes that are no UTF-8, which text of JSON and tables has to be.
    Bytes,
}

impl Loss {
    /// All of them, in the order of the documentation.
    pub const ALL: [Loss; 7] = [
        Loss::Candidates,
        Loss::Parities,
        Loss::Letters,
        Loss::Ids,
        Loss::Solutions,
        Loss::Columns,
        Loss::Bytes,
    ];

    /// Its word in statistics and messages.
    pub const fn word(self) -> &'static str {
        match self {
            Loss::Candidates => "candidates",
            Loss::Parities => "parities",
            Loss::Letters => "letters",
            Loss::Ids => "ids",
            Loss::Solutions => "solutions",
            Loss::Columns => "columns",
            Loss::Bytes => "bytes",
        }
    }

    /// The loss whose [`word`](Self::word) this is.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|loss| loss.word() == word)
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
        Loss::ALL.into_iter().filter(move |&loss| self.0 >> loss as u8 & 1 != 0)
    }
}

impl std::ops::BitOr for Losses {
    type Output = Losses;

    fn bitor(self, other: Losses) -> Losses {
        Losses(self.0 | other.0)
    }
}
