//! Converts lists of integers to the characters of grids.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::DataType;

use crate::input::cells::write_numbers;

/// A column of integers of any width.
pub(super) enum Integers<'a> {
    I8(&'a PrimitiveArray<Int8Type>),
    I16(&'a PrimitiveArray<Int16Type>),
    I32(&'a PrimitiveArray<Int32Type>),
    I64(&'a PrimitiveArray<Int64Type>),
    U8(&'a PrimitiveArray<UInt8Type>),
    U16(&'a PrimitiveArray<UInt16Type>),
    U32(&'a PrimitiveArray<UInt32Type>),
    U64(&'a PrimitiveArray<UInt64Type>),
}

impl<'a> Integers<'a> {
    pub(super) fn from_array(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => Integers::I8(array.as_primitive()),
            DataType::Int16 => Integers::I16(array.as_primitive()),
            DataType::Int32 => Integers::I32(array.as_primitive()),
            DataType::Int64 => Integers::I64(array.as_primitive()),
            DataType::UInt8 => Integers::U8(array.as_primitive()),
            DataType::UInt16 => Integers::U16(array.as_primitive()),
            DataType::UInt32 => Integers::U32(array.as_primitive()),
            DataType::UInt64 => Integers::U64(array.as_primitive()),
            _ => return None,
        })
    }

    /// Returns the value at a place, which must not be null.
    pub(super) fn get(&self, place: usize) -> i128 {
        match self {
            Integers::I8(all) => all.value(place).into(),
            Integers::I16(all) => all.value(place).into(),
            Integers::I32(all) => all.value(place).into(),
            Integers::I64(all) => all.value(place).into(),
            Integers::U8(all) => all.value(place).into(),
            Integers::U16(all) => all.value(place).into(),
            Integers::U32(all) => all.value(place).into(),
            Integers::U64(all) => all.value(place).into(),
        }
    }

    pub(super) fn is_null(&self, place: usize) -> bool {
        match self {
            Integers::I8(all) => all.is_null(place),
            Integers::I16(all) => all.is_null(place),
            Integers::I32(all) => all.is_null(place),
            Integers::I64(all) => all.is_null(place),
            Integers::U8(all) => all.is_null(place),
            Integers::U16(all) => all.is_null(place),
            Integers::U32(all) => all.is_null(place),
            Integers::U64(all) => all.is_null(place),
        }
    }
}

/// A column of lists, and their items.
pub(super) struct ListColumn {
    array: ArrayRef,
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

    pub(super) fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row)
    }

    /// Returns the places of a list's items.
    fn places(&self, row: usize) -> std::ops::Range<usize> {
        match self.array.data_type() {
            DataType::List(_) => {
                let offsets = self.array.as_list::<i32>().value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
            DataType::LargeList(_) => {
                let offsets = self.array.as_list::<i64>().value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
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
            Items::Integers(array) => {
                let Some(integers) = Integers::from_array(array) else {
                    return Err("no integers".to_owned());
                };
                // A missing number is an empty cell.
                out.extend(places.map(|at| if integers.is_null(at) { 0 } else { integers.get(at) }));
            }
            Items::Lists(lists) => {
                let wanted = places.len();
                for at in places {
                    if lists.is_null(at) {
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

    /// Appends a list as the characters of a grid: `.` for 0 and for a missing number.
    ///
    /// # Errors
    /// Returns the reason, and appends nothing, if the list is not a grid.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let mut numbers = Vec::with_capacity(81);
        self.numbers(row, &mut numbers)?;
        write_numbers(&numbers, out)
    }
}
