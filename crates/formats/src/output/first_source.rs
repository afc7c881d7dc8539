//! The columns of the first source, which are those of the output, and the values of later sources in them.
//!
//! A value goes where a column has the same role (the puzzle, its solution, its id, rules) or, without a role, the same name. All
//! verbs that keep columns map them here.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Row;
use super::value::Value;
use crate::input::{Beside, BesideField, Body, Column, Layout, Role, beside, columns_of, has_all_columns};

/// The first source, and the columns of the output.
pub(super) struct First {
    layout: Layout,
    pub(super) source: Vec<Column>,
    pub(super) columns: Vec<Column>,
    /// No two columns have the same name, as for JSON and tables.
    is_unique: bool,
}

/// The columns of a source; `is_unique`: a name that comes again gets a number behind it.
fn columns_with_names(layout: &Layout, is_unique: bool) -> Vec<Column> {
    let mut columns = columns_of(layout);
    let mut known = HashSet::new();
    for column in columns.iter_mut().filter(|_| is_unique) {
        let mut number = 1;
        let mut name = column.name.clone();
        while !known.insert(name.clone()) {
            number += 1;
            name = format!("{}_{number}", column.name);
        }
        column.name = name;
    }
    columns
}

impl First {
    pub(super) fn of(layout: &Layout, bare: bool, is_unique: bool) -> Self {
        let source = columns_with_names(layout, is_unique);
        let mut columns = source.clone();
        if bare {
            columns.retain(|column| column.role == Role::Puzzle);
        }
        // An object of JSON may have no puzzle, where the columns need one.
        if !columns.iter().any(|column| column.role == Role::Puzzle) {
            columns.push(Column { name: "puzzle".to_owned(), role: Role::Puzzle });
        }
        // Regions are written as one of the rules.
        let has = |role| columns.iter().any(|column| column.role == role);
        if has(Role::Regions) && !has(Role::Rules) {
            columns.push(Column { name: "rules".to_owned(), role: Role::Rules });
        }
        First { layout: layout.clone(), source, columns, is_unique }
    }

    /// The columns of a row's source.
    pub(super) fn source_of(&self, row: &Row<'_>) -> Cow<'_, [Column]> {
        if *row.layout == self.layout {
            Cow::Borrowed(&self.source)
        } else {
            Cow::Owned(columns_with_names(row.layout, self.is_unique))
        }
    }

    /// The place of a field among the columns of the output.
    pub(super) fn place_of(&self, field: &BesideField<'_>) -> Option<usize> {
        self.columns.iter().position(|column| {
            column.role == field.role
                && (column.role != Role::Other || column.name.trim() == field.name.trim())
        })
    }

    /// Creates the columns of rows that keep those of the input as they are.
    pub(super) fn kept(layout: &Layout) -> Self {
        let source = columns_of(layout);
        let mut columns = source.clone();
        if !columns.iter().any(|column| column.role == Role::Puzzle) {
            columns.push(Column { name: "puzzle".to_owned(), role: Role::Puzzle });
        }
        First { layout: layout.clone(), source, columns, is_unique: false }
    }

    /// The layout of the first source.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The names of the columns, in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Returns true if rows of a table of text have the columns of the first source in the same places, so that they can be
    /// written as they are.
    #[inline]
    pub(super) fn is_alike(&self, layout: &Layout) -> bool {
        let (Some(first), Some(csv)) = (&self.layout.csv, &layout.csv) else { return false };
        let is_same = first == csv || self.is_alike_without_names(layout);
        is_same && first.delimiter == csv.delimiter && self.layout.line_end == layout.line_end
    }

    /// Returns true if one of two tables has no header, and its columns can only be told by their places.
    fn is_alike_without_names(&self, layout: &Layout) -> bool {
        let (Some(first), Some(csv)) = (&self.layout.csv, &layout.csv) else { return false };
        (first.header.is_none() || csv.header.is_none())
            && (first.columns, first.puzzle) == (csv.columns, csv.puzzle)
            && (first.solution == csv.solution || first.solution.is_none() || csv.solution.is_none())
    }

    /// Returns the columns of a source, with the names of the first where it has none of its own.
    pub(super) fn columns_of(&self, layout: &Layout) -> Cow<'_, [Column]> {
        if *layout == self.layout || self.is_alike_without_names(layout) {
            Cow::Borrowed(&self.source)
        } else {
            Cow::Owned(columns_of(layout))
        }
    }

    /// Returns the values of a row, one for each column of the output; empty for those that its source does not have.
    ///
    /// Of a row whose columns cannot be told apart the whole text is in the puzzle's column.
    pub(super) fn values(&self, row: &Row<'_>) -> Vec<Vec<u8>> {
        let mut values = vec![Vec::new(); self.columns.len()];
        let mut put = |place: Option<usize>, value: &[u8]| {
            if let Some(value_there) = place.map(|place| &mut values[place]).filter(|there| there.is_empty())
            {
                value_there.extend_from_slice(value);
            }
        };
        let of_role = |role| self.columns.iter().position(|column| column.role == role);
        let layout = row.layout;
        let is_invalid = matches!(row.record.body, Body::Invalid(_));
        if is_invalid && !has_all_columns(layout, row.record, row.bytes) {
            put(of_role(Role::Puzzle), row.record.text.of(row.bytes));
            return values;
        }
        if layout.csv.is_none() && layout.members.is_none() {
            put(of_role(Role::Puzzle), row.record.puzzle.of(row.bytes));
            if let Some(given) = row.given {
                let mut text = Vec::new();
                Value::Digits(given, row.record.symbols).write(&mut text);
                put(of_role(Role::Solution), &text);
            }
        }
        for field in beside(layout, &self.columns_of(layout), row.record, row.bytes) {
            if let Some(text) = field.value.text() {
                put(self.place_of(&field), &text);
            }
        }
        values
    }

    /// Returns the names of a source's columns that have no place among those of the output.
    pub(super) fn without_place(&self, layout: &Layout) -> Vec<String> {
        let mut taken = HashSet::new();
        let mut lost = Vec::new();
        for column in self.columns_of(layout).iter() {
            let field = BesideField {
                name: Cow::Borrowed(column.name.as_str()),
                role: column.role,
                value: Beside::Missing,
            };
            // A second column of one name would stand in the place of the first.
            if self.place_of(&field).is_none_or(|place| !taken.insert(place)) {
                lost.push(column.name.clone());
            }
        }
        lost
    }

    /// The name under which the output has a value.
    pub(super) fn name_of<'a>(&'a self, field: &'a BesideField<'_>) -> &'a str {
        self.place_of(field).map_or(&field.name, |place| &self.columns[place].name)
    }
}
