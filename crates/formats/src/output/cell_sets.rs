//! Writes a set of digits for each cell as text. The sets are possible digits, or candidates after solving
//! steps.

use quadrille_model::{DigitSet, Symbols};

/// Notation for the digit sets of a grid's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellNotation {
    /// The digits of each cell, with a blank between cells.
    Groups,
    /// For each cell, one character per digit, or `.` if the digit is not in the set. A 9x9 grid has 729
    /// characters.
    Marks,
    /// The digit of each cell that has only one digit, and `.` for any other cell.
    Single,
    /// `1` for each cell that does not have exactly one digit, and `0` for any other cell.
    Mask,
}

/// Appends the digit sets of a grid's cells in the given notation.
pub(super) fn write(cells: &[DigitSet], symbols: Symbols, notation: CellNotation, out: &mut Vec<u8>) {
    let side = cells.len().isqrt();
    // An index from 64 on means that a cell has no digit or several digits. The second half of the table
    // therefore holds only `.`.
    let mut characters = [b'.'; 128];
    characters[..64].fill(b'?');
    for (digit, character) in characters.iter_mut().enumerate().take(side) {
        *character = symbols.character(digit).or(Symbols::DEFAULT.character(digit)).unwrap_or(*character);
    }
    let character = |digit: usize| characters[digit];
    match notation {
        CellNotation::Groups => {
            write_list(cells, b" ", out, |set, out| out.extend(set.iter().map(character)));
        }
        CellNotation::Marks => {
            for set in cells {
                out.extend((0..side).map(|digit| if set.contains(digit) { character(digit) } else { b'.' }));
            }
        }
        // Using the table avoids a branch that processors could not predict.
        CellNotation::Single => out.extend(cells.iter().map(|set| {
            let half = if set.0.is_power_of_two() { 0 } else { 64 };
            characters[half + set.0.trailing_zeros() as usize % 64]
        })),
        CellNotation::Mask => out.extend(cells.iter().map(|set| b'0' + u8::from(set.single().is_none()))),
    }
}

/// Appends the items of a list, each as `write` writes it, with `separator` between them.
pub(super) fn write_list<T>(
    items: impl IntoIterator<Item = T>,
    separator: &[u8],
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    for (place, item) in items.into_iter().enumerate() {
        out.extend_from_slice(if place > 0 { separator } else { b"" });
        write(item, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_notation_shows_the_same_digits() {
        let set = |digits: &[usize]| DigitSet(digits.iter().map(|digit| 1 << digit).sum());
        let mut cells = vec![set(&[0]); 16];
        (cells[1], cells[15]) = (set(&[1, 3]), set(&[2]));
        let text = |notation| {
            let mut out = Vec::new();
            write(&cells, Symbols::DEFAULT, notation, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(CellNotation::Groups), "1 24 1 1 1 1 1 1 1 1 1 1 1 1 1 3");
        assert!(text(CellNotation::Marks).starts_with("1....2.41..."));
        assert_eq!(text(CellNotation::Single), "1.11111111111113");
        assert_eq!(text(CellNotation::Mask), "0100000000000000");
    }
}
