//! The least image of a solved 9x9, all maps that lead there, and clues carried along.
//!
//! The top band of the least image is the least band of its class, and that class is the least among those of the six bands
//! of the grid: three, and three of its transpose. An arrangement of a band leaves no choice for the rest:
//!
//! ```text
//!   bands of the grid and of its transpose:   class  7  class 31  class 12 | class 7  class 205  class 90
//!                                                |                            |
//!   arrangements that make them least:         one or more                  one or more
//!                                                |
//!   top row -> columns and labels -> the six other rows, sorted by their first digit within
//!   bands, bands sorted by the first digit of their first row -> compare with the least so far
//! ```
//! Two bands in three grids of four are above the least; most are left with one arrangement, and the second differs
//! from the first in its fourth row. Those that are equal are as many as the grid has automorphisms.

use std::cmp::Ordering;

use super::Map;
use super::bands::{Arrangement, Band, Entry, sorted_columns, table};

/// A grid row by row.
type Grid = [u8; 81];

/// Searches the least images of solved grids, one after the other, in the same memory.
#[derive(Debug, Default)]
pub(super) struct SolvedSearch {
    /// The maps that lead to the least image so far.
    ties: Vec<Map>,
}

impl SolvedSearch {
    /// The maps of the last search, in any order.
    #[inline]
    pub(super) fn ties(&self) -> &[Map] {
        &self.ties
    }

    /// Fills `ties` for a solved grid with all maps that lead to its least image; returns that and the class of its best
    /// band, from 0.
    pub(super) fn search(&mut self, grid: &Grid) -> (Grid, usize) {
        let table = table();
        let transposed = transpose(grid);
        let sides = [grid, &transposed];
        let entries: [Entry; 6] =
            std::array::from_fn(|number| table.entry(band_of(sides[number / 3], number % 3)));
        // Entries of a lower class are lower.
        let class = entries.iter().min().map_or(0, |entry| entry.class());
        let mut least = [u8::MAX; 81];
        least[..27].copy_from_slice(table.least(class));
        self.ties.clear();
        for (number, &entry) in entries.iter().enumerate() {
            if entry.class() != class {
                continue;
            }
            let (side, band) = (sides[number / 3], number % 3);
            let sorted = sorted_columns(band_of(side, band));
            for &arrangement in table.arrangements(entry) {
                let image = Image::new(side, band, &sorted, arrangement);
                match image.compare(&mut least) {
                    Ordering::Less => self.ties.clear(),
                    Ordering::Equal => {}
                    Ordering::Greater => continue,
                }
                self.ties.push(image.map(number >= 3));
            }
        }
        (least, class)
    }
}

/// The rows of a band.
#[inline]
fn band_of(grid: &Grid, band: usize) -> &Band {
    &grid.as_chunks().0[band]
}

fn transpose(grid: &Grid) -> Grid {
    std::array::from_fn(|at| grid[at % 9 * 9 + at / 9])
}

/// An image of a grid whose top band is least.
struct Image<'a> {
    grid: &'a Grid,
    rows: [u8; 9],
    columns: [u8; 9],
    labels: [u8; 16],
}

impl<'a> Image<'a> {
    /// The image under an arrangement of the normal form of a band, whose columns stand at `sorted` in the grid.
    #[inline]
    fn new(grid: &'a Grid, band: usize, sorted: &[u8; 9], arrangement: Arrangement) -> Self {
        let columns = arrangement.columns().map(|column| sorted[usize::from(column)]);
        let top = arrangement.rows().map(|row| 3 * band as u8 + row);
        let mut image = Image { grid, rows: [0; 9], columns, labels: [0; 16] };
        for (at, &column) in columns.iter().enumerate() {
            image.labels[usize::from(grid[usize::from(9 * top[0] + column)] & 15)] = at as u8 + 1;
        }
        // The first digit of a row times sixteen, and the row: sorted together.
        let sorted_band = |band: usize| {
            let mut rows: [u8; 3] = std::array::from_fn(|row| {
                let row = (3 * band + row) as u8;
                image.digit(row, columns[0]) << 4 | row
            });
            rows.sort_unstable();
            rows
        };
        let mut bands = [sorted_band((band + 1) % 3), sorted_band((band + 2) % 3)];
        bands.sort_unstable();
        let rows = [top, bands[0].map(|row| row & 15), bands[1].map(|row| row & 15)];
        image.rows.as_chunks_mut().0.copy_from_slice(&rows);
        image
    }

    #[inline]
    fn digit(&self, row: u8, column: u8) -> u8 {
        self.labels[usize::from(self.grid[usize::from(9 * row + column)] & 15)]
    }

    /// Compares the image with the least so far, which it replaces if it is less. The top band is taken as equal.
    #[inline]
    fn compare(&self, least: &mut Grid) -> Ordering {
        for (at, &row) in self.rows.iter().enumerate().skip(3) {
            let line: [u8; 9] = std::array::from_fn(|column| self.digit(row, self.columns[column]));
            match line.as_slice().cmp(&least[9 * at..9 * at + 9]) {
                Ordering::Equal => {}
                Ordering::Greater => return Ordering::Greater,
                Ordering::Less => {
                    least[9 * at..9 * at + 9].copy_from_slice(&line);
                    let (lines, _) = least.as_chunks_mut::<9>();
                    for (line, &row) in lines.iter_mut().zip(&self.rows).skip(at + 1) {
                        *line = std::array::from_fn(|column| self.digit(row, self.columns[column]));
                    }
                    return Ordering::Less;
                }
            }
        }
        Ordering::Equal
    }

    fn map(&self, transposed: bool) -> Map {
        let labels = std::array::from_fn(|digit| self.labels[digit + 1]);
        Map::of_9x9(transposed, self.rows, self.columns, labels)
    }
}
