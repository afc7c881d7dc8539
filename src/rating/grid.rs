//! A grid with its candidates, kept in the ways in which the techniques look at it.

use super::houses::{ALL, BITS, CELLS, HOUSES, PEERS, bits, cells};

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
    /// The digits with one place in each house, and the houses that have one.
    hidden: [u16; 27],
    with_hidden: u32,
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
            hidden: [0; 27],
            with_hidden: 0,
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
                self.naked |= BITS[cell];
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
        self.changed_houses = (1 << 27) - 1;
        self.changed_digits = ALL;
    }

    /// The first house with one empty cell.
    pub(super) fn last_cell(&self) -> Option<usize> {
        (self.last != 0).then(|| self.last.trailing_zeros() as usize)
    }

    /// The first house with a digit that has one place, and its first such digit.
    pub(super) fn hidden_single(&self) -> Option<(usize, usize)> {
        (self.with_hidden != 0).then(|| {
            let house = self.with_hidden.trailing_zeros() as usize;
            (house, self.hidden[house].trailing_zeros() as usize)
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
        let own = HOUSES[cell];
        let others = self.candidates[cell] & !(1 << digit);
        self.candidates[cell] = 0;
        self.naked &= !BITS[cell];
        self.changed_digits |= others | 1 << digit;
        for other in bits(others) {
            self.boards[other] &= !BITS[cell];
            for (house, place) in own {
                self.remove_place(usize::from(house), usize::from(place), other);
            }
        }
        // The digit has no place left in these houses, whatever cells it goes from.
        for (house, _) in own {
            let house = usize::from(house);
            self.places[house][digit] = 0;
            self.note_hidden(house, digit, false);
        }
        let board = self.boards[digit];
        self.boards[digit] = board & !(PEERS[cell] | BITS[cell]);
        for peer in cells(board & PEERS[cell]) {
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

    /// Returns and forgets the houses and digits that changed.
    pub(super) fn take_changes(&mut self) -> (u32, u16) {
        (std::mem::take(&mut self.changed_houses), std::mem::take(&mut self.changed_digits))
    }
}
