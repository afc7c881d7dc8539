//! One JSON object a line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Serializer};

use crate::input::Body;
use crate::model::Cover;

use super::value::{Value, write_number};
use super::{Field, Formatter, Row};

/// The version of the objects' layout; changes when a key changes its meaning or is removed.
const SCHEMA: u64 = 1;

/// The largest number that every JSON reader keeps exactly.
const LARGEST_SAFE: u64 = (1 << 53) - 1;

/// The jsonl format.
pub(super) struct Jsonl(pub(super) Vec<Field>);

impl Formatter for Jsonl {
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if matches!(row.record.body, Body::Skipped) {
            return;
        }
        out.extend_from_slice(b"{\"schema\":");
        write_number(SCHEMA, out);
        for field in &self.0 {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(field.name().as_bytes());
            out.extend_from_slice(b"\":");
            write_value(field.value(row), out);
        }
        out.extend_from_slice(b"}\n");
    }
}

fn write_value(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Missing => out.extend_from_slice(b"null"),
        Value::Number(_) | Value::Signed(_) => value.write(out),
        Value::Count(count) if count.to_u64().is_some_and(|count| count <= LARGEST_SAFE) => value.write(out),
        Value::Word(_) | Value::Count(_) | Value::Digits(..) => {
            out.push(b'"');
            value.write(out);
            out.push(b'"');
        }
        Value::Bytes(bytes) => write_string(&*String::from_utf8_lossy(bytes), out),
        Value::Reason(reason) => write_string(&format_args!("{reason}"), out),
        Value::Options(options, cover) => write_options(options, cover, out),
    }
}

/// An array with an object an option: its 1-based number, its line in the input if it has one, and its words,
/// unless options are shown by number.
fn write_options(options: &[u32], cover: &Cover, out: &mut Vec<u8>) {
    out.push(b'[');
    for (place, &option) in options.iter().enumerate() {
        let option = option as usize;
        out.extend_from_slice(if place > 0 { b",{\"row\":" } else { b"{\"row\":" });
        write_number(option as u64 + 1, out);
        if let Some(line) = cover.line(option) {
            out.extend_from_slice(b",\"line\":");
            write_number(line, out);
        }
        if !cover.is_numbered() {
            out.extend_from_slice(b",\"words\":[");
            for (place, entry) in cover.option(option).iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                let name = cover.name(entry.item as usize);
                match cover.colour_name(entry.colour) {
                    Some(colour) => write_string(&format_args!("{name}:{colour}"), out),
                    None => write_string(name, out),
                }
            }
            out.push(b']');
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// Appends a string in quotes.
fn write_string(text: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let mut serializer = Serializer::with_formatter(out, Escapes);
    text.serialize(&mut serializer).expect("writing text to memory does not fail");
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
