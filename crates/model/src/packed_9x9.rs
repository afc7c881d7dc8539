//! A plain 9x9 in twelve words: the output of parsing a line and the input of the lane engine.
//!
//! ```text
//! word d, 0..9     bit c       digit d is a candidate of cell c, cells 0..64
//! word 9 + d / 3   bit 17 * (d % 3) + (c - 64)               cells 64..81
//! ```
//! Bits 51..64 of the words 9, 10 and 11 are always clear. Nine rows of 81 bits would waste a quarter of the load and
//! store bandwidth of the lane engine, which moves states word by word.

/// Number of cells whose candidates are in the first nine words of the packed form.
const HEAD_CELLS: usize = 64;
/// Number of cells whose candidates are in the last three words of the packed form.
const TAIL_CELLS: usize = 81 - HEAD_CELLS;
const TAIL_MASK: u64 = (1 << TAIL_CELLS) - 1;
const ALL_CELLS: u128 = (1 << 81) - 1;

/// Cells of each row, column and box of the 9x9 grid, one bit per cell.
pub const HOUSES_9X9: [u128; 27] = {
    let mut houses = [0; 27];
    let mut cell = 0;
    while cell < 81 {
        houses[cell / 9] |= 1 << cell;
        houses[9 + cell % 9] |= 1 << cell;
        houses[18 + cell / 27 * 3 + cell % 9 / 3] |= 1 << cell;
        cell += 1;
    }
    houses
};

/// Returns, for each digit, the set of cells that have this candidate, one bit per cell.
///
/// There can be at most 64 cells.
#[inline]
fn cells_of_digits(cells: &[u16]) -> [u64; 9] {
    let mut digits = [0; 9];
    for (part, cells) in cells.chunks(8).enumerate() {
        // Each pass handles eight cells. Byte `i` of `low` shows which of the first eight digits cell `i`
        // has. Bit `i` of `ninth` shows whether cell `i` has the ninth digit.
        let (mut low, mut ninth) = (0, 0);
        for (cell, &set) in cells.iter().enumerate() {
            low |= u64::from(set & 0xff) << (8 * cell);
            ninth |= u64::from(set >> 8 & 1) << cell;
        }
        for (digit, mask) in digits[..8].iter_mut().enumerate() {
            // The multiplication collects one bit of each byte in the highest byte. The factor's term 2^(7 *
            // (8 - i)) moves bit 8 * i to bit 56 + i. No two bits move to the same position.
            let bits = low >> digit & 0x0101_0101_0101_0101;
            *mask |= bits.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * part);
        }
        digits[8] |= ninth << (8 * part);
    }
    digits
}

/// The candidates of a 9x9 grid with 3x3 boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Packed9x9(pub [u64; 12]);

/// Returns where a candidate is stored: the index of its word, and the index of its bit in this word.
#[inline]
fn place(cell: usize, digit: usize) -> (usize, usize) {
    match cell.checked_sub(HEAD_CELLS) {
        None => (digit, cell),
        Some(tail) => (9 + digit / 3, TAIL_CELLS * (digit % 3) + tail),
    }
}

impl Packed9x9 {
    /// Every digit in every cell.
    pub const FULL: Packed9x9 = {
        let mut words = [u64::MAX; 12];
        words[9] = (1 << (3 * TAIL_CELLS)) - 1;
        words[10] = words[9];
        words[11] = words[9];
        Packed9x9(words)
    };

    /// Creates the grid in which cell `c` has the candidates `cells[c]`, in the low nine bits.
    ///
    /// The code has no branches that depend on the cells, because the CPU could not predict which cells are
    /// clues.
    pub fn from_cells(cells: &[u16; 81]) -> Self {
        let (head, tail) = cells.split_at(HEAD_CELLS);
        let (head, tail) = (cells_of_digits(head), cells_of_digits(tail));
        let mut words = [0; 12];
        words[..9].copy_from_slice(&head);
        for (digit, mask) in tail.into_iter().enumerate() {
            words[9 + digit / 3] |= mask << (TAIL_CELLS * (digit % 3));
        }
        Packed9x9(words)
    }

    /// Creates the grid in which cell `c` has the candidate `d` if bit `c` of `digits[d]` is set.
    ///
    /// Ignores all bits above bit 80.
    #[inline(always)]
    pub fn from_digits(digits: &[u128; 9]) -> Self {
        let mut words = [0; 12];
        // Uses no iterator, because this code is part of kernels that are compiled for a specific instruction
        // set.
        for digit in 0..9 {
            words[digit] = digits[digit] as u64;
            let tail = (digits[digit] >> HEAD_CELLS) as u64 & TAIL_MASK;
            words[9 + digit / 3] |= tail << (TAIL_CELLS * (digit % 3));
        }
        Packed9x9(words)
    }

    /// Returns the cells that have a digit as a candidate, one bit per cell.
    #[inline]
    pub fn cells_of(&self, digit: usize) -> u128 {
        let tail = self.0[9 + digit / 3] >> (TAIL_CELLS * (digit % 3)) & TAIL_MASK;
        u128::from(self.0[digit]) | u128::from(tail) << HEAD_CELLS
    }

    /// Returns true if a cell has a digit as a candidate.
    #[inline]
    pub fn allows(&self, cell: usize, digit: usize) -> bool {
        let (word, bit) = place(cell, digit);
        self.0[word] >> bit & 1 != 0
    }

    /// Returns the grid with the candidates of one cell replaced by the low nine bits of `set`.
    pub fn with_cell(mut self, cell: usize, set: u16) -> Self {
        for digit in 0..9 {
            let (word, bit) = place(cell, digit);
            self.0[word] = self.0[word] & !(1 << bit) | u64::from(set >> digit & 1) << bit;
        }
        self
    }

