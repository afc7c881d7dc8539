//! Grids in rows of which something is wrong: where each begins.
//!
//! Rows without a fault are counted, and need nothing of this. From a fault on (a row too many or of another length, a
//! separator in the midst of a band, clues that clash) the rows are gathered until three more grids have come, or
//! something ends them, and are read in the cheapest way: a row that is lost, added or damaged costs the same wherever
//! it is, a grid that is cut short a little more, and columns or boxes that hold a digit twice a little less. So one
//! fault moves no grid behind it: if it did, each of those would have a fault too. Only the first piece of that reading
//! is used, the rows behind it are read again with those that follow.

use super::super::cutter::Begin;
use quadrille_model::MAX_SIDE;

/// A row that was lost or added, or has another length than the others.
const FAULT: u32 = 8;
/// A grid that ends early.
const CUT_SHORT: u32 = 10;
/// A whole grid with a digit twice in a column or box. Some puzzles are so: two of them cost more than one fault.
const CLASH: u32 = 6;

/// A line with cells.
pub(super) struct Row {
    /// The place of its first cell.
    pub(super) begin: Begin,
    /// Offset of its line in the source.
    pub(super) line_start: u64,
    /// Offset behind its last cell.
    pub(super) end: u64,
    /// Its number of cells.
    pub(super) count: usize,
    /// The place of its first cell among all [`Stretch::cells`].
    pub(super) cells: usize,
    /// An empty line stands before it.
    pub(super) gap: bool,
    /// A frame stands before it.
    pub(super) frame: bool,
    /// Two frames stand before it: the lower edge of a grid and the upper edge of the next, rather than a line between bands.
    pub(super) edge: bool,
    /// It is the first line, and a number: maybe that of the grids.
    pub(super) number: Option<u64>,
}

/// The places in a grid where separators of a kind may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    /// Not known yet: behind bands.
    Unknown,
    Nowhere,
    Bands,
    Anywhere,
}

impl Places {
    /// True if a separator may stand behind so many rows of a grid.
    pub(super) fn allow(self, rows: usize, band: usize) -> bool {
        match self {
            _ if rows == 0 => true,
            Places::Unknown | Places::Bands => rows.is_multiple_of(band),
            Places::Nowhere => false,
            Places::Anywhere => true,
        }
    }
}

/// The meaning of the first rows of a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// The number of grids.
    Count,
    /// A line that belongs to no grid.
    Stray,
    /// A grid, `whole` if nothing is wrong with its rows.
    Grid { whole: bool },
}

/// Rows that begin with a new grid.
pub(super) struct Stretch<'a> {
    pub(super) rows: &'a [Row],
    /// The digits of all cells from 1, 0 for anything else.
    pub(super) cells: &'a [u8],
    pub(super) side: usize,
    /// Rows and columns of a box.
    pub(super) box_shape: (usize, usize),
    pub(super) gaps: Places,
    pub(super) frames: Places,
    /// Several rows may stand on a line.
    pub(super) may_be_wide: bool,
    /// The caller says that a count comes first.
    pub(super) is_counted: bool,
}

/// The cheapest ways of reading the rows so far, by the rows that the open grid has and by its being damaged: a grid that
/// is not may still turn out to clash, so that the cheaper of the two is not always the better.
type Paths = Vec<[Option<Path>; 2]>;

/// A way of reading the rows so far.
#[derive(Clone, Copy)]
struct Path {
    cost: u32,
    /// The first row of the grid that is open.
    start: usize,
    /// Something is wrong with that grid.
    damaged: bool,
    /// The first piece and its number of rows.
    first: Option<(usize, Piece)>,
}

impl Path {
    fn plus(self, cost: u32) -> Path {
        Path { cost: self.cost + cost, ..self }
    }

    fn damaged(self, cost: u32) -> Path {
        Path { damaged: true, ..self.plus(cost) }
    }
}

