//! Divides rows that contain a fault into grids and stray lines.
//!
//! A fault is a surplus row, a row of another length, a separator in the middle of a band, or clues that
//! clash. Rows without a fault only need counting and are not passed to this module. After a fault, rows are
//! collected until three more grids have arrived or something ends the grids.
//!
//! Then the first piece of the rows, which is a grid or a stray line, is separated from the other rows. The
//! end of the piece is chosen so that the piece and the three grids after it have the fewest faults. (If the
//! end were wrong, each of these grids would have a fault.) The remaining rows are read again together with
//! the rows that follow.

use std::ops::Range;

use super::super::cutter::RecordStart;
use quadrille_model::MAX_SIDE;

/// Cost of a row that is missing, surplus, of another length, or outside of any grid.
const FAULT: u32 = 8;
/// Cost of a grid that ends too early, because a separator or the end of the source follows before all of its
/// rows.
const CUT_SHORT: u32 = 10;
/// Cost of a whole grid that repeats a digit in a house.
///
/// It is less than the cost of a fault, because a few puzzles contain such a repetition. Two such grids cost
/// more than one fault.
const CLASH: u32 = 6;
/// Cost of a whole grid in which blanks and frames divide some rows into groups but do not divide other rows.
const DIVIDED: u32 = CLASH - 1;
/// Cost of a whole grid in which a few rows are nearly full and the other rows are not.
const FULL: u32 = 2;
/// Cost of a line outside of any grid that looks like a key (an id or a date).
const KEY: u32 = 5;

/// Code of the character zero in a source in which zeros are digits.
pub(super) const ZERO: u8 = 36;
/// Code of a character that is neither a digit nor an empty cell.
pub(super) const NOT_A_CELL: u8 = 255;

/// The place of a row or a grid, or of a line in its place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// Place of the first cell.
    pub(super) begin: RecordStart,
    /// Offset in the source after the last cell, in bytes.
    pub(super) end: u64,
}

/// A line with cells.
#[derive(Default)]
pub(super) struct Row {
    pub(super) place: Place,
    /// Number of cells in the row, or 0 for a line that is not written like the rows of the source.
    pub(super) count: usize,
    /// Number of groups into which blanks and frames divide the cells.
    pub(super) parts: usize,
    /// Number of bytes on the line before the first cell.
    pub(super) indent: usize,
    /// True if the row has a capital letter. Such a letter is a digit only in grids larger than 9x9.
    pub(super) has_capitals: bool,
    /// Index of the row's first cell in [`Stretch::cells`].
    pub(super) cells: usize,
    /// The separators before the row.
    pub(super) before: Separators,
}

/// Separators between two rows.
#[derive(Clone, Copy, Default)]
pub(super) struct Separators {
    /// True if an empty line separates the two rows.
    pub(super) gap: bool,
    /// True if a frame separates the two rows.
    pub(super) frame: bool,
    /// True if two frames separate the two rows.
    ///
    /// Two frames are the lower edge of one grid and the upper edge of the next grid. A line between bands is
    /// a single frame.
    pub(super) edge: bool,
}

/// Positions in a grid at which separators of one kind may occur.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SeparatorPlaces {
    /// Not known; allowed after bands.
    #[default]
    Unknown,
    Nowhere,
    Bands,
    Anywhere,
}

impl SeparatorPlaces {
    /// Returns true if this kind of separator may come after the first `rows` rows of a grid.
    fn allow(self, rows: usize, band: usize) -> bool {
        match self {
            _ if rows == 0 => true,
            SeparatorPlaces::Unknown | SeparatorPlaces::Bands => rows.is_multiple_of(band),
            SeparatorPlaces::Nowhere => false,
            SeparatorPlaces::Anywhere => true,
        }
    }
}

/// Meaning of the first rows in a stretch, that is, in the collected rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// A line outside of any grid.
    Stray,
    /// A grid. `whole` is true if it has all its rows.
    Grid { whole: bool },
}

