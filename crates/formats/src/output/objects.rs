//! Writes the input's members in JSON objects.
//!
//! An object has the members or columns of its own record. If the first source has the same column, the
//! member gets its name from the first source. So all objects of a run have the same names. Members of
//! converted records keep the names from their own source.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use super::columns::InputColumns;
use super::convert::{given_text, grid_and_rules, is_bad_list, is_broken};
use super::first_source::is_torn;
use super::json::{write_json, write_on_one_line};
use super::notation::extra_name;
use super::{Lose, Notation, OutputOptions, Row};
use crate::input::{ColumnField, ColumnValue, Layout, Role, beside};
use quadrille_model::Loss;

/// Writes the members of the input in the objects of a run.
pub(super) struct Objects {
    /// Columns of the first source, and the program's own.
    pub(super) columns: InputColumns,
    /// Names of the members that the program adds, without a prefix.
    ours: Vec<&'static str>,
    /// Names of members that are appended to objects later.
    extra_columns: Vec<&'static str>,
    known: OnceLock<MemberNames>,
}

/// Member names that depend on the first source.
struct MemberNames {
    /// Start of each member of the input, as [`member_start`] returns it.
    theirs: Vec<Vec<u8>>,
    /// Start of each member of the program, as [`member_start`] returns it.
    ours: Vec<Vec<u8>>,
    /// Names of members that are appended to objects later, with their prefix and number.
    extra_columns: Vec<String>,
    /// Number that is appended to the names in `extra_columns`, or 1 if no number is needed.
    number: u8,
    /// Names that are already used. Further members of the input cannot have these names.
    taken: HashSet<String>,
}

/// Returns the text before the value of a member that is not the first: a comma, the name and a colon.
pub(super) fn member_start(name: &str) -> Vec<u8> {
    let mut text = vec![b','];
    write_json(name, &mut text);
    text.push(b':');
    text
}

impl Objects {
    /// Creates the state for objects that begin with the members of the input.
    ///
    /// The program's members follow. `ours` contains their names, to which a prefix is added.
    pub(super) fn new(columns: InputColumns, options: &OutputOptions, ours: Vec<&'static str>) -> Self {
        Objects { columns, ours, extra_columns: options.extra_columns.clone(), known: OnceLock::new() }
    }

    fn known(&self, layout: &Layout) -> &MemberNames {
        self.known.get_or_init(|| {
            let first = self.columns.first(layout);
            let ours = first.names_of_ours(self.ours.iter().copied());
            let mut taken: HashSet<String> =
                first.names().map(str::to_owned).chain(ours.iter().cloned()).collect();
            let extra_columns = |number| self.extra_columns.iter().map(move |name| extra_name(name, number));
            let number =
                (1..u8::MAX).find(|&number| !extra_columns(number).any(|name| taken.contains(&name)));
            let number = number.unwrap_or(u8::MAX);
            let extra_columns: Vec<String> = extra_columns(number).collect();
            taken.extend(extra_columns.iter().cloned());
            let ours = ours.iter().map(|name| member_start(name)).collect();
            let theirs = first.names().map(member_start).collect();
            MemberNames { theirs, ours, extra_columns, number, taken }
        })
    }

    /// Returns the start of each member that the program adds, as [`member_start`] returns it. The names
    /// differ from those of the first source's members.
    pub(super) fn names_of_ours(&self, layout: &Layout) -> &[Vec<u8>] {
        &self.known(layout).ours
    }

    /// Returns how further members are appended to an object.
    pub(super) fn notation(&self, layout: &Layout) -> Notation {
        Notation::Json(self.known(layout).number)
    }

    /// Returns true if an object has a member with the same name as a member that is appended later.
    pub(super) fn has_name_behind(&self, row: &Row<'_>) -> bool {
        let known = self.known(row.layout);
        if known.extra_columns.is_empty() {
            return false;
        }
        let source = self.columns.first(row.layout).columns_of(row.layout);
        let fields = beside(row.layout, &source, row.record, row.bytes);
        fields.iter().any(|field| known.extra_columns.iter().any(|name| *name == *field.name))
    }

