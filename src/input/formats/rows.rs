//! Grids over several lines: what the formats with rows share.
//!
//! The cells of a grid may stand in rows or all on one line, with or without blanks and frames between them, with
//! empty lines between rows, bands or grids. A grid ends when it has all its cells. Where a line has another
//! number of cells than a row, the grid ends after as many lines as it has rows (or at an empty line) and is
//! invalid: one bad row does not move the grids behind it.
//!
//! What an empty line means is learned from the first whole grid: there it may stand behind every row or behind
//! every band; later it ends a grid wherever the first one had none.

use super::super::cells::Arrangement;
use super::super::cutter::{Begin, Line, LineMachine, Out};
use super::super::grids::GridReader;
use super::super::lines::{is_blank, is_skipped, lines, trim};
use super::super::{Body, Chunk, InputOptions, Record, Records};
use crate::model::Geometry;

/// The way in which a format writes its grids.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// A count of the grids may come first.
    pub(super) counted: bool,
    pub(super) unit: Unit,
    /// Returns the meaning of a line for the grids behind it.
    pub(super) heading: fn(&[u8]) -> Heading,
}

/// The text that makes one cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Character,
    /// A word between blanks, commas, semicolons or bars.
    Integer,
}

/// The meaning of a line for the grids behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    /// Nothing: cells, frames, comments.
    Absent,
    /// The record of one grid begins here.
    Name,
    /// A section whose rows are puzzles.
    Puzzles,
    /// A section of something else.
    Other,
}

/// No line is a heading.
pub(super) fn no_heading(_: &[u8]) -> Heading {
    Heading::Absent
}

/// A count has at most so many digits; a row of a 9x9 has more.
const COUNT_DIGITS: usize = 7;

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

