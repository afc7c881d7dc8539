//! A checksum of rows that other programs can compute too.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use twox_hash::XxHash64;

use crate::table::Table;

/// Seed of the hash of a row's first value, as in Spark's `xxhash64`. The hash of each value is the seed for the hash
/// of the next value.
const SEED: u64 = 42;

/// Returns the number of rows, and the sum of the hashes of their values in these columns.
///
/// Hashes and sum are signed 64-bit integers. The hash is `xxhash64` of Apache Spark: XXH64 of each value,
/// with strings as bytes and integers as eight little-endian bytes. A missing value leaves the hash
/// unchanged. The sum does not depend on the order of the rows.
#[pyfunction]
pub(crate) fn checksum(
    py: Python<'_>,
    table: &Bound<'_, Table>,
    columns: Vec<String>,
) -> PyResult<(u64, i128)> {
    let table = table.get();
    let mut places = Vec::new();
    for name in &columns {
        let (place, kind) = table.column(name)?;
        if !matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Int64) {
            return Err(PyTypeError::new_err(format!(
                "column {name} is {kind}: only strings and int64 have a checksum"
            )));
        }
        places.push(place);
    }
    let sums = py.detach(|| table.batches.iter().map(|batch| of_batch(batch, &places)).collect::<Vec<_>>());
    Ok((table.batches.iter().map(|batch| batch.num_rows() as u64).sum(), sums.into_iter().sum()))
}

fn of_batch(batch: &RecordBatch, places: &[usize]) -> i128 {
    let mut hashes = vec![SEED; batch.num_rows()];
    for &place in places {
        let column = batch.column(place);
        let mut take = |row: usize, value: Option<&[u8]>| {
            value.into_iter().for_each(|value| hashes[row] = XxHash64::oneshot(hashes[row], value));
        };
        let text = |(row, value): (usize, Option<&str>)| take(row, value.map(str::as_bytes));
        match column.data_type() {
            DataType::Utf8 => column.as_string::<i32>().iter().enumerate().for_each(text),
            DataType::LargeUtf8 => column.as_string::<i64>().iter().enumerate().for_each(text),
            _ => column.as_primitive::<Int64Type>().iter().enumerate().for_each(|(row, value)| {
                take(row, value.map(i64::to_le_bytes).as_ref().map(<[u8; 8]>::as_slice));
            }),
        }
    }
    hashes.into_iter().map(|hash| i128::from(hash as i64)).sum()
}
