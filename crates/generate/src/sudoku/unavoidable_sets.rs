//! Unavoidable sets of a grid (see [`unavoidable_sets`]). They prove without a search that a clue is needed.
//!
//! If an unavoidable set has only one clue, this clue is needed. If a set has no clue, the puzzle has other
//! solutions. Some sets are found by inspecting the grid. Others come from second solutions that an engine
//! finds: the cells in which a second solution differs from the grid are an unavoidable set.

use super::cells::CellSet;
use super::solved_grid::SolvedGrid;
use quadrille_model::bits::{bits_of, first_bits, transpose};
use quadrille_model::{Geometry, HouseKind, unavoidable_sets};

/// Unavoidable sets of one grid. For each of them, the number of its cells that are clues is stored.
#[derive(Debug)]
pub(super) struct UnavoidableSets {
    /// Number of words in a bit set that has one bit per unavoidable set.
    words: usize,
    /// For each cell, a bit set of the unavoidable sets that contain it, in `words` words.
    of_cell: Vec<u64>,
    /// Index at which the next unavoidable set is stored. Each word has 64 indices.
    next: usize,
    /// Index of the first word whose unavoidable sets may be replaced.
    replaceable: usize,
    /// Maximum number of words.
    most_words: usize,
    /// Bit set of the indices at which an unavoidable set is stored.
    known: Vec<u64>,
    /// Number of bits of each counter in `clues`.
    digits: usize,
    /// Number of clues of each unavoidable set, in bit slices.
    ///
    /// Each group of 64 sets has `digits` words. Each word holds one binary digit of all 64 numbers, from the
    /// lowest digit to the highest. So a few operations on words count a clue in all sets that contain it.
    clues: Vec<u64>,
    /// Bit set of the unavoidable sets that have exactly one clue.
    last_clue: Vec<u64>,
    /// The sets without a clue.
    missed: Vec<u64>,
}

/// Initial number of words in a bit set of unavoidable sets. Most 9x9 grids need fewer.
const WORDS: usize = 3;
/// Number of bits of a counter that can count all cells of a 9x9 grid.
const DIGITS_9X9: usize = 7;

impl UnavoidableSets {
    /// Finds the unavoidable sets that are visible in the grid itself, and counts `clues` in them.
    pub(super) fn new(board: &SolvedGrid, clues: &CellSet) -> Self {
        let mut witnesses = UnavoidableSets::empty(board.solution.len());
        if let Some(solution) = board.plain_9x9() {
            let mut sets = Vec::with_capacity(64 * WORDS);
            unavoidable_sets(solution, |set| sets.push(set));
            witnesses.learn_first(&sets, clues.low_bits());
        } else if board.rules.is_none() {
            // Two digits can be swapped only if there are no rules, because rules may forbid the swap.
            witnesses.learn_pairs(&board.geometry, &board.solution, clues);
        }
        witnesses
    }

    /// Creates an empty collection of unavoidable sets for a grid of `cells` cells.
    fn empty(cells: usize) -> Self {
        let digits = (usize::BITS - cells.leading_zeros()) as usize;
        UnavoidableSets {
            words: WORDS,
            of_cell: vec![0; WORDS * cells],
            next: 0,
            replaceable: 0,
            most_words: usize::MAX,
            known: vec![0; WORDS],
            digits,
            clues: vec![0; WORDS * digits],
            last_clue: vec![0; WORDS],
            missed: vec![0; WORDS],
        }
    }

    /// Limits each bit set of unavoidable sets to `words` words.
    ///
    /// If the stored sets already fill `words` words, the limit is one word more than they fill. The sets
    /// stored so far stay. When the space is full, each new set replaces the oldest set that was added after
    /// this call.
    pub(super) fn keep_at_most(&mut self, words: usize) {
        self.replaceable = self.next.div_ceil(64);
        self.most_words = words.max(self.replaceable + 1);
    }

    /// Returns the index of an unavoidable set that has no clue, or `None` if every set has a clue.
    pub(super) fn first_missed(&self) -> Option<usize> {
        let word = self.missed.iter().position(|&sets| sets != 0)?;
        Some(64 * word + self.missed[word].trailing_zeros() as usize)
    }

    /// Returns true if the unavoidable set `set` contains the cell.
    pub(super) fn has(&self, set: usize, cell: usize) -> bool {
        self.sets_of(cell)[set / 64] >> (set % 64) & 1 != 0
    }

