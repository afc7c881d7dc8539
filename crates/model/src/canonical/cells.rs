//! The cells of a grid, in the form in which canonical forms are compared. An empty cell is 0, which is less
//! than every digit.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::{Form, NoForm};
use crate::verify::is_whole;
use crate::{DigitSet, Geometry, House, Packed9x9, ProblemRef};

/// Number of cells of the largest grid that has canonical forms.
const MAX_CELLS: usize = 81;

/// The cells of a 4x4, 6x6 or 9x9 grid, row by row. A cell is 0 if it is empty, otherwise its 1-based digit.
///
/// Grids with the same side length compare in the same way as their texts. `Display` writes one line, with
/// `.` for an empty cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cells {
    side: u8,
    /// If the grid has fewer than 81 cells, the entries after its last cell are 0.
    cells: [u8; MAX_CELLS],
}

impl Cells {
    /// Creates a grid from 16, 36 or 81 numbers. A number is 0 for an empty cell, otherwise a 1-based digit.
    ///
    /// # Errors
    /// Returns [`NoForm::Side`] for any other count of numbers, or [`NoForm::Digit`] if a number exceeds the
    /// side length.
    pub fn new(cells: &[u8]) -> Result<Self, NoForm> {
        let side = match cells.len() {
            16 => 4,
            36 => 6,
            81 => 9,
            _ => return Err(NoForm::Side),
        };
        // This fold has no branch, so that the compiler produces vector code.
        if cells.iter().fold(0, |most, &digit| digit.max(most)) > side {
            return Err(NoForm::Digit);
        }
        let mut grid = Cells { side, cells: [0; MAX_CELLS] };
        grid.cells[..cells.len()].copy_from_slice(cells);
        Ok(grid)
    }

    /// Returns the clues of a puzzle. Ignores its weights.
    ///
    /// # Errors
    /// Returns [`NoForm::Side`] for an exact cover problem, or for a grid whose boxes are not 2x2, 2x3 or
    /// 3x3. Returns [`NoForm::Conditions`] if the puzzle has conditions other than clues, such as cells with
    /// several candidates, letter groups, or rules.
    pub fn of_clues(problem: ProblemRef<'_>) -> Result<Self, NoForm> {
        let puzzle = match problem {
            ProblemRef::Packed(packed) => return Self::of_packed(packed),
            ProblemRef::Puzzle(puzzle) => puzzle,
            ProblemRef::Cover(_) => return Err(NoForm::Side),
        };
        let side = side_of(puzzle.geometry())?;
        if !puzzle.is_plain() {
            return Err(NoForm::Conditions);
        }
        let mut grid = Cells { side, cells: [0; MAX_CELLS] };
        for (cell, &set) in grid.cells.iter_mut().zip(puzzle.candidates()) {
            *cell = match set.single() {
                Some(digit) => digit as u8 + 1,
                None if set == DigitSet::all(side.into()) => 0,
                None => return Err(NoForm::Conditions),
            };
        }
        Ok(grid)
    }

    fn of_packed(packed: &Packed9x9) -> Result<Self, NoForm> {
        const ALL: u128 = (1 << MAX_CELLS) - 1;
        let (single, _) = packed.single_and_empty();
        let mut grid = Cells { side: 9, cells: [0; MAX_CELLS] };
        let mut allowed = ALL;
        for digit in 0..9 {
            let cells = packed.cells_of(digit);
            allowed &= cells | single;
            let mut clues = cells & single;
            while clues != 0 {
                grid.cells[clues.trailing_zeros() as usize] = digit as u8 + 1;
                clues &= clues - 1;
            }
        }
        if allowed == ALL { Ok(grid) } else { Err(NoForm::Conditions) }
    }

    /// Creates a grid from a solution.
    ///
    /// `digits` has one 0-based digit per cell, as in [`Solution::Digits`](crate::Solution::Digits).
    ///
    /// # Errors
    /// Returns the same errors as [`new`](Self::new).
    #[inline]
    pub fn of_solution(digits: &[u8]) -> Result<Self, NoForm> {
        let mut cells = [0; MAX_CELLS];
        let cells = cells.get_mut(..digits.len()).ok_or(NoForm::Side)?;
        for (cell, digit) in cells.iter_mut().zip(digits) {
            *cell = digit.saturating_add(1);
        }
        Self::new(cells)
    }

