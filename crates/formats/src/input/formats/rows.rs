//! Grids over several lines: code shared by the formats with rows.
//!
//! The cells of a grid may be in rows or all on one line, with or without blanks and frames between them. Empty lines
//! may separate rows, bands or grids. A grid ends when it has all its cells;
//! [`RowMachine`](super::row_machine::RowMachine) finds the grids.

use super::super::cells::{Arrangement, BLANKS};
use super::super::characters::{Meaning, first_wide, meaning_of};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::{is_blank, is_skipped, lines, trim};
use super::super::{Body, Chunk, InputOptions, Layout, Record, Records};

/// The text that makes up one cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Character,
    /// A word between blanks, commas, semicolons or bars.
    Integer,
}

/// Maximum digits of a count that shares its line with text, or is alone in its source.
///
/// A row of a 9x9 has more.
pub(super) const COUNT_DIGITS: usize = 7;
/// Maximum digits of any other count.
const NUMBER_DIGITS: usize = 19;

/// Returns the start and end of each cell of a line, as byte offsets. Blanks and frames are left out.
///
/// Characters in `shown` are empty cells even in a line that consists of them.
pub(super) fn cells_of(line: &[u8], unit: Unit, shown: Shown) -> impl Iterator<Item = (usize, usize)> {
    let line = if is_frame(line, shown) { &[] } else { line };
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let &byte = line.get(at)?;
            if is_blank(byte) || byte == b'|' || (unit == Unit::Integer && matches!(byte, b',' | b';')) {
                at += 1;
            } else if let Some((_, len)) = first_wide(&line[at..]).filter(|&(wide, _)| !is_cell(wide)) {
                at += len;
            } else {
                break;
            }
        }
        let start = at;
        at += match unit {
            Unit::Character => first_wide(&line[at..]).map_or(1, |(_, len)| len),
            Unit::Integer => line[at..]
                .iter()
                .position(|&byte| is_blank(byte) || matches!(byte, b',' | b';' | b'|'))
                .unwrap_or(line.len() - at),
        };
        Some((start, at))
    })
}

/// Returns true if a character that is not ASCII may be a cell: it is neither a part of a frame nor blank.
fn is_cell(wide: char) -> bool {
    matches!(meaning_of(wide), Meaning::Cell(_) | Meaning::Other)
}

/// Returns true if a line only separates rows: `+---+---+`, `+--+--+`, `------+------`, `===`, with any corners.
///
/// A line of stars or the like is one too where empty cells are other characters.
fn is_frame(line: &[u8], shown: Shown) -> bool {
    let line = trim(line);
    let is_drawn = (line.windows(3).any(|three| three == b"---" || three == b"===")
        || line.contains(&b'+') && line.len() > 1)
        && line.iter().all(|&byte| is_blank(byte) || b"-=+|:.'`,*".contains(&byte))
        && (!shown.has(b'-') || line.iter().any(|byte| matches!(byte, b'+' | b'=')));
    let is_ruler = |byte: &u8| b"_*?".contains(byte) && !shown.has(*byte) && !shown.is_nothing();
    is_drawn || line.len() > 2 && line.iter().all(|byte| is_ruler(byte) || is_blank(*byte))
}

/// The characters that a source uses for empty cells: those next to digits or letters on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Shown(pub(in super::super) u8);

impl Shown {
    /// Nothing is known to be an empty cell.
    pub(in super::super) const NOTHING: Shown = Shown(0);

    /// Returns the characters that lines show, with the caller's own.
    pub(in super::super) fn by<'a>(lines: impl Iterator<Item = &'a [u8]>, blank: Option<u8>) -> Self {
        let own = BLANKS.iter().position(|&byte| Some(byte) == blank).map_or(0, |at| 1 << at);
        lines.fold(Shown(own), |shown, line| shown.and(line))
    }

    /// Adds the characters that a line shows.
    pub(super) fn and(self, line: &[u8]) -> Self {
        let mut shown = self.0;
        if line.iter().any(u8::is_ascii_alphanumeric) {
            for (at, _) in BLANKS.iter().enumerate().filter(|(_, byte)| line.contains(byte)) {
                shown |= 1 << at;
            }
        }
        Shown(shown)
    }

    fn has(self, byte: u8) -> bool {
        BLANKS.iter().position(|&blank| blank == byte).is_some_and(|at| self.0 >> at & 1 > 0)
    }

    fn is_nothing(self) -> bool {
        self == Shown::NOTHING
    }
}

