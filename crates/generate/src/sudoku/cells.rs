//! Sets of cells, for grids of any size.

use quadrille_model::{DigitSet, MAX_SIDE};

/// Number of 64-bit words of a set for the largest grid, 36x36.
const WORDS: usize = (MAX_SIDE * MAX_SIDE).div_ceil(64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellSet {
    words: [u64; WORDS],
    len: u32,
}

impl CellSet {
    const EMPTY: CellSet = CellSet { words: [0; WORDS], len: 0 };

    #[inline]
    pub(super) fn has(&self, cell: usize) -> bool {
        self.words[cell / 64] >> (cell % 64) & 1 != 0
    }

    #[inline]
    pub(super) fn put(&mut self, cell: usize) {
        self.len += u32::from(!self.has(cell));
        self.words[cell / 64] |= 1 << (cell % 64);
    }

    #[inline]
    pub(super) fn take(&mut self, cell: usize) {
        self.len -= u32::from(self.has(cell));
        self.words[cell / 64] &= !(1 << (cell % 64));
    }

    /// Returns the number of cells.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Returns the cells with numbers below 128, one bit per cell.
    #[inline]
    pub(super) fn low_bits(&self) -> u128 {
        u128::from(self.words[0]) | u128::from(self.words[1]) << 64
    }

    /// Returns the cells, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = (0..).step_by(64).zip(&self.words);
        words.flat_map(|(first, &word)| DigitSet(word).iter().map(move |bit| first + bit))
    }
}

impl FromIterator<usize> for CellSet {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> Self {
        let mut set = Self::EMPTY;
        cells.into_iter().for_each(|cell| set.put(cell));
        set
    }
}
