//! A table in batches of columns, exchanged with Python.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, LargeStringArray, RecordBatch, RecordBatchIterator, RecordBatchReader, new_empty_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_cast::cast;
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyString};

use crate::digits::{characters, number, side_of, wrong_number};
use crate::stats::Statistics;

/// Returns true for strings of any representation.
fn is_text(kind: &DataType) -> bool {
    kind.is_string() || kind.is_binary() || *kind == DataType::Null
}

fn wrong(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Batches of columns with a common schema.
#[pyclass(frozen, module = "quadrille")]
pub(crate) struct Table {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
    /// Statistics of the run that produced the table.
    pub(crate) account: Option<Box<quadrille::stats::Statistics>>,
}

impl From<RecordBatch> for Table {
    /// Creates a table with one batch.
    fn from(batch: RecordBatch) -> Self {
        Table { schema: batch.schema(), batches: vec![batch], account: None }
    }
}

impl Table {
    /// Returns the index and type of a column.
    pub(crate) fn column(&self, name: &str) -> PyResult<(usize, &DataType)> {
        let found = self.schema.column_with_name(name);
        let (place, field) = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok((place, field.data_type()))
    }

    /// Returns the arrays of a column; strings of any representation become `LargeUtf8`.
    fn texts(&self, place: usize) -> Result<Vec<ArrayRef>, ArrowError> {
        self.arrays(place).map(|array| cast(array, &DataType::LargeUtf8)).collect()
    }

    fn arrays(&self, place: usize) -> impl Iterator<Item = &ArrayRef> {
        self.batches.iter().map(move |batch| batch.column(place))
    }
}

#[pymethods]
impl Table {
    /// Creates a table from an object with the Arrow PyCapsule interface, without copying.
    #[staticmethod]
    fn from_arrow(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !object.hasattr("__arrow_c_stream__")? {
            return Ok(Table::from(RecordBatch::from_pyarrow_bound(object)?));
        }
        let reader = RecordBatchStreamReader::from_pyarrow_bound(object)?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        Ok(Table { schema, batches, account: None })
    }

    /// Creates a table from C-contiguous arrays of shape (puzzles, cells), with 0 for an empty cell.
    #[staticmethod]
    pub(crate) fn from_numpy(
        py: Python<'_>,
        columns: Vec<(String, PyReadonlyArray2<'_, u8>)>,
    ) -> PyResult<Self> {
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (name, array) in &columns {
            let array = array.as_array();
            let (rows, cells) = array.dim();
            let side = side_of(name, cells)?;
            let numbers = array.as_slice().ok_or_else(|| PyValueError::new_err("not contiguous"))?;
            let text = py.detach(|| characters(numbers, side));
            let text = text.map_err(|at| wrong_number(name, at, numbers[at], side))?;
            let offsets = (0..=rows).map(|row| (row * cells) as i64).collect::<Vec<_>>();
            let column = LargeStringArray::try_new(OffsetBuffer::new(offsets.into()), text.into(), None);
            let column = column.map_err(wrong)?;
            fields.push(Field::new(name, DataType::LargeUtf8, true));
            arrays.push(Arc::new(column));
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        let batch = batch.map_err(|_| PyValueError::new_err("the arrays have different lengths"))?;
        Ok(Table::from(batch))
    }

    /// Returns this table with a column under `name`: the one of that name in `other`, or its only one.
    fn with_column(&self, name: &str, other: &Table) -> PyResult<Self> {
        let found = other.schema.index_of(name).ok().or((other.schema.fields().len() == 1).then_some(0));
        let place = found.ok_or_else(|| {
            PyTypeError::new_err(format!(
                "the table has no column {name}: pass the column itself, not the table"
            ))
        })?;
        let arrays: Vec<&dyn Array> = other.arrays(place).map(AsRef::as_ref).collect();
        let column = match &arrays[..] {
            [] => new_empty_array(other.schema.field(place).data_type()),
            arrays => concat(arrays).map_err(wrong)?,
        };
        if column.len() != self.__len__() {
            let lengths = (self.__len__(), column.len());
            return Err(PyValueError::new_err(format!("the columns have different lengths: {lengths:?}")));
        }
        let mut fields = self.schema.fields().to_vec();
        let field = Arc::new(Field::new(name, column.data_type().clone(), true));
        let at = self.schema.index_of(name).unwrap_or(fields.len());
        fields.splice(at..fields.len().min(at + 1), [field]);
        let schema = Arc::new(Schema::new_with_metadata(fields, self.schema.metadata().clone()));
        let mut first = 0;
        let batches = self.batches.iter().map(|batch| {
            let mut columns = batch.columns().to_vec();
            columns.splice(at..columns.len().min(at + 1), [column.slice(first, batch.num_rows())]);
            first += batch.num_rows();
            RecordBatch::try_new(Arc::clone(&schema), columns)
        });
        let batches = batches.collect::<Result<_, _>>().map_err(wrong)?;
        Ok(Table { schema, batches, account: None })
    }

    /// Exports the table by the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface permits another schema if the producer cannot provide the requested schema.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader: Box<dyn RecordBatchReader + Send> =
            Box::new(RecordBatchIterator::new(batches, Arc::clone(&self.schema)));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    /// Statistics of the run that produced the table, or `None` for any other table.
    #[getter]
    fn statistics(&self) -> Option<Statistics> {
        self.account.clone().map(|inner| Statistics { inner })
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Returns a column of strings, numbers or lists of counts as a list, with `None` for missing values.
    fn to_list<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let (place, kind) = self.column(name)?;
        let list = PyList::empty(py);
        for array in self.arrays(place) {
            match kind {
                kind if kind.is_string() => {
                    append(&list, cast(array, &DataType::LargeUtf8).map_err(wrong)?.as_string::<i64>())?;
                }
                DataType::UInt64 => append(&list, array.as_primitive::<UInt64Type>())?,
                DataType::Int64 => append(&list, array.as_primitive::<Int64Type>())?,
                DataType::Float64 => append(&list, array.as_primitive::<Float64Type>())?,
                DataType::List(item) if *item.data_type() == DataType::UInt64 => {
                    for numbers in array.as_list::<i32>().iter() {
                        let numbers =
                            numbers.as_ref().map(|numbers| numbers.as_primitive::<UInt64Type>().values());
                        list.append(numbers.map(|numbers| PyArray1::from_slice(py, numbers)))?;
                    }
                }
                DataType::Dictionary(_, values) if is_text(values) => {
                    let dictionary = array.as_any_dictionary();
                    let words = cast(dictionary.values(), &DataType::LargeUtf8).map_err(wrong)?;
                    let words: Vec<Bound<'py, PyString>> = words
                        .as_string::<i64>()
                        .iter()
                        .map(|word| PyString::intern(py, word.unwrap_or("")))
                        .collect();
                    for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
                        match array.is_valid(row) {
                            true => list.append(&words[key])?,
                            false => list.append(py.None())?,
                        }
                    }
                }
                _ => {
                    return Err(PyTypeError::new_err(format!(
                        "column {name} is {kind}: see to_polars, to_pandas"
                    )));
                }
            }
        }
        Ok(list)
    }

    /// Returns a column of grids as an array of shape (rows, cells), with 0 for empty cells and missing
    /// grids.
    fn to_numpy<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (place, kind) = self.column(name)?;
        let is_grids = match kind {
            DataType::Dictionary(_, values) => is_text(values),
            kind => is_text(kind),
        };
        if !is_grids {
            return Err(PyTypeError::new_err(format!(
                "column {name} is {kind}: it does not hold grids of text"
            )));
        }
        let numbers = py.detach(|| Ok(grids(&self.texts(place)?, self.__len__())));
        let numbers = numbers.map_err(wrong)?;
        let Some((numbers, cells)) = numbers else {
            return Err(PyValueError::new_err(format!(
                "column {name} has grids of several sizes: see to_list"
            )));
        };
        numbers.into_pyarray(py).reshape([self.__len__(), cells])
    }
}

/// Appends values to a list, with `None` for missing ones.
fn append<'py, T: IntoPyObject<'py>>(
    list: &Bound<'py, PyList>,
    values: impl IntoIterator<Item = Option<T>>,
) -> PyResult<()> {
    values.into_iter().try_for_each(|value| list.append(value))
}

/// Returns the numbers in the cells of `rows` grids, and the number of cells per grid.
///
/// Empty cells and missing grids have the number 0. Returns `None` if the grids differ in size.
fn grids(texts: &[ArrayRef], rows: usize) -> Option<(Vec<u8>, usize)> {
    let all = || texts.iter().flat_map(|texts| texts.as_string::<i64>());
    let cells = all().flatten().next().map_or(81, str::len);
    let mut numbers = vec![0; rows * cells];
    for (row, text) in all().enumerate() {
        let Some(text) = text else { continue };
        let row = numbers[row * cells..][..cells].iter_mut();
        if text.len() != cells {
            return None;
        }
        row.zip(text.bytes()).for_each(|(cell, character)| *cell = number(character));
    }
    Some((numbers, cells))
}
