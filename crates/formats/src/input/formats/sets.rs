//! Exact cover as sets of the numbers 1 to n, one per line; each source is one problem.
//!
//! A first line `r n` is a header if r sets of numbers up to n follow it. Otherwise it is a set, and n is the largest
//! number. Empty lines and lines that begin with `#` are skipped and not counted as rows.

use super::super::Format;
use super::super::lines::{is_skipped, lines, number_in};
use super::FormatSpec;
use super::whole_source::{Failure, StopPoll, Text, Wrong, shown, words};
use quadrille_model::{CoverBuilder, CoverProblem, Entry, NO_COLOUR};

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::Sets,
    name: "sets",
    about: "an exact cover problem: one set of numbers 1 to n per line",
    look: "sets of numbers",
    read_cover: Some(read),
    ..FormatSpec::CUT
};

/// Number of items that a text of any length may have.
const ITEMS_IN_ANY_TEXT: u64 = 1 << 20;
/// Minimum bytes of text per item if there are more than [`ITEMS_IN_ANY_TEXT`] items. The limit is needed because an
/// item in no row takes memory, too. A text in which every item is in a row has more bytes per item.
const BYTES_PER_ITEM: u64 = 6;

/// The numbers of the rows of a text, to decide what they mean.
#[derive(Default)]
struct RowNumbers {
    /// The numbers of the first row, if there are two.
    head: Option<(u32, u32)>,
    rows: u32,
    /// Largest number in all rows.
    largest: u32,
    /// Largest number in the rows after the first.
    largest_later: u32,
    /// Largest number in all rows, without the first number of each row.
    largest_element: u32,
    /// Largest number in the rows after the first, without the first number of each row.
    largest_later_element: u32,
    /// True if each row begins with a number that says how many numbers follow in the row.
    are_counted: bool,
    /// True if each row after the first begins with a number that says how many numbers follow in the row.
    are_later_counted: bool,
    /// True if a row has a number twice.
    has_twice: bool,
}

impl RowNumbers {
    fn read(text: &[u8], line_end: u8, pace: &mut StopPoll<'_>) -> Result<Self, Failure> {
        let mut all = RowNumbers { are_counted: true, are_later_counted: true, ..RowNumbers::default() };
        // The last row that has each number; rows are counted from 1.
        let mut last_in = Vec::new();
        for (start, line) in rows_of(text, line_end).map(|(_, row)| row) {
            let (mut count, mut first, mut of_elements) = (0, 0, 0);
            for (at, word) in words(line, start) {
                pace.read(word)?;
                let value = number(word).map_err(|what| Wrong::new(at, what))?;
                check_items(value, text).map_err(|what| Wrong::new(at, what))?;
                if last_in.len() <= value as usize {
                    last_in.resize(value as usize + 1, 0);
                }
                let row = all.rows + 1;
                all.has_twice |= std::mem::replace(&mut last_in[value as usize], row) == row;
                match count {
                    0 => first = value,
                    _ => of_elements = of_elements.max(value),
                }
                count += 1;
            }
            let (largest, is_counted) = (of_elements.max(first), first + 1 == count);
            all.largest = all.largest.max(largest);
            all.largest_element = all.largest_element.max(of_elements);
            all.are_counted &= is_counted;
            match all.rows {
                0 => all.head = header(line),
                _ => {
                    all.largest_later = all.largest_later.max(largest);
                    all.largest_later_element = all.largest_later_element.max(of_elements);
                    all.are_later_counted &= is_counted;
                }
            }
            all.rows += 1;
        }
        Ok(all)
    }

    /// Returns the number of items in the header, or `None` if the first row is not a header. `largest` is the largest
    /// number in the other rows.
    fn header(&self, largest: u32) -> Option<u32> {
        self.head.filter(|&(rows, items)| rows + 1 == self.rows && items >= largest).map(|(_, items)| items)
    }

