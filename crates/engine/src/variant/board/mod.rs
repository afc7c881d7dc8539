//! A grid under propagation: one mask of digits per cell, and queues of changes.
//!
//! A branching saves only the masks, because all queues are empty then. The deductions, cheapest first:
//!
//! ```text
//! cell     its digit is removed from its peers; related cells keep only digits that fit next to its mask;
//!          cells of a letter group keep the same digits
//! house    a digit without a place is a contradiction; a digit with one place is there
//! quota    a digit with only as many places as it needs is in all of them
//! sum      digits in no solution of the sum are removed, see `sums`
//! lock     a cell outside a house loses a digit if it sees all places of the digit in the house:
//!          for houses that intersect, and for cells a knight's move away
//! ```
//! Each step only removes digits, so the state at which nothing changes does not depend on the order.

mod small_sums;
mod sums;

use super::tables::Tables;
use crate::budget::Watch;
use crate::letter_rings::LetterRings;
use quadrille_model::bits::Bits;
use quadrille_model::rules::Quota;
use quadrille_model::{Constraint, DigitSet, EndedBy};
use small_sums::OpenCell;

/// Maximum number of sum terms that are processed between two checks of the clock. This takes about 0.1 ms.
///
/// The limit matters because a grid may have thousands of sums.
const WORK_BETWEEN_LOOKS: usize = 1 << 15;
/// Fixed cost of propagating a sum. The unit is the cost of one term.
const WORK_OF_A_SUM: usize = 32;

/// The reason why a step ended early: a contradiction and where it is, or a request to end the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conflict {
    /// A cell without candidates.
    Cell(usize),
    /// A full house that has no place left for some digit.
    House(usize),
    /// A sum that the remaining candidates cannot reach.
    Sum(usize),
    /// The search must end. It is not known whether there is also a contradiction.
    Stop(EndedBy),
}

/// The result of a step.
pub(super) type Step = Result<(), Conflict>;

/// A queue of numbers without duplicates. The smallest number comes out first.
#[derive(Debug, Default)]
struct Queue {
    words: Vec<u64>,
    /// Index of a word of the queue. All words before it are zero.
    first: usize,
}

impl Queue {
    fn reset(&mut self, count: usize) {
        self.words.clear();
        self.words.resize(count.div_ceil(64), 0);
        self.first = 0;
    }

    fn clear(&mut self) {
        self.words.fill(0);
    }

    #[inline]
    fn add(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
        self.first = self.first.min(number / 64);
    }

    #[inline]
    fn pop(&mut self) -> Option<usize> {
        while let Some(word) = self.words.get_mut(self.first) {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(64 * self.first + bit);
            }
            self.first += 1;
        }
        None
    }
}

/// The board, see the [module](self).
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) masks: Vec<u64>,
    changed: Queue,
    houses: Queue,
    locks: Queue,
    sums: Queue,
    letters: LetterRings,
    /// Scratch space for a set of cells.
    pub(super) common: Vec<u64>,
    open: Vec<OpenCell>,
    /// Number of terms of sums processed since the clock was last checked.
    work: usize,
}

impl Board {
    /// Loads a grid and propagates it.
    pub(super) fn load(
        &mut self,
        tables: &Tables,
        candidates: &[DigitSet],
        letters: &[Constraint],
        watch: Watch<'_>,
    ) -> Step {
        self.masks.clear();
        self.masks.extend(candidates.iter().map(|set| set.0));
        self.changed.reset(tables.cells);
        self.houses.reset(tables.houses());
        self.locks.reset(tables.houses());
        self.sums.reset(tables.sums.len());
        self.common.clear();
        self.common.resize(tables.words, 0);
        self.letters.assign(tables.cells, letters);
        if let Some(cell) = self.masks.iter().position(|&mask| mask == 0) {
            return Err(Conflict::Cell(cell));
        }
        (0..tables.cells).for_each(|cell| self.changed.add(cell));
        self.propagate(tables, watch)
    }

    /// Restores saved masks.
    pub(super) fn restore(&mut self, masks: &[u64]) {
        self.masks.copy_from_slice(masks);
        self.changed.clear();
        self.houses.clear();
        self.locks.clear();
        self.sums.clear();
    }

    /// Returns true if every cell has exactly one candidate.
    pub(super) fn is_solved(&self) -> bool {
        self.masks.iter().all(|mask| mask.is_power_of_two())
    }

    /// Removes the candidates of a cell that are not in `mask`.
    #[inline]
    pub(super) fn keep(&mut self, cell: usize, mask: u64) -> Step {
        let left = self.masks[cell] & mask;
        if left != self.masks[cell] {
            self.masks[cell] = left;
            if left == 0 {
                return Err(Conflict::Cell(cell));
            }
            self.changed.add(cell);
        }
        Ok(())
    }

    /// Places a digit in a cell and propagates the consequences.
    pub(super) fn decide(&mut self, tables: &Tables, cell: usize, digit: usize, watch: Watch<'_>) -> Step {
        self.keep(cell, 1 << digit)?;
        self.propagate(tables, watch)
    }

