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

use super::convert::TableRows;
use super::{Field, Formatter, Notation, OutputOptions, PlainOutput, Row, Verb};
use crate::input::{Body, Layout};
use quadrille_model::Losses;

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
    /// Our columns beside those of a table.
    beside: Vec<Field>,
    /// Our columns for all other input.
    alone: Vec<Field>,
    plain: Option<PlainOutput>,
    /// The columns of records that are written in another format, and true if nothing stands beside puzzles.
    converted: Option<(TableRows, bool)>,
}

impl Table {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let plain = match options.verb {
            _ if options.columns(true) != default_columns(options.verb) => None,
            Verb::Solve => Some(PlainOutput::Marked),
            // Where there is no solution, rows have a reason too, which plain ones of text have in their line.
            _ => None,
        };
        let converted = match options.verb {
            Verb::Convert(conversion) => Some((TableRows::new(conversion), conversion.bare)),
            _ => None,
        };
        Table { converted, beside: columns(options, true), alone: columns(options, false), plain }
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
        let Some((rows, bare)) = &self.converted else {
            return out.push(if layout.table.is_some() { b'T' } else { b'A' });
        };
        if passes(layout, *bare) {
            return out.push(b'T');
        }
        out.push(b'N');
        let names = rows.names(layout);
        out.extend_from_slice(&(names.len() as u32).to_le_bytes());
        for name in names {
            out.extend_from_slice(&(name.len() as u32).to_le_bytes());
            out.extend_from_slice(name.as_bytes());
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
        if let Some((rows, bare)) = &self.converted {
            if !passes(row.layout, *bare) {
                rows.values(row, |value| put(value, out));
            }
            return;
        }
        let fields = if row.layout.table.is_some() { &self.beside } else { &self.alone };
        for field in fields {
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
        if let Some((rows, _)) = &self.converted {
            rows.learn(first);
        }
    }

    fn losses(&self, row: &Row<'_>) -> Losses {
        match &self.converted {
            Some((rows, bare)) if !passes(row.layout, *bare) => rows.losses(row),
            _ => Losses::default(),
        }
    }

    fn notation(&self, _: &Layout, _: &[u8]) -> Notation {
        Notation::Table
    }

    fn plain_output(&self) -> Option<PlainOutput> {
        self.plain
    }

    fn takes_plain(&self, layout: &Layout) -> bool {
        layout.table.is_some()
    }
}

/// True if the columns of a source are the output's, as they stand.
fn passes(layout: &Layout, bare: bool) -> bool {
    layout.table.is_some() && !bare
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
