//! Divides rows with a fault into grids and other lines.
//!
//! Rows without a fault are counted and do not need this. A fault is a row too many, a row of another length, a
//! separator in the middle of a band, or clues that clash. From a fault on, rows are collected until three more grids
//! have come or something ends them. Then the first piece (a grid or a stray line) ends where the piece and the three
//! grids after it have the fewest faults: after a wrong end, each of them has one. The rows after the piece are read
//! again with those that follow.

use std::ops::Range;

use super::super::cutter::RecordStart;
use quadrille_model::MAX_SIDE;

/// Cost of a row that was lost or added, or has another length, and of a row that is not in a grid.
const FAULT: u32 = 8;
/// Cost of a grid that ends early.
const CUT_SHORT: u32 = 10;
/// Cost of a whole grid with a repeated digit in a house. Some puzzles are like that; two of them cost more than one
/// fault.
const CLASH: u32 = 6;
/// Cost of a whole grid with a row that is divided unlike the others.
const DIVIDED: u32 = CLASH - 1;
/// Cost of a whole grid with a row that is nearly full, while most of its rows are not.
const FULL: u32 = 2;
/// Cost of a line outside of any grid that looks like a key (an id or a date).
const KEY: u32 = 5;

/// The code of a zero if zeros are not empty cells.
pub(super) const ZERO: u8 = 36;
/// The code of a character that is neither a digit nor an empty cell.
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
    /// Number of its cells; 0 for a line that is written unlike the rows of the source.
    pub(super) count: usize,
    /// Number of parts of the row between blanks and frames.
    pub(super) parts: usize,
    /// Number of bytes of the line before the first cell.
    pub(super) indent: usize,
    /// True if the row has a capital letter, which is a digit above side 9 only.
    pub(super) has_capitals: bool,
    /// Index of the row's first cell in [`Stretch::cells`].
    pub(super) cells: usize,
    /// The separators before the row.
    pub(super) before: Separators,
}

/// Separators between two rows.
#[derive(Clone, Copy, Default)]
pub(super) struct Separators {
    /// True if there is an empty line.
    pub(super) gap: bool,
    /// True if there is a frame.
    pub(super) frame: bool,
    /// True if there are two frames.
    ///
    /// Two frames are the lower edge of a grid and the upper edge of the next, not a line between bands.
    pub(super) edge: bool,
}

/// The places in a grid where a kind of separator may occur.
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
    /// Returns true if a separator may come after `rows` rows of a grid.
    fn allow(self, rows: usize, band: usize) -> bool {
        match self {
            _ if rows == 0 => true,
            SeparatorPlaces::Unknown | SeparatorPlaces::Bands => rows.is_multiple_of(band),
            SeparatorPlaces::Nowhere => false,
            SeparatorPlaces::Anywhere => true,
        }
    }
}

/// Meaning of the first rows of a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// A line outside of any grid.
    Stray,
    /// A grid; `whole` if all its rows are there.
    Grid { whole: bool },
}

/// Rows, beginning at the start of a grid.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) rows: Vec<Row>,
    /// Digits of all cells, 1-based; 0 for empty cells, [`ZERO`] and [`NOT_A_CELL`].
    pub(super) cells: Vec<u8>,
    pub(super) side: usize,
    /// Rows and columns of a box.
    pub(super) box_shape: (usize, usize),
    pub(super) gaps: SeparatorPlaces,
    pub(super) frames: SeparatorPlaces,
    /// True if a line may hold several rows.
    pub(super) may_be_wide: bool,
    /// True if the cells of the rows are found by their places.
    pub(super) is_drawn: bool,
}

impl Stretch {
    /// Returns the number of lines and the meaning of the first piece. `ended` means that the last grid has no further
    /// rows.
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

    /// Returns the cost of the first row as a line outside of any grid.
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

