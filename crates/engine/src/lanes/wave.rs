//! The state of a wave, bit by lane.

use quadrille_model::simd::{Vector, words_mut};

/// A matrix of triads: the 3x3 mini-rows of a band by row and box (`3 * row + box`), or the mini-columns of a
/// stack by column and box (`3 * column + box`).
pub(super) type Matrix<V> = [V; 9];

/// The six matrices of a digit: bands 0 to 2, then stacks 0 to 2.
pub(super) type Triads<V> = [Matrix<V>; 6];

/// What the passes of a kind of grid know of a wave beside its candidates.
pub(super) trait Known<V>: Send {
    /// Forgets what is known of lanes whose states are replaced.
    fn forget(&mut self, lanes: V);
}

/// Search states of as many puzzles as a vector has bits.
pub(super) struct Wave<V, K> {
    /// `[digit][cell]`: the lane still allows the digit in the cell. Digit-major, so that what a digit's part of
    /// a pass touches (2.6 KiB with 256 lanes) stays in the first-level cache.
    pub(super) candidates: [[V; 81]; 9],
    /// `[cell]`: had exactly one candidate when a pass last looked at cells.
    pub(super) single: [V; 81],
    pub(super) known: K,
    /// The result of the last wave.
    pub(super) verdict: Verdict<V>,
    /// Every bit set. From memory, so that the compiler takes it for a variable: it would turn an OR with a complement
    /// into two instructions and a load.
    pub(super) ones: V,
}

/// Rules that passes of plain grids do not know.
pub(super) trait Further<V>: Send {
    /// Adds, by digit, if it is known to have no more than one place in a house of a cell.
    fn add_pinned(&self, cell: usize, pinned: &mut [V; 9]);

    /// Forgets what is known of some lanes.
    fn forget(&mut self, lanes: V);

    /// Draws what follows for a digit; in the last pass of a wave all of it, and looks for change.
    fn draw(
        &mut self,
        digit: usize,
        cells: &mut [V; 81],
        single: &[V; 81],
        is_last: bool,
        alive: &mut V,
        changed: &mut V,
    );
}

/// None.
impl<V: Vector> Further<V> for () {
    #[inline(always)]
    fn add_pinned(&self, _: usize, _: &mut [V; 9]) {}

    #[inline(always)]
    fn forget(&mut self, _: V) {}

    #[inline(always)]
    fn draw(&mut self, _: usize, _: &mut [V; 81], _: &[V; 81], _: bool, _: &mut V, _: &mut V) {}
}

/// What is known in plain grids.
pub(super) struct PlainKnown<V, F = ()> {
    /// `[box][digit]`: known to have no more than one place in the box.
    pub(super) pinned: [[V; 9]; 9],
    /// `[digit]`: where its permutations lead through, as of the last pass of a wave.
    pub(super) triads: [Triads<V>; 9],
    /// Rules beside rows, columns and boxes, with what is known of them.
    pub(super) further: F,
}

impl<V: Vector, F: Further<V>> PlainKnown<V, F> {
    /// Nothing.
    pub(super) fn new(token: V::Token, further: F) -> Self {
        let zero = V::zero(token);
        PlainKnown { pinned: [[zero; 9]; 9], triads: [[[zero; 9]; 6]; 9], further }
    }
}

impl<V: Vector, F: Further<V>> Known<V> for PlainKnown<V, F> {
    #[inline(always)]
    fn forget(&mut self, lanes: V) {
        for known in self.pinned.as_flattened_mut() {
            *known = known.and_not(lanes);
        }
        self.further.forget(lanes);
    }
}

/// The results of a wave by lane; lanes without a puzzle count as contradictory.
#[derive(Clone, Copy)]
pub(super) struct Verdict<V> {
    /// No contradiction met.
    pub(super) alive: V,
    /// Every cell has its digit, and no house has one twice. Part of `alive`.
    pub(super) solved: V,
    /// The last pass changed something. Neither this nor solved, but alive: the lane has to branch.
    pub(super) changed: V,
}

impl<V: Vector, K> Wave<V, K> {
    /// No candidates anywhere.
    pub(super) fn new(token: V::Token, known: K) -> Box<Self> {
        let zero = V::zero(token);
        let mut ones = [zero];
        words_mut(&mut ones).fill(u64::MAX);
        Box::new(Wave {
            candidates: [[zero; 81]; 9],
            single: [zero; 81],
            known,
            verdict: Verdict { alive: zero, solved: zero, changed: zero },
            ones: ones[0],
        })
    }

    /// Takes a candidate from one lane.
    #[inline]
    pub(super) fn exclude(&mut self, lane: usize, digit: usize, cell: usize) {
        words_mut(&mut self.candidates[digit])[cell * V::WORDS + lane / 64] &= !(1 << (lane % 64));
    }
}