/// Returns true if a line is text: at most as long as a row of a 9x9, with only letters, blanks and colons.
pub(super) fn is_text(line: &[u8]) -> bool {
    let letters = line.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let others = line.iter().filter(|&&byte| !is_blank(byte) && byte != b':').count();
    (3..=9).contains(&letters) && letters == others
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty())
}

/// Returns the side of a grid whose first line has `count` cells, or `None`.
///
/// The line is one row, or the whole grid.
pub(super) fn side_of_first(count: usize) -> Option<usize> {
    if InputOptions::is_side(count) { Some(count) } else { InputOptions::side_of_cells(count) }
}

/// Returns true if a line of `count` cells may be whole grids.
///
/// That is one grid of any side, or several of side `asked` or 9.
fn are_whole_grids(count: usize, asked: Option<usize>) -> bool {
    let side = asked.unwrap_or(9);
    count > 0 && count.is_multiple_of(side * side)
        || asked.is_none() && InputOptions::side_of_cells(count).is_some()
}

/// Returns true if the first `most_lines` lines have a heading.
///
/// It must be the first line, or have a row of a grid in the two lines after it.
pub(super) fn has_heading(head: &Head<'_>, most_lines: usize, is_heading: impl Fn(&[u8]) -> bool) -> bool {
    let lines: Vec<&[u8]> = head.contents().take(most_lines).collect();
    let is_row =
        |line: &&[u8]| InputOptions::is_side(cells_of(line, Unit::Character, Shown::NOTHING).count());
    let has_rows = |at: usize| at == 0 || lines[at + 1..].iter().take(2).any(is_row);
    (0..lines.len()).any(|at| is_heading(lines[at]) && has_rows(at))
}

/// Returns the number that begins a line and the byte offset of its end, or `None`.
pub(super) fn number_at(line: &[u8], most_digits: usize) -> Option<(u64, usize)> {
    let word = words(line).next()?;
    if word.len() > most_digits || !word.iter().all(u8::is_ascii_digit) || word.len() > 1 && word[0] == b'0' {
        return None;
    }
    let value = word.iter().fold(0, |value, digit| 10 * value + u64::from(digit - b'0'));
    let end = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(0) + word.len();
    Some((value, end))
}

/// Returns the number that is all of a line, or `None`.
pub(super) fn number_alone(line: &[u8]) -> Option<u64> {
    let (value, end) = number_at(line, NUMBER_DIGITS)?;
    trim(&line[end..]).is_empty().then_some(value)
}

/// Returns the count at the start of the first line and its end, if cells follow it there.
///
/// These cells must be whole grids, and most of the next three lines must not be longer. Or most of these lines must
/// have the same length as the cells, and not that of the whole line. `None` means that more bytes are needed;
/// `Some(None)` means that the line has no count.
pub(super) fn count_before_cells<'a>(
    mut lines: impl Iterator<Item = &'a [u8]>,
    unit: Unit,
    asked: Option<usize>,
    complete: bool,
) -> Option<Option<(u64, usize)>> {
    let cells = |line: &[u8]| cells_of(line, unit, Shown::NOTHING).count();
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
        // If most lines that follow are longer and equal, the first line is one of them that was cut.
        let is_cut = behind
            .iter()
            .map(|line| cells(line))
            .any(|count| count > total && 2 * alike(count) > behind.len());
        return Some((!is_cut).then_some((value, end)));
    }
    // Returns true if a number is followed by a longer word that is a row or lacks one cell of it.
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

