//! Writes the input's columns in rows of CSV and tables.
//!
//! The columns are those of the first source, such as the first input file. Values of other sources go to the
//! column with the same name or the same role. If there is no such column, the value is reported as lost. If
//! the first source has no columns, the output has only the program's own columns.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::convert::{Conversion, given_text, grid_and_rules, has_given, is_bad_list, is_broken};
use super::first_source::{OutputColumns, is_torn, plain_value};
use super::value::Value;
use super::verb::row_output;
use super::{Field, Lose, OutputFormat, OutputOptions, PlainOutput, Row, Verb};
use crate::input::{Column, Layout, Role, beside};
use quadrille_model::Loss;

/// Columns of the rows: those of the input, and the program's own.
pub struct InputColumns {
    /// How puzzles are rewritten, or `None` if they stay unchanged.
    pub(super) conversion: Option<Conversion>,
    verb: Verb,
    /// True if values must be UTF-8 text and column names must be unique.
    is_utf8: bool,
    /// The program's own columns that follow the columns of the input.
    pub(super) beside: Vec<Field>,
    /// The program's own columns that are written if the first source has no columns.
    pub(super) alone: Vec<Field>,
    /// True if columns of the input are copied to the output directly and are not part of rows.
    pub(super) passthrough: bool,
    /// True if the command selects records and the output is text. The selected records are then written as
    /// lines, or as CSV if the first source is CSV.
    is_kept: bool,
    /// True if the user chose which of the program's own columns are written.
    is_chosen: bool,
    /// True if the id is among the columns that the user chose.
    shows_ids: bool,
    first: OnceLock<OutputColumns>,
}

impl InputColumns {
    pub(super) fn new(options: &OutputOptions, is_utf8: bool) -> Self {
        let conversion = options.verb.conversion();
        InputColumns {
            conversion,
            verb: options.verb,
            is_utf8,
            beside: options.columns(true),
            alone: options.columns(false),
            passthrough: options.passthrough && !conversion.is_some_and(|conversion| conversion.bare),
            is_kept: options.verb == Verb::Keep && options.format == OutputFormat::Text,
            is_chosen: !options.fields.is_empty(),
            shows_ids: options.fields.contains(&Field::Id),
            first: OnceLock::new(),
        }
    }

    /// Returns true if only puzzles are written, without the other values of a record.
    pub(super) fn is_bare(&self) -> bool {
        self.conversion.is_some_and(|conversion| conversion.bare)
    }

    /// Returns the columns of the output, which are those of the first source.
    ///
    /// On the first call, `layout` must be the layout of the first source.
    pub(super) fn first(&self, layout: &Layout) -> &OutputColumns {
        self.first.get_or_init(|| {
            let mut first = OutputColumns::new(layout, self.is_utf8, self.conversion.is_some());
            if self.is_bare() {
                first.columns.retain(|column| column.role == Role::Puzzle);
            }
            if !self.begin_rows(layout) {
                let place = |field: &Field| {
                    let role = match field {
                        Field::Puzzle => Role::Puzzle,
                        Field::Id => Role::Id,
                        Field::Rules => Role::Rules,
                        _ => return None,
                    };
                    Some(Column::new(field.name(), role))
                };
                first.columns = self.alone.iter().filter_map(place).collect();
            }
            first
        })
    }

    /// Returns true if each row begins with columns of the input. `first` is the layout of the first source.
    fn begin_rows(&self, first: &Layout) -> bool {
        let may_begin = !self.is_kept || first.members.is_some();
        self.conversion.is_some() || first.csv.is_some() || first.has_columns() && may_begin
    }

    /// Returns true if each row begins with columns of the input.
    ///
    /// On the first call, `layout` must be the layout of the first source.
    pub(super) fn has_columns(&self, layout: &Layout) -> bool {
        self.begin_rows(&self.first(layout).layout)
    }

    /// Returns the part of an answer that is enough to write rows, or `None` if a column needs more.
    pub(super) fn row_output(&self) -> Option<PlainOutput> {
        row_output(self.verb, self.beside.iter().chain(&self.alone))
    }

