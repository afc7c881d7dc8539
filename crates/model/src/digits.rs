//! Sets of digits as bit masks.

use crate::bits::Bits;

/// A set of digits from 0 to 63. The sets of a 9x9 grid use the low nine bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DigitSet(pub u64);

impl DigitSet {
    /// The empty set.
    pub const EMPTY: DigitSet = DigitSet(0);

    /// Returns the set of all digits `0..side`. `side` must be at most 63.
    #[inline]
    pub const fn all(side: usize) -> Self {
        DigitSet((1 << side) - 1)
    }

    /// Returns the set that contains only the given digit.
    #[inline]
    pub const fn only(digit: usize) -> Self {
        DigitSet(1 << digit)
    }

    /// Returns the set of digits whose 1-based value is even, as in cells marked `e` (UVA 1461).
    pub const fn even(side: usize) -> Self {
        DigitSet(0xAAAA_AAAA_AAAA_AAAA & Self::all(side).0)
    }

    /// Returns the set of digits whose 1-based value is odd, as in cells marked `o` (UVA 1461).
    pub const fn odd(side: usize) -> Self {
        DigitSet(0x5555_5555_5555_5555 & Self::all(side).0)
    }

    /// Returns the number of digits in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns true if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if the set contains the given digit.
    #[inline]
    pub const fn contains(self, digit: usize) -> bool {
        self.0 >> digit & 1 != 0
    }

    /// Returns the only digit of the set, or `None` if the set is empty or has several digits.
    #[inline]
    pub const fn single(self) -> Option<usize> {
        if self.0.is_power_of_two() { Some(self.0.trailing_zeros() as usize) } else { None }
    }

    /// Returns the digits that are in both sets.
    #[inline]
    pub const fn and(self, other: DigitSet) -> Self {
        DigitSet(self.0 & other.0)
    }

    /// Returns the digits of this set that are not in `other`.
    #[inline]
    pub const fn without(self, other: DigitSet) -> Self {
        DigitSet(self.0 & !other.0)
    }

    /// Returns the digits in ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        Bits(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_and_odd_split_all_digits() {
        for side in 4..=36 {
            let (even, odd) = (DigitSet::even(side), DigitSet::odd(side));
            assert_eq!(even.0 ^ odd.0, DigitSet::all(side).0);
            assert!(even.iter().all(|digit| (digit + 1) % 2 == 0));
            assert_eq!(odd.len() as usize, side.div_ceil(2));
        }
    }

    #[test]
    fn single_is_for_one_digit_only() {
        assert_eq!(DigitSet::EMPTY.single(), None);
        assert_eq!(DigitSet::only(8).single(), Some(8));
        assert_eq!(DigitSet(3).single(), None);
    }
}
