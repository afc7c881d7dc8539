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

/// Parses chunks into records.
///
/// Each worker has its own parser, which reuses geometries and tables from one chunk to the next.
pub struct Parser {
    pub(super) grids: GridReader,
}

impl Parser {
    /// Creates a parser for the chunks of a reader that has the same options.
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

    /// Parses a chunk like [`parse`](Self::parse), but can be stopped early.
    ///
    /// Once `stop` returns a reason, exact cover problems and cubes become [`Body::Unread`]. Other records
    /// are still parsed. `stop` is called after every megabyte of an exact cover problem, and before each
    /// cube.
    pub fn parse_until(&mut self, chunk: &Chunk, records: &mut Records, stop: &dyn Fn() -> Option<EndedBy>) {
        records.clear();
        // The grid reader owns the records while it reads them.
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

    /// Returns the rules of a source's first record, or `None` if [later records](SharedRules) cannot share
    /// them.
    ///
    /// `chunk` contains only this record.
    pub(super) fn shared_rules(&mut self, chunk: &Chunk, records: &mut Records) -> Option<SharedRules> {
        self.parse(chunk, records);
        let first = records.list.iter().find(|record| !matches!(record.body, Body::Skipped))?;
        let Some(ProblemRef::Puzzle(puzzle)) = records.problem(first) else { return None };
        let rules = puzzle.rules()?;
        let text = first.text.slice(&chunk.bytes);
        let may_be_alike = chunk.layout.format == Format::Line
            && rules.masks().is_empty()
            && self.grids.plain_9x9(text).is_some();
        let begins_rules = |behind: &&[u8]| behind.strip_prefix(b"\t").is_some_and(begins_rules);
        let behind = text.get(81..).filter(|_| may_be_alike).filter(begins_rules);
        SharedRules::new(rules, first.byte, behind)
    }

    /// Stores the lines of a chunk in `lines` if each line has the same text of rules as the source's first
    /// record.
    ///
    /// Returns the shared rules, or `None` if some line has another text. Afterwards the lines can be read
    /// like those of [`plain_lines`](Self::plain_lines).
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

    /// Stores the lines of a chunk in `lines` if every line may be a plain 9x9 grid. Returns false if some
    /// line cannot be one.
    ///
    /// Skips text around the grids, such as unquoted CSV columns or text after the grid.
    pub fn plain_lines(&self, chunk: &Chunk, lines: &mut PlainLines, wanted: Wanted) -> bool {
        lines.start(wanted);
        let is_other = chunk.layout.common.side.is_some_and(|side| side != 9);
        if !self.grids.lines || is_other || !chunk.cuts.is_empty() {
            return false;
        }
        (formats::row(chunk.layout.format).plain_lines)(chunk, lines, wanted)
            && lines.count() as u64 == chunk.records
    }

    /// Reads plain lines in `range`. Appends their grids to `read`, and counts their clues there.
    ///
    /// Returns the number of grids read. The function stops early at a line that is not a plain grid. Such a
    /// line can be read only with [`parse`](Self::parse).
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
