//! Reads the head of a source with a layout as a trial, before the layout is decided.

use std::sync::Arc;

use super::cells::{BLANKS, has_clues};
use super::cutter::{CutRecords, Unread};
use super::shapes::{Sides, has_two_blanks, is_layout};
use super::{Chunk, ChunkTarget, Format, InputOptions, Layout, LineCounts, Parser, Records, formats};
use quadrille_model::rules::RunRules;
use quadrille_model::{ProblemRef, Puzzle};

/// Counts of the records of a head.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// Number of records.
    pub(super) records: u64,
    /// The lines that are not parts of records.
    pub(super) others: LineCounts,
    /// Number of the records that could be read.
    pub(super) readable: u64,
    /// The sides of grids without rules of their own.
    pub(super) sides: Sides,
    /// Number of grids up to 9x9 whose digits are a layout of regions.
    pub(super) layouts: u64,
    /// Number of 21x21 grids with many clues, none of them above 9: five 9x9 grids that overlap.
    pub(super) samurai: u64,
    /// Number of grids with a digit or letter.
    pub(super) with_clues: u64,
    /// Number of 9x9 grids on lines with both zeros and other empty cells, and without a 9.
    pub(super) with_two_blanks: u64,
    /// True if a 9x9 grid has a 9.
    pub(super) has_nine: bool,
    /// Characters of empty cells next to digits, one bit per character of [`BLANKS`](super::cells::BLANKS).
    pub(super) blanks: u8,
}

/// Reads at most `records` whole records of a head. `ended` is true if nothing follows the head.
pub(super) fn tried(
    head: &[u8],
    ended: bool,
    records: u64,
    layout: &Arc<Layout>,
    options: &InputOptions,
) -> Tried {
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
    let mut tried = Tried { records: found.records, others: found.others, blanks, ..Tried::default() };
    // In formats with several lines per grid, frames may have the same characters as empty cells.
    let is_line = matches!(layout.format, Format::Line | Format::Csv | Format::Jsonl);
    for record in &parsed.list {
        let text = record.puzzle.slice(&chunk.bytes);
        let has_clues = has_clues(text);
        if parsed.problem(record).is_some() {
            tried.readable += 1;
            tried.layouts += u64::from(!is_line && are_regions(text));
        }
        match parsed.problem(record) {
            Some(ProblemRef::Packed(_)) => {
                tried.with_two_blanks += u64::from(is_line && has_two_blanks(text));
                tried.has_nine |= text.contains(&b'9');
                tried.sides.add(9, has_clues);
            }
            Some(ProblemRef::Puzzle(puzzle)) if puzzle.rules().is_none() => {
                tried.samurai += u64::from(is_samurai(puzzle));
                tried.sides.add(puzzle.geometry().side(), has_clues);
            }
            _ => {}
        }
    }
    tried
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

/// Returns true if a 21x21 has at least as many clues as cells in a row, and none above 9.
fn is_samurai(puzzle: &Puzzle) -> bool {
    let digits = || puzzle.candidates().iter().filter_map(|candidates| candidates.single());
    puzzle.geometry().side() == 21 && digits().count() > 20 && digits().all(|digit| digit < 9)
}
