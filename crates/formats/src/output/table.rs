//! Rows for tables: Parquet and Arrow.
//!
//! Workers write rows as bytes, as for every other format, so that order, filters, limits and statistics work the
//! same way. At the end the bytes are converted to columns:
//!
//! ```text
//! worker: Row --TableFormatter--> bytes --ReorderBuffer, RowFilter, Writer--> TableOutput --columns--> BatchSink
//!                                                                               ^
//!                            the input's own columns (PassthroughColumns) ------'
//! ```
//! A row has one of two forms. A plain row has one value and a newline; the sink knows its other values (see
//! [`PlainOutput`]). Any other row is [`TAG`], the record's number in 8 bytes, and for each value its length in 4 bytes
//! ([`NULL`] if missing) and its text.

use super::columns::InputColumns;
use super::notation::{NULL, put_value};
use super::{Formatter, Notation, OutputOptions, PlainOutput, Row, Verb};
use crate::input::{Body, Layout};

/// First byte of a table row in which each value is written separately. Plain rows do not begin with this
/// byte.
pub(super) const TAG: u8 = 1;

/// Writes rows for tables.
pub(super) struct TableFormatter {
    /// Columns of the rows. The input's columns are written as text.
    columns: InputColumns,
    plain: Option<PlainOutput>,
}

impl TableFormatter {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let is_plain =
            options.verb == Verb::Solve && options.columns(true) == OutputOptions::default().columns(true);
        // Only `solve` can have plain rows. With any other command, a row without a solution shows a reason,
        // which a plain row of a table cannot hold.
        let plain = is_plain.then_some(PlainOutput::Marked);
        TableFormatter { columns: InputColumns::new(options, true), plain }
    }

    /// Returns true if each row begins with the input's columns as text.
    ///
    /// On the first call, `layout` must be the layout of the first source.
    fn has_text(&self, layout: &Layout) -> bool {
        !self.columns.passthrough && self.columns.has_columns(layout)
    }
}

impl Formatter for TableFormatter {
    fn columns(&self) -> Option<&InputColumns> {
        Some(&self.columns)
    }

    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if !self.has_text(layout) {
            return out.push(if self.columns.passthrough { b'T' } else { b'A' });
        }
        out.push(b'N');
        let columns = &self.columns.first(layout).columns;
        out.extend_from_slice(&(columns.len() as u32).to_le_bytes());
        columns.iter().for_each(|column| put_value(Some(column.name.as_bytes()), out));
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
        let has_text = self.has_text(row.layout);
        if has_text {
            self.columns.each(row, |_, value| put_value(value, out));
        }
        let InputColumns { beside, alone, passthrough, .. } = &self.columns;
        for field in if has_text || *passthrough { beside } else { alone } {
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

    fn notation(&self, _: &Layout, _: &[u8]) -> Notation {
        Notation::Table
    }

    fn plain_output(&self) -> Option<PlainOutput> {
        self.plain
    }

    fn takes_plain(&self, _: &Layout) -> bool {
        self.columns.passthrough
    }
}
