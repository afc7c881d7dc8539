//! Finds the rows of each grid, and lines outside of grids, line by line.
//!
//! A grid ends when it has all its rows. Rows with a fault are passed to [`Stretch`] together with the rows after
//! them.
//!
//! Three things always end a grid: a heading, the end of the source, and, if the last grid was on one line, another
//! such line. An empty line does too, unless the first whole grid of the source has empty lines after its rows or
//! bands.

use super::super::cutter::{ByLine, Cutter, Line, LineMachine, RecordSink, RecordStart};
use super::super::lines::{is_blank, is_skipped, trim};
use super::super::{InputOptions, Layout, LineKind};
use super::FormatSpec;
use super::resync::{NOT_A_CELL, Row, SeparatorPlaces, Separators, Stretch, StretchHead, ZERO};
use super::rows::{
    COUNT_DIGITS, Shown, Unit, cells_of, count_of, digit_of, is_empty, is_prose, is_text, number_alone,
    number_at, parse_characters, plain_digit_of, push_plain, side_of_first,
};
use quadrille_model::{Geometry, MAX_SIDE};

/// How a format writes its grids.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// True if a count of the grids may come first.
    pub(super) counted: bool,
    pub(super) unit: Unit,
    /// Returns what a line says about the grids after it.
    pub(super) heading: fn(&[u8]) -> Heading,
}

impl Default for Style {
    /// Returns the style of rows of characters without headings.
    fn default() -> Self {
        Style { counted: false, unit: Unit::Character, heading: no_heading }
    }
}

/// Defaults of the formats with a row of characters on each line.
pub(super) const ROWS: FormatSpec = FormatSpec {
    has_symbols: true,
    cutter: |layout, options| RowMachine::cutter(Style::default(), layout, options),
    parse_cut: parse_characters,
    ..FormatSpec::CUT
};

/// Meaning of a line for the grids after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    /// Nothing: the line holds cells, a frame or a comment.
    Absent,
    /// The record of one grid begins here.
    Name,
    /// A section whose rows are puzzles.
    Puzzles,
    /// A section of other data.
    Other,
}

/// Returns [`Heading::Absent`], for formats without headings.
pub(super) fn no_heading(_: &[u8]) -> Heading {
    Heading::Absent
}

/// From this value on, a number is not a count if the next line, too, is a number alone.
const IMPLAUSIBLE_COUNT: u64 = 10_000_000;

/// Count from which all missing grids share one record, if more than half are missing.
///
/// With one record each, a line of seven digits could make millions of records.
const LARGE_COUNT: u64 = 100_000;

/// Number of rows that decide on the side of the first grid, or on a change of side. The smallest grid has this many.
const DECIDING_ROWS: usize = InputOptions::MIN_SIDE;

/// Cuts grids line by line.
#[derive(Default)]
pub(super) struct RowMachine {
    style: Style,
    options: InputOptions,
    /// Side of the last whole grid; at first the side that the head shows.
    usual: Option<usize>,
    /// True if the last whole grid was on one line.
    is_in_lines: bool,
    /// Length in bytes of the count of grids on the first line, if cells follow it there.
    count_bytes: usize,
    /// The count of grids: `None` until it is known whether there is one, `Some(None)` if there is none.
    count: Option<Option<u64>>,
    found: u64,
    /// The order of the grids (their side or its root), once a line before the second grid has repeated it.
    order: Option<u64>,
    /// Number of lines outside of grids after all counted grids.
    ignored: u64,
    /// Number of missing grids still to be reported; known at the end.
    missing: Option<u64>,
    /// Heading of the next grid: its place, and the end of its line as a byte offset.
    heading: Option<(RecordStart, u64)>,
    /// Stray lines after that heading: place, end and reason.
    ///
    /// These lines are handed out together with the grid, whose record begins before them.
    strays: Vec<(RecordStart, u64, String)>,
    /// Rows that are not in a record yet, beginning with the first row of a grid.
    stretch: Stretch,
    /// Side of the grid that the rows begin with, once it is known.
    side: Option<usize>,
    /// Number of rows without a fault.
    walked: usize,
    /// Number of grid rows in the first `walked` rows.
    done: usize,
    /// The separators after the last row.
    behind: Separators,
    /// True if rows are parts of puzzles; false inside a section of other data.
    wanted: bool,
    /// True if letters may be text: the caller says neither that they are marks nor that they are digits.
    has_text: bool,
    /// Characters of empty cells: those that the head shows, and those found in rows since.
    shown: Shown,
}

