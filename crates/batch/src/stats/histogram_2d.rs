//! Two-dimensional histogram of pairs of values. It shows how the two values are related, and uses little
//! memory.
//!
//! Each dimension is divided into two cells per power of two.

use super::figure::grow;
use super::histogram::Buckets;

/// Division of one dimension into cells. The cells contain the values 0, 1, 2, 3, 4 to 5, 6 to 7, 8 to 11, 12
/// to 15, and so on.
type Coarse = Buckets<1>;

/// Counts of pairs of values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram2d {
    /// Number of pairs in each cell. `rows[i][j]` belongs to cell `i` of the first value and cell `j` of the
    /// second value. Zeros at the ends are omitted.
    rows: Vec<Vec<u64>>,
}

impl Histogram2d {
    /// Counts a pair.
    #[inline]
    pub fn record(&mut self, first: u64, second: u64) {
        self.add(Coarse::of(first), Coarse::of(second), 1);
    }

    fn add(&mut self, first: usize, second: usize, count: u64) {
        grow(&mut self.rows, first + 1);
        grow(&mut self.rows[first], second + 1);
        self.rows[first][second] += count;
    }

    /// Adds all pairs in another histogram.
    pub fn merge(&mut self, other: &Histogram2d) {
        for (first, second, count) in other.cells() {
            self.add(first, second, count);
        }
    }

    /// Returns the two indices and the count of each non-empty cell, in ascending order.
    fn cells(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        self.rows.iter().enumerate().flat_map(|(first, row)| {
            row.iter()
                .enumerate()
                .filter(|(_, count)| **count > 0)
                .map(move |(second, &count)| (first, second, count))
        })
    }

    /// Returns the smallest pair of values and the count of each non-empty cell, in ascending order.
    pub fn smallest(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.cells().map(|(first, second, count)| (Coarse::smallest(first), Coarse::smallest(second), count))
    }

    /// Returns the histogram with the given cells, or `None` if a cell is invalid.
    ///
    /// Each entry of `cells` has the smallest first value of a cell, the smallest second value, and the
    /// count. A cell is invalid if one of the values is not the smallest. A cell is also invalid if its count
    /// is 0 or exceeds `largest`.
    pub(super) fn from_parts(cells: &[(u64, u64, u64)], largest: u64) -> Option<Self> {
        let mut density = Histogram2d::default();
        for &(first, second, count) in cells {
            let is_start = |value| Coarse::smallest(Coarse::of(value)) == value;
            if !is_start(first) || !is_start(second) || count == 0 || count > largest {
                return None;
            }
            density.add(Coarse::of(first), Coarse::of(second), count);
        }
        Some(density)
    }

    /// Returns the first value after a cell. `smallest` is the smallest value of the cell.
    pub fn end_of(smallest: u64) -> u64 {
        Coarse::largest(Coarse::of(smallest)).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_add_up(pairs in proptest::collection::vec((any::<u64>(), any::<u64>(), 0..64u32), 0..60), cut in 0..60usize) {
            let of = |list: &[(u64, u64, u32)]| {
                let mut density = Histogram2d::default();
                list.iter().for_each(|&(a, b, shift)| density.record(a >> shift, b >> shift));
                density
            };
            let (left, right) = pairs.split_at(cut.min(pairs.len()));
            let (mut forth, mut back) = (of(left), of(right));
            forth.merge(&of(right));
            back.merge(&of(left));
            let cells: Vec<_> = forth.smallest().collect();
            prop_assert_eq!(&cells, &of(&pairs).smallest().collect::<Vec<_>>());
            prop_assert_eq!(&cells, &back.smallest().collect::<Vec<_>>());
            prop_assert_eq!(Histogram2d::from_parts(&cells, 60).map(|read| read.smallest().collect::<Vec<_>>()), Some(cells));
        }
    }

    #[test]
    fn cells_that_begin_elsewhere_are_refused() {
        assert!(Histogram2d::from_parts(&[(5, 0, 1)], 9).is_none());
        assert!(Histogram2d::from_parts(&[(4, 0, 0)], 9).is_none());
        assert!(Histogram2d::from_parts(&[(4, 0, 10)], 9).is_none());
    }
}
