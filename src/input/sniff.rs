//! What a source is, decided from its first 64 KiB and never from what happens to have arrived.

use super::lines::{is_skipped, line_end_of, lines};
use super::{Format, InputOptions, Layout, formats};

/// So much of a source decides.
pub(super) const HEAD_BYTES: usize = 64 << 10;

/// The start of a source.
pub(super) struct Head<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) line_end: u8,
    /// It is the whole source.
    pub(super) whole: bool,
    pub(super) options: &'a InputOptions,
}

impl<'a> Head<'a> {
    /// Its complete lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        let complete = if self.whole {
            self.bytes.len()
        } else {
            memchr::memrchr(self.line_end, self.bytes).map_or(0, |at| at + 1)
        };
        lines(&self.bytes[..complete], self.line_end).map(|(_, line)| line)
    }
}

/// Decides on the layout of a source.
///
/// `complete` says that the head will not grow: it is [`HEAD_BYTES`] long or the `whole` source. `None` asks for
/// more; only where the format is named and the first record is known does less than the head do.
///
/// # Errors
/// Why the source cannot be read as asked.
pub(super) fn layout(
    head: &[u8],
    complete: bool,
    whole: bool,
    options: &InputOptions,
) -> Result<Option<Layout>, String> {
    if !complete && options.format.is_none() {
        return Ok(None);
    }
    let Some(line_end) = line_end_of(head, complete) else { return Ok(None) };
    let head = Head { bytes: head, line_end, whole, options };
    let format = options.format.unwrap_or_else(|| {
        let table = formats::table();
        table.iter().find(|row| (row.sniff)(&head)).map_or(Format::Line, |row| row.format)
    });
    if !complete && !head.lines().any(|line| !is_skipped(line)) {
        return Ok(None);
    }
    let mut layout = Layout { format, line_end, ..Layout::default() };
    match format {
        Format::Line => layout.header_line = header_line(&head),
        Format::Csv => match formats::csv::decide(&head, complete, options.format.is_some())? {
            Some((csv, header_line)) => (layout.csv, layout.header_line) = (Some(csv), header_line),
            None if complete => return Err("no row of columns".into()),
            None => return Ok(None),
        },
        _ => {}
    }
    Ok(Some(layout))
}

/// Digits of a header that counts puzzles; the smallest grid has more cells.
const HEADER_DIGITS: usize = 15;

/// The line of a count before the puzzles of a line source.
fn header_line(head: &Head<'_>) -> Option<u64> {
    let (number, first) = (1..).zip(head.lines()).find(|(_, line)| !is_skipped(line))?;
    let first = super::lines::trim(first);
    (first.len() <= HEADER_DIGITS && first.iter().all(u8::is_ascii_digit)).then_some(number)
}