/// True if a line only separates rows: `+---+---+`, `------+------`, `===`, with any corners.
fn is_frame(line: &[u8], dashes: bool) -> bool {
    let line = trim(line);
    (line.windows(3).any(|three| three == b"---" || three == b"==="))
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
    if word.len() > COUNT_DIGITS || !word.iter().all(u8::is_ascii_digit) {
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

/// Finds grids line by line.
pub(super) struct RowMachine {
    style: Style,
    /// The side that the caller asked for.
    asked: Option<usize>,
    /// The side of the last whole grid.
    usual: Option<usize>,
    /// `None` until the first line with text; `Some(None)` where there is no count.
    count: Option<Option<u64>>,
    found: u64,
    /// Grids to be answered as missing; known at the end.
    missing: Option<u64>,
    grid: Option<Open>,
    /// Rows belong to puzzles: false inside a section of something else.
    wanted: bool,
    /// `-` was seen as an empty cell.
    dashes: bool,
    /// Empty lines may stand behind every row, behind every band.
    spread: bool,
    banded: bool,
}

/// A grid that is not complete.
struct Open {
    begin: Begin,
    end: u64,
    side: usize,
    /// Rows so far; a line of several rows' cells counts as so many, any other as one.
    rows: usize,
    /// A line had another number of cells than whole rows have.
    uneven: bool,
    /// An empty line stood behind a band.
    gaps: bool,
    /// The second row has so many cells, the first has not.
    doubt: Option<usize>,
}

impl RowMachine {
    pub(super) fn new(style: Style, options: &InputOptions) -> Self {
        RowMachine {
            style,
            asked: options.asked_side(),
            usual: None,
            count: if style.counted { None } else { Some(None) },
            found: 0,
            missing: None,
            grid: None,
            wanted: true,
            dashes: options.blank == Some(b'-'),
            spread: false,
            banded: true,
        }
    }

    /// A grid ends here, complete or not.
    fn finish(&mut self, out: &mut Out<'_>) {
        let Some(grid) = self.grid.take() else { return };
        self.found += 1;
        if !grid.uneven && grid.rows >= grid.side {
            if self.usual.is_none() {
                self.banded = grid.gaps;
            }
            self.usual = Some(grid.side);
        }
        if self.count.flatten().is_none_or(|count| self.found <= count) {
            out.record(grid.begin, grid.end, None);
        }
    }

    /// The side of a grid whose first line has so many cells.
    fn side_of(&self, count: usize) -> usize {
        let usual = self.usual.filter(|side| count.is_multiple_of(side * side));
        self.asked.or(usual).or_else(|| side_of_first(count)).or(self.usual).unwrap_or(9)
    }

    /// Takes a line that holds cells behind `from`.
    fn cells(&mut self, line: Line<'_>, from: usize, count: usize, out: &mut Out<'_>) {
        let Style { unit, .. } = self.style;
        let fresh = self.grid.as_ref().is_none_or(|grid| grid.rows == 0);
        let side = match &self.grid {
            Some(grid) if !fresh => grid.side,
            _ => self.side_of(count),
        };
        let all = side * side;
        let text = &line.text[from..];
        let start = line.start + from as u64;
        if self.grid.is_none() && count > all && count.is_multiple_of(all) {
            // Several grids on one line.
            let dashes = self.dashes;
            let mut places = cells_of(text, unit, dashes);
            while let Some((first, end)) = places.next() {
                let (_, last) = places.nth(all - 2).unwrap_or((first, end));
                self.grid = Some(Open {
                    begin: Begin { byte: start + first as u64, line: line.number },
                    end: start + last as u64,
                    side,
                    rows: side,
                    uneven: false,
                    gaps: false,
                    doubt: None,
                });
                self.finish(out);
            }
            return;
        }
        let blank_front = text.iter().take_while(|&&byte| is_blank(byte)).count();
        let begin = Begin { byte: start + blank_front as u64, line: line.number };
        let end = line.start + trim_end(line.text) as u64;
        let usual = self.asked.or(self.usual);
        let grid = self.grid.get_or_insert(Open {
            begin,
            end,
            side,
            rows: 0,
            uneven: false,
            gaps: false,
            doubt: None,
        });
        if fresh {
            grid.side = side;
        } else if grid.rows == 1 && count != grid.side {
            // One of the first two rows has a cell too many or too few; the third decides which, where no grid before
            // does.
            match usual {
                Some(usual) => grid.side = usual,
                None => grid.doubt = InputOptions::is_side(count).then_some(count),
            }
            grid.uneven = true;
        } else if grid.rows == 2 && grid.doubt == Some(count) {
            grid.side = count;
        }
        let side = grid.side;
        grid.end = end;
        grid.uneven |= !count.is_multiple_of(side);
        grid.rows += ((count + side / 2) / side).max(1);
        if grid.rows >= side {
            self.finish(out);
        }
    }

    /// An empty line.
    fn gap(&mut self, out: &mut Out<'_>) {
        let first = self.usual.is_none() && self.found == 0;
        let Some(grid) = &mut self.grid else { return };
        if grid.rows == 0 {
            return;
        }
        // An empty line may stand between bands, and behind every row of a source that does so from the start.
        self.spread |= first && grid.rows == 1 && !grid.uneven;
        let band = Geometry::default_box(grid.side).is_some_and(|(rows, _)| grid.rows.is_multiple_of(rows));
        let band = band && !grid.uneven && self.banded;
        grid.gaps |= band;
        if !self.spread && !band {
            self.finish(out);
        }
    }

    fn heading(&mut self, heading: Heading, line: Line<'_>, out: &mut Out<'_>) {
        self.finish(out);
        out.done(line.start, line.number);
        self.wanted = heading != Heading::Other;
        if heading == Heading::Name {
            let begin = Begin { byte: line.start, line: line.number };
            let end = line.start + trim_end(line.text) as u64;
            self.grid = Some(Open { begin, end, side: 9, rows: 0, uneven: false, gaps: false, doubt: None });
        }
    }
}

/// Returns the offset behind a line's last character that is no blank.
fn trim_end(line: &[u8]) -> usize {
    line.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}

impl LineMachine for RowMachine {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        let Style { unit, heading, .. } = self.style;
        let heading = heading(line.text);
        let skipped = is_skipped(line.text);
        let mut from = 0;
        if self.count.is_none() && !skipped {
            let count = count_in(line.text, unit, self.asked);
            from = count.map_or(0, |(_, end)| end);
            self.count = Some(count.map(|(value, _)| value));
        }
        if heading != Heading::Absent {
            self.heading(heading, line, out);
        } else if trim(line.text).is_empty() {
            self.gap(out);
        } else if !skipped && self.wanted {
            self.dashes |= unit == Unit::Character && shows_dashes(line.text);
            let count = cells_of(&line.text[from..], unit, self.dashes).count();
            if count > 0 {
                self.cells(line, from, count, out);
            }
        }
        if self.grid.is_none() {
            out.done(line.next, line.number + 1);
        }
    }

    fn end(&mut self, next: u64, next_line: u64, out: &mut Out<'_>) -> bool {
        if self.grid.is_some() {
            self.finish(out);
            out.done(next, next_line);
            return false;
        }
        let Some(count) = self.count.flatten() else { return true };
        let found = self.found;
        if found > count {
            let ignored = found - count;
            let grids = if ignored == 1 { "grid is" } else { "grids are" };
            out.warn(format!("T={count}, found {found}: {ignored} {grids} ignored"));
            return true;
        }
        let missing = self.missing.get_or_insert(count - found);
        if *missing == 0 {
            return true;
        }
        *missing -= 1;
        out.record(Begin { byte: next, line: next_line }, next, Some(format!("T={count}, found {found}")));
        *missing == 0
    }

    fn give_up(&mut self) {
        self.grid = None;
        self.found += 1;
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
    let dashes = grids.options.blank == Some(b'-') || rows_of(text, line_end).any(shows_dashes);
    let mut cells = std::mem::take(&mut grids.scratch);
    cells.clear();
    for line in rows_of(text, line_end) {
        cells.extend(cells_of(line, Unit::Character, dashes).map(|(at, _)| line[at]));
    }
    let counts = || {
        let rows = rows_of(text, line_end);
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
    let mut words: Vec<&[u8]> = Vec::new();
    for line in rows_of(text, chunk.layout.line_end) {
        words.extend(cells_of(line, Unit::Integer, false).map(|(start, end)| &line[start..end]));
    }
    let counts = || {
        let rows = rows_of(text, chunk.layout.line_end);
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
fn rows_of(text: &[u8], line_end: u8) -> impl Iterator<Item = &[u8]> {
    lines(text, line_end).map(|(_, line)| line).filter(|line| !is_skipped(line))
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
