//! The shape of a grid: its side length, its boxes, and a plain list of its houses.
//!
//! The verifier and the engines for all grids use only the list of houses. They do not know about rows or
//! boxes. So for them a diagonal, a jigsaw region or a windoku box is a house like any other.

use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::{Error, Result};

/// Maximum side of a grid.
pub const MAX_SIDE: usize = 36;

/// Minimum side length of a grid. Such a grid has boxes of 2x2.
const MIN_SIDE: usize = 4;

/// The kinds of houses that messages distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HouseKind {
    /// A row. Rows are numbered from top to bottom.
    Row,
    /// A column. Columns are numbered from left to right.
    Column,
    /// A box. Boxes are numbered in reading order.
    Box,
}

impl HouseKind {
    /// Returns the name of this kind of house in lower case.
    pub fn name(self) -> &'static str {
        match self {
            HouseKind::Row => "row",
            HouseKind::Column => "column",
            HouseKind::Box => "box",
        }
    }
}

/// A house: a set of cells that must contain every digit exactly once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct House {
    /// Row, column or box.
    pub kind: HouseKind,
    /// 0-based index of the house among all houses of the same kind.
    pub index: u16,
    /// The cells of the house, ascending. There are as many cells as digits.
    pub cells: Box<[u16]>,
}

impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.index + 1)
    }
}

/// A square grid with its houses. Its side length is `box_rows * box_columns`.
#[derive(Debug, PartialEq, Eq)]
pub struct Geometry {
    box_rows: usize,
    box_columns: usize,
    houses: Vec<House>,
    /// For each cell, the indices of the houses that contain it, in ascending order.
    houses_of: Vec<Box<[u16]>>,
}

impl Geometry {
    /// Creates a grid whose boxes have `box_rows` rows and `box_columns` columns.
    ///
    /// # Errors
    /// Returns an error if either number is less than 2, or if the side length exceeds [`MAX_SIDE`].
    pub fn new(box_rows: usize, box_columns: usize) -> Result<Arc<Self>> {
        let side = box_rows.saturating_mul(box_columns);
        if box_rows < 2 || box_columns < 2 || side > MAX_SIDE {
            return Err(Error::model(format!(
                "no grid has boxes of {box_rows}x{box_columns}: both numbers are at least 2, their product at most {MAX_SIDE}"
            )));
        }
        Ok(Self::made(box_rows, box_columns, true))
    }

    /// Creates a grid with rows and columns but no boxes: Latin squares, and grids whose regions are rules.
    ///
    /// The box of such a grid counts as 1 row by `side` columns.
    ///
    /// # Errors
    /// Returns an error if the side is below 4 or above [`MAX_SIDE`].
    ///
    /// ```
    /// let grid = quadrille::Geometry::without_boxes(5)?;
    /// assert_eq!((grid.side(), grid.houses().len(), grid.has_boxes()), (5, 10, false));
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    pub fn without_boxes(side: usize) -> Result<Arc<Self>> {
        if !(MIN_SIDE..=MAX_SIDE).contains(&side) {
            return Err(Error::model(format!(
                "no grid has side {side}: at least {MIN_SIDE}, at most {MAX_SIDE}"
            )));
        }
        Ok(Self::made(1, side, false))
    }

    fn made(box_rows: usize, box_columns: usize, has_boxes: bool) -> Arc<Self> {
        let side = box_rows * box_columns;
        let mut houses = Vec::with_capacity(3 * side);
        let mut add = |kind, index: usize, cell: &dyn Fn(usize) -> usize| {
            let cells = (0..side).map(|place| cell(place) as u16).collect();
            houses.push(House { kind, index: index as u16, cells });
        };
        for row in 0..side {
            add(HouseKind::Row, row, &|place| row * side + place);
        }
        for column in 0..side {
            add(HouseKind::Column, column, &|place| place * side + column);
        }
        for index in (0..side).filter(|_| has_boxes) {
            let (top, left) = (index / box_rows * box_rows, index % box_rows * box_columns);
            add(HouseKind::Box, index, &|place| {
                (top + place / box_columns) * side + left + place % box_columns
            });
        }
        let mut houses_of = vec![Vec::new(); side * side];
        for (number, house) in houses.iter().enumerate() {
            for &cell in &house.cells {
                houses_of[cell as usize].push(number as u16);
            }
        }
        let houses_of = houses_of.into_iter().map(Vec::into_boxed_slice).collect();
        Arc::new(Geometry { box_rows, box_columns, houses, houses_of })
    }