    /// Counts the clues in all unavoidable sets again, for the given set of clues.
    pub(super) fn count(&mut self, clues: &CellSet) {
        self.clues.fill(0);
        self.last_clue.fill(0);
        self.missed.copy_from_slice(&self.known);
        clues.iter().for_each(|clue| self.put(clue));
    }

    /// Adds the first unavoidable sets of a 9x9 grid, 64 at a time.
    ///
    /// `sets` has one bit per cell for each unavoidable set. The function transposes these bits, so that
    /// there is one bit per set for each cell.
    fn learn_first(&mut self, sets: &[u128], clues: u128) {
        while 64 * self.words < sets.len() {
            self.widen();
        }
        self.next = sets.len();
        first_bits(&mut self.known, sets.len() as u32);
        for (word, sets) in sets.chunks(64).enumerate() {
            let (mut head, mut tail) = ([0; 64], [0; 64]);
            let mut numbers = [0u64; DIGITS_9X9];
            for (bit, &set) in sets.iter().enumerate() {
                (head[bit], tail[bit]) = (set as u64, (set >> 64) as u64);
                let number = u64::from((set & clues).count_ones());
                let digits = numbers.iter_mut().enumerate();
                digits.for_each(|(place, digits)| *digits |= (number >> place & 1) << bit);
            }
            self.clues[word * DIGITS_9X9..][..DIGITS_9X9].copy_from_slice(&numbers);
            let higher = numbers[1..].iter().fold(0, |all, digits| all | digits);
            self.last_clue[word] = numbers[0] & !higher;
            self.missed[word] = !(numbers[0] | higher) & u64::MAX >> (64 - sets.len());
            transpose(&mut head);
            transpose(&mut tail);
            let of_cell = self.of_cell.chunks_exact_mut(self.words).zip(head.iter().chain(&tail));
            of_cell.for_each(|(of_cell, &sets)| of_cell[word] = sets);
        }
    }

    /// Adds an unavoidable set: the cells in which another solution differs from the grid.
    pub(super) fn learn_from(&mut self, other: &[u8], board: &SolvedGrid, clues: &CellSet) {
        if let (Some(solution), Some(other)) = (board.plain_9x9(), other.first_chunk()) {
            let set = differing(solution, other);
            self.learn(cells_of(set), (set & clues.low_bits()).count_ones());
            return;
        }
        let differs = |&cell: &usize| other[cell] != board.solution[cell];
        self.learn_counting((0..board.solution.len()).filter(differs), clues);
    }

    /// Adds an unavoidable set, and counts its clues.
    fn learn_counting(&mut self, cells: impl Iterator<Item = usize> + Clone, clues: &CellSet) {
        let number = cells.clone().filter(|&cell| clues.has(cell)).count();
        self.learn(cells, number as u32);
    }

    /// Adds an unavoidable set that has `clues` clues.
    #[inline]
    fn learn(&mut self, cells: impl Iterator<Item = usize>, clues: u32) {
        if self.next == 64 * self.words {
            self.make_room();
        }
        let (word, bit) = (self.next / 64, self.next % 64);
        if bit == 0 && self.known[word] != 0 {
            self.forget(word);
        }
        self.next += 1;
        self.known[word] |= 1 << bit;
        cells.for_each(|cell| self.of_cell[cell * self.words + word] |= 1 << bit);
        for (place, digits) in self.clues[word * self.digits..][..self.digits].iter_mut().enumerate() {
            *digits |= u64::from(clues >> place & 1) << bit;
        }
        self.missed[word] |= u64::from(clues == 0) << bit;
        self.last_clue[word] |= u64::from(clues == 1) << bit;
    }

    /// Makes room for another unavoidable set by adding words, or by starting to replace the oldest sets.
    #[cold]
    fn make_room(&mut self) {
        if self.words < self.most_words {
            self.widen();
        } else {
            self.next = 64 * self.replaceable;
        }
    }

    /// Removes the unavoidable sets whose bits are in the given word.
    #[cold]
    fn forget(&mut self, word: usize) {
        self.of_cell[word..].iter_mut().step_by(self.words).for_each(|sets| *sets = 0);
        self.clues[word * self.digits..][..self.digits].fill(0);
        self.last_clue[word] = 0;
        self.missed[word] = 0;
        self.known[word] = 0;
    }

