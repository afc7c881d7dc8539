//! Writes records in the form that they have in the input, for commands that select records.
//!
//! The first source, such as the first input file, decides the form of all rows: CSV, JSON objects or lines.
//! Records from sources in another form are converted.

use crate::input::{Body, Format, Layout, Role, beside};
use quadrille_model::{Loss, ProblemRef};

use super::columns::InputColumns;
use super::convert::is_tail;
use super::csv::{write_all_columns, write_record};
use super::json::write_on_one_line;
use super::objects::Objects;
use super::{Field, Formatter, Lose, Notation, OutputOptions, Row};

/// Fields that a row can hold if it is a plain line, neither CSV nor a JSON object.
const OF_A_LINE: &[Field] = &[Field::Puzzle, Field::Id, Field::Rules];

/// Writes records of the input in the form of the first source.
///
/// The form is lines, CSV with a header, JSON objects, or grids of several lines with an empty line after
/// each grid.
pub(super) struct InputRows {
    header: bool,
    /// Names of the columns that [`Notation::append`](super::Notation::append) adds to finished rows.
    extra_columns: Vec<&'static str>,
    /// Columns of the first source if it is CSV. Otherwise, the fields in `OF_A_LINE`.
    columns: InputColumns,
    objects: Objects,
}

/// The form of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Columns,
    Objects,
    Lines,
}

impl Form {
    fn new(layout: &Layout) -> Self {
        match layout {
            Layout { csv: Some(_), .. } => Form::Columns,
            Layout { members: Some(_), .. } => Form::Objects,
            _ => Form::Lines,
        }
    }
}

impl InputRows {
    pub(super) fn new(options: &OutputOptions) -> Self {
        InputRows {
            header: !options.no_header,
            extra_columns: options.extra_columns.clone(),
            columns: InputColumns::new(options, OF_A_LINE, false),
            objects: Objects::new(options, Vec::new()),
        }
    }

    /// Returns the layout of the first source.
    ///
    /// On the first call, `layout` must be that layout.
    fn first(&self, layout: &Layout) -> &Layout {
        &self.columns.first(layout).layout
    }

    /// Converts a row to the form of the first source and writes it.
    fn write_other(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let first = self.first(row.layout);
        match (Form::new(first), &first.csv) {
            (_, Some(csv)) => {
                let mut values = Vec::new();
                self.columns.each(row, |_, value| values.push(value.unwrap_or_default().to_vec()));
                write_record(values, csv.delimiter, out);
            }
            (Form::Objects, None) => {
                self.objects.write(row, out);
                out.extend_from_slice(b"}\n");
            }
            (Form::Columns | Form::Lines, None) => write_line(row, out),
        }
    }

    /// Returns true if a row already has the form of the output, so that it can be written unchanged.
    fn is_alike(&self, row: &Row<'_>) -> bool {
        let first = self.first(row.layout);
        match (Form::new(first), Form::new(row.layout)) {
            (Form::Columns, Form::Columns) => self.columns.first(row.layout).is_alike(row.layout),
            (Form::Objects, Form::Objects) => !self.objects.has_name_behind(row),
            (Form::Lines, Form::Lines) => !row.layout.format.is_table(),
            _ => false,
        }
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

/// Writes a record from a source with columns as a line with its puzzle, rules and id.
fn write_line(row: &Row<'_>, out: &mut Vec<u8>) {
    let puzzle = row.record.puzzle.slice(row.bytes);
    if is_whole(row) {
        write_text(row, out);
        return out.push(b'\n');
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

impl Formatter for InputRows {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if let Some(csv) = &layout.csv
            && let Some(header) = csv.header.as_ref().filter(|_| self.header)
        {
            out.extend_from_slice(header);
            for name in self.columns.first(layout).names_of_ours(self.extra_columns.iter().copied()) {
                out.push(csv.delimiter);
                out.extend_from_slice(name.as_bytes());
            }
            out.push(b'\n');
        }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let is_skipped = matches!(row.record.body, Body::Skipped);
        if !is_skipped && !self.is_alike(row) {
            return self.write_other(row, out);
        }
        let text = row.record.text.slice(row.bytes);
        if let (Some(_), Body::Invalid(_)) = (&row.layout.csv, &row.record.body)
            && !self.extra_columns.is_empty()
        {
            return write_all_columns(text, row.layout.column_count(), row.layout.dialect(), out);
        }
        write_text(row, out);
        out.push(b'\n');
        if is_tall(text) && !is_skipped && row.layout.csv.is_none() && row.layout.members.is_none() {
            out.push(b'\n');
        }
    }

    fn learn(&self, first: &Layout) {
        self.columns.first(first);
        self.objects.first(first);
    }

    fn may_lose(&self, layout: &Layout) -> bool {
        match Form::new(self.first(layout)) {
            Form::Columns => self.columns.may_lose(layout),
            Form::Objects => true,
            Form::Lines => layout.has_columns(),
        }
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        match Form::new(self.first(row.layout)) {
            Form::Columns => self.columns.losses(row, lose),
            Form::Objects if self.is_alike(row) => {}
            Form::Objects => self.objects.losses(row, lose),
            Form::Lines if is_whole(row) => {}
            Form::Lines => {
                self.columns.losses(row, lose);
                // An id that could be read as part of the puzzle cannot follow the puzzle on its line, so it
                // is lost.
                let columns = self.columns.first(row.layout).columns_of(row.layout);
                for field in beside(row.layout, &columns, row.record, row.bytes) {
                    let text = field.value.text().unwrap_or_default();
                    if field.role == Role::Id && !text.is_empty() && !is_tail(&text) {
                        lose(Loss::Ids, &field.name);
                    }
                }
            }
        }
    }

    fn notation(&self, layout: &Layout, record: &[u8]) -> Notation {
        let first = self.first(layout);
        match (&first.csv, first.format) {
            (Some(csv), _) => Notation::Delimiter(csv.delimiter),
            (None, Format::Jsonl) => self.objects.notation(layout),
            _ if is_tall(record) => Notation::Above,
            _ => Notation::Tab,
        }
    }
}

/// Writes the text of a record as it was read, except that a JSON object is put on one line.
fn write_text(row: &Row<'_>, out: &mut Vec<u8>) {
    let text = row.record.text.slice(row.bytes);
    match row.layout.members.is_some() && is_tall(text) {
        true => write_on_one_line(text, out),
        false => out.extend_from_slice(text),
    }
}

/// Returns true if the text of a record has several lines.
fn is_tall(text: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', text).is_some()
}