    /// Calls `take` for each value of a row, with the name of its member in the output.
    ///
    /// The name is `None` if another member already has that name.
    fn each(&self, row: &Row<'_>, mut take: impl FnMut(Option<&str>, &ColumnField<'_>)) {
        let (first, taken) = (self.columns.first(row.layout), &self.known(row.layout).taken);
        let source = first.columns_of(row.layout);
        let fields = beside(row.layout, &source, row.record, row.bytes);
        if self.columns.conversion.is_some() {
            return fields.iter().for_each(|field| take(Some(&*field.name), field));
        }
        for (field, place) in fields.iter().zip(first.places(&fields)) {
            let name = match place {
                Some(place) => Some(first.columns[place].name.as_str()),
                None => Some(&*field.name).filter(|name| !taken.contains(*name)),
            };
            take(name, field);
        }
    }

    /// Writes an object with the members of the input, but without the closing brace.
    pub(super) fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let (first, theirs) = (self.columns.first(row.layout), &self.known(row.layout).theirs);
        if let Some(values) = first.plain_values(row) {
            let start = out.len();
            for (name, place) in theirs.iter().zip(values) {
                out.extend_from_slice(name);
                match (place.slice(row.bytes), &row.layout.members) {
                    (json, Some(_)) => out.extend_from_slice(json),
                    (text, None) => write_json(&*String::from_utf8_lossy(text), out),
                }
            }
            // Each member begins with a comma. The comma of the first member is replaced by the opening
            // brace.
            out[start] = b'{';
            return;
        }
        let mut any = false;
        let mut member = |name: &str, value: &ColumnValue<'_>, out: &mut Vec<u8>| {
            out.push(if std::mem::replace(&mut any, true) { b',' } else { b'{' });
            write_json(name, out);
            out.push(b':');
            match value {
                ColumnValue::Json(json) => write_on_one_line(json.as_bytes(), out),
                ColumnValue::Text(text) => write_json(&*String::from_utf8_lossy(text), out),
                ColumnValue::Missing => out.extend_from_slice(b"null"),
            }
        };
        let text = |text| ColumnValue::Text(Cow::Borrowed(text));
        if let (Some(conversion), Some((puzzle, _))) = (&self.columns.conversion, row.converted) {
            let mut given = Vec::new();
            let given = given_text(conversion, row, &mut given).then_some(&*given);
            let (puzzle, rules) = grid_and_rules(puzzle);
            self.each(row, |_, field| match (field.role, &field.value, given) {
                (Role::Puzzle, ..) => {
                    member(&field.name, &text(puzzle), out);
                    rules.into_iter().for_each(|rules| member("rules", &text(rules), out));
                }
                // These values are already included in the member for the rules, which was written just
                // before.
                (Role::Rules | Role::Regions, ..) => {}
                _ if conversion.bare => {}
                (Role::Solution, _, Some(given)) => member(&field.name, &text(given), out),
                (_, ColumnValue::Missing, _) => {}
                _ => member(&field.name, &field.value, out),
            });
            return;
        }
        let mut has_puzzle = false;
        let mut members = |row: &Row<'_>, out: &mut Vec<u8>| {
            self.each(row, |name, field| {
                if let Some(name) = name.filter(|_| !matches!(field.value, ColumnValue::Missing)) {
                    has_puzzle |= field.role == Role::Puzzle;
                    member(name, &field.value, out);
                }
            });
        };
        let is_torn = is_torn(row);
        if !is_torn {
            members(row, out);
        }
        if !has_puzzle {
            let whole = if is_torn { row.record.text } else { row.record.puzzle };
            let name = first.columns.iter().find(|column| column.role == Role::Puzzle);
            let name = name.map_or("puzzle", |column| column.name.as_str());
            member(name, &text(whole.slice(row.bytes)), out);
        }
    }

    /// Returns true if rows may have values that the output cannot hold.
    pub(super) fn may_lose(&self) -> bool {
        !self.columns.is_bare()
    }

    /// Calls `lose` for each value of a row that the object cannot hold.
    pub(super) fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        if !self.may_lose() || is_torn(row) || self.columns.first(row.layout).hold_plain(row, true) {
            return;
        }
        self.each(row, |name, field| match (field.role, name) {
            _ if is_broken(field) => lose(Loss::Bytes, &field.name),
            _ if is_bad_list(row, field) => lose(Loss::Solutions, &field.name),
            (_, Some(_)) => {}
            _ if field.value.is_empty() => {}
            (Role::Id, None) => lose(Loss::Ids, &field.name),
            (Role::Solution, None) => lose(Loss::Solutions, &field.name),
            (_, None) => lose(Loss::Columns, &field.name),
        });
    }
}
