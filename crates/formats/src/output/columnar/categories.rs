//! One dictionary for each column of categories of an Arrow file.
//!
//! Parquet has a dictionary for each row group, but an Arrow file has one per column, to which later batches may only add.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, RecordBatch, UInt64Array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;
use arrow_select::take::take;

/// The categories of the columns so far, by the place of the column.
#[derive(Default)]
pub(super) struct Categories(HashMap<usize, Dictionary>);

struct Dictionary {
    values: ArrayRef,
    /// The place of each value in `values`; `None` is a missing value.
    places: HashMap<Option<Vec<u8>>, i64>,
}

impl Categories {
    /// Returns the batch with the dictionaries of all batches so far.
    pub(super) fn unify(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut columns = batch.columns().to_vec();
        for (place, column) in columns.iter_mut().enumerate() {
            let DataType::Dictionary(_, values) = column.data_type() else { continue };
            if values.is_string() || values.is_binary() {
                let empty = || Dictionary {
                    values: column.as_any_dictionary().values().slice(0, 0),
                    places: HashMap::new(),
                };
                let all = self.0.entry(place).or_insert_with(empty);
                *column = all.unify(column)?;
            }
        }
        RecordBatch::try_new(batch.schema(), columns)
    }
}

impl Dictionary {
    fn unify(&mut self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let (kind, column) = (column.data_type(), column.as_any_dictionary());
        let texts = cast(column.values(), &DataType::LargeBinary)?;
        let (mut places, mut new) = (Vec::with_capacity(texts.len()), Vec::new());
        for (row, text) in texts.as_binary::<i64>().iter().enumerate() {
            let next = self.places.len() as i64;
            let place = *self.places.entry(text.map(<[u8]>::to_vec)).or_insert(next);
            new.extend((place == next).then_some(row as u64));
            places.push(place);
        }
        if !new.is_empty() {
            let new = take(column.values(), &UInt64Array::from(new), None)?;
            self.values = concat(&[&self.values, &new])?;
        }
        let keys = take(&Int64Array::from(places), column.keys(), None)?;
        let keys = keys.as_primitive::<Int64Type>().clone();
        let column: ArrayRef = Arc::new(DictionaryArray::try_new(keys, Arc::clone(&self.values))?);
        cast(&column, kind)
    }
}
