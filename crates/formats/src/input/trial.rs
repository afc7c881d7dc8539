//! Reads the head of a source with a layout as a trial, before the layout is decided.

use std::sync::Arc;

use super::cutter::{CutRecords, Unread};
use super::shapes::Sides;
use super::{Chunk, ChunkBytes, ChunkTarget, InputOptions, Layout, Parser, Records, formats};
use quadrille_model::ProblemRef;
use quadrille_model::rules::RunRules;

/// Counts of the records of a head.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// Number of records.
    pub(super) records: u64,
    /// Number of those that could be read.
    pub(super) readable: u64,
    /// The sides of grids without rules of their own.
    pub(super) sides: Sides,
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
    let chunk = Chunk {
        layout: Arc::clone(layout),
        bytes: ChunkBytes { buffer: head[..found.len].to_vec(), start: 0 },
        first_line: 1,
        first_record: 1,
        records: found.records,
        cuts: found.cuts,
        ..Chunk::default()
    };
    let (mut parser, mut parsed) = (Parser::new(&options), Records::default());
    parser.parse(&chunk, &mut parsed);
    let mut tried = Tried { records: found.records, blanks: parser.seen_blanks(), ..Tried::default() };
    for record in &parsed.list {
        tried.readable += u64::from(parsed.problem(record).is_some());
        match parsed.problem(record) {
            Some(ProblemRef::Packed(_)) => tried.sides.add(9),
            Some(ProblemRef::Puzzle(puzzle)) if puzzle.rules().is_none() => {
                tried.sides.add(puzzle.geometry().side());
            }
            _ => {}
        }
    }
    tried
}
