//! A grid with its candidates, stored in several forms for the different techniques.

use super::houses::{ALL, BITS, CELLS, HOUSES, PEERS, ROWS};
use quadrille_model::bits::Bits;

/// Nine words, one per digit or place. Seven words of 0 follow, as padding for vectors.
pub(super) type Words = [u16; 16];

/// Appends words of 0, as padding for vectors.
pub(super) fn filled_up(nine: [u16; 9]) -> Words {
    let mut words = [0; 16];
    words[..9].copy_from_slice(&nine);
    words
}

/// A 9x9 grid with its candidates. Digits are 0-based.
#[derive(Clone)]
pub(super) struct Grid {
    /// For each cell, the digits that are its candidates. 0 for a filled cell.
    pub candidates: [u16; 81],
    /// The places of each digit in each house: `places[house][digit]`. A place is the position of a cell in
    /// the house, from 0 to 8.
    pub places: [Words; 27],
    /// For each digit, the cells that have it as a candidate, one bit per cell.
    pub boards: [u128; 9],
    /// For each cell, the digit placed in it, 1-based. 0 for an empty cell.
    pub values: [u8; 81],
    /// Number of empty cells in each house.
    pub empty: [u8; 27],
    /// Number of empty cells in the grid.
    pub left: u8,
    /// For each digit, the number of cells that it is placed in.
    pub placed: [u8; 9],
    /// Houses with exactly one empty cell, one bit per house.
    last: u32,
    /// For each house, the digits with exactly one place.
    hidden: [u16; 27],
    /// Houses in which some digit has exactly one place, one bit per house.
    with_hidden: u32,
    /// The cells with one candidate.
    naked: u128,
    /// Houses in which places of digits changed since the last call of [`take_changes`](Self::take_changes).
    changed_houses: u32,
    /// Digits whose places changed since the last call of [`take_changes`](Self::take_changes).
    changed_digits: u16,
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            candidates: [0; 81],
            places: [[0; 16]; 27],
            boards: [0; 9],
            values: [0; 81],
            empty: [0; 27],
            left: 0,
            placed: [0; 9],
            last: 0,
            hidden: [0; 27],
            with_hidden: 0,
            naked: 0,
            changed_houses: 0,
            changed_digits: 0,
        }
    }
}

impl Grid {
    /// Resets the grid to the given clues, which must not contradict each other. A clue of 0 means an empty
    /// cell.
    pub(super) fn begin(&mut self, clues: &[u8; 81]) {
        self.values = *clues;
        self.empty = [0; 27];
        self.placed = [0; 9];
        self.left = 0;
        let mut used = [0u16; 27];
        let mut boards = [(1u128 << 81) - 1; 9];
        let mut filled = 0u128;
        for (cell, &value) in clues.iter().enumerate() {
            if value == 0 {
                continue;
            }
            let digit = usize::from(value - 1);
            filled |= 1 << cell;
            boards[digit] &= !PEERS[cell];
            self.placed[digit] += 1;
            for (house, _) in HOUSES[cell] {
                used[usize::from(house)] |= 1 << digit;
            }
        }
        self.boards = boards.map(|board| board & !filled);
        self.naked = 0;
        for cell in 0..81 {
            self.candidates[cell] = 0;
            if clues[cell] != 0 {
                continue;
            }
            self.left += 1;
            let [b, c, r] = HOUSES[cell].map(|(house, _)| usize::from(house));
            for house in [b, c, r] {
                self.empty[house] += 1;
            }
            let set = ALL & !(used[b] | used[c] | used[r]);
            self.candidates[cell] = set;
            if set.is_power_of_two() {
                self.naked |= BITS[cell];
            }
        }
        for (places, house) in self.places.iter_mut().zip(&CELLS) {
            *places = turned(house.map(|cell| self.candidates[usize::from(cell)]));
        }
        self.last = 0;
        self.hidden = [0; 27];
        self.with_hidden = 0;
        for house in 0..27 {
            if self.empty[house] == 1 {
                self.last |= 1 << house;
            }
            for digit in 0..9 {
                if self.places[house][digit].is_power_of_two() {
                    self.hidden[house] |= 1 << digit;
                }
            }
            self.with_hidden |= u32::from(self.hidden[house] != 0) << house;
        }
        self.all_changed();
    }

    /// Marks all houses and digits as changed.
    pub(super) fn all_changed(&mut self) {
        self.changed_houses = (1 << 27) - 1;
        self.changed_digits = ALL;
    }

    /// Prepares for calls of [`set_places`](Self::set_places).
    ///
    /// The new grid must have neither a house with exactly one empty cell nor a hidden single. `naked` is the
    /// set of its naked singles. `changed` is the set of digits whose places will change.
    #[inline(always)]
    pub(super) fn begin_set(&mut self, naked: u128, changed: u16) {
        (self.last, self.hidden, self.with_hidden, self.naked) = (0, [0; 27], 0, naked);
        self.changed_digits |= changed;
    }

