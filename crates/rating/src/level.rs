//! Levels of the program QQWing: simple, easy, intermediate, expert.
//!
//! The level of a puzzle is that of the hardest technique that the puzzle needs. Every step only removes
//! candidates, so the order of techniques within a level does not matter.

use std::fmt;

use super::grid::Grid;
use super::hint::Hint;
use super::houses::ALL;
use super::locking::locking;
use super::subsets::{hidden_sets, naked_sets};
use quadrille_model::canonical::Cells;

/// Name and version of the scale of levels.
pub const QQWING: &str = "qqwing/1.3.4";

/// A level of QQWing. `Display` writes its number, from 1 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Cells with one candidate suffice.
    Simple = 1,
    /// Besides techniques of the lower level, the puzzle needs hidden singles: digits with only one place in
    /// a house.
    Easy,
    /// Besides techniques of the lower levels, the puzzle needs locked candidates, or naked or hidden pairs.
    Intermediate,
    /// Techniques of the lower levels do not solve the puzzle.
    Expert,
}

impl Level {
    /// Returns the level of a 9x9 puzzle with one solution, or `None` if the puzzle has another size.
    pub fn of(clues: &Cells) -> Option<Self> {
        let mut grid = Grid::default();
        let mut hint = Hint::default();
        grid.begin(clues.as_slice().try_into().ok()?);
        let mut level = Level::Simple;
        while grid.left > 0 {
            if let Some((cell, digit)) = grid.naked_single() {
                grid.place(cell, digit);
            } else if let Some((house, digit)) = grid.hidden_single() {
                level = level.max(Level::Easy);
                grid.place(grid.only_cell(house, digit), digit);
            } else {
                level = Level::Intermediate;
                let houses = (1 << 27) - 1;
                let mut first = |_: &Hint| true;
                let is_found = locking(&grid, ALL, &mut hint, &mut first)
                    || naked_sets(&grid, 2, houses, &mut hint, &mut first)
                    || hidden_sets(&grid, 2, houses, &mut hint, &mut first);
                if !is_found {
                    return Some(Level::Expert);
                }
                hint.apply(&mut grid);
            }
        }
        Some(level)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self as u8).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_that_of_the_hardest_technique_needed() {
        for (line, level) in [
            (
                "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
                Level::Simple,
            ),
            (
                "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
                Level::Easy,
            ),
            (
                "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4.",
                Level::Intermediate,
            ),
            (
                "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
                Level::Expert,
            ),
        ] {
            let digits: Vec<u8> = line.bytes().map(|byte| byte.saturating_sub(b'0')).collect();
            assert_eq!(Level::of(&Cells::new(&digits).unwrap()), Some(level), "{line}");
        }
    }
}
