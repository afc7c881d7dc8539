//! Columns: the input's as they stand, then ours.
//!
//! Values that need no quotes, as nearly all, are appended one by one. Where one does, the `csv` library writes the row.

use std::sync::OnceLock;

use crate::input::{Body, Dialect, Layout};

use super::first_source::First;
use super::{Field, Formatter, Notation, OutputOptions, Row};

/// The prefix of our columns' names beside columns of the input.
pub(super) const PREFIX: &str = "q_";

/// Bytes that the library gathers before it hands on; the rows it is asked for are short.
const WRITER_BYTES: usize = 1 << 10;

/// The csv format.
pub(super) struct Csv {
    header: bool,
    /// Our columns after those of the input.
    appended: Vec<Field>,
    /// Our columns for all other input.
    alone: Vec<Field>,
    /// Names of the columns that come behind.
    behind: &'static [&'static str],
    /// The columns of the first source, which all rows have.
    first: OnceLock<First>,
}

impl Csv {
    pub(super) fn new(options: &OutputOptions) -> Self {
        Csv {
            header: options.header,
            appended: options.columns(true),
            alone: options.columns(false),
            behind: options.behind,
            first: OnceLock::new(),
        }
    }

    fn first(&self, layout: &Layout) -> &First {
        self.first.get_or_init(|| First::kept(layout))
    }
}

/// Returns true if the columns of a source like this one come first in all rows, before ours.
fn has_columns(first: &Layout) -> bool {
    first.csv.is_some() || first.members.is_some()
}

impl Formatter for Csv {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        let names = |fields: &[Field], prefix: &str| {
            let names = fields.iter().map(|field| field.name()).chain(self.behind.iter().copied());
            names.map(|name| format!("{prefix}{name}")).collect::<Vec<_>>()
        };
        match &layout.csv {
            _ if !self.header => {}
            Some(csv) => {
                let mut ours = names(&self.appended, PREFIX);
                match &csv.header {
                    Some(header) => {
                        out.extend_from_slice(header);
                        out.push(csv.delimiter);
                    }
                    None => {
                        drop(ours.splice(..0, (1..=csv.columns).map(|column| format!("column_{column}"))))
                    }
                }
                write_record(ours, csv.delimiter, out);
            }
            None if has_columns(layout) => {
                let ours = names(&self.appended, PREFIX);
                let theirs = self.first(layout).names().map(str::to_owned);
                write_record(theirs.chain(ours), layout.dialect().delimiter, out);
            }
            None => write_record(names(&self.alone, ""), layout.dialect().delimiter, out),
        }
    }

    fn learn(&self, first: &Layout) {
        self.first(first);
    }

    fn without_place(&self, layout: &Layout) -> Vec<String> {
        let first = self.first(layout);
        match has_columns(first.layout()) || has_columns(layout) {
            true => first.without_place(layout),
            false => Vec::new(),
        }
    }

    fn notation(&self, layout: &Layout, _: &[u8]) -> Notation {
        Notation::Delimiter(self.first(layout).layout().dialect().delimiter)
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if matches!(row.record.body, Body::Skipped) {
            return;
        }
        let first = self.first(row.layout);
        let dialect = first.layout().dialect();
        if !has_columns(first.layout()) {
            return write_values(&self.alone, row, Vec::new(), dialect, out);
        }
        let Some(csv) = row.layout.csv.as_ref().filter(|_| first.is_alike(row.layout)) else {
            return write_values(&self.appended, row, first.values(row), dialect, out);
        };
        let text = row.record.text.of(row.bytes);
        let mut others = Vec::new();
        match row.record.body {
            Body::Invalid(_) => others = write_columns(text, csv.columns, dialect, out),
            // It has been read, so it has all columns.
            _ => {
                out.extend_from_slice(text);
                out.push(csv.delimiter);
            }
        }
        write_values(&self.appended, row, others, dialect, out);
    }
}

/// Writes the last fields of a row: some other ones, then ours.
fn write_values(
    fields: &[Field],
    row: &Row<'_>,
    mut others: Vec<Vec<u8>>,
    dialect: Dialect,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let mut need_quotes = !others.is_empty();
    for field in fields {
        if need_quotes {
            break;
        }
        let value = field.value(row);
        let at = out.len();
        value.write(out);
        need_quotes = !value.is_tame() && dialect.needs_quotes(&out[at..]);
        out.push(dialect.delimiter);
    }
    if !need_quotes {
        out.pop();
        return out.push(b'\n');
    }
    out.truncate(start);
    others.extend(fields.iter().map(|field| {
        let mut text = Vec::new();
        field.value(row).write(&mut text);
        text
    }));
    write_record(others, dialect.delimiter, out);
}

/// Writes the columns of a row of the input that cannot be read, and a delimiter behind each: `columns` of them, as they
/// stand as far as they go. Those behind the first that is broken (quoted without an end) or one too many are one
/// column, which is returned to be quoted, with empty ones for those that are missing behind it.
fn write_columns(text: &[u8], columns: usize, dialect: Dialect, out: &mut Vec<u8>) -> Vec<Vec<u8>> {
    let (mut start, mut fields) = (0, 1);
    loop {
        match dialect.field_end(text, start) {
            Some(end) if end == text.len() => {
                out.extend_from_slice(text);
                out.resize(out.len() + 1 + columns - fields, dialect.delimiter);
                return Vec::new();
            }
            Some(end) if fields < columns => (start, fields) = (end + 1, fields + 1),
            _ => {
                out.extend_from_slice(&text[..start]);
                let mut rest = vec![text[start..].to_vec()];
                rest.resize(1 + columns - fields, Vec::new());
                return rest;
            }
        }
    }
}

/// Writes a row of the input that cannot be read, with as many columns as the others have.
pub(super) fn write_all_columns(text: &[u8], columns: usize, dialect: Dialect, out: &mut Vec<u8>) {
    let others = write_columns(text, columns, dialect, out);
    if others.is_empty() {
        out.pop();
        out.push(b'\n');
    } else {
        write_record(others, dialect.delimiter, out);
    }
}

/// Writes the fields of a row, those between quotes that need it.
pub(super) fn write_record<F: AsRef<[u8]>>(
    fields: impl IntoIterator<Item = F>,
    delimiter: u8,
    out: &mut Vec<u8>,
) {
    let mut writer =
        csv::WriterBuilder::new().delimiter(delimiter).buffer_capacity(WRITER_BYTES).from_writer(out);
    writer.write_record(fields).expect("writing to memory does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str, columns: usize) -> String {
        let (mut out, dialect) = (Vec::new(), Dialect { delimiter: b',', line_end: b'\n' });
        let quoted = write_columns(text.as_bytes(), columns, dialect, &mut out);
        if !quoted.is_empty() {
            write_record(quoted, b',', &mut out);
        }
        out.pop();
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
    fn what_needs_quotes_is_quoted() {
        for delimiter in *b",;\t" {
            let dialect = Dialect { delimiter, line_end: b'\n' };
            for byte in 0..=255 {
                let field = [b'a', byte, b'b'];
                let mut out = Vec::new();
                write_record([&field[..]], delimiter, &mut out);
                assert_eq!(out[0] == b'"', dialect.needs_quotes(&field), "{byte}");
            }
        }
        let mut out = b"x,".to_vec();
        write_record(["a\"b", "", "c;d", "e,\r\nf"], b',', &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "x,\"a\"\"b\",,c;d,\"e,\r\nf\"\n");
    }
}
