//! Writes records of the input in another format.
//!
//! A [`Conversion`] defines how a puzzle is written ([`puzzle`]). The other values of a record follow on the
//! puzzle's line, or become columns of CSV and tables or members of JSON objects. [`Formatter::losses`](super::Formatter::losses)
//! reports values that the format cannot represent, so that nothing is lost silently.

mod puzzle;
#[cfg(test)]
mod tests;

use super::value::Value;
use super::{OutputFormat, Row};
use crate::input::{ColumnField, ColumnValue, GivenSolution, Role};
use quadrille_model::{Alphabet, Error, Result};

pub(super) use puzzle::{grid_and_rules, write_framed};

/// Form in which the text of a puzzle is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PuzzleText {
    /// One character per cell, all on one line.
    Line,
    /// The candidates of a 9x9 grid on one line, with nine characters per cell.
    Pencilmarks,
    /// One line per row, and an empty line after each grid.
    Grid,
    /// Like [`Grid`](Self::Grid), with frames around the boxes.
    Framed,
    /// Like [`Grid`](Self::Grid), with a line `[Puzzle]` before each grid.
    Sdk,
    /// One integer per cell, 0 for an empty cell.
    Integers,
    /// Like [`Framed`](Self::Framed), but with the candidates of each cell instead of its digit.
    Candidates,
    /// One line for a 9x9 grid, in the format of HoDoKu's library.
    HoDoKu,
    /// A 9x9 grid as a game of OpenSudoku, in XML.
    OpenSudoku,
    /// The givens as a constraint string of Interactive Sudoku Solver.
    Iss,
    /// The value of a column. It has the form of [`Line`](Self::Line) if this form can hold the puzzle,
    /// otherwise the form of [`Pencilmarks`](Self::Pencilmarks).
    Field,
}

/// Format to which records are converted, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// Name of the format in messages.
    pub name: &'static str,
    /// How puzzles are written.
    pub text: PuzzleText,
    /// Character for an empty cell.
    pub empty: u8,
    /// Alphabet of the digits, or `None` to keep the alphabet of the input.
    pub digits: Option<Alphabet>,
    /// Byte between columns or integers. `None` means a comma between columns and a blank between integers.
    pub delimiter: Option<u8>,
    /// True if lower-case letters are marks (even, odd or same digit), as in the input options. `None` means
    /// that they are marks up to side length 9.
    pub marks: Option<bool>,
    /// True if only puzzles are written, without the other values of a record.
    pub bare: bool,
    /// True if parts that the format cannot represent are dropped, even if this changes the puzzle.
    pub lossy: bool,
    /// Reserved for new fields. Create values with `..`, as in `Conversion { bare: true,
    /// ..Conversion::new(name, text) }`.
    #[doc(hidden)]
    pub _more: (),
}

/// Characters that can be written for an empty cell.
pub const EMPTY_CELLS: &[u8] = b".0*_-?";

impl Conversion {
    /// Creates the conversion to the named format, with default values for all other options.
    pub const fn new(name: &'static str, text: PuzzleText) -> Self {
        Conversion {
            name,
            text,
            empty: b'.',
            digits: None,
            delimiter: None,
            marks: None,
            bare: false,
            lossy: false,
            _more: (),
        }
    }