    /// Creates the grid of a side with its default boxes.
    ///
    /// Default boxes are the squarest possible, wide rather than tall: 2x3 for 6, 3x4 for 12.
    ///
    /// # Errors
    /// Returns an error if the side is not a product of two numbers of at least 2, or above [`MAX_SIDE`].
    ///
    /// ```
    /// let grid = quadrille::Geometry::of_side(6)?;
    /// assert_eq!((grid.box_rows(), grid.box_columns()), (2, 3));
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    pub fn of_side(side: usize) -> Result<Arc<Self>> {
        match Self::default_box(side) {
            Some((3, 3)) => Ok(Arc::clone(geometry_9x9())),
            Some((box_rows, box_columns)) => Self::new(box_rows, box_columns),
            None => Err(Error::model(format!(
                "no grid has side {side}: a side is r x c with r and c at least 2, at most {MAX_SIDE}"
            ))),
        }
    }

    /// Returns the number of rows and columns of the default box for grids with this side length.
    ///
    /// Returns `None` if no box fits.
    pub fn default_box(side: usize) -> Option<(usize, usize)> {
        if side > MAX_SIDE {
            return None;
        }
        let box_rows = (2..=side)
            .take_while(|rows| rows * rows <= side)
            .filter(|&rows| side.is_multiple_of(rows))
            .last()?;
        Some((box_rows, side / box_rows))
    }

    /// Returns the side length of the grid, which is the number of cells in a row and the number of digits.
    #[inline]
    pub fn side(&self) -> usize {
        self.box_rows * self.box_columns
    }

    /// Returns the number of cells.
    #[inline]
    pub fn cells(&self) -> usize {
        self.side() * self.side()
    }

    /// Returns true if the grid has boxes as houses.
    #[inline]
    pub fn has_boxes(&self) -> bool {
        self.box_rows > 1
    }

    /// Returns the number of rows of a box, or 1 if the grid has no boxes.
    #[inline]
    pub fn box_rows(&self) -> usize {
        self.box_rows
    }

    /// Returns the number of columns of a box, or the side length if the grid has no boxes.
    #[inline]
    pub fn box_columns(&self) -> usize {
        self.box_columns
    }

    /// Returns all houses. Rows come first, then columns, then boxes if there are any.
    #[inline]
    pub fn houses(&self) -> &[House] {
        &self.houses
    }

    /// Returns the indices of the houses that contain a cell, in ascending order.
    #[inline]
    pub fn houses_of(&self, cell: usize) -> &[u16] {
        &self.houses_of[cell]
    }

    /// Returns true if the grid is the usual 9x9 grid with 3x3 boxes.
    #[inline]
    pub fn is_9x9(&self) -> bool {
        self.box_rows == 3 && self.box_columns == 3
    }

    /// Returns the name of a cell for messages, such as `row 2 column 3`. Numbers are 1-based.
    pub fn name_of_cell(&self, cell: usize) -> String {
        format!("row {} column {}", cell / self.side() + 1, cell % self.side() + 1)
    }
}

/// Returns the shape of every [`Packed9x9`](crate::Packed9x9) puzzle, which is 9x9 with 3x3 boxes.
pub fn geometry_9x9() -> &'static Arc<Geometry> {
    static GEOMETRY: LazyLock<Arc<Geometry>> =
        LazyLock::new(|| Geometry::new(3, 3).expect("3x3 boxes make a grid"));
    &GEOMETRY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_boxes_are_the_squarest_and_wide() {
        let expected =
            [(4, (2, 2)), (6, (2, 3)), (8, (2, 4)), (9, (3, 3)), (10, (2, 5)), (12, (3, 4)), (18, (3, 6))];
        for (side, shape) in expected {
            assert_eq!(Geometry::default_box(side), Some(shape));
        }
        for side in [0, 1, 2, 3, 5, 7, 11, 13, 37, 38, 49] {
            assert_eq!(Geometry::default_box(side), None, "side {side}");
        }
    }

    #[test]
    fn every_cell_is_in_a_row_a_column_and_a_box() {
        for (rows, columns) in [(2, 2), (2, 3), (3, 2), (3, 3), (4, 5), (6, 6)] {
            let grid = Geometry::new(rows, columns).unwrap();
            for cell in 0..grid.cells() {
                let kinds: Vec<_> =
                    grid.houses_of(cell).iter().map(|&number| grid.houses()[number as usize].kind).collect();
                assert_eq!(kinds, [HouseKind::Row, HouseKind::Column, HouseKind::Box]);
            }
            for house in grid.houses() {
                assert_eq!(house.cells.len(), grid.side());
                assert!(house.cells.is_sorted());
            }
        }
    }

    #[test]
    fn boxes_of_a_6x6_are_two_rows_high() {
        let grid = Geometry::of_side(6).unwrap();
        let second = &grid.houses()[13];
        assert_eq!((second.kind, second.index), (HouseKind::Box, 1));
        assert_eq!(&*second.cells, [3, 4, 5, 9, 10, 11]);
    }

    #[test]
    fn impossible_shapes_are_refused() {
        assert!(Geometry::new(1, 9).is_err());
        assert!(Geometry::new(6, 7).is_err());
        assert!(Geometry::new(usize::MAX, 2).is_err());
        assert!(Geometry::of_side(7).is_err());
    }
}
