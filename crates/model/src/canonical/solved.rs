//! Computes the least image of a solved 9x9 and all transforms that lead to it. The transforms also arrange the clues
//! for the form `by-solution`.
//!
//! The top band of the least image is the least band of its class, and that class is the lowest among the six
//! bands of the grid: three, and three of its transpose. An arrangement of one band determines the rest:
//!
//! ```text
//!   bands of the grid and of its transpose:   class  7  class 31  class 12 | class 7  class 205  class 90
//!                                                |                            |
//!   arrangements that make them least:         one or more                  one or more
//!                                                |
//!   top row -> columns and labels -> the six other rows, sorted by their first digit within
//!   bands, bands sorted by the first digit of their first row -> compare with the least so far
//! ```
//! Nearly always only one of the six bands has the lowest class, and in about three of four grids a single arrangement
//! makes that band least. With several arrangements, the second image usually differs from the first in its fourth row.
//! The number of transforms with equal images is the number of automorphisms of the grid.
//!
//! The six bands are read two at a time, one of the grid and one of its transpose, in the halves of a vector.
//! A row takes sixteen bytes, so that boxes 2 and 3 are summed separately:
//!
//! ```text
//!   byte   0 1 2   3 4 5   6 7   8 9 10   11 ..
//!          box 1   box 2    0     box 3     0
//! ```

use std::cmp::Ordering;

use super::Transform;
use super::bands::{Arrangement, BandTable, SORTED, number_of_form, table};
use crate::simd::{Bytes, HALF, WordKernel, run_words};

/// A grid, row by row.
type Grid = [u8; 81];
/// A row in the byte layout that the module documentation describes.
type Row = [u8; HALF];
/// Nine cells of an image, with one byte per cell. The first cell is in the highest byte.
type Line = u128;

/// For each column, its byte in a [`Row`]. There are sixteen entries, so that no index needs a bounds check.
const BYTE_OF_COLUMN: [u8; HALF] = [0, 1, 2, 3, 4, 5, 8, 9, 10, 0, 0, 0, 0, 0, 0, 0];
/// The columns of box 2 or 3 of a band, sorted as in a normal form.
///
/// The lowest three bits of the index are the comparisons between the top digits of the box. The next bit is
/// 0 for box 2 and 1 for box 3.
const SORTED_COLUMNS: [[u8; 3]; 16] = {
    let mut columns = [[0; 3]; 16];
    let mut number = 0;
    while number < 16 {
        let [a, b, c] = SORTED[number % 8];
        let first = if number < 8 { 3 } else { 6 };
        columns[number] = [first + a, first + b, first + c];
        number += 1;
    }
    columns
};
/// An index for which [`Bytes::look_up`] returns 0.
const NOTHING: u8 = 0x80;

/// Computes the lexicographically smallest images of solved grids. Several searches reuse its memory.
#[derive(Debug, Default)]
pub(super) struct SolvedSearch {
    /// Transforms that lead to the smallest image found so far.
    pub(super) ties: Vec<Transform>,
}

impl SolvedSearch {
    /// Returns the lexicographically smallest image of a solved grid, and the 0-based class of its top band.
    ///
    /// Returns `None` if the grid is not solved. Fills `ties` with all transforms that lead to the image.
    pub(super) fn search(&mut self, grid: &Grid) -> Option<(Grid, usize)> {
        run_words(None, Search { grid, table: table(), ties: &mut self.ties })
    }
}

/// The code of [`SolvedSearch::search`] as a kernel: code that is compiled for several instruction sets.
struct Search<'a> {
    grid: &'a Grid,
    table: &'static BandTable,
    ties: &'a mut Vec<Transform>,
}

