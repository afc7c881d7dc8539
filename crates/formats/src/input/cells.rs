//! Translates the characters of a grid into codes. There are codes for digits, for empty cells, and for the
//! marks that UVA problem 1461 uses.

use quadrille_model::{Alphabet, Reason, Symbols, shown};

/// Code of an empty cell.
///
/// This code and all larger codes mean something other than a digit. Smaller codes are the 0-based indices of
/// digits.
pub(super) const FREE: u8 = 0x40;
pub(super) const EVEN: u8 = 0x41;
pub(super) const ODD: u8 = 0x42;
/// Code of a letter that names a group of cells with the same digit.
pub(super) const LETTER: u8 = 0x43;
pub(super) const BAD: u8 = 0xff;

/// Characters that mean an empty cell. `0` means an empty cell only in grids in which 0 is not a digit.
pub(super) const BLANKS: &[u8] = b".0*_-?";

/// Returns true if a text has at least one letter, or at least one digit other than zero.
pub(super) fn has_clues(text: &[u8]) -> bool {
    text.iter().any(|byte| byte.is_ascii_alphanumeric() && *byte != b'0')
}

/// The settings that determine what each character means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CharMap {
    pub(super) side: usize,
    pub(super) alphabet: Alphabet,
    /// True if lower-case letters are marks (for even, odd or equal digits) instead of digits.
    pub(super) marks: bool,
    pub(super) blank: Option<u8>,
}

impl CharMap {
    /// Returns the code of every byte: a 0-based digit, or one of the constants of this module.
    pub(super) fn table(self) -> [u8; 256] {
        let symbols = Symbols { alphabet: self.alphabet, lower_case: false };
        let mut table = [BAD; 256];
        for (byte, code) in (0..=255u8).zip(&mut table) {
            let digit = symbols.digit_of(byte, self.side);
            *code = match byte {
                _ if self.blank == Some(byte) => FREE,
                b'e' if self.marks => EVEN,
                b'o' if self.marks => ODD,
                b'a'..=b'z' if self.marks => LETTER,
                _ if digit.is_some() => digit.map_or(BAD, |digit| digit as u8),
                _ if BLANKS.contains(&byte) => FREE,
                _ => BAD,
            };
        }
        table
    }
}

/// The way in which the cells of a grid are written, used in messages about cells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arrangement {
    /// All cells on one line. Holds the 1-based column of the first cell.
    Line(usize),
    /// One row per line.
    Rows,
}

impl Arrangement {
    /// Returns the position of a cell as text for a message, such as `row 2 column 5`. The grid has `side`
    /// rows.
    pub(super) fn name(self, cell: usize, side: usize) -> String {
        match self {
            Arrangement::Line(first) => format!("column {}", first + cell),
            Arrangement::Rows => format!("row {} column {}", cell / side + 1, cell % side + 1),
        }
    }

    /// Returns the noun to write after a count of cells in a message: `character` or `cell`, or one of their
    /// plurals.
    pub(super) fn noun(self, count: usize) -> &'static str {
        match (self, count) {
            (Arrangement::Line(_), 1) => "character",
            (Arrangement::Line(_), _) => "characters",
            (Arrangement::Rows, 1) => "cell",
            (Arrangement::Rows, _) => "cells",
        }
    }
}

/// Returns the first character of `bytes` and its length in bytes, or `None` if `bytes` does not start with
/// valid UTF-8.
pub(super) fn decoded(bytes: &[u8]) -> Option<(char, usize)> {
    let first = bytes[..bytes.len().min(4)].utf8_chunks().next()?.valid().chars().next()?;
    Some((first, first.len_utf8()))
}

/// Describes the character at a byte offset in a form that the user can search for.
pub(super) fn describe(text: &[u8], at: usize) -> String {
    let character = decoded(&text[at..]).map(|(character, _)| character);
    match character.map(|character| (character, shown::is_unseen(character), u32::from(character))) {
        Some((character, false, _)) => format!("character '{character}'"),
        Some((_, _, code)) => match CONTROLS.get(code as usize).or((code == 0x7f).then_some(&"DEL")) {
            Some(name) => format!("U+{code:04X} ({name})"),
            None => format!("U+{code:04X}"),
        },
        None => format!("byte 0x{:02x}", text[at]),
    }
}

/// Names of the ASCII control characters, in order of their codes.
const CONTROLS: [&str; 32] = [
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS",
    "US",
];

