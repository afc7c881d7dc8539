//! Rows of Parquet and Arrow, in the text form that `input/table` makes of their columns.
//!
//! A record is the text of its puzzle, followed by given solution, id, rules and regions if the table has these
//! columns. All other columns follow if they are wanted. [`FIELD_END`] separates the values, and [`ROW_END`] ends the
//! row. An invalid value begins with [`INVALID`], followed by the reason. Cutting, chunks, plain lines, positions and
//! checkpoints thus work as for any other text.

use std::sync::Arc;

use memchr::memchr;

use super::super::columns::Places;
use super::super::cutter::{CutRecords, Cutter, Unread};
use super::super::dialect::Dialect;
use super::super::grids::GridReader;
use super::super::lines::{span_in, trim, without_returns};
use super::super::row_text::{FIELD_END, INVALID, ROW_END};
use super::super::values::Values;
use super::super::{Body, Chunk, Format, InputOptions, Layout, LineKind, Record};
use super::{Container, FormatSpec};
use quadrille_model::Reason;

pub(super) const PARQUET: FormatSpec = FormatSpec {
    format: Format::Parquet,
    name: "parquet",
    container: Container::Table,
    about: "columns of a Parquet file (in builds with the feature parquet)",
    has_symbols: true,
    cutter: |layout: &Arc<Layout>, options: &InputOptions| {
        Box::new(RowCutter::new(layout.line_end, options, |_| false))
    },
    plain_lines: |chunk, lines, given| match chunk.layout.column_count() {
        1 => lines.take(&chunk.bytes, ROW_END),
        _ => lines.take_apart(|puzzles| gather(chunk, puzzles, given)),
    },
    parse,
    ..FormatSpec::CUT
};

pub(super) const ARROW: FormatSpec = FormatSpec {
    format: Format::Arrow,
    name: "arrow",
    about: "columns of an Arrow stream or file (in builds with the feature parquet)",
    ..PARQUET
};

/// Makes a record of every line or row, except those that are skipped.
pub(super) struct RowCutter {
    line_end: u8,
    max_record_bytes: usize,
    is_skipped: fn(&[u8]) -> bool,
}

impl RowCutter {
    pub(super) fn new(line_end: u8, options: &InputOptions, is_skipped: fn(&[u8]) -> bool) -> Self {
        RowCutter { line_end, max_record_bytes: options.max_record_bytes, is_skipped }
    }
}

impl Cutter for RowCutter {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        let bytes = unread.bytes;
        while found.len < bytes.len() && !found.is_full(unread.target) {
            let newline = memchr(self.line_end, &bytes[found.scanned..]).map(|at| found.scanned + at);
            let end = newline.map(|at| at + 1).or(unread.end.then_some(bytes.len()));
            found.too_large = end.unwrap_or(bytes.len()) - found.len > self.max_record_bytes;
            found.scanned = if found.too_large { found.len } else { end.unwrap_or(bytes.len()) };
            let Some(end) = end.filter(|_| !found.too_large) else { return false };
            let line = without_returns(&bytes[found.len..newline.unwrap_or(end)]);
            if !(self.is_skipped)(line) {
                found.records += 1;
            } else {
                found.others.add(if trim(line).is_empty() { LineKind::Blank } else { LineKind::Comment }, 1);
            }
            found.lines += 1;
            found.len = end;
        }
        unread.end && found.len == bytes.len()
    }
}

/// Returns the rows without their ends.
fn rows(chunk: &Chunk) -> impl Iterator<Item = &[u8]> {
    let mut rest = &chunk.bytes[..];
    std::iter::from_fn(move || {
        let end = memchr(ROW_END, rest)?;
        let row = &rest[..end];
        rest = &rest[end + 1..];
        Some(row)
    })
}

fn parse(grids: &mut GridReader, chunk: &Chunk) {
    for (line, text) in (chunk.first_line..).zip(rows(chunk)) {
        let span = span_in(&chunk.bytes, text);
        let mut record = Record::new(line, chunk.first_byte + u64::from(span.start), span);
        if let Err(reason) = read(grids, chunk, text, &mut record) {
            record.body = Body::Invalid(Box::new(reason));
        }
        grids.records.list.push(record);
    }
}

fn read(grids: &mut GridReader, chunk: &Chunk, text: &[u8], record: &mut Record) -> Result<(), Reason> {
    let values: Vec<&[u8]> = text.split(|&byte| byte == FIELD_END).collect();
    let places = chunk.layout.columns.as_ref().map_or(Places::default(), |columns| columns.places);
    let value = |place: Option<usize>| place.and_then(|place| values.get(place)).copied().unwrap_or_default();
    let puzzle = value(places.puzzle);
    (record.text, record.puzzle) = (span_in(&chunk.bytes, puzzle), span_in(&chunk.bytes, puzzle));
    if places.id.is_some() {
        record.id = span_in(&chunk.bytes, value(places.id));
    }
    let checked = |text: &'_ [u8]| match text.split_first() {
        Some((&INVALID, reason)) => Err(String::from_utf8_lossy(reason).into_owned()),
        _ => Ok(()),
    };
    if puzzle.is_empty() {
        return Err("empty".into());
    }
    checked(puzzle)?;
    checked(value(places.regions))?;
    let given = |place| checked(value(Some(place))).map(|()| value(Some(place)));
    let values = Values {
        puzzle,
        given: places.solution.map(given),
        items: value(places.rules),
        regions: value(places.regions),
    };
    values.read(grids, chunk, std::iter::empty(), record)
}

/// Appends the puzzles of all rows to `puzzles` and their given solutions to `given`, each with a newline.
///
/// Returns false if a puzzle cannot be a plain 9x9 or has rules.
fn gather(chunk: &Chunk, puzzles: &mut Vec<u8>, mut given: Option<&mut Vec<u8>>) -> bool {
    let Some(columns) = &chunk.layout.columns else { return false };
    let Places { puzzle, solution, rules, regions, .. } = columns.places;
    let dialect = Dialect { delimiter: FIELD_END, line_end: ROW_END };
    for (column, field, _) in dialect.plain_fields(&chunk.bytes) {
        let column = Some(column);
        let wanted = match column {
            _ if column == puzzle => Some(&mut *puzzles),
            _ if column == solution => given.as_deref_mut(),
            _ if (column == rules || column == regions) && !trim(field).is_empty() => return false,
            _ => None,
        };
        if let Some(wanted) = wanted {
            if field.len() != 81 {
                return false;
            }
            wanted.extend_from_slice(field);
            wanted.push(b'\n');
        }
    }
    true
}
