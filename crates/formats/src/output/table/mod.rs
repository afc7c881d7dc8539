//! Rows for tables: Parquet and Arrow.
//!
//! Workers write rows as bytes, as for every other format, and all that happens to rows on their way (order, filters, limits,
//! statistics) is the same. What comes out at the end is put into columns:
//!
//! ```text
//! worker: Row --Table--> bytes --ReorderBuffer, RowFilter, Writer--> TableOutput --columns--> BatchSink: Parquet, Arrow
//!                                                                      ^
//!                              the input's own columns (Carried) ------'
//! ```
//! The bytes of a row are a plain row, with a newline behind it, of which the sink knows all else (see [`PlainOutput`]); or
//! [`TAG`], the record's number in 8 bytes, and each value's length in 4 bytes ([`NULL`] where there is none) and text.

#[cfg(feature = "parquet")]
mod builders;
#[cfg(feature = "parquet")]
mod files;
#[cfg(feature = "parquet")]
mod parts;
#[cfg(feature = "parquet")]
mod sink;
#[cfg(feature = "parquet")]
mod text;

use super::columns::Columns;
use super::{Field, Formatter, Lose, Notation, OutputOptions, PlainOutput, Row, Verb};
use crate::input::{Body, Layout};

#[cfg(feature = "parquet")]
pub use files::{ArrowFile, ParquetFile};
#[cfg(feature = "parquet")]
pub use parts::ParquetParts;
#[cfg(feature = "parquet")]
pub use sink::{BatchSink, TableOutput};

/// The first byte of a row whose values follow one by one.
const TAG: u8 = 1;
/// The length of a value that is missing.
const NULL: u32 = u32::MAX;

/// Rows for tables.
pub(super) struct Table {
    /// The columns of the input as text.
    columns: Columns,
    /// Our columns beside those of the input.
    beside: Vec<Field>,
    /// Our columns for all other input.
    alone: Vec<Field>,
    plain: Option<PlainOutput>,
    /// Columns of the input go to the output without passing through rows.
    carried: bool,
}

impl Table {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let plain = match options.verb {
            _ if options.columns(true) != default_columns(options.verb) => None,
            Verb::Solve => Some(PlainOutput::Marked),
            // Where there is no solution, rows have a reason too, which plain ones of text have in their line.
            _ => None,
        };
        let is_bare = matches!(options.verb, Verb::Convert(conversion) if conversion.bare);
        let [beside, alone] = [true, false].map(|beside| columns(options, beside));
        let columns = Columns::new(options, &alone, true);
        Table { columns, beside, alone, plain, carried: options.carried && !is_bare }
    }

    /// Returns true if rows begin with columns of the input as text, given the layout of the first source.
    fn has_text(&self, first: &Layout) -> bool {
        !self.carried && self.columns.has_columns(first)
    }
}

/// Our columns: none for records that are kept as they are.
fn columns(options: &OutputOptions, beside: bool) -> Vec<Field> {
    match options.verb {
        Verb::Convert(_) => Vec::new(),
        Verb::Keep if options.columns_are_the_default() && beside => Vec::new(),
        Verb::Keep if options.columns_are_the_default() => vec![Field::Puzzle, Field::Id],
        _ => options.columns(beside),
    }
}

/// The columns beside a table that nobody asked otherwise for.
fn default_columns(verb: Verb) -> Vec<Field> {
    OutputOptions { verb, ..OutputOptions::default() }.columns(true)
}

impl Formatter for Table {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if !self.has_text(layout) {
            return out.push(if self.carried { b'T' } else { b'A' });
        }
        out.push(b'N');
        let columns = &self.columns.first(layout).columns;
        out.extend_from_slice(&(columns.len() as u32).to_le_bytes());
        for column in columns {
            out.extend_from_slice(&(column.name.len() as u32).to_le_bytes());
            out.extend_from_slice(column.name.as_bytes());
        }
    }

    fn repeats_head(&self) -> bool {
        true
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if matches!(row.record.body, Body::Skipped) {
            return;
        }
        out.push(TAG);
        out.extend_from_slice(&row.index.to_le_bytes());
        let has_text = self.has_text(self.columns.first(row.layout).layout());
        if has_text {
            self.columns.each(row, |_, value| put(value, out));
        }
        for field in if has_text || self.carried { &self.beside } else { &self.alone } {
            let value = field.value(row);
            if value.is_missing() {
                out.extend_from_slice(&NULL.to_le_bytes());
                continue;
            }
            let at = out.len();
            out.extend_from_slice(&[0; 4]);
            value.write(out);
            let length = (out.len() - at - 4) as u32;
            out[at..at + 4].copy_from_slice(&length.to_le_bytes());
        }
    }

    fn learn(&self, first: &Layout) {
        self.columns.first(first);
    }

    fn may_lose(&self, layout: &Layout) -> bool {
        !self.carried && self.columns.may_lose(layout)
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        if !self.carried {
            self.columns.losses(row, lose);
        }
    }

    fn notation(&self, _: &Layout, _: &[u8]) -> Notation {
        Notation::Table
    }

    fn plain_output(&self) -> Option<PlainOutput> {
        self.plain
    }

    fn takes_plain(&self, _: &Layout) -> bool {
        self.carried
    }
}

/// Appends a value, or that there is none.
fn put(value: Option<&[u8]>, out: &mut Vec<u8>) {
    let length = value.map_or(NULL, |value| value.len() as u32);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(value.unwrap_or_default());
}

/// Appends a value behind a row.
pub fn put_behind(value: &str, out: &mut Vec<u8>) {
    put((!value.is_empty()).then_some(value.as_bytes()), out);
}
