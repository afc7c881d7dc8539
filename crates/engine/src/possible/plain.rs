//! The candidates of a plain 9x9, one set of cells for each digit.

use quadrille_model::bits::Bits;
use quadrille_model::{DigitSet, HOUSES_9X9, Packed9x9};

/// A set of cells, one bit per cell.
type Cells = u128;

/// Each cell with all other cells of its houses.
static PEERS: [Cells; 81] = {
    let mut peers = [0; 81];
    let mut place = 0;
    while place < 27 * 81 {
        let (house, cell) = (HOUSES_9X9[place / 81], place % 81);
        if house >> cell & 1 != 0 {
            peers[cell] |= house;
        }
        place += 1;
    }
    peers
};

/// The digits that may occur in some solution, and those that do.
pub(super) struct PlainSets {
    left: [Cells; 9],
    possible: [Cells; 9],
    /// Cells with one digit left, which their peers have lost.
    settled: Cells,
}

impl PlainSets {
    pub(super) fn new(problem: &Packed9x9) -> Self {
        PlainSets { left: std::array::from_fn(|digit| problem.cells_of(digit)), possible: [0; 9], settled: 0 }
    }

    /// Adds the digits of a solution.
    pub(super) fn show(&mut self, digits: &[u8]) {
        for (cell, &digit) in digits.iter().enumerate() {
            self.possible[usize::from(digit)] |= 1 << cell;
        }
    }

    /// Returns the first cell with a digit about which nothing is known, after removing digits that singles exclude.
    pub(super) fn first_open(&mut self) -> Option<usize> {
        loop {
            self.settle();
            let open =
                self.left.iter().zip(&self.possible).fold(0, |open, (left, shown)| open | left & !shown);
            if open == 0 {
                return None;
            }
            let cell = open.trailing_zeros() as usize;
            if !self.refute(cell) {
                return Some(cell);
            }
        }
    }

    /// Removes the digits of cells with only one from their peers, until nothing changes.
    fn settle(&mut self) {
        loop {
            let (once, twice) =
                self.left.iter().fold((0, 0), |(once, twice), left| (once | left, twice | once & left));
            let new = once & !twice & !self.settled;
            if new == 0 {
                return;
            }
            self.settled |= new;
            for left in &mut self.left {
                let own = *left & new;
                Bits(own).for_each(|cell| *left &= !PEERS[cell]);
                *left |= own;
            }
        }
    }

    /// Removes unknown digits of a cell that would leave a house without a place for the digit. Returns true if nothing
    /// about the cell is unknown any more.
    fn refute(&mut self, cell: usize) -> bool {
        let mut is_known = true;
        for (left, shown) in self.left.iter_mut().zip(&self.possible) {
            if (*left & !shown) >> cell & 1 == 0 {
                continue;
            }
            let others = *left & !PEERS[cell] | 1 << cell;
            if HOUSES_9X9.iter().any(|house| others & house == 0) {
                *left &= !(1 << cell);
            } else {
                is_known = false;
            }
        }
        is_known
    }

    /// Ends with the digits of a cell that some solution has shown.
    pub(super) fn close(&mut self, cell: usize) {
        let others = !(1 << cell);
        self.left.iter_mut().zip(&self.possible).for_each(|(left, shown)| *left &= shown | others);
    }

    /// Returns a grid whose solutions are those with a new digit in a cell, with digits rotated.
    pub(super) fn question(&self, cell: usize, rotation: u32) -> Packed9x9 {
        let mut digits = self.left;
        digits.iter_mut().zip(&self.possible).for_each(|(left, shown)| *left &= !(shown & 1 << cell));
        digits.rotate_right(rotation as usize);
        Packed9x9::from_whole_digits(&digits)
    }

    /// Returns the digits of each cell that some solution has shown.
    pub(super) fn possible_cells(&self) -> Vec<DigitSet> {
        let packed = Packed9x9::from_whole_digits(&self.possible);
        packed.to_cells().map(|set| DigitSet(set.into())).to_vec()
    }
}