    /// Removes a candidate from a cell.
    #[inline]
    pub fn exclude(&mut self, cell: usize, digit: usize) {
        let (word, bit) = place(cell, digit);
        self.0[word] &= !(1 << bit);
    }

    /// Returns the candidates of every cell, in the low nine bits.
    pub fn to_cells(&self) -> [u16; 81] {
        // Most cells of a puzzle have all candidates, so it is faster to remove the missing ones.
        let mut cells = [0x1ff; 81];
        for digit in 0..9 {
            let mut missing = !self.cells_of(digit) & ALL_CELLS;
            while missing != 0 {
                cells[missing.trailing_zeros() as usize] &= !(1 << digit);
                missing &= missing - 1;
            }
        }
        cells
    }

    /// Returns two sets of cells, one bit per cell: the cells with exactly one candidate, and the cells
    /// without candidates.
    pub fn single_and_empty(&self) -> (u128, u128) {
        let (mut once, mut twice) = (0, 0);
        for word in &self.0[..9] {
            twice |= once & word;
            once |= word;
        }
        // Each of the last three words holds three digits. So the code first combines the three words with
        // each other, and then combines the three parts of the resulting word.
        let [a, b, c] = [self.0[9], self.0[10], self.0[11]];
        let (any, both) = (a | b | c, a & b | (a | b) & c);
        let part = |word: u64, number: usize| word >> (number * TAIL_CELLS);
        let (a, b, c) = (any, part(any, 1), part(any, 2));
        let tail_once = (a | b | c) & TAIL_MASK;
        let tail_twice = both | part(both, 1) | part(both, 2) | a & b | (a | b) & c;
        let join = |head: u64, tail: u64| u128::from(head) | u128::from(tail) << HEAD_CELLS;
        (join(once & !twice, tail_once & !tail_twice), join(!once, !tail_once & TAIL_MASK))
    }

    /// Returns the open cells with the fewest candidates, one bit per cell.
    ///
    /// Returns the cells with two candidates if there are any, or else the cells with three candidates. If
    /// there are neither, returns all open cells.
    pub fn with_fewest_candidates(&self) -> u128 {
        // The number of candidates of each cell, in binary. Bit `c` of each variable belongs to cell `c`. If
        // the bit in `fours` is set, the cell has at least four candidates.
        let (mut ones, mut twos, mut fours) = (0u128, 0u128, 0u128);
        for digit in 0..9 {
            let cells = self.cells_of(digit);
            let carry = ones & cells;
            ones ^= cells;
            fours |= twos & carry;
            twos ^= carry;
        }
        let two = twos & !ones & !fours;
        let three = twos & ones & !fours;
        if two != 0 {
            two
        } else if three != 0 {
            three
        } else {
            fours
        }
    }

    /// Returns the number of cells with exactly one candidate.
    pub fn clues(&self) -> u32 {
        self.single_and_empty().0.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> [u16; 81] {
        let mut state = 88172645463325252u64;
        std::array::from_fn(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as u16 & 0x1ff
        })
    }

    #[test]
    fn cells_survive_packing() {
        let cells = sample();
        let packed = Packed9x9::from_cells(&cells);
        assert_eq!(packed.to_cells(), cells);
        for (cell, set) in cells.iter().enumerate() {
            for digit in 0..9 {
                assert_eq!(packed.allows(cell, digit), set >> digit & 1 != 0);
            }
        }
        assert!(packed.0[9..].iter().all(|word| word >> 51 == 0));
        let one_by_one = (0..81).fold(Packed9x9::FULL, |grid, cell| grid.with_cell(cell, cells[cell]));
        assert_eq!(one_by_one, packed);
    }

    #[test]
    fn the_full_grid_has_every_candidate_and_no_clue() {
        assert_eq!(Packed9x9::from_cells(&[0x1ff; 81]), Packed9x9::FULL);
        assert_eq!(Packed9x9::FULL.clues(), 0);
        assert_eq!(Packed9x9::from_cells(&[0; 81]).single_and_empty(), (0, (1 << 81) - 1));
    }

    #[test]
    fn the_fewest_candidates_are_two_or_three_or_more() {
        let mut cells = [0x1ff; 81];
        let fewest = |cells: &[u16; 81]| Packed9x9::from_cells(cells).with_fewest_candidates();
        assert_eq!(fewest(&cells), (1 << 81) - 1);
        cells[80] = 0x111;
        cells[3] = 0x0f0;
        cells[4] = 0x100;
        assert_eq!(fewest(&cells), 1 << 80);
        cells[64] = 0x101;
        cells[5] = 0x003;
        cells[6] = 0;
        assert_eq!(fewest(&cells), 1 << 64 | 1 << 5);
        assert_eq!(fewest(&[0x80; 81]), 0);
    }

    #[test]
    fn cells_with_one_or_no_candidate_are_found() {
        let mut cells = sample();
        for (cell, set) in cells.iter_mut().enumerate() {
            *set &= [0, 0x1ff, *set, 1 << (cell % 9), 0x111 << (cell % 2)][cell % 5];
        }
        let (single, empty) = Packed9x9::from_cells(&cells).single_and_empty();
        for (cell, set) in cells.iter().enumerate() {
            assert_eq!(single >> cell & 1 != 0, set.count_ones() == 1, "{cell}");
            assert_eq!(empty >> cell & 1 != 0, *set == 0, "{cell}");
        }
        assert_eq!((single >> 81, empty >> 81), (0, 0));
    }
}