impl Stretch<'_> {
    /// The first piece and its number of rows. `ended`: no further row belongs to the last grid.
    pub(super) fn first_piece(&self, ended: bool) -> (usize, Piece) {
        let mut paths: Paths = vec![[None; 2]; self.side];
        paths[0][0] = Some(Path { cost: 0, start: 0, damaged: false, first: None });
        let mut next = paths.clone();
        for at in 0..self.rows.len() {
            next.fill([None; 2]);
            for (done, ways) in (0..).zip(&paths) {
                for path in ways.iter().flatten() {
                    self.before(at, done, *path, &mut |done, path| self.take(at, done, path, &mut next));
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
        best.unwrap_or((all, Piece::Grid { whole: false }))
    }

    /// The states in which the row may be met after `done` rows of a grid: separators stand before it, a row may be
    /// lost, an empty line may have cut the grid short.
    fn before(&self, at: usize, done: usize, path: Path, then: &mut impl FnMut(usize, Path)) {
        let row = &self.rows[at];
        let behind = self.separated(at, done, path, row.gap);
        then(done, behind);
        let (lost, behind) = self.without_row(at, done, behind);
        then(lost, behind);
        if row.gap || row.frame {
            let (lost, path) = self.without_row(at, done, path);
            then(lost, self.separated(at, lost, path, row.gap));
            if row.gap && !self.gaps.allow(lost, self.box_shape.0) {
                // The empty line is what is left of the row: one fault, not two.
                then(lost, self.separated(at, lost, path, false));
            }
        }
        if done > 0 && (row.gap || self.rows_in(row.count) == (self.side, true)) {
            then(0, self.close(at, path.damaged(CUT_SHORT)));
        }
    }

    /// The separators before a row, `gap` if an empty line is one of them, are met behind `done` rows of a grid: an empty line in
    /// its midst damages it.
    fn separated(&self, at: usize, done: usize, path: Path, gap: bool) -> Path {
        let row = &self.rows[at];
        let misplaced = |is_there, places: Places| is_there && !places.allow(done, self.box_shape.0);
        match (misplaced(gap, self.gaps), misplaced(row.frame, self.frames)) {
            (true, _) => path.damaged(FAULT),
            (_, true) => path.plus(FAULT),
            // Rather between grids than behind a band.
            _ if done > 0 && (row.edge || gap && self.gaps == Places::Unknown) => path.plus(1),
            _ => path,
        }
    }

    /// A row is lost here.
    fn without_row(&self, at: usize, done: usize, path: Path) -> (usize, Path) {
        let start = if done == 0 { at } else { path.start };
        let path = Path { start, ..path.damaged(FAULT) };
        if done + 1 == self.side { (0, self.close(at, path)) } else { (done + 1, path) }
    }

    /// Takes the row as some of the grid's or as a stray one.
    fn take(&self, at: usize, done: usize, path: Path, next: &mut Paths) {
        let row = &self.rows[at];
        let mut put = |done: usize, path: Path| {
            let way = &mut next[done][usize::from(path.damaged)];
            if way.is_none_or(|other| path.cost < other.cost) {
                *way = Some(path);
            }
        };
        if at == 0 && row.number.is_some() && (done, path.cost) == (0, 0) {
            // A number as long as a row is rather one.
            let cost = if row.count == self.side { 2 } else { 0 };
            put(0, Path { first: Some((1, Piece::Count)), ..path.plus(cost) });
        }
        let (rows, is_good) = self.rows_in(row.count);
        if done + rows <= self.side {
            let path = if done == 0 { Path { start: at, ..path } } else { path };
            // A row that was cut has still most of its cells. A number is rather the rest of a row than a count of grids
            // the first of which lacks one.
            let is_like = row.count > self.side / 2 && row.count < 2 * self.side;
            let path = match is_good {
                true => path,
                false if row.number.is_some() && !self.is_counted => path.damaged(FAULT - 1),
                false => path.damaged(if is_like { FAULT } else { FAULT + 2 }),
            };
            match done + rows {
                done if done == self.side => put(0, self.close(at + 1, path)),
                done => put(done, path),
            }
        }
        match done {
            0 => {
                let first = path.first.or(Some((at + 1, Piece::Stray)));
                put(0, Path { first, ..path.plus(if is_good { FAULT } else { FAULT + 1 }) });
            }
            _ => put(done, path.damaged(FAULT + 1)),
        }
    }

    /// The number of rows for which a line of so many cells stands, and true if it is a row, or all of them.
    pub(super) fn rows_in(&self, count: usize) -> (usize, bool) {
        let is_good = count == self.side
            || count == self.side * self.side
            || self.may_be_wide && count.is_multiple_of(self.side);
        (((count + self.side / 2) / self.side).max(1), is_good)
    }

    /// A grid ends before row `end`.
    fn close(&self, end: usize, path: Path) -> Path {
        let piece = Piece::Grid { whole: !path.damaged };
        let cost = if !path.damaged && self.clashes(path.start) { CLASH } else { 0 };
        Path { first: path.first.or(Some((end, piece))), damaged: false, ..path.plus(cost) }
    }

    /// True if the whole grid that begins with this row has a digit twice in a column or box. A digit twice in a row
    /// says nothing: rows are whole wherever grids begin.
    pub(super) fn clashes(&self, start: usize) -> bool {
        let (side, (box_rows, box_columns)) = (self.side, self.box_shape);
        let from = self.rows[start].cells;
        let mut seen = [0u64; 2 * MAX_SIDE];
        self.cells[from..from + side * side].iter().enumerate().any(|(cell, &digit)| {
            let (row, column) = (cell / side, cell % side);
            let block = side + row / box_rows * box_rows + column / box_columns;
            if digit == 0 || digit > 63 || side < 10 && usize::from(digit) > side {
                return false;
            }
            [column, block].into_iter().any(|house| {
                let before = seen[house];
                seen[house] |= 1 << digit;
                before == seen[house]
            })
        })
    }
}
