//! Defines the columns of the output, and maps the values of later sources to them.
//!
//! The output has the columns of the first source, such as the first input file. A value of a later source
//! goes to the column with the same name, or otherwise to the column with the same role (puzzle, solution,
//! id, rules). All commands and formats that keep columns use this mapping.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::input::{Body, Column, ColumnField, ColumnValue, Layout, Role, Span, columns_of, has_all_columns};

use super::Row;

/// Prefix of the program's column names, used if the input also has columns.
pub(super) const PREFIX: &str = "q_";

/// Layout of the first source, and the columns of the output.
pub(super) struct OutputColumns {
    /// Layout of the first source.
    pub(super) layout: Layout,
    source: Vec<Column>,
    pub(super) columns: Vec<Column>,
    /// True if column names must be unique, as in JSON and tables.
    is_unique: bool,
    /// True if the values of CSV rows or JSON lines belong to the output's columns in their order. The names
    /// must also be unchanged and valid UTF-8.
    are_in_order: bool,
}

/// Returns the columns of a source. If `is_unique` is true, a number is appended to repeated names.
fn columns_with_names(layout: &Layout, is_unique: bool) -> Vec<Column> {
    let mut columns = columns_of(layout);
    let mut known = HashSet::new();
    for column in columns.iter_mut().filter(|_| is_unique) {
        column.name = free_name("", &column.name, |name| !known.contains(name));
        known.insert(column.name.clone());
    }
    columns
}

/// Returns `prefix` and `name`. If this name is taken, appends the lowest number from 2 on that makes it
/// free.
pub(super) fn free_name(prefix: &str, name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{prefix}{name}_{number}"));
    std::iter::once(format!("{prefix}{name}")).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
}

impl OutputColumns {
    /// Creates the columns of an output that keeps the columns of the input.
    ///
    /// If `converted` is true, puzzles are rewritten and regions are written as rules. A source that has
    /// regions but no rules then gets an additional column for rules.
    pub(super) fn new(layout: &Layout, is_unique: bool, converted: bool) -> Self {
        let source = columns_with_names(layout, is_unique);
        let list = layout.columns.list.iter();
        // Members of objects are found by name, and columns of CSV by position.
        let have_names = || list.map(|column| &column.name).eq(source.iter().map(|column| &column.name));
        let is_broken = |column: &Column| column.name.contains(char::REPLACEMENT_CHARACTER);
        let are_in_order = (layout.csv.is_some() || layout.members.is_some() && have_names())
            && !source.iter().any(is_broken);
        let columns = source.clone();
        let mut first = OutputColumns { layout: layout.clone(), columns, source, is_unique, are_in_order };
        // A JSON object may have no puzzle, but the output needs a column for it.
        if !first.has(Role::Puzzle) {
            first.columns.push(Column::new("puzzle", Role::Puzzle));
        }
        // Regions are written as rules.
        if converted && first.has(Role::Regions) && !first.has(Role::Rules) {
            first.columns.push(Column::new("rules", Role::Rules));
        }
        first
    }

    /// Returns true if some column has this role.
    pub(super) fn has(&self, role: Role) -> bool {
        self.columns.iter().any(|column| column.role == role)
    }

