//! Finding records in a growing stretch of bytes: the parts that all cutters share.

use std::sync::Arc;

use super::cells::BLANKS;
use super::lines::is_blank;
use super::{Chunk, ChunkBytes, ChunkTarget, Cut, InputOptions, Layout, LineCounts, LineKind, Span};

/// Bytes that no chunk has taken yet, as far as they have been read.
pub(super) struct Unread<'a> {
    /// The bytes; they only grow at the end until a chunk is taken.
    pub(super) bytes: &'a [u8],
    /// Offset of the first byte in the source, in bytes.
    pub(super) base: u64,
    /// Line of the first byte in the source, 1-based.
    pub(super) first_line: u64,
    /// True if no more bytes will come.
    pub(super) end: bool,
    /// The size at which the chunk is complete.
    pub(super) target: ChunkTarget,
}

/// Records and lines that a cutter has found so far in the unread bytes.
#[derive(Debug, Default)]
pub(super) struct CutRecords {
    /// Number of bytes scanned.
    pub(super) scanned: usize,
    /// Number of bytes at the start that make up whole records and skipped lines; at most `scanned`.
    pub(super) len: usize,
    /// Number of lines in the first `len` bytes.
    pub(super) lines: u64,
    /// Number of records in the first `len` bytes.
    pub(super) records: u64,
    /// The lines in the first `len` bytes that are not parts of records; see [`line_counts`](Self::line_counts).
    pub(super) others: LineCounts,
    /// Places of the records, for formats whose parser cannot find them itself.
    pub(super) cuts: Vec<Cut>,
    /// Text of the records if they are not written in one piece in the source. `cuts` are then ranges of this text.
    pub(super) rewritten: Vec<u8>,
    /// Warnings for the user.
    pub(super) warnings: Vec<String>,
    /// True if the record that begins at `len` exceeds the size limit; the reader then drops it.
    pub(super) too_large: bool,
}

impl CutRecords {
    /// Returns a chunk with copies of these records. `bytes` are the bytes in which they were found.
    pub(super) fn to_chunk(&self, layout: &Arc<Layout>, bytes: &[u8]) -> Chunk {
        let text = if self.rewritten.is_empty() { &bytes[..self.len] } else { &self.rewritten };
        Chunk {
            layout: Arc::clone(layout),
            bytes: ChunkBytes { buffer: text.to_vec(), start: 0 },
            records: self.records,
            cuts: self.cuts.clone(),
            ..Chunk::default()
        }
    }

    /// Returns the numbers of lines in the first `len` bytes. A line that no cutter counts as another is a record's.
    pub(super) fn line_counts(&self) -> LineCounts {
        LineCounts { records: self.lines.saturating_sub(self.others.total()), ..self.others }
    }

    /// Returns true if the chunk has reached its target size.
    #[inline]
    pub(super) fn is_full(&self, target: ChunkTarget) -> bool {
        self.len >= target.bytes || self.records >= target.records
    }
}

/// Finds the records of one source.
pub(super) trait Cutter: Send {
    /// Continues from `found.scanned` until the chunk is full or the bytes end.
    ///
    /// Returns true if the source is exhausted: it has ended and everything has been handed out.
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool;

    /// Returns true if the limit on record size does not apply.
    fn is_unlimited(&self) -> bool {
        false
    }

    /// Forgets an unfinished record. The reader reports it as too large and continues at the next line.
    fn give_up(&mut self) {}
}

/// A line of a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without its end.
    pub(super) text: &'a [u8],
    /// Offset of the line's first byte in the source, in bytes.
    pub(super) start: u64,
    /// Offset of the next line in the source, in bytes.
    pub(super) next: u64,
    /// Number of the line, 1-based.
    pub(super) number: u64,
}

/// The place where a record or a line begins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RecordStart {
    /// Offset of the first byte in the source, in bytes.
    pub(super) byte: u64,
    /// Line of the first byte, 1-based.
    pub(super) line: u64,
}

impl Line<'_> {
    /// Returns the place of a byte of the line.
    pub(super) fn place(&self, offset: usize) -> RecordStart {
        RecordStart { byte: self.start + offset as u64, line: self.number }
    }

    /// Returns the place of the next line.
    pub(super) fn after(&self) -> RecordStart {
        RecordStart { byte: self.next, line: self.number + 1 }
    }
}

/// A line that is not in the first `len` bytes yet.
#[derive(Debug, Clone, Copy)]
struct OpenLine {
    /// Offset of the line's first byte in the source, in bytes.
    start: u64,
    /// Offset of the line's end in the source, in bytes.
    end: u64,
    state: LineState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    /// The text of the line decides, unless a record takes it.
    Open,
    /// A line that is not part of a record.
    Other(LineKind),
    /// A line of a record.
    Taken,
}

