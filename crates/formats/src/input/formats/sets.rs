//! Reads exact cover as sets of numbers from 1 to n, one set per line or list. Each source is one problem.
//!
//! A first line `r n` or `n r` is a header if r sets with numbers up to n follow it. Otherwise the first line
//! is a set, and n is the largest number. Empty lines and lines that begin with `#` are skipped and do not
//! count as rows.

use memchr::{memchr_iter, memchr2, memchr3, memrchr3};

use super::super::head::Head;
use super::super::lines::{is_blank, is_skipped, lines, number_in};
use super::whole_source::{self, Failure, StopPoll, Text, shown, wrong};
use super::{Container, FormatSpec};
use quadrille_model::{CoverBuilder, CoverProblem, Entry, NO_COLOUR};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "sets",
    container: Container::Whole,
    about: "an exact cover problem: one set of numbers 1 to n per line or list",
    look: "sets of numbers",
    looks: are_counted_sets,
    read_cover: Some(read),
    ..FormatSpec::CUT
};

/// Maximum number of sets read.
const SETS_LOOKED_AT: usize = 20;

/// Returns true if a source has two sizes in its first row, followed by counted sets.
///
/// A counted set begins with the number of its elements. After that come the elements in ascending order.
/// Rows of a grid look different: they have equal lengths but begin with different digits.
fn are_counted_sets(head: &Head<'_>) -> bool {
    let text = head.whole_lines();
    let Some((first, second)) = header_of(text, head.line_end) else { return false };
    let is_counted = |row: Row<'_>| {
        let numbers: Option<Vec<u32>> = row.words().map(|word| number(word).ok()).collect();
        numbers.as_deref().and_then(<[u32]>::split_first).is_some_and(|(&count, items)| {
            count as usize == items.len()
                && items.is_sorted_by(|one, next| one < next)
                && items.last().is_none_or(|&item| item <= first.max(second))
        })
    };
    let sets: Vec<Row<'_>> = rows_of(text, head.line_end).skip(1).take(SETS_LOOKED_AT).collect();
    sets.len() > 1 && sets.into_iter().all(is_counted)
}

/// Maximum number of items that is allowed even for the shortest text.
const ITEMS_IN_ANY_TEXT: u64 = 1 << 20;
/// Minimum number of bytes of text per item if there are more than [`ITEMS_IN_ANY_TEXT`] items.
///
/// The limit is needed because an item takes memory even if no row contains it. If every item is in some row,
/// the text is always longer than this minimum.
const BYTES_PER_ITEM: u64 = 6;

/// Properties of the numbers in all rows. They decide whether the first row is a header, and whether the
/// first number of each row is a count.
#[derive(Default)]
struct RowNumbers {
    /// Numbers of the first row, if it has exactly two.
    head: Option<(u32, u32)>,
    rows: u32,
    /// The first row, and the rows after it.
    parts: [PartNumbers; 2],
    /// True if some row contains a number twice.
    has_twice: bool,
}

/// The numbers of some rows.
#[derive(Default)]
struct PartNumbers {
    /// Largest of all numbers, and largest without the first number of each row.
    largest: [u32; 2],
    /// True if a row does not begin with the number of numbers that follow in the row.
    has_uncounted: bool,
}

impl RowNumbers {
    fn read(text: &[u8], line_end: u8, pace: &mut StopPoll<'_>) -> Result<Self, Failure> {
        let mut all = RowNumbers { head: header_of(text, line_end), ..RowNumbers::default() };
        // For each number, the last row that contains it. Rows are counted from 1.
        let mut last_in = Vec::new();
        for row in rows_of(text, line_end) {
            let part = &mut all.parts[usize::from(all.rows > 0)];
            all.rows += 1;
            let (mut count, mut first, mut of_elements) = (0, 0, 0);
            for (at, word) in row.words() {
                pace.read(word)?;
                let value = number((at, word))?;
                check_items(value, at, text)?;
                if last_in.len() <= value as usize {
                    last_in.resize(value as usize + 1, 0);
                }
                all.has_twice |= std::mem::replace(&mut last_in[value as usize], all.rows) == all.rows;
                match count {
                    0 => first = value,
                    _ => of_elements = of_elements.max(value),
                }
                count += 1;
            }
            let [largest, largest_element] = part.largest;
            part.largest = [largest.max(of_elements).max(first), largest_element.max(of_elements)];
            part.has_uncounted |= first + 1 != count;
        }
        Ok(all)
    }

