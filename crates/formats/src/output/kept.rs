//! Records as they stand in the input, for verbs that choose among them.

use std::sync::OnceLock;

use crate::input::{Beside, Body, Format, Layout, Role, beside};

use super::csv::write_record;
use super::first_source::First;
use super::jsonl::write_json;
use super::{Formatter, Notation, OutputOptions, Row};

/// The rows of the input: lines, columns with their header, objects, and grids of several lines with an empty line behind.
pub(super) struct Kept {
    header: bool,
    /// Names of the columns that come behind.
    behind: &'static [&'static str],
    /// The first source, in whose form all rows are.
    first: OnceLock<First>,
}

impl Kept {
    pub(super) fn new(options: &OutputOptions) -> Self {
        Kept { header: options.header, behind: options.behind, first: OnceLock::new() }
    }

    fn first(&self, layout: &Layout) -> &First {
        self.first.get_or_init(|| First::kept(layout))
    }

    /// Writes a row of a source whose form is not that of the first.
    fn write_other(first: &First, row: &Row<'_>, out: &mut Vec<u8>) {
        if matches!(row.record.body, Body::Skipped) {
            return;
        }
        if let Some(csv) = &first.layout().csv {
            return write_record(first.values(row), csv.delimiter, out);
        }
        let text = row.record.text.of(row.bytes);
        if first.layout().members.is_some() {
            write_object(first, row, out);
        } else {
            let puzzle = row.record.puzzle.of(row.bytes);
            let is_whole = matches!(row.record.body, Body::Invalid(_)) || puzzle.is_empty();
            out.extend_from_slice(if is_whole { text } else { puzzle });
            let id = row.record.id.of(row.bytes);
            if !is_whole && !id.is_empty() {
                out.push(b'\t');
                out.extend_from_slice(id);
            }
        }
        out.push(b'\n');
    }
}

/// Writes a row as a JSON object, with the names of the first source where it has the same columns.
fn write_object(first: &First, row: &Row<'_>, out: &mut Vec<u8>) {
    let mut any = false;
    let mut member = |name: &str, value: &Beside<'_>, out: &mut Vec<u8>| {
        out.push(if std::mem::replace(&mut any, true) { b',' } else { b'{' });
        write_json(name, out);
        out.push(b':');
        match value {
            Beside::Json(json) => out.extend_from_slice(json.as_bytes()),
            Beside::Text(text) => write_json(&*String::from_utf8_lossy(text), out),
            Beside::Missing => out.extend_from_slice(b"null"),
        }
    };
    let source = first.columns_of(row.layout);
    let fields = beside(row.layout, &source, row.record, row.bytes);
    let has_puzzle =
        fields.iter().any(|field| field.role == Role::Puzzle && !matches!(field.value, Beside::Missing));
    if !has_puzzle {
        let text = match row.record.body {
            Body::Invalid(_) => row.record.text,
            _ => row.record.puzzle,
        };
        let name = first.columns.iter().find(|column| column.role == Role::Puzzle);
        let name = name.map_or("puzzle", |column| column.name.as_str());
        member(name, &Beside::Text(text.of(row.bytes).into()), out);
    }
    for field in fields.iter().filter(|field| !matches!(field.value, Beside::Missing)) {
        member(first.name_of(field), &field.value, out);
    }
    out.push(b'}');
}

impl Formatter for Kept {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if let Some(csv) = &layout.csv
            && let Some(header) = csv.header.as_ref().filter(|_| self.header)
        {
            out.extend_from_slice(header);
            for name in self.behind {
                out.push(csv.delimiter);
                out.extend_from_slice(super::csv::PREFIX.as_bytes());
                out.extend_from_slice(name.as_bytes());
            }
            out.push(b'\n');
        }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let first = self.first(row.layout);
        let is_table = |layout: &Layout| layout.csv.is_some();
        let is_same = match (is_table(first.layout()), is_table(row.layout)) {
            (true, true) => first.is_alike(row.layout),
            (false, false) => first.layout().members.is_some() == row.layout.members.is_some(),
            _ => false,
        };
        if !is_same {
            return Self::write_other(first, row, out);
        }
        let text = row.record.text.of(row.bytes);
        if let (Some(csv), Body::Invalid(_)) = (&row.layout.csv, &row.record.body)
            && !self.behind.is_empty()
        {
            return super::csv::write_all_columns(text, csv.columns, row.layout.dialect(), out);
        }
        out.extend_from_slice(text);
        out.push(b'\n');
        if is_tall(text) && !matches!(row.record.body, Body::Skipped) && row.layout.csv.is_none() {
            out.push(b'\n');
        }
    }

    fn learn(&self, first: &Layout) {
        self.first(first);
    }

    fn without_place(&self, layout: &Layout) -> Vec<String> {
        let first = self.first(layout);
        // Objects have a place for everything.
        if first.layout().members.is_some() || layout.csv.is_none() && layout.members.is_none() {
            return Vec::new();
        }
        first.without_place(layout)
    }

    fn notation(&self, layout: &Layout, record: &[u8]) -> Notation {
        let layout = self.first(layout).layout();
        match (&layout.csv, layout.format) {
            (Some(csv), _) => Notation::Delimiter(csv.delimiter),
            (None, Format::Jsonl) => Notation::Json,
            _ if is_tall(record) => Notation::Above,
            _ => Notation::Tab,
        }
    }
}

/// True for a record of several lines.
fn is_tall(text: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', text).is_some()
}
