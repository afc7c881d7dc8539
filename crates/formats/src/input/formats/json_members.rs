//! Reads the members of a JSON object and the text of their values.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr2;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::input::Column;

/// Members of an object in order, with their values as written in the source.
pub(crate) type RawMembers<'a> = Vec<(Cow<'a, str>, &'a str)>;

/// Reads [`RawMembers`].
struct Object<'a>(RawMembers<'a>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut all = Vec::new();
                while let Some((Name(name), value)) = map.next_entry::<Name<'_>, &RawValue>()? {
                    all.push((name, value.get()));
                }
                Ok(Object(all))
            }
        }
        from.deserialize_map(Members)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the members of an object in order, with their values as written in the source.
///
/// # Errors
/// Returns an error if the line is not a JSON object.
pub(crate) fn raw_members(line: &[u8]) -> serde_json::Result<RawMembers<'_>> {
    let mut all = Vec::new();
    if read_simple(line, &[], &mut all).is_some() {
        return Ok(all);
    }
    serde_json::from_slice(line).map(|Object(all)| all)
}

/// Reads the members of a simple JSON object. Returns `None` for any other text.
///
/// An object is simple if all its values are strings without escapes, numbers and words such as `true`. Most
/// objects are simple. This function reads them in a quarter of the time of a general reader. `expected` are
/// the likely names in order, and must not need escapes.
pub(super) fn read_simple<'a>(line: &'a [u8], expected: &[Column], all: &mut RawMembers<'a>) -> Option<()> {
    let text = std::str::from_utf8(line).ok()?;
    if line.iter().fold(false, |any, &byte| any | (byte < b' ')) {
        return None;
    }
    let after_blanks = |mut at: usize| {
        while line.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    };
    // Skips blanks from offset `at`, then the byte `byte`, and then further blanks. Returns the new offset,
    // or `None` if `byte` is not there.
    let after = |byte: u8, at: usize| {
        (line.get(after_blanks(at)) == Some(&byte)).then(|| after_blanks(after_blanks(at) + 1))
    };
    let string_end = |at: usize| {
        let end = at + 1 + memchr2(b'"', b'\\', line.get(at + 1..)?)?;
        (line[at] == b'"' && line[end] == b'"').then_some(end + 1)
    };
    let mut at = after(b'{', 0)?;
    loop {
        // Comparing with the expected name is faster than searching for the end of the name.
        let name_end = match expected.get(all.len()) {
            Some(column) if is_quoted(&line[at..], &column.name) => at + column.name.len() + 2,
            _ => string_end(at)?,
        };
        let name = &text[at + 1..name_end - 1];
        let start = after(b':', name_end)?;
        let end = match line.get(start)? {
            b'"' => string_end(start)?,
            _ => {
                let is_end = |&byte: &u8| matches!(byte, b',' | b'}' | b' ');
                let end = start + line[start..].iter().position(is_end)?;
                is_scalar(&line[start..end]).then_some(end)?
            }
        };
        all.push((Cow::Borrowed(name), &text[start..end]));
        match after(b',', end) {
            Some(next) => at = next,
            None => return after(b'}', end).filter(|&end| end == line.len()).map(|_| ()),
        }
    }
}

/// Returns true if a text begins with this name in quotes.
fn is_quoted(text: &[u8], name: &str) -> bool {
    text.len() > name.len() + 1
        && (text[0], text[name.len() + 1]) == (b'"', b'"')
        && text[1..=name.len()] == *name.as_bytes()
}

/// Returns true for `null`, `true`, `false`, and numbers without an exponent.
fn is_scalar(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, fraction) = match memchr::memchr(b'.', digits) {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &b"0"[..]),
    };
    let are_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    matches!(text, b"null" | b"true" | b"false")
        || are_digits(whole) && are_digits(fraction) && (whole.len() == 1 || whole[0] != b'0')
}

/// Returns the text of a value: its quotes are removed and its escapes are decoded.
pub(crate) fn text_of(raw: &str) -> Cow<'_, [u8]> {
    let is_escaped = raw.contains('\\');
    let owned = |text: String| Cow::Owned(text.into_bytes());
    match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
        Some(text) if !is_escaped => Cow::Borrowed(text.as_bytes()),
        Some(_) => owned(serde_json::from_str(raw).unwrap_or_default()),
        None if !is_escaped => Cow::Borrowed(raw.as_bytes()),
        None => {
            owned(serde_json::from_str(raw).map_or_else(|_| String::new(), |list: Value| list.to_string()))
        }
    }
}

/// Returns the text of a value as [`text_of`] does, but replaces each object in a list with the digit that it
/// contains.
///
/// So a grid can be written as a list with one object per cell.
///
/// # Errors
/// Returns the reason if the cells have regions of their own.
pub(super) fn value_text(raw: &str) -> Result<Cow<'_, [u8]>, String> {
    if !raw.starts_with('[') || !raw.contains('{') {
        return Ok(text_of(raw));
    }
    let Ok(mut cells) = serde_json::from_str::<Value>(raw) else { return Ok(text_of(raw)) };
    // If some digits are marked as given, all other digits were entered by a player and are ignored.
    let has_given = raw.contains("\"given\"");
    let mut open = vec![&mut cells];
    while let Some(value) = open.pop() {
        if let Value::Object(cell) = value {
            if cell.contains_key("region") {
                return Err("cells with regions of their own are not read".to_owned());
            }
            let is_given = !has_given || cell.get("given") == Some(&Value::Bool(true));
            let digit = CELL_NAMES.iter().find_map(|name| cell.get(*name)).filter(|_| is_given);
            *value = digit.cloned().unwrap_or_default();
        } else if let Value::Array(items) = value {
            open.extend(items);
        }
    }
    Ok(Cow::Owned(cells.to_string().into_bytes()))
}

/// Names of the member with the digit, in an object that represents a cell.
const CELL_NAMES: &[&str] = &["value", "val", "digit", "number"];
