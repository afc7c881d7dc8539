//! Writes records of the input in another format.
//!
//! A [`Conversion`] says how a puzzle is written ([`puzzle`]). The other values of a record follow the puzzle on its
//! line, or go to columns of CSV and tables, or to members of JSON objects. [`Formatter::losses`] reports values that
//! the format cannot hold, so that nothing is lost silently.

mod puzzle;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use super::value::Value;
use super::{Field, Formatter, Lose, OutputFormat, Row};
use crate::input::{ColumnField, ColumnValue, GivenSolution, Layout, Role, beside};
use quadrille_model::{Alphabet, Error, Loss, Result};

use super::first_source::OutputColumns;
pub(super) use puzzle::{grid_and_rules, write_framed};

/// How the text of a puzzle is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PuzzleText {
    /// One character per cell, all on one line.
    Line,
    /// A 9x9 on one line, with nine characters per cell: its candidates.
    Pencilmarks,
    /// One line per row, and an empty line after each grid.
    Grid,
    /// Like [`Grid`](Self::Grid), with frames around the boxes.
    Framed,
    /// Like [`Grid`](Self::Grid), each after a line `[Puzzle]`.
    Sdk,
    /// One integer per cell, 0 for an empty cell.
    Integers,
    /// Like [`Framed`](Self::Framed), with the candidates of each cell.
    Candidates,
    /// A 9x9 as a line of HoDoKu's library.
    HoDoKu,
    /// A 9x9 as a game of OpenSudoku, in XML.
    OpenSudoku,
    /// The givens as a constraint string of Interactive Sudoku Solver.
    Iss,
    /// A value of a column: [`Line`](Self::Line) if that can hold the puzzle, otherwise
    /// [`Pencilmarks`](Self::Pencilmarks).
    Field,
}

/// How records are written in another format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// Name of the format, for messages.
    pub name: &'static str,
    /// How puzzles are written.
    pub text: PuzzleText,
    /// Character for an empty cell.
    pub empty: u8,
    /// Alphabet of the digits; `None` keeps that of the input.
    pub digits: Option<Alphabet>,
    /// Byte between fields or integers; `None` means a comma or a blank.
    pub delimiter: Option<u8>,
    /// True if lower-case letters are marks, as in the input options; `None` means up to side 9 only.
    pub marks: Option<bool>,
    /// True if only puzzles are written, without the other values of records.
    pub bare: bool,
    /// True if parts that the format cannot hold are dropped, even if that changes the puzzle.
    pub lossy: bool,
    /// Reserved for new fields: create values with `..`, as in `Conversion { bare: true, ..Conversion::new(name, text) }`.
    #[doc(hidden)]
    pub _more: (),
}

/// Characters that can be written for an empty cell.
pub const EMPTY_CELLS: &[u8] = b".0*_-?";

impl Conversion {
    /// Creates the conversion to the format with this name; everything else has its default.
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

    /// Checks everything that can be checked before reading.
    ///
    /// # Errors
    /// Returns a usage error if the format does not support the character, alphabet or delimiter.
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

