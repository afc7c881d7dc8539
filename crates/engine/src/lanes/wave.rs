//! A wave: the candidates of the puzzles in all lanes, with one bit per lane.

use quadrille_model::simd::{Vector, words_mut};

/// A matrix of triads. A triad is a set of three cells that a line and a box share.
///
/// For a band, the matrix holds the mini-rows, indexed by row and box (`3 * row + box`). For a stack, it
/// holds the mini-columns, indexed by column and box (`3 * column + box`).
pub(super) type Matrix<V> = [V; 9];

/// The six matrices of a digit: bands 0 to 2, then stacks 0 to 2.
pub(super) type Triads<V> = [Matrix<V>; 6];

/// Facts that propagation keeps about the lanes of a wave, in addition to the candidates.
pub(super) trait Knowledge<V>: Send {
    /// Resets the facts about `lanes`, because the states of these lanes are replaced.
    fn forget(&mut self, lanes: V);
}

/// Search states of the puzzles in all lanes. Each vector has one bit per lane.
pub(super) struct Wave<V, K> {
    /// For each digit and cell, the lanes in which the cell may still hold the digit.
    ///
    /// The digit is the first index because a pass works on one digit at a time. The data for one digit (2.6
    /// KiB with 256 lanes) then stays in the first-level cache.
    pub(super) candidates: [[V; 81]; 9],
    /// For each cell, the lanes in which the cell had exactly one candidate. This is as of the last pass that
    /// examined the cells.
    pub(super) single: [V; 81],
    pub(super) known: K,
    /// The result of the last run of propagation over all lanes.
    pub(super) verdict: WaveResult<V>,
    /// A vector with every bit set.
    ///
    /// The vector is loaded from memory so that the compiler treats it as a variable. If it were a constant,
    /// the compiler would turn an OR with a complement into two instructions and a load.
    pub(super) ones: V,
}

/// Rules that a grid has in addition to the rules of plain sudoku, with the facts that propagation keeps
/// about these rules.
pub(super) trait ExtraRules<V>: Knowledge<V> {
    /// Adds to `pinned[digit]` the lanes in which the digit has at most one place in an additional house.
    ///
    /// Only the additional houses that contain `cell` are considered.
    fn add_pinned(&self, cell: usize, pinned: &mut [V; 9]);

    /// Propagates the additional rules for one digit.
    ///
    /// In the last pass of a wave, this applies all of these rules and records the lanes that changed.
    fn draw(&mut self, digit: DigitCells<'_, V>, result: &mut WaveResult<V>);
}

/// One digit in a pass.
pub(super) struct DigitCells<'a, V> {
    pub(super) digit: usize,
    /// For each cell, the lanes in which the cell may still hold the digit that is being propagated.
    pub(super) cells: &'a mut [V; 81],
    /// For each cell, the lanes in which the cell has exactly one candidate.
    pub(super) single: &'a [V; 81],
    /// Number of passes that follow in the same wave. It is zero in the last pass.
    pub(super) left: usize,
}

impl<V: Vector> Knowledge<V> for () {
    #[inline(always)]
    fn forget(&mut self, _: V) {}
}

/// No further rules.
impl<V: Vector> ExtraRules<V> for () {
    #[inline(always)]
    fn add_pinned(&self, _: usize, _: &mut [V; 9]) {}

    #[inline(always)]
    fn draw(&mut self, _: DigitCells<'_, V>, _: &mut WaveResult<V>) {}
}

/// Facts that propagation keeps in addition to the candidates, for lanes of plain grids.
pub(super) struct PlainKnowledge<V, F = ()> {
    /// For each box and digit, the lanes in which the digit is known to have at most one place in the box.
    pub(super) pinned: [[V; 9]; 9],
    /// For each digit, the triads that can hold the digit, as found in the last pass of a wave.
    ///
    /// A triad can hold the digit if a possible placement of the digit in the triad's band or stack uses the
    /// triad.
    pub(super) triads: [Triads<V>; 9],
    /// Rules other than rows, columns and boxes, together with the facts that propagation keeps about these
    /// rules.
    pub(super) further: F,
}

impl<V: Vector, F: ExtraRules<V>> PlainKnowledge<V, F> {
    /// Creates the knowledge of a new wave, in which nothing is known yet.
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

/// The results of a wave, as sets of lanes. Lanes without a puzzle are treated as lanes with a contradiction.
#[derive(Clone, Copy)]
pub(super) struct WaveResult<V> {
    /// Lanes without a contradiction so far.
    pub(super) alive: V,
    /// Lanes in which every cell has a digit and no house has a digit twice. A subset of `alive`.
    pub(super) solved: V,
    /// Lanes that the last pass changed.
    ///
    /// A lane must branch if it is alive, not solved and not changed.
    pub(super) changed: V,
}

impl<V: Vector, K> Wave<V, K> {
    /// Creates a wave (the state of all lanes) in which no cell has a candidate.
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

    /// Stores the results of all passes. In solved lanes every cell has a digit.
    #[inline(always)]
    pub(super) fn conclude(&mut self, result: WaveResult<V>) {
        let mut solved = result.alive;
        for cell in 0..81 {
            solved = solved.and(self.single[cell]);
        }
        self.verdict = WaveResult { solved, ..result };
    }

    /// Removes a candidate from the grid of one lane.
    #[inline]
    pub(super) fn exclude(&mut self, lane: usize, digit: usize, cell: usize) {
        words_mut(&mut self.candidates[digit])[cell * V::WORDS + lane / 64] &= !(1 << (lane % 64));
    }
}