    /// Calls `take` for each column of a row in order, with the value in the column.
    pub(super) fn each(&self, row: &Row<'_>, mut take: impl FnMut(&Column, Option<&[u8]>)) {
        let first = self.first(row.layout);
        if is_torn(row) {
            let text = row.record.text.slice(row.bytes);
            let value = |column: &Column| (column.role == Role::Puzzle).then_some(text);
            return first.columns.iter().for_each(|column| take(column, value(column)));
        }
        if let Some(values) = first.plain_values(row) {
            let values = first.columns.iter().zip(values);
            return values
                .for_each(|(column, &place)| take(column, plain_value(row, place).text().as_deref()));
        }
        let source = first.columns_of(row.layout);
        let fields =
            if self.is_bare() { Vec::new() } else { beside(row.layout, &source, row.record, row.bytes) };
        // Most rows have the columns of the first source in the same order. Then values need not be mapped to
        // columns.
        let is_same = matches!(source, Cow::Borrowed(_)) && row.layout.members.is_none();
        let places = if is_same { Vec::new() } else { first.places(&fields) };
        let value_at = |place: usize| match is_same {
            true => fields.get(place),
            false => fields.get(places.iter().position(|of_field| *of_field == Some(place))?),
        };
        let mut given = Vec::new();
        let text = row.converted.map(|(text, _)| text);
        // If there is no column for rules, the rules stay in the text of the puzzle.
        let (puzzle, rules) = match text.filter(|_| first.has(Role::Rules)).map(grid_and_rules) {
            Some((grid, rules)) => (Some(grid), rules),
            None => (text, None),
        };
        for (place, column) in first.columns.iter().enumerate() {
            let written = match (column.role, &self.conversion) {
                (Role::Puzzle, Some(_)) => Some(puzzle),
                (Role::Rules, Some(_)) => Some(rules),
                (Role::Regions, Some(_)) => Some(None),
                (Role::Solution, Some(conversion)) => {
                    given_text(conversion, row, &mut given).then_some(Some(given.as_slice()))
                }
                (Role::Puzzle, None) if !row.layout.has_columns() => {
                    Some(Some(row.record.puzzle.slice(row.bytes)))
                }
                (Role::Solution, None) if !row.layout.has_columns() => row.given.map(|digits| {
                    Value::Digits(digits, row.record.symbols).write(&mut given);
                    Some(given.as_slice())
                }),
                _ => None,
            };
            let value = || value_at(place).and_then(|field| field.value.text());
            match written {
                Some(value) => take(column, value),
                None => take(column, value().as_deref()),
            }
        }
    }

    /// Returns true if rows of a source may have values for which the output has no column.
    pub(super) fn may_lose(&self, layout: &Layout) -> bool {
        let first = self.first(layout);
        let is_same = layout.csv.is_some() && *layout == first.layout && self.begin_rows(layout);
        !self.is_bare() && !self.passthrough && (!is_same || self.is_utf8)
    }

    /// Calls `lose` for each value of a row that has no column in the output.
    pub(super) fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        if !self.may_lose(row.layout) {
            return;
        }
        let first = self.first(row.layout);
        let has_columns = row.layout.has_columns();
        if !has_columns {
            let is_unasked = self.is_chosen && !self.begin_rows(&first.layout);
            if !row.record.id.is_empty() && !first.has(Role::Id) && !is_unasked && !self.shows_ids {
                lose(Loss::Ids, "");
            }
            if has_given(row) && !first.has(Role::Solution) {
                lose(Loss::Solutions, "");
            }
            return;
        }
        if is_torn(row) || first.hold_plain(row, self.is_utf8) {
            return;
        }
        let source = first.columns_of(row.layout);
        let fields = beside(row.layout, &source, row.record, row.bytes);
        for (field, place) in fields.iter().zip(first.places(&fields)) {
            let loss = match field.role {
                Role::Puzzle => continue,
                Role::Id if self.shows_ids => continue,
                // Converted puzzles include their regions and rules as rules, so these two columns are not
                // lost.
                Role::Rules | Role::Regions if self.conversion.is_some() => continue,
                // A puzzle written as a line includes its regions in the rules after the grid, so the regions
                // are not lost.
                Role::Regions if self.is_kept && !self.begin_rows(&first.layout) => continue,
                Role::Id => Loss::Ids,
                Role::Solution => Loss::Solutions,
                Role::Rules | Role::Regions | Role::Other => Loss::Columns,
            };
            if place.is_none() && !field.value.is_empty() {
                lose(loss, &field.name);
            } else if self.is_utf8 && is_broken(field) {
                lose(Loss::Bytes, &field.name);
            } else if is_bad_list(row, field) {
                lose(loss, &field.name);
            }
        }
    }
}