impl RowMachine {
    /// Creates the cutter of a source whose grids are written in this style.
    pub(super) fn cutter(style: Style, layout: &Layout, options: &InputOptions) -> Box<dyn Cutter> {
        ByLine::cutter(RowMachine::new(style, layout, options), layout, options)
    }

    fn new(style: Style, layout: &Layout, options: &InputOptions) -> Self {
        RowMachine {
            style,
            options: options.clone(),
            stretch: Stretch {
                box_shape: options.box_shape.unwrap_or((3, 3)),
                may_be_wide: options.asked_side().is_some(),
                is_counted: options.format.is_some(),
                ..Stretch::default()
            },
            usual: layout.side_on_lines,
            is_in_lines: layout.side_on_lines.is_some(),
            count_bytes: layout.count_bytes,
            count: if style.counted { None } else { Some(None) },
            wanted: true,
            has_text: options.marks.is_none() && options.symbols.is_none(),
            shown: Shown::known(layout.common.blanks, options),
            ..RowMachine::default()
        }
    }

    /// Hands out the grid between these places, together with its heading and stray lines.
    fn grid(&mut self, begin: RecordStart, end: u64, invalid: Option<String>, out: &mut RecordSink<'_>) {
        for (begin, end, reason) in self.strays.drain(..) {
            out.record(begin, end, Some(reason));
        }
        self.found += 1;
        let begin = self.heading.take().map_or(begin, |(begin, _)| begin);
        if self.count.flatten().is_none_or(|count| self.found <= count) {
            out.record(begin, end, invalid);
        }
    }

    /// Hands out a line outside of any grid, or ignores it after all counted grids.
    fn stray(&mut self, begin: RecordStart, end: u64, what: &str, out: &mut RecordSink<'_>) {
        let reason = format!("a line outside of any grid: {what}");
        match self.heading {
            _ if self.count.flatten().is_some_and(|count| self.found >= count) => self.ignored += 1,
            Some(_) => self.strays.push((begin, end, reason)),
            None => out.record(begin, end, Some(reason)),
        }
    }

    /// Returns true if the next line may be a row of a grid that has begun.
    fn is_inside(&self) -> bool {
        !self.stretch.rows.is_empty() && self.side != Some(self.stretch.rows.len())
    }

    /// Returns the number on a line that may be the count of grids, or `None`.
    fn number(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) -> Option<u64> {
        let digits = match self.stretch.rows.as_slice() {
            [] => None,
            [first] if first.number.is_some() => Some(first.count),
            _ => return None,
        };
        let count = count_of(line.text, self.style.unit, self.shown);
        if digits == Some(count) && InputOptions::is_side(count) {
            self.stretch.rows[0].number = None;
            self.count = Some(None);
            return None;
        }
        let value = number_alone(line.text)?;
        let is_first_implausible =
            self.stretch.rows.first().is_some_and(|row| row.number >= Some(IMPLAUSIBLE_COUNT));
        if is_first_implausible && count < InputOptions::MIN_SIDE {
            // Two numbers follow each other, so the first is not a count.
            self.take(1, StretchHead::Stray, out);
            return Some(value);
        }
        digits.is_none().then_some(value)
    }

