//! Scores in the form in which searches for the best compute with them.

use quadrille_model::Direction;

/// Converts between given scores and scaled costs.
///
/// Scaled costs have a sign such that less is better, and are whole numbers of units of 2^-`shift`. If scores are
/// small, there are bits for fractions; if they are too large, costs are rounded down. So a sum of scaled costs is
/// never above the true sum.
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
    /// Creates the finest scale on which scores up to `largest` fit in `bits` bits.
    ///
    /// At most `fraction_bits` of the bits are for fractions.
    pub(super) fn new(direction: Direction, bits: i32, largest: u64, fraction_bits: i32) -> Self {
        let whole_bits = largest.checked_ilog2().map_or(0, |bits| bits as i32 + 1);
        FixedPoint { direction, shift: (bits - whole_bits).min(fraction_bits) }
    }

    /// Converts a score to a cost, or back: negates it if more is better.
    fn signed(self, score: i128) -> i128 {
        match self.direction {
            Direction::Minimize => score,
            Direction::Maximize => -score,
        }
    }

    /// Returns the largest scaled bound that allows a solution at least `better_by` points better than `score`.
    pub(super) fn limit(self, score: i64, better_by: i64) -> i64 {
        let signed = self.signed(score.into()) - i128::from(better_by);
        clamped(if self.shift >= 0 { signed << self.shift } else { signed >> -self.shift })
    }

    /// Returns the best score that a scaled bound allows.
    pub(super) fn score(self, bound: i64) -> i64 {
        let bound = i128::from(bound);
        let signed = if self.shift >= 0 { -(-bound >> self.shift) } else { bound << -self.shift };
        clamped(self.signed(signed))
    }

    /// Returns the scaled value of one point; at least 1.
    pub(super) fn point(self) -> i64 {
        1 << self.shift.max(0)
    }
}

fn clamped(wide: i128) -> i64 {
    wide.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