    /// Sets the places of each digit in a house.
    #[inline(always)]
    pub(super) fn set_places(&mut self, house: usize, places: &Words) {
        self.changed_houses |= u32::from(self.places[house] != *places) << house;
        self.places[house] = *places;
    }

    /// Returns the first house with exactly one empty cell, or `None` if there is no such house.
    pub(super) fn last_cell(&self) -> Option<usize> {
        (self.last != 0).then(|| self.last.trailing_zeros() as usize)
    }

    /// Returns the first house that has a hidden single, with the lowest digit of its hidden singles. Returns
    /// `None` if there is no such house.
    pub(super) fn hidden_single(&self) -> Option<(usize, usize)> {
        (self.with_hidden != 0).then(|| {
            let house = self.with_hidden.trailing_zeros() as usize;
            (house, self.hidden[house].trailing_zeros() as usize)
        })
    }

    /// Returns the first cell with one candidate and this candidate's digit, or `None` if there is no such
    /// cell.
    pub(super) fn naked_single(&self) -> Option<(usize, usize)> {
        let cell = (self.naked != 0).then(|| self.naked.trailing_zeros() as usize)?;
        let digit = (0..9).find(|&digit| self.places[ROWS + cell / 9][digit] >> (cell % 9) & 1 == 1)?;
        Some((cell, digit))
    }

    /// Returns the cell that is the only place for a digit in a house.
    pub(super) fn only_cell(&self, house: usize, digit: usize) -> usize {
        usize::from(CELLS[house][self.places[house][digit].trailing_zeros() as usize])
    }

    pub(super) fn has(&self, cell: usize, digit: usize) -> bool {
        self.candidates[cell] >> digit & 1 == 1
    }

    /// Returns the cells with exactly two candidates.
    pub(super) fn bivalue(&self) -> u128 {
        // Counts the candidates of all cells at once: the three sets are the cells with at least one, two and
        // three candidates.
        let (mut one, mut two, mut more) = (0u128, 0u128, 0u128);
        for board in self.boards {
            more |= two & board;
            two |= one & board;
            one |= board;
        }
        two & !more
    }

    /// Removes a digit from the candidates of a cell. The digit must be one of them.
    pub(super) fn remove(&mut self, cell: usize, digit: usize) {
        let set = self.candidates[cell] & !(1 << digit);
        self.candidates[cell] = set;
        self.boards[digit] &= !BITS[cell];
        self.note_naked(cell, set);
        self.changed_digits |= 1 << digit;
        for (house, place) in HOUSES[cell] {
            self.remove_place(usize::from(house), usize::from(place), digit);
        }
    }

    fn note_naked(&mut self, cell: usize, set: u16) {
        if set.is_power_of_two() {
            self.naked |= BITS[cell];
        } else if set == 0 {
            self.naked &= !BITS[cell];
        }
    }

    fn remove_place(&mut self, house: usize, place: usize, digit: usize) {
        let places = self.places[house][digit] & !(1 << place);
        self.places[house][digit] = places;
        self.changed_houses |= 1 << house;
        if places & places.wrapping_sub(1) == 0 {
            self.note_hidden(house, digit, places != 0);
        }
    }

    fn note_hidden(&mut self, house: usize, digit: usize, is_hidden: bool) {
        let hidden = self.hidden[house] & !(1 << digit) | u16::from(is_hidden) << digit;
        self.hidden[house] = hidden;
        self.with_hidden = self.with_hidden & !(1 << house) | u32::from(hidden != 0) << house;
    }

