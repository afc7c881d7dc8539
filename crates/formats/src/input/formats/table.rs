//! Rows of Parquet and Arrow, in the text form that `input/table` makes of their columns.
//!
//! A record is the text of its puzzle, followed by given solution, id, rules and regions if the table has these
//! columns. All other columns follow if they are wanted. [`FIELD_END`] separates the values, and [`ROW_END`] ends the
//! row. An invalid value begins with [`INVALID`], followed by the reason. Cutting, chunks, plain lines, positions and
//! checkpoints thus work as for any other text.

use std::sync::Arc;

use memchr::memchr;

use super::super::cutter::{CutRecords, Cutter, Unread};
use super::super::dialect::Dialect;
use super::super::grids::GridReader;
use super::super::lines::{span_in, trim};
use super::super::row_text::{FIELD_END, INVALID, ROW_END};
use super::super::variant::OwnRules;
use super::super::{Body, Chunk, Format, GivenSolution, InputOptions, Layout, Record, Role};
use super::{Container, FormatSpec};
use quadrille_model::Reason;

pub(super) const PARQUET: FormatSpec = FormatSpec {
    format: Format::Parquet,
    name: "parquet",
    container: Container::Table,
    about: "columns of a Parquet file (in builds with the feature parquet)",
    has_symbols: true,
    cutter: |layout: &Arc<Layout>, options: &InputOptions| {
        Box::new(RowCutter { line_end: layout.line_end, max_record_bytes: options.max_record_bytes })
    },
    plain_lines: |chunk, lines, given| match fields(chunk) {
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

/// Finds rows by their end bytes.
struct RowCutter {
    line_end: u8,
    max_record_bytes: usize,
}

impl Cutter for RowCutter {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        let bytes = unread.bytes;
        while found.len < bytes.len() && !found.is_full(unread.target) {
            let end = memchr(self.line_end, &bytes[found.len..]).map(|at| found.len + at + 1);
            found.too_large = end.unwrap_or(bytes.len()) - found.len > self.max_record_bytes;
            let Some(end) = end.filter(|_| !found.too_large) else { break };
            found.records += 1;
            found.lines += 1;
            found.len = end;
        }
        found.scanned = found.len;
        unread.end && found.len == bytes.len()
    }
}

/// Returns the number of values in a row.
fn fields(chunk: &Chunk) -> usize {
    chunk.layout.table.as_ref().map_or(1, |table| (1 + table.roles.len()).max(table.columns.len()))
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
    let mut values = text.split(|&byte| byte == FIELD_END);
    let puzzle = values.next().unwrap_or_default();
    (record.text, record.puzzle) = (span_in(&chunk.bytes, puzzle), span_in(&chunk.bytes, puzzle));
    let (mut given, mut own) = (None, OwnRules::default());
    for (role, value) in chunk.layout.table.iter().flat_map(|table| &table.roles).zip(values) {
        match role {
            Role::Solution => given = Some(value),
            Role::Id => record.id = span_in(&chunk.bytes, value),
            Role::Rules => own.items = trim(value),
            Role::Regions => own.regions = trim(value),
            Role::Puzzle | Role::Other => {}
        }
    }
    let reason = |text: &[u8]| Reason::from(String::from_utf8_lossy(text).into_owned());
    match puzzle.split_first() {
        None => return Err("empty".into()),
        Some((&INVALID, text)) => return Err(reason(text)),
        Some(_) => {}
    }
    if let Some((&INVALID, text)) = own.regions.split_first() {
        return Err(reason(text));
    }
    let side = grids.value(trim(puzzle), chunk.layout.symbols, own, record)?;
    if let Some(given) = given {
        record.given = match given.split_first() {
            Some((&INVALID, text)) => GivenSolution::Unreadable(Box::new(reason(text))),
            _ => grids.given(trim(given), side, record.symbols),
        };
    }
    Ok(())
}

/// Appends the puzzles of all rows to `puzzles` and their given solutions to `given`, each with a newline.
///
/// Returns false if a puzzle cannot be a plain 9x9 or has rules.
fn gather(chunk: &Chunk, puzzles: &mut Vec<u8>, mut given: Option<&mut Vec<u8>>) -> bool {
    let Some(table) = &chunk.layout.table else { return false };
    let has_solution = table.roles.first() == Some(&Role::Solution);
    let is_of_rules =
        |column: usize| matches!(table.roles.get(column - 1), Some(Role::Rules | Role::Regions));
    let dialect = Dialect { delimiter: FIELD_END, line_end: ROW_END };
    for (column, field, _) in dialect.plain_fields(&chunk.bytes) {
        let wanted = match column {
            0 => Some(&mut *puzzles),
            1 if has_solution => given.as_deref_mut(),
            _ if is_of_rules(column) && !trim(field).is_empty() => return false,
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
