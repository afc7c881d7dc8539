//! Assembles grids from their rows, line by line, for all formats that put each row of a grid on its own
//! line.
//!
//! A grid ends when it has all its rows. If a row has a fault, such as a wrong length, that row and the later
//! rows of the grid are passed to [`Stretch`].
//!
//! Four things always end a grid:
//! - a heading
//! - text
//! - the end of the source
//! - a whole grid on one line, if the last grid was also on one line
//!
//! An empty line ends a grid, too, unless the first whole grid of the source has empty lines between its rows
//! or bands.

use super::super::cells::BLANKS;
use super::super::characters::whole_number;
use super::super::cutter::{
    Line, LineMachine, RecordSink, RecordStart, cells_in, may_be_grid, unlike_others,
};
use super::super::layout::{Lead, Numbers, RowLook, RowsLayout};
use super::super::lines::{is_blank, is_skipped, span_in, trim};
use super::super::shapes::has_a_digit_twice;
use super::super::{InputOptions, Layout, LineKind};
use super::counted::Counted;
use super::drawn_cells;
use super::row;
use super::rows::{
    Heading, Shown, Style, Unit, cells_of, count_of, digit_of, is_empty, is_prose, is_text, number_alone,
    plain_digit_of, push_plain, side_of_first,
};
use super::stretch::{NOT_A_CELL, Piece, Place, Row, SeparatorPlaces, Separators, Stretch, ZERO};
use quadrille_model::{Geometry, MAX_SIDE};

/// Number of rows that are compared to find the side length of the first grid, or to notice that the side
/// length changes. This is the number of rows of the smallest grid.
const DECIDING_ROWS: usize = InputOptions::MIN_SIDE;

/// Cuts grids line by line.
#[derive(Default)]
pub(super) struct Assembler {
    style: Style,
    options: InputOptions,
    /// How the rows are written, if cells are found by their positions in a row. `None` otherwise.
    drawn: Option<RowsLayout>,
    /// Side length of the last whole grid.
    ///
    /// Until the first whole grid is found, this is the side length that was detected in the first part of
    /// the source.
    usual: Option<usize>,
    /// True if the last whole grid was on one line.
    is_in_lines: bool,
    /// Number of grids found so far, and the number of grids that the source announces.
    counted: Counted,
    /// Heading of the next grid.
    heading: Option<Place>,
    /// Lines after the heading in `heading` that are not rows, each with the reason why it is not a row.
    ///
    /// They become records only together with the grid under the heading, because the record of the grid
    /// begins before these lines.
    strays: Vec<(Place, String)>,
    /// True if solutions follow the puzzles in the source.
    has_solutions: bool,
    /// Last grid, if it is whole and has an empty cell. `puzzle_cells` are its digits.
    puzzle: Option<Place>,
    puzzle_cells: Vec<u8>,
    /// True if the first grid is whole.
    pub(super) begins_whole: bool,
    /// Number of grids that are the solution of the grid that comes directly before them in the source.
    pub(super) solutions: u64,
    /// Number of grids with all their rows.
    pub(super) whole: u64,
    /// True if the last heading announces solutions, and all grids after it are without empty cells so far.
    is_under_solutions: bool,
    /// Rows that are not yet part of a record. The first of them begins a grid.
    stretch: Stretch,
    /// Side length of the grid at the start of `stretch`, once it is known.
    side: Option<usize>,
    /// Number of rows at the start of `stretch` that are known to have no fault.
    walked: usize,
    /// Number of complete grid rows in the first `walked` rows.
    done: usize,
    /// Separators, such as frames and empty lines, that were found after the last row.
    behind: Separators,
    /// True if rows in the current section belong to puzzles. False if the section contains other data.
    wanted: bool,
    /// True if letters may be text. False if the caller says that letters are marks or digits.
    has_text: bool,
    /// Characters that mean empty cells. They were found in the first part of the source or in later rows.
    shown: Shown,
}

impl Assembler {
    pub(super) fn new(layout: &Layout, options: &InputOptions) -> Self {
        Assembler {
            style: row(layout.format).style,
            options: options.clone(),
            drawn: layout.rows,
            counted: Counted::new(layout.numbers),
            stretch: Stretch {
                box_shape: options.box_shape.unwrap_or((3, 3)),
                may_be_wide: layout.rows.is_none() && options.asked_side().is_some(),
                is_drawn: layout.rows.is_some(),
                ..Stretch::default()
            },
            side: layout.rows.map(|rows| rows.side),
            usual: layout.rows.map(|rows| rows.side).or(layout.side_on_lines),
            is_in_lines: layout.rows.is_none() && layout.side_on_lines.is_some(),
            has_solutions: layout.solutions_in_rows,
            wanted: true,
            has_text: options.marks.is_none() && options.symbols.is_none(),
            shown: Shown::known(layout.common.blanks, options),
            ..Assembler::default()
        }
    }

