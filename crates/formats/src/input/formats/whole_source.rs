//! Contains the code that exact cover formats share. Usually, a whole source in such a format is one record.

use std::sync::Arc;

use super::super::cutter::{CutRecords, Cutter, Unread};
use super::super::grids::GridReader;
use super::super::{Body, Chunk, Cut, Layout, Record, Span, cells};
use quadrille_model::{CoverProblem, EndedBy};

/// Creates a cutter that makes a record of each part of a source once the source has ended.
///
/// `parts` returns the byte offsets of all parts except the first.
pub(super) fn cutter(layout: &Layout, parts: fn(&[u8], u8) -> Vec<usize>) -> Box<dyn Cutter> {
    Box::new(WholeCutter { line_end: layout.line_end(), parts })
}

struct WholeCutter {
    line_end: u8,
    /// Returns the byte offsets of all parts except the first.
    parts: fn(&[u8], u8) -> Vec<usize>,
}

impl Cutter for WholeCutter {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        let bytes = unread.bytes;
        found.scanned = bytes.len();
        if !unread.end || found.len == bytes.len() {
            return unread.end;
        }
        let mut end = bytes.len();
        if bytes.last() == Some(&self.line_end) {
            end -= 1;
        }
        let mut start = 0;
        let parts = (self.parts)(&bytes[..end], self.line_end);
        for (end, next) in parts.iter().map(|&next| (next - 1, next)).chain([(end, end)]) {
            let span = Span { start: start as u32, end: end as u32 };
            let line_offset = memchr::memchr_iter(self.line_end, &bytes[..start]).count() as u32;
            found.cuts.push(Cut { span, line_offset, byte_offset: span.start, invalid: None, pair: None });
            found.records += 1;
            start = next;
        }
        found.lines = memchr::memchr_iter(self.line_end, &bytes[..end]).count() as u64 + 1;
        found.len = bytes.len();
        true
    }

    fn is_unlimited(&self) -> bool {
        true
    }
}

/// Reason why reading did not return a problem.
pub(super) enum Failure {
    /// The text cannot be read. Holds the byte offset of the fault in the text, and its description.
    Wrong(usize, String),
    /// The reading was ended.
    Ended(EndedBy),
}

/// Returns the failure for a fault at byte offset `at` of a text.
pub(super) fn wrong(at: usize, what: impl ToString) -> Failure {
    Failure::Wrong(at, what.to_string())
}

/// The text of a problem.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) line_end: u8,
    /// 1-based number of the first line in the source.
    pub(super) first_line: u64,
    /// True if each row of numbers begins with the number of its elements. `None` if the rows must show this
    /// themselves.
    pub(super) counted_rows: Option<bool>,
}

/// Function that reads a problem, and appends warnings about its text to the list.
pub(super) type ReadCover =
    fn(Text<'_>, &mut Vec<String>, &mut StopPoll<'_>) -> Result<CoverProblem, Failure>;

/// Number of bytes read between two checks of whether to stop. Reading them takes a few milliseconds.
const BYTES_BETWEEN_CHECKS: usize = if cfg!(test) { 1 << 14 } else { 1 << 20 };

/// Checks at regular intervals whether to stop reading a text.
pub(super) struct StopPoll<'a> {
    stop: &'a dyn Fn() -> Option<EndedBy>,
    /// Bytes read since the last check.
    bytes: usize,
}

impl StopPoll<'_> {
    /// Counts a piece of text that is about to be read. If enough text has been read since the last check,
    /// checks whether to stop.
    pub(super) fn read(&mut self, piece: &[u8]) -> Result<(), Failure> {
        // One byte is added for the line end or blank after the piece. Otherwise a text that consists only of
        // line ends or blanks would count as 0 bytes.
        self.bytes += piece.len() + 1;
        if self.bytes < BYTES_BETWEEN_CHECKS {
            return Ok(());
        }
        self.bytes = 0;
        (self.stop)().map_or(Ok(()), |reason| Err(Failure::Ended(reason)))
    }
}

