//! Exact cover as sets of the numbers 1 to n, one per line; each source is one problem.
//!
//! A first line `r n` is a header if r sets of numbers up to n follow it. Otherwise it is a set, and n is the largest
//! number. Empty lines and lines that begin with `#` are skipped and not counted as rows.

use super::super::Format;
use super::super::lines::{is_skipped, lines};
use super::FormatSpec;
use super::whole_source::{Failure, Pace, Text, Wrong, shown, words};
use quadrille_model::{CoverBuilder, CoverProblem, Entry, NO_COLOUR};

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::Sets,
    name: "sets",
    about: "an exact cover problem: one set of numbers 1 to n per line",
    read_cover: Some(read),
    ..FormatSpec::CUT
};

/// Maximum number of items of a short text. A longer text may have as many items as it has bytes.
const ITEMS_IN_ANY_TEXT: u64 = 1 << 20;

fn read(text: Text<'_>, _: &mut Vec<String>, pace: &mut Pace<'_>) -> Result<CoverProblem, Failure> {
    let Text { bytes: text, line_end, first_line } = text;
    let mut largest = 0;
    // The first row if it has two numbers: it is a header if they fit the rows that follow.
    let mut head = None;
    let (mut rows, mut largest_behind) = (0, 0);
    for (start, line) in rows_of(text, line_end).map(|(_, row)| row) {
        pace.read(line)?;
        for (at, word) in words(line, start) {
            let value = number(word).map_err(|what| Wrong::new(at, what))?;
            if u64::from(value) > ITEMS_IN_ANY_TEXT.max(text.len() as u64) {
                return Err(Wrong::new(at, format!("{value} items in a text of {} bytes", text.len())).into());
            }
            largest = largest.max(value);
            if rows > 0 {
                largest_behind = largest_behind.max(value);
            }
        }
        if rows == 0 {
            head = header(line);
        }
        rows += 1;
    }
    let head = head.filter(|&(count, items)| count == rows - 1 && items >= largest_behind);
    let mut builder = numbered(head.map_or(largest, |(_, items)| items))?;
    for (number_of_line, (start, line)) in rows_of(text, line_end).skip(usize::from(head.is_some())) {
        pace.read(line)?;
        for (at, word) in words(line, start) {
            let value = number(word).map_err(|what| Wrong::new(at, what))?;
            let entry = Entry { item: value - 1, colour: NO_COLOUR };
            builder.entry(entry).map_err(|error| {
                let twice = format!("{value} twice in a set");
                Wrong::new(at, if builder.find_bytes(word).is_some() { twice } else { error.to_string() })
            })?;
        }
        let line = u32::try_from(first_line + number_of_line).ok();
        builder.end_option(0, line).map_err(|error| Wrong::new(start, error.to_string()))?;
    }
    Ok(builder.build().map_err(|error| Wrong::new(text.len(), error.to_string()))?)
}

/// Returns the rows of a text: 0-based number of the line, offset in bytes, and text.
pub(super) fn rows_of(text: &[u8], line_end: u8) -> impl Iterator<Item = (u64, (usize, &[u8]))> {
    (0..).zip(lines(text, line_end)).filter(|(_, (_, line))| !is_skipped(line, None))
}

/// Returns the numbers of rows and items if a line has exactly two numbers, otherwise `None`.
pub(super) fn header(line: &[u8]) -> Option<(u32, u32)> {
    let mut words = words(line, 0).map(|(_, word)| number(word).ok());
    match (words.next(), words.next(), words.next()) {
        (Some(Some(rows)), Some(Some(items)), None) => Some((rows, items)),
        _ => None,
    }
}

/// Creates a builder with items 1 to n, whose solutions are row numbers.
pub(super) fn numbered(items: u32) -> Result<CoverBuilder, Wrong> {
    CoverBuilder::numbered(items as usize).map_err(|error| Wrong::new(0, error.to_string()))
}

fn number(word: &[u8]) -> Result<u32, String> {
    if word.iter().all(u8::is_ascii_digit) {
        let value = word
            .iter()
            .try_fold(0u32, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')));
        if let Some(value) = value.filter(|&value| value > 0) {
            return Ok(value);
        }
    }
    Err(format!("'{}' is no number from 1 on", shown(word)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::InputOptions;
    use super::super::super::testing::{bodies, junk, read_all};
    use super::super::whole_source::read_all_of;
    use super::*;

    fn options() -> InputOptions {
        InputOptions { format: Some(Format::Sets), ..Default::default() }
    }

    fn rows(text: &str) -> (usize, Vec<Vec<u32>>) {
        let cover = read_all_of(read, text.as_bytes()).0.unwrap();
        assert!(cover.is_numbered());
        let option = |option| cover.option(option).iter().map(|entry| entry.item + 1).collect();
        (cover.items(), (0..cover.options()).map(option).collect())
    }

    #[test]
    fn a_line_is_a_set() {
        let expected = (7, vec![vec![3, 5], vec![1, 4, 7], vec![2]]);
        assert_eq!(rows("3 5\n1 4 7\n2\n"), expected);
        assert_eq!(rows("# sets\n3 7\n3 5\r\n\n1\t4 7\n 2 "), expected);
        assert_eq!(rows("3 9\n3 5\n1 4 7\n2\n").0, 9);
        assert_eq!(rows("2 3\n1\n2 4\n").1.len(), 3);
        assert_eq!(read_all_of(read, b"5\n#\n4").0.ok().and_then(|cover| cover.line(1)), Some(3));
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, reason) in [
            ("1 2\n3 x\n", "line 2 column 3: 'x' is no number from 1 on"),
            ("1 2\n\n3 0\n", "line 3 column 3: '0' is no number from 1 on"),
            ("1 2\n1 2 1\n", "line 2 column 5: 1 twice in a set"),
            ("1 4294967296\n", "line 1 column 3: '4294967296' is no number from 1 on"),
            ("1\n4294967295\n", "line 2 column 1: 4294967295 items in a text of 12 bytes"),
            ("# none\n\n", "line 2 column 1: no items"),
        ] {
            assert_eq!(
                bodies(&read_all(text.as_bytes(), options())),
                [format!("invalid: {reason}")],
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(text in "[0-3#x\r\n ]{1,60}", junk in junk()) {
            for text in [text.as_bytes(), &junk] {
                prop_assert_eq!(read_all(text, options()).records.len(), usize::from(!text.is_empty()));
            }
        }
    }
}
