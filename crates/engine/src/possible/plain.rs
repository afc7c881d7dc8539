//! The possible digits of a plain 9x9 grid, stored as one set of cells per digit.

use quadrille_model::bits::Bits;
use quadrille_model::{DigitSet, HOUSES_9X9, Packed9x9};

/// A set of cells, one bit per cell.
type Cells = u128;

/// For each cell, its peers and the cell itself.
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

/// Two sets of digits per cell: the digits that are not excluded yet, and the digits that the cell has in at
/// least one solution found so far.
pub(super) struct PlainSets {
    left: [Cells; 9],
    possible: [Cells; 9],
    /// Cells with one digit left whose digit was already removed from the peers of the cell.
    settled: Cells,
}

impl PlainSets {
    pub(super) fn new(problem: &Packed9x9) -> Self {
        PlainSets { left: std::array::from_fn(|digit| problem.cells_of(digit)), possible: [0; 9], settled: 0 }
    }

    /// Records that the digits of a solution are possible in their cells.
    pub(super) fn show(&mut self, digits: &[u8]) {
        for (cell, &digit) in digits.iter().enumerate() {
            self.possible[usize::from(digit)] |= 1 << cell;
        }
    }

    /// Returns the first cell with an open digit, or `None` if there is no such cell.
    ///
    /// A digit is open in a cell if it is not excluded there and no solution found so far has it there.
    /// Before the choice, removes the digits that naked and hidden singles exclude.
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

    /// Removes the digit of each cell with one digit left from the peers of the cell, until nothing changes.
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

    /// Removes each undecided digit from a cell if placing it there would leave no place for it in some
    /// house.
    ///
    /// A digit is undecided if it is not excluded and no solution found so far has it in this cell. Returns
    /// true if the cell has no undecided digit left.
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

    /// Removes all digits from a cell except those that the cell has in a solution found so far.
    pub(super) fn close(&mut self, cell: usize) {
        let others = !(1 << cell);
        self.left.iter_mut().zip(&self.possible).for_each(|(left, shown)| *left &= shown | others);
    }

    /// Returns a grid in which `cell` has only new digits. A digit is new if no solution found so far has it
    /// in `cell`.
    ///
    /// Every digit of the grid is replaced by the digit that comes `rotation` digits later, cyclically.
    pub(super) fn question(&self, cell: usize, rotation: u32) -> Packed9x9 {
        let mut digits = self.left;
        digits.iter_mut().zip(&self.possible).for_each(|(left, shown)| *left &= !(shown & 1 << cell));
        digits.rotate_right(rotation as usize);
        Packed9x9::from_digits(&digits)
    }

    /// Returns, for each cell, the digits that the cell has in at least one solution found so far.
    pub(super) fn possible_cells(&self) -> Vec<DigitSet> {
        let packed = Packed9x9::from_digits(&self.possible);
        packed.to_cells().map(|set| DigitSet(set.into())).to_vec()
    }
}
