//! Scores as the relaxation computes them: signed so that larger is better, and with bits for fractions.

use crate::model::{Direction, Puzzle};

/// Largest scaled value of a candidate: sums over all cells and prices stay far from the ends of 64 bits.
const LARGEST: u64 = 1 << 40;
/// Bits for fractions of a point, where there are as many.
const FRACTION_BITS: i32 = 12;

/// The scale of one problem: scaled is signed times `2^shift`, rounded up, so that a bound stays a bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    direction: Direction,
    shift: i32,
}

impl Scale {
    /// The finest scale on which a puzzle's weights fit.
    pub(crate) fn of(puzzle: &Puzzle, direction: Direction) -> Self {
        let largest = puzzle.weights().map_or(0, |weights| {
            let values = puzzle.candidates().iter().enumerate().flat_map(|(cell, set)| {
                set.iter().map(move |digit| weights.value(cell, digit).unsigned_abs())
            });
            values.max().unwrap_or(0)
        });
        let room = LARGEST.ilog2() as i32 - largest.checked_ilog2().map_or(0, |bits| bits as i32 + 1);
        Scale { direction, shift: room.min(FRACTION_BITS) }
    }

    /// A value, scaled.
    pub(crate) fn scaled(&self, value: i64) -> i64 {
        let signed = match self.direction {
            Direction::Maximize => value,
            Direction::Minimize => -value,
        };
        if self.shift >= 0 { signed << self.shift } else { -(-signed >> -self.shift) }
    }

    /// The least scaled bound that allows a signed score.
    pub(crate) fn least_bound(&self, score: i64) -> i64 {
        if self.shift < 0 {
            return -(-i128::from(score) >> -self.shift) as i64;
        }
        let wide = i128::from(score) << self.shift;
        wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Returns the scaled value of one point; at least 1.
    pub(crate) fn point(&self) -> i64 {
        1 << self.shift.max(0)
    }

    /// The largest signed score that a scaled bound allows.
    pub(crate) fn score(&self, scaled: i64) -> i64 {
        if self.shift >= 0 {
            scaled >> self.shift
        } else {
            let wide = i128::from(scaled) << -self.shift;
            wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
        }
    }
}
