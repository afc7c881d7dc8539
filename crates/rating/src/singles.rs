//! Places all last cells and hidden singles at once. Uses one word per row and digit.
//!
//! Placing a digit does not invalidate another single. The other single stays a single, or its digit is
//! already placed in the house. So the set of digits that certain kinds of singles can place does not depend
//! on the order in which they are placed. The hardest kind of single that a puzzle needs is therefore known
//! without following a path step by step.
#![expect(
    clippy::needless_range_loop,
    reason = "a loop indexes the same row or digit of several arrays, so that it becomes vectors"
)]

use super::Technique;
use super::grid::{Grid, Words};
use super::houses::{ALL, BOXES, COLUMNS, ROWS};
use quadrille_model::simd::{Bytes, WordKernel, Words as Isa, run_words};

/// For each row and each digit, a set of columns.
type Rows = [Words; 9];

/// Set of the first columns of the three boxes in a band.
const FIRST: u16 = 0o111;

/// A grid in which candidates are removed only because digits are placed.
pub(super) struct Singles {
    /// For each digit, the cells that can still contain it.
    free: Rows,
    /// For each digit, the cells that contain it in the solution.
    solution: Rows,
    /// The solution, row by row.
    digits: [u8; 81],
    /// Empty cells of each row.
    empty: [u16; 9],
    /// True if some placed digit differs from the solution.
    is_wrong: bool,
}

/// For each kind of single, the number of digits that it placed, easiest kind first.
pub(super) type Placed = [(Technique, u16); 3];

impl Singles {
    pub(super) fn new() -> Self {
        Singles {
            free: [[0; 16]; 9],
            solution: [[0; 16]; 9],
            digits: [0; 81],
            empty: [0; 9],
            is_wrong: false,
        }
    }

    /// Restarts with a puzzle and places all singles. A clue of 0 means an empty cell.
    ///
    /// First places last cells (the only empty cell of a house), then last cells and hidden singles in boxes,
    /// then all singles.
    ///
    /// # Errors
    /// Returns the kind of single that contradicts the solution.
    pub(super) fn solve(&mut self, clues: &[u8; 81], solution: &[u8; 81]) -> Result<Placed, Technique> {
        run_words(None, Solve { singles: self, clues, solution })
    }

    /// Places a 0-based digit and then all singles that follow. Returns the number of these singles.
    ///
    /// # Errors
    /// Returns the kind of single that contradicts the solution.
    pub(super) fn go_on(&mut self, cell: usize, digit: usize) -> Result<u16, Technique> {
        run_words(None, GoOn { singles: self, cell, digit })
    }

    /// Writes to `grid` the places of all digits, the naked singles, and what has changed.
    ///
    /// There must be no last cells or hidden singles left.
    pub(super) fn write_places(&self, grid: &mut Grid) {
        run_words(None, WritePlaces { singles: self, grid });
    }

    /// Writes what [`write_places`](Self::write_places) left out.
    pub(super) fn write_cells(&self, grid: &mut Grid) {
        run_words(None, WriteCells { singles: self, grid });
    }

    pub(super) fn is_solved(&self) -> bool {
        self.empty == [0; 9]
    }

    #[inline(always)]
    fn begin(&mut self, clues: &[u8; 81], solution: &[u8; 81]) {
        let mut placed = [[0; 16]; 9];
        self.digits = *solution;
        for row in 0..9 {
            self.free[row] = std::array::from_fn(|digit| if digit < 9 { ALL } else { 0 });
            for column in 0..9 {
                let cell = 9 * row + column;
                let digit = usize::from(solution[cell].wrapping_sub(1) & 15);
                self.solution[row][digit] = 1 << column;
                placed[row][digit] = u16::from(clues[cell] != 0) << column;
            }
        }
        self.empty = [ALL; 9];
        self.is_wrong = false;
        self.place(&placed);
    }

    /// Returns the number of empty cells.
    #[inline(always)]
    fn left(&self) -> u16 {
        self.empty.iter().map(|row| row.count_ones() as u16).sum()
    }

    /// Places singles of a kind and of easier kinds until none are left. Returns the number of digits placed.
    #[inline(always)]
    fn close(&mut self, kind: Technique) -> Result<u16, Technique> {
        let before = self.left();
        while self.place(&self.find(kind)) {}
        if self.is_wrong { Err(kind) } else { Ok(before - self.left()) }
    }

    /// Finds the singles of a kind and of easier kinds.
    ///
    /// [`close`](Self::close) calls this method directly. If the method were passed to `close` as an
    /// argument, the compiler would not use vectors.
    #[inline(always)]
    fn find(&self, kind: Technique) -> Rows {
        match kind {
            Technique::LastCell => self.last_cells(),
            Technique::HiddenSingleInBox => self.in_boxes(),
            _ => self.in_houses(),
        }
    }

