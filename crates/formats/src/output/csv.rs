//! Writes rows of CSV, with the input's columns unchanged and the program's columns after them.
//!
//! Values are appended one by one, because most of them need no quotes. If a value needs quotes, the `csv`
//! library writes the row.

use crate::input::{Body, CsvLayout, Dialect, Layout, header_of};

use super::columns::InputColumns;
use super::input_lines::write_text;
use super::{Conversion, Delimiter, Field, Formatter, Notation, OutputOptions, Row};

/// Size in bytes of the library's buffer, which is enough because rows are short.
const WRITER_BYTES: usize = 1 << 10;

/// The csv format.
pub(super) struct Csv {
    header: bool,
    columns: InputColumns,
    /// Names of columns whose values are appended to the rows later.
    extra_columns: Vec<&'static str>,
    delimiter: Delimiter,
    /// True if rows that have the form of the output already are written unchanged.
    keeps_rows: bool,
}

impl Csv {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let converted = options.verb.conversion();
        Csv {
            header: !options.no_header,
            columns: InputColumns::new(options, false),
            extra_columns: options.extra_columns.clone(),
            keeps_rows: options.keeps_rows(),
            delimiter: match converted {
                Some(Conversion { delimiter: Some(byte), .. }) => Delimiter::Byte(byte),
                _ if options.has_form_of_first() => Delimiter::Keep,
                Some(_) => Delimiter::Byte(b','),
                None => options.delimiter,
            },
        }
    }

    /// Returns true if rows like those of the first source are written unchanged. `first` is its layout.
    fn is_kept(&self, first: &Layout) -> bool {
        let delimiter = first.csv.as_ref().map(|csv| csv.delimiter);
        self.keeps_rows && delimiter.is_some_and(|delimiter| self.delimiter.after(delimiter) == delimiter)
    }

    /// Returns the delimiter and the line end of the output.
    ///
    /// If the first source is CSV, both are taken from it, unless the user chose a delimiter. A comma
    /// replaces a blank as the delimiter, because a field may be empty.
    fn dialect(&self, first: &Layout) -> Dialect {
        let Dialect { delimiter, line_end } = first.dialect();
        match self.delimiter {
            Delimiter::Byte(delimiter) if !self.is_kept(first) => Dialect { delimiter, line_end: b'\n' },
            _ if delimiter == b' ' && !self.is_kept(first) => Dialect { delimiter: b',', line_end },
            kept => Dialect { delimiter: kept.after(delimiter), line_end },
        }
    }

    /// Writes the columns of the input, each followed by a delimiter, and then the columns of the program.
    fn write_row(&self, row: &Row<'_>, dialect: Dialect, out: &mut Vec<u8>) {
        let (start, mut need_quotes) = (out.len(), false);
        self.columns.each(row, |_, value| {
            let value = value.unwrap_or_default();
            need_quotes |= dialect.needs_quotes(value);
            out.extend_from_slice(value);
            out.push(dialect.delimiter);
        });
        // Without quotes, a row with a single empty field would be an empty line.
        let is_empty = self.columns.beside.is_empty() && out.len() == start + 1;
        let mut values = Vec::new();
        if need_quotes || is_empty {
            out.truncate(start);
            self.columns.each(row, |_, value| values.push(value.unwrap_or_default().to_vec()));
        }
        write_values(&self.columns.beside, row, values, dialect, out);
    }
}

impl Formatter for Csv {
    fn columns(&self) -> Option<&InputColumns> {
        Some(&self.columns)
    }

    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        let has_header = layout.csv.as_ref().is_some_and(|csv| csv.header.is_some());
        if !self.header || self.is_kept(layout) && !has_header {
            return;
        }
        let delimiter = self.dialect(layout).delimiter;
        let ours = |fields: &[Field]| {
            fields
                .iter()
                .map(|field| field.name())
                .chain(self.extra_columns.iter().copied())
                .collect::<Vec<_>>()
        };
        if !self.columns.has_columns(layout) {
            return write_record(ours(&self.columns.alone), delimiter, out);
        }
        let first = self.columns.first(layout);
        let names = first.names_of_ours(ours(&self.columns.beside));
        let header = layout.csv.as_ref().and_then(|csv| csv.header.as_ref());
        match (header, header_of(layout)) {
            (Some(header), _)
                if self.columns.conversion.is_none() && delimiter == layout.dialect().delimiter =>
            {
                out.extend_from_slice(header);
                if names.is_empty() {
                    out.push(b'\n');
                } else {
                    out.push(delimiter);
                    write_record(names, delimiter, out);
                }
            }
            (None, _) if layout.csv.is_some() && self.columns.conversion.is_none() => {
                let theirs = (1..=first.columns.len()).map(|column| format!("column_{column}"));
                write_record(theirs.chain(names), delimiter, out);
            }
            // Names of input columns are bytes in an unknown encoding, so they are written as they are.
            (_, Some(theirs)) if theirs.len() == first.columns.len() => {
                let names = names.into_iter().map(|name| name.into_bytes().into());
                write_record(theirs.into_iter().chain(names), delimiter, out);
            }
            _ => write_record(first.names().map(str::to_owned).chain(names), delimiter, out),
        }
    }

    fn notation(&self, layout: &Layout, _: &[u8]) -> Notation {
        let delimiter = self.dialect(&self.columns.first(layout).layout).delimiter;
        if self.columns.alone.is_empty() && !self.columns.has_columns(layout) {
            Notation::First(delimiter)
        } else {
            Notation::Delimiter(delimiter)
        }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let first = self.columns.first(row.layout);
        let InputColumns { conversion, beside, alone, .. } = &self.columns;
        match row.record.body {
            Body::Skipped if self.is_kept(&first.layout) => return write_text(row, out),
            Body::Skipped => return,
            _ if conversion.is_some() && row.converted.is_none() => return,
            _ => {}
        }
        let dialect = self.dialect(&first.layout);
        match (self.columns.has_columns(row.layout), &alone[..]) {
            (true, _) => {}
            (false, []) => return out.push(b'\n'),
            (false, alone) => return write_values(alone, row, Vec::new(), dialect, out),
        }
        let is_alike = |csv: &&CsvLayout| csv.delimiter == dialect.delimiter && first.is_alike(row.layout);
        let alike = row.layout.csv.as_ref().filter(|csv| conversion.is_none() && is_alike(csv));
        let Some(csv) = alike else { return self.write_row(row, dialect, out) };
        let text = row.record.text.slice(row.bytes);
        let mut others = Vec::new();
        match row.record.body {
            Body::Invalid(_) if self.extra_columns.is_empty() && self.is_kept(&first.layout) => {
                return write_text(row, out);
            }
            Body::Invalid(_) => others = write_columns(text, row.layout.column_count(), dialect, out),
            // The row could be read, so it has all columns.
            _ => {
                out.extend_from_slice(text);
                out.push(csv.delimiter);
            }
        }
        write_values(beside, row, others, dialect, out);
    }
}

/// Writes the last part of a row: first the remaining input values in `others`, then the program's values of
/// `fields`.
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

/// Writes the columns of an unreadable row unchanged, each followed by a delimiter.
///
/// Missing columns are written as empty columns. Writing stops at an unclosed quote or a surplus column,
/// because neither can be written unchanged. The rest of the text is then returned as one value, followed by
/// empty values for missing columns. The caller must write these values with quotes.
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

/// Writes a row with the given fields, in quotes if they need them.
pub fn write_record<F: AsRef<[u8]>>(fields: impl IntoIterator<Item = F>, delimiter: u8, out: &mut Vec<u8>) {
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
    fn fields_are_quoted_if_needed() {
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