    /// Propagates until nothing changes.
    fn propagate(&mut self, tables: &Tables, watch: Watch<'_>) -> Step {
        loop {
            if self.work > WORK_BETWEEN_LOOKS {
                self.work = 0;
                if let Some(reason) = watch.stop() {
                    return Err(Conflict::Stop(reason));
                }
            }
            while let Some(cell) = self.changed.pop() {
                self.work += tables.sums_of.list(cell).len();
                self.spread(tables, cell)?;
            }
            if let Some(house) = self.houses.pop() {
                self.hidden_singles(tables, house)?;
            } else if let Some(sum) = self.sums.pop() {
                self.work += WORK_OF_A_SUM + tables.sums[sum].terms.len();
                self.add_up(tables, sum)?;
            } else if let Some(house) = self.locks.pop() {
                self.lock(tables, house)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Propagates the candidates of a cell to its peers, its related cells, and the cells that must have the
    /// same digit.
    ///
    /// Puts the rules that concern the cell into the queue.
    fn spread(&mut self, tables: &Tables, cell: usize) -> Step {
        let mask = self.masks[cell];
        if mask.is_power_of_two() {
            for &peer in tables.peers.list(cell) {
                self.keep(peer.into(), !mask)?;
            }
        }
        for &(to, table) in tables.relations.list(cell) {
            self.keep(to.into(), tables.beside(table, mask))?;
        }
        self.keep(self.letters.next(cell), mask)?;
        for &quota in tables.quotas_of.list(cell) {
            self.fill_quota(&tables.rules.quotas()[usize::from(quota)])?;
        }
        for &sum in tables.sums_of.list(cell) {
            self.sums.add(sum.into());
        }
        for &house in tables.houses_of.list(cell) {
            self.houses.add(house.into());
            self.locks.add(house.into());
        }
        Ok(())
    }

    /// Propagates a quota, which requires that a digit occurs in a group of cells at least a given number of
    /// times.
    ///
    /// If the digit has only this number of places left, it is placed in all of them.
    fn fill_quota(&mut self, quota: &Quota) -> Step {
        let bit = 1 << quota.digit;
        let places = quota.cells.iter().filter(|&&cell| self.masks[usize::from(cell)] & bit != 0).count();
        if places < usize::from(quota.times) {
            return Err(Conflict::Cell(quota.cells[0].into()));
        }
        if places == usize::from(quota.times) {
            for &cell in quota.cells.iter() {
                if self.masks[usize::from(cell)] & bit != 0 {
                    self.keep(cell.into(), bit)?;
                }
            }
        }
        Ok(())
    }

    /// Propagates a full house. Every digit needs a place. If a digit has only one place, the digit is put
    /// there.
    fn hidden_singles(&mut self, tables: &Tables, house: usize) -> Step {
        let cells = tables.house(house);
        let (mut once, mut twice, mut fixed) = (0, 0, 0);
        for &cell in cells {
            let mask = self.masks[usize::from(cell)];
            twice |= once & mask;
            once |= mask;
            fixed |= if mask.is_power_of_two() { mask } else { 0 };
        }
        if once != tables.all {
            return Err(Conflict::House(house));
        }
        // A digit that is alone in its cell is already placed. If two cells of the house have the same single
        // digit, the propagation to peers finds the contradiction.
        let mut singles = once & !twice & !fixed;
        if singles == 0 {
            return Ok(());
        }
        for &cell in cells {
            let here = self.masks[usize::from(cell)] & singles;
            if here != 0 {
                self.keep(cell.into(), here)?;
                if !here.is_power_of_two() {
                    return Err(Conflict::House(house));
                }
                singles &= !here;
            }
        }
        Ok(())
    }

    /// Removes each digit of a full house from those cells that see all places of the digit in the house.
    fn lock(&mut self, tables: &Tables, house: usize) -> Step {
        let cells = tables.house(house);
        let (mut once, mut twice, mut thrice, mut more) = (0, 0, 0, 0);
        for &cell in cells {
            let mask = self.masks[usize::from(cell)];
            more |= thrice & mask;
            thrice |= twice & mask;
            twice |= once & mask;
            once |= mask;
        }
        // Digits with four or more places are tried only if some cell sees at least four cells of the house.
        // Digits with one place are not tried. The propagation of cells and houses comes first, and has
        // already placed such a digit and removed it from the peers of its cell.
        let open = if tables.is_seen_widely[house] { twice } else { twice & !more };
        for digit in Bits(open) {
            // The scratch set starts with the cells outside the house. Often no cell is left in it after two
            // places.
            self.common.copy_from_slice(tables.beside_house(house));
            let mut is_empty = false;
            for &cell in cells {
                if self.masks[usize::from(cell)] >> digit & 1 != 0 {
                    let mut any = 0;
                    for (word, seen) in self.common.iter_mut().zip(tables.peer_set(cell)) {
                        *word &= seen;
                        any |= *word;
                    }
                    is_empty = any == 0;
                    if is_empty {
                        break;
                    }
                }
            }
            if is_empty {
                continue;
            }
            self.clear_common(tables, digit)?;
        }
        Ok(())
    }

    /// Removes a digit from all cells of the scratch set.
    pub(super) fn clear_common(&mut self, tables: &Tables, digit: usize) -> Step {
        for index in 0..tables.words {
            for bit in Bits(self.common[index]) {
                self.keep(64 * index + bit, !(1 << digit))?;
            }
        }
        Ok(())
    }
}
