//! Facts about which clues of a puzzle are needed.

use super::DigitSet;

/// Facts about the clues of a puzzle with one solution. Each fact is present only if it was requested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClueNeeds {
    /// The clues that can be removed, or `None` if not requested.
    pub redundancy: Option<Redundancy>,
    /// Minimum number of cells whose digits, added as clues, make the puzzle solvable by singles.
    ///
    /// The value 3 means more than two. `None` if not requested, or if the puzzle has rules.
    pub backdoor: Option<u32>,
}

/// The clues that can be removed from a puzzle.
///
/// Every cell that lacks at least one candidate counts as a clue. So a cell that is only marked as even or
/// odd is a clue, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redundancy {
    /// For each cell, true if it is a clue and the puzzle still has one solution without it.
    pub can_go: Vec<bool>,
    /// The candidates of each cell in the smallest puzzle with one solution that can be made by removing
    /// clues.
    ///
    /// If [`bound`](Self::bound) is less than [`left`](Self::left), this is the smallest puzzle that was
    /// found. No clue can be removed from it, but a smaller puzzle may exist.
    pub smallest: Vec<DigitSet>,
    /// Number of clues in it.
    pub left: u32,
    /// Lower bound on the number of clues of any puzzle with one solution that can be made by removing clues.
    pub bound: u32,
}

impl Redundancy {
    /// Returns the number of clues that can be removed. Each clue is considered alone, with all other clues
    /// kept.
    pub fn count(&self) -> usize {
        self.can_go.iter().filter(|can_go| **can_go).count()
    }
}