    /// Handles a line with `count` cells in `parts` parts, which begin at byte `from`.
    fn cells(
        &mut self,
        line: Line<'_>,
        from: usize,
        number: Option<u64>,
        (count, parts): (usize, usize),
        out: &mut RecordSink<'_>,
    ) {
        let text = &line.text[from..];
        let start = line.start + from as u64;
        let blank_front = text.iter().take_while(|&&byte| is_blank(byte)).count();
        let begin = RecordStart { byte: start + blank_front as u64, line: line.number };
        let end = line.start + trim_end(line.text) as u64;
        let on_line =
            |machine: &Self| machine.side_of(&machine.stretch.cells[machine.stretch.cells.len() - count..]);
        let side = self.side.unwrap_or_else(|| on_line(self));
        let is_first = self.stretch.rows.iter().all(|row| row.number.is_some());
        let grids = count / (side * side);
        // After a grid on one line, a line that is as long, or longer than any row, is a grid, too.
        let is_on_line = self.is_in_lines
            && (self.usual.is_some_and(|usual| usual * usual == count)
                || count > MAX_SIDE && (is_first || InputOptions::side_of_cells(count).is_some()));
        if number.is_none()
            && (is_first && (count + side / 2) / side >= side
                || grids > 1 && count.is_multiple_of(side * side)
                || is_on_line)
        {
            let on_line = if self.side.is_some() { on_line(self) } else { side };
            let on_line = Some(on_line).filter(|&side| !self.is_part(text, count, side));
            let is_open =
                !self.stretch.cells[self.stretch.cells.len() - count..].iter().any(|&digit| is_clue(digit));
            self.settle(true, out);
            // After a grid in rows, its number of empty cells on one line is a ruler.
            let is_other = |usual| !self.is_in_lines || !self.options.any_side && on_line != Some(usual);
            if is_open && self.usual.is_some_and(is_other) {
                self.stretch.cells.clear();
                self.stray(begin, end, "a ruler, or an empty grid unlike the others", out);
            } else {
                self.whole_grids(text, start, (begin, end), (count, on_line), out);
            }
            return;
        }
        if number.is_some() {
            out.pass(LineKind::Count);
        }
        let cells = self.stretch.cells.len() - count;
        let before = std::mem::take(&mut self.behind);
        let has_capitals = text.iter().any(u8::is_ascii_uppercase);
        let line_start = line.start;
        self.stretch.rows.push(Row {
            begin,
            line_start,
            end,
            count,
            parts,
            has_capitals,
            cells,
            before,
            number,
        });
        self.settle(false, out);
    }

    /// Handles a line with all cells of one grid, or of several grids of this side.
    fn whole_grids(
        &mut self,
        text: &[u8],
        start: u64,
        (begin, end): (RecordStart, u64),
        (count, side): (usize, Option<usize>),
        out: &mut RecordSink<'_>,
    ) {
        self.stretch.cells.clear();
        self.behind = Separators::default();
        let Some(side) = side.filter(|side| count.is_multiple_of(side * side)) else {
            self.grid(begin, end, None, out);
            return;
        };
        let all = side * side;
        (self.usual, self.is_in_lines) = (Some(side), true);
        let mut places = cells_of(text, self.style.unit, self.shown);
        while let Some((first, end)) = places.next() {
            let (_, last) = places.nth(all - 2).unwrap_or((first, end));
            let begin = RecordStart { byte: start + first as u64, ..begin };
            self.grid(begin, start + last as u64, None, out);
        }
    }

    /// Returns true if the last line is part of a larger grid, and does not hold several grids of this side.
    ///
    /// This can be true only if the side was neither requested nor known, and more than a quarter of the clues exceed
    /// it.
    fn is_part(&self, text: &[u8], count: usize, side: usize) -> bool {
        if count <= side * side || self.options.asked_side().or(self.usual).is_some() {
            return false;
        }
        let digits = &self.stretch.cells[self.stretch.cells.len() - count..];
        let clues = digits.iter().filter(|&&digit| is_clue(digit)).count();
        // Lower-case letters may be marks.
        let is_above = |&((at, _), &digit): &((usize, usize), &u8)| {
            is_clue(digit) && usize::from(digit) > side && !text[at].is_ascii_lowercase()
        };
        let above = cells_of(text, self.style.unit, self.shown).zip(digits).filter(is_above).count();
        4 * above > clues
    }

