//! Transforms of grids: arrangements of rows and columns, and new labels for digits.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Cells;
use super::cells::box_of;
use crate::MAX_SIDE;

/// An arrangement of the rows and columns of a grid, and a new label for every digit.
///
/// The grid is transposed first if [`is_transposed`](Self::is_transposed) (never for a 6x6, whose boxes are
/// not square). Then row `r` of the image is row [`rows`](Self::rows)`[r]`, column `c` is column
/// [`columns`](Self::columns)`[c]`, and digit `d` becomes [`labels`](Self::labels)`[d - 1]`. The rows of a
/// band stay together, and so do the columns of a stack.
///
/// As text a transform is one word without commas, spaces or quotes: `n`, or `t` if transposed; the rows; the columns;
/// the labels; all 1-based, `A` to `Z` for 10 to 35 and `a` for 36. The identity is `n:123456789:123456789:123456789`.
/// Transforms of the same side compare like their texts.
///
/// ```
/// use quadrille::canonical::{Cells, Transform};
///
/// let transform: Transform = "t:2134:1243:2341".parse()?;
/// let grid = Cells::new(&[1, 0, 0, 4, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
/// let image = transform.apply(&grid).expect("of one side");
/// assert_eq!(image.to_string(), "....2....4..1...");
/// assert_eq!(transform.inverse().apply(&image), Some(grid));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transform {
    side: u8,
    transposed: bool,
    /// The numbers in this array and in the two arrays below are 0-based. Entries beyond the side length are
    /// 0.
    rows: Numbers,
    columns: Numbers,
    labels: Numbers,
}

/// One number for each row, column or digit.
type Numbers = [u8; MAX_SIDE];

/// Characters that represent the 1-based numbers in text.
const SIGNS: &[u8; MAX_SIDE] = b"123456789ABCDEFGHIJKLMNOPQRSTUVWXYZa";

