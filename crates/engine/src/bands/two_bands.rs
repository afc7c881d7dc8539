//! Counting of grids with two bands. Boxes are two columns wide, and their height is half the side length of
//! the grid.
//!
//! The columns of the second band contain exactly the digits that are missing in the first band. So the
//! number of solutions is a sum over the configurations of the first band. Each term is the number of ways of
//! filling the first band times the number of ways of filling the second band. A band is filled row by row,
//! except for its last two rows. At that point, each column has two digits left, and each digit has two
//! columns left. So the columns form cycles, and each cycle can be filled in at most two ways.

use super::frame::{Frame, MAX_SIDE};
use super::sum::{Columns, Fillings};
use super::symmetry::{Layout, Signatures};

/// Maximum number of rows of a band.
const MAX_ROWS: usize = MAX_SIDE / 2;

/// Approximate cost of filling a band, in additions. The index is the number of rows in the band.
pub(super) const COSTS: [usize; MAX_ROWS + 1] = [1, 1, 50, 1_000, 10_000, 50_000_000];

/// Counts the ways of filling the two bands of a frame.
pub(super) struct TwoBands<'f> {
    frame: &'f Frame,
    cost: usize,
}

impl<'f> TwoBands<'f> {
    pub(super) fn new(frame: &'f Frame) -> Self {
        TwoBands { frame, cost: COSTS[frame.height] }
    }

    /// Returns the ways of distributing the digits over the two columns of a stack.
    ///
    /// Each column of each band is checked on its own. A way is omitted if any column cannot be filled.
    pub(super) fn choices(frame: &Frame, stack: usize) -> Vec<Columns> {
        let reach: Vec<Vec<bool>> = (0..2)
            .flat_map(|band| (0..2).map(move |column| (band, 2 * stack + column)))
            .map(|(band, column)| reachable(frame, band, column))
            .collect();
        (0..=frame.all())
            .filter(|set| set.count_ones() as usize == frame.height)
            .filter(|&set| {
                let (set, other) = (set as usize, (frame.all() ^ set) as usize);
                reach[0][other] && reach[1][set] && reach[2][set] && reach[3][other]
            })
            .map(|set| std::array::from_fn(|digit| (set >> digit & 1) as u8))
            .collect()
    }

    fn ways(&self, band: usize, configuration: &Signatures, flipped: bool) -> u128 {
        let layout = Layout::new(self.frame);
        let mut sets = [0u16; MAX_SIDE];
        for (digit, &signature) in configuration[..self.frame.side].iter().enumerate() {
            for stack in 0..self.frame.stacks() {
                let column = layout.get(stack, signature) ^ usize::from(flipped);
                sets[2 * stack + column] |= 1 << digit;
            }
        }
        Filler::new(self.frame, band, &sets).ways()
    }
}

impl Fillings for TwoBands<'_> {
    fn first(&mut self, configuration: &Signatures) -> u128 {
        self.ways(0, configuration, false)
    }

    fn rest(&mut self, classes: &[(Signatures, u128)]) -> Option<u128> {
        classes.iter().try_fold(0u128, |sum, (configuration, weight)| {
            sum.checked_add(weight.checked_mul(self.ways(1, configuration, true))?)
        })
    }

    fn cost(&self, classes: &[(Signatures, u128)]) -> usize {
        classes.len() * self.cost
    }
}

/// Returns, for each set of digits, whether the column `column` of a band can hold the set.
///
/// The position in the list is the bit pattern of the set. The other columns of the band are ignored.
fn reachable(frame: &Frame, band: usize, column: usize) -> Vec<bool> {
    let mut sets = vec![false; 1 << frame.side];
    sets[0] = true;
    for row in 0..frame.height {
        let mask = frame.mask(band, row, column) as usize;
        let mut next = vec![false; sets.len()];
        for (set, _) in sets.iter().enumerate().filter(|(_, there)| **there) {
            for digit in (0..frame.side).map(|digit| 1 << digit).filter(|digit| mask & !set & digit != 0) {
                next[set | digit] = true;
            }
        }
        sets = next;
    }
    sets
}

/// Counts the ways of filling one band when the digits of each column are given.
struct Filler {
    rows: usize,
    side: usize,
    /// The digits that each cell can hold. Rows are ordered so that rows with the same candidates are
    /// adjacent.
    allowed: [[u16; MAX_SIDE]; MAX_ROWS],
    /// True if a row has the same candidates as the previous row.
    ///
    /// Then only fillings are listed in which the first digit of this row is larger than that of the previous
    /// row. `orders` accounts for the other fillings.
    same: [bool; MAX_ROWS],
    /// Number of orders of the rows that only exchange rows with the same candidates.
    orders: u128,
}

