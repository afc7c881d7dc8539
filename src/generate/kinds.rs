//! The table of what can be generated.

use super::sudoku::Kind;

/// A kind as the table lists it.
#[derive(Debug)]
pub struct KindInfo {
    /// Its name on the command line.
    pub name: &'static str,
    /// A description in a few words.
    pub about: &'static str,
    /// The sudoku kind of that name.
    pub kind: Kind,
}

/// Every kind there is.
pub static KINDS: &[KindInfo] = &[
    KindInfo { name: "grids", about: "solved grids", kind: Kind::Grids },
    KindInfo { name: "puzzles", about: "puzzles with one solution", kind: Kind::Puzzles },
    KindInfo {
        name: "minimal",
        about: "puzzles with one solution that need every clue",
        kind: Kind::Minimal,
    },
    KindInfo {
        name: "multiple",
        about: "minimal puzzles without one or two of their clues: two solutions or more",
        kind: Kind::Multiple,
    },
    KindInfo {
        name: "changed",
        about: "minimal puzzles with another digit in one clue: none, one or more solutions",
        kind: Kind::Changed,
    },
    KindInfo {
        name: "sparse",
        about: "some cells of solved grids: mostly many solutions",
        kind: Kind::Sparse,
    },
];
