//! The grammar of CSV (RFC 4180), which all code that reads or writes CSV uses.
//!
//! A quote has a meaning only at the start of a field. A row is invalid if a quoted field is not closed, or
//! if text follows a closing quote. An invalid row ends at its first line end. So a stray quote makes one
//! record invalid but does not extend that record over the following rows.
//!
//! The `csv` library would end invalid rows at other positions. So this module finds and splits rows itself.
//! For correctly quoted rows, tests compare the fields with those that the library finds.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memchr3};

use super::lines::without_returns;

/// The delimiter and the line end that a table uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The byte between fields.
    ///
    /// If it is a blank, any number of blanks separates two fields. Blanks at the start and end of a row are
    /// then ignored.
    pub(crate) delimiter: u8,
    /// The byte that ends a line. Carriage returns before this byte are not part of the row.
    pub(crate) line_end: u8,
}

/// True if a row may have quoted fields, all of which are closed. Otherwise fields end at delimiters. For a row
/// that is quoted incorrectly, this is the reason.
pub(super) type Quotes = Result<bool, &'static str>;

/// The end of a row, and the way in which the row is quoted.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowEnd {
    /// Offset of the line end, or the end of the bytes if there is none.
    pub(super) at: usize,
    pub(super) quotes: Quotes,
}

impl RowEnd {
    /// Returns the number of lines in the row that ends here. A quoted field may contain line ends.
    pub(super) fn lines(self, row: &[u8], line_end: u8) -> u64 {
        if self.quotes == Ok(true) { 1 + memchr_iter(line_end, row).count() as u64 } else { 1 }
    }
}

/// Returns the offset of the quote that closes a field, or `None` if the field is not closed.
///
/// `open` is the offset of the opening quote.
fn closing_quote(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at += memchr(b'"', bytes.get(at..)?)?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

impl Dialect {
    /// Returns the end of the row that starts at `start`, or `None` if more bytes are needed to find it.
    ///
    /// If `complete` is true, `bytes` extends to the end of the source, and the result is never `None`.
    #[inline]
    pub(super) fn row_end(self, bytes: &[u8], start: usize, complete: bool) -> Option<RowEnd> {
        let plain = |at| Some(RowEnd { at, quotes: Ok(false) });
        match memchr2(self.line_end, b'"', &bytes[start..]).map(|at| start + at) {
            Some(at) if bytes[at] == self.line_end => plain(at),
            None if complete => plain(bytes.len()),
            None => None,
            Some(_) => self.quoted_row_end(bytes, start, complete),
        }
    }

    fn quoted_row_end(self, bytes: &[u8], start: usize, complete: bool) -> Option<RowEnd> {
        let closed = |at| Some(RowEnd { at, quotes: Ok(true) });
        let mut at = start;
        loop {
            if bytes.get(at) == Some(&b'"') {
                let Some(quote) = closing_quote(bytes, at) else {
                    return complete.then(|| self.broken_row_end(bytes, start, bytes.len()));
                };
                at = quote + 1;
                let returns =
                    bytes[at..].iter().take_while(|&&byte| byte == b'\r' && self.line_end != b'\r').count();
                match bytes.get(at + returns) {
                    None if complete => return closed(bytes.len()),
                    None => return None,
                    Some(&byte) if byte == self.line_end => return closed(at + returns),
                    Some(&byte) if byte == self.delimiter && returns == 0 => at += 1,
                    Some(_) => return Some(self.broken_row_end(bytes, start, quote)),
                }
            } else {
                match memchr2(self.delimiter, self.line_end, &bytes[at..]).map(|found| at + found) {
                    None if complete => return closed(bytes.len()),
                    None => return None,
                    Some(found) if bytes[found] == self.line_end => return closed(found),
                    Some(found) => at = found + 1,
                }
            }
        }
    }

    /// Returns the end of an incorrectly quoted row. Such a row ends at its first line end.
    ///
    /// `quote` is the offset of a closing quote in the row. If the first line end comes before that quote,
    /// the field counts as not closed.
    fn broken_row_end(self, bytes: &[u8], start: usize, quote: usize) -> RowEnd {
        let at = memchr(self.line_end, &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let is_closed = quote < at;
        let reason = if is_closed {
            "text after the closing quote of a field"
        } else {
            "a quoted field is not closed"
        };
        RowEnd { at, quotes: Err(reason) }
    }

    /// Returns the fields of rows that have no quotes.
    ///
    /// Each item is the field's 0-based column, its text, and true if the field is the last of its row.
    #[inline]
    pub(super) fn plain_fields(self, bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8], bool)> {
        let Dialect { delimiter, line_end } = self;
        let last = bytes.last().filter(|&&byte| byte != line_end).map(|_| bytes.len());
        let (mut start, mut next) = (0, 0);
        memchr2_iter(delimiter, line_end, bytes).chain(last).map(move |end| {
            let is_last = bytes.get(end).is_none_or(|&byte| byte == line_end);
            let field = &bytes[start..end];
            let column = next;
            (start, next) = (end + 1, if is_last { 0 } else { column + 1 });
            (column, if is_last { without_returns(field) } else { field }, is_last)
        })
    }

    /// Returns the end of the field that starts at `start`: the offset of its delimiter, or the end of the
    /// row.
    ///
    /// Works for invalid rows too. Returns `None` if the field has an opening quote but no closing quote.
    pub(crate) fn field_end(self, row: &[u8], start: usize) -> Option<usize> {
        let is_blank = |byte: &&u8| **byte == b' ' && self.delimiter == b' ';
        let start = start + row[start..].iter().take_while(is_blank).count();
        let from = if row.get(start) == Some(&b'"') { closing_quote(row, start)? + 1 } else { start };
        let end = memchr(self.delimiter, &row[from..]).map_or(row.len(), |at| from + at);
        let is_last = row[end..].iter().take_while(is_blank).count() == row.len() - end;
        Some(if is_last { row.len() } else { end })
    }

    /// Returns the fields of a row, including their quotes. Works for invalid rows too.
    pub(crate) fn fields(self, row: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let start = next?;
            let end = self.field_end(row, start).unwrap_or(row.len());
            next = (end < row.len()).then_some(end + 1);
            let field = &row[start..end];
            Some(if self.delimiter == b' ' { field.trim_ascii() } else { field })
        })
    }

    /// Splits a row into fields and removes the quotes around them. Doubled quotes inside a field stay
    /// doubled.
    ///
    /// # Errors
    /// Returns a message if a field is quoted incorrectly.
    pub(super) fn split<'a>(
        self,
        row: &'a [u8],
        quotes: Quotes,
        fields: &mut Vec<&'a [u8]>,
    ) -> Result<(), &'static str> {
        fields.clear();
        quotes?;
        fields.extend(self.fields(row).map(|field| match field {
            [b'"', inner @ .., b'"'] => inner,
            field => field,
        }));
        Ok(())
    }

    /// Splits a row like [`split`](Self::split), but first finds out whether the row has quotes.
    pub(super) fn split_alone<'a>(
        self,
        row: &'a [u8],
        fields: &mut Vec<&'a [u8]>,
    ) -> Result<(), &'static str> {
        let end = self.row_end(row, 0, true);
        let end = end.unwrap_or(RowEnd { at: row.len(), quotes: Ok(false) });
        self.split(without_returns(&row[..end.at]), end.quotes, fields)
    }

    /// Returns true if a field must be quoted.
    pub(crate) fn needs_quotes(self, field: &[u8]) -> bool {
        memchr3(self.delimiter, b'"', b'\n', field).is_some() || memchr(b'\r', field).is_some()
    }
}

