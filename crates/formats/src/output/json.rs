//! Values as JSON, with the escapes of this program.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Serializer};

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