    /// Adds a record for a grid, together with its heading and stray lines.
    ///
    /// If the grid is a solution of the puzzle that precedes it, the grid is added to the record of that
    /// puzzle instead.
    fn grid(&mut self, place: Place, invalid: Option<String>, is_whole: bool, out: &mut RecordSink<'_>) {
        let cells = &self.stretch.cells[..if is_whole { self.stretch.side.pow(2) } else { 0 }];
        let is_open = cells.contains(&0);
        let most = if self.stretch.side < 10 { self.stretch.side as u8 } else { u8::MAX };
        let is_digit = |&digit: &u8| is_clue(digit) && digit <= most;
        let is_row = |row: &[u8]| row.iter().all(is_digit) && !has_a_digit_twice(row, |_| true);
        let is_alike = self.has_solutions
            && is_whole
            && cells.len() == self.puzzle_cells.len()
            && cells.chunks(self.stretch.side).all(is_row);
        let agrees = |(clue, digit): (&u8, &u8)| clue == digit || *clue == 0;
        let is_solution = self.is_under_solutions || self.puzzle_cells.iter().zip(cells).all(agrees);
        self.solutions += u64::from(is_alike && is_solution);
        self.puzzle_cells.clear();
        self.puzzle_cells.extend_from_slice(if is_open && self.has_solutions { cells } else { &[] });
        self.whole += u64::from(is_whole);
        self.is_under_solutions &= !is_open;
        if is_alike && let Some(puzzle) = self.puzzle.take() {
            return out.pair(puzzle.begin, puzzle.end, [place.begin.byte, place.end]);
        }
        self.flush(out);
        let is_alone = self.is_under_solutions && is_whole && self.counted.found > 0;
        let invalid = invalid.or_else(|| is_alone.then(|| SOLUTION_ALONE.to_owned()));
        for (stray, reason) in self.strays.drain(..) {
            out.record(stray.begin, stray.end, Some(reason));
        }
        self.begins_whole |= is_whole && self.counted.found == 0;
        self.counted.found += 1;
        let start = self.heading.take().unwrap_or(place);
        let place = Place { begin: start.begin, end: place.end };
        if self.counted.has_announced() {
            match self.has_solutions && is_open && invalid.is_none() {
                true => self.puzzle = Some(place),
                false => out.record(place.begin, place.end, invalid),
            }
        }
    }

    /// Adds the record of the last puzzle, if it is still waiting for a solution.
    pub(super) fn flush(&mut self, out: &mut RecordSink<'_>) {
        if let Some(puzzle) = self.puzzle.take() {
            out.record(puzzle.begin, puzzle.end, None);
        }
    }

    /// Adds an invalid record for a line that is outside of any grid.
    ///
    /// The line is ignored if all announced grids have been found already.
    fn stray(&mut self, place: Place, what: &str, out: &mut RecordSink<'_>) {
        let reason = format!("a line outside of any grid: {what}");
        match self.heading {
            _ if self.counted.ignores() => {}
            Some(_) => self.strays.push((place, reason)),
            None => {
                self.flush(out);
                out.record(place.begin, place.end, Some(reason));
            }
        }
    }

    /// Returns the side length of the last whole grid, or 9 if there is none.
    pub(super) fn usual_side(&self) -> usize {
        self.usual.unwrap_or(9)
    }

    /// Returns true if a grid has begun and the next line may be one of its rows.
    pub(super) fn is_inside(&self) -> bool {
        !self.stretch.rows.is_empty() && self.side != Some(self.stretch.rows.len())
    }

