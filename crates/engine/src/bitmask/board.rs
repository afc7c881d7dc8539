//! A grid under propagation.
//!
//! The state is one slice of words, so that copying it is one `memcpy`:
//!
//! ```text
//! words[cell]                                the digits the cell may hold
//! words[cells + house * side + digit]        the places of the house that may hold the digit
//! words[cells + houses * side]               how many candidates are left in all
//! ```
//! Both views hold the same candidates: bit `digit` of a cell is set if and only if the cell's bit is set in
//! the digit's word of each of its houses. Every change goes through [`Board::remove`], which maintains this
//! and notes what must be checked: words with one bit left (singles) and words that lost a bit (for locked
//! candidates and subsets). A word without a bit is a contradiction. A grid is solved if the number of
//! candidates equals the number of cells.

use super::all_different::AllDifferent;
use super::shape::GeometryTables;
use crate::letter_rings::LetterRings;
use quadrille_model::bits::Bits;
use quadrille_model::{Constraint, DigitSet};

/// The error if a grid has a contradiction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contradiction;

/// The result of a step.
pub(crate) type Step = Result<(), Contradiction>;

/// The deductions that propagation makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// Naked and hidden singles, and locked candidates.
    Locked,
    /// The deductions of [`Locked`](Self::Locked), and all deductions that use only a single house.
    AllDifferent,
}

/// A grid with the propagation of deductions, see the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct Board {
    words: Vec<u64>,
    /// Number of cells. The words of houses follow the words of cells, so this is also the index of the first
    /// one.
    cells: usize,
    /// Index of the word that holds the number of remaining candidates.
    left: usize,
    side: usize,
    /// Indices of words that were reduced to one bit and have not been processed.
    singles: Vec<u32>,
    /// For each house, the digits whose possible places changed since the last check for locked candidates.
    unlocked: Vec<u64>,
    /// Houses that have digits in `unlocked`. A house may be listed twice.
    unlocked_houses: Vec<u16>,
    /// Houses that changed since the all-different filter last checked them, one bit per house.
    stale: Vec<u64>,
    letters: LetterRings,
    subsets: AllDifferent,
}

impl Board {
    /// Loads a grid: its candidates, and its groups of cells that must have the same digit. Does not
    /// propagate.
    pub(crate) fn load(
        &mut self,
        shape: &GeometryTables,
        candidates: &[DigitSet],
        constraints: &[Constraint],
    ) -> Step {
        self.side = shape.side;
        self.cells = shape.cells;
        self.left = self.cells + shape.houses * self.side;
        self.words.clear();
        self.words.resize(self.left + 1, DigitSet::all(self.side).0);
        self.words[self.left] = (self.cells * self.side) as u64;
        self.singles.clear();
        self.unlocked.clear();
        self.unlocked.resize(shape.houses, 0);
        self.unlocked_houses.clear();
        self.stale.clear();
        self.stale.resize(shape.houses.div_ceil(64), 0);
        self.subsets.reset(shape);
        self.letters.assign(self.cells, constraints);
        for (cell, &set) in candidates.iter().enumerate() {
            self.keep(shape, cell, set.0)?;
        }
        Ok(())
    }

    /// Returns the places (cells) of a house that can hold a digit. `base` is `house * side`.
    #[inline]
    pub(crate) fn places(&self, base: usize, digit: usize) -> u64 {
        self.words[self.cells + base + digit]
    }

    /// Returns one word per cell with its digits, followed by one word per house and digit with its places.
    #[inline]
    pub(crate) fn items(&self) -> &[u64] {
        &self.words[..self.left]
    }

    /// Returns true if every cell holds its digit. The result is meaningful only after successful
    /// propagation.
    #[inline]
    pub(crate) fn is_solved(&self) -> bool {
        self.words[self.left] == self.cells as u64
    }

    /// Returns all words, for [`restore`](Self::restore).
    #[inline]
    pub(crate) fn state(&self) -> &[u64] {
        &self.words
    }

    /// Restores a saved state. The state must have been saved after a propagation without a contradiction.
    pub(crate) fn restore(&mut self, saved: &[u64]) {
        self.words.copy_from_slice(saved);
        self.forget();
    }

    /// Clears all notes of changes.
    fn forget(&mut self) {
        self.singles.clear();
        for house in self.unlocked_houses.drain(..) {
            self.unlocked[house as usize] = 0;
        }
        self.stale.fill(0);
    }

    /// Appends the digits of all cells and returns true, or returns false if the grid is not solved.
    pub(crate) fn write_digits(&self, digits: &mut Vec<u8>) -> bool {
        let is_solved = self.is_solved();
        if is_solved {
            digits.extend(self.words[..self.cells].iter().map(|word| word.trailing_zeros() as u8));
        }
        is_solved
    }

    /// Converts an option of an item to a decision, which is `cell * side + digit`.
    pub(crate) fn decision(&self, shape: &GeometryTables, item: usize, option: usize) -> u32 {
        let (cell, digit) = self.option(shape, item, option);
        (cell * self.side + digit) as u32
    }

    /// Returns the cell and the digit of an option of an item.
    ///
    /// The option is bit `option` of word `item`.
    #[inline]
    pub(crate) fn option(&self, shape: &GeometryTables, item: usize, option: usize) -> (usize, usize) {
        match item.checked_sub(self.cells) {
            None => (item, option),
            Some(of_house) => {
                let digit = of_house % self.side;
                (shape.cell_at(of_house - digit, option), digit)
            }
        }
    }

