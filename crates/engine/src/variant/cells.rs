//! A set of cells, stored in a fixed number of words.

use std::ops::{BitAnd, BitOr, Not};

use quadrille_model::bits::Bits;

/// A set of cells. The index of each cell is less than `64 * W`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Cells<W> {
    /// The empty set.
    pub(super) const NONE: Self = Cells([0; W]);

    /// Creates a set of one cell.
    #[inline(always)]
    pub(super) fn only(cell: usize) -> Self {
        let mut set = Self::NONE;
        set.0[cell / 64] = 1 << (cell % 64);
        set
    }

    /// Creates a set from a list of cells.
    pub(super) fn from_cells(cells: &[u16]) -> Self {
        cells.iter().map(|&cell| usize::from(cell)).collect()
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    #[inline(always)]
    pub(super) fn contains(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 != 0
    }

    /// Returns the cells of the set that are not in `other`.
    #[inline(always)]
    pub(super) fn without(self, other: Self) -> Self {
        self & !other
    }

    /// Returns the number of cells.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Removes and returns the first cell, or returns `None` if the set is empty.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<usize> {
        for (number, word) in self.0.iter_mut().enumerate() {
            if *word != 0 {
                let place = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(64 * number + place);
            }
        }
        None
    }

    /// Returns the first cell, or `None` if the set is empty.
    #[inline(always)]
    pub(super) fn first(self) -> Option<usize> {
        let mut words = self.0.into_iter().enumerate();
        let (number, word) = words.find(|&(_, word)| word != 0)?;
        Some(64 * number + word.trailing_zeros() as usize)
    }

    /// Returns the last cell, or `None` if the set is empty.
    #[inline(always)]
    pub(super) fn last(self) -> Option<usize> {
        let mut words = self.0.into_iter().enumerate().rev();
        let (number, word) = words.find(|&(_, word)| word != 0)?;
        Some(64 * number + 63 - word.leading_zeros() as usize)
    }

    /// Returns true if the set has two or more cells.
    #[inline(always)]
    pub(super) fn has_several(&self) -> bool {
        let (mut met, mut several) = (false, 0);
        for &word in &self.0 {
            several |= word & word.wrapping_sub(1);
            several |= u64::from(met & (word != 0));
            met |= word != 0;
        }
        several != 0
    }

    /// Calls `visit` with each cell, in ascending order.
    #[inline(always)]
    pub(super) fn visit(self, mut visit: impl FnMut(usize)) {
        for (number, word) in self.0.into_iter().enumerate() {
            Bits(word).for_each(|place| visit(64 * number + place));
        }
    }
}

impl<const W: usize> FromIterator<usize> for Cells<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> Self {
        let mut set = Self::NONE;
        cells.into_iter().for_each(|cell| set.0[cell / 64] |= 1 << (cell % 64));
        set
    }
}

impl<const W: usize> BitAnd for Cells<W> {
    type Output = Self;

    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
        self
    }
}

impl<const W: usize> BitOr for Cells<W> {
    type Output = Self;

    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        self
    }
}

impl<const W: usize> Not for Cells<W> {
    type Output = Self;

    #[inline(always)]
    fn not(mut self) -> Self {
        self.0.iter_mut().for_each(|word| *word = !*word);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_at_both_ends_of_each_word() {
        let cells = [3, 63, 64, 130, 255];
        for count in 0..=cells.len() {
            for first in 0..=cells.len() - count {
                let part = &cells[first..first + count];
                let set: Cells<4> = part.iter().copied().collect();
                assert_eq!((set.has_several(), set.count()), (count > 1, count));
                assert_eq!((set.first(), set.last()), (part.first().copied(), part.last().copied()));
                let mut left = set;
                assert!(std::iter::from_fn(|| left.pop()).eq(part.iter().copied()));
            }
        }
    }
}