/// Returns true if a text can be read as a problem.
///
/// `counted_rows` says whether each row begins with the number of its elements. `None` is treated as false.
pub(super) fn reads(read: ReadCover, bytes: &[u8], line_end: u8, counted_rows: Option<bool>) -> bool {
    let text = Text { bytes, line_end, first_line: 1, counted_rows: counted_rows.or(Some(false)) };
    read(text, &mut Vec::new(), &mut StopPoll { stop: &|| None, bytes: 0 }).is_ok()
}

/// Reads a whole text in a test.
///
/// Returns the problem or the reason why it could not be read, and the warnings.
#[cfg(test)]
pub(super) fn read_all_of(read: ReadCover, bytes: &[u8]) -> (Result<CoverProblem, String>, Vec<String>) {
    let mut warnings = Vec::new();
    let text = Text { bytes, line_end: b'\n', first_line: 1, counted_rows: None };
    let cover = read(text, &mut warnings, &mut StopPoll { stop: &|| None, bytes: 0 });
    let told = |failure| match failure {
        Failure::Wrong(_, what) => what,
        Failure::Ended(reason) => reason.word().to_owned(),
    };
    (cover.map_err(told), warnings)
}

/// Reads the text of a record.
///
/// The body of the record becomes the problem. It becomes `Unread` if reading was stopped, and `Invalid` with
/// line and column if the text has a fault.
pub(super) fn parse(
    read: ReadCover,
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
    stop: &dyn Fn() -> Option<EndedBy>,
) {
    let text = Text {
        bytes: record.text.slice(&chunk.bytes),
        line_end: chunk.layout.line_end(),
        first_line: record.line,
        counted_rows: grids.options.counted_rows,
    };
    let (options, records) = (&grids.options, &mut grids.records);
    record.body = match read(text, &mut records.warnings, &mut StopPoll { stop, bytes: 0 }) {
        Ok(mut cover) => {
            match options.cost_each {
                _ if cover.has_costs() => {}
                Some(cost) => cover.set_costs(vec![cost; cover.options()]),
                // Only the command `best` sets weights. It cannot compare covers if options have no costs.
                None if options.weights.is_some() => records.warnings.push(format!(
                    "{}: no option has a cost, so any solution is the best (--cost-each 1 finds one with the fewest options)",
                    chunk.source
                )),
                None => {}
            }
            records.add_cover(Arc::new(cover))
        }
        Err(Failure::Ended(reason)) => Body::Unread(reason),
        Err(Failure::Wrong(at, what)) => {
            let Text { bytes, line_end, .. } = text;
            let before = &bytes[..at];
            let line = record.line + memchr::memchr_iter(line_end, before).count() as u64;
            let start = memchr::memrchr(line_end, before).map_or(0, |found| found + 1);
            let column = cells::characters(&before[start..]) + 1;
            Body::Invalid(Box::new(format!("line {line} column {column}: {what}").into()))
        }
    };
}

/// Returns the words of a line, each with its byte offset in the text. `from` is the offset of the line.
///
/// `is_between` returns true for the bytes that separate words.
pub(super) fn words(
    line: &[u8],
    from: usize,
    is_between: impl Fn(u8) -> bool,
) -> impl Iterator<Item = (usize, &[u8])> {
    let words = line.split(move |&byte| is_between(byte)).filter(|word| !word.is_empty());
    words.map(move |word| (from + word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// Returns a word in a form suitable for messages: as valid UTF-8, and shortened if it is long.
pub(super) fn shown(word: &[u8]) -> String {
    const MAX_SHOWN: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(4 * MAX_SHOWN)]);
    let short: String = text.chars().take(MAX_SHOWN).collect();
    if short.len() < word.len() && short.chars().count() == MAX_SHOWN { format!("{short}...") } else { short }
}