    /// Removes a candidate from a cell, and from all cells that must have the same digit.
    #[inline]
    pub(crate) fn remove(&mut self, shape: &GeometryTables, cell: usize, digit: usize) -> Step {
        if self.words[cell] >> digit & 1 == 0 {
            return Ok(());
        }
        self.remove_one(shape, cell, digit)?;
        let mut mate = self.letters.next(cell);
        while mate != cell {
            if self.words[mate] >> digit & 1 != 0 {
                self.remove_one(shape, mate, digit)?;
            }
            mate = self.letters.next(mate);
        }
        Ok(())
    }

    /// Removes a candidate from a single cell, which must have the candidate.
    #[inline]
    fn remove_one(&mut self, shape: &GeometryTables, cell: usize, digit: usize) -> Step {
        self.words[self.left] -= 1;
        self.clear(cell, 1 << digit)?;
        for position in shape.positions(cell) {
            let base = position.base as usize;
            self.clear(self.cells + base + digit, position.bit)?;
            let house = base / self.side;
            if self.unlocked[house] == 0 {
                self.unlocked_houses.push(house as u16);
            }
            self.unlocked[house] |= 1 << digit;
            self.stale[house / 64] |= 1 << (house % 64);
        }
        Ok(())
    }

    /// Clears a bit of a word. The bit must be set.
    #[inline]
    fn clear(&mut self, index: usize, bit: u64) -> Step {
        let word = self.words[index] & !bit;
        self.words[index] = word;
        if word & word.wrapping_sub(1) == 0 {
            if word == 0 {
                return Err(Contradiction);
            }
            self.singles.push(index as u32);
        }
        Ok(())
    }

    /// Keeps only the digits in `set` as candidates of a cell.
    pub(crate) fn keep(&mut self, shape: &GeometryTables, cell: usize, set: u64) -> Step {
        for digit in Bits(self.words[cell] & !set) {
            self.remove(shape, cell, digit)?;
        }
        Ok(())
    }

    /// Keeps only the cells in `places` as possible places of a digit in a house. `base` is `house * side`.
    pub(crate) fn keep_places(
        &mut self,
        shape: &GeometryTables,
        base: usize,
        digit: usize,
        places: u64,
    ) -> Step {
        for place in Bits(self.places(base, digit) & !places) {
            self.remove(shape, shape.cell_at(base, place), digit)?;
        }
        Ok(())
    }

    /// Makes a digit the only candidate of a cell, and removes the digit from the other cells of its houses.
    pub(crate) fn place(&mut self, shape: &GeometryTables, cell: usize, digit: usize) -> Step {
        if self.words[cell] >> digit & 1 == 0 {
            return Err(Contradiction);
        }
        self.keep(shape, cell, 1 << digit)?;
        for position in shape.positions(cell) {
            self.keep_places(shape, position.base as usize, digit, position.bit)?;
        }
        Ok(())
    }

    /// Places a digit in a cell and propagates.
    pub(crate) fn decide(
        &mut self,
        shape: &GeometryTables,
        cell: usize,
        digit: usize,
        strength: Strength,
    ) -> Step {
        self.place(shape, cell, digit)?;
        self.propagate(shape, strength)
    }

    /// Propagates until no deduction of the given strength changes anything, nor any deduction of lower
    /// strength.
    pub(crate) fn propagate(&mut self, shape: &GeometryTables, strength: Strength) -> Step {
        loop {
            while let Some(item) = self.singles.pop() {
                let option = self.words[item as usize].trailing_zeros() as usize;
                let (cell, digit) = self.option(shape, item as usize, option);
                self.place(shape, cell, digit)?;
            }
            if let Some(house) = self.unlocked_houses.pop() {
                self.lock(shape, house as usize)?;
                continue;
            }
            if strength >= Strength::AllDifferent
                && let Some(house) = self.take_stale()
            {
                self.all_different(shape, house)?;
                continue;
            }
            return Ok(());
        }
    }

    /// Applies the locked candidates of a house.
    ///
    /// If a second house contains all places that a digit has in this house, the digit is removed from the
    /// rest of the second house.
    fn lock(&mut self, shape: &GeometryTables, house: usize) -> Step {
        let base = house * self.side;
        for digit in Bits(std::mem::take(&mut self.unlocked[house])) {
            let places = self.places(base, digit);
            for intersection in shape.intersections(house) {
                if places & !intersection.here == 0 {
                    self.keep_places(shape, intersection.other as usize, digit, intersection.there)?;
                }
            }
        }
        Ok(())
    }

    fn take_stale(&mut self) -> Option<usize> {
        for (index, word) in self.stale.iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(64 * index + bit);
            }
        }
        None
    }

    /// Removes candidates of a house that cannot be right: those that no arrangement of all its digits
    /// contains.
    fn all_different(&mut self, shape: &GeometryTables, house: usize) -> Step {
        let base = house * self.side;
        let first = self.cells + base;
        let can = self.subsets.filter(house, &self.words[first..first + self.side]).ok_or(Contradiction)?;
        for (digit, &places) in can[..self.side].iter().enumerate() {
            self.keep_places(shape, base, digit, places)?;
        }
        Ok(())
    }
}
