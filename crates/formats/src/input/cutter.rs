//! The code that all cutters share. A cutter finds records in bytes that arrive one block after another.

use std::sync::Arc;

use super::cells::BLANKS;
use super::lines::is_blank;
use super::{Chunk, ChunkBytes, ChunkTarget, Cut, InputOptions, Layout, LineCounts, LineKind, Span};

/// The bytes read so far that are not part of a chunk yet.
pub(super) struct Unread<'a> {
    /// The unread bytes. They only grow at the end, until the bytes of a chunk are removed from the start.
    pub(super) bytes: &'a [u8],
    /// Offset of the first unread byte in the source, in bytes.
    pub(super) base: u64,
    /// 1-based line number of the first unread byte in the source.
    pub(super) first_line: u64,
    /// True if the source has no more bytes.
    pub(super) end: bool,
    /// Size at which the next chunk is complete.
    pub(super) target: ChunkTarget,
}

/// The records and lines that a cutter has found so far in the unread bytes.
#[derive(Debug, Default)]
pub(super) struct CutRecords {
    /// Number of bytes scanned.
    pub(super) scanned: usize,
    /// Number of bytes at the start of the unread bytes that consist of whole records and skipped lines.
    ///
    /// At most `scanned`.
    pub(super) len: usize,
    /// Number of lines in the first `len` unread bytes.
    pub(super) lines: u64,
    /// Number of records in the first `len` unread bytes.
    pub(super) records: u64,
    /// Number of lines outside records, for each kind of line. Only the first `len` unread bytes are counted.
    ///
    /// See [`line_counts`](Self::line_counts).
    pub(super) others: LineCounts,
    /// Positions of the records, for formats whose parser cannot find the records itself.
    pub(super) cuts: Vec<Cut>,
    /// Text of the records if they are not written in one piece in the source. `cuts` are then ranges of this text.
    pub(super) rewritten: Vec<u8>,
    /// Warnings for the user.
    pub(super) warnings: Vec<String>,
    /// True if the record that begins after the first `len` unread bytes exceeds the size limit.
    ///
    /// The reader then drops this record.
    pub(super) too_large: bool,
}

impl CutRecords {
    /// Returns a chunk with copies of the records found so far. `bytes` are the unread bytes in which they
    /// were found.
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

    /// Returns how many lines of each kind are in the first `len` unread bytes.
    ///
    /// A line counts as part of a record unless a cutter has counted it as something else.
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
    /// Continues at `found.scanned` and looks for records until the chunk is full or the bytes end.
    ///
    /// Returns true if the source has ended and nothing in it remains to be cut.
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool;

    /// Returns true if the limit on record size does not apply.
    fn is_unlimited(&self) -> bool {
        false
    }

    /// Forgets an unfinished record, which the reader reports as too large. Cutting continues at the next
    /// line.
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

/// A line after the finished records and skipped lines. It is not known yet whether the line is part of a
/// record.
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
    /// The line is not part of a record so far. If it does not become part of one, its text decides its kind.
    Open,
    /// A line that is not part of a record.
    Other(LineKind),
    /// A line of a record.
    Taken,
}

/// The lines after the finished records and skipped lines. It is not known yet whether they are parts of
/// records.
#[derive(Debug, Default)]
struct OpenLines {
    /// 1-based number of the first of these lines.
    first: u64,
    lines: Vec<OpenLine>,
    /// Side length of the source's grids, or `None` if it is not known.
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

    /// Returns the number of undecided lines before line `number` of the source.
    fn before(&self, number: u64) -> usize {
        number.saturating_sub(self.first).min(self.lines.len() as u64) as usize
    }

    /// Returns the undecided lines that lie between two byte offsets.
    fn between(&mut self, begin: u64, end: u64) -> impl Iterator<Item = &mut OpenLine> {
        let first = self.lines.partition_point(|line| line.start <= begin).saturating_sub(1);
        self.lines[first..].iter_mut().take_while(move |line| line.start < end)
    }
}

/// Returns true if a text outside any record is probably a grid that was not recognised.
///
/// The text must have at least half as many cells as a grid of side length `side`, and few other characters.
/// It is either a damaged grid, or a grid that is written in another form than the other grids of the source.
/// In every format such a text is an `invalid` record.
pub(super) fn may_be_grid(text: &[u8], side: usize) -> bool {
    // The minimum of 16 excludes dates and times, which have fewer digits.
    let least = (side * side / 2).max(16);
    let others = |cells: usize| text.iter().filter(|&&byte| !is_blank(byte)).count() - cells;
    text.len() >= least
        && text.iter().any(|byte| (b'1'..=b'9').contains(byte))
        && Some(cells_in(text, side)).is_some_and(|cells| cells >= least && 2 * others(cells) <= cells)
}