    /// Handles a line with `count` cells, which bars or blanks divide into `parts` groups. The cells begin at
    /// byte `from`.
    fn cells(
        &mut self,
        line: Line<'_>,
        from: usize,
        (count, parts): (usize, usize),
        out: &mut RecordSink<'_>,
    ) {
        let text = &line.text[from..];
        let blank_front = text.iter().take_while(|&&byte| is_blank(byte)).count();
        let begin = line.place(from + blank_front);
        let place = Place { begin, end: line.start + trim_end(line.text) as u64 };
        let cells = self.stretch.cells.len() - count;
        let is_first = self.stretch.rows.is_empty();
        let is_short = self.side.is_some_and(|side| count < 2 * side * side);
        if self.drawn.is_none() && (is_first || self.is_in_lines || !is_short) {
            let on_line = self.side_of(&self.stretch.cells[cells..]);
            let side = self.side.unwrap_or(on_line);
            let grids = count / (side * side);
            // After a grid on one line, the next line may be another whole grid. This is assumed if the line
            // is as long as the last grid, or longer than any row.
            let is_on_line = self.is_in_lines
                && (self.usual.is_some_and(|usual| usual * usual == count)
                    || count > MAX_SIDE && (is_first || InputOptions::side_of_cells(count).is_some()));
            if is_first && (count + side / 2) / side >= side
                || grids > 1 && count.is_multiple_of(side * side)
                || is_on_line
            {
                let on_line = Some(on_line).filter(|&side| !self.is_part(text, count, side));
                let is_open = !self.stretch.cells[cells..].iter().any(|&digit| is_clue(digit));
                self.settle(true, out);
                // A line may have as many empty cells as a whole grid. If the last grid was written in rows,
                // such a line is a ruler.
                let is_other = |usual| !self.is_in_lines || !self.options.any_side && on_line != Some(usual);
                if is_open && self.usual.is_some_and(is_other) {
                    self.stretch.cells.clear();
                    self.stray(place, "a ruler, or an empty grid unlike the others", out);
                } else {
                    let rest = Line { text, start: line.start + from as u64, ..line };
                    self.whole_grids(rest, place, (count, on_line), out);
                }
                return;
            }
        }
        let has_capitals = text.iter().any(u8::is_ascii_uppercase);
        let indent = from + blank_front;
        self.push(Row { place, count, parts, has_capitals, indent, ..Row::default() }, out);
    }

    /// Adds a row with the given digits, which the caller has read. `indent` is as in [`Row`].
    pub(super) fn row(&mut self, place: Place, indent: usize, digits: &[u8], out: &mut RecordSink<'_>) {
        self.stretch.cells.extend_from_slice(digits);
        self.push(Row { place, count: digits.len(), parts: 1, indent, ..Row::default() }, out);
    }

    /// Adds a record for a whole grid with the given side length and digits, which the caller has read.
    pub(super) fn whole_grid(&mut self, place: Place, side: usize, digits: &[u8], out: &mut RecordSink<'_>) {
        self.settle(true, out);
        self.behind = Separators::default();
        (self.usual, self.is_in_lines, self.stretch.side) = (Some(side), true, side);
        self.stretch.cells.extend_from_slice(digits);
        self.grid(place, None, digits.len() == side * side, out);
        self.stretch.cells.clear();
    }

    /// Adds an invalid record for an item that should be a grid.
    pub(super) fn no_grid(&mut self, place: Place, reason: String, out: &mut RecordSink<'_>) {
        self.settle(true, out);
        self.grid(place, Some(reason), false, out);
    }

    /// Returns the first place that is not in a record yet, or `None` if there is none.
    pub(super) fn pending(&self) -> Option<RecordStart> {
        self.puzzle.or(self.stretch.rows.first().map(|row| row.place)).map(|place| place.begin)
    }

    /// Adds a line to the rows. The cells of the line must have been added already.
    fn push(&mut self, row: Row, out: &mut RecordSink<'_>) {
        let mut before = std::mem::take(&mut self.behind);
        if let [first] = &self.stretch.rows[..]
            && self.stretch.is_heading(first, &row)
        {
            out.pass_line(first.place.begin.byte, LineKind::Label);
            before = first.before;
            self.stretch.cells.drain(..first.count);
            self.stretch.rows.clear();
        }
        let cells = self.stretch.cells.len() - row.count;
        self.stretch.rows.push(Row { cells, before, ..row });
        self.settle(false, out);
    }

