//! Reads the first part of a source (its head) with a trial layout and counts the records found.
//!
//! This is done before the final layout of the source is decided.

use std::sync::Arc;

use super::cells::{BLANKS, has_clues};
use super::cutter::{CutRecords, Unread};
use super::shapes::{Sides, has_two_blanks, is_layout};
use super::{Chunk, ChunkTarget, InputOptions, Layout, LineCounts, Parser, Records, formats};
use quadrille_model::rules::RunRules;
use quadrille_model::{ProblemRef, Puzzle};

/// Statistics of the records in a head (the first bytes of a source), read with a trial layout.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Number of records.
    pub(super) records: u64,
    /// The lines of the head.
    pub(super) lines: LineCounts,
    /// Number of valid records.
    pub(super) readable: u64,
    /// Side lengths of the grids that have no rules of their own.
    pub(super) sides: Sides,
    /// Number of grids of side length up to 9 that look like layouts of regions instead of puzzles.
    pub(super) layouts: u64,
    /// Number of grids without an empty cell.
    pub(super) finished: u64,
    /// Number of grids that repeat a clue in a house.
    ///
    /// Only grids with more clues than rows are checked, and only among the first [`TESTED`] readable
    /// records.
    pub(super) clashes: u64,
    /// Total length of the readable records, in bytes.
    pub(super) explained: u64,
    /// Number of grids that have more clues than rows, and no clue greater than half of the side length.
    ///
    /// Such a grid probably consists of several smaller grids that overlap or lie next to each other.
    pub(super) halves: u64,
    /// Number of grids with at least one digit or letter.
    pub(super) with_clues: u64,
    /// Number of 9x9 grids on one line whose zeros may be digits: they have no 9, but both zeros and other
    /// empty cells.
    pub(super) with_two_blanks: u64,
    /// True if some 9x9 grid contains the digit 9.
    pub(super) has_nine: bool,
    /// Characters that mean empty cells in grids that also have digits. One bit per character of
    /// [`BLANKS`](super::cells::BLANKS).
    pub(super) blanks: u8,
}

/// Maximum number of records that are checked for repeated clues.
const TESTED: u64 = 32;

impl Account {
    /// Returns true if most of the checked grids repeat a clue in a house.
    ///
    /// The side length of the grids was then probably detected wrongly. Returns false if fewer than three
    /// grids are readable.
    pub(super) fn clashes(&self) -> bool {
        self.readable > 2 && 2 * self.clashes > self.readable.min(TESTED)
    }

    /// Returns true if at least half of the records are readable, and at most half of the lines are text
    /// outside records.
    pub(super) fn explains_half(&self) -> bool {
        self.records > 0 && 2 * self.readable >= self.records && self.is_about_records()
    }

    /// Returns true if the records that this trial layout finds are convincing.
    ///
    /// At least nine tenths of the records must be readable, and at most half of the lines may be text
    /// outside records. At most half of the grids may look like several smaller grids, and the side length
    /// must not look wrong.
    pub(super) fn is_readable(&self) -> bool {
        self.records > 0
            && 10 * self.readable >= 9 * self.records
            && self.is_about_records()
            && 2 * self.halves <= self.readable
            && !self.clashes()
    }

    /// Returns true if at most a tenth of the grids have no empty cell.
    ///
    /// If more grids have no empty cell, the grids are probably solutions and not puzzles.
    pub(super) fn has_puzzles(&self) -> bool {
        10 * self.finished <= self.readable
    }

    fn is_about_records(&self) -> bool {
        2 * self.lines.text() <= self.lines.total() - self.lines.blank
    }

    /// Returns true if both trial layouts read the same number of grids, with the same most frequent side
    /// length.
    pub(super) fn is_alike(&self, other: &Account) -> bool {
        self.readable == other.readable && self.sides.most() == other.sides.most()
    }
}

