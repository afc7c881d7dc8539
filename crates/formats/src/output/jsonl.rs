//! One JSON object per line.

use serde::Serialize;

use crate::input::{Body, Layout};
use quadrille_model::{CoverProblem, Entry};
use quadrille_rating::RatingBound;

use super::cell_sets::write_list;
use super::columns::InputColumns;
use super::input_lines::write_text;
use super::json::write_json;
use super::objects::{Objects, member_start};
use super::value::{Value, placed_cells, write_number};
use super::{Field, Formatter, Lose, Notation, OutputOptions, PlainOutput, Row, Verb};

/// Name of the JSON member with the steps of a rating, if the user did not choose these steps as a field.
const PATH_NAME: &str = "path";

/// Largest number that every JSON reader represents exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The jsonl format.
pub(super) struct Jsonl {
    /// JSON members of the input, which come first in each output object.
    objects: Objects,
    /// The beginnings of the members that the program writes if the input has no members.
    names_alone: Vec<Vec<u8>>,
    verb: Verb,
    /// True if objects of the input are written unchanged.
    keeps_rows: bool,
    /// True if each rating is followed by its steps.
    explain: bool,
}

impl Jsonl {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let explain = options.explain && !options.fields.contains(&Field::Path);
        let columns = InputColumns::new(options, true);
        let names = |fields: &[Field]| -> Vec<&'static str> {
            let of_field = |field: &Field| [Some(field.name()), field.at_least_name(options.verb)];
            let of_fields = fields.iter().flat_map(of_field).flatten();
            of_fields.chain(explain.then_some(PATH_NAME)).collect()
        };
        let (ours, names_alone) = (names(&columns.beside), names(&columns.alone));
        Jsonl {
            objects: Objects::new(columns, options, ours),
            names_alone: names_alone.into_iter().map(member_start).collect(),
            verb: options.verb,
            keeps_rows: options.keeps_rows(),
            explain,
        }
    }

    /// Returns true if each object begins with members of the input.
    fn has_columns(&self, layout: &Layout) -> bool {
        self.objects.columns.has_columns(layout)
    }

    /// Returns true if a row is written unchanged. Such a row is an object or is not a record, and the first
    /// source has objects.
    fn is_kept(&self, row: &Row<'_>) -> bool {
        let is_skipped = matches!(row.record.body, Body::Skipped);
        self.keeps_rows
            && self.objects.columns.first(row.layout).layout.members.is_some()
            && (is_skipped || row.layout.members.is_some() && !self.objects.has_name_behind(row))
    }
}

impl Formatter for Jsonl {
    fn columns(&self) -> Option<&InputColumns> {
        Some(&self.objects.columns)
    }

    fn row_output(&self) -> Option<PlainOutput> {
        self.objects.columns.row_output().filter(|_| !self.explain)
    }

    fn notation(&self, layout: &Layout, _: &[u8]) -> Notation {
        match self.has_columns(layout) {
            true => self.objects.notation(layout),
            false => Notation::Json(0),
        }
    }

    fn may_lose(&self, layout: &Layout) -> bool {
        match self.has_columns(layout) {
            true => self.objects.may_lose(),
            false => self.objects.columns.may_lose(layout),
        }
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        match self.has_columns(row.layout) {
            true if self.is_kept(row) => {}
            true => self.objects.losses(row, lose),
            false => self.objects.columns.losses(row, lose),
        }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let InputColumns { conversion, beside, alone, .. } = &self.objects.columns;
        match row.record.body {
            _ if self.is_kept(row) => return write_text(row, out),
            Body::Skipped => return,
            _ if conversion.is_some() && row.converted.is_none() => return,
            _ => {}
        }
        let has_columns = self.has_columns(row.layout);
        let start = out.len();
        let (fields, names) = match has_columns {
            true => (beside, self.objects.names_of_ours(row.layout)),
            false => (alone, &self.names_alone[..]),
        };
        if has_columns {
            self.objects.write(row, out);
        }
        let mut names = names.iter();
        let mut member = |out: &mut Vec<u8>| out.extend_from_slice(names.next().map_or(&[], |name| name));
        for field in fields {
            let value = field.value(row);
            member(out);
            write_value(value, out);
            if field.at_least_name(self.verb).is_some() {
                member(out);
                write_value(least(value), out);
            }
        }
        if self.explain {
            member(out);
            out.extend_from_slice(row.path().unwrap_or(b"null"));
        }
        if !has_columns {
            // Each member begins with a comma. The comma of the first member is replaced by the opening
            // brace.
            match out.get_mut(start) {
                Some(comma) => *comma = b'{',
                None => out.push(b'{'),
            }
        }
        out.extend_from_slice(b"}\n");
    }
}