    /// Removes those of the `digits` that are candidates of the cell.
    pub(super) fn remove_all(&mut self, cell: usize, digits: u16) {
        let mut rest = self.candidates[cell] & digits;
        while rest != 0 {
            self.remove(cell, rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }

    /// Places a digit in an empty cell and removes it from all peers of the cell.
    pub(super) fn place(&mut self, cell: usize, digit: usize) {
        self.values[cell] = digit as u8 + 1;
        self.left -= 1;
        self.placed[digit] += 1;
        for (house, _) in HOUSES[cell] {
            let house = usize::from(house);
            self.empty[house] -= 1;
            match self.empty[house] {
                1 => self.last |= 1 << house,
                0 => self.last &= !(1 << house),
                _ => {}
            }
            self.changed_houses |= 1 << house;
        }
        let own = HOUSES[cell];
        let others = self.candidates[cell] & !(1 << digit);
        self.candidates[cell] = 0;
        self.naked &= !BITS[cell];
        self.changed_digits |= others | 1 << digit;
        for other in Bits(others) {
            self.boards[other] &= !BITS[cell];
            for (house, place) in own {
                self.remove_place(usize::from(house), usize::from(place), other);
            }
        }
        // The digit is placed in these houses, so it has no places left there.
        for (house, _) in own {
            let house = usize::from(house);
            self.places[house][digit] = 0;
            self.note_hidden(house, digit, false);
        }
        let board = self.boards[digit];
        self.boards[digit] = board & !(PEERS[cell] | BITS[cell]);
        for peer in Bits(board & PEERS[cell]) {
            let set = self.candidates[peer] & !(1 << digit);
            self.candidates[peer] = set;
            self.note_naked(peer, set);
            for ((house, place), (own_house, _)) in HOUSES[peer].into_iter().zip(own) {
                if house == own_house {
                    self.changed_houses |= 1 << house;
                } else {
                    self.remove_place(usize::from(house), usize::from(place), digit);
                }
            }
        }
    }

    /// Returns the changed houses and the changed digits, and clears both sets.
    pub(super) fn take_changes(&mut self) -> (u32, u16) {
        (std::mem::take(&mut self.changed_houses), std::mem::take(&mut self.changed_digits))
    }
}

/// Transposes a 9x9 bit matrix: the digits of each cell become the cells of each digit.
fn turned(sets: [u16; 9]) -> Words {
    /// Mask of the bits 0, 9, ..., 54. Multiplication by `GATHER` moves these bits to bits 56 to 62 without
    /// collisions.
    const EVERY_NINTH: u64 = 0x0040_2010_0804_0201;
    const GATHER: u64 = 0x0101_0101_0101_0100;
    let mut seven = 0;
    for (number, &set) in sets[..7].iter().enumerate() {
        seven |= u64::from(set) << (9 * number);
    }
    filled_up(std::array::from_fn(|digit| {
        let first = (seven >> digit & EVERY_NINTH).wrapping_mul(GATHER) >> 56;
        let last = (sets[7] >> digit & 1) << 7 | (sets[8] >> digit & 1) << 8;
        first as u16 & 0x7f | last
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::houses::BOARDS;

    /// Asserts that everything that the grid stores agrees with its candidates.
    fn assert_is_consistent(grid: &Grid) {
        for house in 0..27 {
            for digit in 0..9 {
                let places = (0..9)
                    .filter(|&place| grid.has(usize::from(CELLS[house][place]), digit))
                    .fold(0u16, |set, place| set | 1 << place);
                assert_eq!(grid.places[house][digit], places);
                assert_eq!(grid.hidden[house] >> digit & 1 == 1, places.count_ones() == 1);
                let board =
                    (0..81).filter(|&cell| grid.has(cell, digit)).fold(0u128, |all, cell| all | BITS[cell]);
                assert_eq!(grid.boards[digit], board);
            }
            assert_eq!(grid.with_hidden >> house & 1 == 1, grid.hidden[house] != 0);
            let empty = Bits(BOARDS[house]).filter(|&cell| grid.values[cell] == 0).count();
            assert_eq!(usize::from(grid.empty[house]), empty);
            assert_eq!(grid.last >> house & 1 == 1, empty == 1);
        }
        let naked = (0..81).filter(|&cell| grid.candidates[cell].count_ones() == 1);
        assert_eq!(grid.naked, naked.fold(0, |all, cell| all | BITS[cell]));
        let bivalue = (0..81).filter(|&cell| grid.candidates[cell].count_ones() == 2);
        assert_eq!(grid.bivalue(), bivalue.fold(0, |all, cell| all | BITS[cell]));
    }

    #[test]
    fn derived_tables_follow_every_step() {
        let solution: Vec<u8> =
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
                .bytes()
                .map(|byte| byte - b'0')
                .collect();
        let mut clues = [0; 81];
        for cell in [0, 1, 4, 12, 13, 14, 19, 20, 27, 31, 36, 41, 44, 50, 60, 66, 69, 75, 79, 80] {
            clues[cell] = solution[cell];
        }
        let mut grid = Grid::default();
        grid.begin(&clues);
        assert_is_consistent(&grid);
        // Removes the wrong candidates of every third cell, one cell at a time, and then places all digits.
        for cell in (0..81).step_by(3) {
            let wrong = grid.candidates[cell] & !(1 << (solution[cell] - 1));
            grid.remove_all(cell, wrong);
            assert_is_consistent(&grid);
        }
        for (cell, &value) in solution.iter().enumerate() {
            if grid.values[cell] == 0 {
                grid.place(cell, usize::from(value - 1));
                assert_is_consistent(&grid);
            }
        }
        assert_eq!((grid.left, grid.values.as_slice()), (0, solution.as_slice()));
    }
}
