//! Converts the values of a table's columns to the text of its rows.

use std::io::Write;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeBinaryArray, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

use super::columns::{ColumnPlaces, HEAD_ROWS, is_string, is_text};
use super::lists::ListColumn;
use crate::input::row_text::{CELLS, FIELD_END, INVALID, ROW_END, without_marks};
use quadrille_model::PLAIN_LINE;

/// The text of the rows of a batch.
pub(crate) struct Texts<'a> {
    puzzle: TextColumn<'a>,
    /// The other columns in the order of a row's text.
    others: Vec<TextColumn<'a>>,
    /// Bytes of a row with a plain 9x9, rounded up.
    pub(crate) usual_bytes: usize,
}

/// A column whose values are converted to text.
pub(super) enum TextColumn<'a> {
    /// Strings or bytes of any representation, cast to one: the offsets of the usual ones are copied, not the bytes.
    Text(LargeBinaryArray),
    Lists(ListColumn),
    /// Values of any other type, as the library formats them.
    Shown(ArrayFormatter<'a>),
    /// All values are missing.
    Null,
}

/// Formatting of values of other types: missing values become empty text.
static SHOWN: FormatOptions<'static> = FormatOptions::new();

/// The reason why there is no text for a value.
pub(super) enum Missing {
    Null,
    /// A list that is not a grid, with the reason.
    Bad(String),
}

impl<'a> TextColumn<'a> {
    /// Creates a column. Lists are grids if the column is part of a record.
    pub(super) fn new(array: &'a ArrayRef, is_of_record: bool) -> Self {
        if is_string(array.data_type()) {
            let text = cast(array, &DataType::LargeBinary);
            return text.map_or(TextColumn::Null, |text| TextColumn::Text(text.as_binary().clone()));
        }
        match ListColumn::from_array(array).filter(|_| is_of_record) {
            Some(lists) => TextColumn::Lists(lists),
            None => ArrayFormatter::try_new(array, &SHOWN).map_or(TextColumn::Null, TextColumn::Shown),
        }
    }

    /// Appends a value.
    #[inline]
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<(), Missing> {
        let start = out.len();
        match self {
            TextColumn::Text(all) if all.is_valid(row) => out.extend_from_slice(all.value(row)),
            TextColumn::Lists(lists) if !lists.array.is_null(row) => {
                return lists.write(row, out).map_err(Missing::Bad);
            }
            // Writing to memory cannot fail, so an error means that the value cannot be formatted.
            TextColumn::Shown(all) => {
                write!(out, "{}", all.value(row)).map_err(|error| Missing::Bad(error.to_string()))?
            }
            _ => return Err(Missing::Null),
        }
        without_marks(&mut out[start..]);
        Ok(())
    }

    /// Returns the bytes of these values if each has the length of a grid and none is missing; otherwise `None`.
    fn cells(&self, rows: Range<usize>) -> Option<&[u8]> {
        let TextColumn::Text(all) = self else { return None };
        let offsets = &all.value_offsets()[rows.start..=rows.end];
        let are_long = |all: bool, two: &[i64]| all & (two[1] - two[0] == CELLS as i64);
        let are_whole = all.nulls().is_none_or(|nulls| nulls.slice(rows.start, rows.len()).null_count() == 0);
        let are_grids = are_whole && offsets.windows(2).fold(true, are_long);
        are_grids.then(|| &all.value_data()[offsets[0] as usize..offsets[rows.len()] as usize])
    }

    /// Appends values of 81 bytes, each with a row end. Returns their number.
    ///
    /// Stops at the first value that has another length or contains separator bytes.
    fn write_plain(&self, rows: Range<usize>, out: &mut Vec<u8>) -> usize {
        let TextColumn::Text(all) = self else { return 0 };
        let first = rows.start;
        out.reserve(PLAIN_LINE * rows.len());
        for row in rows.clone() {
            let value = all.is_valid(row).then(|| all.value(row));
            let Some(Ok(cells)) = value.map(<&[u8; CELLS]>::try_from) else { return row - first };
            let marks = |byte: &u8| (INVALID..=FIELD_END).contains(byte);
            if cells.iter().fold(false, |any, byte| any | marks(byte)) {
                return row - first;
            }
            out.extend_from_slice(cells);
            out.push(ROW_END);
        }
        rows.len()
    }

    /// Appends a value, or the reason why it is invalid. A missing value is invalid only if it `is_needed`.
    #[inline]
    fn write_or_reason(&self, row: usize, is_needed: bool, out: &mut Vec<u8>) {
        let reason = match self.write(row, out) {
            Err(Missing::Null) if is_needed => "null".to_owned(),
            Err(Missing::Bad(reason)) => reason,
            Ok(()) | Err(Missing::Null) => return,
        };
        out.push(INVALID);
        out.extend_from_slice(reason.as_bytes());
    }
}

/// Returns the values of the columns that may hold grids, as text; the other values are empty.
pub(super) fn values_of(batch: &RecordBatch) -> Vec<Vec<Vec<u8>>> {
    let columns = batch.columns().iter();
    let columns: Vec<Option<TextColumn<'_>>> =
        columns.map(|array| is_text(array.data_type()).then(|| TextColumn::new(array, true))).collect();
    let value = |column: &Option<TextColumn<'_>>, row| {
        let mut text = Vec::new();
        column.as_ref().map(|column| column.write(row, &mut text));
        text
    };
    (0..batch.num_rows().min(HEAD_ROWS))
        .map(|row| columns.iter().map(|column| value(column, row)).collect())
        .collect()
}

impl<'a> Texts<'a> {
    pub(crate) fn new(batch: &'a RecordBatch, columns: &ColumnPlaces) -> Self {
        let places = &columns.in_text;
        let column = |field: usize| TextColumn::new(batch.column(places[field]), field < columns.of_record);
        Texts {
            puzzle: column(0),
            others: (1..places.len()).map(column).collect(),
            usual_bytes: PLAIN_LINE * columns.of_record + 32 * (places.len() - columns.of_record),
        }
    }

    /// Returns the characters of these rows if they consist of 81 characters each and nothing else; otherwise `None`.
    pub(crate) fn cells(&self, rows: Range<usize>) -> Option<&[u8]> {
        if self.others.is_empty() { self.puzzle.cells(rows) } else { None }
    }

    /// Appends rows from `rows.start` on: at least one, and no more than fit into `bytes` bytes. Returns their
    /// number.
    pub(crate) fn write_some(&self, rows: Range<usize>, bytes: usize, out: &mut Vec<u8>) -> usize {
        if self.others.is_empty() {
            let most = rows.start + rows.len().min((bytes / PLAIN_LINE).max(1));
            let written = self.puzzle.write_plain(rows.start..most, out);
            if written > 0 {
                return written;
            }
        }
        self.write(rows.start, out);
        1
    }

    /// Appends a row.
    #[inline]
    fn write(&self, row: usize, out: &mut Vec<u8>) {
        self.puzzle.write_or_reason(row, true, out);
        for column in &self.others {
            out.push(FIELD_END);
            column.write_or_reason(row, false, out);
        }
        out.push(ROW_END);
    }
}