    /// Returns, for each row, those cells that are the only empty cell in at least one of their houses.
    #[inline(always)]
    fn alone(&self) -> [u16; 9] {
        let (one, two) = one_and_two(&self.empty);
        let columns = one & !two;
        let mut alone = [0; 9];
        for (rows, alone) in self.empty.chunks_exact(3).zip(alone.chunks_exact_mut(3)) {
            let (one, two) = one_and_two(rows);
            let boxes = boxes_with_one(one, two);
            for (row, alone) in rows.iter().zip(alone) {
                let in_row = if row & row.wrapping_sub(1) == 0 { ALL } else { 0 };
                *alone = row & (columns | boxes | in_row);
            }
        }
        alone
    }

    #[inline(always)]
    fn last_cells(&self) -> Rows {
        let alone = self.alone();
        std::array::from_fn(|row| self.free[row].map(|free| free & alone[row]))
    }

    /// Finds last cells in any house, and hidden singles in boxes.
    #[inline(always)]
    fn in_boxes(&self) -> Rows {
        let alone = self.alone();
        let mut found = [[0; 16]; 9];
        for band in 0..3 {
            for digit in 0..16 {
                let rows: [u16; 3] = std::array::from_fn(|row| self.free[3 * band + row][digit]);
                let (one, two) = one_and_two(&rows);
                let boxes = boxes_with_one(one, two);
                for row in 0..3 {
                    found[3 * band + row][digit] = rows[row] & (boxes | alone[3 * band + row]);
                }
            }
        }
        found
    }

    /// Finds hidden singles in all houses, including last cells.
    #[inline(always)]
    fn in_houses(&self) -> Rows {
        let (mut found, mut in_columns) = ([[0; 16]; 9], [0; 16]);
        for digit in 0..16 {
            let rows: [u16; 9] = std::array::from_fn(|row| self.free[row][digit]);
            let (one, two) = one_and_two(&rows);
            in_columns[digit] = one & !two;
        }
        for band in 0..3 {
            for digit in 0..16 {
                let rows: [u16; 3] = std::array::from_fn(|row| self.free[3 * band + row][digit]);
                let (one, two) = one_and_two(&rows);
                let others = boxes_with_one(one, two) | in_columns[digit];
                for row in 0..3 {
                    let in_row = if rows[row] & rows[row].wrapping_sub(1) == 0 { ALL } else { others };
                    found[3 * band + row][digit] = rows[row] & in_row;
                }
            }
        }
        found
    }

    /// Places digits and removes them from the peers of their cells. Returns `false` if there is nothing to
    /// place.
    #[inline(always)]
    fn place(&mut self, placed: &Rows) -> bool {
        let (mut wrong, mut columns) = ([0; 16], [0; 16]);
        for (row, of_solution) in placed.iter().zip(&self.solution) {
            for digit in 0..16 {
                wrong[digit] |= row[digit] & !of_solution[digit];
                columns[digit] |= row[digit];
            }
        }
        if columns == [0; 16] {
            return false;
        }
        self.is_wrong |= wrong != [0; 16];
        for band in 0..3 {
            let mut boxes = [0; 16];
            for digit in 0..16 {
                let all = placed[3 * band][digit] | placed[3 * band + 1][digit] | placed[3 * band + 2][digit];
                boxes[digit] = spread((all | all >> 1 | all >> 2) & FIRST);
            }
            for row in 3 * band..3 * band + 3 {
                let filled = placed[row].iter().fold(0, |all, cells| all | cells);
                self.empty[row] &= !filled;
                for digit in 0..16 {
                    let gone = columns[digit] | boxes[digit] | filled;
                    self.free[row][digit] &= if placed[row][digit] == 0 { !gone } else { 0 };
                }
            }
        }
        true
    }
}

/// Returns two sets of bits: the bits that are set in at least one word, and the bits that are set in at
/// least two words.
#[inline(always)]
fn one_and_two(words: &[u16]) -> (u16, u16) {
    words.iter().fold((0, 0), |(one, two), word| (one | word, two | one & word))
}

/// Returns all three columns of every box whose first column is in `first`.
#[inline(always)]
fn spread(first: u16) -> u16 {
    first | first << 1 | first << 2
}

/// Returns all columns of those boxes of a band in which exactly one cell is set.
///
/// `one` has the columns with at least one set cell, and `two` the columns with at least two set cells.
#[inline(always)]
fn boxes_with_one(one: u16, two: u16) -> u16 {
    let (a, b, c) = (one & FIRST, one >> 1 & FIRST, one >> 2 & FIRST);
    let two = (two | two >> 1 | two >> 2) & FIRST | a & b | (a | b) & c;
    spread((a | b | c) & !two)
}

