//! Lists of strings as a table that is built while it is answered.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use quadrille::tables::TableRecords;

use crate::table::Table;
use crate::wait::Failure;

/// Maximum number of rows built while the interpreter is held.
const ROWS_AT_ONCE: usize = 2048;

/// Columns of strings, with `None` for a missing value.
#[pyclass(frozen, module = "quadrille")]
pub(crate) struct Strings {
    schema: SchemaRef,
    lists: Arc<[(String, Py<PyList>)]>,
    rows: usize,
}

#[pymethods]
impl Strings {
    #[new]
    fn new(columns: Vec<(String, Bound<'_, PyList>)>) -> PyResult<Self> {
        let rows = columns.first().map_or(0, |(_, list)| list.len());
        if columns.iter().any(|(_, list)| list.len() != rows) {
            return Err(PyValueError::new_err("the columns have different lengths"));
        }
        let fields = columns.iter().map(|(name, _)| Field::new(name, DataType::LargeUtf8, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let lists = columns.into_iter().map(|(name, list)| (name, list.unbind())).collect();
        Ok(Strings { schema, lists, rows })
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    /// Returns the same strings as a table.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let batch = batch(py, &self.schema, &self.lists, 0..self.rows)?;
        Ok(Table::from(batch))
    }
}

impl Strings {
    /// Returns the rows, which another thread builds. Python errors that it meets go to `failed`.
    pub(crate) fn records(&self, failed: &Failure) -> TableRecords {
        let (schema, lists) = (Arc::clone(&self.schema), Arc::clone(&self.lists));
        let batches = StringBatches { schema, lists, left: 0..self.rows, failed: failed.clone() };
        TableRecords::Made { count: self.rows as u64, batches: Box::new(batches) }
    }
}

/// An iterator over the rows in batches. Holds the interpreter while it copies strings.
struct StringBatches {
    schema: SchemaRef,
    lists: Arc<[(String, Py<PyList>)]>,
    left: Range<usize>,
    failed: Failure,
}

impl Iterator for StringBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left.is_empty() {
            return None;
        }
        let rows = self.left.start..self.left.end.min(self.left.start + ROWS_AT_ONCE);
        self.left.start = rows.end;
        let build = |py: Python<'_>| batch(py, &self.schema, &self.lists, rows);
        Some(self.failed.attach("the list cannot be read", build).map_err(|reason| {
            self.left.start = self.left.end;
            ArrowError::ComputeError(reason.to_owned())
        }))
    }
}

impl RecordBatchReader for StringBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Returns true for `None` and for the values that pandas has for missing ones: NaN, `NA` and `NaT`.
fn is_missing(item: &Bound<'_, PyAny>) -> bool {
    let is_nan = || item.extract::<f64>().is_ok_and(f64::is_nan);
    let is_named = || item.get_type().name().is_ok_and(|name| name == "NAType" || name == "NaTType");
    item.is_none() || is_nan() || is_named()
}

/// Builds a batch of some rows of the lists.
fn batch(
    py: Python<'_>,
    schema: &SchemaRef,
    lists: &[(String, Py<PyList>)],
    rows: Range<usize>,
) -> PyResult<RecordBatch> {
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(lists.len());
    for (name, list) in lists {
        let list = list.bind(py);
        let mut builder = LargeStringBuilder::with_capacity(rows.len(), rows.len() * 81);
        for row in rows.clone() {
            // If the list has become shorter meanwhile, Python reports an error.
            let item = list.get_item(row)?;
            if let Ok(text) = item.cast::<PyString>() {
                match text.to_str() {
                    Ok(text) => builder.append_value(text),
                    // A lone surrogate has no UTF-8. This row is invalid; the others are not affected.
                    Err(_) => builder.append_value(text.to_string_lossy()),
                }
            } else if is_missing(&item) {
                builder.append_null();
            } else {
                let kind = item.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "{name} {row} is {kind}, not str (pass a table or an array as the only argument, not in a list)"
                )));
            }
        }
        arrays.push(Arc::new(builder.finish()));
    }
    RecordBatch::try_new(Arc::clone(schema), arrays).map_err(|error| PyValueError::new_err(error.to_string()))
}
