//! Columns: the input's as they stand, then ours.

use memchr::{memchr, memchr3};

use crate::input::{Body, CsvLayout, Layout};

use super::value::write_number;
use super::{Field, Formatter, OutputOptions, Row};

/// The prefix of our columns' names beside columns of the input.
const PREFIX: &[u8] = b"q_";

/// The csv format.
pub(super) struct Csv {
    header: bool,
    /// Our columns where the input is csv too.
    appended: Vec<Field>,
    /// Our columns for all other input.
    alone: Vec<Field>,
}

impl Csv {
    pub(super) fn new(options: &OutputOptions) -> Self {
        Csv { header: options.header, appended: options.columns(true), alone: options.columns(false) }
    }
}

impl Formatter for Csv {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if !self.header {
            return;
        }
        match &layout.csv {
            Some(csv) => {
                write_input_header(csv, out);
                for field in &self.appended {
                    out.push(csv.delimiter);
                    out.extend_from_slice(PREFIX);
                    out.extend_from_slice(field.name().as_bytes());
                }
            }
            None => {
                for (place, field) in self.alone.iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(field.name().as_bytes());
                }
            }
        }
        out.push(b'\n');
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if matches!(row.record.body, Body::Skipped) {
            return;
        }
        match &row.layout.csv {
            Some(csv) => {
                write_columns(row.record.text.of(row.bytes), csv.columns, csv.delimiter, out);
                for field in &self.appended {
                    out.push(csv.delimiter);
                    write_field(*field, row, csv.delimiter, out);
                }
            }
            None => {
                for (place, field) in self.alone.iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    write_field(*field, row, b',', out);
                }
            }
        }
        out.push(b'\n');
    }
}

/// The input's header, or names for columns that have none.
fn write_input_header(csv: &CsvLayout, out: &mut Vec<u8>) {
    if let Some(header) = &csv.header {
        return write_columns(header, csv.columns, csv.delimiter, out);
    }
    for column in 1..=csv.columns {
        if column > 1 {
            out.push(csv.delimiter);
        }
        out.extend_from_slice(b"column_");
        write_number(column as u64, out);
    }
}

fn write_field(field: Field, row: &Row<'_>, delimiter: u8, out: &mut Vec<u8>) {
    let value = field.value(row);
    let start = out.len();
    value.write(out);
    if !value.is_tame() && needs_quotes(&out[start..], delimiter) {
        quote(out, start);
    }
}

fn needs_quotes(text: &[u8], delimiter: u8) -> bool {
    memchr3(delimiter, b'"', b'\n', text).is_some() || memchr(b'\r', text).is_some()
}

/// Puts what stands from `start` on between quotes and doubles those in it (RFC 4180), in place.
fn quote(out: &mut Vec<u8>, start: usize) {
    let mut from = out.len();
    let inner = out[start..].iter().filter(|byte| **byte == b'"').count();
    out.resize(from + inner + 2, b'"');
    let mut to = out.len() - 1;
    while from > start {
        from -= 1;
        to -= 1;
        out[to] = out[from];
        if out[from] == b'"' {
            to -= 1;
            out[to] = b'"';
        }
    }
    out[start] = b'"';
}

/// Writes a row of the input so that exactly `columns` columns stand there: as it is if it has them, filled up
/// if it has fewer; from the first field on that is broken (quoted without an end) or one too many, the rest is
/// quoted into one.
fn write_columns(text: &[u8], columns: usize, delimiter: u8, out: &mut Vec<u8>) {
    let (mut start, mut fields) = (0, 1);
    loop {
        let end = field_end(text, start, delimiter);
        let too_many = fields == columns && end.is_some_and(|end| end < text.len());
        match end {
            Some(end) if !too_many => {
                if end == text.len() {
                    out.extend_from_slice(text);
                    break;
                }
                start = end + 1;
                fields += 1;
            }
            _ => {
                out.extend_from_slice(&text[..start]);
                let place = out.len();
                out.extend_from_slice(&text[start..]);
                quote(out, place);
                break;
            }
        }
    }
    for _ in fields..columns {
        out.push(delimiter);
    }
}

/// The end of the field that begins at `start` (its delimiter, or the end of the text); `None` where a quoted field has
/// no end.
fn field_end(text: &[u8], start: usize, delimiter: u8) -> Option<usize> {
    let mut at = start;
    if text.get(at) == Some(&b'"') {
        at += 1;
        loop {
            at += memchr(b'"', &text[at..])? + 1;
            if text.get(at) != Some(&b'"') {
                break;
            }
            at += 1;
        }
    }
    Some(memchr(delimiter, &text[at..]).map_or(text.len(), |distance| at + distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str, columns: usize) -> String {
        let mut out = Vec::new();
        write_columns(text.as_bytes(), columns, b',', &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_of_the_input_always_have_all_columns() {
        let cases = [
            ("a,b,c", "a,b,c"),
            ("a,\"b,\"\"x\"\"\n\",c", "a,\"b,\"\"x\"\"\n\",c"),
            ("a", "a,,"),
            ("", ",,"),
            ("a,", "a,,"),
            ("a,b,c,d,e", "a,b,\"c,d,e\""),
            ("a,b,c,\"d\"", "a,b,\"c,\"\"d\"\"\""),
            ("a,\"b,c", "a,\"\"\"b,c\","),
            ("\"", "\"\"\"\",,"),
            ("5\" disk,b,c", "5\" disk,b,c"),
            ("\"a\"x,b,c", "\"a\"x,b,c"),
        ];
        for (text, expected) in cases {
            assert_eq!(columns(text, 3), expected, "{text}");
        }
    }

    #[test]
    fn quoting_doubles_quotes_in_place() {
        for (text, expected) in [("", "\"\""), ("\"", "\"\"\"\""), ("a\"b", "\"a\"\"b\"")] {
            let mut out = b"x,".to_vec();
            out.extend_from_slice(text.as_bytes());
            quote(&mut out, 2);
            assert_eq!(String::from_utf8(out).unwrap(), format!("x,{expected}"));
        }
        assert!(needs_quotes(b"a\rb", b';') && needs_quotes(b"a;b", b';') && !needs_quotes(b"a,b", b';'));
    }
}
