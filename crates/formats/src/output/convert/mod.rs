//! Records as they stand in the input, in another format.
//!
//! A [`Conversion`] says how a puzzle is written ([`puzzle`]); what stands beside it goes where the format has a place: behind the
//! puzzle on a line, into columns of CSV and tables, into members of JSON objects, as for all other verbs. What has none is told by
//! [`Formatter::losses`], so that nothing is lost in silence.

mod puzzle;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use super::value::Value;
use super::{Formatter, Lose, OutputFormat, Row};
use crate::input::{Beside, BesideField, Given, Layout, Role, beside};
use quadrille_model::{Alphabet, Loss};
use quadrille_model::{Error, Result};

use super::first_source::First;
pub(super) use puzzle::grid_and_rules;

/// The ways in which the text of a puzzle is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PuzzleText {
    /// A character a cell, on one line.
    Line,
    /// Nine characters a cell of a 9x9, its candidates, on one line.
    Pencilmarks,
    /// A row of the grid a line, an empty line behind each grid.
    Grid,
    /// The same with frames around the boxes.
    Framed,
    /// As [`Grid`](Self::Grid), each under a line `[Puzzle]`.
    Sdk,
    /// An integer a cell, 0 for an empty one.
    Integers,
    /// The givens as a constraint string of Interactive Sudoku Solver.
    Iss,
    /// A value of a column: as [`Line`](Self::Line), where that holds it, else as [`Pencilmarks`](Self::Pencilmarks).
    Field,
}

/// The way in which records are written in another format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// The format's name, for messages.
    pub name: &'static str,
    /// The text of puzzles.
    pub text: PuzzleText,
    /// The character of an empty cell.
    pub empty: u8,
    /// The alphabet of digits; `None` keeps the input's.
    pub digits: Option<Alphabet>,
    /// The byte between fields and between integers; `None` for comma and blank.
    pub delimiter: Option<u8>,
    /// Lower-case letters are marks, as for the input.
    pub marks: Option<bool>,
    /// Only puzzles are wanted, nothing that stands beside them.
    pub bare: bool,
    /// What the format has no place for is left out, also where that makes another puzzle of it.
    pub lossy: bool,
}

/// The characters that may stand for an empty cell.
pub const EMPTY_CELLS: &[u8] = b".0*_-?";

impl Conversion {
    /// The conversion to a format by its name, with the defaults of everything else.
    pub fn new(name: &'static str, text: PuzzleText) -> Self {
        Conversion {
            name,
            text,
            empty: b'.',
            digits: None,
            delimiter: None,
            marks: None,
            bare: false,
            lossy: false,
        }
    }

    /// Checks what can be checked before reading.
    ///
    /// # Errors
    /// A usage error: a character or an alphabet that the format does not have.
    pub fn validate(&self) -> Result<()> {
        let Conversion { name, empty, .. } = *self;
        let refuse = |reason: String| Err(Error::usage(reason));
        if !EMPTY_CELLS.contains(&empty) {
            return refuse(format!(
                "an empty cell is one of {}",
                EMPTY_CELLS.escape_ascii().to_string().replace('\\', "")
            ));
        }
        let in_rows = matches!(self.text, PuzzleText::Grid | PuzzleText::Framed | PuzzleText::Sdk);
        if in_rows && empty == b'-' {
            return refuse(format!("{name}: a row of - is a frame: name another --empty"));
        }
        let is_numbers = matches!(self.text, PuzzleText::Integers | PuzzleText::Iss);
        if is_numbers && (empty != b'.' || self.digits.is_some()) {
            return refuse(format!("{name} is written in numbers: leave --empty and --digits out"));
        }
        match self.digits {
            Some(Alphabet::Integers) => {
                return refuse("integers are a format: --output integers".to_owned());
            }
            Some(Alphabet::FromZero) if empty == b'0' => {
                return refuse("0 is a digit of 0-9A-Z: name another --empty".to_owned());
            }
            Some(_) if self.text == PuzzleText::Pencilmarks => {
                return refuse("pencilmarks have the digits 1 to 9: leave --digits out".to_owned());
            }
            _ => {}
        }
        let takes_delimiter = matches!(self.text, PuzzleText::Integers) || name == OutputFormat::Csv.name();
        if self.delimiter.is_some() && !takes_delimiter {
            return refuse(format!("{name} has no delimiter: that is for csv and integers"));
        }
        if let Some(delimiter) = self.delimiter {
            let fits = match self.text {
                PuzzleText::Integers => b" \t,;",
                _ => b",;\t|",
            };
            if !fits.contains(&delimiter) {
                return refuse(format!(
                    "{} is no delimiter of {name}",
                    char::from(delimiter).escape_default()
                ));
            }
        }
        Ok(())
    }

