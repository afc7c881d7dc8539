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
            let batch = RecordBatch::from_pyarrow_bound(object)?;
            return Ok(Table { schema: batch.schema(), batches: vec![batch], account: None });
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
            let column = column.map_err(|error| PyValueError::new_err(error.to_string()))?;
            fields.push(Field::new(name, DataType::LargeUtf8, true));
            arrays.push(Arc::new(column));
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
        let batch = batch.map_err(|_| PyValueError::new_err("the arrays have different lengths"))?;
        Ok(Table { schema, batches: vec![batch], account: None })
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
                DataType::Utf8 => array.as_string::<i32>().iter().try_for_each(|value| list.append(value))?,
                DataType::LargeUtf8 => {
                    array.as_string::<i64>().iter().try_for_each(|value| list.append(value))?;
                }
                DataType::Utf8View => {
                    array.as_string_view().iter().try_for_each(|value| list.append(value))?;
                }
                DataType::UInt64 => {
                    array.as_primitive::<UInt64Type>().iter().try_for_each(|value| list.append(value))?;
                }
                DataType::Int64 => {
                    array.as_primitive::<Int64Type>().iter().try_for_each(|value| list.append(value))?;
                }
                DataType::Float64 => {
                    array.as_primitive::<Float64Type>().iter().try_for_each(|value| list.append(value))?;
                }
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
        let numbers = py.detach(|| {
            let mut grids = Grids::new(self.__len__());
            let are_same = self.texts(place)?.iter().all(|texts| grids.push_all(texts.as_string()));
            Ok(are_same.then(|| grids.finish()))
        });
        let numbers = numbers.map_err(wrong)?;
        let Some((numbers, cells)) = numbers else {
            return Err(PyValueError::new_err(format!(
                "column {name} has grids of several sizes: see to_list"
            )));
        };
        numbers.into_pyarray(py).reshape([self.__len__(), cells])
    }
}

/// The numbers in the cells of grids of one size, with 0 for empty cells and missing grids.
struct Grids {
    numbers: Vec<u8>,
    rows: usize,
    /// Cells per grid; `None` before the first grid.
    cells: Option<usize>,
    /// Rows without a grid before the first grid.
    missing: usize,
}

impl Grids {
    /// Creates an empty collection for `rows` rows.
    fn new(rows: usize) -> Self {
        Grids { numbers: Vec::new(), rows, cells: None, missing: 0 }
    }

    /// Appends the grids of a column. Returns false if a grid has another size than the grids before it.
    fn push_all(&mut self, texts: &LargeStringArray) -> bool {
        if self.push_alike(texts) {
            return true;
        }
        texts.iter().all(|text| self.push(text))
    }

    /// Appends the grids of a column in one pass, which requires that all have the same size, none is missing
    /// and none has letters.
    ///
    /// Returns false if it appended nothing.
    fn push_alike(&mut self, texts: &LargeStringArray) -> bool {
        let offsets = texts.value_offsets();
        let [Some(&first), Some(&last)] = [offsets.first(), offsets.last()] else { return false };
        let (first, last) = (first as usize, last as usize);
        let Some(cells) = self.cells.or((last - first).checked_div(texts.len())) else { return false };
        let are_alike = |alike: bool, pair: &[i64]| alike & (pair[1] - pair[0] == cells as i64);
        let values = &texts.value_data()[first..last];
        if texts.null_count() > 0
            || !offsets.windows(2).fold(true, are_alike)
            || values.iter().fold(0, |largest, &byte| byte.max(largest)) >= b'A'
        {
            return false;
        }
        self.begin(cells);
        let digit = |&byte: &u8| if byte.wrapping_sub(b'0') < 10 { byte - b'0' } else { 0 };
        self.numbers.extend(values.iter().map(digit));
        true
    }

    /// Sets the size of the grids when the first grid comes.
    fn begin(&mut self, cells: usize) {
        if self.cells.is_none() {
            self.cells = Some(cells);
            self.numbers.reserve_exact(self.rows * cells);
            self.numbers.resize(self.missing * cells, 0);
        }
    }

    fn push(&mut self, text: Option<&str>) -> bool {
        match (text, self.cells) {
            (None, None) => self.missing += 1,
            (None, Some(cells)) => self.numbers.resize(self.numbers.len() + cells, 0),
            (Some(text), cells) => {
                self.begin(text.len());
                self.numbers.extend(text.bytes().map(number));
                return cells.is_none_or(|cells| cells == text.len());
            }
        }
        true
    }

    /// Returns the numbers, and the number of cells per grid.
    fn finish(mut self) -> (Vec<u8>, usize) {
        let cells = self.cells.unwrap_or(81);
        self.numbers.resize(self.rows * cells, 0);
        (self.numbers, cells)
    }
}
