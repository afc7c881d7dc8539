//! Which clues of a puzzle are needed.

use super::DigitSet;

/// Facts about the clues of a puzzle with one solution, as far as they were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClueNeeds {
    /// The clues that can go, if asked for.
    pub redundancy: Option<Redundancy>,
    /// The fewest cells whose digits, added as clues, make the puzzle solvable by singles; 3 for more than two. `None`
    /// if not asked for, and for puzzles with rules.
    pub backdoor: Option<u32>,
}

/// The clues of a puzzle that can go.
///
/// A clue is any cell that lacks a candidate, so marks are clues too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redundancy {
    /// For each cell, true if it is a clue without which the puzzle still has one solution.
    pub can_go: Vec<bool>,
    /// The candidates of each cell in a smallest puzzle with one solution that has no other clues.
    ///
    /// If [`bound`](Self::bound) is below [`left`](Self::left), it is the smallest that was found; it is then minimal.
    pub smallest: Vec<DigitSet>,
    /// Number of clues in it.
    pub left: u32,
    /// Number of clues that no such puzzle has fewer than.
    pub bound: u32,
}

impl Redundancy {
    /// Returns the number of clues that can go, each alone.
    pub fn count(&self) -> usize {
        self.can_go.iter().filter(|can_go| **can_go).count()
    }
}
