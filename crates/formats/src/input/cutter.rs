//! Finding records in a growing stretch of bytes: what cutters share.

use super::{ChunkTarget, Cut, InputOptions, Span};

/// The bytes that a cutter looks at: from the start of the chunk to be, as far as they are read.
pub(super) struct Unread<'a> {
    /// The bytes; they only grow at the end until the chunk is taken.
    pub(super) bytes: &'a [u8],
    /// Offset of the first byte in the source.
    pub(super) base: u64,
    /// Line of the first byte in the source, 1 for the first.
    pub(super) first_line: u64,
    /// No more bytes will come.
    pub(super) end: bool,
    /// The size at which the chunk is complete.
    pub(super) target: ChunkTarget,
}

/// The records and lines that a cutter has found in the unread bytes so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Bytes looked at.
    pub(super) scanned: usize,
    /// Bytes at the start that belong to whole records and skipped lines; at most `scanned`.
    pub(super) len: usize,
    /// Lines in them.
    pub(super) lines: u64,
    /// Records in them.
    pub(super) records: u64,
    /// The records, for formats whose parser does not find them itself.
    pub(super) cuts: Vec<Cut>,
    /// Messages for people.
    pub(super) warnings: Vec<String>,
    /// The record behind `len` is larger than a record may be; the reader gives it up.
    pub(super) too_large: bool,
}

impl Found {
    /// True if the chunk has reached its size.
    #[inline]
    pub(super) fn is_full(&self, target: ChunkTarget) -> bool {
        self.len >= target.bytes || self.records >= target.records
    }
}

/// Finds the records of one source.
pub(super) trait Cutter: Send {
    /// Goes on from `found.scanned` until the chunk is full or the bytes end. Returns true if the source is exhausted:
    /// at its end, with nothing left to give out.
    fn cut(&mut self, unread: &Unread<'_>, found: &mut Found) -> bool;

    /// True if a record may be larger than the limit on records.
    fn is_unlimited(&self) -> bool {
        false
    }

    /// Forgets a record that was begun: the reader gives it up as too large and goes on at the next line.
    fn give_up(&mut self) {}
}

/// A line of a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without its end.
    pub(super) text: &'a [u8],
    /// Offset of its first byte in the source.
    pub(super) start: u64,
    /// Offset of the next line.
    pub(super) next: u64,
    /// Its number, 1 for the first.
    pub(super) number: u64,
}

/// The place where a record begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    /// Offset of its first byte in the source.
    pub(super) byte: u64,
    /// Its line, 1 for the first.
    pub(super) line: u64,
}

/// A cutter's record as it is found, in places of the source.
pub(super) struct Out<'f> {
    found: &'f mut Found,
    base: u64,
    first_line: u64,
}

impl Out<'_> {
    /// A record that ends before `end`; invalid if there is a reason.
    pub(super) fn record(&mut self, begin: Begin, end: u64, invalid: Option<String>) {
        let span = Span { start: (begin.byte - self.base) as u32, end: (end - self.base) as u32 };
        let line_offset = (begin.line - self.first_line) as u32;
        self.found.cuts.push(Cut { span, line_offset, invalid });
        self.found.records += 1;
    }

    /// All lines before this place belong to records that are found, or are skipped.
    pub(super) fn done(&mut self, next: u64, next_line: u64) {
        self.found.len = (next - self.base) as usize;
        self.found.lines = next_line - self.first_line;
    }

    /// A message for people.
    pub(super) fn warn(&mut self, message: String) {
        self.found.warnings.push(message);
    }
}

/// A format whose records are found line by line.
pub(super) trait LineMachine: Send {
    /// Takes the next line.
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>);

    /// The source has ended after `next` bytes and before line `next_line`. Called until it returns `true`; each
    /// call may give out one record.
    fn end(&mut self, next: u64, next_line: u64, out: &mut Out<'_>) -> bool;

    /// As [`Cutter::give_up`].
    fn give_up(&mut self);
}

/// Runs a [`LineMachine`].
pub(super) struct ByLine<M> {
    pub(super) machine: M,
    pub(super) line_end: u8,
    max_record_bytes: usize,
    /// Number of the next line and its offset.
    next: Option<Begin>,
}

impl<M: LineMachine> ByLine<M> {
    pub(super) fn new(machine: M, line_end: u8, options: &InputOptions) -> Self {
        ByLine { machine, line_end, max_record_bytes: options.max_record_bytes, next: None }
    }
}

impl<M: LineMachine> Cutter for ByLine<M> {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut Found) -> bool {
        let Unread { bytes, base, first_line, .. } = *unread;
        let mut next = self.next.unwrap_or(Begin { byte: base, line: first_line });
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
            next = Begin { byte: line.next, line: next.line + 1 };
            self.machine.line(line, &mut Out { found, base, first_line });
            full = found.is_full(unread.target);
        }
        self.next = Some(next);
        let mut over = false;
        while unread.end && !over && !found.is_full(unread.target) {
            over = self.machine.end(next.byte, next.line, &mut Out { found, base, first_line });
        }
        over
    }

    fn give_up(&mut self) {
        self.next = None;
        self.machine.give_up();
    }
}
