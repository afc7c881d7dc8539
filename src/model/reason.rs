//! The reason for a verdict, in words for people.

use std::fmt;

use super::HouseKind;

/// Clues that contradict each other; found before any search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clash {
    /// The same digit twice in a house.
    TwiceInHouse {
        /// 0-based digit.
        digit: usize,
        /// Kind of the house.
        kind: HouseKind,
        /// 0-based number of the house among its kind.
        index: usize,
    },
    /// Two cells of a letter group share a house.
    LetterTwiceInHouse {
        /// The group's letter.
        letter: char,
        /// Kind of the house.
        kind: HouseKind,
        /// 0-based number of the house among its kind.
        index: usize,
    },
    /// A cell without a candidate.
    EmptyCell {
        /// 0-based row.
        row: usize,
        /// 0-based column.
        column: usize,
    },
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clash::TwiceInHouse { digit, kind, index } => {
                write!(f, "two {}s in {} {}", digit + 1, kind.name(), index + 1)
            }
            Clash::LetterTwiceInHouse { letter, kind, index } => {
                write!(f, "letter {letter} twice in {} {}", kind.name(), index + 1)
            }
            Clash::EmptyCell { row, column } => {
                write!(f, "no digit is allowed in row {} column {}", row + 1, column + 1)
            }
        }
    }
}

/// The reason for a record's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The clues contradict each other.
    Clash(Clash),
    /// Anything else, in words; `invalid` and `unsupported` records mostly.
    Text(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Clash(clash) => clash.fmt(f),
            Reason::Text(text) => f.write_str(text),
        }
    }
}

impl From<Clash> for Reason {
    fn from(clash: Clash) -> Self {
        Reason::Clash(clash)
    }
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
