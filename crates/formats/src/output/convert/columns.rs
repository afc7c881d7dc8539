//! Records as columns and as JSON objects: those of the input in their places, the puzzle and its solution written anew.
//!
//! The columns of CSV and tables are those of the first source. Values of other sources go where a column has the same role or
//! name; what finds no column is a loss. JSON objects have what their own record has.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::puzzle::grid_and_rules;
use super::{Conversion, given_text, has_given, is_broken};
use crate::input::{Beside, Column, Dialect, Given, Layout, Role, beside, header_of};
use crate::output::csv::write_record;
use crate::output::first_source::First;
use crate::output::jsonl::write_json;
use crate::output::{Formatter, Row};
use quadrille_model::{Loss, Losses};

/// What CSV and tables share.
struct Columns {
    conversion: Conversion,
    first: OnceLock<First>,
    /// Values are text in UTF-8.
    is_utf8: bool,
}

impl Columns {
    fn new(conversion: Conversion, is_utf8: bool) -> Self {
        Columns { conversion, first: OnceLock::new(), is_utf8 }
    }

    fn first(&self, layout: &Layout) -> &First {
        self.first.get_or_init(|| First::of(layout, self.conversion.bare, self.is_utf8))
    }

    /// Calls with each column of a row, in order, and its value.
    fn each(&self, row: &Row<'_>, mut take: impl FnMut(&Column, Option<&[u8]>)) {
        let first = self.first(row.layout);
        let source = first.source_of(row);
        let fields = if self.conversion.bare {
            Vec::new()
        } else {
            beside(row.layout, &source, row.record, row.bytes)
        };
        let is_same = fields.len() == first.columns.len() && matches!(source, Cow::Borrowed(_));
        let is_same = is_same && row.layout.members.is_none();
        let mut given = Vec::new();
        let text = row.converted.map(|(text, _)| text);
        // Without a column of their own they stand behind the grid.
        let has_rules = first.columns.iter().any(|column| column.role == Role::Rules);
        let (puzzle, rules) = match text.filter(|_| has_rules).map(grid_and_rules) {
            Some((grid, rules)) => (Some(grid), rules),
            None => (text, None),
        };
        for (place, column) in first.columns.iter().enumerate() {
            let written = match column.role {
                Role::Puzzle => Some(puzzle),
                Role::Rules => Some(rules),
                Role::Regions => Some(None),
                Role::Solution | Role::Id | Role::Other => None,
            };
            if let Some(value) = written {
                take(column, value);
                continue;
            }
            if column.role == Role::Solution && given_text(&self.conversion, row, &mut given) {
                take(column, Some(&given));
                continue;
            }
            let field = match is_same {
                true => fields.get(place),
                false => fields.iter().find(|field| first.place_of(field) == Some(place)),
            };
            let value = field.and_then(|field| field.value.text());
            take(column, value.as_deref());
        }
    }

    fn losses(&self, row: &Row<'_>) -> Losses {
        let mut lost = Losses::default();
        if self.conversion.bare {
            return lost;
        }
        let first = self.first(row.layout);
        let source = first.source_of(row);
        let has = |role: Role| first.columns.iter().any(|column| column.role == role);
        lost.add_if(Loss::Columns, row.layout.table.as_ref().is_some_and(|table| table.has_others));
        lost.add_if(Loss::Solutions, has_given(row) && !has(Role::Solution));
        // A table keeps no text of a solution that cannot be read.
        let is_unread = matches!(row.record.given, Given::Unreadable(_));
        lost.add_if(Loss::Solutions, is_unread && row.layout.table.is_some());
        if row.layout.csv.is_some() && matches!(source, Cow::Borrowed(_)) && !self.is_utf8 {
            return lost;
        }
        for field in beside(row.layout, &source, row.record, row.bytes) {
            let loss = match field.role {
                Role::Id => Loss::Ids,
                Role::Other => Loss::Columns,
                Role::Puzzle | Role::Solution | Role::Rules | Role::Regions => continue,
            };
            lost.add_if(loss, !field.value.is_empty() && first.place_of(&field).is_none());
            lost.add_if(Loss::Bytes, self.is_utf8 && is_broken(&field));
        }
        lost
    }
}

/// Rows of CSV.
pub(crate) struct CsvRows {
    columns: Columns,
    delimiter: u8,
    header: bool,
}

impl CsvRows {
    pub(crate) fn new(conversion: Conversion, header: bool) -> Self {
        let delimiter = conversion.delimiter.unwrap_or(b',');
        CsvRows { columns: Columns::new(conversion, false), delimiter, header }
    }
}