    /// The options as they are asked for on the command line.
    pub fn words(&self) -> String {
        // Of the others the format is an option of every run.
        let mut text = match self.text {
            PuzzleText::Field => "convert".to_owned(),
            _ => format!("convert --output {}", self.name),
        };
        let mut add = |name: &str, value: &str| {
            for word in [name, value].into_iter().filter(|word| !word.is_empty()) {
                text.push(' ');
                text.push_str(word);
            }
        };
        if self.empty != b'.' {
            add("--empty", &char::from(self.empty).to_string());
        }
        if let Some(alphabet) = self.digits {
            add("--digits", alphabet.word());
        }
        if let Some(delimiter) = self.delimiter {
            add("--delimiter", &char::from(delimiter).escape_default().to_string().replace(' ', "blank"));
        }
        if self.bare {
            add("--bare", "");
        }
        if self.lossy {
            add("--lossy", "");
        }
        text
    }
}

/// Puzzles as text, on lines of their own.
pub(super) struct Lines {
    conversion: Conversion,
    first: OnceLock<First>,
}

impl Lines {
    pub(super) fn new(conversion: Conversion) -> Self {
        Lines { conversion, first: OnceLock::new() }
    }

    /// True if the form has a place for ids.
    fn has_ids(&self) -> bool {
        matches!(self.conversion.text, PuzzleText::Line | PuzzleText::Pencilmarks)
    }

    /// Calls with the id of a row and the values of other columns, and their names.
    fn each(&self, row: &Row<'_>, mut take: impl FnMut(Role, &str, &[u8])) {
        if row.layout.csv.is_none() && row.layout.members.is_none() {
            return take(Role::Id, "", row.record.id.of(row.bytes));
        }
        let first = self.first.get_or_init(|| First::new(row.layout, false, true));
        for field in beside(row.layout, &first.columns_of(row.layout), row.record, row.bytes) {
            take(field.role, &field.name, &field.value.text().unwrap_or_default());
        }
    }
}

impl Formatter for Lines {
    fn learn(&self, first: &Layout) {
        self.first.get_or_init(|| First::new(first, false, true));
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let Some((text, _)) = row.converted else {
            // A line of the input that is no record.
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

/// True if a record has a given solution, readable or not.
pub(super) fn has_given(row: &Row<'_>) -> bool {
    matches!(row.record.given, Given::Digits(_) | Given::Unreadable(_))
}

/// True if text behind a puzzle on a line is read as it is.
pub(super) fn is_tail(text: &[u8]) -> bool {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0x1a);
    let (Some(&first), Some(&last)) = (text.first(), text.last()) else { return false };
    !is_blank(first)
        && !is_blank(last)
        && !matches!(first, b',' | b';' | b'|' | b'#')
        && memchr::memchr2(b'\n', b'\r', text).is_none()
}

/// The text of a given solution in the symbols in which the puzzle is written; `None` where none was read.
pub(super) fn given_text(conversion: &Conversion, row: &Row<'_>, out: &mut Vec<u8>) -> bool {
    let Some(digits) = row.given else { return false };
    Value::Digits(digits, conversion.symbols(row.record.symbols)).write(out);
    true
}

/// True if a value or its column's name is no UTF-8.
pub(super) fn is_broken(field: &BesideField<'_>) -> bool {
    let is_text = |text: &[u8]| std::str::from_utf8(text).is_ok();
    field.name.contains(char::REPLACEMENT_CHARACTER)
        || matches!(&field.value, Beside::Text(text) if !is_text(text))
}