    /// Returns the side of the grid whose first line has these cells.
    ///
    /// A line as long as a whole grid is one grid rather than several of the usual side. It is several if it has more
    /// clues than the grid has rows and no clue exceeds the usual side: a single grid would lack half of its digits.
    fn side_of(&self, digits: &[u8]) -> usize {
        let count = digits.len();
        let usual = self.usual.filter(|side| count.is_multiple_of(side * side));
        let are_several = |side: usize| {
            let clues = || digits.iter().filter(|&&digit| is_clue(digit));
            usual.is_some_and(|usual| {
                clues().count() > side && clues().all(|&digit| usize::from(digit) <= usual)
            })
        };
        // After such small grids on single lines, a line as long as a row is a whole grid.
        let are_short = self.is_in_lines && self.usual.is_some_and(|usual| usual * usual <= MAX_SIDE);
        let whole = InputOptions::side_of_cells(count).filter(|_| count > MAX_SIDE || are_short);
        let whole = whole.filter(|&side| usual == Some(side) || !are_several(side));
        let asked = self.options.asked_side();
        asked.or(whole).or(usual).or_else(|| side_of_first(count)).or(self.usual).unwrap_or(9)
    }

    /// Decides on the side of the first grid in `rows`. Returns `None` if more rows are needed.
    fn decide_side(&mut self, ended: bool) -> Option<usize> {
        let rows = &self.stretch.rows[usize::from(self.stretch.rows[0].number.is_some())..];
        let head = &rows[..rows.len().min(DECIDING_ROWS)];
        let first = head.first().map_or(0, |row| row.count);
        // A grid on one line says nothing about rows; it may be a stray line.
        let side = match (self.side.or(self.options.asked_side()), self.usual.filter(|_| !self.is_in_lines)) {
            (Some(side), _) => side,
            (_, Some(usual)) if first == usual || !InputOptions::is_side(first) => usual,
            _ if head.len() < DECIDING_ROWS && !ended => return None,
            (_, Some(_)) if head.len() == DECIDING_ROWS && head.iter().all(|row| row.count == first) => first,
            (_, Some(usual)) => usual,
            _ => {
                // A line that could be a whole grid is rarely anything else, so it weighs more.
                let weight = |row: &Row| if InputOptions::is_side(row.count) { 1 } else { 2 };
                let weigh = |side: usize| {
                    let these = head.iter().filter(|row| side_of_first(row.count) == Some(side));
                    these.map(weight).sum::<usize>()
                };
                let sides = head.iter().rev().filter_map(|row| side_of_first(row.count));
                sides.max_by_key(|&side| weigh(side)).unwrap_or(9)
            }
        };
        // If frames follow the first rows of a source, they may follow every row. The same is true of empty lines.
        if self.stretch.frames == SeparatorPlaces::Unknown
            && rows.len() > 2
            && rows[1].before.frame
            && rows[2].before.frame
        {
            self.stretch.frames = SeparatorPlaces::Anywhere;
        }
        if self.stretch.gaps == SeparatorPlaces::Unknown && rows.get(1).is_some_and(|row| row.before.gap) {
            match rows.get(2) {
                Some(row) if row.before.gap => self.stretch.gaps = SeparatorPlaces::Anywhere,
                None if !ended => return None,
                _ => {}
            }
        }
        let is_of_side = |(rows, columns): &(usize, usize)| rows.saturating_mul(*columns) == side;
        if !is_of_side(&self.stretch.box_shape) {
            let asked = self.options.box_shape.filter(is_of_side);
            self.stretch.box_shape = asked.or_else(|| Geometry::default_box(side)).unwrap_or((1, side));
        }
        (self.side, self.stretch.side) = (Some(side), side);
        Some(side)
    }