    /// Handles a line that holds all cells of one grid, or of several grids with the given side length.
    fn whole_grids(
        &mut self,
        line: Line<'_>,
        place: Place,
        (count, side): (usize, Option<usize>),
        out: &mut RecordSink<'_>,
    ) {
        self.behind = Separators::default();
        let Some(side) = side.filter(|side| count.is_multiple_of(side * side)) else {
            self.stretch.cells.clear();
            self.grid(place, None, false, out);
            return;
        };
        let all = side * side;
        (self.usual, self.is_in_lines, self.stretch.side) = (Some(side), true, side);
        let mut places = cells_of(line.text, self.style.unit, self.shown);
        while let Some((first, end)) = places.next() {
            let (_, last) = places.nth(all - 2).unwrap_or((first, end));
            let begin = RecordStart { byte: line.start + first as u64, ..place.begin };
            self.grid(Place { begin, end: line.start + last as u64 }, None, true, out);
            self.stretch.cells.drain(..all);
        }
    }

    /// Returns true if the last line is probably part of a grid with a side length greater than `side`.
    ///
    /// This is so if more than a quarter of the clues exceed `side`. Returns false if a side length was
    /// requested or is known from an earlier grid.
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

    /// Returns the side length of the grid whose first line has these cells.
    ///
    /// A line may have the length both of one large grid and of several grids of the usual side length. Such
    /// a line is read as several grids if it has more clues than the large grid has rows, and no clue exceeds
    /// the usual side length. (As one large grid, it would lack half of its digits.) Otherwise it is read as
    /// one large grid.
    fn side_of(&self, digits: &[u8]) -> usize {
        let count = digits.len();
        let usual = self.usual.filter(|side| count.is_multiple_of(side * side));
        let are_several = |side: usize| {
            let clues = || digits.iter().filter(|&&digit| is_clue(digit));
            usual.is_some_and(|usual| {
                clues().count() > side && clues().all(|&digit| usize::from(digit) <= usual)
            })
        };
        // A small grid on one line is as long as a row of a large grid. If the last grid was a small grid on
        // one line, such a line is another small grid.
        let are_short = self.is_in_lines && self.usual.is_some_and(|usual| usual * usual <= MAX_SIDE);
        let whole = InputOptions::side_of_cells(count).filter(|_| count > MAX_SIDE || are_short);
        let whole = whole.filter(|&side| usual == Some(side) || !are_several(side));
        let asked = self.options.asked_side();
        asked.or(whole).or(usual).or_else(|| side_of_first(count)).or(self.usual).unwrap_or(9)
    }

    /// Decides the side length of the first grid in `rows`, or returns `None` if more rows are needed.
    fn decide_side(&mut self, ended: bool) -> Option<usize> {
        let rows = &self.stretch.rows;
        let head = &rows[..rows.len().min(DECIDING_ROWS)];
        let first = head.first().map_or(0, |row| row.count);
        let known = self.side.or(self.drawn.map(|rows| rows.side)).or(self.options.asked_side());
        // A line that looks like a whole grid may be a stray line. Such a line does not show the length of
        // the rows.
        let side = match (known, self.usual.filter(|_| !self.is_in_lines)) {
            (Some(side), _) => side,
            (_, Some(usual)) if first == usual || !InputOptions::is_side(first) => usual,
            _ if head.len() < DECIDING_ROWS && !ended => return None,
            (_, Some(_)) if head.len() == DECIDING_ROWS && head.iter().all(|row| row.count == first) => first,
            (_, Some(usual)) => usual,
            _ => {
                // A line whose length fits a whole grid but not a row is hardly ever anything but a grid. So
                // it has the weight 2.
                let weight = |row: &Row| if InputOptions::is_side(row.count) { 1 } else { 2 };
                let weigh = |side: usize| {
                    let these = head.iter().filter(|row| side_of_first(row.count) == Some(side));
                    these.map(weight).sum::<usize>()
                };
                let sides = head.iter().rev().filter_map(|row| side_of_first(row.count));
                sides.max_by_key(|&side| weigh(side)).unwrap_or(9)
            }
        };
        // If frames or empty lines follow each of the first two rows of a source, they may follow every row.
        if let [_, second, third, ..] = &rows[..] {
            if self.stretch.frames == SeparatorPlaces::Unknown && second.before.frame && third.before.frame {
                self.stretch.frames = SeparatorPlaces::Anywhere;
            }
            if self.stretch.gaps == SeparatorPlaces::Unknown && second.before.gap && third.before.gap {
                self.stretch.gaps = SeparatorPlaces::Anywhere;
            }
        } else if self.stretch.gaps == SeparatorPlaces::Unknown
            && !ended
            && rows.get(1).is_some_and(|row| row.before.gap)
        {
            return None;
        }
        let is_of_side = |(rows, columns): &(usize, usize)| rows.saturating_mul(*columns) == side;
        if !is_of_side(&self.stretch.box_shape) {
            let asked = self.options.box_shape.filter(is_of_side);
            self.stretch.box_shape = asked.or_else(|| Geometry::default_box(side)).unwrap_or((1, side));
        }
        (self.side, self.stretch.side) = (Some(side), side);
        Some(side)
    }

