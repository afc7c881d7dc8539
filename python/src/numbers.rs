//! Reads the grids of a NumPy array, without first writing them as text.

use std::io::{self, Read};

use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::tables::TableRecords;

use crate::digits::{first_wrong, side_of, wrong_number};
use crate::table::Table;
use crate::wait::Failure;

/// Grids of one side: a C-contiguous array of shape (puzzles, cells), with 0 for an empty cell.
#[pyclass(frozen, module = "quadrille")]
pub(crate) struct Numbers {
    name: String,
    array: Py<PyArray2<u8>>,
    rows: usize,
    side: usize,
}

#[pymethods]
impl Numbers {
    #[new]
    fn new(name: String, array: PyReadonlyArray2<'_, u8>) -> PyResult<Self> {
        let [rows, cells] = [array.shape()[0], array.shape()[1]];
        let side = side_of(&name, cells)?;
        array.as_slice().map_err(|_| PyValueError::new_err("not contiguous"))?;
        Ok(Numbers { name, array: (*array).clone().unbind(), rows, side })
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    /// Returns the same grids as a table of text.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        Table::from_numpy(py, vec![(self.name.clone(), self.array.bind(py).try_readonly()?)])
    }
}

impl Numbers {
    /// Returns the grids for another thread. Python errors that it meets go to `failed`.
    pub(crate) fn records(&self, py: Python<'_>, failed: &Failure) -> TableRecords {
        let (name, array, side) = (self.name.clone(), self.array.clone_ref(py), self.side);
        let numbers = Box::new(NumberStream { name, array, side, done: 0, failed: failed.clone() });
        TableRecords::Numbers { count: self.rows as u64, side, numbers }
    }
}

/// A reader of an array's numbers in order.
///
/// The interpreter is held during each copy, so that no Python thread changes the numbers meanwhile.
struct NumberStream {
    name: String,
    array: Py<PyArray2<u8>>,
    side: usize,
    /// Count of numbers read so far.
    done: usize,
    failed: Failure,
}

impl NumberStream {
    /// Copies the next numbers into `buffer` and returns their count; 0 at the end.
    fn copy(&mut self, py: Python<'_>, buffer: &mut [u8]) -> PyResult<usize> {
        let array = self.array.bind(py).try_readonly()?;
        let numbers = array.as_slice().map_err(|_| PyValueError::new_err("no longer contiguous"))?;
        let rest = numbers.get(self.done..).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        let buffer = &mut buffer[..len];
        buffer.copy_from_slice(&rest[..len]);
        if let Some(wrong) = first_wrong(buffer, self.side) {
            return Err(wrong_number(&self.name, self.done + wrong, buffer[wrong], self.side));
        }
        self.done += len;
        Ok(len)
    }
}

impl Read for NumberStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let failed = self.failed.clone();
        failed.attach("the array cannot be read", |py| self.copy(py, buffer)).map_err(io::Error::other)
    }
}
