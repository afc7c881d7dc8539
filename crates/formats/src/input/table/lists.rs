//! Converts lists of integers to the characters of grids.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeListArray, downcast_integer_array};
use arrow_cast::cast;
use arrow_schema::{DataType, Field};

use crate::input::cells::{EMPTY, write_numbers};

/// Appends the integers in the given range of a column, with [`EMPTY`] for missing integers.
///
/// # Errors
/// Returns the reason if the column does not have integers.
fn push_integers(column: &dyn Array, places: Range<usize>, out: &mut Vec<i128>) -> Result<(), String> {
    downcast_integer_array!(
        column => {
            out.extend(places.map(|at| if column.is_null(at) { EMPTY } else { i128::from(column.value(at)) }));
        }
        _ => return Err("no integers".to_owned()),
    );
    Ok(())
}

/// A column of lists, all of one type.
pub(super) struct ListColumn {
    pub(super) array: LargeListArray,
    /// The lists in these lists; `None` if their items are integers.
    inner: Option<Box<ListColumn>>,
}

/// Returns the type of lists that a type of lists is cast to, or any other type unchanged.
fn large(kind: &DataType) -> DataType {
    match kind {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            let inner = large(item.data_type());
            DataType::LargeList(Arc::new(Field::clone(item).with_data_type(inner)))
        }
        kind => kind.clone(),
    }
}

impl ListColumn {
    /// Creates the column from an array, or returns `None` if its type is not a list.
    pub(super) fn from_array(array: &ArrayRef) -> Option<Self> {
        let lists = cast(array, &large(array.data_type())).ok()?;
        let array = lists.as_list_opt::<i64>()?.clone();
        let inner = ListColumn::from_array(array.values()).map(Box::new);
        Some(ListColumn { array, inner })
    }

    /// Appends the numbers in a list, including the numbers in nested lists.
    ///
    /// # Errors
    /// Returns the reason if the list is not a grid, because a row is null or the rows differ in length.
    fn numbers(&self, row: usize, out: &mut Vec<i128>) -> Result<(), String> {
        let offsets = self.array.value_offsets();
        let places = offsets[row] as usize..offsets[row + 1] as usize;
        match &self.inner {
            None => push_integers(self.array.values(), places, out)?,
            Some(lists) => {
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

    /// Appends a list as the characters of a grid, in the form that [`write_numbers`] writes.
    ///
    /// # Errors
    /// Returns the reason if the list is not a grid. Nothing is appended then.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let mut numbers = Vec::with_capacity(81);
        self.numbers(row, &mut numbers)?;
        write_numbers(&numbers, out)
    }
}