    /// Checks the options as far as possible before anything is read.
    ///
    /// # Errors
    /// Returns a usage error if the format does not support the character for empty cells, the alphabet or
    /// the delimiter.
    pub fn validate(&self) -> Result<()> {
        let Conversion { name, text, empty, digits, delimiter, .. } = *self;
        let in_rows = matches!(text, PuzzleText::Grid | PuzzleText::Framed | PuzzleText::Sdk);
        let is_fixed = matches!(
            text,
            PuzzleText::Integers
                | PuzzleText::Iss
                | PuzzleText::Candidates
                | PuzzleText::HoDoKu
                | PuzzleText::OpenSudoku
        );
        let is_csv = name == OutputFormat::Csv.name();
        let delimiters: &[u8] = if text == PuzzleText::Integers { b" \t,;" } else { b",;\t|" };
        let cells = EMPTY_CELLS.escape_ascii().to_string().replace('\\', "");
        let shown = delimiter.map(|byte| char::from(byte).escape_default().to_string());
        let refusals = [
            (!EMPTY_CELLS.contains(&empty), format!("an empty cell must be one of {cells}")),
            (
                in_rows && empty == b'-',
                format!("{name}: a row of - would be read as a frame (choose another --to-blank)"),
            ),
            (
                is_fixed && (empty != b'.' || digits.is_some()),
                format!("{name} has its own digits: leave --to-blank and --to-symbols out"),
            ),
            (
                digits == Some(Alphabet::Integers),
                "integers are a format, not characters: use --to integers".to_owned(),
            ),
            (
                digits == Some(Alphabet::FromZero) && empty == b'0',
                "0 is a digit of 0-9A-Z (choose another --to-blank)".to_owned(),
            ),
            (
                digits.is_some() && text == PuzzleText::Pencilmarks,
                "pencilmarks always have the digits 1 to 9: leave --to-symbols out".to_owned(),
            ),
            (
                delimiter.is_some() && text != PuzzleText::Integers && !is_csv,
                format!("{name} has no delimiter (only csv and integers have)"),
            ),
            (
                delimiter.is_some_and(|byte| !delimiters.contains(&byte)),
                format!("{} cannot be the delimiter of {name}", shown.unwrap_or_default()),
            ),
        ];
        let refused = refusals.into_iter().find(|(is_refused, _)| *is_refused);
        refused.map_or(Ok(()), |(_, reason)| Err(Error::usage(reason)))
    }

    /// Returns the conversion's options as the user would type them on the command line.
    pub fn words(&self) -> String {
        // `Field` is not a format that `--to` accepts. The texts of all other variants are named after
        // `--to`.
        let mut text = match self.text {
            PuzzleText::Field => "convert".to_owned(),
            _ => format!("convert --to {}", self.name),
        };
        let delimiter = |byte| char::from(byte).escape_default().to_string().replace(' ', "blank");
        let words = [
            (self.empty != b'.').then(|| format!(" --to-blank {}", char::from(self.empty))),
            self.digits.map(|alphabet| format!(" --to-symbols {}", alphabet.word())),
            self.delimiter.map(|byte| format!(" --delimiter {}", delimiter(byte))),
            self.bare.then(|| " --bare".to_owned()),
            self.lossy.then(|| " --lossy".to_owned()),
        ];
        text.extend(words.into_iter().flatten());
        text
    }
}

/// Returns true if the record came with a given solution, even an unreadable one.
pub(super) fn has_given(row: &Row<'_>) -> bool {
    matches!(row.record.given, GivenSolution::Digits(_) | GivenSolution::Unreadable(_))
}

/// Returns true if `text`, written after a puzzle on the puzzle's line, would be read back unchanged.
pub(super) fn is_tail(text: &[u8]) -> bool {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0x1a);
    let (Some(&first), Some(&last)) = (text.first(), text.last()) else { return false };
    !is_blank(first)
        && !is_blank(last)
        && !matches!(first, b',' | b';' | b'|' | b'#')
        && memchr::memchr2(b'\n', b'\r', text).is_none()
}

/// Appends the given solution in the symbols of the converted puzzle.
///
/// Returns false, and appends nothing, if no given solution was read.
pub(super) fn given_text(conversion: &Conversion, row: &Row<'_>, out: &mut Vec<u8>) -> bool {
    let Some(digits) = row.given else { return false };
    Value::Digits(digits, conversion.symbols(row.record.symbols)).write(out);
    true
}

/// Returns true if the field is a given solution without text.
///
/// An example is a list that is not a grid.
pub(super) fn is_bad_list(row: &Row<'_>, field: &ColumnField<'_>) -> bool {
    field.role == Role::Solution
        && field.value.is_empty()
        && matches!(row.record.given, GivenSolution::Unreadable(_))
}

/// Returns true if the field's value or column name is not valid UTF-8.
pub(super) fn is_broken(field: &ColumnField<'_>) -> bool {
    let is_text = |text: &[u8]| std::str::from_utf8(text).is_ok();
    field.name.contains(char::REPLACEMENT_CHARACTER)
        || matches!(&field.value, ColumnValue::Text(text) if !is_text(text))
}