struct Solve<'a> {
    singles: &'a mut Singles,
    clues: &'a [u8; 81],
    solution: &'a [u8; 81],
}

impl WordKernel for Solve<'_> {
    type Output = Result<Placed, Technique>;

    #[inline(always)]
    fn run<I: Isa + Bytes>(self, _: I) -> Result<Placed, Technique> {
        use Technique::{HiddenSingleInBox, HiddenSingleInLine, LastCell};
        let Solve { singles, clues, solution } = self;
        singles.begin(clues, solution);
        Ok([
            (LastCell, singles.close(LastCell)?),
            (HiddenSingleInBox, singles.close(HiddenSingleInBox)?),
            (HiddenSingleInLine, singles.close(HiddenSingleInLine)?),
        ])
    }
}

struct GoOn<'a> {
    singles: &'a mut Singles,
    cell: usize,
    digit: usize,
}

impl WordKernel for GoOn<'_> {
    type Output = Result<u16, Technique>;

    #[inline(always)]
    fn run<I: Isa + Bytes>(self, _: I) -> Result<u16, Technique> {
        let GoOn { singles, cell, digit } = self;
        let mut placed = [[0; 16]; 9];
        placed[cell / 9][digit] = 1 << (cell % 9);
        singles.place(&placed);
        singles.close(Technique::HiddenSingleInLine)
    }
}

struct WritePlaces<'a> {
    singles: &'a Singles,
    grid: &'a mut Grid,
}

impl WordKernel for WritePlaces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa + Bytes>(self, _: I) {
        let WritePlaces { singles: Singles { free, .. }, grid } = self;
        let naked = |row: &Words| {
            let (one, two) = one_and_two(&row[..9]);
            one & !two
        };
        let mut changed = [0; 16];
        for row in 0..9 {
            for digit in 0..16 {
                changed[digit] |= free[row][digit] ^ grid.places[ROWS + row][digit];
            }
        }
        let changed = (0..9).fold(0, |all, digit| all | u16::from(changed[digit] != 0) << digit);
        grid.begin_set((0..9).fold(0, |all, row| all | u128::from(naked(&free[row])) << (9 * row)), changed);
        for number in 0..9 {
            grid.set_places(ROWS + number, &free[number]);
            let mut places = [0; 16];
            for row in 0..9 {
                for digit in 0..16 {
                    places[digit] |= (free[row][digit] >> number & 1) << row;
                }
            }
            grid.set_places(COLUMNS + number, &places);
            let first = number / 3 * 3;
            for digit in 0..16 {
                places[digit] = in_box(number, std::array::from_fn(|row| free[first + row][digit]));
            }
            grid.set_places(BOXES + number, &places);
        }
    }
}

/// Returns the places of a box that are set in the three rows of its band.
#[inline(always)]
fn in_box(number: usize, rows: [u16; 3]) -> u16 {
    let shift = number % 3 * 3;
    (rows[0] >> shift & 7) | (rows[1] >> shift & 7) << 3 | (rows[2] >> shift & 7) << 6
}

struct WriteCells<'a> {
    singles: &'a Singles,
    grid: &'a mut Grid,
}

impl WordKernel for WriteCells<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa + Bytes>(self, _: I) {
        let WriteCells { singles: Singles { free, digits, empty, .. }, grid } = self;
        for row in 0..9 {
            let mut candidates = [0u16; 16];
            for digit in 0..9 {
                for (column, candidates) in candidates.iter_mut().enumerate() {
                    *candidates |= (free[row][digit] >> column & 1) << digit;
                }
            }
            grid.candidates[9 * row..9 * row + 9].copy_from_slice(&candidates[..9]);
            for column in 0..9 {
                let is_empty = (empty[row] >> column & 1) as u8;
                grid.values[9 * row + column] = digits[9 * row + column] & is_empty.wrapping_sub(1);
            }
        }
        for digit in 0..9 {
            let seven = (0..7).fold(0, |all, row| all | u64::from(free[row][digit]) << (9 * row));
            let two = u64::from(free[7][digit]) | u64::from(free[8][digit]) << 9;
            grid.boards[digit] = u128::from(seven) | u128::from(two) << 63;
            grid.placed[digit] = (0..9).map(|row| u8::from(free[row][digit] == 0)).sum();
        }
        let ones = |word: u16| word.count_ones() as u8;
        for number in 0..9 {
            let first = number / 3 * 3;
            grid.empty[ROWS + number] = ones(empty[number]);
            grid.empty[COLUMNS + number] = empty.iter().map(|row| (row >> number & 1) as u8).sum();
            grid.empty[BOXES + number] = ones(in_box(number, std::array::from_fn(|row| empty[first + row])));
        }
        grid.left = empty.iter().map(|row| ones(*row)).sum();
    }
}