impl Filler {
    fn new(frame: &Frame, band: usize, sets: &[u16; MAX_SIDE]) -> Self {
        let rows = frame.height;
        let mut allowed = [[0; MAX_SIDE]; MAX_ROWS];
        for (row, cells) in allowed[..rows].iter_mut().enumerate() {
            for (column, cell) in cells[..frame.side].iter_mut().enumerate() {
                *cell = frame.mask(band, row, column) & sets[column];
            }
        }
        // Rows with many candidates come last, because the fillings of the last two rows are counted without
        // listing them.
        allowed[..rows]
            .sort_unstable_by_key(|cells| (cells.iter().map(|cell| cell.count_ones()).sum::<u32>(), *cells));
        let mut same = [false; MAX_ROWS];
        let (mut orders, mut run) = (1, 1);
        for row in 1..rows {
            same[row] = allowed[row] == allowed[row - 1];
            run = if same[row] { run + 1 } else { 1 };
            orders *= run;
        }
        Filler { rows, side: frame.side, allowed, same, orders }
    }

    fn ways(&self) -> u128 {
        let cells = (self.rows - 2) * self.side;
        let mut left = [0u16; MAX_SIDE];
        for (column, left) in left[..self.side].iter_mut().enumerate() {
            *left = self.allowed[..self.rows].iter().fold(0, |set, row| set | row[column]);
            if left.count_ones() as usize != self.rows {
                return 0;
            }
        }
        let mut chosen = [0u16; MAX_ROWS * MAX_SIDE];
        let mut untried = [0u16; MAX_ROWS * MAX_SIDE];
        let mut used = [0u16; MAX_ROWS];
        let (mut total, mut at, mut forward) = (0u128, 0, true);
        loop {
            if forward && at == cells {
                total += self.last_two(&left, &chosen);
                forward = false;
            } else if forward {
                let (row, column) = (at / self.side, at % self.side);
                untried[at] =
                    left[column] & self.allowed[row][column] & !used[row] & self.floor(row, column, &chosen);
            }
            if !forward {
                if at == 0 {
                    return total * self.orders;
                }
                at -= 1;
                left[at % self.side] |= chosen[at];
                used[at / self.side] ^= chosen[at];
            }
            let digit = untried[at] & untried[at].wrapping_neg();
            forward = digit != 0;
            if forward {
                untried[at] ^= digit;
                chosen[at] = digit;
                left[at % self.side] ^= digit;
                used[at / self.side] |= digit;
                at += 1;
            }
        }
    }

    /// Returns the digits that a cell may have because of the previous row. If both rows have the same
    /// candidates, the first digit of this row must be larger than the first digit of the previous row.
    fn floor(&self, row: usize, column: usize, chosen: &[u16]) -> u16 {
        if column == 0 && self.same[row] { !(2 * chosen[(row - 1) * self.side] - 1) } else { !0 }
    }

    /// Returns the number of ways of filling the last two rows. `left` contains the digits that are left in
    /// each column.
    fn last_two(&self, left: &[u16; MAX_SIDE], chosen: &[u16]) -> u128 {
        let (upper, lower) = (self.rows - 2, self.rows - 1);
        let mut columns_of = [0u16; MAX_SIDE];
        for (column, &digits) in left[..self.side].iter().enumerate() {
            columns_of[digits.trailing_zeros() as usize] |= 1 << column;
            columns_of[15 - digits.leading_zeros() as usize] |= 1 << column;
        }
        let mut ways = 1;
        let mut waiting = (1u16 << self.side) - 1;
        while waiting != 0 {
            let mut column = waiting.trailing_zeros() as usize;
            let first = left[column] & left[column].wrapping_neg();
            let (mut above, mut below) = (first, left[column] ^ first);
            let mut fits = [true; 2];
            loop {
                waiting &= !(1 << column);
                let can = |above, below| {
                    self.allowed[upper][column] & above & self.floor(upper, column, chosen) != 0
                        && self.allowed[lower][column] & below != 0
                        && !(column == 0 && self.same[lower] && below < above)
                };
                fits = [fits[0] && can(above, below), fits[1] && can(below, above)];
                if below == first {
                    break;
                }
                // The digit is also left in a second column. If it goes to the lower row here, it goes to the
                // upper row there.
                column =
                    (columns_of[below.trailing_zeros() as usize] & !(1 << column)).trailing_zeros() as usize;
                (above, below) = (below, left[column] ^ below);
            }
            ways *= u128::from(fits[0]) + u128::from(fits[1]);
            if ways == 0 {
                return 0;
            }
        }
        ways
    }
}
