//! The least solution in reading order of the puzzle in a lane.
//!
//! The lane searches for two solutions first; most puzzles have one, and are done. Otherwise it starts again and
//! branches on the first open cell, with its smallest digit first: then the first solution is the least. Such
//! branches find contradictions late, so that a proof of uniqueness would take many times as long with them. Puzzles
//! with several solutions have fewer contradictions: finding the least takes twice the nodes of finding any solution.
//! The few for which this order is bad reach the limit of the first, short search, and another engine fixes their
//! cells one by one (`search_least`).

use super::wave::Wave;
use quadrille_model::Packed9x9;
use quadrille_model::simd::Vector;

/// State of a search for the least solution.
pub(super) struct Least {
    puzzle: Packed9x9,
    phase: Phase,
    /// The last solution, one 0-based digit per cell; without meaning in the first phase.
    found: [u8; 81],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No solution is known.
    First,
    /// One solution is known, and a second one is searched for.
    Second,
    /// The puzzle has several solutions; the lane branches on the first open cell.
    InReadingOrder,
}

/// The next step of a lane after a solution.
pub(super) enum AfterSolution {
    /// The lane continues with its next state.
    Continue,
    /// The lane drops its states and starts again with the puzzle.
    Restart(Packed9x9),
    /// The lane is done: the solution is the least.
    End,
}

impl Least {
    /// Creates the state for a puzzle that was not searched yet.
    pub(super) fn new(puzzle: &Packed9x9) -> Self {
        Least { puzzle: *puzzle, phase: Phase::First, found: [0; 81] }
    }

    /// Takes a solution and returns the next action of the lane.
    pub(super) fn take(&mut self, digits: [u8; 81]) -> AfterSolution {
        self.found = digits;
        match self.phase {
            Phase::First => {
                self.phase = Phase::Second;
                AfterSolution::Continue
            }
            Phase::Second => {
                self.phase = Phase::InReadingOrder;
                AfterSolution::Restart(self.puzzle)
            }
            Phase::InReadingOrder => AfterSolution::End,
        }
    }

    /// Returns the least solution of a lane that has no state left, or `None` if the puzzle has no solution.
    pub(super) fn solution(&self) -> Option<&[u8; 81]> {
        (self.phase != Phase::First).then_some(&self.found)
    }

    /// Branches on the first open cell: the lane of the wave takes its smallest digit, and `state` the others.
    ///
    /// Returns false if the lane must branch in another way.
    pub(super) fn branch<V: Vector, K>(
        &self,
        lane: usize,
        wave: &mut Wave<V, K>,
        state: &mut Packed9x9,
    ) -> bool {
        let cell = state.single_and_empty().0.trailing_ones() as usize;
        let digit = (0..9).find(|&digit| cell < 81 && state.allows(cell, digit));
        let Some(digit) = digit.filter(|_| self.phase == Phase::InReadingOrder) else { return false };
        state.exclude(cell, digit);
        for other in (0..9).filter(|&other| other != digit) {
            wave.exclude(lane, other, cell);
        }
        true
    }
}