    /// Turns the collected rows into records, as far as it is clear what the rows mean.
    ///
    /// `ended` is true if no later line can continue a grid.
    fn settle(&mut self, ended: bool, out: &mut RecordSink<'_>) {
        while !self.stretch.rows.is_empty() {
            let Some(side) = self.decide_side(ended) else { return };
            let is_other = |(at, row): &(usize, &Row)| row.count == 0 && !(row.before.gap && *at >= side);
            let others = self.stretch.rows.iter().enumerate().take_while(is_other).count();
            if others > 0 {
                if others == self.stretch.rows.len() && !ended && others < MAX_SIDE {
                    return;
                }
                self.take(others, Piece::Grid { whole: false }, out);
                continue;
            }
            (self.walked, self.done) = self.stretch.walk(self.walked, self.done);
            let is_whole = self.done == side;
            let (len, piece) = if is_whole && self.stretch.flaws(0..self.walked) == 0 && self.is_regular() {
                (self.walked, Piece::Grid { whole: true })
            } else {
                let is_faulty = self.walked < self.stretch.rows.len() || is_whole;
                let needed = if is_faulty { self.walked + 3 * side + 2 } else { usize::MAX };
                if !ended && self.stretch.rows.len() < needed {
                    return;
                }
                self.stretch.first_piece(ended)
            };
            self.take(len, piece, out);
        }
    }

    /// Returns true if the grid found has empty lines between all of its bands, or no empty lines.
    ///
    /// An empty line after only one band may be the remains of a damaged row. If earlier grids have shown
    /// where the source has empty lines, the result is always true.
    fn is_regular(&self) -> bool {
        let gaps = || self.stretch.rows[1..self.walked].iter().filter(|row| row.before.gap).count();
        self.stretch.gaps != SeparatorPlaces::Unknown
            || [0, self.stretch.side / self.stretch.box_shape.0 - 1].contains(&gaps())
    }

    /// Removes the first `len` rows of the stretch, and adds the records for them.
    ///
    /// `piece` says whether these rows are a grid or a stray line.
    fn take(&mut self, len: usize, piece: Piece, out: &mut RecordSink<'_>) {
        let side = self.side.take().unwrap_or(9);
        let rows = &self.stretch.rows[..len];
        let begin = rows[0].place.begin;
        let place = Place { begin, end: rows[len - 1].place.end };
        let count: usize = rows.iter().map(|row| row.count).sum();
        let noun = |count, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let is_drawn = self.drawn.is_some();
        match piece {
            // Fewer than `DECIDING_ROWS` lines without any cells are text and not a grid. In a drawing, a row
            // directly above a frame is the header of a table.
            _ if count == 0 && len < DECIDING_ROWS => {}
            Piece::Stray if is_drawn && self.stretch.rows.get(1).is_some_and(|row| row.before.frame) => {
                out.pass_line(begin.byte, LineKind::Label);
            }
            _ if count == 0 => {
                let reason =
                    unlike_others(side).replacen("a line that is", &format!("{len} lines that are"), 1);
                self.grid(place, Some(reason), false, out);
            }
            Piece::Stray if !is_drawn => {
                let what = match count == side {
                    true => "one row too many".to_owned(),
                    false => format!("{}, but a row has {side}", noun(count, "cell")),
                };
                self.stray(place, &what, out);
            }
            Piece::Grid { whole: true } => {
                (self.usual, self.is_in_lines) = (Some(side), len == 1);
                self.learn(len);
                self.grid(place, None, true, out);
            }
            _ => {
                let root = count.isqrt();
                let invalid = match rows.iter().position(|row| row.count != side) {
                    Some(row) if is_drawn && len == side => {
                        Some(format!("row {} is not written like the others", row + 1))
                    }
                    _ if is_drawn => Some(format!("{}, a {side}x{side} has {side}", noun(len, "row"))),
                    // The parser would read a row with this number of cells as a whole grid with another side
                    // length.
                    _ if root * root == count && root != side && (len > 1 || self.usual.is_some()) => {
                        Some(format!("{count} cells in {len} rows, but a {side}x{side} has {side}"))
                    }
                    _ => None,
                };
                self.grid(place, invalid, false, out);
            }
        }
        let last = &self.stretch.rows[len - 1];
        // The cells of the next line may already have been added after the cells of the removed rows.
        let from = last.cells + last.count;
        self.stretch.rows.drain(..len);
        self.stretch.cells.drain(..from);
        self.stretch.rows.iter_mut().for_each(|row| row.cells -= from);
        (self.walked, self.done) = (0, 0);
    }