/// Returns the reason why a record is invalid if one of its characters is not a digit.
pub(super) fn bad_character(text: &[u8], at: usize, place: &str, side: usize) -> Reason {
    format!("{} in {place} is not a digit of a {side}x{side}", describe(text, at)).into()
}

/// Largest side length of a grid in which each digit can be written as one character.
const MAX_SIDE_OF_NUMBERS: usize = Alphabet::FromOne.largest_side();

/// The number that means an empty cell in a list in which 0 may be a digit.
pub(super) const EMPTY: i128 = -1;

/// Appends a list of numbers as the characters of a grid. [`EMPTY`] becomes `.`.
///
/// # Errors
/// Returns the reason if the numbers are not a grid. In that case, appends nothing.
pub(super) fn write_numbers(numbers: &[i128], out: &mut Vec<u8>) -> Result<(), String> {
    let side = numbers.len().isqrt();
    if side * side != numbers.len() {
        return Err(format!("{} numbers: no grid has this many cells", numbers.len()));
    }
    if side > MAX_SIDE_OF_NUMBERS {
        return Err(format!("a list of numbers has side {side} (maximum: {MAX_SIDE_OF_NUMBERS})"));
    }
    let start = out.len();
    for (cell, &number) in numbers.iter().enumerate() {
        // In every alphabet that begins with digits, the numbers up to 9 are written as digits. Larger
        // numbers are written as letters.
        let character = match usize::try_from(number) {
            Ok(0) => Some(b'0'),
            Ok(digit) if digit <= side => Symbols::DEFAULT.character(digit - 1),
            _ => (number == EMPTY).then_some(b'.'),
        };
        let Some(character) = character else {
            out.truncate(start);
            return Err(format!("{number} in cell {} is not a digit of a {side}x{side}", cell + 1));
        };
        out.push(character);
    }
    Ok(())
}

/// Returns the number of characters in a text, or the number of bytes if the text is not valid UTF-8.
pub(super) fn characters(text: &[u8]) -> usize {
    std::str::from_utf8(text).map_or(text.len(), |text| text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(byte: u8, side: usize, alphabet: Alphabet, marks: bool) -> u8 {
        CharMap { side, alphabet, marks, blank: Some(b'x') }.table()[byte as usize]
    }

    #[test]
    fn the_alphabet_decides_what_a_character_means() {
        use Alphabet::{FromOne, FromZero, Letters};
        assert_eq!(code(b'1', 9, FromOne, true), 0);
        assert_eq!(code(b'0', 9, FromOne, true), FREE);
        assert_eq!(code(b'e', 9, FromOne, true), EVEN);
        assert_eq!(code(b'o', 9, FromOne, true), ODD);
        assert_eq!(code(b'z', 9, FromOne, true), LETTER);
        assert_eq!(code(b'x', 9, FromOne, true), FREE);
        assert_eq!(code(b'Z', 9, FromOne, true), BAD);
        assert_eq!(code(b'G', 16, FromOne, false), 15);
        assert_eq!(code(b'g', 16, FromOne, false), 15);
        assert_eq!(code(b'H', 16, FromOne, false), BAD);
        assert_eq!(code(b'0', 16, FromZero, false), 0);
        assert_eq!(code(b'G', 16, FromZero, false), BAD);
        assert_eq!(code(b'A', 16, Letters, false), 0);
        assert_eq!(code(b'1', 16, Letters, false), BAD);
        assert_eq!(code(b'0', 16, Letters, false), FREE);
    }

    #[test]
    fn characters_are_named_whole_and_other_bytes_in_hexadecimal() {
        assert_eq!(describe(b"ax", 1), "character 'x'");
        assert_eq!(describe("aé5".as_bytes(), 1), "character 'é'");
        assert_eq!(describe("é55555".as_bytes(), 0), "character 'é'");
        assert_eq!(describe("ééé".as_bytes(), 0), "character 'é'");
        assert_eq!(describe(b"\0", 0), "U+0000 (NUL)");
        assert_eq!(describe(b"\x07", 0), "U+0007 (BEL)");
        assert_eq!(describe(b"\x7f", 0), "U+007F (DEL)");
        assert_eq!(describe("\u{9b}".as_bytes(), 0), "U+009B");
        assert_eq!(describe(b"\xff\xfe", 0), "byte 0xff");
    }
}