    /// Returns the number of items stated in the header, or `None` if the first row is not a header.
    ///
    /// `largest` is the largest number in the other rows. A header states the number of rows and the number
    /// of items, in either order.
    fn header(&self, largest: u32) -> Option<u32> {
        let (first, second) = self.head?;
        let is_header = |&(rows, items): &(u32, u32)| rows + 1 == self.rows && items >= largest;
        [(first, second), (second, first)].iter().find(|sizes| is_header(sizes)).map(|&(_, items)| items)
    }

    /// Returns true if the first number of each row is the number of its elements, and not itself an element.
    ///
    /// The option `asked` decides if the caller set it. Otherwise the rows decide, if they can be read in
    /// only one of the two ways.
    ///
    /// # Errors
    /// Returns the reason if the rows can be read in both ways.
    fn decide(&self, asked: Option<bool>) -> Result<bool, Failure> {
        let [first, later] = &self.parts;
        let has_header = self.rows > 1 && self.header(later.largest[1]).is_some();
        let fits = self.rows > 0 && !later.has_uncounted && (has_header || !first.has_uncounted);
        match asked {
            Some(asked) => Ok(asked),
            None if !fits => Ok(false),
            None if self.has_twice => Ok(true),
            None => Err(wrong(
                0,
                "every row begins with the number of elements after it: is that a count or an element? (--counted-rows \
                 on or off)",
            )),
        }
    }
}

fn read(text: Text<'_>, _: &mut Vec<String>, pace: &mut StopPoll<'_>) -> Result<CoverProblem, Failure> {
    check_lists(text.bytes, text.line_end)?;
    let numbers = RowNumbers::read(text.bytes, text.line_end, pace)?;
    let are_counted = numbers.decide(text.counted_rows)?;
    let [first, later] = numbers.parts.each_ref().map(|part| part.largest[usize::from(are_counted)]);
    let head = numbers.header(later);
    let builder = numbered(head.unwrap_or(first.max(later)), 0, text.bytes, pace)?;
    cover_of_rows(text, head.is_some(), builder, |row, builder| {
        let count = row.words().count();
        for (place, (at, word)) in row.words().enumerate() {
            pace.read(word)?;
            let value = number((at, word))?;
            if are_counted && place == 0 {
                if value as usize != count - 1 {
                    let what = format!("{value} elements were announced, but {} follow", count - 1);
                    return Err(wrong(at, what));
                }
                continue;
            }
            let entry = Entry { item: value - 1, colour: NO_COLOUR };
            builder.entry(entry).map_err(|error| match builder.find_bytes(word) {
                Some(_) => wrong(at, format!("{value} appears twice in a set")),
                None => wrong(at, error),
            })?;
        }
        Ok(())
    })
}

/// Reads a problem with one option per row. The first row is left out if it is a header.
///
/// `read` adds the entries of a row to its option.
pub(super) fn cover_of_rows(
    text: Text<'_>,
    has_header: bool,
    mut builder: CoverBuilder,
    mut read: impl FnMut(Row<'_>, &mut CoverBuilder) -> Result<(), Failure>,
) -> Result<CoverProblem, Failure> {
    for row in rows_of(text.bytes, text.line_end).skip(usize::from(has_header)) {
        read(row, &mut builder)?;
        let line = u32::try_from(text.first_line + row.line).ok();
        builder.end_option(0, line).map_err(|error| wrong(row.start, error))?;
    }
    builder.build().map_err(|error| wrong(text.bytes.len(), error))
}

/// Row of a problem: a set, or the cells of a row in a matrix.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    /// 0-based number of the line on which the row begins.
    pub(super) line: u64,
    /// Byte offset of the row in the text.
    pub(super) start: usize,
    pub(super) text: &'a [u8],
}

