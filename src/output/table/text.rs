//! Columns of strings that grow.

use arrow_array::StringArray;
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

/// Bytes of a plain row: the solution of a 9x9, and a byte, which is a blank where there is no other solution.
pub(super) const PLAIN_ROW: usize = 82;

/// A column of strings.
pub(super) struct TextBuilder {
    values: Vec<u8>,
    /// The ends of the strings, behind a 0.
    offsets: Vec<i32>,
    known: NullBufferBuilder,
}

impl TextBuilder {
    pub(super) fn new() -> Self {
        TextBuilder { values: Vec::new(), offsets: vec![0], known: NullBufferBuilder::new(0) }
    }

    /// Makes room for so many bytes.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.values.reserve(bytes);
    }

    /// The end of the strings so far: the sink ends a batch long before it passes 31 bits.
    fn end(&self) -> i32 {
        i32::try_from(self.values.len()).unwrap_or(i32::MAX)
    }

    pub(super) fn push(&mut self, value: Option<&[u8]>) {
        if let Some(value) = value {
            match std::str::from_utf8(value) {
                Ok(_) => self.values.extend_from_slice(value),
                Err(_) => self.values.extend_from_slice(String::from_utf8_lossy(value).as_bytes()),
            }
        }
        self.offsets.push(self.end());
        self.known.append(value.is_some());
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.offsets.resize(self.offsets.len() + count, self.end());
        self.known.append_n_nulls(count);
    }

    /// Appends the solutions of plain rows.
    pub(super) fn push_solutions(&mut self, rows: &[[u8; PLAIN_ROW]]) {
        let first = self.end();
        self.values.reserve(81 * rows.len());
        rows.iter().for_each(|row| self.values.extend_from_slice(&row[..81]));
        self.offsets.extend((1..).map(|number| first + 81 * number).take(rows.len()));
        self.known.append_n_non_nulls(rows.len());
    }

    pub(super) fn finish(&mut self) -> Result<StringArray, ArrowError> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(&mut self.offsets, vec![0])));
        StringArray::try_new(offsets, std::mem::take(&mut self.values).into(), self.known.finish())
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
        let all = text.finish().unwrap();
        assert_eq!((all.len(), all.value(0), all.value(5)), (7, "one", "\u{fffd}"));
        assert_eq!((all.value(3), all.value(4)), (&*"1".repeat(81), &*"2".repeat(81)));
        assert!([1, 2, 6].iter().all(|&place| all.is_null(place)));
        assert_eq!(all.null_count(), 3);
    }

    #[test]
    fn a_builder_begins_anew() {
        let mut text = TextBuilder::new();
        text.push(Some(b"a"));
        assert_eq!(text.finish().unwrap().len(), 1);
        assert!(text.finish().unwrap().is_empty());
        text.push(Some(b"b"));
        assert_eq!(text.finish().unwrap().value(0), "b");
    }
}