    /// Returns the names of the columns in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Returns the names that the program's columns get if they follow the columns of the input.
    ///
    /// Each name gets a prefix. If an input column already has that name, a number is added.
    pub(super) fn names_of_ours<'n>(&self, ours: impl IntoIterator<Item = &'n str>) -> Vec<String> {
        let mut taken: HashSet<String> = self.names().map(str::to_owned).collect();
        let name = |name| {
            let name = free_name(PREFIX, name, |name| !taken.contains(name));
            taken.insert(name.clone());
            name
        };
        ours.into_iter().map(name).collect()
    }

    /// Returns true if CSV rows of a source have the columns of the first source in the same positions.
    ///
    /// Such rows can be written unchanged.
    #[inline]
    pub(super) fn is_alike(&self, layout: &Layout) -> bool {
        let (Some(first), Some(csv)) = (&self.layout.csv, &layout.csv) else { return false };
        let is_same = first == csv && self.layout.columns == layout.columns
            || self.layout.is_alike_without_names(layout);
        is_same && first.delimiter == csv.delimiter && self.layout.line_end() == layout.line_end()
    }

    /// Returns, for each column of the output, the byte range of the row's value.
    ///
    /// Returns `None` if the row's values must first be read and assigned to columns.
    #[inline]
    pub(super) fn plain_values<'r>(&self, row: &Row<'r>) -> Option<&'r [Span]> {
        let Layout { csv, columns, .. } = row.layout;
        let is_plain = self.are_in_order && !row.values.is_empty() && row.values.len() == self.columns.len();
        (is_plain && *columns == self.layout.columns && *csv == self.layout.csv).then_some(row.values)
    }

    /// Returns true if the values of a row are the values of the output's columns, in the same order.
    ///
    /// If `is_needed` is true, also requires that all values are UTF-8 text.
    pub(super) fn hold_plain(&self, row: &Row<'_>, is_needed: bool) -> bool {
        let is_text = |value: &Span| std::str::from_utf8(value.slice(row.bytes)).is_ok();
        // JSON values are always valid UTF-8.
        let is_given = !is_needed || row.layout.members.is_some();
        self.plain_values(row).is_some_and(|values| is_given || values.iter().all(is_text))
    }

    /// Returns the columns of a source. If the source has no column names, returns the columns of the first
    /// source.
    ///
    /// The result is borrowed if the columns are those of the first source.
    pub(super) fn columns_of(&self, layout: &Layout) -> Cow<'_, [Column]> {
        if *layout == self.layout || self.layout.is_alike_without_names(layout) {
            Cow::Borrowed(&self.source)
        } else {
            Cow::Owned(columns_with_names(layout, self.is_unique))
        }
    }

    /// Returns for each value in `fields` the index of its column in the output, or `None` if the output has
    /// no such column.
    pub(super) fn places(&self, fields: &[ColumnField<'_>]) -> Vec<Option<usize>> {
        let mut taken = vec![false; self.columns.len()];
        let mut places = vec![None; fields.len()];
        for is_wanted in [has_its_name, has_its_role] {
            for (number, (field, place)) in fields.iter().zip(&mut places).enumerate() {
                if place.is_some() {
                    continue;
                }
                // Most sources have the columns of the first source in the same order. So the output column
                // with the same index as the value is tried first.
                let same = self.columns.get(number).filter(|_| !taken[number]);
                *place = if same.is_some_and(|column| is_wanted(column, field)) {
                    Some(number)
                } else {
                    let mut all = self.columns.iter().zip(&taken);
                    all.position(|(column, is_taken)| !is_taken && is_wanted(column, field))
                };
                if let Some(place) = *place {
                    taken[place] = true;
                }
            }
        }
        places
    }
}

/// Returns a row's value at a byte range that [`plain_values`](OutputColumns::plain_values) returned.
pub(super) fn plain_value<'r>(row: &Row<'r>, place: Span) -> ColumnValue<'r> {
    let text = place.slice(row.bytes);
    match std::str::from_utf8(text) {
        Ok(json) if row.layout.members.is_some() => ColumnValue::Json(json),
        _ => ColumnValue::Text(Cow::Borrowed(text)),
    }
}

/// Returns true if a value belongs to a column because both have the same name.
///
/// If the column or the value has the role of puzzle, rules or regions, the roles must be the same, too.
fn has_its_name(column: &Column, field: &ColumnField<'_>) -> bool {
    let is_plain = |role| matches!(role, Role::Other | Role::Id | Role::Solution);
    (column.role == field.role || is_plain(column.role) && is_plain(field.role))
        && column.name.trim() == field.name.trim()
}

/// Returns true if a value and a column have the same role, which must not be `Other`.
fn has_its_role(column: &Column, field: &ColumnField<'_>) -> bool {
    column.role == field.role && column.role != Role::Other
}

/// Returns true if a row is invalid and cannot be split into columns.
///
/// The whole text of such a row becomes the value of the puzzle column.
pub(super) fn is_torn(row: &Row<'_>) -> bool {
    matches!(row.record.body, Body::Invalid(_)) && !has_all_columns(row.layout, row.record, row.bytes)
}
