//! Scores of pairs of grids on the caller's thread: no run, no thread, no table.

use std::ops::Range;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::Geometry;
use quadrille::scores::scores as scores_of;

use crate::digits::first_wrong;

/// Number of pairs copied at a time. The interpreter is held during a copy, so that no Python thread changes the
/// numbers.
const BLOCK: usize = 1024;

/// Byte for numbers that do not fit in a byte.
const NO_DIGIT: u8 = u8::MAX;

macro_rules! integers {
    ($($name:ident: $number:ty),+) => {
        /// An array of integers of any width, C-contiguous.
        #[derive(FromPyObject)]
        pub(crate) enum Integers<'py> {$(
            $name(PyReadonlyArrayDyn<'py, $number>),
        )+}

        impl Integers<'_> {
            fn copy(&self, range: Range<usize>, out: &mut Vec<u8>) -> PyResult<()> {
                out.clear();
                match self {$(
                    Integers::$name(array) => {
                        let numbers = array.as_slice().map_err(|_| PyValueError::new_err("not contiguous"))?;
                        let numbers = numbers.get(range);
                        let numbers = numbers.ok_or_else(|| PyValueError::new_err("the array has changed"))?;
                        out.extend(numbers.iter().map(|&number| u8::try_from(number).unwrap_or(NO_DIGIT)));
                    }
                )+}
                Ok(())
            }
        }
    };
}

integers!(U8: u8, I64: i64, I32: i32, I8: i8, I16: i16, U16: u16, U32: u32, U64: u64);

type Columns<'py> = (Bound<'py, PyArray1<bool>>, [Bound<'py, PyArray1<u16>>; 3]);

/// Returns the columns `valid`, `correct_cells`, `broken_houses` and `clues_kept` of `count` pairs.
///
/// If `is_one`, all answers belong to the first puzzle.
#[pyfunction]
pub(crate) fn scores<'py>(
    py: Python<'py>,
    puzzles: Integers<'py>,
    answers: Integers<'py>,
    count: usize,
    side: usize,
    is_one: bool,
) -> PyResult<Columns<'py>> {
    let geometry = Geometry::of_side(side).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let cells = geometry.cells();
    let (mut given, mut answered) = (Vec::new(), Vec::new());
    let mut valid = Vec::with_capacity(count);
    let mut numbers = [(); 3].map(|()| Vec::with_capacity(count));
    for start in (0..count).step_by(BLOCK) {
        let end = (start + BLOCK).min(count);
        answers.copy(start * cells..end * cells, &mut answered)?;
        if !is_one || given.is_empty() {
            puzzles.copy(if is_one { 0..cells } else { start * cells..end * cells }, &mut given)?;
            if let Some(at) = first_wrong(&given, side) {
                let (row, cell) = (start + at / cells, at % cells);
                return Err(PyValueError::new_err(format!(
                    "puzzles {row}: cell {cell} is not a digit of a {side}x{side}"
                )));
            }
        }
        py.detach(|| {
            let scores = scores_of(&geometry, &given, &answered);
            valid.extend(scores.iter().map(|score| score.valid));
            for score in &scores {
                let of_score = [score.correct_cells, score.broken_houses, score.clues_kept];
                numbers.iter_mut().zip(of_score).for_each(|(column, number)| column.push(number));
            }
        });
    }
    Ok((valid.into_pyarray(py), numbers.map(|column| column.into_pyarray(py))))
}
