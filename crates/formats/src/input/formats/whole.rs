//! Sources that are one record: code shared by the exact cover formats.

use std::sync::Arc;

use super::super::cells;
use super::super::cutter::{Cutter, Found, Unread};
use super::super::lines::is_blank;
use super::super::{Body, Chunk, Cut, InputOptions, Layout, Record, Records, Span};
use quadrille_model::Cover;

/// Returns a cutter that takes the whole source as one record once it has ended.
pub(super) fn cutter(layout: &Arc<Layout>, _: &InputOptions) -> Box<dyn Cutter> {
    Box::new(WholeCutter { line_end: layout.line_end })
}

struct WholeCutter {
    line_end: u8,
}

impl Cutter for WholeCutter {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut Found) -> bool {
        let bytes = unread.bytes;
        found.scanned = bytes.len();
        if !unread.end || found.len == bytes.len() {
            return unread.end;
        }
        let mut end = bytes.len();
        if bytes.last() == Some(&self.line_end) {
            end -= 1;
        }
        let span = Span { start: 0, end: end as u32 };
        found.cuts.push(Cut { span, line_offset: 0, invalid: None });
        found.records += 1;
        found.lines = memchr::memchr_iter(self.line_end, &bytes[..end]).count() as u64 + 1;
        found.len = bytes.len();
        true
    }

    fn is_unlimited(&self) -> bool {
        true
    }
}

/// The reason why a problem cannot be read, with the byte offset of the fault in the text.
pub(super) struct Wrong {
    at: usize,
    pub(super) what: String,
}

impl Wrong {
    pub(super) fn new(at: usize, what: impl Into<String>) -> Self {
        Wrong { at, what: what.into() }
    }
}

/// Fills in the record's body: the problem, or the reason with line and column.
pub(super) fn finish(chunk: &Chunk, record: &mut Record, records: &mut Records, read: Result<Cover, Wrong>) {
    record.body = match read {
        Ok(cover) => {
            records.covers.push(Arc::new(cover));
            Body::Cover(records.covers.len() as u32 - 1)
        }
        Err(Wrong { at, what }) => {
            let before = &record.text.of(&chunk.bytes)[..at];
            let line_end = chunk.layout.line_end;
            let line = record.line + memchr::memchr_iter(line_end, before).count() as u64;
            let start = memchr::memrchr(line_end, before).map_or(0, |found| found + 1);
            let column = cells::characters(&before[start..]) + 1;
            Body::Invalid(Box::new(format!("line {line} column {column}: {what}").into()))
        }
    };
}

/// Returns the words of a line with their byte offsets; `from` is the offset of the line.
pub(super) fn words(line: &[u8], from: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut next = 0;
    std::iter::from_fn(move || {
        while is_blank(*line.get(next)?) {
            next += 1;
        }
        let start = next;
        while line.get(next).is_some_and(|&byte| !is_blank(byte)) {
            next += 1;
        }
        Some((from + start, &line[start..next]))
    })
}

/// Returns a word for a message: valid text, and shortened if it is long.
pub(super) fn shown(word: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(4 * MOST)]);
    let short: String = text.chars().take(MOST).collect();
    if short.len() < word.len() && short.chars().count() == MOST { format!("{short}...") } else { short }
}
