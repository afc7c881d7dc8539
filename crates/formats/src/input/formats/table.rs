//! Reads the rows of Parquet and Arrow tables, after `input/table` has turned the columns of these tables
//! into text.
//!
//! A record is the text of its puzzle, followed by the given solution, id, rules and regions if the table has
//! these columns. All other columns follow if the caller wants them. [`FIELD_END`] separates the values, and
//! [`ROW_END`] ends the row. An invalid value begins with [`INVALID`], followed by the reason. Because rows
//! are text, chunks, plain lines, positions and checkpoints need no special code for tables.

use super::super::columns::Role;
use super::super::grids::GridReader;
use super::super::lines::span_in;
use super::super::row_text::{FIELD_END, INVALID, ROW_END};
use super::super::values::Values;
use super::super::{Chunk, LineKind, Record};
use super::csv::gather;
use super::text_lines::{RowCutter, Rows};
use super::{Container, FormatSpec};
use quadrille_model::Reason;

pub(super) const PARQUET: FormatSpec = FormatSpec {
    name: "parquet",
    container: Container::Table,
    about: "columns of a Parquet file (in builds with the feature parquet)",
    has_symbols: true,
    cutter: |layout, options| Box::new(RowCutter::new(TableRows, layout, options)),
    plain_lines: |chunk, lines, _| match chunk.layout.column_count() {
        1 => lines.take(&chunk.bytes, ROW_END),
        _ => lines.take_apart(|apart| gather(chunk, apart)),
    },
    parse,
    ..FormatSpec::CUT
};

pub(super) const ARROW: FormatSpec = FormatSpec {
    name: "arrow",
    about: "columns of an Arrow stream or file (in builds with the feature parquet)",
    ..PARQUET
};

/// Rows of a table. Each row is a record.
struct TableRows;

impl Rows for TableRows {
    fn other(&self, _: &[u8], _: u64) -> Option<LineKind> {
        None
    }
}

fn parse(grids: &mut GridReader, chunk: &Chunk) {
    TableRows.parse(grids, chunk, |grids, _, record| read(grids, chunk, record));
}

fn read(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let values: Vec<&[u8]> = record.text.slice(&chunk.bytes).split(|&byte| byte == FIELD_END).collect();
    let places = chunk.layout.columns.places;
    let value = |place: Option<usize>| place.and_then(|place| values.get(place)).copied().unwrap_or_default();
    let puzzle = value(places[Role::Puzzle]);
    (record.text, record.puzzle) = (span_in(&chunk.bytes, puzzle), span_in(&chunk.bytes, puzzle));
    if places[Role::Id].is_some() {
        record.id = span_in(&chunk.bytes, value(places[Role::Id]));
    }
    let checked = |place| match value(place) {
        [INVALID, reason @ ..] => Err(String::from_utf8_lossy(reason).into_owned()),
        text => Ok(text),
    };
    if puzzle.is_empty() {
        return Err("empty".into());
    }
    let values = Values {
        puzzle: checked(places[Role::Puzzle])?,
        given: places[Role::Solution].map(|place| checked(Some(place))),
        items: value(places[Role::Rules]),
        regions: checked(places[Role::Regions])?,
    };
    values.read(grids, chunk, std::iter::empty(), record)
}