    /// Remembers between which rows a whole grid of `len` lines has separators.
    fn learn(&mut self, len: usize) {
        let stretch = &mut self.stretch;
        let band = stretch.box_shape.0;
        let (mut gaps, mut frames, mut done) = (SeparatorPlaces::Nowhere, stretch.frames, 0);
        for row in &stretch.rows[..len] {
            for (is_there, places) in [(row.before.gap, &mut gaps), (row.before.frame, &mut frames)] {
                // A frame after the first row usually belongs to the header of a table, so it is not counted.
                if is_there && done > 1 && *places != SeparatorPlaces::Anywhere {
                    let is_band = done % band == 0;
                    *places = if is_band { SeparatorPlaces::Bands } else { SeparatorPlaces::Anywhere };
                }
            }
            done += stretch.rows_in(row.count).0;
        }
        stretch.frames = frames;
        if stretch.gaps == SeparatorPlaces::Unknown {
            stretch.gaps = gaps;
        }
    }

    /// Handles an empty line.
    ///
    /// If grids of the source have no empty lines inside, the empty line may end the current grid. The number
    /// of rows must then be the side length, or differ from the side length by one.
    fn empty_line(&mut self, out: &mut RecordSink<'_>) {
        let rows = self.stretch.rows.len();
        if self.stretch.gaps == SeparatorPlaces::Nowhere
            && self.side.is_some_and(|side| rows + 1 >= side && rows <= side + 1)
        {
            self.settle(true, out);
        }
        self.behind.gap = true;
    }

    /// Handles a line that only separates rows.
    fn frame(&mut self) {
        self.behind.edge |= self.behind.frame;
        self.behind.frame = true;
    }

    /// Ends the current grid because a title, a sentence, a label or the name of a program follows.
    fn text(&mut self, kind: LineKind, out: &mut RecordSink<'_>) {
        self.settle(true, out);
        self.behind.gap = true;
        self.counted.ignores();
        out.pass(kind);
    }

    /// Returns true if a heading announces solutions, and remembers the announcement.
    fn notice_solutions(&mut self, text: &[u8]) -> bool {
        let begins = |word: &[u8], with: &[u8]| {
            word.get(..with.len()).is_some_and(|word| word.eq_ignore_ascii_case(with))
        };
        let says = |word: &[u8]| begins(word, b"solution") || begins(word, b"answer");
        let says_so = text.split(|byte| !byte.is_ascii_alphabetic()).any(says);
        self.is_under_solutions |= says_so;
        says_so
    }

    /// Returns true if a line may be text between grids.
    ///
    /// A line directly after a heading is not text between grids, because it belongs to the grid under the
    /// heading. In sources of integers with one grid per line, no line is text.
    fn may_be_text(&self) -> bool {
        self.has_text && self.heading.is_none() && !(self.style.unit == Unit::Integer && self.is_in_lines)
    }

    fn heading(&mut self, heading: Heading, line: Line<'_>, out: &mut RecordSink<'_>) {
        // The heading of a solution becomes part of the record of the puzzle before it.
        if heading == Heading::Name && self.notice_solutions(line.text) && self.has_solutions {
            return self.text(LineKind::Heading, out);
        }
        self.ends(out);
        self.flush(out);
        out.done(line.place(0));
        self.wanted = heading != Heading::Other;
        if heading == Heading::Name {
            let end = line.start + trim_end(line.text) as u64;
            self.heading = Some(Place { begin: line.place(0), end });
        }
        out.pass(LineKind::Heading);
    }

    /// Ends the current grid.
    ///
    /// A heading without a grid becomes an empty grid. If stray lines follow the heading, the heading and
    /// these lines become one invalid record.
    pub(super) fn ends(&mut self, out: &mut RecordSink<'_>) {
        self.settle(true, out);
        if let Some(heading) = self.heading {
            let last = self.strays.drain(..).next_back();
            let invalid = last.as_ref().map(|_| "no grid after this heading".to_owned());
            let end = last.map_or(heading.end, |(stray, _)| stray.end);
            self.grid(Place { end, ..heading }, invalid, false, out);
        }
    }