    /// Returns the options as the user would type them.
    pub fn words(&self) -> String {
        // The other texts are formats of their own, which `--to` names.
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

/// Formatter for puzzles as text on lines of their own.
pub(super) struct Lines {
    conversion: Conversion,
    /// The program's values after those of the record.
    fields: Vec<Field>,
    first: OnceLock<OutputColumns>,
}

impl Lines {
    pub(super) fn new(conversion: Conversion, fields: Vec<Field>) -> Self {
        Lines { conversion, fields, first: OnceLock::new() }
    }

    /// Returns true if the format has a place for ids.
    fn has_ids(&self) -> bool {
        matches!(self.conversion.text, PuzzleText::Line | PuzzleText::Pencilmarks | PuzzleText::Field)
    }

    /// Calls `take` with role, name and value of each column of a row.
    ///
    /// Without columns, `take` is called once, with the id.
    fn each(&self, row: &Row<'_>, mut take: impl FnMut(Role, &str, &[u8])) {
        if row.layout.csv.is_none() && row.layout.members.is_none() {
            return take(Role::Id, "", row.record.id.slice(row.bytes));
        }
        let first = self.first.get_or_init(|| OutputColumns::new(row.layout, false, true));
        for field in beside(row.layout, &first.columns_of(row.layout), row.record, row.bytes) {
            take(field.role, &field.name, &field.value.text().unwrap_or_default());
        }
    }
}

impl Formatter for Lines {
    fn begin(&self, _: &Layout, out: &mut Vec<u8>) {
        if self.conversion.text == PuzzleText::OpenSudoku {
            out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opensudoku>\n");
        }
    }

    fn end(&self, out: &mut Vec<u8>) {
        if self.conversion.text == PuzzleText::OpenSudoku {
            out.extend_from_slice(b"</opensudoku>\n");
        }
    }

    fn learn(&self, first: &Layout) {
        self.first.get_or_init(|| OutputColumns::new(first, false, true));
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let Some((text, _)) = row.converted else {
            // A line of the input that is not a record.
            return out.push(b'\n');
        };
        if self.conversion.text == PuzzleText::Sdk {
            out.extend_from_slice(b"[Puzzle]\n");
        }
        out.extend_from_slice(text);
        if !self.conversion.bare && self.has_ids() {
            self.each(row, |role, _, id| {
                if role == Role::Id && is_tail(id) {
                    out.push(b'\t');
                    out.extend_from_slice(id);
                }
            });
        }
        for field in &self.fields {
            out.push(b'\t');
            field.value(row).write_in_line(out);
        }
        out.push(b'\n');
    }

    fn may_lose(&self, _: &Layout) -> bool {
        !self.conversion.bare
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        self.each(row, |role, name, value| match role {
            _ if value.is_empty() => {}
            Role::Id if !(self.has_ids() && is_tail(value)) => lose(Loss::Ids, name),
            Role::Other => lose(Loss::Columns, name),
            _ => {}
        });
        if has_given(row) {
            lose(Loss::Solutions, "");
        }
        if row.layout.table.as_ref().is_some_and(|table| table.has_others) {
            lose(Loss::Columns, "");
        }
    }
}

/// Returns true if a record has a given solution, readable or not.
pub(super) fn has_given(row: &Row<'_>) -> bool {
    matches!(row.record.given, GivenSolution::Digits(_) | GivenSolution::Unreadable(_))
}

/// Returns true if text after a puzzle on a line would be read back unchanged.
pub(super) fn is_tail(text: &[u8]) -> bool {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0x1a);
    let (Some(&first), Some(&last)) = (text.first(), text.last()) else { return false };
    !is_blank(first)
        && !is_blank(last)
        && !matches!(first, b',' | b';' | b'|' | b'#')
        && memchr::memchr2(b'\n', b'\r', text).is_none()
}

/// Appends a given solution in the symbols of the converted puzzle. Returns false if no solution was read.
pub(super) fn given_text(conversion: &Conversion, row: &Row<'_>, out: &mut Vec<u8>) -> bool {
    let Some(digits) = row.given else { return false };
    Value::Digits(digits, conversion.symbols(row.record.symbols)).write(out);
    true
}

/// Returns true if a value is a given solution without text: a list that is not a grid.
pub(super) fn is_bad_list(row: &Row<'_>, field: &ColumnField<'_>) -> bool {
    field.role == Role::Solution
        && field.value.is_empty()
        && matches!(row.record.given, GivenSolution::Unreadable(_))
}

/// Returns true if a value or the name of its column is not valid UTF-8.
pub(super) fn is_broken(field: &ColumnField<'_>) -> bool {
    let is_text = |text: &[u8]| std::str::from_utf8(text).is_ok();
    field.name.contains(char::REPLACEMENT_CHARACTER)
        || matches!(&field.value, ColumnValue::Text(text) if !is_text(text))
}