/// Collected rows that are not yet divided into grids. The first of them may begin a grid.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) rows: Vec<Row>,
    /// Codes of all cells: 1-based digits, 0 for empty cells, [`ZERO`] or [`NOT_A_CELL`].
    pub(super) cells: Vec<u8>,
    pub(super) side: usize,
    /// Numbers of rows and columns in a box.
    pub(super) box_shape: (usize, usize),
    pub(super) gaps: SeparatorPlaces,
    pub(super) frames: SeparatorPlaces,
    /// True if one line may hold several rows of a grid.
    pub(super) may_be_wide: bool,
    /// True if the cells of the rows are found by their positions on the line.
    pub(super) is_drawn: bool,
}

impl Stretch {
    /// Returns the number of lines in the first piece, and its meaning.
    ///
    /// `ended` means that no more rows of the last grid follow.
    pub(super) fn first_piece(&self, ended: bool) -> (usize, Piece) {
        let rest = |len| self.cost_from(len, ended);
        let grids = (1..=self.rows.len()).map(|len| {
            let costs = [false, true].map(|are_added| self.grid_cost(len, ended, are_added));
            let (cost, is_damaged) = costs.into_iter().min().unwrap_or_default();
            (cost + rest(len), len, Piece::Grid { whole: !is_damaged })
        });
        let stray = (self.stray_cost() + rest(1), 1, Piece::Stray);
        let best = std::iter::once(stray).chain(grids).min_by_key(|&(cost, ..)| cost);
        best.map_or((1, Piece::Stray), |(_, len, piece)| (len, piece))
    }

    /// Returns the cost of reading the first row as a stray line outside of any grid.
    fn stray_cost(&self) -> u32 {
        let row = &self.rows[0];
        let others = &self.rows[1..self.rows.len().min(self.side + 1)];
        let is_full = self.is_full(row) && !others.iter().all(|other| self.is_full(other));
        let is_header = self.is_drawn && others.first().is_some_and(|other| other.before.frame);
        let is_key = is_full
            || is_header
            || row.count == 0
            || self.is_wrong(row)
            || others.iter().all(|other| (other.parts == 1) != (row.parts == 1));
        if is_key { KEY } else { FAULT + 1 }
    }

    /// Returns the cost of reading the first `len` lines as one grid, and true if this grid is damaged.
    ///
    /// A line of unusual length may be a surplus line or a damaged row of the grid. If `are_added` is true,
    /// such lines are surplus lines. If it is false, they are damaged rows.
    fn grid_cost(&self, len: usize, ended: bool, are_added: bool) -> (u32, bool) {
        let (mut done, mut bad, mut gaps, mut frames, mut edges) = (0, 0, 0, 0, 0);
        for row in &self.rows[..len] {
            let (rows, is_good) = self.rows_in(row.count);
            let (gap, frame) = self.misplaced(row, done);
            gaps += u32::from(gap);
            // A frame after the first row costs nothing in drawn grids, because that row may be the header of
            // a table.
            frames += u32::from(frame && !(self.is_drawn && done == 1));
            edges |= u32::from(done > 0 && self.is_apart(row));
            let is_added = !is_good && (are_added || done + rows > self.side);
            bad += match () {
                () if is_good => 0,
                () if is_added => FAULT + 1,
                // A row that was truncated still has most of its cells, so it costs less than a shorter line.
                () if row.count > self.side / 2 && row.count < 2 * self.side => FAULT,
                () => FAULT + 2,
            };
            done += if is_added { 0 } else { rows };
        }
        let is_cut = self.rows.get(len).map_or(ended, |next| next.before.gap || next.before.edge);
        let lost = FAULT * self.side.saturating_sub(done) as u32;
        let lost = if is_cut { lost.min(CUT_SHORT) } else { lost };
        let added = (FAULT + 1) * done.saturating_sub(self.side) as u32;
        match (bad + lost + added, gaps) {
            (0, 0) => (FAULT * frames.min(1) + edges + self.flaws(0..len), false),
            (0, _) => (FAULT, true),
            // A surplus line and a bad line may be one and the same line. So only the higher of the two costs
            // is added.
            (_, _) if added > 0 => (added.max(bad) + edges, true),
            (cost, _) => (cost + edges, true),
        }
    }

