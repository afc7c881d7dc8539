//! Conversion between scores and whole-number costs. Searches for the best solutions use these costs.

use quadrille_model::Direction;

/// Conversion of scores to scaled costs, and of scaled costs to scores.
///
/// Lower costs are better. A scaled cost counts units of 2^-`shift`. If scores are small, units are fractions
/// of a point. If scores are too large, units are several points, and costs are rounded down. So a sum of
/// scaled costs never exceeds the true sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedPoint {
    direction: Direction,
    shift: i32,
}

impl Default for FixedPoint {
    fn default() -> Self {
        FixedPoint { direction: Direction::Minimize, shift: 0 }
    }
}

impl FixedPoint {
    /// Creates the finest scale for which scores up to `largest` still fit into `bits` bits.
    ///
    /// Uses at most `fraction_bits` of these bits for fractions.
    pub(super) fn new(direction: Direction, bits: i32, largest: u64, fraction_bits: i32) -> Self {
        let whole_bits = largest.checked_ilog2().map_or(0, |bits| bits as i32 + 1);
        FixedPoint { direction, shift: (bits - whole_bits).min(fraction_bits) }
    }

    /// Converts a score to a cost, or a cost to a score. Negates the number if higher scores are better.
    fn signed(self, score: i128) -> i128 {
        match self.direction {
            Direction::Minimize => score,
            Direction::Maximize => -score,
        }
    }

    /// Returns the largest scaled lower bound at which a subtree must still be searched.
    ///
    /// The subtree may then contain a solution that is at least `better_by` points better than `score`.
    pub(super) fn limit(self, score: i64, better_by: i64) -> i64 {
        let signed = self.signed(score.into()) - i128::from(better_by);
        clamped(if self.shift >= 0 { signed << self.shift } else { signed >> -self.shift })
    }

    /// Returns the best score that a solution can have. `bound` is a scaled lower bound on the cost of the
    /// solution.
    pub(super) fn score(self, bound: i64) -> i64 {
        let bound = i128::from(bound);
        let signed = if self.shift >= 0 { -(-bound >> self.shift) } else { bound << -self.shift };
        clamped(self.signed(signed))
    }

    /// Returns the scaled value of one point, which is at least 1.
    pub(super) fn point(self) -> i64 {
        1 << self.shift.max(0)
    }
}

fn clamped(wide: i128) -> i64 {
    wide.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