/// Removes the quotes around a field, and turns doubled quotes inside it into single ones.
pub(super) fn unquoted(field: &[u8]) -> Cow<'_, [u8]> {
    match field {
        [b'"', inner @ .., b'"'] if memchr(b'"', inner).is_none() => Cow::Borrowed(inner),
        [b'"', inner @ .., b'"'] => {
            let mut is_first = false;
            let is_kept = |byte: &u8| {
                is_first = *byte == b'"' && !is_first;
                *byte != b'"' || is_first
            };
            Cow::Owned(inner.iter().copied().filter(is_kept).collect())
        }
        _ => Cow::Borrowed(field),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COMMAS: Dialect = Dialect { delimiter: b',', line_end: b'\n' };

    /// Returns, for each row of a text, its fields or a message about its quotes.
    fn rows(text: &[u8]) -> Vec<Result<Vec<String>, &'static str>> {
        let (mut at, mut all) = (0, Vec::new());
        while at < text.len() {
            let end = COMMAS.row_end(text, at, true).unwrap();
            let mut fields = Vec::new();
            let row = without_returns(&text[at..end.at]);
            let read = COMMAS.split(row, end.quotes, &mut fields);
            let shown = |field: &&[u8]| String::from_utf8_lossy(field).into_owned();
            all.push(read.map(|()| fields.iter().map(shown).collect()));
            at = end.at + 1;
        }
        all
    }

    #[test]
    fn rows_and_fields_follow_the_grammar() {
        let open = Err("a quoted field is not closed");
        let behind = Err("text after the closing quote of a field");
        let row = |fields: &[&str]| Ok(fields.iter().map(|&field| field.to_owned()).collect());
        for (text, expected) in [
            ("a,b\r\n,\n", vec![row(&["a", "b"]), row(&["", ""])]),
            ("\"a,b\",c\n\"\",d", vec![row(&["a,b", "c"]), row(&["", "d"])]),
            ("\"a \"\"b\"\"\",\"\"\"\"\n", vec![row(&["a \"\"b\"\"", "\"\""])]),
            ("5\" disk,b\n\",\",\"\"", vec![row(&["5\" disk", "b"]), row(&[",", ""])]),
            ("\"a\nb\",c\r\n\"d\r\ne\"\r\nf", vec![row(&["a\nb", "c"]), row(&["d\r\ne"]), row(&["f"])]),
            ("\"a\rb\",c\rd\r\r\n", vec![row(&["a\rb", "c\rd"])]),
            ("\u{feff}\"a\",b\n\"\u{feff}\",c", vec![row(&["\u{feff}\"a\"", "b"]), row(&["\u{feff}", "c"])]),
            ("\"a\"x,b\n\"c\" ,d\n\"e\"\r,f\n", vec![behind.clone(), behind.clone(), behind.clone()]),
            ("\"a,b\nc,d\n", vec![open.clone(), row(&["c", "d"])]),
            ("\"a,b\nc,\"d\n", vec![open.clone(), open.clone()]),
            ("\"a\nb\"x,c\n", vec![open.clone(), row(&["b\"x", "c"])]),
            ("a,\"b", vec![open.clone()]),
            ("a,\"\"\"", vec![open.clone()]),
            ("a,\"", vec![open]),
        ] {
            assert_eq!(rows(text.as_bytes()), expected, "{text:?}");
        }
    }

    /// Splits a row by following the grammar quote by quote. Returns `None` if the row is invalid.
    fn by_hand(row: &[u8]) -> Option<Vec<&[u8]>> {
        let (mut rest, mut fields) = (row, Vec::new());
        loop {
            let (field, behind) = match rest {
                [b'"', ..] => {
                    let quote = closing_quote(rest, 0)?;
                    (&rest[1..quote], &rest[quote + 1..])
                }
                _ => rest.split_at(memchr(b',', rest).unwrap_or(rest.len())),
            };
            fields.push(field);
            match behind {
                [] => return Some(fields),
                [b',', tail @ ..] => rest = tail,
                _ => return None,
            }
        }
    }

    /// Returns the fields of a row as the `csv` library reads them.
    fn by_library(row: &[u8]) -> Vec<Vec<u8>> {
        // The library removes a byte order mark at the start of its input. So the input begins with an empty
        // row. Then a mark at the start of `row` is kept.
        let text = [b"\n", row].concat();
        let mut reader = csv::ReaderBuilder::new();
        reader.has_headers(false).terminator(csv::Terminator::Any(b'\n'));
        let first = reader.from_reader(&text[..]).into_byte_records().next();
        first.unwrap().unwrap().iter().map(<[u8]>::to_vec).collect()
    }

    proptest! {
        #[test]
        fn rows_are_split_by_the_grammar_and_as_the_csv_library_does(text in "[a\",\n\r\u{feff}]{0,40}") {
            let (text, mut at) = (text.as_bytes(), 0);
            while at < text.len() {
                let end = COMMAS.row_end(text, at, true).unwrap();
                let row = without_returns(&text[at..end.at]);
                let mut fields = Vec::new();
                let read = COMMAS.split(row, end.quotes, &mut fields);
                if !row.is_empty() {
                    prop_assert_eq!(read.ok().map(|()| fields), by_hand(row));
                }
                if read.is_ok() && !row.is_empty() {
                    let unquoted = |field: &[u8]| match field {
                        [b'"', inner @ .., b'"'] => String::from_utf8_lossy(inner).replace("\"\"", "\"").into_bytes(),
                        field => field.to_vec(),
                    };
                    let fields: Vec<Vec<u8>> = COMMAS.fields(row).map(unquoted).collect();
                    prop_assert_eq!(fields, by_library(row));
                }
                // The test passes only the first `arrived` bytes. The result must be the end that was found
                // in the whole text, or still unknown.
                for arrived in at..text.len() {
                    let sooner = COMMAS.row_end(&text[..arrived], at, false);
                    if let Some(sooner) = sooner.filter(|sooner| sooner.at < arrived) {
                        prop_assert_eq!(sooner.at, end.at);
                    }
                }
                at = end.at + 1;
            }
        }

        #[test]
        fn text_written_by_the_csv_library_is_read_back(
            fields in prop::collection::vec("[a\",;\n\r]{0,6}", 2..5),
        ) {
            let mut text = Vec::new();
            csv::Writer::from_writer(&mut text).write_record(&fields).unwrap();
            let read = rows(&text);
            prop_assert_eq!(read.len(), 1);
            let read: Vec<String> = read[0].clone().unwrap().iter().map(|field| field.replace("\"\"", "\"")).collect();
            prop_assert_eq!(read, fields);
        }

        #[test]
        fn plain_fields_are_those_of_the_rows(text in "[a,;\n\r]{0,40}") {
            let mut found: Vec<Result<Vec<String>, &'static str>> = Vec::new();
            for (column, field, _) in COMMAS.plain_fields(text.as_bytes()) {
                let field = String::from_utf8(field.to_vec()).unwrap();
                match found.last_mut() {
                    Some(Ok(row)) if column > 0 => row.push(field),
                    _ => found.push(Ok(vec![field])),
                }
            }
            prop_assert_eq!(found, rows(text.as_bytes()));
        }
    }
}
