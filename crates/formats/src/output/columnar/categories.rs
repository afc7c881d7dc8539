//! Builds one dictionary for each dictionary-encoded column of an Arrow file.
//!
//! In a Parquet file, each row group has its own dictionary. In an Arrow file, a column has only one
//! dictionary, to which later batches may only add values.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, RecordBatch, UInt64Array};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;
use arrow_select::take::take;

/// Dictionaries with the values found so far, by the index of their column.
#[derive(Default)]
pub(super) struct Categories(HashMap<usize, Dictionary>);

struct Dictionary {
    values: ArrayRef,
    /// Index of each value in `values`. The key `None` represents a missing value.
    places: HashMap<Option<Vec<u8>>, i64>,
}

impl Categories {
    /// Returns the batch with dictionaries that contain the values of all batches so far.
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
