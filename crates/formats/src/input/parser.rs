//! Parses chunks into records.

use std::ops::Range;
use std::sync::Arc;

use super::grids::GridReader;
use super::{
    Body, Chunk, ClueCounts, Cut, Format, InputOptions, PlainLines, Record, Records, SharedRules, Wanted,
    formats,
};
use quadrille_model::rules::{Rules, begins_rules};
use quadrille_model::{EndedBy, Packed9x9, ProblemRef, Symbols};

/// Parses chunks into records. Each worker has its own parser, which keeps geometries and tables between chunks.
pub struct Parser {
    pub(super) grids: GridReader,
}

impl Parser {
    /// Creates a parser for chunks of a reader with the same options.
    pub fn new(options: &InputOptions) -> Self {
        Parser { grids: GridReader::new(options) }
    }

    /// Parses a chunk, replacing the content of `records`.
    ///
    /// Adds `chunk.records` records, and with `keep_lines` the skipped lines between them. Never fails: unreadable
    /// text becomes [`Body::Invalid`] with the reason.
    pub fn parse(&mut self, chunk: &Chunk, records: &mut Records) {
        self.parse_until(chunk, records, &|| None);
    }

    /// Parses a chunk as [`parse`](Self::parse) does, until `stop` returns a reason to end.
    ///
    /// After that only exact cover problems and cubes become [`Body::Unread`]. `stop` is called after every megabyte
    /// of a problem, and before each cube.
    pub fn parse_until(&mut self, chunk: &Chunk, records: &mut Records, stop: &dyn Fn() -> Option<EndedBy>) {
        records.clear();
        // The reader of grids holds the records while it reads.
        std::mem::swap(&mut self.grids.records, records);
        self.grids.begin(chunk.layout.common);
        if chunk.cuts.is_empty() {
            (formats::row(chunk.layout.format).parse)(&mut self.grids, chunk);
        } else {
            for cut in &chunk.cuts {
                self.parse_cut(chunk, cut, stop);
            }
        }
        std::mem::swap(&mut self.grids.records, records);
        if let Some(shared) = &chunk.shared_rules {
            shared.give_to(records);
        }
        debug_assert_eq!(
            records.list.iter().filter(|record| !matches!(record.body, Body::Skipped)).count() as u64,
            chunk.records,
            "cutter and parser disagree"
        );
    }

    /// Returns the rules of a source's first record, or `None` if [others](SharedRules) cannot share them.
    ///
    /// `chunk` holds this record alone.
    pub(super) fn shared_rules(&mut self, chunk: &Chunk, records: &mut Records) -> Option<SharedRules> {
        self.parse(chunk, records);
        let first = records.list.iter().find(|record| !matches!(record.body, Body::Skipped))?;
        let Some(ProblemRef::Puzzle(puzzle)) = records.problem(first) else { return None };
        let rules = puzzle.rules()?;
        let behind = if chunk.layout.format == Format::Line && rules.masks().is_empty() {
            let text = first.text.slice(&chunk.bytes);
            text.get(81..).filter(|behind| {
                self.grids.plain_9x9(text).is_some() && behind.strip_prefix(b"\t").is_some_and(begins_rules)
            })
        } else {
            None
        };
        SharedRules::new(rules, first.byte, behind)
    }

    /// Takes the lines of a chunk if all have the rules of the source's first record, written in the same way after
    /// each grid.
    ///
    /// Returns the shared rules, or `None` if some line differs. The lines can then be read like those of
    /// [`plain_lines`](Self::plain_lines).
    pub fn lines_with_shared_rules(&self, chunk: &Chunk, lines: &mut PlainLines) -> Option<Arc<Rules>> {
        let is_text = self.grids.plain && chunk.cuts.is_empty();
        let shared = chunk.shared_rules.as_ref().filter(|_| is_text)?;
        let behind = shared.behind(chunk.first_byte)?;
        lines.start(Wanted::default());
        let are_taken = lines.take_alike(&chunk.bytes, behind, chunk.layout.line_end());
        (are_taken && lines.count() as u64 == chunk.records).then(|| Arc::clone(&shared.rules))
    }

    /// Returns the rules that apply to [plain lines](Self::plain_lines), or `None` for classic sudoku.
    pub fn line_rules(&self) -> Option<&Arc<Rules>> {
        self.grids.line_rules.as_ref()
    }

    /// Takes the lines of a chunk if each may be a plain 9x9 grid. Otherwise returns false.
    ///
    /// Text around the grids, such as unquoted CSV columns or text after the grid, is left out.
    pub fn plain_lines(&self, chunk: &Chunk, lines: &mut PlainLines, wanted: Wanted) -> bool {
        lines.start(wanted);
        let is_other = chunk.layout.common.side.is_some_and(|side| side != 9);
        if !self.grids.lines || is_other || !chunk.cuts.is_empty() {
            return false;
        }
        (formats::row(chunk.layout.format).plain_lines)(chunk, lines, wanted)
            && lines.count() as u64 == chunk.records
    }

    /// Appends the grids of some of these lines to `read` and counts their clues there. Returns the number of grids read.
    ///
    /// These grids are the records that [`parse`](Self::parse) would find. If reading stops early, the next line is
    /// something else, and only `parse` can read it.
    pub fn read_plain(
        &self,
        chunk: &Chunk,
        lines: &PlainLines,
        range: Range<usize>,
        read: (&mut Vec<Packed9x9>, &mut ClueCounts),
    ) -> usize {
        let blank = self.grids.blank_of(chunk.layout.common);
        lines.read(range, &chunk.bytes, (blank, self.grids.names_cut_off()), read)
    }

    fn parse_cut(&mut self, chunk: &Chunk, cut: &Cut, stop: &dyn Fn() -> Option<EndedBy>) {
        let line = chunk.first_line + u64::from(cut.line_offset);
        let mut record = Record::new(line, chunk.first_byte + u64::from(cut.byte_offset), cut.span);
        record.symbols = chunk.layout.symbols.unwrap_or(Symbols::DEFAULT);
        if let Some([puzzle, solution]) = cut.pair {
            (record.puzzle, record.solution) = (puzzle, solution);
        }
        match &cut.invalid {
            Some(reason) => record.body = Body::Invalid(Box::new(reason.as_str().into())),
            None => formats::row(chunk.layout.format).parse_record(&mut self.grids, chunk, &mut record, stop),
        }
        self.grids.records.list.push(record);
    }
}
