//! A grid with its candidates, kept in the ways in which the techniques look at it.

use super::houses::{ALL, CELLS, HOUSES, PEERS, cells};

/// A 9x9 with candidates. Digits are 0 to 8 here.
#[derive(Clone)]
pub(super) struct Grid {
    /// The digits that an empty cell can hold; 0 for a filled one.
    pub candidates: [u16; 81],
    /// The places of a house that a digit can take: `places[house][digit]`.
    pub places: [[u16; 9]; 27],
    /// The cells that a digit can take.
    pub boards: [u128; 9],
    /// Digits placed in each cell, counted from 1; 0 for an empty cell.
    pub values: [u8; 81],
    /// The empty cells of each house.
    pub empty: [u8; 27],
    /// The empty cells of the grid.
    pub left: u8,
    /// How many times each digit is placed.
    pub placed: [u8; 9],
    /// The houses with one empty cell.
    last: u32,
    /// The digits with one place by kind of house: bit `9 * number + digit`.
    hidden: [u128; 3],
    /// The cells with one candidate.
    naked: u128,
    /// The houses and digits with a change since they were last [taken](Self::take_changes).
    changed_houses: u32,
    changed_digits: u16,
}

impl Grid {
    pub(super) fn new() -> Self {
        Grid {
            candidates: [0; 81],
            places: [[0; 9]; 27],
            boards: [0; 9],
            values: [0; 81],
            empty: [0; 27],
            left: 0,
            placed: [0; 9],
            last: 0,
            hidden: [0; 3],
            naked: 0,
            changed_houses: 0,
            changed_digits: 0,
        }
    }

    /// Begins anew with these clues, 0 for an empty cell. The clues do not clash.
    pub(super) fn begin(&mut self, clues: &[u8; 81]) {
        self.values = *clues;
        self.empty = [0; 27];
        self.placed = [0; 9];
        self.places = [[0; 9]; 27];
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
            let [b, c, r] = HOUSES[cell].map(|(house, place)| (usize::from(house), place));
            for (house, _) in [b, c, r] {
                self.empty[house] += 1;
            }
            let set = ALL & !(used[b.0] | used[c.0] | used[r.0]);
            self.candidates[cell] = set;
            if set.is_power_of_two() {
                self.naked |= 1 << cell;
            }
            let mut rest = set;
            while rest != 0 {
                let digit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.places[b.0][digit] |= 1 << b.1;
                self.places[c.0][digit] |= 1 << c.1;
                self.places[r.0][digit] |= 1 << r.1;
            }
        }
        self.last = 0;
        self.hidden = [0; 3];
        for house in 0..27 {
            if self.empty[house] == 1 {
                self.last |= 1 << house;
            }
            for digit in 0..9 {
                if self.places[house][digit].is_power_of_two() {
                    self.hidden[house / 9] |= 1 << (house % 9 * 9 + digit);
                }
            }
        }
        self.changed_houses = (1 << 27) - 1;
        self.changed_digits = ALL;
    }

    /// The first house with one empty cell.
    pub(super) fn last_cell(&self) -> Option<usize> {
        (self.last != 0).then(|| self.last.trailing_zeros() as usize)
    }

    /// The first house of a kind with a digit that has one place, and that digit.
    pub(super) fn hidden_single(&self, kind: usize) -> Option<(usize, usize)> {
        let set = self.hidden[kind];
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            (9 * kind + bit / 9, bit % 9)
        })
    }

    /// The first cell with one candidate.
    pub(super) fn naked_single(&self) -> Option<usize> {
        (self.naked != 0).then(|| self.naked.trailing_zeros() as usize)
    }

    /// The cell at the only place of a digit in a house.
    pub(super) fn only_cell(&self, house: usize, digit: usize) -> usize {
        usize::from(CELLS[house][self.places[house][digit].trailing_zeros() as usize])
    }

    pub(super) fn has(&self, cell: usize, digit: usize) -> bool {
        self.candidates[cell] >> digit & 1 == 1
    }

    /// The cells with exactly two candidates.
    pub(super) fn bivalue(&self) -> u128 {
        // Digits are added up bit by bit: one, two, more.
        let (mut one, mut two, mut more) = (0u128, 0u128, 0u128);
        for board in self.boards {
            more |= two & board;
            two |= one & board;
            one |= board;
        }
        two & !more
    }

    /// Takes a digit from a cell that can hold it.
    pub(super) fn remove(&mut self, cell: usize, digit: usize) {
        let set = self.candidates[cell] & !(1 << digit);
        self.candidates[cell] = set;
        self.boards[digit] &= !(1 << cell);
        self.changed_digits |= 1 << digit;
        if set.is_power_of_two() {
            self.naked |= 1 << cell;
        } else if set == 0 {
            self.naked &= !(1 << cell);
        }
        for (kind, (house, place)) in HOUSES[cell].into_iter().enumerate() {
            let house = usize::from(house);
            let places = self.places[house][digit] & !(1 << place);
            self.places[house][digit] = places;
            self.changed_houses |= 1 << house;
            let bit = 1u128 << (house % 9 * 9 + digit);
            if places.is_power_of_two() {
                self.hidden[kind] |= bit;
            } else if places == 0 {
                self.hidden[kind] &= !bit;
            }
        }
    }

    /// Takes some digits from a cell, those of them that it can hold.
    pub(super) fn remove_all(&mut self, cell: usize, digits: u16) {
        let mut rest = self.candidates[cell] & digits;
        while rest != 0 {
            self.remove(cell, rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }

    /// Puts a digit into an empty cell and takes it from all that see the cell.
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
        self.remove_all(cell, ALL);
        for peer in cells(self.boards[digit] & PEERS[cell]) {
            self.remove(peer, digit);
        }
    }

    /// Returns and forgets the houses and digits that changed.
    pub(super) fn take_changes(&mut self) -> (u32, u16) {
        (std::mem::take(&mut self.changed_houses), std::mem::take(&mut self.changed_digits))
    }
}
