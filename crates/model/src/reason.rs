//! Reasons for verdicts, as data from which messages can be made.

use thiserror::Error;

use super::HouseKind;

/// A contradiction among the clues that is found before any search.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Clash {
    /// A digit occurs twice in a house.
    #[error("two {}s in {} {}", digit + 1, kind.name(), index + 1)]
    TwiceInHouse {
        /// The digit, 0-based.
        digit: usize,
        /// The kind of the house.
        kind: HouseKind,
        /// 0-based index of the house among all houses of the same kind.
        index: usize,
    },
    /// Two cells of a letter group are in the same house.
    #[error("letter {letter} twice in {} {}", kind.name(), index + 1)]
    LetterTwiceInHouse {
        /// The letter of the group.
        letter: char,
        /// The kind of the house.
        kind: HouseKind,
        /// 0-based index of the house among all houses of the same kind.
        index: usize,
    },
    /// The clues break a rule. Contains a description.
    #[error("{0}")]
    Rule(String),
    /// A cell without a candidate.
    #[error("no digit is allowed in row {} column {}", row + 1, column + 1)]
    EmptyCell {
        /// Row of the cell, 0-based.
        row: usize,
        /// Column of the cell, 0-based.
        column: usize,
    },
}

/// The reason for a record's status.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Reason {
    /// The clues contradict each other.
    #[error(transparent)]
    Clash(#[from] Clash),
    /// Any other reason, as text. Most such records are `invalid` or `unsupported`.
    #[error("{0}")]
    Text(String),
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Reason::Text(text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Reason::Text(text.to_owned())
    }
}
