//! The format and layout of a source, decided from its first record or its first 64 KiB, and never from the number of
//! bytes that have arrived.

use std::borrow::Cow;

use super::cells::BLANKS;
use super::head::Head;
use super::lines::{line_end_of, trim};
use super::{Format, InputOptions, Layout, formats};
use crate::model::{Alphabet, MAX_SIDE, Symbols};
use crate::rules::are_rules;

/// Bytes at the start of a source that decide.
pub(super) const HEAD_BYTES: usize = 64 << 10;

/// The format by a source's name: Knuth's files of exact cover problems often have nothing else that makes them
/// different from lines of words.
pub(super) fn format_of(name: &str) -> Option<Format> {
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    name.ends_with(".dlx").then_some(Format::Dlx)
}

/// Decides on the layout of a source.
///
/// `complete`: the head will not grow; it is [`HEAD_BYTES`] long or the `whole` source. `None` asks for
/// more; less than the head does where the format is named and the first record is known, and where that is a plain 9x9
/// on a line, which decides whatever follows.
///
/// # Errors
/// The reason why the source cannot be read as asked.
pub(super) fn layout(
    head: &[u8],
    complete: bool,
    whole: bool,
    options: &InputOptions,
) -> Result<Option<Layout>, String> {
    let Some(line_end) = line_end_of(head, complete) else { return Ok(None) };
    let head = Head { bytes: head, line_end, whole, options };
    let is_line = || (starts_with_puzzle(&head) || starts_with_rules(&head)).then_some(Format::Line);
    let format = match options.format.or_else(is_line) {
        Some(format) => format,
        None if !complete => return Ok(None),
        None => {
            let table = formats::table();
            table.iter().find(|row| (row.sniff)(&head)).map_or(Format::Line, |row| row.format)
        }
    };
    if !complete && head.contents().next().is_none() {
        return Ok(None);
    }
    let mut layout = Layout { format, line_end, ..Layout::default() };
    if !(formats::row(format).describe)(&head, complete, &mut layout)? {
        return Ok(None);
    }
    match (options.symbols, first_is_large(&head, &layout)) {
        (Some(alphabet), _) => layout.symbols = Some(Symbols { alphabet, lower_case: false }),
        _ if !formats::row(format).has_symbols => {}
        // All of the head decides or nothing, so that the answers do not depend on what has arrived.
        (None, Some(true) | None) if !complete => return Ok(None),
        (None, Some(true)) => layout.symbols = symbols_of(&head, format),
        (None, _) => {}
    }
    Ok(Some(layout))
}

/// True if the first record is a line of 81 cells, some of them clues, and nothing else: other formats do not begin so.
fn starts_with_puzzle(head: &Head<'_>) -> bool {
    let is_empty = |byte: u8| BLANKS.contains(&byte) || head.options.blank == Some(byte);
    let first = head.contents().next().map(trim);
    first.is_some_and(|line| {
        line.len() == 81
            && line.iter().all(|&byte| byte.is_ascii_digit() || is_empty(byte))
            && line.iter().any(|byte| (b'1'..=b'9').contains(byte))
    })
}

/// True if the first record is a constraint string, whatever its length: no other format has such a line.
fn starts_with_rules(head: &Head<'_>) -> bool {
    let first = head.contents().next().map(trim);
    first.is_some_and(are_rules)
}

/// Fewer cells are no row: a count, a frame.
const FEW_CELLS: usize = InputOptions::SMALLEST_SIDE;

/// True if the first line with cells belongs to a grid above side 9, or where it cannot be a row, the second one; `None`
/// where there is no such line yet.
fn first_is_large(head: &Head<'_>, layout: &Layout) -> Option<bool> {
    let mut lines = head.numbered().filter(|&(number, _)| layout.header_line != Some(number));
    let count = |line: &[u8]| formats::cells_of(line, false).count();
    let (_, mut line) = lines.find(|(_, line)| count(line) >= FEW_CELLS)?;
    let may_be_row = |count: usize| InputOptions::is_side(count) || InputOptions::is_side(count.isqrt());
    if is_in_rows(layout.format) && !may_be_row(count(line)) {
        (_, line) = lines.find(|(_, line)| count(line) >= FEW_CELLS)?;
    }
    Some(large_grids(line, layout.format).next().is_some())
}

/// True if grids of a format stand in rows of their own.
fn is_in_rows(format: Format) -> bool {
    !matches!(format, Format::Line | Format::Csv | Format::Jsonl)
}

/// The words of a line that may be grids above side 9 or rows of them, with their sides.
fn large_grids(line: &[u8], format: Format) -> impl Iterator<Item = (usize, Cow<'_, [u8]>)> {
    let separates = |byte: &u8| byte.is_ascii_whitespace() || b",;\"".contains(byte);
    let rows = is_in_rows(format);
    // Rows with blanks and frames between the cells count as one word.
    let joined: Vec<u8> = formats::cells_of(line, false).map(|(at, _)| line[at]).collect();
    let row = (rows && joined.len() < line.len() && joined.len() <= MAX_SIDE).then_some(Cow::Owned(joined));
    line.split(separates).map(Cow::Borrowed).chain(row).filter_map(move |word| {
        let root = word.len().isqrt();
        let side = if root * root == word.len() && root > 9 { root } else { word.len() };
        let is_cell = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
        (side > 9 && (rows || side != word.len()) && InputOptions::is_side(side) && word.iter().all(is_cell))
            .then_some((side, word))
    })
}

