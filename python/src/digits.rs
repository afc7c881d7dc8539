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

/// Characters of the digits 1 to 35.
const DIGITS: &[u8; 35] = b"123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Returns the exception for an invalid number; `at` is its index in the flattened array of grids.
pub(crate) fn wrong_number(name: &str, at: usize, number: u8, side: usize) -> PyErr {
    let (row, cell) = (at / (side * side), at % (side * side));
    PyValueError::new_err(format!("{name} {row}: {number} in cell {cell} is not a digit of a {side}x{side}"))
}

/// Returns the character of a number in a grid of this side, or `None` if the number is too large.
fn character(number: u8, side: usize) -> Option<u8> {
    match usize::from(number) {
        0 => Some(b'.'),
        number if number <= side => DIGITS.get(number - 1).copied(),
        _ => None,
    }
}

/// Returns the characters of numbers, or the index of the first number too large for the side.
pub(crate) fn characters(numbers: &[u8], side: usize) -> Result<Vec<u8>, usize> {
    if side == 9 {
        // Without a branch per number.
        let text: Vec<u8> = numbers
            .iter()
            .map(|&number| if number == 0 { b'.' } else { number.wrapping_add(b'0') })
            .collect();
        return match numbers.iter().fold(0, |largest, &number| number.max(largest)) {
            0..=9 => Ok(text),
            _ => Err(numbers.iter().position(|&number| number > 9).unwrap_or(0)),
        };
    }
    let mut text = Vec::with_capacity(numbers.len());
    for (at, &number) in numbers.iter().enumerate() {
        text.push(character(number, side).ok_or(at)?);
    }
    Ok(text)
}

/// Returns the number of a character; 0 for an empty cell.
pub(crate) fn number(character: u8) -> u8 {
    match character {
        b'1'..=b'9' => character - b'0',
        b'A'..=b'Z' => character - b'A' + 10,
        b'a'..=b'z' => character - b'a' + 10,
        _ => 0,
    }
}
