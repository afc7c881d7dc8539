//! The state of a wave, one bit per lane.

use quadrille_model::simd::{Vector, words_mut};

/// A matrix of triads.
///
/// The matrix has the 3x3 mini-rows of a band by row and box (`3 * row + box`), or the mini-columns of a stack by
/// column and box (`3 * column + box`).
pub(super) type Matrix<V> = [V; 9];

/// The six matrices of a digit: bands 0 to 2, then stacks 0 to 2.
pub(super) type Triads<V> = [Matrix<V>; 6];

/// Knowledge about a wave that the passes of a kind of grid keep in addition to its candidates.
pub(super) trait Knowledge<V>: Send {
    /// Resets the knowledge about `lanes`, whose states are replaced.
    fn forget(&mut self, lanes: V);
}

/// Search states of the puzzles in all lanes, one bit of each vector per lane.
pub(super) struct Wave<V, K> {
    /// `[digit][cell]`: the lanes that still allow the digit in the cell. Digit-major, so that the part of it
    /// that a pass touches for one digit (2.6 KiB with 256 lanes) stays in the first-level cache.
    pub(super) candidates: [[V; 81]; 9],
    /// `[cell]`: the lanes in which the cell had exactly one candidate when a pass last checked cells.
    pub(super) single: [V; 81],
    pub(super) known: K,
    /// The result of the last wave.
    pub(super) verdict: WaveResult<V>,
    /// Every bit set. It is loaded from memory so that the compiler takes it for a variable. From a constant
    /// the compiler would turn an OR with a complement into two instructions and a load.
    pub(super) ones: V,
}

/// Rules in addition to those of plain grids.
pub(super) trait ExtraRules<V>: Send {
    /// Adds to `pinned` the lanes in which a digit has at most one place in a further house.
    ///
    /// `pinned` is indexed by digit. Only the further houses of `cell` count.
    fn add_pinned(&self, cell: usize, pinned: &mut [V; 9]);

    /// Resets the knowledge about `lanes`.
    fn forget(&mut self, lanes: V);

    /// Propagates the further rules for one digit.
    ///
    /// The last pass of a wave applies all of them and notes the lanes that changed.
    fn draw(&mut self, digit: DigitCells<'_, V>, result: &mut WaveResult<V>);
}

/// One digit in a pass.
pub(super) struct DigitCells<'a, V> {
    pub(super) digit: usize,
    /// The lanes that still allow the digit, by cell.
    pub(super) cells: &'a mut [V; 81],
    /// The lanes in which the cell has one candidate, by cell.
    pub(super) single: &'a [V; 81],
    /// True in the last pass of a wave.
    pub(super) is_last: bool,
}

/// No further rules.
impl<V: Vector> ExtraRules<V> for () {
    #[inline(always)]
    fn add_pinned(&self, _: usize, _: &mut [V; 9]) {}

    #[inline(always)]
    fn forget(&mut self, _: V) {}

    #[inline(always)]
    fn draw(&mut self, _: DigitCells<'_, V>, _: &mut WaveResult<V>) {}
}

/// Knowledge about lanes of plain grids.
pub(super) struct PlainKnowledge<V, F = ()> {
    /// `[box][digit]`: the lanes in which the digit is known to have at most one place in the box.
    pub(super) pinned: [[V; 9]; 9],
    /// `[digit]`: the triads that its permutations use, as of the last pass of a wave.
    pub(super) triads: [Triads<V>; 9],
    /// Rules other than rows, columns and boxes, with the knowledge about them.
    pub(super) further: F,
}

impl<V: Vector, F: ExtraRules<V>> PlainKnowledge<V, F> {
    /// Creates the knowledge of a new wave, about which nothing is known yet.
    pub(super) fn new(token: V::Token, further: F) -> Self {
        let zero = V::zero(token);
        PlainKnowledge { pinned: [[zero; 9]; 9], triads: [[[zero; 9]; 6]; 9], further }
    }
}

impl<V: Vector, F: ExtraRules<V>> Knowledge<V> for PlainKnowledge<V, F> {
    #[inline(always)]
    fn forget(&mut self, lanes: V) {
        for known in self.pinned.as_flattened_mut() {
            *known = known.and_not(lanes);
        }
        self.further.forget(lanes);
    }
}

/// The results of a wave, by lane. Lanes without a puzzle count as contradictory.
#[derive(Clone, Copy)]
pub(super) struct WaveResult<V> {
    /// Lanes without a contradiction so far.
    pub(super) alive: V,
    /// Lanes in which every cell has its digit and no house has a digit twice. A subset of `alive`.
    pub(super) solved: V,
    /// Lanes in which the last pass changed something. A live lane that is neither solved nor changed must
    /// branch.
    pub(super) changed: V,
}

impl<V: Vector, K> Wave<V, K> {
    /// Creates a wave without any candidates.
    pub(super) fn new(token: V::Token, known: K) -> Box<Self> {
        let zero = V::zero(token);
        let mut ones = [zero];
        words_mut(&mut ones).fill(u64::MAX);
        Box::new(Wave {
            candidates: [[zero; 81]; 9],
            single: [zero; 81],
            known,
            verdict: WaveResult { alive: zero, solved: zero, changed: zero },
            ones: ones[0],
        })
    }

    /// Removes a candidate in one lane.
    #[inline]
    pub(super) fn exclude(&mut self, lane: usize, digit: usize, cell: usize) {
        words_mut(&mut self.candidates[digit])[cell * V::WORDS + lane / 64] &= !(1 << (lane % 64));
    }
}
