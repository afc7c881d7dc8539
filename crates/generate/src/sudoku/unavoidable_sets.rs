//! Unavoidable sets of a grid (see [`unavoidable_sets`]), which prove without a search that clues are needed.
//!
//! The last clue in an unavoidable set is needed, and as long as a set has no clue there are other solutions.
//! Some sets are found in the grid itself. Each second solution that an engine finds shows another: the cells
//! in which it differs.

use super::cells::CellSet;
use super::solved_grid::SolvedGrid;
use quadrille_model::bits::{bits_of, first_bits, transpose};
use quadrille_model::{Geometry, HouseKind, unavoidable_sets};

/// Unavoidable sets of one grid, with the number of clues in each.
#[derive(Debug)]
pub(super) struct UnavoidableSets {
    /// Number of words of a bit set of unavoidable sets.
    words: usize,
    /// For each cell, the unavoidable sets that contain it, `words` words each.
    of_cell: Vec<u64>,
    /// Index of the next set to store, 64 per word.
    next: usize,
    /// Index of the first word whose sets may be replaced.
    replaceable: usize,
    /// Maximum number of words.
    most_words: usize,
    /// The indices that hold a set.
    known: Vec<u64>,
    /// Number of bits of a counter of clues.
    digits: usize,
    /// The numbers of clues of all sets, in bit slices.
    ///
    /// Each word of sets has `digits` words, the lowest digit first, with one bit per set. So a clue is
    /// counted in all its sets at once.
    clues: Vec<u64>,
    /// The sets with exactly one clue.
    last_clue: Vec<u64>,
    /// The sets without a clue.
    missed: Vec<u64>,
}

/// Number of words of a bit set of sets at the start: more than most 9x9 grids need.
const WORDS: usize = 3;
/// Number of bits of a counter of the cells of a 9x9.
const DIGITS_9X9: usize = 7;

impl UnavoidableSets {
    /// Finds the sets that the grid itself reveals, and counts `clues` in them.
    pub(super) fn new(board: &SolvedGrid, clues: &CellSet) -> Self {
        let mut witnesses = UnavoidableSets::empty(board.solution.len());
        if let Some(solution) = board.plain_9x9() {
            let mut sets = Vec::with_capacity(64 * WORDS);
            unavoidable_sets(solution, |set| sets.push(set));
            witnesses.learn_first(&sets, clues.low_bits());
        } else if board.rules.is_none() {
            // Under other rules, two digits cannot be swapped everywhere.
            witnesses.learn_pairs(&board.geometry, &board.solution, clues);
        }
        witnesses
    }

    /// Creates an empty collection for a grid of `cells` cells.
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

    /// Limits the space for further sets to `words` words.
    ///
    /// Sets added from now on replace one another, the oldest first, when the space is full.
    pub(super) fn keep_at_most(&mut self, words: usize) {
        self.replaceable = self.next.div_ceil(64);
        self.most_words = words.max(self.replaceable + 1);
    }

    /// Returns a set without a clue, or `None` if every set has a clue.
    pub(super) fn first_missed(&self) -> Option<usize> {
        let word = self.missed.iter().position(|&sets| sets != 0)?;
        Some(64 * word + self.missed[word].trailing_zeros() as usize)
    }

    /// Returns true if a set contains a cell.
    pub(super) fn has(&self, set: usize, cell: usize) -> bool {
        self.sets_of(cell)[set / 64] >> (set % 64) & 1 != 0
    }

    /// Counts other clues instead of the current clues.
    pub(super) fn count(&mut self, clues: &CellSet) {
        self.clues.fill(0);
        self.last_clue.fill(0);
        self.missed.copy_from_slice(&self.known);
        clues.iter().for_each(|clue| self.put(clue));
    }

    /// Adds the first sets of a 9x9 grid, 64 at a time.
    ///
    /// Transposes one bit per cell into one bit per set.
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

