//! Finds where each grid begins if the rows have a fault.
//!
//! Rows without a fault are counted and do not need this. A fault is a row too many, a row of another length, a
//! separator in the middle of a band, or clues that clash. From a fault on, rows are collected until three more grids
//! have come or something ends them. Then the cheapest reading is chosen. A reading divides the rows into grids and
//! stray lines; its cost is the sum of their costs. A lost, added or damaged row costs the same everywhere. A grid that
//! is cut short costs a little more, and a repeated digit in a house a little less. So one fault does not shift the
//! grids after it, because then each of them would have a fault too. A line that is as long as a row but looks like a
//! key (an id or a date) costs more in a grid, and less outside ([`Weights`]). Only the first piece of the reading (a
//! grid, a stray line or the count of grids) is used; the rows after it are read again with those that follow.

use std::ops::Range;

use super::super::cutter::RecordStart;
use quadrille_model::MAX_SIDE;

/// Cost of a row that was lost or added, or has another length.
const FAULT: u32 = 8;
/// Cost of a grid that ends early.
const CUT_SHORT: u32 = 10;
/// Cost of a whole grid with a repeated digit in a house. Some puzzles are like that; two of them cost more than one
/// fault.
const CLASH: u32 = 6;

/// Costs of a line: as a row of a grid, and outside of any grid.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Weights {
    inside: u32,
    outside: u32,
}

const ROW: Weights = Weights { inside: 0, outside: FAULT };
/// Costs of a line that is nearly full, in a source whose rows are mostly not.
const FULL: Weights = Weights { inside: 2, outside: 5 };
/// Costs of a line that is as long as a row, but looks like a key: it is wrong and nearly full where few rows are full,
/// it has another number of parts than the rows, or many of its characters are not cells.
const KEY: Weights = Weights { inside: CLASH - 1, outside: 4 };
/// Costs of a line that is not as long as a row.
const OTHER: Weights = Weights { inside: FAULT, outside: FAULT + 1 };
/// Costs of a line that is not as long as a row and looks like a key: it is wrong, or it is divided into parts and most
/// rows are not, or it is undivided and most rows are divided.
const OTHER_KEY: Weights = Weights { inside: FAULT + 4, outside: 5 };

/// The code of a zero if zeros are not empty cells.
pub(super) const ZERO: u8 = 36;
/// The code of a character that is neither a digit nor an empty cell.
pub(super) const NOT_A_CELL: u8 = 255;

