//! Constraint strings of Interactive Sudoku Solver with nothing but a shape and givens: `.Shape~6x6.~R1C1_5~R2C3_2_4`.
//!
//! Items begin with a dot and have arguments behind `~`. An item without a name lists cells with the digits that they may hold;
//! rows and columns count from 1, in base 17. Whitespace does not count. Any other item makes the record unsupported.

use super::super::grids::GridReader;
use super::super::lines::is_blank;
use super::super::{Body, Records};
use crate::model::{DigitSet, Reason};

/// The base of the numbers of rows and columns.
const BASE: u32 = 17;
/// The side where none is named.
const SIDE: usize = 9;

/// Reads a string.
///
/// # Errors
/// The reason why it cannot be read.
pub(super) fn read(grids: &mut GridReader, line: &[u8], records: &mut Records) -> Result<Body, Reason> {
    let text: Vec<u8> = line.iter().copied().filter(|&byte| !is_blank(byte)).collect();
    let text = String::from_utf8_lossy(&text);
    let (mut side, mut givens) = (SIDE, Vec::new());
    for item in text.split('.').skip(1) {
        let (name, arguments) = item.split_once('~').unwrap_or((item, ""));
        match name {
            "" => givens.extend(arguments.split('~').filter(|given| !given.is_empty())),
            "Shape" => side = side_of(arguments)?,
            _ => {
                let name: String = name.chars().take(40).collect();
                return Ok(Body::Unsupported(Box::new(format!("rules: {name}").into())));
            }
        }
    }
    let side = grids.known_side(side)?;
    let mut cells = vec![DigitSet::all(side); side * side];
    for given in givens {
        let (cell, digits) = parse(given, side).ok_or_else(|| {
            format!("{:?} is no given of a {side}x{side}", given.chars().take(40).collect::<String>())
        })?;
        cells[cell] = cells[cell].and(digits);
    }
    grids.grid_of_sets(side, &cells, records)
}

/// The side of a shape such as `6x6`.
fn side_of(shape: &str) -> Result<usize, Reason> {
    let sides = shape.split_once('x').filter(|(rows, columns)| rows == columns);
    let side = sides.and_then(|(rows, _)| rows.parse().ok());
    side.ok_or_else(|| format!("a shape of {:?}", shape.chars().take(40).collect::<String>()).into())
}

/// The cell and the digits of a given such as `R1C2_4_7`.
fn parse(given: &str, side: usize) -> Option<(usize, DigitSet)> {
    let (cell, digits) = given.split_once('_')?;
    let (row, column) = cell.strip_prefix('R')?.split_once('C')?;
    let number = |text: &str| {
        let number = usize::from_str_radix(text, BASE).ok().filter(|number| (1..=side).contains(number));
        number.filter(|_| text.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    let cell = (number(row)? - 1) * side + number(column)? - 1;
    let mut set = DigitSet::EMPTY;
    for digit in digits.split('_') {
        let digit: usize = digit.parse().ok().filter(|digit| (1..=side).contains(digit))?;
        set.0 |= DigitSet::only(digit - 1).0;
    }
    Some((cell, set))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{bodies, read_all};
    use super::super::super::{Format, InputOptions};

    fn read(line: &str) -> String {
        let options = InputOptions { format: Some(Format::Line), ..InputOptions::default() };
        bodies(&read_all(line.as_bytes(), options)).remove(0)
    }

    #[test]
    fn givens_and_candidates_are_read() {
        assert_eq!(read(".~R1C1_8~R1C3_7"), format!("807{}", "0".repeat(78)));
        assert_eq!(read(".Shape~4x4.~R4C4_3 .~R1C2_1_4"), format!("0{{14}}{}3", "0".repeat(13)));
        assert_eq!(read(".Shape~9x9"), "0".repeat(81));
        // What stands behind a grid is its id.
        assert_eq!(read(&format!("{} ~R1C1_5 # ~", ".".repeat(16))), "0".repeat(16));
        // Several givens of a cell leave what they have in common.
        assert_eq!(read(".~R1C1_8_9~R1C1_9_1"), format!("9{}", "0".repeat(80)));
        let sixteen = read(".~RgCg_16~RaC1_10.Shape~16x16");
        assert!(sixteen.ends_with('G') && sixteen.as_bytes()[9 * 16] == b'A', "{sixteen}");
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (line, reason) in [
            (".~R0C1_8", "\"R0C1_8\" is no given of a 9x9"),
            (".~R1C1_10", "\"R1C1_10\" is no given of a 9x9"),
            (".~R1C1", "\"R1C1\" is no given of a 9x9"),
            (".~R1C+1_1", "\"R1C+1_1\" is no given of a 9x9"),
            (".Shape~7x7.~R1C1_1", "a 7x7 has no boxes"),
            (".Shape~99999999999999999999x1.~R1C1_1", "a shape of \"99999999999999999999x1\""),
            (".Shape~6x4.~R1C1_1", "a shape of \"6x4\""),
            (".Shape~1000000x1000000.~R1C1_1", "a 1000000x1000000 has no boxes"),
        ] {
            assert_eq!(read(line), format!("invalid: {reason}"), "{line}");
        }
    }
}