    /// Makes records of the rows as far as they are understood. `ended` means that no grid continues after them.
    fn settle(&mut self, ended: bool, out: &mut RecordSink<'_>) {
        if let ([row], true) = (self.stretch.rows.as_mut_slice(), ended)
            && row.count > COUNT_DIGITS
        {
            row.number = None;
        }
        while !self.stretch.rows.is_empty() {
            let Some(side) = self.decide_side(ended) else { return };
            let (len, piece) = match self.walk(side) {
                Some(len) => (len, StretchHead::Grid { whole: true }),
                None => {
                    let needed = if self.walked < self.stretch.rows.len() || self.done == side {
                        self.walked + 3 * side + 2
                    } else {
                        usize::MAX
                    };
                    if !ended && self.stretch.rows.len() < needed {
                        return;
                    }
                    let (len, piece) = self.stretch.first_piece(ended);
                    if piece != StretchHead::Count {
                        // Not a count after all, but a row like the others.
                        self.stretch.rows[0].number = None;
                    }
                    (len, piece)
                }
            };
            self.take(len, piece, out);
        }
    }

    /// Continues along the rows while they have no fault. Returns the number of rows of a whole grid, or `None`.
    fn walk(&mut self, side: usize) -> Option<usize> {
        let (mut walked, mut done) = (self.walked, self.done);
        let stretch = &self.stretch;
        let band = stretch.box_shape.0;
        let start = usize::from(self.stretch.rows[0].number.is_some());
        while let Some(row) = self.stretch.rows.get(walked).filter(|_| done < side) {
            let (rows, is_good) = stretch.rows_in(row.count);
            let is_apart = (row.before.gap && !self.stretch.gaps.allow(done, band))
                || (row.before.frame && !self.stretch.frames.allow(done, band));
            if walked >= start {
                if !is_good || is_apart || done + rows > side {
                    break;
                }
                done += rows;
            }
            walked += 1;
        }
        let is_whole = done == side
            && stretch.is_faultless(start..walked)
            && self.is_regular(start..walked, side / band);
        (self.walked, self.done) = (walked, done);
        is_whole.then_some(walked)
    }

    /// Returns true if empty lines follow all bands of the grid or none.
    ///
    /// Always true once it is known where the source has empty lines. A single empty line may be the remains of a
    /// row.
    fn is_regular(&self, rows: std::ops::Range<usize>, bands: usize) -> bool {
        self.stretch.gaps != SeparatorPlaces::Unknown
            || [0, bands - 1]
                .contains(&self.stretch.rows[rows].iter().skip(1).filter(|row| row.before.gap).count())
    }

    /// Hands out the first piece and removes its rows.
    fn take(&mut self, len: usize, piece: StretchHead, out: &mut RecordSink<'_>) {
        let side = self.side.take().unwrap_or(9);
        let number = self.stretch.rows[0].number;
        let first = match piece {
            StretchHead::Grid { whole } if whole && number.is_some() => 1,
            _ => 0,
        };
        let (begin, end) = (self.stretch.rows[first].begin, self.stretch.rows[len - 1].end);
        let count: usize = self.stretch.rows[first..len].iter().map(|row| row.count).sum();
        match piece {
            StretchHead::Count => self.count = Some(number),
            StretchHead::Stray => {
                let noun = if count == 1 { "cell" } else { "cells" };
                let what = if count == side {
                    "one row too many".to_owned()
                } else {
                    format!("{count} {noun}, but a row has {side}")
                };
                self.stray(begin, end, &what, out);
            }
            StretchHead::Grid { whole } => {
                self.count = self.count.or(Some(number.filter(|_| whole)));
                let root = count.isqrt();
                // The parser would read these cells as a grid of another side.
                let is_other = root * root == count && root != side && (len > 1 || self.usual.is_some());
                let invalid =
                    is_other.then(|| format!("{count} cells in {len} rows, but a {side}x{side} has {side}"));
                if whole {
                    (self.usual, self.is_in_lines) = (Some(side), len - first == 1);
                    self.learn(first..len);
                }
                self.grid(begin, end, invalid, out);
            }
        }
        self.stretch.rows.drain(..len);
        let from = self.stretch.rows.first().map_or(self.stretch.cells.len(), |row| row.cells);
        self.stretch.cells.drain(..from);
        self.stretch.rows.iter_mut().for_each(|row| row.cells -= from);
        (self.walked, self.done) = (0, 0);
    }

