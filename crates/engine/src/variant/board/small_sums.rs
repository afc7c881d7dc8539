//! Solves sums of up to three cells.
//!
//! If all coefficients are 1 or -1, the digits of the first cell are tried one by one. The digits of the
//! other two cells are handled as sets. For a cell with coefficient -1 the digits are reversed (`d` becomes
//! `side + 1 - d`). Afterwards the cell can be handled like a cell with coefficient 1. If two cells have a
//! fixed sum, each digit of one cell determines the digit of the other. So the second set is the first one,
//! reversed and shifted. One operation computes the whole set.

use quadrille_model::bits::Bits;

/// Maximum number of cells.
pub(super) const MAX_CELLS: usize = 3;

/// An unsolved cell of a sum, with its coefficient `by` and its candidates `mask`.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenCell {
    pub(super) cell: usize,
    pub(super) by: i32,
    pub(super) mask: u64,
}

impl OpenCell {
    /// Returns the smallest and the largest value that the cell can contribute to the sum.
    pub(super) fn bounds(self) -> (i32, i32) {
        let (low, high) = (self.mask.trailing_zeros() as i32 + 1, 64 - self.mask.leading_zeros() as i32);
        if self.by > 0 { (low * self.by, high * self.by) } else { (high * self.by, low * self.by) }
    }

    /// Returns the candidates whose contribution to the sum is at least `least` and at most `greatest`.
    pub(super) fn within(self, least: i32, greatest: i32) -> u64 {
        let (least, greatest) = if self.by > 0 { (least, greatest) } else { (-greatest, -least) };
        let times = self.by.abs();
        // The first and the last digit (1-based) whose contribution is within the bounds. The first one is
        // rounded up and the last one down.
        let (first, last) = (-(-least).div_euclid(times), greatest.div_euclid(times));
        let up_to = |digit: i32| match digit {
            ..=0 => 0,
            1..=63 => (1 << digit) - 1,
            _ => u64::MAX,
        };
        up_to(last) & !up_to(first - 1)
    }
}

/// Placeholder for a missing cell. Its only digit contributes 0 to the sum, because its coefficient is 0.
pub(super) const NOTHING: OpenCell = OpenCell { cell: usize::MAX, by: 0, mask: 1 };

/// The open cells of a sum, and the value that the sum of these cells must have.
///
/// The array has a fixed length. If there are fewer open cells, placeholders fill the first entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmallSum {
    pub(super) side: usize,
    pub(super) open: [OpenCell; MAX_CELLS],
    /// For each pair of cells, true if the two cells must have different digits.
    ///
    /// The pairs are: first and second cell, first and last cell, second and last cell.
    pub(super) sees: [bool; MAX_CELLS],
    pub(super) rest: i32,
}

/// The digits that occur in the solutions of a small sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct SumSupport {
    /// For each cell, the digits that the cell has in at least one solution. Empty if there is no solution.
    pub(super) masks: [u64; MAX_CELLS],
    /// Digits that every solution contains.
    ///
    /// Valid only if there is a solution, all coefficients are 1, and all cells must have different digits.
    pub(super) required: u64,
}

impl SmallSum {
    /// Returns the digits that occur in the solutions of this small sum.
    pub(super) fn left(&self) -> SumSupport {
        if self.open.iter().all(|open| open.by.abs() <= 1) { self.by_sets() } else { self.by_digits() }
    }

    fn by_sets(&self) -> SumSupport {
        let SmallSum { side, open: [a, b, c], sees: [ab, ac, bc], rest } = *self;
        let turned = |one: OpenCell, mask: u64| {
            if one.by < 0 { mask.reverse_bits() >> (u64::BITS as usize - side) } else { mask }
        };
        let [from, ys, zs] = self.open.map(|one| turned(one, one.mask));
        // Digits are counted from 0 here. For cells with negative coefficients they are counted backwards.
        // The target is adjusted accordingly.
        let target = self.open.iter().fold(rest, |target, one| match one.by {
            0 => target,
            1 => target - 1,
            _ => target + side as i32,
        });
        let without = |seen: bool, one: OpenCell, digit: usize, other: OpenCell, mask: u64| match seen {
            false => mask,
            true => mask & !(1 << if one.by == other.by { digit } else { side - 1 - digit }),
        };
        let mut masks = [0; MAX_CELLS];
        let mut required = u64::MAX;
        for x in Bits(from) {
            let sum = target - x as i32;
            let zs = without(ac, a, x, c, zs);
            let mut ys = without(ab, a, x, b, ys) & beside(zs, sum);
            if bc && b.by == c.by && sum % 2 == 0 {
                ys &= !(1u64.checked_shl(sum as u32 / 2).unwrap_or(0));
            } else if bc && b.by != c.by && sum == side as i32 - 1 {
                ys = 0;
            }
            if ys == 0 {
                continue;
            }
            let zs = beside(ys, sum);
            masks = [masks[0] | 1 << x, masks[1] | ys, masks[2] | zs];
            // Two different pairs of digits with the same sum have no digit in common.
            let pair = if b.by == 0 { zs } else { ys | zs };
            let of_pair = if pair.count_ones() <= 2 { pair } else { 0 };
            required &= of_pair | if a.by == 0 { 0 } else { 1 << x };
        }
        SumSupport { masks: [turned(a, masks[0]), turned(b, masks[1]), turned(c, masks[2])], required }
    }