/// The alphabet of the grids above side 9 in a head, where their characters leave no doubt.
///
/// Such a grid is a word of as many characters as it has cells, or of as many as it has rows.
fn symbols_of(head: &Head<'_>, format: Format) -> Option<Symbols> {
    let words = || head.contents().flat_map(|line| large_grids(line, format));
    // Most of them have the side of the grids.
    let mut times = [0; MAX_SIDE + 1];
    words().for_each(|(side, _)| times[side] += 1);
    let side = words()
        .map(|(side, _)| side)
        .reduce(|one, other| if times[other] > times[one] { other } else { one })?;
    // The letter that is the last digit after 1-9.
    let last = b'A' - 1 + (side - 9).min(26) as u8;
    // Per line the characters of its grids or rows, a bit each: all are ASCII.
    let characters = |line| {
        let words = large_grids(line, format).filter(|(here, _)| *here == side);
        words.fold(0u128, |set, (_, word)| word.iter().fold(set, |set, &byte| set | 1 << (byte & 127)))
    };
    let lines: Vec<u128> = head.contents().map(characters).filter(|&set| set != 0).collect();
    // One line of three or more may be a stray one: what only one has says nothing.
    let at_least = if lines.len() > 2 { 2 } else { 1 };
    let enough_have = |is_such: &dyn Fn(u8) -> bool| {
        let these = (0..128).filter(|&byte| is_such(byte)).fold(0u128, |set, byte| set | 1 << byte);
        lines.iter().filter(|&&set| set & these != 0).count() >= at_least
    };
    let digits = enough_have(&|byte| (b'1'..=b'9').contains(&byte));
    let beyond = enough_have(&|byte| byte.is_ascii_alphabetic() && byte.to_ascii_uppercase() > last);
    let to_the_last = enough_have(&|byte| byte.to_ascii_uppercase() == last);
    let other_blanks = enough_have(&|byte| byte != b'0' && BLANKS.contains(&byte));
    let any_zero = lines.iter().any(|set| set >> b'0' & 1 != 0);
    let alphabet = match (digits, beyond) {
        (false, true) => Alphabet::Letters,
        (true, false) if to_the_last => Alphabet::FromOne,
        (true, false) if any_zero && other_blanks => Alphabet::FromZero,
        _ => return None,
    };
    let lower = enough_have(&|byte| byte.is_ascii_lowercase());
    Some(Symbols { alphabet, lower_case: lower && !enough_have(&|byte| byte.is_ascii_uppercase()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(text: &str) -> Option<Symbols> {
        layout(text.as_bytes(), true, true, &InputOptions::default()).unwrap().unwrap().symbols
    }

    #[test]
    fn alphabets_are_taken_from_the_head_where_they_are_clear() {
        let with = |letters: &str| format!("{letters}{}\n", ".".repeat(256 - letters.len()));
        let alphabet = |text: &str| symbols(text).map(|symbols| symbols.alphabet);
        assert_eq!(alphabet(&with("19AG")), Some(Alphabet::FromOne));
        assert_eq!(alphabet(&with("109AF")), Some(Alphabet::FromZero));
        assert_eq!(alphabet(&with("ABCP")), Some(Alphabet::Letters));
        assert_eq!(alphabet(&with("ABC")), None);
        assert_eq!(alphabet(&with("19AF")), None);
        assert_eq!(alphabet(&with("19AP")), None);
        assert_eq!(alphabet(&with("019AG")), Some(Alphabet::FromOne));
        assert_eq!(alphabet(&with("19AF").replace('.', "0")), None);
        assert_eq!(alphabet(&format!("id,puzzle\n1,{}", with("ABCP"))), Some(Alphabet::Letters));
        assert_eq!(alphabet(&format!("AY{}\n", "0".repeat(623))), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"P...ABC..ABC..AB\n".repeat(16)), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"P... ABC. .ABC ..AB\n".repeat(16)), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"|P...|ABC.|.ABC|..AB|\n".repeat(16)), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"1".repeat(81)), None);
        // One line that is something else decides nothing, also where its row counts twice.
        let rows = |row: &str, stray: &str| {
            format!("{}{stray}\n{}", format!("{row}\n").repeat(9), format!("{row}\n").repeat(7))
        };
        for stray in ["B????B?003B????B", "B????B?003B????B "] {
            assert_eq!(alphabet(&rows("1AF0000000000000", stray)), None);
        }
        // One zero among other blanks is a digit.
        assert_eq!(alphabet(&rows("1AF.............", "1A0F............")), Some(Alphabet::FromZero));
        let record = |grid: &str| format!("{grid},{}\n", "9AF0".repeat(64));
        let table = format!(
            "puzzle,solution\n{}{}{}",
            record(with("109AF").trim()),
            record(with("1P").trim()),
            record(with("109AF").trim())
        );
        assert_eq!(alphabet(&table), Some(Alphabet::FromZero));
        assert_eq!(alphabet(&rows("1AF0............", "1AG0............")), Some(Alphabet::FromZero));
        assert_eq!(alphabet(&rows("ABCP............", "1...............")), Some(Alphabet::Letters));
        assert_eq!(alphabet(&rows("19AG............", "AAAZ............")), Some(Alphabet::FromOne));
        assert!(symbols(&rows("abcp............", "ABCP............")).unwrap().lower_case);
        assert!(symbols(&with("abcp")).unwrap().lower_case);
    }
}
