//! Writes records as lines, for commands that select records from sources without columns.
//!
//! A record that is a line or a grid of several lines is written unchanged. Records of other sources are
//! converted.

use crate::input::{Body, Layout, Role, beside};
use quadrille_model::{Loss, ProblemRef};

use super::columns::InputColumns;
use super::convert::is_tail;
use super::json::write_on_one_line;
use super::{Field, Formatter, Lose, Notation, OutputOptions, Row};

/// Writes selected records if the first source has lines or grids, without names of columns.
///
/// Grids of several lines are each followed by an empty line. A record of a source with columns becomes a
/// line with its puzzle, rules and id.
pub(super) struct InputLines(InputColumns);

impl InputLines {
    pub(super) fn new(options: &OutputOptions) -> Self {
        InputLines(InputColumns::new(options, false))
    }
}

/// Returns true if the output line of a record is the whole text of the record.
///
/// This is the case if the record is invalid. It is also the case if its puzzle is a JSON list, or a JSON
/// string with escapes.
fn is_whole(row: &Row<'_>) -> bool {
    let puzzle = row.record.puzzle;
    let is_object = row.layout.members.is_some() && puzzle == row.record.text;
    matches!(row.record.body, Body::Invalid(_)) || puzzle.is_empty() || is_object
}

impl Formatter for InputLines {
    fn columns(&self) -> Option<&InputColumns> {
        Some(&self.0)
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let (text, puzzle) = (row.record.text.slice(row.bytes), row.record.puzzle.slice(row.bytes));
        let is_skipped = matches!(row.record.body, Body::Skipped);
        let is_of_columns =
            row.layout.csv.is_some() || row.layout.members.is_some() || row.layout.format.is_table();
        if !is_of_columns || is_skipped || is_whole(row) {
            write_text(row, out);
            if is_tall(text) && !is_of_columns && !is_skipped {
                out.push(b'\n');
            }
            return;
        }
        out.extend_from_slice(puzzle);
        if let Some(ProblemRef::Puzzle(puzzle)) = row.problem
            && let Some(rules) = puzzle.rules()
        {
            out.push(b'\t');
            out.extend_from_slice(rules.text().as_bytes());
        }
        let mut id = Vec::new();
        Field::Id.value(row).write(&mut id);
        if is_tail(&id) {
            out.push(b'\t');
            out.extend_from_slice(&id);
        }
        out.push(b'\n');
    }

    fn may_lose(&self, layout: &Layout) -> bool {
        layout.has_columns()
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        if is_whole(row) {
            return;
        }
        self.0.losses(row, lose);
        // An id that could be read as part of the puzzle cannot follow the puzzle on its line, so it is lost.
        let columns = self.0.first(row.layout).columns_of(row.layout);
        for field in beside(row.layout, &columns, row.record, row.bytes) {
            let text = field.value.text().unwrap_or_default();
            if field.role == Role::Id && !text.is_empty() && !is_tail(&text) {
                lose(Loss::Ids, &field.name);
            }
        }
    }

    fn notation(&self, _: &Layout, record: &[u8]) -> Notation {
        if is_tall(record) { Notation::Above } else { Notation::Tab }
    }
}

/// Writes the text of a record as it was read and a line feed. A JSON object is put on one line.
pub(super) fn write_text(row: &Row<'_>, out: &mut Vec<u8>) {
    let text = row.record.text.slice(row.bytes);
    match row.layout.members.is_some() && is_tall(text) {
        true => write_on_one_line(text, out),
        false => out.extend_from_slice(text),
    }
    out.push(b'\n');
}

/// Returns true if the text of a record has several lines.
fn is_tall(text: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', text).is_some()
}
