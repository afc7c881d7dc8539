//! Reads the grids of a NumPy array, without first writing them as text.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::digits::{side_of, wrong_number};
use crate::table::Table;

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
    /// Returns the number of grids.
    pub(crate) fn count(&self) -> u64 {
        self.rows as u64
    }

    /// Returns the side of the grids.
    pub(crate) fn side(&self) -> usize {
        self.side
    }

    /// Returns a reader of the numbers for another thread, and the slot for a Python error that it meets.
    pub(crate) fn read(&self, py: Python<'_>) -> (NumberStream, Arc<Mutex<Option<PyErr>>>) {
        let failed = Arc::default();
        let array = self.array.clone_ref(py);
        let stream = NumberStream {
            name: self.name.clone(),
            array,
            side: self.side,
            done: 0,
            failed: Arc::clone(&failed),
        };
        (stream, failed)
    }
}

/// A reader of an array's numbers in order.
///
/// The interpreter is held during each copy, so that no Python thread changes the numbers meanwhile.
pub(crate) struct NumberStream {
    name: String,
    array: Py<PyArray2<u8>>,
    side: usize,
    /// Count of numbers read so far.
    done: usize,
    failed: Arc<Mutex<Option<PyErr>>>,
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
        if usize::from(buffer.iter().fold(0, |largest, &number| number.max(largest))) > self.side {
            let wrong = buffer.iter().position(|&number| usize::from(number) > self.side).unwrap_or(0);
            return Err(wrong_number(&self.name, self.done + wrong, buffer[wrong], self.side));
        }
        self.done += len;
        Ok(len)
    }
}

impl Read for NumberStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match Python::try_attach(|py| self.copy(py, buffer)) {
            Some(Ok(len)) => Ok(len),
            Some(Err(error)) => {
                *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(io::Error::other("the array cannot be read"))
            }
            None => Err(io::Error::other("the interpreter has ended")),
        }
    }
}