    /// Returns the cost of reading up to three grids from row `at` on.
    fn cost_from(&self, mut at: usize, ended: bool) -> u32 {
        let mut cost = 0;
        for left in (1..=3).rev() {
            let (end, done) = self.walk(at, 0);
            match self.rows.get(end) {
                _ if done == self.side => {
                    let is_apart = self.rows[at + 1..end].iter().any(|row| self.is_apart(row));
                    cost += self.flaws(at..end) + u32::from(is_apart);
                }
                // The separator shows where the next grid begins, so the loop continues there. If the loop
                // stopped here, a wrong end of the grid could cost less than the right end.
                Some(row) if done > 0 && (row.before.gap || row.before.edge) => cost += CUT_SHORT,
                // The last grid of the source has a fault and is also incomplete.
                Some(_) if ended && self.rows.len() - at < self.side => return cost + FAULT + CUT_SHORT,
                // After a wrong end of the first grid, each of the remaining grids would have a fault. In
                // drawn tables, the fault may be the header of a grid instead, so only one fault is counted.
                Some(_) => return cost + if self.is_drawn { FAULT } else { FAULT * left },
                None => return cost + if ended && done > 0 { CUT_SHORT } else { 0 },
            }
            at = end;
        }
        cost
    }

    /// Extends a grid that has `done` rows with the rows from index `at` on, up to the first fault.
    ///
    /// Returns the index after the last row that was used, and the number of rows that the grid then has.
    pub(super) fn walk(&self, mut at: usize, mut done: usize) -> (usize, usize) {
        while let Some(row) = self.rows.get(at).filter(|_| done < self.side) {
            let (rows, is_good) = self.rows_in(row.count);
            if !is_good || self.misplaced(row, done) != (false, false) || done + rows > self.side {
                break;
            }
            done += rows;
            at += 1;
        }
        (at, done)
    }

    /// Returns true if the separator before a row suggests that the row begins a grid.
    ///
    /// Two frames suggest the beginning of a grid. An empty line also does, unless it is known where grids of
    /// this source have empty lines.
    fn is_apart(&self, row: &Row) -> bool {
        row.before.edge || row.before.gap && self.gaps == SeparatorPlaces::Unknown
    }

    /// Checks the separators between the first `done` rows of a grid and this row.
    ///
    /// The first bool is true if there is an empty line that must not be there. The second bool is true if
    /// there is a frame that must not be there.
    fn misplaced(&self, row: &Row, done: usize) -> (bool, bool) {
        let band = self.box_shape.0;
        (row.before.gap && !self.gaps.allow(done, band), row.before.frame && !self.frames.allow(done, band))
    }

    /// Returns how many rows of a grid are on a line with `count` cells, and true if the number of cells fits
    /// exactly.
    pub(super) fn rows_in(&self, count: usize) -> (usize, bool) {
        let is_good = count == self.side
            || count == self.side * self.side
            || self.may_be_wide && count > 0 && count.is_multiple_of(self.side);
        (((count + self.side / 2) / self.side).max(1), is_good)
    }

    /// Returns the cost of unusual properties in the rows of a whole grid, or 0 if there are none.
    pub(super) fn flaws(&self, rows: Range<usize>) -> u32 {
        if self.clashes(rows.start) {
            return CLASH;
        }
        let lines = &self.rows[rows];
        if lines.iter().any(|row| (row.parts == 1) != (lines[0].parts == 1)) {
            return DIVIDED;
        }
        let full = lines.iter().filter(|row| self.is_full(row)).count();
        if full > 0 && 4 * full <= lines.len() { FULL } else { 0 }
    }

