//! The reason for a verdict, in words for people.

use thiserror::Error;

use super::HouseKind;

/// Clues that contradict each other; found before any search.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Clash {
    /// The same digit twice in a house.
    #[error("two {}s in {} {}", digit + 1, kind.name(), index + 1)]
    TwiceInHouse {
        /// 0-based digit.
        digit: usize,
        /// Kind of the house.
        kind: HouseKind,
        /// 0-based number of the house among its kind.
        index: usize,
    },
    /// Two cells of a letter group share a house.
    #[error("letter {letter} twice in {} {}", kind.name(), index + 1)]
    LetterTwiceInHouse {
        /// The group's letter.
        letter: char,
        /// Kind of the house.
        kind: HouseKind,
        /// 0-based number of the house among its kind.
        index: usize,
    },
    /// Clues that break a rule, in words.
    #[error("{0}")]
    Rule(String),
    /// A cell without a candidate.
    #[error("no digit is allowed in row {} column {}", row + 1, column + 1)]
    EmptyCell {
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
    },
}

/// The reason for a record's status.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// The clues contradict each other.
    #[error(transparent)]
    Clash(#[from] Clash),
    /// Anything else, in words; `invalid` and `unsupported` records mostly.
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