impl<'a> Row<'a> {
    /// Returns the words of the row, each with its byte offset in the text.
    pub(super) fn words(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        whole_source::words(self.text, self.start, separates)
    }
}

/// Returns true if a byte may separate the numbers or cells of a row.
pub(super) fn separates(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b',' | b';' | b'\'' | b'"')
}

/// Returns true if the rows of a text are lists in brackets, as Python and NumPy print them.
pub(super) fn are_lists(text: &[u8], line_end: u8) -> bool {
    let first = lines(text, line_end).map(|(_, line)| line).find(|line| !is_skipped(line, None));
    first.is_some_and(|line| memchr3(b'[', b'(', b'{', line).is_some())
}

/// Returns the rows of a text: its innermost lists if [the text has lists](are_lists), otherwise its lines.
///
/// A row may have a name, as in `A: 1 4 7` or `A = {1, 4, 7}`, which is not included.
pub(super) fn rows_of(text: &[u8], line_end: u8) -> impl Iterator<Item = Row<'_>> {
    let are_lists = are_lists(text, line_end);
    let mut lines = (0..).zip(lines(text, line_end)).filter(|(_, (_, line))| !is_skipped(line, None));
    let (mut next, mut line, mut counted) = (0, 0, 0);
    std::iter::from_fn(move || {
        if !are_lists {
            let (line, (start, text)) = lines.next()?;
            let name = memchr2(b':', b'=', text).map_or(0, |at| at + 1);
            return Some(Row { line, start: start + name, text: &text[name..] });
        }
        loop {
            let (from, end) = (next, next + memchr3(b']', b')', b'}', &text[next..])?);
            next = end + 1;
            if let Some(opening) = memrchr3(b'[', b'(', b'{', &text[from..end]) {
                let start = from + opening + 1;
                line += memchr_iter(line_end, &text[counted..start]).count() as u64;
                counted = start;
                return Some(Row { line, start, text: &text[start..end] });
            }
        }
    })
}

/// Checks the text between and after the lists of a text. It may contain only brackets, separators and names.
///
/// # Errors
/// Returns the position of any other text, or of a list that is not closed.
pub(super) fn check_lists(text: &[u8], line_end: u8) -> Result<(), Failure> {
    let is_text = |byte: &u8| !separates(*byte) && !b"[](){}".contains(byte);
    if !are_lists(text, line_end) {
        return Ok(());
    }
    let mut end = None;
    for row in rows_of(text, line_end) {
        let between = end.map_or(&text[..0], |end| &text[end..row.start]);
        let name = memchr::memrchr2(b':', b'=', between).map_or(0, |at| at + 1);
        if let Some(at) = between[name..].iter().position(is_text) {
            return Err(wrong(row.start - between.len() + name + at, "text between lists"));
        }
        end = Some(row.start + row.text.len() + 1);
    }
    let behind = end.unwrap_or(0);
    match text[behind..].iter().position(|byte| is_text(byte) || b"[({".contains(byte)) {
        Some(at) => Err(wrong(behind + at, "text after the lists, or a list that is not closed")),
        None => Ok(()),
    }
}

/// Returns the numbers of a row that consists of two numbers, or `None` for any other row.
pub(super) fn header(row: Row<'_>) -> Option<(u32, u32)> {
    let mut words = row.words().map(|word| number(word).ok());
    match (words.next(), words.next(), words.next()) {
        (Some(Some(first)), Some(Some(second)), None) => Some((first, second)),
        _ => None,
    }
}

/// Returns the numbers of the first row of a text if the row consists of two numbers and is not a list.
pub(super) fn header_of(text: &[u8], line_end: u8) -> Option<(u32, u32)> {
    rows_of(text, line_end).next().filter(|_| !are_lists(text, line_end)).and_then(header)
}

