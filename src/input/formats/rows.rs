//! Grids over several lines: what the formats with rows share.
//!
//! The cells of a grid may stand in rows or all on one line, with or without blanks and frames between them, with
//! empty lines between rows, bands or grids. A grid ends when it has all its cells; [`RowMachine`](super::row_machine::RowMachine) finds them.

use super::super::cells::Arrangement;
use super::super::grids::GridReader;
use super::super::lines::{is_blank, is_skipped, lines, trim};
use super::super::{Body, Chunk, InputOptions, Record, Records};

/// The text that makes one cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Character,
    /// A word between blanks, commas, semicolons or bars.
    Integer,
}

/// A count with something else on its line, or alone in its source, has at most so many digits; a row of a 9x9 has more.
pub(super) const COUNT_DIGITS: usize = 7;
/// Other numbers are counts up to so many digits.
const NUMBER_DIGITS: usize = 19;

/// The cells of a line: where each begins and ends. Blanks and frames are left out.
///
/// `dashes`: `-` is an empty cell also where a whole line consists of it.
pub(super) fn cells_of(line: &[u8], unit: Unit, dashes: bool) -> impl Iterator<Item = (usize, usize)> {
    let line = if is_frame(line, dashes) { &[] } else { line };
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let &byte = line.get(at)?;
            if is_blank(byte) || byte == b'|' || (unit == Unit::Integer && matches!(byte, b',' | b';')) {
                at += 1;
            } else if is_box_drawing(&line[at..]) {
                at += 3;
            } else {
                break;
            }
        }
        let start = at;
        at += match unit {
            Unit::Character => 1,
            Unit::Integer => line[at..]
                .iter()
                .position(|&byte| is_blank(byte) || matches!(byte, b',' | b';' | b'|'))
                .unwrap_or(line.len() - at),
        };
        Some((start, at))
    })
}

/// True if bytes begin with a character of U+2500 to U+257F.
fn is_box_drawing(bytes: &[u8]) -> bool {
    matches!(bytes, [0xe2, 0x94, ..] | [0xe2, 0x95, 0x80..=0xbf, ..]) && bytes.len() >= 3
}

/// True if a line only separates rows: `+---+---+`, `+--+--+`, `------+------`, `===`, with any corners.
fn is_frame(line: &[u8], dashes: bool) -> bool {
    let line = trim(line);
    (line.windows(3).any(|three| three == b"---" || three == b"===")
        || line.contains(&b'+') && line.len() > 1)
        && line.iter().all(|&byte| is_blank(byte) || b"-=+|:.'`,*".contains(&byte))
        && (!dashes || line.iter().any(|byte| matches!(byte, b'+' | b'=')))
}

/// True if a line shows that `-` is an empty cell: digits or letters stand beside it.
pub(super) fn shows_dashes(line: &[u8]) -> bool {
    line.contains(&b'-') && line.iter().any(u8::is_ascii_alphanumeric)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty())
}

/// The side of a grid that begins with a line of so many cells: one row, or all of it.
pub(super) fn side_of_first(count: usize) -> Option<usize> {
    let root = count.isqrt();
    if InputOptions::is_side(count) {
        return Some(count);
    }
    (InputOptions::is_side(root) && root * root == count).then_some(root)
}

/// The count at the start of a line and where it ends, if the line begins with one.
pub(super) fn count_in(line: &[u8], unit: Unit, side: Option<usize>) -> Option<(u64, usize)> {
    let word = words(line).next()?;
    let is_alone = trim(line).len() == word.len();
    let most = if is_alone { NUMBER_DIGITS } else { COUNT_DIGITS };
    if word.len() > most || !word.iter().all(u8::is_ascii_digit) || (word.len() > 1 && word[0] == b'0') {
        return None;
    }
    let total = cells_of(line, unit, false).count();
    let counts = match unit {
        Unit::Character => {
            let side = side.unwrap_or(9);
            let rest = total - word.len();
            let second = words(line).nth(1).map_or(0, <[u8]>::len);
            rest == 0
                || (!total.is_multiple_of(side) && rest.is_multiple_of(side))
                || (word.len() < second && second + 1 >= side)
        }
        Unit::Integer => {
            let rest = total - 1;
            let sides =
                |count: usize| side_of_first(count).is_some_and(|found| side.is_none_or(|s| s == found));
            rest == 0 || (!sides(total) && sides(rest))
        }
    };
    let value = word.iter().fold(0, |value, digit| 10 * value + u64::from(digit - b'0'));
    let end = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(0) + word.len();
    counts.then_some((value, end))
}