    /// Returns true if rows begin with their number of elements: the caller says so, or no other reading fits.
    ///
    /// # Errors
    /// Returns the reason if both readings fit.
    fn decide(&self, asked: Option<bool>) -> Result<bool, Wrong> {
        let fits = match self.header(self.largest_later_element) {
            Some(_) if self.rows > 1 => self.are_later_counted,
            _ => self.rows > 0 && self.are_counted,
        };
        match asked {
            Some(asked) => Ok(asked),
            None if !fits => Ok(false),
            None if self.has_twice => Ok(true),
            None => Err(Wrong::new(
                0,
                "every row begins with the number of elements after it: is that a count or an element? (--counted-rows \
                 on or off)",
            )),
        }
    }
}

fn read(text: Text<'_>, _: &mut Vec<String>, pace: &mut StopPoll<'_>) -> Result<CoverProblem, Failure> {
    let Text { bytes: text, line_end, first_line, counted_rows } = text;
    let numbers = RowNumbers::read(text, line_end, pace)?;
    let are_counted = numbers.decide(counted_rows)?;
    let (largest, later) = match are_counted {
        true => (numbers.largest_element, numbers.largest_later_element),
        false => (numbers.largest, numbers.largest_later),
    };
    let head = numbers.header(later);
    let mut builder = numbered(head.unwrap_or(largest), text, pace)?;
    for (number_of_line, (start, line)) in rows_of(text, line_end).skip(usize::from(head.is_some())) {
        let count = words(line, start).count();
        for (place, (at, word)) in words(line, start).enumerate() {
            pace.read(word)?;
            let value = number(word).map_err(|what| Wrong::new(at, what))?;
            if are_counted && place == 0 {
                if value as usize != count - 1 {
                    let what = format!("{value} elements were announced, but {} follow", count - 1);
                    return Err(Wrong::new(at, what).into());
                }
                continue;
            }
            let entry = Entry { item: value - 1, colour: NO_COLOUR };
            builder.entry(entry).map_err(|error| {
                let twice = format!("{value} appears twice in a set");
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

/// Returns an error message if a text is too short for `items` items.
fn check_items(items: u32, text: &[u8]) -> Result<(), String> {
    match u64::from(items) > ITEMS_IN_ANY_TEXT.max(text.len() as u64 / BYTES_PER_ITEM) {
        true => Err(format!("{items} items are too many for a text of {} bytes", text.len())),
        false => Ok(()),
    }
}

/// Creates a builder with items 1 to `items` of a text, whose solutions are row numbers.
pub(super) fn numbered(items: u32, text: &[u8], pace: &mut StopPoll<'_>) -> Result<CoverBuilder, Failure> {
    check_items(items, text).map_err(|what| Wrong::new(0, what))?;
    let mut builder = CoverBuilder::new();
    builder.number_options();
    for item in 1..=items {
        let name = item.to_string();
        pace.read(name.as_bytes())?;
        builder.primary(&name).map_err(|error| Wrong::new(0, error.to_string()))?;
    }
    Ok(builder)
}

fn number(word: &[u8]) -> Result<u32, String> {
    let value = number_in(word).and_then(|value| u32::try_from(value).ok()).filter(|&value| value > 0);
    value.ok_or_else(|| format!("'{}' is not a number of 1 or more", shown(word)))
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
    fn each_line_is_a_set() {
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
            ("1 2\n3 x\n", "line 2 column 3: 'x' is not a number of 1 or more"),
            ("1 2\n\n3 0\n", "line 3 column 3: '0' is not a number of 1 or more"),
            ("1 2\n1 2 1\n", "line 2 column 5: 1 appears twice in a set"),
            ("1 4294967296\n", "line 1 column 3: '4294967296' is not a number of 1 or more"),
            ("1\n4294967295\n", "line 2 column 1: 4294967295 items are too many for a text of 12 bytes"),
            ("# none\n\n", "line 2 column 1: no items"),
        ] {
            assert_eq!(
                bodies(&read_all(text.as_bytes(), options())),
                [format!("invalid: {reason}")],
                "{text}"
            );
        }
    }

    #[test]
    fn items_beyond_a_million_need_text() {
        let text = |blanks: usize| format!("3 2000000\n{}", "\n".repeat(blanks));
        let failed = read_all_of(read, text(3_000_000).as_bytes()).0.unwrap_err();
        assert_eq!(failed, "2000000 items are too many for a text of 3000010 bytes");
        assert_eq!(read_all_of(read, text(12_000_000).as_bytes()).0.unwrap().items(), 2_000_000);
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
