//! Writes values as JSON, with this program's escapes.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Serializer};

/// Appends a value as JSON.
pub(super) fn write_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let mut serializer = Serializer::with_formatter(out, Escapes);
    value.serialize(&mut serializer).expect("writing text to memory does not fail");
}

/// The escapes of serde_json, except that backspace and form feed have no short form.
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