/// A line with cells.
pub(super) struct Row {
    /// Place of its first cell.
    pub(super) begin: RecordStart,
    /// Offset in the source of the line that holds the row, in bytes.
    pub(super) line_start: u64,
    /// Offset in the source after the last cell of the row, in bytes.
    pub(super) end: u64,
    /// Number of its cells.
    pub(super) count: usize,
    /// Number of parts of the row between blanks and frames.
    pub(super) parts: usize,
    /// True if the row has a capital letter, which is a digit above side 9 only.
    pub(super) has_capitals: bool,
    /// Index of the row's first cell in [`Stretch::cells`].
    pub(super) cells: usize,
    /// The separators before the row.
    pub(super) before: Separators,
    /// Value of the row if it is the first line and a number, perhaps the count of grids.
    pub(super) number: Option<u64>,
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
    pub(super) fn allow(self, rows: usize, band: usize) -> bool {
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
pub(super) enum StretchHead {
    /// The count of grids.
    Count,
    /// A line outside of any grid.
    Stray,
    /// A grid; `whole` if its rows have no fault.
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
    /// True if the caller says that a count comes first.
    pub(super) is_counted: bool,
}

/// The cheapest readings of the rows so far.
///
/// The readings are indexed by the open grid's number of rows and by whether it is damaged. Both kinds are kept,
/// because an undamaged grid may still turn out to clash.
type Paths = Vec<[Option<Path>; 2]>;

/// A reading of the rows so far.
#[derive(Clone, Copy)]
struct Path {
    cost: u32,
    /// Index of the first row of the open grid.
    start: usize,
    /// True if the open grid has a fault.
    damaged: bool,
    /// Number of rows and meaning of the first piece; `None` until the first piece ends.
    first: Option<(usize, StretchHead)>,
}

impl Path {
    fn plus(self, cost: u32) -> Path {
        Path { cost: self.cost + cost, ..self }
    }

    fn damaged(self, cost: u32) -> Path {
        Path { damaged: true, ..self.plus(cost) }
    }
}

impl Stretch {
    /// Returns the number of rows and the meaning of the first piece. `ended` means that the last grid has no further
    /// rows.
    pub(super) fn first_piece(&self, ended: bool) -> (usize, StretchHead) {
        let mut paths: Paths = vec![[None; 2]; self.side];
        paths[0][0] = Some(Path { cost: 0, start: 0, damaged: false, first: None });
        let mut next = paths.clone();
        for (at, weights) in self.weights(0..self.rows.len()).into_iter().enumerate() {
            next.fill([None; 2]);
            for (done, ways) in (0..).zip(&paths) {
                for path in ways.iter().flatten() {
                    self.before(at, done, *path, &mut |done, path| {
                        self.take(at, weights, done, path, &mut next);
                    });
                }
            }
            std::mem::swap(&mut paths, &mut next);
        }
        let all = self.rows.len();
        let ways = (0..)
            .zip(paths)
            .flat_map(|(done, ways)| ways.into_iter().flatten().map(move |path| (done, path)));
        let ends = ways.map(|(done, path)| match done {
            _ if done == 0 || !ended => path,
            _ if done + 1 == self.side => self.close(all, path.damaged(FAULT)),
            _ => self.close(all, path.damaged(CUT_SHORT)),
        });
        let best = ends.min_by_key(|path| path.cost).and_then(|path| path.first);
        best.unwrap_or((all, StretchHead::Grid { whole: false }))
    }

    /// Calls `then` with each state in which row `at` may come after `done` rows of a grid.
    ///
    /// Separators may come before the row, a row may be lost, and an empty line may have cut the grid short.
    fn before(&self, at: usize, done: usize, path: Path, then: &mut impl FnMut(usize, Path)) {
        let row = &self.rows[at];
        let behind = self.separated(at, done, path, row.before.gap);
        then(done, behind);
        let (lost, behind) = self.without_row(at, done, behind);
        then(lost, behind);
        if row.before.gap || row.before.frame {
            let (lost, path) = self.without_row(at, done, path);
            then(lost, self.separated(at, lost, path, row.before.gap));
            if row.before.gap && !self.gaps.allow(lost, self.box_shape.0) {
                // The empty line may be the rest of the lost row. Both are then a single fault.
                then(lost, self.separated(at, lost, path, false));
            }
        }
        if done > 0 && (row.before.gap || self.rows_in(row.count) == (self.side, true)) {
            then(0, self.close(at, path.damaged(CUT_SHORT)));
        }
    }

    /// Adds the cost of the separators before row `at`, after `done` rows of a grid.
    ///
    /// `gap` is true if an empty line is one of them; in the middle of a band it damages the grid.
    fn separated(&self, at: usize, done: usize, path: Path, gap: bool) -> Path {
        let row = &self.rows[at];
        let misplaced = |is_there, places: SeparatorPlaces| is_there && !places.allow(done, self.box_shape.0);
        match (misplaced(gap, self.gaps), misplaced(row.before.frame, self.frames)) {
            (true, _) => path.damaged(FAULT),
            (_, true) => path.plus(FAULT),
            // Two frames, or an empty line whose meaning is unknown, are more likely between two grids than after a
            // band.
            _ if done > 0 && (row.before.edge || gap && self.gaps == SeparatorPlaces::Unknown) => {
                path.plus(1)
            }
            _ => path,
        }
    }

    /// Adds the cost of a lost row before row `at`. Returns the new number of rows of the open grid.
    fn without_row(&self, at: usize, done: usize, path: Path) -> (usize, Path) {
        let start = if done == 0 { at } else { path.start };
        let path = Path { start, ..path.damaged(FAULT) };
        if done + 1 == self.side { (0, self.close(at, path)) } else { (done + 1, path) }
    }

    /// Takes a row as rows of the open grid, and alternatively as a stray line.
    fn take(&self, at: usize, weights: Weights, done: usize, path: Path, next: &mut Paths) {
        let row = &self.rows[at];
        let mut put = |done: usize, path: Path| {
            let way = &mut next[done][usize::from(path.damaged)];
            if way.is_none_or(|other| path.cost < other.cost) {
                *way = Some(path);
            }
        };
        if at == 0 && row.number.is_some() && (done, path.cost) == (0, 0) {
            // A number that is as long as a row is more likely a row.
            let cost = if row.count == self.side { 2 } else { 0 };
            put(0, Path { first: Some((1, StretchHead::Count)), ..path.plus(cost) });
        }
        let (rows, is_good) = self.rows_in(row.count);
        if done + rows <= self.side {
            let path = if done == 0 { Path { start: at, ..path } } else { path };
            // A row that was cut short still has most of its cells. A number is more likely the rest of a row than a
            // count of grids whose first grid lacks a row.
            let is_like = row.count > self.side / 2 && row.count < 2 * self.side;
            let path = match is_good {
                true => path.plus(weights.inside),
                false if row.number.is_some() && !self.is_counted => path.damaged(FAULT - 1),
                false => path.damaged(weights.inside + if is_like { 0 } else { 2 }),
            };
            match done + rows {
                done if done == self.side => put(0, self.close(at + 1, path)),
                done => put(done, path),
            }
        }
        match done {
            0 => {
                let first = path.first.or(Some((at + 1, StretchHead::Stray)));
                put(0, Path { first, ..path.plus(weights.outside) });
            }
            _ => put(done, path.damaged(FAULT + 1)),
        }
    }

    /// Returns how many rows a line of `count` cells holds, and true if its length fits exactly.
    pub(super) fn rows_in(&self, count: usize) -> (usize, bool) {
        let is_good = count == self.side
            || count == self.side * self.side
            || self.may_be_wide && count.is_multiple_of(self.side);
        (((count + self.side / 2) / self.side).max(1), is_good)
    }

    /// Ends the open grid before row `end`.
    fn close(&self, end: usize, path: Path) -> Path {
        let piece = StretchHead::Grid { whole: !path.damaged };
        let cost = if !path.damaged && self.clashes(path.start) { CLASH } else { 0 };
        Path { first: path.first.or(Some((end, piece))), damaged: false, ..path.plus(cost) }
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

    /// Returns true if these rows of a whole grid do not clash, and none may be a key: all are [`ROW`].
    pub(super) fn is_faultless(&self, rows: Range<usize>) -> bool {
        if self.clashes(rows.start) {
            return false;
        }
        let lines = &self.rows[rows.clone()];
        if lines.iter().all(|row| row.count == self.side && row.parts == lines[0].parts) {
            // No row is wrong, or they would clash. Only nearly full rows may weigh more.
            let full = lines.iter().filter(|row| self.is_full(row)).count();
            return full == 0 || 4 * full > lines.len();
        }
        self.weights(rows).iter().all(|&weights| weights == ROW)
    }

    /// Returns the costs of lines, each compared with the others.
    fn weights(&self, rows: Range<usize>) -> Vec<Weights> {
        let rows = &self.rows[rows];
        let is_row = |row: &&Row| row.count == self.side;
        let count_of = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(is_row).filter(|row| is(row)).count();
        let parts = rows.iter().filter(is_row).map(|row| row.parts);
        let usual = parts.max_by_key(|&parts| count_of(&|row| row.parts == parts));
        // Grids of a source may be written with and without blanks, but not the rows of a grid.
        let has_fellows = |at: usize| {
            let near = &rows[at.saturating_sub(self.side)..rows.len().min(at + self.side + 1)];
            near.iter().filter(is_row).filter(|row| row.parts == rows[at].parts).count() + 1 >= self.side
        };
        let are_full = 4 * count_of(&|row| self.is_full(row)) > count_of(&|_| true);
        let weights_of = |(at, row): (usize, &Row)| {
            // A cut row may have lost parts, but not all.
            let is_parted = usual.is_some_and(|usual| (usual == 1) != (row.parts == 1));
            match (!are_full && self.is_full(row), self.is_wrong(row)) {
                (_, is_wrong) if !self.rows_in(row.count).1 && (is_parted || is_wrong) => OTHER_KEY,
                _ if !self.rows_in(row.count).1 => OTHER,
                _ if row.count != self.side => ROW,
                _ if Some(row.parts) != usual && !has_fellows(at) || self.is_strange(row) => KEY,
                (true, true) => KEY,
                (true, false) => FULL,
                (false, _) => ROW,
            }
        };
        rows.iter().enumerate().map(weights_of).collect()
    }

    /// Returns true if less than a quarter of the cells of a line are empty.
    fn is_full(&self, row: &Row) -> bool {
        4 * self.cells_of(row).filter(|&digit| digit == 0).count() < row.count
    }

    /// Returns true if many of the characters of a line are not cells.
    fn is_strange(&self, row: &Row) -> bool {
        4 * self.cells_of(row).filter(|&digit| digit == NOT_A_CELL).count() >= row.count
    }

    fn cells_of(&self, row: &Row) -> impl Iterator<Item = u8> {
        self.cells[row.cells..row.cells + row.count].iter().copied()
    }

    /// Returns true for a digit; letters may be marks up to side 9.
    fn is_digit(&self, digit: u8) -> bool {
        (1..if self.side < 10 { 10 } else { 64 }).contains(&digit)
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
        for digit in self.cells_of(row) {
            let bit = self.bit_of(digit);
            is_wrong |= seen & bit > 0 || self.is_no_cell(digit);
            seen |= bit;
        }
        is_wrong || is_small && seen >> (self.side + 1) > 0
    }

    /// Returns the bit of a digit, or 0 for other codes.
    #[inline]
    fn bit_of(&self, digit: u8) -> u64 {
        if self.is_digit(digit) { 1 << digit } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns rows that together have the cells of a grid, from the lengths of the rows in grid rows and their parts.
    fn rows_of(side: usize, lengths: &[usize], parts: &[usize]) -> Vec<Row> {
        let (mut rows, mut cells) = (Vec::new(), 0);
        for (&length, &parts) in lengths.iter().zip(parts) {
            let count = (length * side).min(side * side - cells);
            if count == 0 {
                break;
            }
            let begin = RecordStart { byte: cells as u64, line: 1 };
            rows.push(Row {
                begin,
                line_start: begin.byte,
                end: begin.byte + count as u64,
                count,
                parts,
                has_capitals: false,
                cells,
                before: Separators::default(),
                number: None,
            });
            cells += count;
        }
        rows
    }

    proptest! {
        #[test]
        fn rows_are_faultless_if_they_do_not_clash_and_none_may_be_a_key(
            box_shape in prop::sample::select(vec![(2, 2), (2, 3), (3, 3), (4, 4)]),
            is_wide in prop::bool::weighted(0.2),
            lengths in prop::collection::vec(prop::sample::select(vec![1, 1, 1, 2, 3]), 16),
            odd_parts in prop::collection::vec((0usize..16, 1usize..4), 0..3),
            full in prop::collection::vec(0usize..16, 0..6),
            open in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
            odd in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec![1, 2, 9, ZERO, NOT_A_CELL])), 0..2),
        ) {
            let side = box_shape.0 * box_shape.1;
            let lengths = if is_wide { lengths } else { vec![1; side] };
            let mut parts = vec![1; side];
            odd_parts.iter().for_each(|&(at, count)| parts[at % side] = count);
            let rows = rows_of(side, &lengths, &parts);
            // A solved grid. Two of three rows are mostly empty unless they are among the full rows.
            let digit = |row: usize, column: usize| (row % box_shape.0 * box_shape.1 + row / box_shape.0 + column) % side + 1;
            let mut cells: Vec<u8> = (0..side * side)
                .map(|at| (at / side, at % side))
                .map(|(row, column)| if full.contains(&row) || column % 3 == 0 { digit(row, column) as u8 } else { 0 })
                .collect();
            open.iter().for_each(|at| cells[at.index(side * side)] = 0);
            odd.iter().for_each(|(at, code)| cells[at.index(side * side)] = *code);
            let stretch = Stretch {
                rows,
                cells,
                side,
                box_shape,
                may_be_wide: is_wide,
                ..Stretch::default()
            };
            let all = 0..stretch.rows.len();
            let by_weights = stretch.weights(all.clone()).iter().all(|&weights| weights == ROW);
            prop_assert_eq!(stretch.is_faultless(all), !stretch.clashes(0) && by_weights);
        }
    }
}
