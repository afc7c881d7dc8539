//! The beginning of a source, from which its format is detected.

use std::cell::OnceCell;

use super::InputOptions;
use super::lines::{is_skipped, lines};

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

    /// Returns the complete lines that are neither comments nor empty.
    pub(super) fn contents(&self) -> impl Iterator<Item = &'a [u8]> {
        self.numbered().map(|(_, line)| line)
    }
}