    /// Doubles the space for sets, up to the maximum.
    #[cold]
    fn widen(&mut self) {
        let words = (2 * self.words).min(self.most_words);
        let mut of_cell = vec![0; self.of_cell.len() / self.words * words];
        for (new, old) in of_cell.chunks_mut(words).zip(self.of_cell.chunks(self.words)) {
            new[..self.words].copy_from_slice(old);
        }
        self.of_cell = of_cell;
        self.clues.resize(words * self.digits, 0);
        self.last_clue.resize(words, 0);
        self.missed.resize(words, 0);
        self.known.resize(words, 0);
        self.words = words;
    }

    fn sets_of(&self, cell: usize) -> &[u64] {
        &self.of_cell[cell * self.words..][..self.words]
    }

    /// Returns true if this clue is the only clue of some unavoidable set.
    #[inline]
    pub(super) fn need(&self, clue: usize) -> bool {
        self.sets_of(clue).iter().zip(&self.last_clue).any(|(sets, last)| sets & last != 0)
    }

    /// Decrements the clue counts of all unavoidable sets that contain a removed clue.
    pub(super) fn take(&mut self, clue: usize) {
        self.change(clue, u64::MAX);
    }

    /// Increments the clue counts of all unavoidable sets that contain an added clue.
    pub(super) fn put(&mut self, clue: usize) {
        self.change(clue, 0);
    }

    /// Changes the counts of all unavoidable sets that contain a clue.
    ///
    /// Decrements them if `down` is all ones, and increments them if `down` is 0.
    fn change(&mut self, clue: usize, down: u64) {
        let sets_of = &self.of_cell[clue * self.words..][..self.words];
        let numbers = self.clues.chunks_exact_mut(self.digits);
        let found = self.last_clue.iter_mut().zip(&mut self.missed);
        for ((&sets, number), (last_clue, missed)) in sets_of.iter().zip(numbers).zip(found) {
            let Some((lowest, others)) = number.split_first_mut() else { continue };
            let mut carried = sets & (*lowest ^ down);
            *lowest ^= sets;
            let mut higher = 0;
            for digit in others {
                let next = carried & (*digit ^ down);
                *digit ^= carried;
                carried = next;
                higher |= *digit;
            }
            *last_clue = *lowest & !higher;
            *missed = *missed & !sets | sets & !(*lowest | higher);
        }
    }

    /// Adds the unavoidable sets in which two digits can be swapped.
    fn learn_pairs(&mut self, geometry: &Geometry, solution: &[u8], clues: &CellSet) {
        let side = geometry.side();
        let houses = geometry.houses();
        // For each house and each digit, the cell that has this digit.
        let mut cell_of = vec![0u16; houses.len() * side];
        for (number, house) in houses.iter().enumerate() {
            for &cell in &house.cells {
                cell_of[number * side + usize::from(solution[usize::from(cell)])] = cell;
            }
        }
        let rows = houses.iter().position(|house| house.kind != HouseKind::Row).unwrap_or(houses.len());
        let mut found = Vec::with_capacity(2 * side);
        // For each cell, the last pair of digits for which the search reached it. Pairs are numbered from 1.
        let mut reached = vec![0u16; geometry.cells()];
        let mut pair = 0;
        for a in 0..side {
            for b in a + 1..side {
                pair += 1;
                // If a cell with one of the digits shares a house with a cell with the other digit, both must
                // be swapped. So these cells form connected components. Each component has a cell with the
                // digit `a`.
                for row in 0..rows {
                    let first = cell_of[row * side + a];
                    if reached[usize::from(first)] == pair {
                        continue;
                    }
                    found.clear();
                    found.push(first);
                    reached[usize::from(first)] = pair;
                    let mut next = 0;
                    while let Some(&cell) = found.get(next) {
                        let cell = usize::from(cell);
                        next += 1;
                        let other = if usize::from(solution[cell]) == a { b } else { a };
                        for &house in geometry.houses_of(cell) {
                            let partner = cell_of[usize::from(house) * side + other];
                            if std::mem::replace(&mut reached[usize::from(partner)], pair) != pair {
                                found.push(partner);
                            }
                        }
                    }
                    self.learn_counting(found.iter().map(|&cell| usize::from(cell)), clues);
                }
            }
        }
    }
}

/// Returns the cells of a set in ascending order.
fn cells_of(set: u128) -> impl Iterator<Item = usize> {
    // Iterating over words is faster than over a `u128`.
    bits_of([set as u64, (set >> 64) as u64])
}