    /// Tries all combinations of single digits. Works for any coefficients.
    fn by_digits(&self) -> SumSupport {
        let SmallSum { side, open: [a, b, c], sees: [ab, ac, bc], rest } = *self;
        let mut masks = [0u64; MAX_CELLS];
        for x in Bits(a.mask) {
            let rest = rest - a.by * (x as i32 + 1);
            for y in Bits(b.mask) {
                let rest = rest - b.by * (y as i32 + 1);
                // The digits of the first two cells determine the digit of the last cell.
                if ab && x == y || rest % c.by != 0 || !(1..=side as i32).contains(&(rest / c.by)) {
                    continue;
                }
                let z = (rest / c.by - 1) as usize;
                if c.mask >> z & 1 == 1 && !(ac && x == z) && !(bc && y == z) {
                    masks = [masks[0] | 1 << x, masks[1] | 1 << y, masks[2] | 1 << z];
                }
            }
        }
        SumSupport { masks, required: 0 }
    }
}

/// Returns the 0-based digits to which some digit of `mask` can be added so that the sum is `sum`.
fn beside(mask: u64, sum: i32) -> u64 {
    match sum {
        0..=63 => mask.reverse_bits() >> (63 - sum),
        64..=126 => mask.reverse_bits() << (sum - 63),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::random::SplitMix64;

    /// Returns the digits that every solution contains, by trying all combinations of digits.
    fn required(few: &SmallSum) -> u64 {
        let [a, b, c] = few.open;
        let bit = |one: OpenCell, digit: usize| if one.by == 0 { 0 } else { 1 << digit };
        let mut required = u64::MAX;
        for (x, y, z) in
            Bits(a.mask).flat_map(|x| Bits(b.mask).flat_map(move |y| Bits(c.mask).map(move |z| (x, y, z))))
        {
            let sum =
                [(a, x), (b, y), (c, z)].iter().map(|(one, digit)| one.by * (*digit as i32 + 1)).sum::<i32>();
            let [ab, ac, bc] = few.sees;
            if sum == few.rest && !(ab && x == y || ac && x == z || bc && y == z) {
                required &= bit(a, x) | bit(b, y) | bit(c, z);
            }
        }
        required
    }

    #[test]
    fn sets_of_digits_agree_with_single_digits() {
        let mut random = SplitMix64(11);
        let mut solved = 0;
        for _ in 0..40_000 {
            let side = [4, 6, 9, 16, 33, 64][random.below(6)];
            let cells = 1 + random.below(MAX_CELLS);
            let is_cage = random.below(2) == 0;
            let mut few = SmallSum { side, open: [NOTHING; MAX_CELLS], sees: [false; MAX_CELLS], rest: 0 };
            for (cell, open) in few.open.iter_mut().enumerate().skip(MAX_CELLS - cells) {
                let by = if is_cage || random.below(2) == 0 { 1 } else { -1 };
                let all = u64::MAX >> (64 - side);
                let mask = random.word() & all & if random.below(2) == 0 { random.word() } else { u64::MAX };
                *open = OpenCell { cell, by, mask: if mask == 0 { all } else { mask } };
            }
            let is_there = few.open.map(|open| open.by != 0);
            for (sees, (one, other)) in few.sees.iter_mut().zip([(0, 1), (0, 2), (1, 2)]) {
                *sees = is_there[one] && is_there[other] && (is_cage || random.below(2) == 0);
            }
            few.rest = random.below(6 * side) as i32 - if is_cage { 2 } else { 3 * side as i32 };
            let left = few.by_sets();
            assert_eq!(left.masks, few.by_digits().masks, "{few:?}");
            if is_cage && left.masks[2] != 0 {
                assert_eq!(left.required, required(&few), "{few:?}");
                solved += 1;
            }
        }
        assert!(solved > 3_000, "{solved}");
    }

    #[test]
    fn digits_may_count_several_times() {
        let open = [(2, 0b1111), (1, 0b1111), (3, 0b1111)].map(|(by, mask)| OpenCell { cell: 0, by, mask });
        let few = SmallSum { side: 4, open, sees: [true, false, false], rest: 20 };
        // If x and y differ, the solutions (x, y, z) of 2x + y + 3z = 20 are (3, 2, 4), (4, 3, 3) and (2, 4,
        // 4).
        assert_eq!(few.left().masks, [0b1110, 0b1110, 0b1100]);
        // If the digits may be equal, 2x - 3y = 1 has only the solution (2, 1).
        let open = [NOTHING, OpenCell { by: 2, ..open[0] }, OpenCell { by: -3, ..open[0] }];
        let few = SmallSum { open, sees: [false; MAX_CELLS], rest: 1, ..few };
        assert_eq!(few.left().masks[1..], [0b10, 0b1]);
    }

    #[test]
    fn products_of_digits_stay_within_bounds() {
        let mut random = SplitMix64(12);
        for by in [1, -1, 2, -2, 3, -7, 100, -100] {
            for _ in 0..2000 {
                let mask = random.word();
                let least = random.below(400 * 64) as i32 - 200 * 64;
                let greatest = least + random.below(100 * 64) as i32 - 64;
                let open = OpenCell { cell: 0, by, mask };
                let fits = |digit: &usize| (least..=greatest).contains(&(by * (*digit as i32 + 1)));
                let expected = Bits(mask).filter(fits).fold(0, |left, digit| left | 1 << digit);
                assert_eq!(mask & open.within(least, greatest), expected, "{by} {least} {greatest}");
            }
        }
    }
}