impl WordKernel for Search<'_> {
    type Output = Option<(Grid, usize)>;

    #[inline(always)]
    fn run<I: Bytes>(self, isa: I) -> Self::Output {
        let sides = sides(self.grid);
        if !is_solved(isa, self.grid, &sides) {
            return None;
        }
        let mut bands = [BandSummary::default(); 6];
        for band in 0..3 {
            [bands[band], bands[3 + band]] = see(isa, self.table, &sides, band);
        }
        let class = bands.iter().map(|band| band.class).min().unwrap_or(0);
        let mut least = [Line::MAX; 6];
        self.ties.clear();
        for (number, seen) in bands.iter().enumerate() {
            if seen.class != class {
                continue;
            }
            let side = &sides[number / 3];
            for &arrangement in self.table.arrangements(seen.form.into()) {
                let image = Image::new(isa, side, number % 3, seen, arrangement);
                match image.lines.cmp(&least) {
                    Ordering::Less => {
                        least = image.lines;
                        self.ties.clear();
                    }
                    Ordering::Equal => {}
                    Ordering::Greater => continue,
                }
                self.ties.push(image.transform(number >= 3));
            }
        }
        let mut cells = [0; 81];
        cells[..27].copy_from_slice(self.table.least(class.into()));
        for (cells, line) in cells.as_chunks_mut::<9>().0[3..].iter_mut().zip(least) {
            cells.copy_from_slice(&line.to_be_bytes()[..9]);
        }
        Some((cells, class.into()))
    }
}

/// Returns the rows of a grid, then the rows of its transpose.
#[inline(always)]
fn sides(grid: &Grid) -> [[Row; 9]; 2] {
    let mut sides = [[[0; HALF]; 9]; 2];
    let (rows, _) = grid.as_chunks::<9>();
    for (row, cells) in rows.iter().enumerate() {
        sides[0][row][..6].copy_from_slice(&cells[..6]);
        sides[0][row][8..11].copy_from_slice(&cells[6..]);
        for (column, &digit) in cells.iter().enumerate() {
            sides[1][column][usize::from(BYTE_OF_COLUMN[row])] = digit;
        }
    }
    sides
}

/// Returns true if every row, column and box contains every digit.
///
/// The check looks only for the digits 1 to 8 in every house, and for nine cells with a 9. This is enough:
/// the other 72 cells must then contain each digit from 1 to 8 once per house. So one cell of each house
/// remains, and it contains a 9.
#[inline(always)]
fn is_solved<I: Bytes>(isa: I, grid: &Grid, sides: &[[Row; 9]; 2]) -> bool {
    let bits = isa.twice(&[0, 1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0]);
    let all = isa.twice(&[255, 255, 255, 255, 255, 255, 0, 0, 255, 255, 255, 0, 0, 0, 0, 0]);
    let firsts = isa.twice(&[255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0]);
    let mut columns = isa.minus(bits, bits);
    let mut missing = columns;
    for band in 0..3 {
        let mut three = isa.minus(bits, bits);
        let rows = 3 * band..3 * band + 3;
        for (row, across) in sides[0][rows.clone()].iter().zip(&sides[1][rows]) {
            three = isa.or(three, isa.look_up(bits, isa.pair([row, across])));
        }
        columns = isa.or(columns, three);
        let boxes = isa.or(isa.or(three, isa.down::<1>(three)), isa.down::<2>(three));
        missing = isa.or(missing, isa.and_not(firsts, boxes));
    }
    missing = isa.or(missing, isa.and_not(all, columns));
    isa.is_zero(missing) && isa.cells_with(&isa.load(grid), 9).count_ones() == 9
}

/// Properties of a band that the search needs.
#[derive(Debug, Clone, Copy, Default)]
struct BandSummary {
    /// The class of the band.
    class: u16,
    /// Index of the band's normal form in the table of bands (see [`BandTable`]).
    form: u16,
    /// Indices in [`SORTED_COLUMNS`] for boxes 2 and 3 of the normal form.
    sorted: [u8; 2],
}

/// For each position in a row, the bit to set if the label there is less than the label at the next position
/// of the same box.
///
/// The first array is for rows A and C, and the second is for row B.
const NEIGHBOURS: [[u8; HALF]; 2] =
    [[0, 0, 0, 1, 2, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 8, 16, 0, 0, 0, 8, 16, 0, 0, 0, 0, 0, 0]];
/// For the first position of a box, the bit to set if the label there is less than the label at the third
/// position of the box.
///
/// The first array is for rows A and C, and the second is for row B.
const ENDS: [[u8; HALF]; 2] =
    [[0, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 32, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0]];