/// Lines that are not in the first `len` bytes yet.
#[derive(Debug, Default)]
struct OpenLines {
    /// Number of the first line, 1-based.
    first: u64,
    lines: Vec<OpenLine>,
    /// Side of the source's grids, if known.
    side: Option<usize>,
}

impl OpenLines {
    fn add(&mut self, line: &Line<'_>) {
        if self.lines.is_empty() {
            self.first = line.number;
        }
        let end = line.start + line.text.len() as u64;
        self.lines.push(OpenLine { start: line.start, end, state: LineState::Open });
    }

    /// Returns the number of lines before line `number`.
    fn before(&self, number: u64) -> usize {
        number.saturating_sub(self.first).min(self.lines.len() as u64) as usize
    }

    /// Returns the lines between two byte offsets.
    fn between(&mut self, begin: u64, end: u64) -> impl Iterator<Item = &mut OpenLine> {
        let first = self.lines.partition_point(|line| line.start <= begin).saturating_sub(1);
        self.lines[first..].iter_mut().take_while(move |line| line.start < end)
    }
}

/// Returns true if a text that is not part of a record must be one, since it has at least half as many cells as a grid
/// of this side, and little else.
///
/// Such a text is a damaged grid, or one in another form than those around it, and is `invalid` in every format.
pub(super) fn may_be_grid(text: &[u8], side: usize) -> bool {
    // Dates and times have fewer cells than this.
    let least = (side * side / 2).max(16);
    let others = |cells: usize| text.iter().filter(|&&byte| !is_blank(byte)).count() - cells;
    text.len() >= least
        && text.iter().any(|byte| (b'1'..=b'9').contains(byte))
        && Some(cells_in(text, side)).is_some_and(|cells| cells >= least && 2 * others(cells) <= cells)
}

/// Returns the reason for a line that [may be a grid](may_be_grid).
pub(super) fn unlike_others(side: usize) -> String {
    format!("a line that is not written like the first {side}x{side} of the source")
}

/// Returns the number of characters of a line that may be digits or empty cells of a grid of this side.
pub(super) fn cells_in(line: &[u8], side: usize) -> usize {
    let is_digit = |byte: u8| byte.is_ascii_digit() || side > 9 && byte.is_ascii_uppercase();
    line.iter().filter(|&&byte| is_digit(byte) || BLANKS.contains(&byte)).count()
}

/// Adds records to a chunk's `CutRecords`, converting places in the source to places in the chunk.
pub(super) struct RecordSink<'f> {
    found: &'f mut CutRecords,
    open: &'f mut OpenLines,
    bytes: &'f [u8],
    base: u64,
    first_line: u64,
}

impl<'f> RecordSink<'f> {
    /// Adds a record that ends before byte `end`; it is invalid if a reason is given.
    pub(super) fn record(&mut self, begin: RecordStart, end: u64, invalid: Option<String>) {
        self.settle(begin.line);
        self.add(begin, end, invalid);
    }

    /// Adds a puzzle and its solution, whose first and last bytes are given, as one record.
    pub(super) fn pair(&mut self, begin: RecordStart, puzzle_end: u64, solution: [u64; 2]) {
        self.record(begin, solution[1], None);
        let pair = [self.span(begin.byte, puzzle_end), self.span(solution[0], solution[1])];
        self.found.cuts.last_mut().into_iter().for_each(|cut| cut.pair = Some(pair));
    }

    /// Returns the place in the chunk of bytes of the source.
    fn span(&self, start: u64, end: u64) -> Span {
        Span { start: (start - self.base) as u32, end: (end - self.base) as u32 }
    }

    fn add(&mut self, begin: RecordStart, end: u64, invalid: Option<String>) {
        let span = self.span(begin.byte, end);
        let line_offset = (begin.line - self.first_line) as u32;
        self.found.cuts.push(Cut { span, line_offset, byte_offset: span.start, invalid, pair: None });
        self.found.records += 1;
        if begin.byte < end {
            self.open.between(begin.byte, end).for_each(|line| line.state = LineState::Taken);
        }
    }

    /// Decides what the lines before line `number` are that no record has taken. A line that [may be a grid](may_be_grid)
    /// becomes an invalid record.
    fn settle(&mut self, number: u64) {
        for at in 0..self.open.before(number) {
            let line = self.open.lines[at];
            if line.state == LineState::Open {
                match self.open.side.filter(|&side| may_be_grid(self.text(line), side)) {
                    Some(side) => {
                        let begin = RecordStart { byte: line.start, line: self.open.first + at as u64 };
                        self.add(begin, line.end, Some(unlike_others(side)));
                    }
                    None => self.open.lines[at].state = LineState::Other(LineKind::of(self.text(line))),
                }
            }
        }
    }

