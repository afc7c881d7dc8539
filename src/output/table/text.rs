//! Columns of strings that grow.

use arrow_array::StringArray;
use arrow_array::builder::StringBuilder;

/// Bytes of a plain row: the solution of a 9x9, and a byte, which is a blank where there is no other solution.
pub(super) const PLAIN_ROW: usize = 82;
/// Bytes of all strings of a column at most: places in them have 31 bits. The sink ends a batch long before.
const MOST_BYTES: usize = i32::MAX as usize;

/// A column of strings.
///
/// The library's builder takes strings and trusts them. What is bytes here is looked at just before it is copied: of a column that
/// is put together of bytes the library would look at all of them again when they are in no cache any more.
pub(super) struct TextBuilder(StringBuilder);

impl TextBuilder {
    pub(super) fn new() -> Self {
        TextBuilder(StringBuilder::with_capacity(0, 0))
    }

    /// Makes room for so many strings of so many bytes in all, in an empty column.
    pub(super) fn reserve(&mut self, strings: usize, bytes: usize) {
        self.0 = StringBuilder::with_capacity(strings, bytes);
    }

    pub(super) fn push(&mut self, value: Option<&[u8]>) {
        let room = MOST_BYTES - self.0.values_slice().len();
        match value.map(|value| &value[..value.len().min(room)]) {
            None => self.0.append_null(),
            Some(value) => match std::str::from_utf8(value) {
                Ok(text) => self.0.append_value(text),
                Err(_) => {
                    // A mark for each fault may be longer than what it stands for.
                    let text = String::from_utf8_lossy(value);
                    self.0.append_value(text.get(..room).unwrap_or(&text));
                }
            },
        }
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.0.append_nulls(count);
    }

    /// Appends the solutions of plain rows.
    pub(super) fn push_solutions(&mut self, rows: &[[u8; PLAIN_ROW]]) {
        // All at once; cut into the rows again that takes no second look at what stands in them.
        match std::str::from_utf8(rows.as_flattened()) {
            Ok(text) => {
                for (start, row) in (0..).step_by(PLAIN_ROW).zip(rows) {
                    match text.get(start..start + PLAIN_ROW - 1) {
                        Some(solution) => self.0.append_value(solution),
                        // A character across rows.
                        None => self.push(Some(&row[..PLAIN_ROW - 1])),
                    }
                }
            }
            Err(_) => rows.iter().for_each(|row| self.push(Some(&row[..PLAIN_ROW - 1]))),
        }
    }

    pub(super) fn finish(&mut self) -> StringArray {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;

    #[test]
    fn strings_come_one_by_one_and_many_at_a_time() {
        let mut text = TextBuilder::new();
        text.push(Some(b"one"));
        text.push_nulls(2);
        text.push_solutions(&[[b'1'; PLAIN_ROW], [b'2'; PLAIN_ROW]]);
        text.push(Some(b"\xff"));
        text.push(None);
        let all = text.finish();
        assert_eq!((all.len(), all.value(0), all.value(5)), (7, "one", "\u{fffd}"));
        assert_eq!((all.value(3), all.value(4)), (&*"1".repeat(81), &*"2".repeat(81)));
        assert!([1, 2, 6].iter().all(|&place| all.is_null(place)));
        assert_eq!(all.null_count(), 3);
    }

    #[test]
    fn what_is_no_text_is_marked() {
        let mut text = TextBuilder::new();
        text.push_solutions(&[[b'1'; PLAIN_ROW], [0xff; PLAIN_ROW]]);
        let all = text.finish();
        assert_eq!((all.value(0), all.value(1)), (&*"1".repeat(81), &*"\u{fffd}".repeat(81)));
    }

    #[test]
    fn a_builder_begins_anew() {
        let mut text = TextBuilder::new();
        text.push(Some(b"a"));
        assert_eq!(text.finish().len(), 1);
        assert!(text.finish().is_empty());
        text.push(Some(b"b"));
        assert_eq!(text.finish().value(0), "b");
    }
}
