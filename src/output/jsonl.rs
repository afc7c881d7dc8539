//! One JSON object a line.

use std::fmt::{self, Write};

use crate::input::Body;
use crate::model::Cover;

use super::value::{Value, write_number};
use super::{Field, Formatter, OutputOptions, Row};

/// The version of the objects' layout; changes when a key changes its meaning or goes away.
const SCHEMA: u64 = 1;

/// The largest number that every JSON reader keeps exactly.
const LARGEST_SAFE: u64 = (1 << 53) - 1;

/// The jsonl format.
pub(super) struct Jsonl {
    fields: Vec<Field>,
}

impl Jsonl {
    pub(super) fn new(options: &OutputOptions) -> Self {
        Jsonl { fields: options.columns(false) }
    }
}

impl Formatter for Jsonl {
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
        Value::Bytes(bytes) => {
            out.push(b'"');
            write_bytes(bytes, out);
            out.push(b'"');
        }
        Value::Reason(reason) => write_string(format_args!("{reason}"), out),
        Value::Options(options, cover) => write_options(options, cover, out),
    }
}

/// Bytes of the input; what is no UTF-8 becomes U+FFFD.
fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    // Almost all input is ASCII, which the whole check passes over several times faster than the chunks do.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return escape(text, out);
    }
    for chunk in bytes.utf8_chunks() {
        escape(chunk.valid(), out);
        if !chunk.invalid().is_empty() {
            escape("\u{fffd}", out);
        }
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
            write_number(line.into(), out);
        }
        if !cover.is_numbered() {
            out.extend_from_slice(b",\"words\":[");
            for (place, entry) in cover.option(option).iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                let name = cover.name(entry.item as usize);
                match cover.colour_name(entry.colour) {
                    Some(colour) => write_string(format_args!("{name}:{colour}"), out),
                    None => write_string(format_args!("{name}"), out),
                }
            }
            out.push(b']');
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// Escapes what is written through it.
struct Escaped<'a>(&'a mut Vec<u8>);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(text, self.0);
        Ok(())
    }
}

fn write_string(text: fmt::Arguments<'_>, out: &mut Vec<u8>) {
    out.push(b'"');
    Escaped(out).write_fmt(text).expect("writing to memory does not fail");
    out.push(b'"');
}

/// Appends text with quotes, backslashes and control characters escaped (RFC 8259, section 7).
fn escape(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut rest = text.as_bytes();
    while let Some(clean) = rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')) {
        out.extend_from_slice(&rest[..clean]);
        match rest[clean] {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte @ 0..0x20 => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            byte => out.extend_from_slice(&[b'\\', byte]),
        }
        rest = &rest[clean + 1..];
    }
    out.extend_from_slice(rest);
}
