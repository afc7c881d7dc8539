//! Assembles the rows of grids, line by line, for all formats with a row of a grid on each line.
//!
//! A grid ends when it has all its rows. Rows with a fault are passed to [`Stretch`] together with the rows after
//! them.
//!
//! Four things always end a grid: a heading, text, the end of the source, and, if the last grid was on one line,
//! another such line. An empty line does too, unless the first whole grid of the source has empty lines after its rows
//! or bands.

use super::super::cells::BLANKS;
use super::super::characters::whole_number;
use super::super::cutter::{
    ByLine, Cutter, Line, LineMachine, RecordSink, RecordStart, cells_in, may_be_grid, unlike_others,
};
use super::super::layout::{Lead, Numbers, RowLook, RowsLayout};
use super::super::lines::{is_blank, is_skipped, trim};
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

/// Number of rows that decide on the side of the first grid, or on a change of side. The smallest grid has this many.
const DECIDING_ROWS: usize = InputOptions::MIN_SIDE;

/// Cuts grids line by line.
#[derive(Default)]
pub(super) struct Assembler {
    style: Style,
    options: InputOptions,
    /// How rows are written if their cells are found by their places.
    drawn: Option<RowsLayout>,
    /// Side of the last whole grid; at first the side that the head shows.
    usual: Option<usize>,
    /// True if the last whole grid was on one line.
    is_in_lines: bool,
    /// The grids found, and their announced count.
    counted: Counted,
    /// Heading of the next grid.
    heading: Option<Place>,
    /// Stray lines after that heading, with reasons.
    ///
    /// These lines are handed out together with the grid, whose record begins before them.
    strays: Vec<(Place, String)>,
    /// True if the source has solutions after its puzzles.
    has_solutions: bool,
    /// The last grid and its digits, if it is whole and has an empty cell.
    puzzle: Option<Place>,
    puzzle_cells: Vec<u8>,
    /// True if the first grid is whole.
    pub(super) begins_whole: bool,
    /// Number of grids that solve the grid before them.
    pub(super) solutions: u64,
    /// Number of grids with all their rows.
    pub(super) whole: u64,
    /// True if the last heading says that solutions follow, and no grid with an empty cell has come since.
    is_under_solutions: bool,
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

impl Assembler {
    /// Creates the cutter of a source with this layout.
    pub(super) fn cutter(layout: &Layout, options: &InputOptions) -> Box<dyn Cutter> {
        ByLine::cutter(Assembler::new(layout, options), layout, options)
    }

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