/// Number of lines that decide whether the first line begins with a count.
pub(super) const LINES_BEHIND: usize = 3;

/// Returns true if lines that could be rows of a large grid are small whole grids.
///
/// `beyond` is the number of lines with digits above the small side, `no_rows` that of lines with a repeated digit,
/// which no row has. Comparing the two tolerates single damaged lines.
pub(super) fn are_small_grids(beyond: usize, no_rows: usize) -> bool {
    beyond == 0 || beyond < no_rows
}

/// Returns true if some digit occurs twice.
pub(super) fn has_a_digit_twice(mut digits: impl Iterator<Item = u8>) -> bool {
    let mut seen = [false; 256];
    digits.any(|digit| std::mem::replace(&mut seen[usize::from(digit)], true))
}

/// Adds the count on the first line, if cells follow it there, to a layout. Returns false if more bytes are needed.
pub(super) fn describe_count(head: &Head<'_>, unit: Unit, complete: bool, layout: &mut Layout) -> bool {
    match count_before_cells(head.contents(), unit, head.options.asked_side(), complete) {
        Some(count) => {
            layout.count_bytes = count.map_or(0, |(_, end)| end);
            true
        }
        None => false,
    }
}

/// Reads a grid written in characters.
pub(super) fn parse_characters(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
    records: &mut Records,
) {
    let text = record.puzzle.slice(&chunk.bytes);
    let line_end = chunk.layout.line_end;
    let blank = grids.options.blank;
    let of_source = chunk.layout.blanks;
    let shown = Shown(Shown::by(rows_of(text, line_end, blank), blank).0 | of_source);
    let mut cells = std::mem::take(&mut grids.scratch);
    cells.clear();
    for line in rows_of(text, line_end, blank) {
        cells.extend(cells_of(line, Unit::Character, shown).flat_map(|(start, end)| &line[start..end]));
    }
    let counts = || {
        let rows = rows_of(text, line_end, blank);
        rows.map(|line| cells_of(line, Unit::Character, shown).count()).filter(|&count| count > 0)
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

/// Reads a grid written in integers.
pub(super) fn parse_integers(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
    records: &mut Records,
) {
    let text = record.puzzle.slice(&chunk.bytes);
    let blank = grids.options.blank;
    let mut words: Vec<&[u8]> = Vec::new();
    for line in rows_of(text, chunk.layout.line_end, blank) {
        words.extend(cells_of(line, Unit::Integer, Shown::NOTHING).map(|(start, end)| &line[start..end]));
    }
    let counts = || {
        let rows = rows_of(text, chunk.layout.line_end, blank);
        rows.map(|line| cells_of(line, Unit::Integer, Shown::NOTHING).count()).filter(|&count| count > 0)
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

/// Returns the lines of a record that are neither comments nor empty.
fn rows_of(text: &[u8], line_end: u8, blank: Option<u8>) -> impl Iterator<Item = &[u8]> {
    lines(text, line_end).map(|(_, line)| line).filter(move |line| !is_skipped(line, blank))
}

/// Returns a message about the first row of unusual length, or `None` if the rows can be a grid.
fn uneven_row<I: Iterator<Item = usize>>(rows: impl Fn() -> I) -> Option<String> {
    let total: usize = rows().sum();
    let side = total.isqrt();
    if side * side == total && rows().all(|count| count.is_multiple_of(side)) {
        return None;
    }
    let counts: Vec<usize> = rows().take(ROWS_COMPARED).collect();
    let usual = counts.iter().max_by_key(|&&count| counts.iter().filter(|&&other| other == count).count())?;
    if counts.len() < 4 || total == usual * usual {
        return None;
    }
    let (row, cells) = counts.iter().enumerate().find(|&(_, count)| count != usual)?;
    Some(format!("row {} has {cells} {}, not {usual}", row + 1, Arrangement::Rows.noun(*cells)))
}

/// More rows than a grid can have.
const ROWS_COMPARED: usize = 64;