    /// Notes where a whole grid has separators.
    fn learn(&mut self, rows: std::ops::Range<usize>) {
        let stretch = &self.stretch;
        let band = stretch.box_shape.0;
        let (mut gaps, mut frames, mut done) = (SeparatorPlaces::Nowhere, self.stretch.frames, 0);
        for row in &self.stretch.rows[rows] {
            for (is_there, places) in [(row.before.gap, &mut gaps), (row.before.frame, &mut frames)] {
                if is_there && done > 0 && *places != SeparatorPlaces::Anywhere {
                    *places =
                        if done % band == 0 { SeparatorPlaces::Bands } else { SeparatorPlaces::Anywhere };
                }
            }
            done += stretch.rows_in(row.count).0;
        }
        self.stretch.frames = frames;
        if self.stretch.gaps == SeparatorPlaces::Unknown {
            self.stretch.gaps = gaps;
        }
    }

    /// Handles an empty line.
    ///
    /// An empty line ends a grid with about the right number of rows if empty lines come only between grids.
    fn empty_line(&mut self, out: &mut RecordSink<'_>) {
        let rows = self.stretch.rows.len();
        if self.stretch.gaps == SeparatorPlaces::Nowhere
            && self.side.is_some_and(|side| rows + 1 >= side && rows <= side + 1)
        {
            self.settle(true, out);
        }
        self.behind.gap = true;
    }

    /// Returns true if text may be between grids: not after a heading, which belongs to a grid, nor if each line of integers
    /// is a grid.
    fn may_be_text(&self) -> bool {
        self.has_text && self.heading.is_none() && !(self.style.unit == Unit::Integer && self.is_in_lines)
    }

    /// Returns true if a number is the order of grids such as the last grid: the side, or the root of the side.
    fn is_order_of_usual(&self, number: u64) -> bool {
        self.usual.is_some_and(|side| is_order(number, side as u64))
    }

    /// Ends the grid before a line that repeats the number on the first line, if this is the side of the grids or its
    /// root. Returns false for other lines.
    fn takes_order(&mut self, line: &[u8], out: &mut RecordSink<'_>) -> bool {
        let (rows, number) = match self.stretch.rows.as_slice() {
            [first, rows @ ..] if first.number.is_some() => (rows.len(), first.number),
            rows => (rows.len(), self.order.or(self.count.flatten())),
        };
        let Some(number) = number.filter(|&number| number_alone(line) == Some(number)) else { return false };
        let ends = |side: usize| is_order(number, side as u64) && rows + 1 >= side;
        if self.side.or(self.usual).is_some_and(ends) {
            self.settle(true, out);
        }
        self.found > 0 && self.stretch.rows.is_empty() && self.is_order_of_usual(number)
    }

    fn heading(&mut self, heading: Heading, line: Line<'_>, out: &mut RecordSink<'_>) {
        self.ends(out);
        out.done(line.start, line.number);
        self.wanted = heading != Heading::Other;
        if heading == Heading::Name {
            let begin = RecordStart { byte: line.start, line: line.number };
            self.heading = Some((begin, line.start + trim_end(line.text) as u64));
        }
    }

