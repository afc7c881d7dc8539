//! The first part of a source (its head), from which the format is detected.

use std::cell::OnceCell;

use super::cells::BLANKS;
use super::cutter::{ByLine, CutRecords, Cutter as _, LineMachine, Unread};
use super::lines::{is_skipped, lines, trim};
use super::shapes::has_two_blanks;
use super::{ChunkTarget, InputOptions, LineBreak, Span};
use quadrille_model::rules::are_rules;

/// Bytes at the start of a source that decide its layout.
pub(super) const HEAD_BYTES: usize = 64 << 10;

/// The start of a source.
pub(super) struct Head<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) line_end: u8,
    /// True if these bytes are the whole source.
    pub(super) whole: bool,
    /// True if a format must be tried even if the first part of the source does not look like that format.
    pub(super) is_asked: bool,
    pub(super) options: &'a InputOptions,
    /// Characters of empty cells that occur in rows, one bit per character. Set once they are known.
    pub(super) blanks: OnceCell<u8>,
}

impl<'a> Head<'a> {
    pub(super) fn new(bytes: &'a [u8], line_end: u8, whole: bool, options: &'a InputOptions) -> Self {
        Head { bytes, line_end, whole, is_asked: false, options, blanks: OnceCell::new() }
    }

    /// Returns true if a format may read this first part of a source (the head).
    ///
    /// A format that the caller asked for may always read the head. Any other format may read it only if the
    /// head is `complete` and `looks` returns true for it.
    pub(super) fn fits(&self, complete: bool, looks: impl FnOnce(&Self) -> bool) -> bool {
        self.is_asked || complete && looks(self)
    }

    /// Returns the usual end of the head's lines.
    pub(super) fn line_break(&self) -> LineBreak {
        if self.line_end == b'\r' { LineBreak::Cr } else { LineBreak::Lf }
    }

    /// Returns the complete lines of the head as bytes.
    pub(super) fn whole_lines(&self) -> &'a [u8] {
        let complete = if self.whole {
            self.bytes.len()
        } else {
            memchr::memrchr(self.line_end, self.bytes).map_or(0, |at| at + 1)
        };
        &self.bytes[..complete]
    }

    /// Returns the complete lines of the head one by one.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        lines(self.whole_lines(), self.line_end).map(|(_, line)| line)
    }

    /// Returns the complete lines that are neither comments nor empty, with their 1-based line numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let blank = self.options.blank;
        (1..).zip(self.lines()).filter(move |(_, line)| !is_skipped(line, blank))
    }

    /// Returns the byte ranges of the valid records that a line machine finds in the head.
    ///
    /// A line machine finds the records of a format line by line. The head is the first part of the source.
    pub(super) fn cut(&self, machine: impl LineMachine + 'static) -> Vec<Span> {
        let cuts = self.run(machine).1.cuts.into_iter();
        cuts.filter(|cut| cut.invalid.is_none()).map(|cut| cut.span).collect()
    }

    /// Passes the lines of the head (the first part of a source) to a line machine.
    ///
    /// Returns the machine and the records that it finds.
    pub(super) fn run<M: LineMachine + 'static>(&self, machine: M) -> (M, CutRecords) {
        let mut found = CutRecords::default();
        let target = ChunkTarget { bytes: usize::MAX, records: u64::MAX };
        // In some formats the whole document may be one line, which is longer than this first part of the
        // source.
        let (bytes, end) = match self.whole_lines() {
            [] => (self.bytes, true),
            lines => (lines, self.whole),
        };
        let unread = Unread { bytes, base: 0, first_line: 1, end, target };
        let mut cutter = ByLine::new(machine, self.line_end, self.options);
        cutter.cut(&unread, &mut found);
        (cutter.machine, found)
    }

    /// Returns true if the first record is a line of exactly 81 cells with at least one clue.
    pub(super) fn starts_with_puzzle(&self) -> bool {
        let is_empty = |byte: u8| BLANKS.contains(&byte) || self.options.blank == Some(byte);
        let first = self.contents().next().map(trim);
        first.is_some_and(|line| {
            line.len() == 81
                && line.iter().all(|&byte| byte.is_ascii_digit() || is_empty(byte))
                && line.iter().any(|byte| (b'1'..=b'9').contains(byte))
                && !has_two_blanks(line)
        })
    }

    /// Returns true if the first record is a text of rules, of any length.
    pub(super) fn starts_with_rules(&self) -> bool {
        self.contents().next().map(trim).is_some_and(are_rules)
    }

    /// Returns the complete lines that are neither comments nor empty.
    pub(super) fn contents(&self) -> impl Iterator<Item = &'a [u8]> {
        self.numbered().map(|(_, line)| line)
    }
}
