//! Converts the values of a table's columns to the text of its rows.

use std::io::Write;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, GenericStringArray,
    LargeBinaryArray, LargeStringArray, OffsetSizeTrait, RecordBatch, StringArray, StringViewArray,
};
use arrow_buffer::NullBuffer;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

use super::columns::{ColumnPlaces, HEAD_ROWS, is_text};
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
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    FixedBinary(&'a FixedSizeBinaryArray),
    /// Indices into a column of values.
    Dictionary {
        keys: Vec<usize>,
        array: &'a dyn Array,
        values: Box<TextColumn<'a>>,
    },
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
        match array.data_type() {
            DataType::Utf8 => TextColumn::Utf8(array.as_string()),
            DataType::LargeUtf8 => TextColumn::LargeUtf8(array.as_string()),
            DataType::Utf8View => TextColumn::Utf8View(array.as_string_view()),
            DataType::Binary => TextColumn::Binary(array.as_binary()),
            DataType::LargeBinary => TextColumn::LargeBinary(array.as_binary()),
            DataType::BinaryView => TextColumn::BinaryView(array.as_binary_view()),
            DataType::FixedSizeBinary(_) => TextColumn::FixedBinary(array.as_fixed_size_binary()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = dictionary.values();
                if values.is_empty() {
                    return TextColumn::Null;
                }
                TextColumn::Dictionary {
                    keys: dictionary.normalized_keys(),
                    array: array.as_ref(),
                    values: Box::new(TextColumn::new(values, is_of_record)),
                }
            }
            DataType::Null => TextColumn::Null,
            _ => match ListColumn::from_array(array).filter(|_| is_of_record) {
                Some(lists) => TextColumn::Lists(lists),
                None => ArrayFormatter::try_new(array, &SHOWN).map_or(TextColumn::Null, TextColumn::Shown),
            },
        }
    }

    /// Appends a value.
    #[inline]
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<(), Missing> {
        let text: &[u8] = match self {
            TextColumn::Utf8(all) if all.is_valid(row) => all.value(row).as_bytes(),
            TextColumn::LargeUtf8(all) if all.is_valid(row) => all.value(row).as_bytes(),
            TextColumn::Utf8View(all) if all.is_valid(row) => all.value(row).as_bytes(),
            TextColumn::Binary(all) if all.is_valid(row) => all.value(row),
            TextColumn::LargeBinary(all) if all.is_valid(row) => all.value(row),
            TextColumn::BinaryView(all) if all.is_valid(row) => all.value(row),
            TextColumn::FixedBinary(all) if all.is_valid(row) => all.value(row),
            TextColumn::Dictionary { keys, array, values } if array.is_valid(row) => {
                return values.write(keys[row], out);
            }
            TextColumn::Lists(lists) if !lists.array.is_null(row) => {
                return lists.write(row, out).map_err(Missing::Bad);
            }
            TextColumn::Shown(all) => {
                let start = out.len();
                // Writing to memory cannot fail, so an error means that the value cannot be formatted.
                let shown = write!(out, "{}", all.value(row));
                without_marks(&mut out[start..]);
                return shown.map_err(|error| Missing::Bad(error.to_string()));
            }
            _ => return Err(Missing::Null),
        };
        let start = out.len();
        out.extend_from_slice(text);
        without_marks(&mut out[start..]);
        Ok(())
    }

    /// Returns true if all these values are strings of 81 bytes.
    fn are_cells(&self, rows: Range<usize>) -> bool {
        match self {
            TextColumn::Utf8(all) => have_grid_lengths(all, rows),
            TextColumn::LargeUtf8(all) => have_grid_lengths(all, rows),
            TextColumn::Utf8View(all) => {
                // The low half of a view is the length of its string.
                let views = &all.views()[rows.clone()];
                let differ = views.iter().fold(0, |differ, &view| differ | (view as u32 ^ CELLS as u32));
                are_whole(all.nulls(), rows) && differ == 0
            }
            _ => false,
        }
    }

    /// Appends the characters of values for which [`are_cells`](Self::are_cells) is true, without row ends.
    fn write_cells(&self, rows: Range<usize>, out: &mut Vec<u8>) {
        match self {
            TextColumn::Utf8(all) => out.extend_from_slice(side_by_side(all, rows)),
            TextColumn::LargeUtf8(all) => out.extend_from_slice(side_by_side(all, rows)),
            TextColumn::Utf8View(all) => {
                out.reserve(CELLS * rows.len());
                for row in rows {
                    // With a constant length the compiler copies inline.
                    if let Some(cells) = all.value(row).as_bytes().first_chunk::<CELLS>() {
                        out.extend_from_slice(cells);
                    }
                }
            }
            _ => {}
        }
    }

    /// Appends values of 81 bytes, each with a row end. Returns their number.
    ///
    /// Stops at the first value that has another length or contains separator bytes.
    fn write_plain(&self, rows: Range<usize>, out: &mut Vec<u8>) -> usize {
        match self {
            TextColumn::Utf8(all) => write_cells(*all, rows, out),
            TextColumn::LargeUtf8(all) => write_cells(*all, rows, out),
            TextColumn::Utf8View(all) => write_cells(*all, rows, out),
            TextColumn::FixedBinary(all) => write_cells(*all, rows, out),
            _ => 0,
        }
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

/// Returns the bytes of these strings, which are contiguous in a column.
fn side_by_side<O: OffsetSizeTrait>(all: &GenericStringArray<O>, rows: Range<usize>) -> &[u8] {
    let [start, end] = [rows.start, rows.end].map(|row| all.value_offsets()[row].as_usize());
    &all.value_data()[start..end]
}

/// Returns true if none of these values is missing.
fn are_whole(nulls: Option<&NullBuffer>, rows: Range<usize>) -> bool {
    nulls.is_none_or(|nulls| nulls.slice(rows.start, rows.len()).null_count() == 0)
}

/// Returns true if none of these strings is missing, and all have the length of a grid.
fn have_grid_lengths<O: OffsetSizeTrait>(all: &GenericStringArray<O>, rows: Range<usize>) -> bool {
    let offsets = &all.value_offsets()[rows.start..=rows.end];
    let length = O::usize_as(CELLS);
    let are_so = |all: bool, (&end, &start): (&O, &O)| all & (end - start == length);
    are_whole(all.nulls(), rows) && offsets[1..].iter().zip(offsets).fold(true, are_so)
}

/// Appends values as [`TextColumn::write_plain`] does.
fn write_cells<A: ArrayAccessor>(all: A, rows: Range<usize>, out: &mut Vec<u8>) -> usize
where
    A::Item: AsRef<[u8]>,
{
    out.reserve(PLAIN_LINE * rows.len());
    let first = rows.start;
    for row in rows.clone() {
        let value = all.is_valid(row).then(|| all.value(row));
        let cells = value.as_ref().and_then(|text| <&[u8; 81]>::try_from(text.as_ref()).ok());
        let Some(cells) = cells else { return row - first };
        let marks = |byte: &u8| (INVALID..=FIELD_END).contains(byte);
        if cells.iter().fold(false, |any, byte| any | marks(byte)) {
            return row - first;
        }
        out.extend_from_slice(cells);
        out.push(ROW_END);
    }
    rows.len()
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

    /// Returns true if these rows consist of 81 characters each and nothing else.
    pub(crate) fn are_cells(&self, rows: Range<usize>) -> bool {
        self.others.is_empty() && self.puzzle.are_cells(rows)
    }

    /// Appends the characters of rows for which [`are_cells`](Self::are_cells) is true.
    pub(crate) fn write_cells(&self, rows: Range<usize>, out: &mut Vec<u8>) {
        self.puzzle.write_cells(rows, out);
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