    /// Ends the current grid. A heading without a grid becomes an empty grid, or one invalid record with the lines
    /// after it.
    fn ends(&mut self, out: &mut RecordSink<'_>) {
        self.settle(true, out);
        if let Some((begin, end)) = self.heading {
            let last = self.strays.drain(..).next_back();
            let invalid = last.as_ref().map(|_| "no grid after this heading".to_owned());
            self.grid(begin, last.map_or(end, |(_, end, _)| end), invalid, out);
        }
    }

    /// Notes which characters are empty cells in a line that has clues, is as long as a row, and is at least half
    /// empty.
    ///
    /// Rows whose empty cells differ from those of the head can thus be read, while a key with dashes has no effect.
    fn notice_blanks(&mut self, line: &[u8]) {
        let more = self.shown.and(line);
        if more == self.shown {
            return;
        }
        let count = count_of(line, Unit::Character, self.shown);
        let cells = cells_of(line, Unit::Character, self.shown);
        let empty = cells.filter(|&(at, _)| is_empty(&line[at..])).count();
        if 2 * empty >= count && self.usual.or(self.side).is_none_or(|side| side == count) {
            self.shown = more;
        }
    }

    /// Adds the cells of a line. Returns their number, and the number of parts of the line between blanks and frames.
    fn add_cells(&mut self, text: &[u8]) -> (usize, usize) {
        let (before, shown) = (self.stretch.cells.len(), self.shown);
        if self.style.unit == Unit::Character
            && let Some(parts) = push_plain(text, shown, &mut self.stretch.cells)
        {
            self.stretch.cells[before..].iter_mut().for_each(|cell| *cell = plain_digit_of(*cell, shown));
            return (self.stretch.cells.len() - before, parts);
        }
        let (mut parts, mut last) = (0, None);
        for (start, end) in cells_of(text, self.style.unit, shown) {
            parts += usize::from(last != Some(start));
            last = Some(end);
            let digit = match (&text[start..end], self.style.unit) {
                ([byte], Unit::Integer) if self.options.blank == Some(*byte) => 0,
                (word, Unit::Character) => digit_of(word, shown),
                ([byte], _) => char::from(*byte).to_digit(36).unwrap_or(0) as u8,
                (word, _) => std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).unwrap_or(0),
            };
            self.stretch.cells.push(digit);
        }
        (self.stretch.cells.len() - before, parts)
    }
}

/// Returns true if a number is the order of grids of a side: the side, or its root.
fn is_order(number: u64, side: u64) -> bool {
    number == side || number.checked_mul(number) == Some(side)
}

/// Returns true for the code of a digit.
fn is_clue(digit: u8) -> bool {
    !matches!(digit, 0 | ZERO | NOT_A_CELL)
}

/// Returns the byte offset after the last non-blank character of a line.
fn trim_end(line: &[u8]) -> usize {
    line.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}

