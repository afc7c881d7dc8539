//! The beginning of a source, from which its format is detected.

use std::cell::OnceCell;

use super::cutter::{ByLine, CutRecords, Cutter as _, LineMachine, Unread};
use super::lines::{is_skipped, lines};
use super::{ChunkTarget, InputOptions, Span};

/// The start of a source.
pub(super) struct Head<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) line_end: u8,
    /// True if these bytes are the whole source.
    pub(super) whole: bool,
    pub(super) options: &'a InputOptions,
    /// The characters of empty cells that rows show, as bits, once they are known.
    pub(super) blanks: OnceCell<u8>,
}

impl<'a> Head<'a> {
    /// Returns the bytes of the complete lines of the head.
    pub(super) fn whole_lines(&self) -> &'a [u8] {
        let complete = if self.whole {
            self.bytes.len()
        } else {
            memchr::memrchr(self.line_end, self.bytes).map_or(0, |at| at + 1)
        };
        &self.bytes[..complete]
    }

    /// Returns the complete lines of the head.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        lines(self.whole_lines(), self.line_end).map(|(_, line)| line)
    }

    /// Returns the complete lines that are neither comments nor empty, with 1-based numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let blank = self.options.blank;
        (1..).zip(self.lines()).filter(move |(_, line)| !is_skipped(line, blank))
    }

    /// Returns the places of the records that a machine finds, without those that are invalid.
    pub(super) fn cut(&self, machine: impl LineMachine + 'static) -> Vec<Span> {
        let mut found = CutRecords::default();
        let target = ChunkTarget { bytes: usize::MAX, records: u64::MAX };
        // A document may be on one line that is longer than the head.
        let (bytes, end) = match self.whole_lines() {
            [] => (self.bytes, true),
            lines => (lines, self.whole),
        };
        let unread = Unread { bytes, base: 0, first_line: 1, end, target };
        ByLine::new(machine, self.line_end, self.options).cut(&unread, &mut found);
        found.cuts.into_iter().filter(|cut| cut.invalid.is_none()).map(|cut| cut.span).collect()
    }

    /// Returns the complete lines that are neither comments nor empty.
    pub(super) fn contents(&self) -> impl Iterator<Item = &'a [u8]> {
        self.numbered().map(|(_, line)| line)
    }
}
