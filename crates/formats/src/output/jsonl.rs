//! One JSON object a line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Serializer};

use crate::input::{Body, Layout};
use quadrille_model::{Cover, Entry};
use quadrille_rating::Grade;

use super::value::{Value, write_number};
use super::{Field, Formatter, Notation, OutputOptions, Row};

/// The version of the objects' layout; changes when a key changes its meaning or is removed.
const SCHEMA: u64 = 1;

/// The largest number that every JSON reader keeps exactly.
const LARGEST_SAFE: u64 = (1 << 53) - 1;

/// The jsonl format.
pub(super) struct Jsonl {
    fields: Vec<Field>,
    /// The steps of ratings follow.
    explain: bool,
}

impl Jsonl {
    pub(super) fn new(options: &OutputOptions) -> Self {
        Jsonl { fields: options.columns(false), explain: options.explain }
    }
}

impl Formatter for Jsonl {
    fn notation(&self, _: &Layout, _: &[u8]) -> Notation {
        Notation::Json
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if matches!(row.record.body, Body::Skipped) {
            return;
        }
        out.extend_from_slice(b"{\"schema\":");
        write_number(SCHEMA, out);
        for field in &self.fields {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(field.name().as_bytes());
            out.extend_from_slice(b"\":");
            write_value(field.value(row), out);
        }
        if self.explain {
            out.extend_from_slice(b",\"path\":");
            out.extend_from_slice(row.path.unwrap_or(b"null"));
        }
        out.extend_from_slice(b"}\n");
    }
}

fn write_value(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Missing => out.extend_from_slice(b"null"),
        Value::Rated(rated) if rated.is_above() => quoted(value, out),
        Value::Number(_) | Value::Signed(_) | Value::Rated(_) | Value::Thousandths(_) => value.write(out),
        Value::Count(count) if count.to_u64().is_some_and(|count| count <= LARGEST_SAFE) => value.write(out),
        Value::Word(_) | Value::Count(_) | Value::Digits(..) | Value::Cells(_) | Value::Map(_) => {
            quoted(value, out);
        }
        Value::Bytes(bytes) => write_json(&*String::from_utf8_lossy(bytes), out),
        Value::JsonText(text) => out.extend_from_slice(text),
        Value::Reason(reason) => write_json(&format_args!("{reason}"), out),
        Value::Options(options, cover) => {
            let entries = options.iter().map(|&option| OptionEntry::of(cover, option as usize));
            write_json(&entries.collect::<Vec<_>>(), out);
        }
        Value::Grade(grade) => match grade {
            Grade::Exactly(_) => value.write(out),
            Grade::Above(_) => quoted(value, out),
        },
        Value::Techniques(rating) => {
            out.push(b'{');
            for (place, (technique, steps)) in rating.techniques().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                quoted(Value::Word(technique.name()), out);
                out.push(b':');
                write_number(steps, out);
            }
            out.push(b'}');
        }
    }
}

/// Writes a value that needs no escapes between quotes.
fn quoted(value: Value<'_>, out: &mut Vec<u8>) {
    out.push(b'"');
    value.write(out);
    out.push(b'"');
}

/// An option as an object.
#[derive(Serialize)]
struct OptionEntry {
    /// Its 1-based number.
    row: u64,
    /// Its line in the input, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Its words, unless options are shown by number.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<String>>,
}

impl OptionEntry {
    fn of(cover: &Cover, option: usize) -> Self {
        let word = |entry: &Entry| match (cover.name(entry.item as usize), cover.colour_name(entry.colour)) {
            (name, Some(colour)) => format!("{name}:{colour}"),
            (name, None) => name.to_owned(),
        };
        let words = || cover.option(option).iter().map(word).collect();
        let words = (!cover.is_numbered()).then(words);
        OptionEntry { row: option as u64 + 1, line: cover.line(option), words }
    }
}

/// Appends a value as JSON.
pub(super) fn write_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let mut serializer = Serializer::with_formatter(out, Escapes);
    value.serialize(&mut serializer).expect("writing text to memory does not fail");
}

/// The escapes of this schema: as serde_json's own, but backspace and form feed have no letters.
struct Escapes;

impl serde_json::ser::Formatter for Escapes {
    fn write_char_escape<W: Write + ?Sized>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let escape = match escape {
            CharEscape::Backspace => CharEscape::AsciiControl(b'\x08'),
            CharEscape::FormFeed => CharEscape::AsciiControl(b'\x0c'),
            other => other,
        };
        CompactFormatter.write_char_escape(writer, escape)
    }
}
