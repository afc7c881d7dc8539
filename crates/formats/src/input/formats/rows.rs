//! Grids over several lines: what the formats with rows share.
//!
//! The cells of a grid may stand in rows or all on one line, with or without blanks and frames between them, with
//! empty lines between rows, bands or grids. A grid ends when it has all its cells; [`RowMachine`](super::row_machine::RowMachine) finds them.

use super::super::cells::Arrangement;
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::{is_blank, is_skipped, lines, trim};
use super::super::{Body, Chunk, InputOptions, Layout, Record, Records};

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
    if InputOptions::is_side(count) { Some(count) } else { InputOptions::side_of_cells(count) }
}

/// True if a line of so many cells may hold whole grids: one of any side, or several of that which is asked for, or 9.
fn are_whole_grids(count: usize, asked: Option<usize>) -> bool {
    let side = asked.unwrap_or(9);
    count > 0 && count.is_multiple_of(side * side)
        || asked.is_none() && InputOptions::side_of_cells(count).is_some()
}

/// True if one of the first lines is a heading: the first of all, or one with a row on one of the two lines behind it.
pub(super) fn has_heading(head: &Head<'_>, most_lines: usize, is_heading: impl Fn(&[u8]) -> bool) -> bool {
    let lines: Vec<&[u8]> = head.contents().take(most_lines).collect();
    let is_row = |line: &&[u8]| InputOptions::is_side(cells_of(line, Unit::Character, false).count());
    let has_rows = |at: usize| at == 0 || lines[at + 1..].iter().take(2).any(is_row);
    (0..lines.len()).any(|at| is_heading(lines[at]) && has_rows(at))
}

/// The number that is the first word of a line, and where it ends.
pub(super) fn number_at(line: &[u8], most_digits: usize) -> Option<(u64, usize)> {
    let word = words(line).next()?;
    if word.len() > most_digits || !word.iter().all(u8::is_ascii_digit) || word.len() > 1 && word[0] == b'0' {
        return None;
    }
    let value = word.iter().fold(0, |value, digit| 10 * value + u64::from(digit - b'0'));
    let end = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(0) + word.len();
    Some((value, end))
}

/// The number that a line is.
pub(super) fn number_alone(line: &[u8]) -> Option<u64> {
    let (value, end) = number_at(line, NUMBER_DIGITS)?;
    trim(&line[end..]).is_empty().then_some(value)
}

/// The count at the start of the first line, with cells behind it, and where it ends: what is behind it is whole grids, and most
/// of the three lines that follow are not longer ones, or it is as long as most of them, which the line with its number is not.
///
/// `None` where the lines, which are not `complete`, do not tell yet.
pub(super) fn count_before_cells<'a>(
    mut lines: impl Iterator<Item = &'a [u8]>,
    unit: Unit,
    asked: Option<usize>,
    complete: bool,
) -> Option<Option<(u64, usize)>> {
    let cells = |line: &[u8]| cells_of(line, unit, false).count();
    let Some(first) = lines.next() else { return complete.then_some(None) };
    let Some((value, end)) = number_at(first, COUNT_DIGITS) else { return Some(None) };
    let (total, rest) = (cells(first), cells(&first[end..]));
    if value == 0 || rest == 0 || are_whole_grids(total, asked) {
        return Some(None);
    }
    let behind: Vec<&[u8]> = lines.filter(|line| cells(line) > 0).take(LINES_BEHIND).collect();
    if behind.len() < LINES_BEHIND && !complete {
        return None;
    }
    let alike = |count: usize| behind.iter().filter(|line| cells(line) == count).count();
    if are_whole_grids(rest, asked) && !InputOptions::is_side(total) {
        // Where most lines behind are longer, and alike, it is what is left of one of those.
        let is_cut = behind
            .iter()
            .map(|line| cells(line))
            .any(|count| count > total && 2 * alike(count) > behind.len());
        return Some((!is_cut).then_some((value, end)));
    }
    // A row that lacks a cell, behind a number that is shorter.
    let is_apart = || {
        let second = words(&first[end..]).next().map_or(0, <[u8]>::len);
        let longest = behind.first().and_then(|line| words(line).map(<[u8]>::len).max());
        unit == Unit::Character
            && words(first).next().is_some_and(|word| word.len() < second)
            && second + 1 >= longest.unwrap_or(9)
    };
    let is_count = match (alike(rest), alike(total)) {
        (0, 0) => is_apart(),
        (rest, total) => rest > total,
    };
    Some(is_count.then_some((value, end)))
}

/// Lines that tell whether the first one holds a count.
pub(super) const LINES_BEHIND: usize = 3;

/// True if lines as long as a row of a large grid are small grids: as many of them as have digits beyond the small ones, or more, have
/// a digit twice, which no row has. (A line that is damaged has what no other has.)
pub(super) fn are_small_grids(beyond: usize, no_rows: usize) -> bool {
    beyond == 0 || beyond < no_rows
}

/// True if one of some digits stands there twice.
pub(super) fn has_a_digit_twice(mut digits: impl Iterator<Item = u8>) -> bool {
    let mut seen = [false; 256];
    digits.any(|digit| std::mem::replace(&mut seen[usize::from(digit)], true))
}

/// Adds to a layout whether the first line holds a count and cells; `false` where the head stops too soon.
pub(super) fn describe_count(head: &Head<'_>, unit: Unit, complete: bool, layout: &mut Layout) -> bool {
    match count_before_cells(head.contents(), unit, head.options.asked_side(), complete) {
        Some(count) => {
            layout.count_bytes = count.map_or(0, |(_, end)| end);
            true
        }
        None => false,
    }
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
