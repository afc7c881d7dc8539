//! Columns of strings under construction.

use std::borrow::Cow;

use arrow_array::StringArray;
use arrow_array::builder::StringBuilder;
use arrow_schema::ArrowError;

use quadrille_model::PLAIN_LINE;

/// Builder for a column of strings.
///
/// This builder checks that bytes are UTF-8 just before it copies them, while they are in the cache. It then
/// passes them as strings to the library's builder. If the library built the column from bytes, it would
/// check them later, when they are no longer in the cache.
pub(super) struct TextBuilder {
    all: StringBuilder,
    /// Maximum total length of all strings in bytes.
    ///
    /// Offsets in a column have 31 bits. The sink ends a batch long before this limit.
    most: usize,
    /// True if a string did not fit and was replaced by a missing value.
    is_over: bool,
}

impl TextBuilder {
    pub(super) fn new() -> Self {
        TextBuilder { all: StringBuilder::with_capacity(0, 0), most: i32::MAX as usize, is_over: false }
    }

    /// Reserves memory for `strings` strings with `bytes` bytes in total. The column must be empty.
    pub(super) fn reserve(&mut self, strings: usize, bytes: usize) {
        self.all = StringBuilder::with_capacity(strings, bytes);
    }

    #[inline]
    fn append(&mut self, text: &str) {
        if text.len() > self.most - self.all.values_slice().len() {
            self.is_over = true;
            self.all.append_null();
        } else {
            self.all.append_value(text);
        }
    }

    pub(super) fn push(&mut self, value: Option<&[u8]>) {
        let Some(value) = value else { return self.all.append_null() };
        let text = std::str::from_utf8(value).map_or_else(|_| String::from_utf8_lossy(value), Cow::Borrowed);
        self.append(&text);
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.all.append_nulls(count);
    }

    /// Appends the solutions of plain rows, without the last byte of each row, which marks unique solutions.
    pub(super) fn push_solutions(&mut self, rows: &[[u8; PLAIN_LINE]]) {
        // All rows are checked for UTF-8 at once, because slicing the resulting text needs no further check.
        let all = std::str::from_utf8(rows.as_flattened()).unwrap_or_default();
        for (start, row) in (0..).step_by(PLAIN_LINE).zip(rows) {
            match all.get(start..start + PLAIN_LINE - 1) {
                Some(solution) => self.append(solution),
                // The text is invalid, or a character extends beyond the end of the solution.
                None => self.push(Some(&row[..PLAIN_LINE - 1])),
            }
        }
    }

    /// Returns the column and empties the builder.
    ///
    /// # Errors
    /// Returns an error if a string did not fit.
    pub(super) fn finish(&mut self) -> Result<StringArray, ArrowError> {
        let all = self.all.finish();
        match std::mem::take(&mut self.is_over) {
            true => Err(ArrowError::OffsetOverflowError(self.most)),
            false => Ok(all),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;

    #[test]
    fn strings_are_added_singly_and_in_bulk() {
        let mut text = TextBuilder::new();
        text.push(Some(b"one"));
        text.push_nulls(2);
        text.push_solutions(&[[b'1'; PLAIN_LINE], [b'2'; PLAIN_LINE]]);
        text.push(Some(b"\xff"));
        text.push(None);
        let all = text.finish().unwrap();
        assert_eq!((all.len(), all.value(0), all.value(5)), (7, "one", "\u{fffd}"));
        assert_eq!((all.value(3), all.value(4)), (&*"1".repeat(81), &*"2".repeat(81)));
        assert!([1, 2, 6].iter().all(|&place| all.is_null(place)));
        assert_eq!(all.null_count(), 3);
    }

    #[test]
    fn invalid_utf8_is_marked() {
        let mut text = TextBuilder::new();
        text.push_solutions(&[[b'1'; PLAIN_LINE], [0xff; PLAIN_LINE]]);
        let all = text.finish().unwrap();
        assert_eq!((all.value(0), all.value(1)), (&*"1".repeat(81), &*"\u{fffd}".repeat(81)));
        // The three rows are valid text together, but a character in the second row extends beyond the end of
        // the solution.
        let mut rows = [[b'1'; PLAIN_LINE]; 3];
        (rows[1][80], rows[1][81]) = (0xc3, 0xa4);
        text.push_solutions(&rows);
        let all = text.finish().unwrap();
        assert_eq!((all.value(0), all.value(2)), (&*"1".repeat(81), &*"1".repeat(81)));
        assert_eq!(all.value(1), format!("{}\u{fffd}", "1".repeat(80)));
    }

    #[test]
    fn a_string_that_exceeds_the_capacity_is_an_error() {
        let mut text = TextBuilder { most: 5, ..TextBuilder::new() };
        text.push(Some(b"three"));
        assert_eq!(text.finish().unwrap().value(0), "three");
        text.push(Some(b"one"));
        text.push(Some(b"\xff"));
        assert!(text.finish().is_err());
        text.push(Some(b"two"));
        assert_eq!(text.finish().unwrap().value(0), "two");
    }

    #[test]
    fn a_builder_can_be_reused() {
        let mut text = TextBuilder::new();
        text.push(Some(b"a"));
        assert_eq!(text.finish().unwrap().len(), 1);
        assert!(text.finish().unwrap().is_empty());
        text.push(Some(b"b"));
        assert_eq!(text.finish().unwrap().value(0), "b");
    }
}