    /// Adds unknown characters in a row to the set of characters that mean empty cells. Returns true if there
    /// were any.
    ///
    /// Later grids can thus use other characters for empty cells than the first part of the source. The line
    /// must be as long as a row, have clues and be at least half empty. A key with dashes does not meet these
    /// conditions.
    fn notices_blanks(&mut self, line: &[u8]) -> bool {
        let (more, shown) = (self.shown.and(line), self.shown);
        let is_row = || {
            let count = count_of(line, Unit::Character, shown);
            let cells = cells_of(line, Unit::Character, shown);
            let empty = cells.filter(|&(at, _)| is_empty(&line[at..])).count();
            2 * empty >= count && self.usual.or(self.side).is_none_or(|side| side == count)
        };
        let are_new = more != shown && is_row();
        self.shown = if are_new { more } else { shown };
        are_new
    }

    /// Adds the cells of a line.
    ///
    /// Returns the number of cells, and the number of groups into which blanks and frames divide them.
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
            let digit = match &text[start..end] {
                [byte] if self.options.blank == Some(*byte) => 0,
                word if self.style.unit == Unit::Character => digit_of(word, shown),
                word => number_of(word),
            };
            self.stretch.cells.push(digit);
        }
        (self.stretch.cells.len() - before, parts)
    }

    /// Handles a line of a source in which cells are found by their positions.
    fn drawn_line(&mut self, rows: RowsLayout, line: Line<'_>, out: &mut RecordSink<'_>) {
        let (text, side) = (line.text, rows.side);
        let is_frame = drawn_cells::is_frame(text);
        let may_be_row = !is_frame
            || matches!(rows.look, RowLook::Widths(..) | RowLook::Fields(_))
            || matches!(rows.lead, Lead::Bullet(_));
        let cells = if may_be_row { drawn_cells::cells_of(text, rows) } else { None };
        if let Some(cells) = cells {
            let place = Place { begin: line.place(0), end: line.start + text.len() as u64 };
            // A cell with several digits holds candidates, not a number.
            let has_sets = matches!(rows.look, RowLook::Candidates);
            let digit = |cell: &&[u8]| if has_sets && cell.len() > 1 { 0 } else { number_of(cell) };
            let digits: Vec<u8> = cells[..side].iter().map(digit).collect();
            self.row(place, span_in(text, cells[0]).start as usize, &digits, out);
        } else if is_frame {
            self.frame();
        } else {
            self.line_between(line, side, out);
        }
    }

    /// Handles a line that is not written like the rows of the source. `side` is the side length of the
    /// source's grids.
    fn other_line(&mut self, line: Line<'_>, side: usize, out: &mut RecordSink<'_>) {
        let text = line.text;
        let place = Place { begin: line.place(0), end: line.start + text.len() as u64 };
        if may_be_grid(text, side) {
            self.no_grid(place, unlike_others(side), out);
        } else if !may_be_row_of(text, side) || number_alone(text).is_some() {
            let is_other = LineKind::of(text) == LineKind::Other;
            self.notice_solutions(text);
            self.text(if is_other { LineKind::Heading } else { LineKind::of(text) }, out);
        } else {
            self.push(Row { place, parts: 1, ..Row::default() }, out);
        }
    }

    /// Handles a line that is not a row of a drawing, or a line between two lists.
    ///
    /// `side` is the side length of the source's grids.
    pub(super) fn line_between(&mut self, line: Line<'_>, side: usize, out: &mut RecordSink<'_>) {
        match trim(line.text) {
            [] => self.empty_line(out),
            _ if is_skipped(line.text, self.options.blank) => self.comment(line.text, out),
            _ if drawn_cells::is_frame(line.text) => self.frame(),
            _ => self.other_line(line, side, out),
        }
    }

    fn comment(&mut self, text: &[u8], out: &mut RecordSink<'_>) {
        self.notice_solutions(text);
        out.pass(LineKind::Comment);
    }

    /// Handles a line of a source whose rows consist of characters or integers.
    fn plain_line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let unit = self.style.unit;
        let number = if self.counted.numbers == Numbers::Cells { None } else { number_alone(line.text) };
        let mut from = 0;
        match (self.counted.numbers, number) {
            (Numbers::Count { line: at, bytes, .. }, _) if at == line.number => {
                if bytes == 0 {
                    self.behind.gap = true;
                    return out.pass(LineKind::Count);
                }
                from = bytes;
            }
            (Numbers::Order(order), Some(number)) if number == order => {
                return self.text(LineKind::Label, out);
            }
            // In some inputs, each grid has its order before it, and a 0 instead of an order marks the end.
            (Numbers::Order(_), Some(0)) => return self.text(LineKind::Other, out),
            (Numbers::Ids, Some(_)) if count_of(line.text, unit, self.shown) < InputOptions::MIN_SIDE => {
                return self.heading(Heading::Name, line, out);
            }
            _ => {}
        }
        if self.may_be_text()
            && (unit == Unit::Character && is_text(line.text) || !self.is_inside() && is_prose(line.text))
        {
            self.notice_solutions(line.text);
            return self.text(LineKind::Heading, out);
        }
        let before = self.stretch.cells.len();
        let mut found = self.add_cells(&line.text[from..]);
        // Known characters of empty cells have code 0. Other characters that are not digits have the code
        // `ZERO` or a higher one.
        let has_others = self.stretch.cells[before..].iter().fold(false, |any, &code| any | (code >= ZERO));
        if unit == Unit::Character
            && (has_others || self.shown.is_nothing())
            && self.notices_blanks(line.text)
        {
            self.stretch.cells.truncate(before);
            found = self.add_cells(&line.text[from..]);
        }
        match found {
            (0, _) => self.frame(),
            found => self.cells(line, from, found, out),
        }
    }
}

