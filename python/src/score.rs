//! Scores of pairs of grids on the caller's thread: no run, no thread, no table.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::Geometry;
use quadrille::scores::score;

/// Number of pairs copied at a time. The interpreter is held during a copy, so that no Python thread changes the
/// numbers.
const BLOCK: usize = 4096;

/// An array of integers of any width, C-contiguous.
#[derive(FromPyObject)]
pub(crate) enum Integers<'py> {
    U8(PyReadonlyArrayDyn<'py, u8>),
    I64(PyReadonlyArrayDyn<'py, i64>),
    I32(PyReadonlyArrayDyn<'py, i32>),
    I8(PyReadonlyArrayDyn<'py, i8>),
    I16(PyReadonlyArrayDyn<'py, i16>),
    U16(PyReadonlyArrayDyn<'py, u16>),
    U32(PyReadonlyArrayDyn<'py, u32>),
    U64(PyReadonlyArrayDyn<'py, u64>),
}

/// Byte for numbers that do not fit in a byte.
const NO_DIGIT: u8 = u8::MAX;

macro_rules! copied {
    ($array:expr, $range:expr, $out:expr) => {{
        let numbers = $array.as_slice().map_err(|_| PyValueError::new_err("not contiguous"))?;
        let numbers = numbers.get($range).ok_or_else(|| PyValueError::new_err("the array has changed"))?;
        $out.clear();
        $out.extend(numbers.iter().map(|&number| u8::try_from(number).unwrap_or(NO_DIGIT)));
        Ok(())
    }};
}

impl Integers<'_> {
    fn copy(&self, range: std::ops::Range<usize>, out: &mut Vec<u8>) -> PyResult<()> {
        match self {
            Integers::U8(array) => copied!(array, range, out),
            Integers::I64(array) => copied!(array, range, out),
            Integers::I32(array) => copied!(array, range, out),
            Integers::I8(array) => copied!(array, range, out),
            Integers::I16(array) => copied!(array, range, out),
            Integers::U16(array) => copied!(array, range, out),
            Integers::U32(array) => copied!(array, range, out),
            Integers::U64(array) => copied!(array, range, out),
        }
    }
}

type Columns<'py> = (
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<u16>>,
    Bound<'py, PyArray1<u16>>,
    Bound<'py, PyArray1<u16>>,
);

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
    let [mut correct, mut broken, mut kept] = [(); 3].map(|()| Vec::<u16>::with_capacity(count));
    for start in (0..count).step_by(BLOCK) {
        let end = (start + BLOCK).min(count);
        answers.copy(start * cells..end * cells, &mut answered)?;
        if !is_one {
            puzzles.copy(start * cells..end * cells, &mut given)?;
        } else if given.is_empty() {
            puzzles.copy(0..cells, &mut given)?;
        }
        if let Some(at) = given.iter().position(|&number| usize::from(number) > side) {
            let (row, cell) = (if is_one { 0 } else { start } + at / cells, at % cells);
            return Err(PyValueError::new_err(format!(
                "puzzles {row}: cell {cell} is not a digit of a {side}x{side}"
            )));
        }
        py.detach(|| {
            for (place, answer) in answered.chunks_exact(cells).enumerate() {
                let from = if is_one { 0 } else { place * cells };
                let score = score(&geometry, &given[from..from + cells], answer);
                valid.push(score.valid);
                correct.push(score.correct_cells);
                broken.push(score.broken_houses);
                kept.push(score.clues_kept);
            }
        });
    }
    Ok((valid.into_pyarray(py), correct.into_pyarray(py), broken.into_pyarray(py), kept.into_pyarray(py)))
}