impl Formatter for CsvRows {
    fn learn(&self, first: &Layout) {
        self.columns.first(first);
    }

    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if self.header {
            let columns = &self.columns.first(layout).columns;
            // Names are bytes of the input too, in no known encoding.
            match header_of(layout).filter(|names| names.len() == columns.len()) {
                Some(names) => write_record(names, self.delimiter, out),
                None => write_record(columns.iter().map(|column| &column.name), self.delimiter, out),
            }
        }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if row.converted.is_none() {
            return;
        }
        let dialect = Dialect { delimiter: self.delimiter, line_end: b'\n' };
        let (start, mut need_quotes) = (out.len(), false);
        self.columns.each(row, |_, value| {
            let value = value.unwrap_or_default();
            need_quotes |= dialect.needs_quotes(value);
            out.extend_from_slice(value);
            out.push(self.delimiter);
        });
        // A row of one empty field would be an empty line.
        if need_quotes || out.len() == start + 1 {
            out.truncate(start);
            let mut values = Vec::new();
            self.columns.each(row, |_, value| values.push(value.unwrap_or_default().to_vec()));
            return write_record(values, self.delimiter, out);
        }
        out.pop();
        out.push(b'\n');
    }

    fn losses(&self, row: &Row<'_>) -> Losses {
        self.columns.losses(row)
    }
}

/// Values for the columns of a table.
pub(crate) struct TableRows(Columns);

impl TableRows {
    pub(crate) fn new(conversion: Conversion) -> Self {
        TableRows(Columns::new(conversion, true))
    }

    /// Learns of the first source.
    pub(crate) fn learn(&self, first: &Layout) {
        self.0.first(first);
    }

    /// The names of the columns, no two alike.
    pub(crate) fn names(&self, layout: &Layout) -> Vec<String> {
        self.0.first(layout).columns.iter().map(|column| column.name.clone()).collect()
    }

    /// Calls with each value of a row, in the order of the columns.
    pub(crate) fn values(&self, row: &Row<'_>, mut take: impl FnMut(Option<&[u8]>)) {
        self.0.each(row, |_, value| take(value));
    }

    pub(crate) fn losses(&self, row: &Row<'_>) -> Losses {
        self.0.losses(row)
    }
}

/// JSON objects, one a line.
pub(crate) struct JsonRows {
    conversion: Conversion,
    /// The first source's layout and columns.
    first: OnceLock<First>,
}

impl JsonRows {
    pub(crate) fn new(conversion: Conversion) -> Self {
        JsonRows { conversion, first: OnceLock::new() }
    }
}

impl Formatter for JsonRows {
    fn learn(&self, first: &Layout) {
        self.first.get_or_init(|| First::of(first, false, true));
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let Some((puzzle, _)) = row.converted else { return };
        let first = self.first.get_or_init(|| First::of(row.layout, false, true));
        let source = first.source_of(row);
        let mut given = Vec::new();
        let given = given_text(&self.conversion, row, &mut given).then_some(given);
        let (puzzle, rules) = grid_and_rules(puzzle);
        let mut any = false;
        let mut member = |name: &str, out: &mut Vec<u8>| {
            out.push(if std::mem::replace(&mut any, true) { b',' } else { b'{' });
            write_json(name, out);
            out.push(b':');
        };
        for field in beside(row.layout, &source, row.record, row.bytes) {
            match (field.role, &field.value) {
                (Role::Puzzle, _) => {
                    member(&field.name, out);
                    write_json(&*String::from_utf8_lossy(puzzle), out);
                    if let Some(rules) = rules {
                        member("rules", out);
                        write_json(&*String::from_utf8_lossy(rules), out);
                    }
                }
                // Both are among the rules that were just written.
                (Role::Rules | Role::Regions, _) => {}
                _ if self.conversion.bare => {}
                (Role::Solution, _) if given.is_some() => {
                    member(&field.name, out);
                    write_json(&*String::from_utf8_lossy(given.as_deref().unwrap_or_default()), out);
                }
                (_, Beside::Missing) => {}
                (_, Beside::Text(text)) => {
                    member(&field.name, out);
                    write_json(&*String::from_utf8_lossy(text), out);
                }
                (_, Beside::Json(json)) => {
                    member(&field.name, out);
                    out.extend_from_slice(json.as_bytes());
                }
            }
        }
        out.extend_from_slice(b"}\n");
    }

    fn losses(&self, row: &Row<'_>) -> Losses {
        let mut lost = Losses::default();
        if self.conversion.bare {
            return lost;
        }
        let first = self.first.get_or_init(|| First::of(row.layout, false, true));
        let source = first.source_of(row);
        lost.add_if(Loss::Columns, row.layout.table.as_ref().is_some_and(|table| table.has_others));
        let is_unread = matches!(row.record.given, Given::Unreadable(_));
        lost.add_if(Loss::Solutions, is_unread && row.layout.table.is_some());
        let fields = beside(row.layout, &source, row.record, row.bytes);
        lost.add_if(Loss::Bytes, fields.iter().any(is_broken));
        lost
    }
}