impl LineMachine for RowMachine {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let Style { unit, heading, .. } = self.style;
        let heading = heading(line.text);
        if is_skipped(line.text, self.options.blank) {
            out.pass(LineKind::Comment);
        } else if heading != Heading::Absent {
            out.pass(LineKind::Heading);
        } else if !self.wanted || self.count.flatten().is_some_and(|count| self.found >= count) {
            out.pass(LineKind::Other);
        }
        if heading != Heading::Absent {
            self.heading(heading, line, out);
        } else if trim(line.text).is_empty() {
            self.empty_line(out);
        } else if self.takes_order(line.text, out) {
            // The order comes before every grid, so it is not a count.
            (self.order, self.count) = (number_alone(line.text), Some(None));
            out.pass(LineKind::Label);
        } else if self.order.is_some() && self.stretch.rows.is_empty() && number_alone(line.text) == Some(0) {
            // A 0 in place of an order ends some inputs.
            out.pass(LineKind::Other);
        } else if self.wanted
            && self.may_be_text()
            && (unit == Unit::Character && is_text(line.text) || !self.is_inside() && is_prose(line.text))
        {
            // The line is a title, a sentence, or the name of a program.
            self.settle(true, out);
            self.behind.gap = true;
            if self.count.flatten().is_some_and(|count| self.found >= count) {
                self.ignored += 1;
            }
            out.pass(LineKind::Heading);
        } else if !is_skipped(line.text, self.options.blank) && self.wanted {
            if unit == Unit::Character {
                self.notice_blanks(line.text);
            }
            let mut from = 0;
            if self.count.is_none() && self.stretch.rows.is_empty() {
                match number_at(line.text, COUNT_DIGITS).filter(|_| self.count_bytes > 0) {
                    Some((value, end)) => (self.count, from) = (Some(Some(value)), end),
                    None if number_alone(line.text).is_none() => self.count = Some(None),
                    None => {}
                }
            }
            if let [row] = self.stretch.rows.as_mut_slice()
                && row.number == Some(0)
            {
                // A 0 followed by another line is not a count.
                (row.number, self.count) = (None, Some(None));
            }
            let number = if self.count.is_none() { self.number(line, out) } else { None };
            let (count, parts) = self.add_cells(&line.text[from..]);
            if count > 0 {
                self.cells(line, from, number, (count, parts), out);
            } else {
                self.behind.edge |= self.behind.frame;
                self.behind.frame = true;
            }
        }
        match self.stretch.rows.first() {
            _ if self.heading.is_some() => {}
            Some(row) => out.done(row.line_start, row.begin.line),
            None => out.done(line.next, line.number + 1),
        }
    }

    fn end(&mut self, next: u64, next_line: u64, out: &mut RecordSink<'_>) -> bool {
        if self.heading.is_some() || !self.stretch.rows.is_empty() {
            self.ends(out);
            out.done(next, next_line);
            return false;
        }
        let Some(count) = self.count.flatten() else { return true };
        // Before a single grid, a number equal to its side is not a count. Unless cells are integers, a 3 before a 9x9
        // is a count: it may have announced three grids.
        let may_be_order = self.style.unit == Unit::Integer
            || !self.stretch.is_counted && self.usual.is_some_and(|side| side as u64 == count);
        if self.found == 1 && may_be_order && self.is_order_of_usual(count) {
            return true;
        }
        let found = self.found;
        if found > count || self.ignored > 0 {
            let counts = [(found.saturating_sub(count), "grid"), (self.ignored, "line")];
            let parts = counts.iter().filter(|(ignored, _)| *ignored > 0);
            let parts = parts
                .map(|(ignored, noun)| format!("{ignored} {noun}{}", if *ignored == 1 { "" } else { "s" }));
            let are = if found.saturating_sub(count) + self.ignored == 1 { "is" } else { "are" };
            let parts = parts.collect::<Vec<_>>().join(" and ");
            out.warn(format!("T is {count}, and {} found: {parts} {are} ignored", grids_were(found)));
            return true;
        }
        let is_plausible = count < LARGE_COUNT || found >= count / 2;
        let missing = self.missing.get_or_insert(if is_plausible { count - found } else { 1 });
        if *missing == 0 {
            return true;
        }
        *missing -= 1;
        out.record(
            RecordStart { byte: next, line: next_line },
            next,
            Some(format!("T is {count}, but only {} found", grids_were(found))),
        );
        *missing == 0
    }

    fn give_up(&mut self) {
        self.stretch.rows.clear();
        self.stretch.cells.clear();
        self.strays.clear();
        self.heading = None;
        (self.side, self.walked, self.done) = (None, 0, 0);
        self.behind = Separators::default();
        self.found += 1;
    }
}

/// Returns the number of grids with its verb, such as `1 grid was`.
fn grids_were(found: u64) -> String {
    if found == 1 { "1 grid was".to_owned() } else { format!("{found} grids were") }
}