    /// Hands out a grid, together with its heading and stray lines. A solution after its puzzle belongs to the puzzle.
    fn grid(&mut self, place: Place, invalid: Option<String>, is_whole: bool, out: &mut RecordSink<'_>) {
        let cells = &self.stretch.cells[..if is_whole { self.stretch.side.pow(2) } else { 0 }];
        let is_open = cells.contains(&0);
        let most = if self.stretch.side < 10 { self.stretch.side as u8 } else { u8::MAX };
        let is_digit = |&digit: &u8| is_clue(digit) && digit <= most;
        let is_row = |row: &[u8]| row.iter().all(is_digit) && !has_a_digit_twice(row.iter().copied());
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

    /// Hands out the puzzle that no solution followed.
    pub(super) fn flush(&mut self, out: &mut RecordSink<'_>) {
        if let Some(puzzle) = self.puzzle.take() {
            out.record(puzzle.begin, puzzle.end, None);
        }
    }

    /// Hands out a line outside of any grid, or ignores it after all counted grids.
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

    /// Returns the side of the last whole grid.
    pub(super) fn usual_side(&self) -> usize {
        self.usual.unwrap_or(9)
    }

    /// Returns true if the next line may be a row of a grid that has begun.
    pub(super) fn is_inside(&self) -> bool {
        !self.stretch.rows.is_empty() && self.side != Some(self.stretch.rows.len())
    }

    /// Handles a line with `count` cells in `parts` parts, which begin at byte `from`.
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
            // After a grid on one line, a line that is as long, or longer than any row, is a grid, too.
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
                // After a grid in rows, its number of empty cells on one line is a ruler.
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

    /// Takes a row with these digits, which the caller found.
    pub(super) fn row(&mut self, place: Place, digits: &[u8], out: &mut RecordSink<'_>) {
        self.stretch.cells.extend_from_slice(digits);
        self.push(Row { place, count: digits.len(), parts: 1, ..Row::default() }, out);
    }

    /// Takes a whole grid of this side with these digits, which the caller found.
    pub(super) fn whole_grid(&mut self, place: Place, side: usize, digits: &[u8], out: &mut RecordSink<'_>) {
        self.settle(true, out);
        self.behind = Separators::default();
        (self.usual, self.is_in_lines, self.stretch.side) = (Some(side), true, side);
        self.stretch.cells.extend_from_slice(digits);
        self.grid(place, None, digits.len() == side * side, out);
        self.stretch.cells.clear();
    }

    /// Takes an item in place of a grid, which is not one.
    pub(super) fn no_grid(&mut self, place: Place, reason: String, out: &mut RecordSink<'_>) {
        self.settle(true, out);
        self.grid(place, Some(reason), false, out);
    }

    /// Returns the first place that is not in a record yet, or `None` if there is none.
    pub(super) fn pending(&self) -> Option<RecordStart> {
        self.puzzle.or(self.stretch.rows.first().map(|row| row.place)).map(|place| place.begin)
    }

    /// Takes a line as a row, whose cells have been added.
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

    /// Handles a line with all cells of one grid, or of several grids of this side.
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
        let rows = &self.stretch.rows;
        let head = &rows[..rows.len().min(DECIDING_ROWS)];
        let first = head.first().map_or(0, |row| row.count);
        let known = self.side.or(self.drawn.map(|rows| rows.side)).or(self.options.asked_side());
        // A grid on one line says nothing about rows; it may be a stray line.
        let side = match (known, self.usual.filter(|_| !self.is_in_lines)) {
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

    /// Makes records of the rows as far as they are understood. `ended` means that no grid continues after them.
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

    /// Returns true if empty lines follow all bands of the walked grid or none.
    ///
    /// Always true once it is known where the source has empty lines. A single empty line may be the remains of a
    /// row.
    fn is_regular(&self) -> bool {
        let gaps = || self.stretch.rows[1..self.walked].iter().filter(|row| row.before.gap).count();
        self.stretch.gaps != SeparatorPlaces::Unknown
            || [0, self.stretch.side / self.stretch.box_shape.0 - 1].contains(&gaps())
    }

    /// Hands out the first piece and removes its rows.
    fn take(&mut self, len: usize, piece: Piece, out: &mut RecordSink<'_>) {
        let side = self.side.take().unwrap_or(9);
        let rows = &self.stretch.rows[..len];
        let begin = rows[0].place.begin;
        let place = Place { begin, end: rows[len - 1].place.end };
        let count: usize = rows.iter().map(|row| row.count).sum();
        let noun = |count, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let is_drawn = self.drawn.is_some();
        match piece {
            // The rows of another look are at most text if they are few. A row above a frame is the header of a table.
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
                    // The parser would read these cells as a grid of another side.
                    _ if root * root == count && root != side && (len > 1 || self.usual.is_some()) => {
                        Some(format!("{count} cells in {len} rows, but a {side}x{side} has {side}"))
                    }
                    _ => None,
                };
                self.grid(place, invalid, false, out);
            }
        }
        let last = &self.stretch.rows[len - 1];
        // The cells of the last line may already follow.
        let from = last.cells + last.count;
        self.stretch.rows.drain(..len);
        self.stretch.cells.drain(..from);
        self.stretch.rows.iter_mut().for_each(|row| row.cells -= from);
        (self.walked, self.done) = (0, 0);
    }

