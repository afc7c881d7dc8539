//! Conversion between grids of numbers, with 0 for an empty cell, and text.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Returns the side of a grid with `cells` cells.
///
/// # Errors
/// Returns a `ValueError` if no grid has this many cells.
pub(crate) fn side_of(name: &str, cells: usize) -> PyResult<usize> {
    let side = cells.isqrt();
    if side * side != cells || side > 35 || cells == 0 {
        let reason = format!("{name} has rows of {cells} numbers: no grid has this many cells");
        return Err(PyValueError::new_err(reason));
    }
    Ok(side)
}

/// Returns the exception for an invalid number; `at` is its index in the flattened array of grids.
pub(crate) fn wrong_number(name: &str, at: usize, number: u8, side: usize) -> PyErr {
    let (row, cell) = (at / (side * side), at % (side * side));
    PyValueError::new_err(format!("{name} {row}: {number} in cell {cell} is not a digit of a {side}x{side}"))
}

/// Returns the index of the first number that is too large for the side, or `None` if all fit.
pub(crate) fn first_wrong(numbers: &[u8], side: usize) -> Option<usize> {
    // The maximum is found without a branch per number.
    let largest = numbers.iter().fold(0, |largest, &number| number.max(largest));
    let is_wrong = |number: u8| usize::from(number) > side;
    is_wrong(largest).then(|| numbers.iter().position(|&number| is_wrong(number)))?
}

/// Returns the characters of numbers, or the index of the first number too large for the side.
pub(crate) fn characters(numbers: &[u8], side: usize) -> Result<Vec<u8>, usize> {
    let character = |&number: &u8| match number {
        0 => b'.',
        1..=9 => b'0' + number,
        _ => number.wrapping_add(b'A' - 10),
    };
    first_wrong(numbers, side).map_or_else(|| Ok(numbers.iter().map(character).collect()), Err)
}

/// Returns the number of a character; 0 for an empty cell.
pub(crate) fn number(character: u8) -> u8 {
    let (digit, letter) = (character.wrapping_sub(b'0'), (character | 0x20).wrapping_sub(b'a'));
    match (digit, letter) {
        (..10, _) => digit,
        (_, ..26) => letter + 10,
        _ => 0,
    }
}