    /// Returns the cost of the first `len` lines as one grid, and true if they are damaged. Lines of other lengths are
    /// damaged rows, or `are_added` between the rows.
    fn grid_cost(&self, len: usize, ended: bool, are_added: bool) -> (u32, bool) {
        let (mut done, mut bad, mut gaps, mut frames, mut edges) = (0, 0, 0, 0, 0);
        for row in &self.rows[..len] {
            let (rows, is_good) = self.rows_in(row.count);
            let (gap, frame) = self.misplaced(row, done);
            gaps += u32::from(gap);
            // The first row may look like the header of a table.
            frames += u32::from(frame && !(self.is_drawn && done == 1));
            edges |= u32::from(done > 0 && self.is_apart(row));
            let is_added = !is_good && (are_added || done + rows > self.side);
            bad += match () {
                () if is_good => 0,
                () if is_added => FAULT + 1,
                // A row that was cut short still has most of its cells.
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
            // A bad line may be the one that was added.
            (_, _) if added > 0 => (added.max(bad) + edges, true),
            (cost, _) => (cost + edges, true),
        }
    }

    /// Returns the cost of at most three grids from row `at` on.
    fn cost_from(&self, mut at: usize, ended: bool) -> u32 {
        let mut cost = 0;
        for left in (1..=3).rev() {
            let (end, done) = self.walk(at, 0);
            match self.rows.get(end) {
                _ if done == self.side => {
                    let is_apart = self.rows[at + 1..end].iter().any(|row| self.is_apart(row));
                    cost += self.flaws(at..end) + u32::from(is_apart);
                }
                // The separator shows where the next grid begins. The faults of the next grid count too. Otherwise a
                // wrong end could cost less than the right one.
                Some(row) if done > 0 && (row.before.gap || row.before.edge) => cost += CUT_SHORT,
                // The last grid of the source is cut short besides.
                Some(_) if ended && self.rows.len() - at < self.side => return cost + FAULT + CUT_SHORT,
                // After a wrong end, the grids left have a fault each. Drawn tables may have a header each instead.
                Some(_) => return cost + if self.is_drawn { FAULT } else { FAULT * left },
                None => return cost + if ended && done > 0 { CUT_SHORT } else { 0 },
            }
            at = end;
        }
        cost
    }

    /// Continues a grid with `done` rows along the rows from `at` on while they have no fault. Returns the index of the
    /// row after the last, and the number of rows of the grid.
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

    /// Returns true if a row is more likely the first of a grid: two frames are before it, or an empty line whose meaning
    /// is not known.
    fn is_apart(&self, row: &Row) -> bool {
        row.before.edge || row.before.gap && self.gaps == SeparatorPlaces::Unknown
    }

    /// Returns true for an empty line, and for a frame, that may not be between `done` rows of a grid and this row.
    fn misplaced(&self, row: &Row, done: usize) -> (bool, bool) {
        let band = self.box_shape.0;
        (row.before.gap && !self.gaps.allow(done, band), row.before.frame && !self.frames.allow(done, band))
    }

    /// Returns how many rows a line of `count` cells holds, and true if its length fits exactly.
    pub(super) fn rows_in(&self, count: usize) -> (usize, bool) {
        let is_good = count == self.side
            || count == self.side * self.side
            || self.may_be_wide && count > 0 && count.is_multiple_of(self.side);
        (((count + self.side / 2) / self.side).max(1), is_good)
    }

    /// Returns the cost of what is unusual in the rows of a whole grid; 0 if nothing is.
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

    /// Returns true if the whole grid from row `start` on repeats a digit in a column or box, or has a wrong row.
    ///
    /// A wrong row would be wrong in any grid; it counts because it may be a key before the grid.
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

    /// Returns true if a row counts the columns, and is further in than the row after it by more than an aligned digit.
    pub(super) fn is_heading(&self, row: &Row, next: &Row) -> bool {
        row.indent > next.indent + 1 && counts_columns(self.cells_of(row).copied())
    }

    /// Returns true if less than a quarter of the cells of a line are empty.
    fn is_full(&self, row: &Row) -> bool {
        4 * self.cells_of(row).filter(|&&digit| digit == 0).count() < row.count
    }

    fn cells_of(&self, row: &Row) -> std::slice::Iter<'_, u8> {
        self.cells[row.cells..row.cells + row.count].iter()
    }

    /// Returns true for a code that is neither a digit nor an empty cell of the source.
    fn is_no_cell(&self, digit: u8) -> bool {
        digit == NOT_A_CELL || self.side < 10 && digit == ZERO
    }

    /// Returns true if a line cannot be a row of a grid: it has a digit twice, a digit above the side, or a character
    /// that is not a cell of the source.
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

    /// Returns the bit of a digit, or 0 for other codes; letters may be marks up to side 9.
    #[inline]
    fn bit_of(&self, digit: u8) -> u64 {
        if (1..if self.side < 10 { 10 } else { 64 }).contains(&digit) { 1 << digit } else { 0 }
    }
}

/// Returns true if cells count from 1, as numbers or as the digits of numbers.
pub(super) fn counts_columns(cells: impl Iterator<Item = u8> + Clone) -> bool {
    let mut numbers = cells.clone().zip(1..);
    let mut digits = (1..=MAX_SIDE).flat_map(|number| number.to_string().into_bytes());
    numbers.all(|(cell, number)| cell == number)
        || cells.map(|cell| b'0' + cell % ZERO).all(|digit| digits.next() == Some(digit))
}
