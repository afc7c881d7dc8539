//! Records as they stand in the input, for verbs that choose among them.

use crate::input::{Body, Format, Layout};

use super::{Formatter, Notation, OutputOptions, Row};

/// The rows of the input: lines, columns with their header, objects, and grids of several lines with an empty line behind.
pub(super) struct Kept {
    header: bool,
    /// Names of the columns that come behind.
    behind: &'static [&'static str],
}

impl Kept {
    pub(super) fn new(options: &OutputOptions) -> Self {
        Kept { header: options.header, behind: options.behind }
    }
}

impl Formatter for Kept {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if let Some(csv) = &layout.csv
            && let Some(header) = csv.header.as_ref().filter(|_| self.header)
        {
            out.extend_from_slice(header);
            for name in self.behind {
                out.push(csv.delimiter);
                out.extend_from_slice(super::csv::PREFIX.as_bytes());
                out.extend_from_slice(name.as_bytes());
            }
            out.push(b'\n');
        }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let text = row.record.text.of(row.bytes);
        if let (Some(csv), Body::Invalid(_)) = (&row.layout.csv, &row.record.body)
            && !self.behind.is_empty()
        {
            return super::csv::write_all_columns(text, csv.columns, row.layout.dialect(), out);
        }
        out.extend_from_slice(text);
        out.push(b'\n');
        if is_tall(text) && !matches!(row.record.body, Body::Skipped) && row.layout.csv.is_none() {
            out.push(b'\n');
        }
    }

    fn notation(&self, layout: &Layout, record: &[u8]) -> Notation {
        match (&layout.csv, layout.format) {
            (Some(csv), _) => Notation::Delimiter(csv.delimiter),
            (None, Format::Jsonl) => Notation::Json,
            _ if is_tall(record) => Notation::Above,
            _ => Notation::Tab,
        }
    }
}

/// True for a record of several lines.
fn is_tall(text: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', text).is_some()
}