/// Returns the cells in which two grids differ, one bit per cell.
fn differing(one: &[u8; 81], other: &[u8; 81]) -> u128 {
    let eights = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let mut cells = u128::from(one[80] != other[80]) << 80;
    for (number, (&one, &other)) in eights.enumerate() {
        // Digits are less than 16, so the addition does not carry from one byte to the next.
        let differ = u64::from_le_bytes(one) ^ u64::from_le_bytes(other);
        let flags = (differ + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
        // The multiplication gathers the lowest bits of the eight bytes in the highest byte.
        cells |= u128::from(flags.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::random::SplitMix64;

    #[test]
    fn cells_that_differ_are_found_eight_at_a_time() {
        let mut random = SplitMix64(3);
        for _ in 0..500 {
            let one: [u8; 81] = std::array::from_fn(|_| random.below(9) as u8);
            let other = one.map(|digit| if random.below(3) == 0 { random.below(9) as u8 } else { digit });
            let expected: Vec<usize> = (0..81).filter(|&cell| one[cell] != other[cell]).collect();
            assert!(cells_of(differing(&one, &other)).eq(expected));
        }
    }

    #[test]
    fn clues_are_counted_as_one_by_one() {
        let mut random = SplitMix64(5);
        for cells in [16, 81, 256] {
            let mut clues: CellSet = (0..cells).filter(|_| random.below(2) == 0).collect();
            let mut witnesses = UnavoidableSets::empty(cells);
            let mut sets: Vec<Vec<usize>> = Vec::new();
            for step in 0..3000 {
                let cell = random.below(cells);
                if step % 10 == 0 {
                    // Tests mostly small sets, but first a set with all cells of the grid.
                    let set: Vec<usize> = if step == 0 {
                        (0..cells).collect()
                    } else {
                        (0..cells).filter(|_| random.below(8) == 0).collect()
                    };
                    witnesses.learn_counting(set.iter().copied(), &clues);
                    sets.push(set);
                } else if step == 1001 {
                    clues = (0..cells).filter(|_| random.below(9) == 0).collect();
                    witnesses.count(&clues);
                } else if clues.has(cell) {
                    clues.take(cell);
                    witnesses.take(cell);
                } else {
                    clues.put(cell);
                    witnesses.put(cell);
                }
                let left = |set: &Vec<usize>| set.iter().filter(|&&cell| clues.has(cell)).count();
                assert_eq!(witnesses.first_missed().is_some(), sets.iter().any(|set| left(set) == 0));
                let needs = |set: &Vec<usize>| set.contains(&cell) && clues.has(cell) && left(set) == 1;
                assert_eq!(witnesses.need(cell) && clues.has(cell), sets.iter().any(needs), "{cells} {step}");
            }
        }
    }

    #[test]
    fn the_oldest_sets_are_evicted() {
        const CELLS: usize = 81;
        let mut random = SplitMix64(7);
        let mut draw = || (0..CELLS).filter(|_| random.below(9) == 0).collect::<CellSet>();
        let none: CellSet = std::iter::empty().collect();
        let (mut witnesses, mut sets) = (UnavoidableSets::empty(CELLS), Vec::new());
        for number in 0..3000 {
            if number == 100 {
                witnesses.keep_at_most(4);
            }
            sets.push(draw());
            let cells: Vec<usize> = sets[number].iter().collect();
            witnesses.learn_counting(cells.into_iter(), &none);
            let clues = draw();
            witnesses.count(&clues);
            let is_missed = |set: &CellSet| !set.iter().any(|cell| clues.has(cell));
            // The first hundred sets and at least the last 64 sets must still be stored.
            let known = || sets[..=number.min(99)].iter().chain(&sets[number.saturating_sub(63)..=number]);
            match witnesses.first_missed() {
                None => assert!(!known().any(is_missed), "{number}"),
                // The set that has no clue must be one of the sets that were added.
                Some(missed) => {
                    let cells: CellSet = (0..CELLS).filter(|&cell| witnesses.has(missed, cell)).collect();
                    assert!(is_missed(&cells) && sets.contains(&cells), "{number}");
                }
            }
            let needs = |set: &CellSet, cell| {
                set.has(cell) && set.iter().filter(|&cell| clues.has(cell)).count() == 1
            };
            for cell in clues.iter() {
                let needed = witnesses.need(cell);
                assert!(needed || !known().any(|set| needs(set, cell)), "{number} {cell}");
                assert!(!needed || sets.iter().any(|set| needs(set, cell)), "{number} {cell}");
            }
            witnesses.count(&none);
        }
        assert_eq!(witnesses.words, 4);
    }
}