/// Returns the reason why a line that [may be a grid](may_be_grid) is an invalid record.
pub(super) fn unlike_others(side: usize) -> String {
    format!("a line that is not written like the first {side}x{side} of the source")
}

/// Returns the number of characters in a line that may be cells of a grid with side length `side`: digits or
/// empty cells.
pub(super) fn cells_in(line: &[u8], side: usize) -> usize {
    let is_digit = |byte: u8| byte.is_ascii_digit() || side > 9 && byte.is_ascii_uppercase();
    line.iter().filter(|&&byte| is_digit(byte) || BLANKS.contains(&byte)).count()
}

/// Adds records to the `CutRecords` of a chunk. Converts offsets in the source to offsets in the chunk.
pub(super) struct RecordSink<'f> {
    found: &'f mut CutRecords,
    open: &'f mut OpenLines,
    bytes: &'f [u8],
    base: u64,
    first_line: u64,
}

impl<'f> RecordSink<'f> {
    /// Adds a record that ends before byte `end`. If `invalid` gives a reason, the record is invalid.
    pub(super) fn record(&mut self, begin: RecordStart, end: u64, invalid: Option<String>) {
        self.settle(begin.line);
        self.add(begin, end, invalid);
    }

    /// Adds a puzzle and its solution as one record. `solution` is the byte range of the solution in the
    /// source.
    pub(super) fn pair(&mut self, begin: RecordStart, puzzle_end: u64, solution: [u64; 2]) {
        self.record(begin, solution[1], None);
        let pair = [self.span(begin.byte, puzzle_end), self.span(solution[0], solution[1])];
        self.found.cuts.last_mut().into_iter().for_each(|cut| cut.pair = Some(pair));
    }

    /// Converts a range of bytes in the source to a range in the chunk.
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

    /// Decides the kinds of the lines before line `number`, except lines of records.
    ///
    /// A line that [may be a grid](may_be_grid) becomes an invalid record.
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

    /// Returns the text of a line, except the part that is already in an earlier chunk. Only a line of a record has
    /// such a part.
    fn text(&self, line: OpenLine) -> &'f [u8] {
        let [start, end] = [line.start, line.end].map(|at| at.saturating_sub(self.base) as usize);
        &self.bytes[start..end]
    }

    /// Notes that everything before `next` is part of found records, or skipped.
    pub(super) fn done(&mut self, next: RecordStart) {
        self.settle(next.line);
        let settled = self.open.before(next.line);
        // The chunk ends before an undecided line, because the whole line may become an invalid record.
        let undecided = self.open.lines.get(settled).filter(|line| line.state == LineState::Open);
        self.found.len = (undecided.map_or(next.byte, |line| line.start) - self.base) as usize;
        self.found.lines = next.line - self.first_line;
        self.open.first += settled as u64;
        for line in self.open.lines.drain(..settled) {
            if let LineState::Other(kind) = line.state {
                self.found.others.add(kind, 1);
            }
        }
    }

    /// Sets the kind of the last line. Has no effect if the line is blank or part of a record.
    ///
    /// Without this call, [`LineKind::of`] determines the kind.
    pub(super) fn pass(&mut self, kind: LineKind) {
        self.pass_line(u64::MAX, kind);
    }

    /// Sets the kind of the line at byte `at` of the source. See [`pass`](Self::pass).
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

    /// Forgets an unfinished record. See [`Cutter::give_up`].
    fn give_up(&mut self) {}
}

/// A [`Cutter`] that passes the source to a [`LineMachine`] line by line.
pub(super) struct ByLine<M> {
    pub(super) machine: M,
    pub(super) line_end: u8,
    max_record_bytes: usize,
    /// Position at which the next line begins. `None` at the start, and after an unfinished record was
    /// forgotten.
    next: Option<RecordStart>,
    open: OpenLines,
}

impl<M: LineMachine + 'static> ByLine<M> {
    /// Creates the cutter for a source that `machine` reads.
    pub(super) fn cutter(machine: M, layout: &Layout, options: &InputOptions) -> Box<dyn Cutter> {
        let mut cutter = ByLine::new(machine, layout.line_end(), options);
        cutter.open.side = layout.common.side.or(options.asked_side());
        Box::new(cutter)
    }

    pub(super) fn new(machine: M, line_end: u8, options: &InputOptions) -> Self {
        let max_record_bytes = options.max_record_bytes;
        ByLine { machine, line_end, max_record_bytes, next: None, open: OpenLines::default() }
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