    /// Notes where a whole grid of `len` lines has separators.
    fn learn(&mut self, len: usize) {
        let stretch = &mut self.stretch;
        let band = stretch.box_shape.0;
        let (mut gaps, mut frames, mut done) = (SeparatorPlaces::Nowhere, stretch.frames, 0);
        for row in &stretch.rows[..len] {
            for (is_there, places) in [(row.before.gap, &mut gaps), (row.before.frame, &mut frames)] {
                // Only the header of a table may be one row above a frame.
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

    /// Handles a line that only separates rows.
    fn frame(&mut self) {
        self.behind.edge |= self.behind.frame;
        self.behind.frame = true;
    }

    /// Ends the current grid before a title, a sentence, a label or the name of a program.
    fn text(&mut self, kind: LineKind, out: &mut RecordSink<'_>) {
        self.settle(true, out);
        self.behind.gap = true;
        self.counted.ignores();
        out.pass(kind);
    }

    /// Returns true if a heading says that solutions follow, and notes it.
    fn notice_solutions(&mut self, text: &[u8]) -> bool {
        let begins = |word: &[u8], with: &[u8]| {
            word.get(..with.len()).is_some_and(|word| word.eq_ignore_ascii_case(with))
        };
        let says = |word: &[u8]| begins(word, b"solution") || begins(word, b"answer");
        let says_so = text.split(|byte| !byte.is_ascii_alphabetic()).any(says);
        self.is_under_solutions |= says_so;
        says_so
    }

    /// Returns true if text may be between grids: not after a heading, which belongs to a grid, nor if each line of integers
    /// is a grid.
    fn may_be_text(&self) -> bool {
        self.has_text && self.heading.is_none() && !(self.style.unit == Unit::Integer && self.is_in_lines)
    }

    fn heading(&mut self, heading: Heading, line: Line<'_>, out: &mut RecordSink<'_>) {
        // The heading of a solution belongs to the puzzle before it.
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

    /// Ends the current grid. A heading without a grid becomes an empty grid, or one invalid record with the lines
    /// after it.
    pub(super) fn ends(&mut self, out: &mut RecordSink<'_>) {
        self.settle(true, out);
        if let Some(heading) = self.heading {
            let last = self.strays.drain(..).next_back();
            let invalid = last.as_ref().map(|_| "no grid after this heading".to_owned());
            let end = last.map_or(heading.end, |(stray, _)| stray.end);
            self.grid(Place { end, ..heading }, invalid, false, out);
        }
    }

    /// Notes which characters are empty cells in a line that has clues, is as long as a row, and is at least half empty.
    /// Returns true if one was not known.
    ///
    /// Rows whose empty cells differ from those of the head can thus be read, while a key with dashes has no effect.
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
            let digit = match &text[start..end] {
                [byte] if self.options.blank == Some(*byte) => 0,
                word if self.style.unit == Unit::Character => digit_of(word, shown),
                word => number_of(word),
            };
            self.stretch.cells.push(digit);
        }
        (self.stretch.cells.len() - before, parts)
    }

    /// Takes a line of a source whose cells are found by their places. Returns false for empty lines and comments.
    fn drawn_line(&mut self, rows: RowsLayout, line: Line<'_>, out: &mut RecordSink<'_>) -> bool {
        let (text, side) = (line.text, rows.side);
        let is_frame = drawn_cells::is_frame(text);
        let may_be_row = !is_frame
            || matches!(rows.look, RowLook::Widths(..) | RowLook::Fields(_))
            || matches!(rows.lead, Lead::Bullet(_));
        let cells = if may_be_row { drawn_cells::cells_of(text, rows) } else { None };
        if let Some(cells) = cells {
            let place = Place { begin: line.place(0), end: line.start + text.len() as u64 };
            // Several digits in a cell are its candidates, not a number.
            let has_sets = matches!(rows.look, RowLook::Candidates);
            let digit = |&(start, end): &(usize, usize)| match &text[start..end] {
                word if has_sets && word.len() > 1 => 0,
                word => number_of(word),
            };
            self.stretch.cells.extend(cells[..side].iter().map(digit));
            let indent = cells[0].0;
            self.push(Row { place, count: side, parts: 1, indent, ..Row::default() }, out);
        } else if is_frame {
            self.frame();
        } else if is_skipped(text, self.options.blank) {
            return false;
        } else {
            self.other_line(line, side, out);
        }
        true
    }

    /// Takes a line that is not written like the rows of the source, whose grids have this side.
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

    /// Takes a line between the lists of a source.
    pub(super) fn line_between(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        match trim(line.text) {
            [] => self.empty_line(out),
            _ if is_skipped(line.text, self.options.blank) => self.comment(line.text, out),
            _ if drawn_cells::is_frame(line.text) => self.frame(),
            _ => self.other_line(line, self.usual_side(), out),
        }
    }

    fn comment(&mut self, text: &[u8], out: &mut RecordSink<'_>) {
        self.notice_solutions(text);
        out.pass(LineKind::Comment);
    }

    /// Takes a line of a source whose rows consist of characters or integers.
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
            // A 0 in place of an order ends some inputs.
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
        // All characters that are known to be empty cells have the code 0.
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

/// Returns true if a line that is not a row may be one of a grid of this side in another look: it has a digit and no word,
/// or enough digits and empty cells, or only empty cells.
fn may_be_row_of(line: &[u8], side: usize) -> bool {
    let has_word = line.windows(2).any(|two| two.iter().all(u8::is_ascii_alphabetic));
    let is_empty = || line.iter().all(|&byte| is_blank(byte) || BLANKS.contains(&byte));
    line.iter().any(u8::is_ascii_digit) && (!has_word || cells_in(line, side) >= side)
        || cells_in(line, side) == side && is_empty()
}

/// Returns the number that a word is, or 0 for an empty cell.
pub(super) fn number_of(word: &[u8]) -> u8 {
    match word {
        [byte] => char::from(*byte).to_digit(36).unwrap_or(0) as u8,
        word => whole_number(word).and_then(|number| number.try_into().ok()).unwrap_or(0),
    }
}

/// Reason for refusing a finished grid that a heading calls a solution, if its puzzle is not known.
const SOLUTION_ALONE: &str =
    "a finished grid under a heading of solutions, and the grid before it is not its puzzle";

/// Returns true for the code of a digit.
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
        } else if !self.drawn.is_some_and(|rows| self.drawn_line(rows, line, out)) {
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