/// Returns true if a line may be a row of a grid with this side length, although it is not written like the
/// other rows.
///
/// The line must meet one of these conditions:
/// - It has a digit, and no two adjacent letters.
/// - It has a digit, and at least `side` cells.
/// - It consists of `side` empty cells.
fn may_be_row_of(line: &[u8], side: usize) -> bool {
    let has_word = line.windows(2).any(|two| two.iter().all(u8::is_ascii_alphabetic));
    let is_empty = || line.iter().all(|&byte| is_blank(byte) || BLANKS.contains(&byte));
    line.iter().any(u8::is_ascii_digit) && (!has_word || cells_in(line, side) >= side)
        || cells_in(line, side) == side && is_empty()
}

/// Returns the number that a word represents, or 0 for an empty cell.
pub(super) fn number_of(word: &[u8]) -> u8 {
    match word {
        [byte] => char::from(*byte).to_digit(36).unwrap_or(0) as u8,
        word => whole_number(word).and_then(|number| number.try_into().ok()).unwrap_or(0),
    }
}

/// Reason for refusing a finished grid. The grid is under a heading of solutions, but is not the solution of
/// the grid before it.
const SOLUTION_ALONE: &str =
    "a finished grid under a heading of solutions, and the grid before it is not its puzzle";

/// Returns true if a cell code is a digit.
fn is_clue(digit: u8) -> bool {
    !matches!(digit, 0 | ZERO | NOT_A_CELL)
}

/// Returns the byte offset after the last non-blank character of a line.
fn trim_end(line: &[u8]) -> usize {
    line.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}

impl LineMachine for Assembler {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let heading = (self.style.heading)(line.text);
        if heading != Heading::Absent {
            self.heading(heading, line, out);
        } else if let Some(rows) = self.drawn {
            self.drawn_line(rows, line, out);
        } else {
            match trim(line.text) {
                [] => self.empty_line(out),
                _ if is_skipped(line.text, self.options.blank) => self.comment(line.text, out),
                _ if !self.wanted => out.pass(LineKind::Other),
                _ => self.plain_line(line, out),
            }
        }
        if self.heading.is_none() {
            out.done(self.pending().unwrap_or(line.after()));
        }
    }

    fn end(&mut self, next: RecordStart, out: &mut RecordSink<'_>) -> bool {
        if self.heading.is_some() || self.puzzle.is_some() || !self.stretch.rows.is_empty() {
            self.ends(out);
            self.flush(out);
            out.done(next);
            return false;
        }
        let (side, unit) = (self.usual, self.style.unit);
        self.counted.end(next, (side, unit), out)
    }

    fn give_up(&mut self) {
        self.stretch.rows.clear();
        self.stretch.cells.clear();
        self.strays.clear();
        (self.heading, self.puzzle) = (None, None);
        (self.side, self.walked, self.done) = (None, 0, 0);
        self.behind = Separators::default();
        self.counted.found += 1;
    }
}
