//! Converts lists of integers to the characters of grids.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, downcast_integer_array};
use arrow_schema::DataType;

use crate::input::cells::{EMPTY, write_numbers};

/// Appends the integers at these places of a column; a missing integer is [`EMPTY`].
///
/// # Errors
/// Returns the reason if the column has other values.
fn push_integers(column: &dyn Array, places: Range<usize>, out: &mut Vec<i128>) -> Result<(), String> {
    downcast_integer_array!(
        column => {
            out.extend(places.map(|at| if column.is_null(at) { EMPTY } else { i128::from(column.value(at)) }));
        }
        _ => return Err("no integers".to_owned()),
    );
    Ok(())
}

/// Returns the places of the items of a list.
fn places_of<O: OffsetSizeTrait>(lists: &ArrayRef, row: usize) -> Range<usize> {
    let offsets = lists.as_list::<O>().value_offsets();
    offsets[row].as_usize()..offsets[row + 1].as_usize()
}

/// A column of lists, and their items.
pub(super) struct ListColumn {
    pub(super) array: ArrayRef,
    /// The inner lists, or the integers.
    items: Items,
}

enum Items {
    Lists(Box<ListColumn>),
    Integers(ArrayRef),
}

impl ListColumn {
    /// Returns the lists of an array, or `None` if its type is not a list.
    pub(super) fn from_array(array: &ArrayRef) -> Option<Self> {
        let items = match array.data_type() {
            DataType::List(_) => array.as_list::<i32>().values(),
            DataType::LargeList(_) => array.as_list::<i64>().values(),
            DataType::FixedSizeList(..) => array.as_fixed_size_list().values(),
            _ => return None,
        };
        let items = match ListColumn::from_array(items) {
            Some(lists) => Items::Lists(Box::new(lists)),
            None => Items::Integers(ArrayRef::clone(items)),
        };
        Some(ListColumn { array: ArrayRef::clone(array), items })
    }

    /// Returns the places of a list's items.
    fn places(&self, row: usize) -> Range<usize> {
        match self.array.data_type() {
            DataType::List(_) => places_of::<i32>(&self.array, row),
            DataType::LargeList(_) => places_of::<i64>(&self.array, row),
            _ => {
                let lists = self.array.as_fixed_size_list();
                let start = lists.value_offset_at(row);
                start..start + lists.value_length() as usize
            }
        }
    }

    /// Appends the numbers of a list and of all lists in it.
    ///
    /// # Errors
    /// Returns the reason if the list is not a grid: rows differ in length, or a row is null.
    fn numbers(&self, row: usize, out: &mut Vec<i128>) -> Result<(), String> {
        let places = self.places(row);
        match &self.items {
            Items::Integers(array) => push_integers(array, places, out)?,
            Items::Lists(lists) => {
                let wanted = places.len();
                for at in places {
                    if lists.array.is_null(at) {
                        return Err("a row of the list is null".to_owned());
                    }
                    let before = out.len();
                    lists.numbers(at, out)?;
                    if out.len() - before != wanted {
                        return Err(format!(
                            "{wanted} rows, but one of them has {} numbers",
                            out.len() - before
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Appends a list as the characters of a grid, as [`write_numbers`] does.
    ///
    /// # Errors
    /// Returns the reason, and appends nothing, if the list is not a grid.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let mut numbers = Vec::with_capacity(81);
        self.numbers(row, &mut numbers)?;
        write_numbers(&numbers, out)
    }
}