/// Reads at most `records` whole records in the first part of a source and counts their properties.
///
/// `ended` is true if this part is the entire source.
pub(super) fn account(
    head: &[u8],
    ended: bool,
    records: u64,
    layout: &Arc<Layout>,
    options: &InputOptions,
) -> Account {
    // The side length is found from grids without rules. So the rules that the options set for all grids must
    // not be added here.
    let options = InputOptions { rules: RunRules::default(), keep_lines: false, ..options.clone() };
    let mut cutter = (formats::row(layout.format).cutter)(layout, &options);
    let mut found = CutRecords::default();
    let target = ChunkTarget { bytes: usize::MAX, records };
    cutter.cut(&Unread { bytes: head, base: 0, first_line: 1, end: ended, target }, &mut found);
    let chunk = Chunk { first_line: 1, ..found.to_chunk(layout, head) };
    let (mut parser, mut parsed) = (Parser::new(&options), Records::default());
    parser.parse(&chunk, &mut parsed);
    let blanks = parser.grids.seen_blanks;
    let lines = found.line_counts();
    let mut account = Account { records: found.records, lines, blanks, ..Account::default() };
    // If each grid is written on several lines, its frame may consist of characters that also mean empty
    // cells.
    let is_line = !layout.format.is_in_rows();
    for record in &parsed.list {
        let text = record.puzzle.slice(&chunk.bytes);
        let has_clues = has_clues(text);
        let problem = parsed.problem(record);
        if problem.is_some() {
            account.readable += 1;
            let has_clash = || problem.is_some_and(has_clash);
            account.clashes += u64::from(!is_line && account.readable <= TESTED && has_clash());
            account.explained += record.text.slice(&chunk.bytes).len() as u64;
            account.layouts += u64::from(!is_line && are_regions(text));
        }
        account.finished +=
            u64::from(problem.is_some_and(|of| of.cells() > 0 && of.clues() as usize == of.cells()));
        match problem {
            Some(ProblemRef::Packed(packed)) => {
                account.with_two_blanks += u64::from(is_line && text.len() == 81 && has_two_blanks(text));
                account.has_nine |= packed.cells_of(8) & packed.single_and_empty().0 != 0;
                account.sides.add(9, has_clues);
            }
            Some(ProblemRef::Puzzle(puzzle)) if puzzle.rules().is_none() => {
                account.halves += u64::from(is_halved(puzzle));
                account.sides.add(puzzle.geometry().side(), has_clues);
            }
            _ => {}
        }
    }
    if is_line {
        account.with_two_blanks = account.with_two_blanks.max(parser.grids.with_two_blanks);
    }
    account
}

/// Returns true if the cells of a grid look like a layout of regions.
///
/// Each character must occur as often as the grid has rows. In addition, there must be enough pairs of equal
/// neighbours to connect all regions.
fn are_regions(text: &[u8]) -> bool {
    let cells: Vec<u8> =
        text.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || BLANKS.contains(byte)).collect();
    let side = cells.len().isqrt();
    let is_equal = |cell: usize, to: usize| cells.get(to).is_some_and(|other| *other == cells[cell]);
    let pairs = |cell: usize| {
        usize::from(!(cell + 1).is_multiple_of(side) && is_equal(cell, cell + 1))
            + usize::from(is_equal(cell, cell + side))
    };
    is_layout(&cells, side) && (0..cells.len()).map(pairs).sum::<usize>() >= side * (side - 1)
}

/// Returns true if a grid has more clues than rows and repeats a clue in a house.
fn has_clash(problem: ProblemRef<'_>) -> bool {
    problem.clues() as usize > problem.cells().isqrt() && problem.clash().is_some()
}

/// Returns true if a grid has more clues than rows, but no clue greater than half of its side length.
///
/// Only 8x8 grids and grids larger than 9x9 are considered.
fn is_halved(puzzle: &Puzzle) -> bool {
    let side = puzzle.geometry().side();
    let mut digits = puzzle.candidates().iter().filter_map(|candidates| candidates.single());
    (side == 8 || side > 9) && puzzle.clues() as usize > side && digits.all(|digit| digit < side / 2)
}
