//! Chunks to records.

use std::ops::Range;
use std::sync::Arc;

use super::grids::GridReader;
use super::{
    Body, Chunk, ClueCounts, Cut, Format, Given, InputOptions, PlainLines, Record, Records, SharedRules,
    Span, formats,
};
use quadrille_model::rules::{Rules, begins_rules};
use quadrille_model::{Packed, ProblemRef, Symbols};

/// Makes records of chunks. One for each worker: it keeps geometries and tables between chunks.
pub struct Parser {
    grids: GridReader,
}

impl Parser {
    /// A parser for chunks of a reader with the same options.
    pub fn new(options: &InputOptions) -> Self {
        Parser { grids: GridReader::new(options) }
    }

    /// Parses a chunk. `records` holds its records afterwards and nothing else: as many as `chunk.records`, and
    /// with `keep_lines` the skipped lines between them.
    ///
    /// Never fails: what cannot be read becomes [`Body::Invalid`] with the reason. Bare cells are to be [spelled
    /// out](Chunk::spell_out) before.
    pub fn parse(&mut self, chunk: &Chunk, records: &mut Records) {
        records.clear();
        debug_assert!(!chunk.are_cells, "bare cells are no text of records");
        if chunk.cuts.is_empty() {
            (formats::row(chunk.layout.format).parse)(&mut self.grids, chunk, records);
        } else {
            for cut in &chunk.cuts {
                self.parse_cut(chunk, cut, records);
            }
        }
        if let Some(shared) = &chunk.shared_rules {
            shared.give_to(records);
        }
        debug_assert_eq!(
            records.list.iter().filter(|record| !matches!(record.body, Body::Skipped)).count() as u64,
            chunk.records,
            "cutter and parser disagree"
        );
    }

    /// The rules of the record that a chunk consists of, the first of its source, where [others](SharedRules) may share them.
    pub(super) fn shared_rules(&mut self, chunk: &Chunk, records: &mut Records) -> Option<SharedRules> {
        self.parse(chunk, records);
        let first = records.list.iter().find(|record| !matches!(record.body, Body::Skipped))?;
        let Some(ProblemRef::Puzzle(puzzle)) = records.problem(first) else { return None };
        let rules = puzzle.rules()?;
        let behind = if chunk.layout.format == Format::Line && rules.masks().is_empty() {
            let text = first.text.of(&chunk.bytes);
            text.get(81..).filter(|behind| {
                self.grids.plain_9x9(text).is_some() && behind.strip_prefix(b"\t").is_some_and(begins_rules)
            })
        } else {
            None
        };
        SharedRules::of(rules, first.byte, behind)
    }

    /// Takes the lines of a chunk as [`plain_lines`](Self::plain_lines) does where each has the rules of the first of their
    /// source behind its grid, written in the same way. Returns these rules.
    pub fn lines_with_shared_rules(&self, chunk: &Chunk, lines: &mut PlainLines) -> Option<Arc<Rules>> {
        let is_text = self.grids.plain && chunk.cuts.is_empty() && !chunk.are_cells;
        let shared = chunk.shared_rules.as_ref().filter(|_| is_text)?;
        let behind = shared.behind(chunk.first_byte)?;
        let are_taken = lines.take_alike(&chunk.bytes, behind, chunk.layout.line_end);
        (are_taken && lines.count() as u64 == chunk.records).then(|| Arc::clone(shared.rules()))
    }

    /// The rules that the grids of [plain lines](Self::plain_lines) have; `None` for none.
    pub fn line_rules(&self) -> Option<&Arc<Rules>> {
        self.grids.line_rules.as_ref()
    }

    /// Takes the lines of a chunk, if they may be plain 9x9 grids, a record each; `false` if not. Other text may stand
    /// around the grids, which is no part of the lines then: columns of CSV without quotes, or what follows on a line.
    ///
    /// `given` takes the given solutions where a table has them, each of 81 characters with a newline.
    pub fn plain_lines(
        &self,
        chunk: &Chunk,
        lines: &mut PlainLines,
        mut given: Option<&mut Vec<u8>>,
    ) -> bool {
        if !self.grids.lines || !chunk.cuts.is_empty() {
            return false;
        }
        if let Some(given) = &mut given {
            given.clear();
        }
        let are_taken = match chunk.are_cells {
            true => lines.take_cells(&chunk.bytes),
            false => (formats::row(chunk.layout.format).plain_lines)(chunk, lines, given),
        };
        are_taken && lines.count() as u64 == chunk.records
    }

    /// Appends the grids of some of these lines and counts their clues; returns the number that it has read, which are
    /// records as [`parse`](Self::parse) would have them. The next line is something else, which only `parse` finds
    /// out.
    pub fn read_plain(
        &self,
        chunk: &Chunk,
        lines: &PlainLines,
        range: Range<usize>,
        grids: &mut Vec<Packed>,
        clues: &mut ClueCounts,
    ) -> usize {
        lines.read(range, &chunk.bytes, self.grids.usual_blank, grids, clues)
    }

    fn parse_cut(&mut self, chunk: &Chunk, cut: &Cut, records: &mut Records) {
        let mut record = Record {
            body: Body::Skipped,
            line: chunk.first_line + u64::from(cut.line_offset),
            byte: chunk.first_byte + u64::from(cut.span.start),
            text: cut.span,
            puzzle: cut.span,
            id: Span { start: cut.span.end, end: cut.span.end },
            given: Given::Absent,
            symbols: chunk.layout.symbols.unwrap_or(Symbols::DEFAULT),
        };
        match &cut.invalid {
            Some(reason) => record.body = Body::Invalid(Box::new(reason.as_str().into())),
            None => {
                (formats::row(chunk.layout.format).parse_cut)(&mut self.grids, chunk, &mut record, records)
            }
        }
        records.list.push(record);
    }
}