    /// Parses a 9x9 grid from text. Any character other than 1 to 9 is an empty cell.
    #[inline]
    pub fn of_line(text: &[u8; MAX_CELLS]) -> Self {
        let digit = |byte: u8| byte.wrapping_sub(b'0');
        Cells { side: 9, cells: text.map(|byte| if digit(byte) <= 9 { digit(byte) } else { 0 }) }
    }

    /// Creates a 9x9 grid from its cells. Every cell must be at most 9.
    #[inline]
    pub(super) fn of_9x9(cells: [u8; MAX_CELLS]) -> Self {
        debug_assert!(cells.iter().all(|&digit| digit <= 9));
        Cells { side: 9, cells }
    }

    /// Returns all cells of a 9x9 grid, or `None` for a grid of another side length.
    #[inline]
    pub(super) fn as_9x9(&self) -> Option<&[u8; MAX_CELLS]> {
        (self.side == 9).then_some(&self.cells)
    }

    /// Returns a grid of the same side length. The function `cell` gives the value of each cell.
    #[inline]
    pub(super) fn with(&self, cell: impl Fn(usize) -> u8) -> Self {
        let mut grid = Cells { side: self.side, cells: [0; MAX_CELLS] };
        for (at, to) in grid.cells[..self.as_slice().len()].iter_mut().enumerate() {
            *to = cell(at);
        }
        grid
    }

    /// Returns the number of cells in a row: 4, 6 or 9.
    #[inline]
    pub fn side(&self) -> usize {
        self.side.into()
    }

    /// Returns the cells, row by row.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.cells[..self.side() * self.side()]
    }

    /// Returns the number of cells that are not empty.
    pub fn clues(&self) -> usize {
        self.as_slice().iter().filter(|&&digit| digit != 0).count()
    }

    /// Returns a hash of the cells, which must be a canonical form. The hash also depends on `form`, the type
    /// of canonical form.
    pub fn key(&self, form: Form) -> u128 {
        xxh3_128_with_seed(self.as_slice(), 1 + form as u64)
    }

    /// Returns true if no cell is empty and no row, column or box contains a digit twice.
    pub fn is_solution(&self) -> bool {
        let digits = self.cells.map(|digit| digit.wrapping_sub(1));
        if self.side == 9 {
            return is_whole(&Packed9x9::FULL, &digits);
        }
        let bit = |&cell: &u16| 1u64 << (digits[usize::from(cell)] & 63);
        let is_full = |house: &House| {
            house.cells.iter().fold(0, |seen, cell| seen | bit(cell)) == DigitSet::all(self.side()).0
        };
        Geometry::of_side(self.side()).is_ok_and(|geometry| geometry.houses().iter().all(is_full))
    }

    /// Returns true if every clue equals the digit of its cell in `solution`.
    pub fn is_part_of(&self, solution: &Cells) -> bool {
        // This closure has no branch, so that the compiler produces vector code.
        let wrong = |(&clue, &digit): (&u8, &u8)| u8::from(clue != 0) & u8::from(clue != digit);
        self.side == solution.side
            && self.cells.iter().zip(&solution.cells).map(wrong).fold(0, |a, b| a | b) == 0
    }
}

/// Returns the number of rows and of columns in a box. `side` must be 4, 6 or 9.
pub(super) fn box_of(side: usize) -> (usize, usize) {
    (if side == 9 { 3 } else { 2 }, if side == 4 { 2 } else { 3 })
}

fn side_of(geometry: &Geometry) -> Result<u8, NoForm> {
    let side = geometry.side();
    let is_known = matches!(side, 4 | 6 | 9) && (geometry.box_rows(), geometry.box_columns()) == box_of(side);
    if is_known { Ok(side as u8) } else { Err(NoForm::Side) }
}

impl AsRef<[u8]> for Cells {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = [b'.'; MAX_CELLS];
        let line = &mut line[..self.as_slice().len()];
        for (sign, &digit) in line.iter_mut().zip(self.as_slice()) {
            if digit != 0 {
                *sign = b'0' + digit;
            }
        }
        f.pad(str::from_utf8(line).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cells({self})")
    }
}
