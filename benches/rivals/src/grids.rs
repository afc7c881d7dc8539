//! Grids as lines, and their exact cover matrix.

use std::fmt::Write as _;

/// Side and box height of a grid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub side: usize,
    box_rows: usize,
}

impl Shape {
    fn of_cells(cells: usize) -> Option<Self> {
        let side = cells.isqrt();
        let box_rows = (2..=side.isqrt()).rev().find(|&rows| side.is_multiple_of(rows))?;
        (side * side == cells && side <= 35).then_some(Shape { side, box_rows })
    }

    pub fn cells(self) -> usize {
        self.side * self.side
    }

    /// Returns the number of items: cells, row digits, column digits and box digits.
    pub fn items(self) -> usize {
        4 * self.cells()
    }

    /// Returns the items that the 0-based `digit` in `cell` covers. The option number is `cell * side +
    /// digit`.
    pub fn items_of(self, cell: usize, digit: usize) -> [usize; 4] {
        let Shape { side, box_rows } = self;
        let (row, column) = (cell / side, cell % side);
        let square = row / box_rows * box_rows + column / (side / box_rows);
        let family = self.cells();
        [
            cell,
            family + side * row + digit,
            2 * family + side * column + digit,
            3 * family + side * square + digit,
        ]
    }
}

/// Reads grids of one size, one per line: one byte per cell, a 1-based digit or 0 for an empty cell.
pub fn read(text: &str) -> Result<(Shape, Vec<Vec<u8>>), String> {
    let length = text.lines().next().map_or(0, str::len);
    let shape = Shape::of_cells(length).ok_or("the first line is no square grid")?;
    let digit = |character: char| character.to_digit(36).map_or(0, |digit| digit as u8);
    let grids: Vec<Vec<u8>> = text.lines().map(|line| line.chars().map(digit).collect()).collect();
    let is_of_shape =
        |grid: &Vec<u8>| grid.len() == length && grid.iter().all(|&digit| digit as usize <= shape.side);
    if grids.iter().all(is_of_shape) { Ok((shape, grids)) } else { Err("grids of several shapes".into()) }
}

/// Appends a grid as a line.
pub fn write(grid: &[u8], out: &mut String) {
    for &digit in grid {
        let character = char::from_digit(digit.into(), 36).expect("at most 35").to_ascii_uppercase();
        out.push(character);
    }
    writeln!(out).expect("writing to memory does not fail");
}