    /// Adds the set of cells in which another solution differs.
    pub(super) fn learn_from(&mut self, other: &[u8], board: &SolvedGrid, clues: &CellSet) {
        if let (Some(solution), Some(other)) = (board.plain_9x9(), other.first_chunk()) {
            let set = differing(solution, other);
            self.learn(cells_of(set), (set & clues.low_bits()).count_ones());
            return;
        }
        let differs = |&cell: &usize| other[cell] != board.solution[cell];
        self.learn_counting((0..board.solution.len()).filter(differs), clues);
    }

    /// Adds a set of cells and counts its clues.
    fn learn_counting(&mut self, cells: impl Iterator<Item = usize> + Clone, clues: &CellSet) {
        let number = cells.clone().filter(|&cell| clues.has(cell)).count();
        self.learn(cells, number as u32);
    }

    /// Adds a set of cells that contains `clues` clues.
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

    /// Makes room for another set: adds words, or starts to replace the oldest sets.
    #[cold]
    fn make_room(&mut self) {
        if self.words < self.most_words {
            self.widen();
        } else {
            self.next = 64 * self.replaceable;
        }
    }

    /// Removes the sets of a word.
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

    /// Returns true if some set has this clue and no other.
    #[inline]
    pub(super) fn need(&self, clue: usize) -> bool {
        self.sets_of(clue).iter().zip(&self.last_clue).any(|(sets, last)| sets & last != 0)
    }

    /// Updates the counts of sets for a removed clue.
    pub(super) fn take(&mut self, clue: usize) {
        self.change(clue, u64::MAX);
    }

    /// Updates the counts of sets for a clue that is put back.
    pub(super) fn put(&mut self, clue: usize) {
        self.change(clue, 0);
    }

    /// Changes the counts of a clue's sets: down if `down` is all ones, up if it is 0.
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

    /// Adds the sets in which two digits can be swapped.
    fn learn_pairs(&mut self, geometry: &Geometry, solution: &[u8], clues: &CellSet) {
        let side = geometry.side();
        let houses = geometry.houses();
        // The cell of each digit in each house.
        let mut cell_of = vec![0u16; houses.len() * side];
        for (number, house) in houses.iter().enumerate() {
            for &cell in &house.cells {
                cell_of[number * side + usize::from(solution[usize::from(cell)])] = cell;
            }
        }
        let rows = houses.iter().position(|house| house.kind != HouseKind::Row).unwrap_or(houses.len());
        let mut found = Vec::with_capacity(2 * side);
        // The pair of digits, 1-based, for which a cell was last reached.
        let mut reached = vec![0u16; geometry.cells()];
        let mut pair = 0;
        for a in 0..side {
            for b in a + 1..side {
                pair += 1;
                // Cells connected through houses change together. Each connected component has a cell with
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

/// Returns the cells of a set, all below 128, ascending.
fn cells_of(set: u128) -> impl Iterator<Item = usize> {
    // Iterating over words is faster than over a `u128`.
    bits_of([set as u64, (set >> 64) as u64])
}

/// Returns the cells in which two grids of digits differ, one bit per cell.
fn differing(one: &[u8; 81], other: &[u8; 81]) -> u128 {
    let eights = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let mut cells = u128::from(one[80] != other[80]) << 80;
    for (number, (&one, &other)) in eights.enumerate() {
        // Digits are below 16, so nothing is carried from one byte to the next.
        let differ = u64::from_le_bytes(one) ^ u64::from_le_bytes(other);
        let flags = (differ + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
        // Gathers the lowest bits of eight bytes in the highest byte.
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
                    // Small sets, and once the whole grid.
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
            // The first hundred sets stay, and so do at least the last 64 sets.
            let known = || sets[..=number.min(99)].iter().chain(&sets[number.saturating_sub(63)..=number]);
            match witnesses.first_missed() {
                None => assert!(!known().any(is_missed), "{number}"),
                // The missed set equals one of the sets that were added.
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