    /// Returns true if the whole grid from row `start` on repeats a digit in a column or box, or has an
    /// impossible row.
    ///
    /// A row can be impossible wherever the grid begins. Such a row counts nevertheless, because it may be a
    /// key before the grid.
    pub(super) fn clashes(&self, start: usize) -> bool {
        let (side, (box_rows, box_columns)) = (self.side, self.box_shape);
        let is_small = side < 10;
        let valid = if is_small { (1 << (side + 1)) - 1 } else { u64::MAX };
        let (mut columns, mut boxes) = ([0u64; MAX_SIDE], [0u64; MAX_SIDE]);
        let (mut bits, mut clashes, mut done) = ([0u64; MAX_SIDE], false, 0);
        let bits = &mut bits[..side];
        for row in &self.rows[start..] {
            let is_row = row.count == side;
            for cells in self.cells[row.cells..row.cells + row.count].chunks_exact(side) {
                if done == side {
                    return clashes;
                }
                let (mut seen_in_row, mut is_wrong) = (0, is_small && row.has_capitals);
                for ((cell, &digit), seen) in bits.iter_mut().zip(cells).zip(&mut columns) {
                    let bit = self.bit_of(digit);
                    is_wrong |= (seen_in_row | !valid) & bit > 0 || self.is_no_cell(digit);
                    seen_in_row |= bit;
                    *cell = bit & valid;
                    clashes |= *seen & *cell > 0;
                    *seen |= *cell;
                }
                clashes |= is_row && is_wrong;
                for (part, seen) in bits.chunks(box_columns).zip(&mut boxes[done / box_rows * box_rows..]) {
                    for bit in part {
                        clashes |= *seen & bit > 0;
                        *seen |= bit;
                    }
                }
                done += 1;
            }
        }
        clashes
    }

    /// Returns true if a row consists of column numbers and is indented by at least two characters more than
    /// the next row.
    ///
    /// One additional character is not enough, because right-aligned digits can cause it.
    pub(super) fn is_heading(&self, row: &Row, next: &Row) -> bool {
        row.indent > next.indent + 1 && counts_columns(self.cells_of(row).copied())
    }

    /// Returns true if less than a quarter of the cells in a row are empty.
    fn is_full(&self, row: &Row) -> bool {
        4 * self.cells_of(row).filter(|&&digit| digit == 0).count() < row.count
    }

    fn cells_of(&self, row: &Row) -> std::slice::Iter<'_, u8> {
        self.cells[row.cells..row.cells + row.count].iter()
    }

    /// Returns true if a code is neither a digit nor an empty cell of the source.
    fn is_no_cell(&self, digit: u8) -> bool {
        digit == NOT_A_CELL || self.side < 10 && digit == ZERO
    }

    /// Returns true if a line cannot be a row of a grid.
    ///
    /// Such a line has a repeated digit, a digit greater than the side length, or a character that is not a
    /// cell of the source.
    fn is_wrong(&self, row: &Row) -> bool {
        let is_small = self.side < 10;
        let (mut seen, mut is_wrong) = (0u64, is_small && row.has_capitals);
        for &digit in self.cells_of(row) {
            let bit = self.bit_of(digit);
            is_wrong |= seen & bit > 0 || self.is_no_cell(digit);
            seen |= bit;
        }
        is_wrong || is_small && seen >> (self.side + 1) > 0
    }

    /// Returns the bit of a digit, or 0 for any other code.
    ///
    /// In grids up to 9x9, letters also get 0, because they may be marks.
    #[inline]
    fn bit_of(&self, digit: u8) -> u64 {
        if (1..if self.side < 10 { 10 } else { 64 }).contains(&digit) { 1 << digit } else { 0 }
    }
}

/// Returns true if a row consists of column numbers: 1, 2, 3 and so on. Each cell may hold a number, or one
/// digit of a number.
pub(super) fn counts_columns(cells: impl Iterator<Item = u8> + Clone) -> bool {
    let mut numbers = cells.clone().zip(1..);
    let mut digits = (1..=MAX_SIDE).flat_map(|number| number.to_string().into_bytes());
    numbers.all(|(cell, number)| cell == number)
        || cells.map(|cell| b'0' + cell % ZERO).all(|digit| digits.next() == Some(digit))
}
