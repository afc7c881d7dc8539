//! Scores as searches for the best compute with them.

use quadrille_model::Direction;

/// Between scores as given and costs as searched with: signed so that less is better, and scaled, which are whole numbers
/// of 2^-shift. There are bits for fractions, or, where scores are too large for that, costs are rounded down. So a scaled
/// sum is never above the scaled sum of the true costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    direction: Direction,
    shift: i32,
}

impl Default for Scale {
    fn default() -> Self {
        Scale { direction: Direction::Minimize, shift: 0 }
    }
}

impl Scale {
    /// The finest scale on which a score with the largest value fits in so many bits, of which so many at most are for
    /// fractions.
    pub(super) fn new(direction: Direction, bits: i32, largest: u64, fraction_bits: i32) -> Self {
        let whole_bits = largest.checked_ilog2().map_or(0, |bits| bits as i32 + 1);
        Scale { direction, shift: (bits - whole_bits).min(fraction_bits) }
    }

    /// A score with the sign that makes less better, and back.
    fn signed(self, score: i128) -> i128 {
        match self.direction {
            Direction::Minimize => score,
            Direction::Maximize => -score,
        }
    }

    /// The largest scaled bound under which there may be a solution at least as good as a score, by a number of points
    /// better where these are given.
    pub(super) fn limit(self, score: i64, better_by: i64) -> i64 {
        let signed = self.signed(score.into()) - i128::from(better_by);
        clamped(if self.shift >= 0 { signed << self.shift } else { signed >> -self.shift })
    }

    /// The best score that a scaled bound allows.
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
