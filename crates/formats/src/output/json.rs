//! Writes values as JSON with the escapes of this program.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Serializer};

/// Appends a value as JSON.
pub fn write_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let mut serializer = Serializer::with_formatter(out, Escapes);
    value.serialize(&mut serializer).expect("writing text to memory does not fail");
}

/// Appends a JSON value on one line: line breaks and the blanks after them are left out.
///
/// This does not change strings, because JSON strings contain no line breaks.
pub(super) fn write_on_one_line(json: &[u8], out: &mut Vec<u8>) {
    let lines = json.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.for_each(|line| out.extend_from_slice(line.trim_ascii_start()));
}

/// Formatter with the escapes of serde_json, except that backspace and form feed have no short form.
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