/// Reads a grid of characters.
pub(super) fn parse_characters(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
    records: &mut Records,
) {
    let text = record.puzzle.of(&chunk.bytes);
    let line_end = chunk.layout.line_end;
    let blank = grids.options.blank;
    let dashes = blank == Some(b'-') || rows_of(text, line_end, blank).any(shows_dashes);
    let mut cells = std::mem::take(&mut grids.scratch);
    cells.clear();
    for line in rows_of(text, line_end, blank) {
        cells.extend(cells_of(line, Unit::Character, dashes).map(|(at, _)| line[at]));
    }
    let counts = || {
        let rows = rows_of(text, line_end, blank);
        rows.map(|line| cells_of(line, Unit::Character, dashes).count()).filter(|&count| count > 0)
    };
    let read = match uneven_row(counts) {
        Some(reason) => Err(reason.into()),
        None => grids.grid(&cells, Arrangement::Rows, chunk.layout.symbols, records),
    };
    grids.scratch = cells;
    match read {
        Ok(grid) => (record.body, record.symbols) = (grid.body, grid.symbols),
        Err(reason) => record.body = Body::Invalid(Box::new(reason)),
    }
}

/// Reads a grid of integers.
pub(super) fn parse_integers(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
    records: &mut Records,
) {
    let text = record.puzzle.of(&chunk.bytes);
    let blank = grids.options.blank;
    let mut words: Vec<&[u8]> = Vec::new();
    for line in rows_of(text, chunk.layout.line_end, blank) {
        words.extend(cells_of(line, Unit::Integer, false).map(|(start, end)| &line[start..end]));
    }
    let counts = || {
        let rows = rows_of(text, chunk.layout.line_end, blank);
        rows.map(|line| cells_of(line, Unit::Integer, false).count()).filter(|&count| count > 0)
    };
    let read = match uneven_row(counts) {
        Some(reason) => Err(reason.into()),
        None => grids.grid_of_integers(&words, records),
    };
    match read {
        Ok(grid) => (record.body, record.symbols) = (grid.body, grid.symbols),
        Err(reason) => record.body = Body::Invalid(Box::new(reason)),
    }
}

/// The lines of a record without its comments.
fn rows_of(text: &[u8], line_end: u8, blank: Option<u8>) -> impl Iterator<Item = &[u8]> {
    lines(text, line_end).map(|(_, line)| line).filter(move |line| !is_skipped(line, blank))
}

/// Returns a message about the first row of another length, where the rows (a number of cells each) do not make a grid.
fn uneven_row<I: Iterator<Item = usize>>(rows: impl Fn() -> I) -> Option<String> {
    let total: usize = rows().sum();
    let side = total.isqrt();
    if side * side == total && rows().all(|count| count.is_multiple_of(side)) {
        return None;
    }
    let counts: Vec<usize> = rows().take(MANY_ROWS).collect();
    let usual = counts.iter().max_by_key(|&&count| counts.iter().filter(|&&other| other == count).count())?;
    if counts.len() < 4 || total == usual * usual {
        return None;
    }
    let (row, cells) = counts.iter().enumerate().find(|&(_, count)| count != usual)?;
    Some(format!("row {} has {cells} {}, not {usual}", row + 1, Arrangement::Rows.noun(*cells)))
}

/// More rows than any grid has.
const MANY_ROWS: usize = 64;