/// The reason why a text does not describe a transform.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TransformError {
    /// The text does not have four parts, or its first part is neither `n` nor `t`.
    #[error(
        "invalid transform: expected four parts with colons between them, `n` or `t` first, as in n:123456789:123456789:123456789"
    )]
    Parts,
    /// Some parts of the text have different lengths, or the side length is less than 4 or more than 36.
    #[error("the {0} of a transform must be 4 to 36 characters, as long as its other parts")]
    Length(&'static str),
    /// A part of the text does not contain each number from 1 to the side length exactly once.
    #[error("the {0} of a transform must have each number from 1 to the side once")]
    Numbers(&'static str),
    /// The transform separates the rows of a band, or the columns of a stack.
    #[error("the {0} of a transform must keep the lines of each box together")]
    Boxes(&'static str),
    /// The transform transposes 6x6 grids, which would change the shape of their boxes.
    #[error("a transform of a 6x6 cannot be transposed: its boxes are not square")]
    Transposed,
}

impl Transform {
    /// Returns the identity for grids of the given side length, or `None` if it is less than 4 or more than
    /// 36.
    pub fn identity(side: usize) -> Option<Self> {
        SIDES.contains(&side).then(|| {
            let numbers = std::array::from_fn(|at| if at < side { at as u8 } else { 0 });
            Transform {
                side: side as u8,
                transposed: false,
                rows: numbers,
                columns: numbers,
                labels: numbers,
            }
        })
    }

    /// Creates a transform of 9x9 grids. The arguments must form a valid transform. Labels are 1-based.
    #[inline]
    pub(super) fn of_9x9(transposed: bool, rows: [u8; 9], columns: [u8; 9], labels: [u8; 9]) -> Self {
        Self::of_parts(transposed, &rows, &columns, &labels.map(|label| label - 1))
    }

    /// Creates a transform for any side length. The arguments must form a valid transform. Labels are
    /// 0-based.
    #[inline]
    pub(crate) fn of_parts(transposed: bool, rows: &[u8], columns: &[u8], labels: &[u8]) -> Self {
        let part = |numbers: &[u8]| {
            let mut all = [0; MAX_SIDE];
            all[..numbers.len()].copy_from_slice(numbers);
            all
        };
        Transform {
            side: rows.len() as u8,
            transposed,
            rows: part(rows),
            columns: part(columns),
            labels: part(labels),
        }
    }

    /// Returns the side length of the grids to which the transform applies.
    #[inline]
    pub fn side(&self) -> usize {
        self.side.into()
    }

    /// Returns true if the grid is transposed before its rows and columns are arranged.
    #[inline]
    pub fn is_transposed(&self) -> bool {
        self.transposed
    }

    /// Returns, for each row of the image, the 0-based row of the grid it comes from.
    ///
    /// If the grid is transposed first, this is a row of the transposed grid.
    #[inline]
    pub fn rows(&self) -> &[u8] {
        &self.rows[..self.side()]
    }

    /// Returns, for each column of the image, the 0-based column of the grid it comes from.
    ///
    /// If the grid is transposed first, this is a column of the transposed grid.
    #[inline]
    pub fn columns(&self) -> &[u8] {
        &self.columns[..self.side()]
    }

    /// Returns the new label of each digit. Labels and digits are 0-based.
    #[inline]
    pub fn labels(&self) -> &[u8] {
        &self.labels[..self.side()]
    }

    /// Returns the cell of the grid that goes to the given row and column of the image.
    #[inline]
    pub(crate) fn source(&self, row: usize, column: usize) -> usize {
        let (row, column) = (usize::from(self.rows[row]), usize::from(self.columns[column]));
        if self.transposed { column * self.side() + row } else { row * self.side() + column }
    }

    /// Returns the image of a grid, or `None` if the grid's side length is not that of the transform. Empty
    /// cells stay empty.
    pub fn apply(&self, grid: &Cells) -> Option<Cells> {
        if let Some(cells) = grid.as_9x9() {
            return (self.side == 9).then(|| Cells::of_9x9(self.apply_9x9(cells)));
        }
        let (side, cells) = (self.side(), grid.as_slice());
        (side == grid.side()).then(|| {
            grid.with(|at| match cells[self.source(at / side, at % side)] {
                0 => 0,
                digit => self.labels[usize::from(digit) - 1] + 1,
            })
        })
    }

    /// Returns the image of a 9x9 grid, in which an empty cell is 0.
    ///
    /// # Panics
    /// Panics if the transform is not for 9x9 grids, or if a cell is greater than 9.
    #[inline]
    pub fn apply_9x9(&self, cells: &[u8; 81]) -> [u8; 81] {
        let mut labels = [0; 10];
        for (label, new) in labels[1..].iter_mut().zip(self.labels) {
            *label = new + 1;
        }
        self.relabelled_9x9(cells, &labels)
    }

    /// Returns the image of a 9x9 grid as a line of digits, with the character `empty` for empty cells.
    ///
    /// # Panics
    /// Panics under the same conditions as [`apply_9x9`](Self::apply_9x9).
    #[inline]
    pub fn line_of_9x9(&self, cells: &[u8; 81], empty: u8) -> [u8; 81] {
        let mut labels = [empty; 10];
        for (label, new) in labels[1..].iter_mut().zip(self.labels) {
            *label = b'1' + new;
        }
        self.relabelled_9x9(cells, &labels)
    }

    /// Arranges the cells of a 9x9 grid as the transform does, but with the given labels instead of the
    /// transform's labels.
    ///
    /// `labels[0]` is the value for an empty cell, and the values for the nine digits follow.
    ///
    /// # Panics
    /// Panics if the transform is not for 9x9 grids, or if a cell is greater than 9.
    #[inline]
    fn relabelled_9x9(&self, cells: &[u8; 81], labels: &[u8; 10]) -> [u8; 81] {
        assert_eq!(self.side, 9, "a transform of a 9x9");
        let (row_step, column_step) = if self.transposed { (1, 9) } else { (9, 1) };
        let columns: [usize; 9] = std::array::from_fn(|at| usize::from(self.columns[at]) * column_step);
        let mut image = [0; 81];
        for (line, row) in image.as_chunks_mut::<9>().0.iter_mut().zip(self.rows) {
            let row = usize::from(row) * row_step;
            for (cell, column) in line.iter_mut().zip(columns) {
                *cell = labels[usize::from(cells[row + column])];
            }
        }
        image
    }

    /// Returns the inverse transform.
    pub fn inverse(&self) -> Self {
        let back = |numbers: &Numbers| {
            let mut back = [0; MAX_SIDE];
            for (at, &number) in numbers[..self.side()].iter().enumerate() {
                back[usize::from(number)] = at as u8;
            }
            back
        };
        let (rows, columns) = (back(&self.rows), back(&self.columns));
        let (rows, columns) = if self.transposed { (columns, rows) } else { (rows, columns) };
        Transform { rows, columns, labels: back(&self.labels), ..*self }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b':'; 2 + 3 * (MAX_SIDE + 1)];
        let side = self.side();
        text[0] = if self.transposed { b't' } else { b'n' };
        for (part, numbers) in [&self.rows, &self.columns, &self.labels].into_iter().enumerate() {
            let from = 2 + part * (side + 1);
            for (sign, number) in text[from..from + side].iter_mut().zip(numbers) {
                *sign = SIGNS[usize::from(*number)];
            }
        }
        f.pad(std::str::from_utf8(&text[..4 + 3 * side]).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transform({self})")
    }
}

impl FromStr for Transform {
    type Err = TransformError;

    fn from_str(text: &str) -> Result<Self, TransformError> {
        let mut parts = text.split(':');
        let transposed = match parts.next() {
            Some("n") => false,
            Some("t") => true,
            _ => return Err(TransformError::Parts),
        };
        let (Some(rows), Some(columns), Some(labels), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(TransformError::Parts);
        };
        let side = rows.len();
        if !SIDES.contains(&side) {
            return Err(TransformError::Length("rows"));
        }
        if transposed && side == 6 {
            return Err(TransformError::Transposed);
        }
        // If the side length is not 4, 6 or 9, boxes can have several shapes. So the boxes cannot be checked
        // before the grid is known.
        let (box_rows, box_columns) = if matches!(side, 4 | 6 | 9) { box_of(side) } else { (1, 1) };
        Ok(Transform {
            side: side as u8,
            transposed,
            rows: numbers(rows, side, box_rows, "rows")?,
            columns: numbers(columns, side, box_columns, "columns")?,
            labels: numbers(labels, side, side, "labels")?,
        })
    }
}

/// All side lengths for which there are transforms.
const SIDES: std::ops::RangeInclusive<usize> = 4..=MAX_SIDE;

/// Parses one part of a transform's text, which must contain each number from 1 to `side` once.
///
/// The numbers from 1 to `side` form groups of `together` consecutive numbers, such as the rows of a band.
/// The text must keep the numbers of each group adjacent.
fn numbers(text: &str, side: usize, together: usize, what: &'static str) -> Result<Numbers, TransformError> {
    if text.len() != side {
        return Err(TransformError::Length(what));
    }
    let (mut numbers, mut seen) = ([0; MAX_SIDE], 0u64);
    for (number, byte) in numbers.iter_mut().zip(text.bytes()) {
        let place = SIGNS[..side].iter().position(|&sign| sign == byte);
        *number = place.ok_or(TransformError::Numbers(what))? as u8;
        seen |= 1 << *number;
    }
    if seen != (1 << side) - 1 {
        return Err(TransformError::Numbers(what));
    }
    if !are_together(&numbers[..side], together) {
        return Err(TransformError::Boxes(what));
    }
    Ok(numbers)
}

/// Returns true if the numbers of each group are adjacent. A group is `together` consecutive numbers, such as
/// the rows of a band.
pub(super) fn are_together(numbers: &[u8], together: usize) -> bool {
    let group = |number: u8| usize::from(number) / together;
    numbers.chunks(together).all(|chunk| chunk.iter().all(|&number| group(number) == group(chunk[0])))
}