/// For each label, the bit that [`number_of_form`] expects to be set if the label is in the top row of box 2.
const ON_TOP: [u8; HALF] = [0, 0, 0, 1, 2, 4, 8, 16, 32, 0, 0, 0, 0, 0, 0, 0];
/// For each label, the bit that [`number_of_form`] expects to be set if the label is in the second row of box
/// 2.
const BELOW: [u8; HALF] = [64, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const BOX_2: [u8; HALF] = [0, 0, 0, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Returns the properties of one band of the grid, and of the band at the same position of the transpose.
#[inline(always)]
fn see<I: Bytes>(isa: I, table: &BandTable, sides: &[[Row; 9]; 2], band: usize) -> [BandSummary; 2] {
    // For each digit, its label, which depends on the digit's position in the first box.
    let mut labels = [[0; HALF]; 2];
    for (labels, side) in labels.iter_mut().zip(sides) {
        for (row, cells) in side[3 * band..3 * band + 3].iter().enumerate() {
            for column in 0..3 {
                labels[usize::from(cells[column] & 15)] = (3 * row + column) as u8;
            }
        }
    }
    let labels = isa.pair([&labels[0], &labels[1]]);
    let first = 3 * band;
    let a = isa.look_up(labels, isa.pair([&sides[0][first], &sides[1][first]]));
    let b = isa.look_up(labels, isa.pair([&sides[0][first + 1], &sides[1][first + 1]]));
    let c = isa.look_up(labels, isa.pair([&sides[0][first + 2], &sides[1][first + 2]]));
    let upper = isa.sums(isa.or(compared(isa, a, 0), compared(isa, b, 1)));
    let lower = isa.up::<6>(isa.sums(compared(isa, c, 0)));
    // No two values that are added here share a bit, so their sum equals their union.
    let sets = isa.or(isa.look_up(isa.twice(&ON_TOP), a), isa.look_up(isa.twice(&BELOW), b));
    let sets = isa.up::<16>(isa.sums(isa.and(sets, isa.twice(&BOX_2))));
    let [second, third, second_across, third_across] = isa.quarters(isa.or(isa.or(upper, lower), sets));
    [BandSummary::new(table, second, third), BandSummary::new(table, second_across, third_across)]
}

/// Compares the labels of a row within box 2 and within box 3.
#[inline(always)]
fn compared<I: Bytes>(isa: I, row: I::Pair, weight: usize) -> I::Pair {
    let near = isa.at_most(row, isa.down::<1>(row));
    let far = isa.at_most(row, isa.down::<2>(row));
    isa.or(isa.and(near, isa.twice(&NEIGHBOURS[weight])), isa.and(far, isa.twice(&ENDS[weight])))
}

impl BandSummary {
    /// Creates the properties from bit sets of boxes 2 and 3, which contain the comparisons and the labels.
    #[inline(always)]
    fn new(table: &BandTable, second: u64, third: u64) -> Self {
        // In half of all bands, label 3 is at the top of box 3, so boxes 2 and 3 are exchanged. A mask
        // exchanges the boxes, because the CPU could not predict a branch here. The mask also inverts the
        // label bits, because box 3 has the labels that box 2 does not have.
        let mask = (second >> 16 & 1).wrapping_sub(1);
        let sets = second >> 16 ^ mask;
        let change = (second ^ third) & mask;
        let (second, third) = (second ^ change, third ^ change);
        let form = number_of_form(sets as usize, second as usize, third as usize);
        BandSummary {
            class: table.class(form),
            form: form as u16,
            sorted: [(second & 7 | mask & 8) as u8, (third & 7 | !mask & 8) as u8],
        }
    }
}

/// A transformed grid whose top band is the smallest possible.
struct Image {
    /// The six lines below the top band.
    lines: [Line; 6],
    rows: [u8; 9],
    columns: [u8; 9],
    /// For each digit, its new label.
    labels: [u8; HALF],
}

impl Image {
    /// Creates an image of the grid. The given band becomes the top band, in one arrangement of the band's
    /// normal form.
    #[inline(always)]
    fn new<I: Bytes>(
        isa: I,
        side: &[Row; 9],
        band: usize,
        seen: &BandSummary,
        arrangement: Arrangement,
    ) -> Self {
        // The columns of the grid in the order that the band's normal form gives them. The array has 16
        // entries, so that no index needs a bounds check.
        let mut sorted = [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for (number, index) in seen.sorted.into_iter().enumerate() {
            let columns = SORTED_COLUMNS[usize::from(index & 15)];
            for at in 0..3 {
                sorted[3 + 3 * number + at] = columns[at];
            }
        }
        let mut rows = [0; 9];
        for (row, from) in rows.iter_mut().zip(arrangement.rows()) {
            *row = 3 * band as u8 + from;
        }
        let top = &side[usize::from(rows[0])];
        let (mut columns, mut places, mut labels) = ([0; 9], [NOTHING; HALF], [0; HALF]);
        for (at, from) in arrangement.columns().into_iter().enumerate() {
            columns[at] = sorted[usize::from(from & 15)];
            places[at] = BYTE_OF_COLUMN[usize::from(columns[at] & 15)];
            labels[usize::from(top[usize::from(places[at] & 15)] & 15)] = at as u8 + 1;
        }
        // Rows are sorted by a key: sixteen times the label of the row's first digit, plus the index of the
        // row.
        let first = usize::from(places[0] & 15);
        let mut keys = [[0; 3]; 2];
        for (keys, band) in keys.iter_mut().zip([(band + 1) % 3, (band + 2) % 3]) {
            for (at, key) in keys.iter_mut().enumerate() {
                let row = 3 * band + at;
                *key = labels[usize::from(side[row][first] & 15)] << 4 | row as u8;
            }
            *keys = sorted_three(*keys);
        }
        if keys[1][0] < keys[0][0] {
            keys.swap(0, 1);
        }
        let (new_labels, order) = (isa.twice(&labels), isa.twice(&places));
        let mut lines = [0; 6];
        for two in 0..3 {
            let [one, other] = [2 * two, 2 * two + 1];
            rows[3 + one] = keys[one / 3][one % 3] & 15;
            rows[3 + other] = keys[other / 3][other % 3] & 15;
            let pair = isa.pair([&side[usize::from(rows[3 + one])], &side[usize::from(rows[3 + other])]]);
            let quarters = isa.quarters(isa.look_up(new_labels, isa.look_up(pair, order)));
            lines[one] = line(quarters[0], quarters[1]);
            lines[other] = line(quarters[2], quarters[3]);
        }
        Image { lines, rows, columns, labels }
    }

    #[inline(always)]
    fn transform(&self, transposed: bool) -> Transform {
        let labels = std::array::from_fn(|digit| self.labels[digit + 1]);
        Transform::of_9x9(transposed, self.rows, self.columns, labels)
    }
}

/// Joins two 64-bit words into one line. The lowest byte of a word comes first.
#[inline(always)]
fn line(low: u64, high: u64) -> Line {
    Line::from(low.swap_bytes()) << 64 | Line::from(high.swap_bytes())
}

#[inline(always)]
fn sorted_three([a, b, c]: [u8; 3]) -> [u8; 3] {
    let (low, high) = (a.min(b), a.max(b));
    let (middle, last) = (high.min(c), high.max(c));
    [low.min(middle), low.max(middle), last]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::PlainWords;

    const GRIDS: [&[u8; 81]; 3] = [
        b"123456789456789123789123456231564897564897231897231564312645978645978312978312645",
        b"534678912672195348198342567859761423426853791713924856961537284287419635345286179",
        b"812753649943682175675491283154237896369845721287169534521974368438526917796318452",
    ];

    #[test]
    fn every_instruction_set_finds_the_same_maps() {
        for text in GRIDS {
            let grid = text.map(|byte| byte - b'0');
            let mut search = SolvedSearch::default();
            let found = search.search(&grid);
            let mut ties = Vec::new();
            let plain = Search { grid: &grid, table: table(), ties: &mut ties }.run(PlainWords);
            assert!(found.is_some());
            assert_eq!((plain, ties.as_slice()), (found, &search.ties[..]));
        }
    }

    #[test]
    fn a_grid_that_is_not_solved_is_refused() {
        let grid = GRIDS[1].map(|byte| byte - b'0');
        let mut search = SolvedSearch::default();
        for cell in 0..81 {
            for digit in 0..=9 {
                let mut other = grid;
                other[cell] = digit;
                assert_eq!(search.search(&other).is_some(), other == grid);
            }
        }
        // Rows and boxes of this grid are correct, but columns are not.
        let mut other = grid;
        other.swap(0, 1);
        assert_eq!(search.search(&other), None);
        assert_eq!(search.search(&[9; 81]), None);
        assert_eq!(search.search(&[0; 81]), None);
    }
}
