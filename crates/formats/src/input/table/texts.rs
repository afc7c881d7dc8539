//! Converts the values in the columns of a table to the text of its rows.

use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeBinaryArray, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

use super::columns::{is_string, is_text};
use super::lists::ListColumn;
use crate::input::columns::{Column, Columns, Role};
use crate::input::row_text::{FIELD_END, INVALID, ROW_END, without_marks};

/// The columns of a batch in the order of a row's text. The puzzle is first.
pub(crate) struct Texts<'a>(Vec<TextColumn<'a>>);

/// Column whose values are converted to text.
pub(super) enum TextColumn<'a> {
    /// Strings or bytes, cast to a single type. For most types the cast copies only offsets, not bytes.
    Text(LargeBinaryArray),
    Lists(ListColumn),
    /// Values of types other than strings and bytes, in the text form of the `arrow` library.
    Shown(ArrayFormatter<'a>),
    /// All values are missing.
    Null,
}

/// Text format for values of types other than strings and bytes. Missing values become empty text.
static SHOWN: FormatOptions<'static> = FormatOptions::new();

impl<'a> TextColumn<'a> {
    /// Creates a column. If `is_of_record` is true, lists in the column are grids.
    pub(super) fn new(array: &'a ArrayRef, is_of_record: bool) -> Self {
        if is_string(array.data_type()) {
            let text = cast(array, &DataType::LargeBinary);
            return text.map_or(TextColumn::Null, |text| TextColumn::Text(text.as_binary().clone()));
        }
        match if is_of_record { ListColumn::from_array(array) } else { None } {
            Some(lists) => TextColumn::Lists(lists),
            None => ArrayFormatter::try_new(array, &SHOWN).map_or(TextColumn::Null, TextColumn::Shown),
        }
    }

    /// Appends a value. Returns false if it is missing.
    ///
    /// # Errors
    /// Returns the reason, and appends nothing, if the value has no text, such as a list that is not a grid.
    #[inline]
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<bool, String> {
        let start = out.len();
        match self {
            TextColumn::Text(all) if all.is_valid(row) => out.extend_from_slice(all.value(row)),
            TextColumn::Lists(lists) if !lists.array.is_null(row) => {
                return lists.write(row, out).map(|()| true);
            }
            // Writing to memory cannot fail, so an error means that the value cannot be formatted.
            TextColumn::Shown(all) => write!(out, "{}", all.value(row)).map_err(|error| error.to_string())?,
            _ => return Ok(false),
        }
        without_marks(&mut out[start..]);
        Ok(true)
    }

    /// Appends a value, or the reason why it is invalid. A missing value is invalid only if `is_needed` is
    /// true.
    #[inline]
    fn write_or_reason(&self, row: usize, is_needed: bool, out: &mut Vec<u8>) {
        let reason = match self.write(row, out) {
            Ok(false) if is_needed => "null".to_owned(),
            Ok(_) => return,
            Err(reason) => reason,
        };
        out.push(INVALID);
        out.extend_from_slice(reason.as_bytes());
    }
}

/// Returns the values in each row as text. Columns that cannot hold grids have empty values.
pub(super) fn values_of(batch: &RecordBatch) -> Vec<Vec<Vec<u8>>> {
    let columns = batch.columns().iter();
    let columns: Vec<Option<TextColumn<'_>>> =
        columns.map(|array| is_text(array.data_type()).then(|| TextColumn::new(array, true))).collect();
    let value = |column: &Option<TextColumn<'_>>, row| {
        let mut text = Vec::new();
        column.as_ref().map(|column| column.write(row, &mut text));
        text
    };
    (0..batch.num_rows()).map(|row| columns.iter().map(|column| value(column, row)).collect()).collect()
}

impl<'a> Texts<'a> {
    /// Creates the columns of a batch that has the given columns in the same order.
    pub(crate) fn new(batch: &'a RecordBatch, columns: &Columns) -> Self {
        let mut all: Vec<_> = columns.list.iter().zip(batch.columns()).collect();
        all.sort_by_key(|(column, _)| column.place);
        let text = |(column, array): (&Column, _)| TextColumn::new(array, column.role != Role::Other);
        Texts(all.into_iter().map(text).collect())
    }

    /// Appends a row.
    #[inline]
    pub(crate) fn write(&self, row: usize, out: &mut Vec<u8>) {
        for (place, column) in self.0.iter().enumerate() {
            if place > 0 {
                out.push(FIELD_END);
            }
            column.write_or_reason(row, place == 0, out);
        }
        out.push(ROW_END);
    }
}
