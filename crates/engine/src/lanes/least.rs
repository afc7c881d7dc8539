//! Finds the least solution of a lane's puzzle: the first one when all solutions are sorted by their digits
//! in reading order.
//!
//! The lane first searches for two solutions. Most puzzles have only one solution, which is then the answer.
//! Otherwise the lane starts again and branches on the first open cell, with the smallest digit first. The
//! first solution that it finds is then the least. Branching in this order finds contradictions late. So a
//! proof of uniqueness would take many times as long. Puzzles with several solutions have fewer
//! contradictions: finding the least solution takes twice the nodes of finding any solution. For a few
//! puzzles, branching in reading order takes too long. They reach the node limit of the short first search.
//! Another engine then fixes their cells one by one (`search_least`).

use super::wave::Wave;
use quadrille_model::Packed9x9;
use quadrille_model::simd::Vector;

/// State of a lane's search for the least solution.
pub(super) struct Least {
    puzzle: Packed9x9,
    phase: Phase,
    /// The last solution found, one 0-based digit per cell. It has no meaning before the first solution.
    found: [u8; 81],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No solution is known.
    First,
    /// One solution has been found, and the lane searches for a second one.
    Second,
    /// The puzzle has several solutions, and the lane branches on the first open cell.
    InReadingOrder,
}

/// The next step of a lane after it has found a solution.
pub(super) enum AfterSolution {
    /// The lane continues with the next state on its stack.
    Continue,
    /// The lane drops all states on its stack and starts again with this puzzle.
    Restart(Packed9x9),
    /// The lane is finished, because the solution is the least one.
    End,
}

impl Least {
    /// Creates the state for a puzzle whose search has not begun.
    pub(super) fn new(puzzle: &Packed9x9) -> Self {
        Least { puzzle: *puzzle, phase: Phase::First, found: [0; 81] }
    }

    /// Records a solution and returns the next step of the lane.
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

    /// Returns the least solution, or `None` if the puzzle has no solution.
    ///
    /// Valid only if the lane has no states left to search on its stack.
    pub(super) fn solution(&self) -> Option<&[u8; 81]> {
        (self.phase != Phase::First).then_some(&self.found)
    }

    /// Branches on the first open cell if the lane searches in reading order.
    ///
    /// The lane continues with the smallest digit of the cell, and `state` keeps the cell's other digits.
    /// Returns false, without a change, if the lane does not search in reading order.
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
