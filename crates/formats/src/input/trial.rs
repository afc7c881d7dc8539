//! Reads the head of a source with a layout as a trial, before the layout is decided, and gives an account of it.

use std::sync::Arc;

use super::cells::{BLANKS, has_clues};
use super::cutter::{CutRecords, Unread};
use super::shapes::{Sides, has_two_blanks, is_layout};
use super::{Chunk, ChunkTarget, InputOptions, Layout, LineCounts, Parser, Records, formats};
use quadrille_model::rules::RunRules;
use quadrille_model::{ProblemRef, Puzzle};

/// Account of a head that was read with a layout.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Number of records.
    pub(super) records: u64,
    /// The lines of the head.
    pub(super) lines: LineCounts,
    /// Number of the records that could be read.
    pub(super) readable: u64,
    /// The sides of grids without rules of their own.
    pub(super) sides: Sides,
    /// Number of grids up to 9x9 whose digits are a layout of regions.
    pub(super) layouts: u64,
    /// Number of grids without an empty cell.
    pub(super) finished: u64,
    /// Number of the first [`TESTED`] readable records with more clues than rows that repeat one in a house.
    pub(super) clashes: u64,
    /// Number of bytes of the readable records.
    pub(super) explained: u64,
    /// Number of grids with more clues than rows and none above half of the side: several grids next to each other, or
    /// that overlap.
    pub(super) halves: u64,
    /// Number of grids with a digit or letter.
    pub(super) with_clues: u64,
    /// Number of 9x9 grids on lines with both zeros and other empty cells, and without a 9.
    pub(super) with_two_blanks: u64,
    /// True if a 9x9 grid has a 9.
    pub(super) has_nine: bool,
    /// Characters of empty cells next to digits, one bit per character of [`BLANKS`](super::cells::BLANKS).
    pub(super) blanks: u8,
}

/// Maximum number of records whose clues are compared with each other.
const TESTED: u64 = 32;

impl Account {
    /// Returns true if most of several grids repeat a clue in a house: they are probably no grids of this side.
    pub(super) fn clashes(&self) -> bool {
        self.readable > 2 && 2 * self.clashes > self.readable.min(TESTED)
    }

    /// Returns true if at least half of the records are readable, and at least half of the lines are not text around them.
    pub(super) fn explains_half(&self) -> bool {
        self.records > 0 && 2 * self.readable >= self.records && self.is_about_records()
    }

    /// Returns true if nine tenths of the records are readable, at least half of the lines are not text around them, and
    /// the grids are not parts of larger ones.
    pub(super) fn is_readable(&self) -> bool {
        self.records > 0
            && 10 * self.readable >= 9 * self.records
            && self.is_about_records()
            && 2 * self.halves <= self.readable
            && !self.clashes()
    }

    /// Returns true if at most a tenth of the grids are finished: these are probably the solutions of other grids.
    pub(super) fn has_puzzles(&self) -> bool {
        10 * self.finished <= self.readable
    }

    fn is_about_records(&self) -> bool {
        2 * self.lines.text() <= self.lines.total() - self.lines.blank
    }

    /// Returns true if two layouts read the same number of grids of the same side.
    pub(super) fn is_alike(&self, other: &Account) -> bool {
        self.readable == other.readable && self.sides.most() == other.sides.most()
    }
}

/// Reads at most `records` whole records of a head. `ended` is true if nothing follows the head.
pub(super) fn account(
    head: &[u8],
    ended: bool,
    records: u64,
    layout: &Arc<Layout>,
    options: &InputOptions,
) -> Account {
    // Only records without rules of their own count for the side, so the rules of the run must not be applied here.
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
    // In formats with several lines per grid, frames may have the same characters as empty cells.
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
        account.finished += u64::from(problem.is_some_and(is_finished));
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

/// Returns true if the cells of a grid are a layout of regions: no cell is empty, and in each region there are at least
/// as many pairs of neighbours as connect it.
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

/// Returns true if a grid with more clues than rows repeats one in a house.
fn has_clash(problem: ProblemRef<'_>) -> bool {
    let side = match problem {
        ProblemRef::Puzzle(puzzle) => puzzle.geometry().side(),
        _ => 9,
    };
    problem.clues() as usize > side && problem.clash().is_some()
}

/// Returns true if each cell of a grid has a digit.
fn is_finished(problem: ProblemRef<'_>) -> bool {
    let cells = match problem {
        ProblemRef::Packed(_) => 81,
        ProblemRef::Puzzle(puzzle) => puzzle.candidates().len(),
        ProblemRef::Cover(_) => return false,
    };
    problem.clues() as usize == cells
}

/// Returns true if a grid above 9x9, or an 8x8, has more clues than rows and none above half of its side.
fn is_halved(puzzle: &Puzzle) -> bool {
    let side = puzzle.geometry().side();
    let mut digits = puzzle.candidates().iter().filter_map(|candidates| candidates.single());
    (side == 8 || side > 9) && puzzle.clues() as usize > side && digits.all(|digit| digit < side / 2)
}
