//! Lists the sets of different digits that have a given size and sum.

use std::sync::OnceLock;

/// Maximum side length of a grid for which all sets of digits are listed. With this side length there are
/// 2^16 sets.
pub(super) const MAX_SIDE: usize = 16;

/// All sets of digits from 1 to `side`, stored as bit masks.
#[derive(Debug)]
pub(super) struct Combinations {
    side: usize,
    /// For each size and sum, the index in `masks` of the first set with this size and sum.
    starts: Vec<u32>,
    /// The sets as bit masks, ordered by size and then by sum.
    masks: Vec<u64>,
}

impl Combinations {
    /// Returns all sets of digits for grids with side length `side`, or `None` if `side` exceeds
    /// [`MAX_SIDE`].
    ///
    /// The sets are computed on first use.
    pub(super) fn for_side(side: usize) -> Option<&'static Self> {
        static MADE: [OnceLock<Combinations>; MAX_SIDE + 1] = [const { OnceLock::new() }; MAX_SIDE + 1];
        MADE.get(side).map(|made| made.get_or_init(|| Combinations::new(side)))
    }

    /// Returns the number of possible sums for grids with side length `side`. They go from 0 to the sum of
    /// all digits.
    fn sums(side: usize) -> usize {
        side * (side + 1) / 2 + 1
    }

    fn new(side: usize) -> Self {
        let key = |mask: u64| {
            let sum: usize = quadrille_model::bits::Bits(mask).map(|digit| digit + 1).sum();
            mask.count_ones() as usize * Self::sums(side) + sum
        };
        let mut starts = vec![0u32; (side + 1) * Self::sums(side) + 1];
        let all = 1u64 << side;
        (0..all).for_each(|mask| starts[key(mask) + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut masks) = (starts.clone(), vec![0; all as usize]);
        for mask in 0..all {
            let place = &mut next[key(mask)];
            masks[*place as usize] = mask;
            *place += 1;
        }
        Combinations { side, starts, masks }
    }

    /// Returns the sets that consist of `number` digits and have the given sum.
    #[inline]
    pub(super) fn with(&self, number: usize, sum: i32) -> &[u64] {
        match usize::try_from(sum) {
            Ok(sum) if sum < Self::sums(self.side) && number <= self.side => {
                let key = number * Self::sums(self.side) + sum;
                &self.masks[self.starts[key] as usize..self.starts[key + 1] as usize]
            }
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_those_of_killer_tables() {
        let nine = Combinations::for_side(9).unwrap();
        assert_eq!(nine.with(2, 17), [0b1_1000_0000]);
        assert_eq!((nine.with(4, 20).len(), nine.with(9, 45).len(), nine.with(0, 0).len()), (12, 1, 1));
        assert!(nine.with(3, 5).is_empty() && nine.with(3, -1).is_empty() && nine.with(10, 55).is_empty());
        assert!(Combinations::for_side(MAX_SIDE + 1).is_none());
    }
}
