//! The table of the kinds of records that can be generated.

use super::sudoku::Kind;

/// A kind of record that can be generated, as listed in the table.
#[derive(Debug)]
pub struct KindInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in a few words.
    pub about: &'static str,
    /// The kind of records that has this name.
    pub kind: Kind,
}

const fn info(name: &'static str, about: &'static str, kind: Kind) -> KindInfo {
    KindInfo { name, about, kind }
}

/// All kinds.
pub static KINDS: &[KindInfo] = &[
    info("grids", "solved grids", Kind::Grids),
    info("puzzles", "puzzles with one solution", Kind::Puzzles),
    info("minimal", "puzzles with one solution that need every clue", Kind::Minimal),
    info(
        "multiple",
        "minimal puzzles without one or two of their clues: two or more solutions",
        Kind::Multiple,
    ),
    info("altered", "minimal puzzles with one clue changed: any number of solutions", Kind::Altered),
    info(
        "neighbours",
        "FILE: all puzzles with one solution that differ from those in FILE by --remove and --add clues",
        Kind::Neighbours,
    ),
    info("sparse", "some cells of solved grids: usually many solutions", Kind::Sparse),
];