    /// Returns the text of a line, without the part that is in an earlier chunk.
    fn text(&self, line: OpenLine) -> &'f [u8] {
        let [start, end] = [line.start, line.end].map(|at| at.saturating_sub(self.base) as usize);
        &self.bytes[start..end]
    }

    /// Notes that everything before `next` is part of found records, or skipped.
    pub(super) fn done(&mut self, next: RecordStart) {
        self.settle(next.line);
        self.found.len = (next.byte - self.base) as usize;
        self.found.lines = next.line - self.first_line;
        let settled = self.open.before(next.line);
        self.open.first += settled as u64;
        for line in self.open.lines.drain(..settled) {
            if let LineState::Other(kind) = line.state {
                self.found.others.add(kind, 1);
            }
        }
    }

    /// Notes what the last line is if it is neither blank nor part of a record.
    ///
    /// Without such a note it counts by [`LineKind::of`].
    pub(super) fn pass(&mut self, kind: LineKind) {
        self.pass_line(u64::MAX, kind);
    }

    /// Notes what the line at byte `at` of the source is, as [`pass`](Self::pass) does.
    pub(super) fn pass_line(&mut self, at: u64, kind: LineKind) {
        let Some(&mut line) = self.open.between(at, u64::MAX).next() else { return };
        let text = self.text(line);
        let may_be_record =
            kind == LineKind::Heading && self.open.side.is_some_and(|side| may_be_grid(text, side));
        if line.state != LineState::Taken && LineKind::of(text) != LineKind::Blank && !may_be_record {
            self.open.between(at, u64::MAX).take(1).for_each(|line| line.state = LineState::Other(kind));
        }
    }

    /// Adds a warning for the user.
    pub(super) fn warn(&mut self, message: String) {
        self.found.warnings.push(message);
    }
}

/// A format whose records are found line by line.
pub(super) trait LineMachine: Send {
    /// Takes the next line.
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>);

    /// Handles the end of the source, where the next line would begin at `next`.
    ///
    /// Each call may add one record. It is called until it returns true.
    fn end(&mut self, next: RecordStart, out: &mut RecordSink<'_>) -> bool {
        let _ = (next, out);
        true
    }

    /// Forgets an unfinished record, as [`Cutter::give_up`] does.
    fn give_up(&mut self) {}
}

/// A [`Cutter`] that feeds lines to a [`LineMachine`].
pub(super) struct ByLine<M> {
    pub(super) machine: M,
    pub(super) line_end: u8,
    max_record_bytes: usize,
    /// Place of the next line; `None` at the start and after a record was given up.
    next: Option<RecordStart>,
    open: OpenLines,
}

impl<M: LineMachine + 'static> ByLine<M> {
    /// Creates the cutter of a source that a machine reads.
    pub(super) fn cutter(machine: M, layout: &Layout, options: &InputOptions) -> Box<dyn Cutter> {
        let side = layout.common.side.or(options.asked_side());
        let open = OpenLines { side, ..OpenLines::default() };
        Box::new(ByLine { open, ..ByLine::new(machine, layout.line_end(), options) })
    }

    pub(super) fn new(machine: M, line_end: u8, options: &InputOptions) -> Self {
        ByLine {
            machine,
            line_end,
            max_record_bytes: options.max_record_bytes,
            next: None,
            open: OpenLines::default(),
        }
    }
}

impl<M: LineMachine> Cutter for ByLine<M> {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        let Unread { bytes, base, first_line, .. } = *unread;
        let mut next = self.next.unwrap_or(RecordStart { byte: base, line: first_line });
        let mut full = false;
        while !full {
            let start = (next.byte - base) as usize;
            let from = start.max(found.scanned);
            let newline = memchr::memchr(self.line_end, &bytes[from..]).map(|at| from + at);
            found.scanned = newline.map_or(bytes.len(), |at| at + 1);
            let end = match newline {
                Some(end) => end,
                None if unread.end && start < bytes.len() => bytes.len(),
                None => break,
            };
            if found.scanned - found.len > self.max_record_bytes {
                found.too_large = true;
                found.scanned = start;
                self.next = Some(next);
                return false;
            }
            let line = Line {
                text: super::lines::without_returns(&bytes[start..end]),
                start: next.byte,
                next: base + found.scanned as u64,
                number: next.line,
            };
            next = line.after();
            self.open.add(&line);
            let open = &mut self.open;
            self.machine.line(line, &mut RecordSink { found, open, bytes, base, first_line });
            full = found.is_full(unread.target);
        }
        self.next = Some(next);
        let mut over = false;
        while unread.end && !over && !found.is_full(unread.target) {
            let open = &mut self.open;
            over = self.machine.end(next, &mut RecordSink { found, open, bytes, base, first_line });
        }
        over
    }

    fn give_up(&mut self) {
        self.next = None;
        self.open.lines.clear();
        self.machine.give_up();
    }
}