/// Checks that a text is long enough to have `items` items.
///
/// # Errors
/// Returns the failure at byte offset `at` if the text is too short.
fn check_items(items: u32, at: usize, text: &[u8]) -> Result<(), Failure> {
    match u64::from(items) > ITEMS_IN_ANY_TEXT.max(text.len() as u64 / BYTES_PER_ITEM) {
        true => Err(wrong(at, format!("{items} items are too many for a text of {} bytes", text.len()))),
        false => Ok(()),
    }
}

/// Creates a builder whose items have the names 1 to `items`. The builder reports solutions as row numbers.
///
/// The first `secondary` items are secondary, and are added after all primary items.
pub(super) fn numbered(
    items: u32,
    secondary: u32,
    text: &[u8],
    pace: &mut StopPoll<'_>,
) -> Result<CoverBuilder, Failure> {
    check_items(items, 0, text)?;
    let mut builder = CoverBuilder::new();
    builder.number_options();
    for item in (secondary + 1..=items).chain(1..=secondary) {
        let name = item.to_string();
        pace.read(name.as_bytes())?;
        let added = if item > secondary { builder.primary(&name) } else { builder.secondary(&name) };
        added.map_err(|error| wrong(0, error))?;
    }
    Ok(builder)
}

fn number((at, word): (usize, &[u8])) -> Result<u32, Failure> {
    let value = number_in(word).and_then(|value| u32::try_from(value).ok()).filter(|&value| value > 0);
    value.ok_or_else(|| wrong(at, format!("'{}' is not a number of 1 or more", shown(word))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::testing::{bodies, junk, read_all};
    use super::super::super::{Format, InputOptions};
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
        assert_eq!(rows("9 3\n3 5\n1 4 7\n2\n").0, 9);
        assert_eq!(rows("2 3\n1\n2 4\n").1.len(), 3);
        assert_eq!(read_all_of(read, b"5\n#\n4").0.ok().and_then(|cover| cover.line(1)), Some(3));
        for text in [
            "3,5\n1,4,7\n2\n",
            "[[3, 5], [1, 4, 7], [2]]",
            "sets = [\n  (3, 5),\n  (1, 4,\n   7),\n  (2,),\n]\n",
            "A: 3 5\nB: 1 4 7\nC: 2\n",
            "A = {3, 5}\nB = {1, 4, 7}\nC = {2}\n",
            "{'A': [3, 5], 'B': [1, 4, 7], 'C': [2]}",
        ] {
            assert_eq!(rows(text), expected, "{text}");
        }
        // A list of two numbers is never a header, and an empty list is a row.
        assert_eq!(rows("[[1, 2], [1], []]"), (2, vec![vec![1, 2], vec![1], vec![]]));
        assert_eq!(read_all_of(read, b"[[5],\n\n [4]]").0.ok().and_then(|cover| cover.line(1)), Some(3));
    }

    #[test]
    fn counted_sets_after_their_sizes_are_recognised() {
        let named = InputOptions { counted_rows: Some(true), ..options() };
        for text in ["5 4\n2 1 4\n3 2 3 5\n1 2\n4 1 2 3 5\n", "4 5\n2 1 4\n3 2 3 5\n1 2\n4 1 2 3 5\n"] {
            let detected = read_all(text.as_bytes(), InputOptions::default());
            assert_eq!(bodies(&detected), bodies(&read_all(text.as_bytes(), named.clone())), "{text}");
            assert!(!bodies(&detected)[0].starts_with("invalid"), "{text}");
        }
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
            ("[[1, 2], 3, [4]]", "line 1 column 10: text between lists"),
            ("[[1, 2],\n [3", "line 2 column 2: text after the lists, or a list that is not closed"),
            ("[[1, 2], [3]] + more", "line 1 column 15: text after the lists, or a list that is not closed"),
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