/// Returns the lower bound of a rating if the exact rating is unknown, otherwise a missing value.
fn least(value: Value<'_>) -> Value<'_> {
    value.at_least().map_or(Value::Missing, |rating| Value::Grade(RatingBound::Exactly(rating)))
}

fn write_value(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Missing => out.extend_from_slice(b"null"),
        Value::Rated(rated) if rated.is_above() => quoted(value, out),
        Value::Grade(RatingBound::Above(_)) => quoted(value, out),
        Value::Number(_) | Value::Signed(_) | Value::Rated(_) | Value::Grade(_) | Value::Thousandths(_) => {
            value.write(out)
        }
        Value::Count(count) if count.to_u64().is_some_and(|count| count <= MAX_SAFE_INTEGER) => {
            value.write(out)
        }
        Value::Word(_)
        | Value::Count(_)
        | Value::Digits(..)
        | Value::Cells(_)
        | Value::Transform(_)
        | Value::CellSets(..)
        | Value::Flags(_) => quoted(value, out),
        Value::Numbers(numbers) => {
            out.push(b'[');
            write_list(numbers, b",", out, |&number, out| write_number(number, out));
            out.push(b']');
        }
        Value::Bytes(bytes) => write_json(&*String::from_utf8_lossy(bytes), out),
        Value::Json(text) | Value::JsonText(text) => out.extend_from_slice(text),
        Value::Order(path) => {
            out.push(b'[');
            write_list(placed_cells(path), b",", out, |cell, out| {
                out.push(b'"');
                out.extend_from_slice(cell);
                out.push(b'"');
            });
            out.push(b']');
        }
        Value::Reason(reason) => write_json(&format_args!("{reason}"), out),
        Value::Options(options, cover) => {
            let entries = options.iter().map(|&option| OptionEntry::new(cover, option as usize));
            write_json(&entries.collect::<Vec<_>>(), out);
        }
        Value::Techniques(rating) => {
            out.push(b'{');
            write_list(rating.techniques(), b",", out, |(technique, steps), out| {
                quoted(Value::Word(technique.name()), out);
                out.push(b':');
                write_number(steps, out);
            });
            out.push(b'}');
        }
    }
}

/// Writes a value in quotes. The value must not contain characters that need escapes.
fn quoted(value: Value<'_>, out: &mut Vec<u8>) {
    out.push(b'"');
    value.write(out);
    out.push(b'"');
}

/// Option of an exact cover as a JSON object.
#[derive(Serialize)]
struct OptionEntry {
    /// Number of the option, 1-based.
    row: u64,
    /// Line number of the option in the input, if the option comes from a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Items of the option with their colours. Omitted if options are identified by number only.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<String>>,
}

impl OptionEntry {
    fn new(cover: &CoverProblem, option: usize) -> Self {
        let word = |entry: &Entry| match (cover.name(entry.item as usize), cover.colour_name(entry.colour)) {
            (name, Some(colour)) => format!("{name}:{colour}"),
            (name, None) => name.to_owned(),
        };
        let words = || cover.option(option).iter().map(word).collect();
        let words = (!cover.is_numbered()).then(words);
        OptionEntry { row: option as u64 + 1, line: cover.line(option), words }
    }
}
