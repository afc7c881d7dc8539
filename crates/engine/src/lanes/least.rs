//! The least solution in reading order of the puzzle in a lane.
//!
//! The lane searches for two solutions first; most puzzles have one, and are done. Otherwise it starts again and
//! branches on the first open cell, with its smallest digit first: then the first solution is the least. Such branches
//! find contradictions late, so that a proof of uniqueness would take many times as long with them. Puzzles with several
//! solutions have fewer contradictions: they take twice the nodes of one solution. The few in which this order is bad
//! reach the limit of the first, short search, and another engine fixes their cells one by one (`search_least`).

use super::kind::GridKind;
use super::search::Search;
use crate::{Client, Event};
use quadrille_model::simd::Vector;
use quadrille_model::{EndedBy, Packed9x9, Solution};

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
    /// One solution is known; any other one is searched.
    Second,
    /// There are several; the first open cell is branched on.
    InReadingOrder,
}

impl Least {
    /// Creates the state for a puzzle that was not searched yet.
    pub(super) fn new(puzzle: &Packed9x9) -> Self {
        Least { puzzle: *puzzle, phase: Phase::First, found: [0; 81] }
    }
}

impl<V: Vector, K: GridKind<V>> Search<V, K> {
    /// Notes a solution in a lane that searches for the least one, and continues.
    pub(super) fn found_candidate(&mut self, lane: usize, digits: &[u8; 81], client: &mut dyn Client) {
        let held = &mut self.lanes[lane];
        let Some(least) = &mut held.least else { return };
        least.found = *digits;
        match least.phase {
            Phase::First => {
                least.phase = Phase::Second;
                self.backtrack(lane, client);
            }
            Phase::Second => {
                least.phase = Phase::InReadingOrder;
                let puzzle = least.puzzle;
                held.stack.clear();
                self.load(lane, &puzzle, client);
            }
            Phase::InReadingOrder => self.finish_least(lane, client),
        }
    }

    /// Ends the search for the least solution in a lane that has no state left.
    pub(super) fn finish_least(&mut self, lane: usize, client: &mut dyn Client) {
        let held = &mut self.lanes[lane];
        match &held.least {
            Some(least) if least.phase != Phase::First => {
                held.totals.found = 1;
                let solution = Solution::Digits(&least.found);
                client.report(Event::Solution { ticket: held.ticket, solution });
                self.finish(lane, EndedBy::Limit, client);
            }
            _ => self.finish(lane, EndedBy::Complete, client),
        }
    }

    /// Branches on the first open cell of a stalled lane, whose state must be the last of its stack.
    ///
    /// Returns false if the lane must branch in another way.
    pub(super) fn branch_in_reading_order(&mut self, lane: usize) -> bool {
        let held = &mut self.lanes[lane];
        if held.least.as_ref().is_none_or(|least| least.phase != Phase::InReadingOrder) {
            return false;
        }
        let Some(state) = held.stack.last_mut() else { return false };
        let (single, _) = state.single_and_empty();
        let cell = single.trailing_ones() as usize;
        let Some(digit) = (0..9).find(|&digit| state.allows(cell, digit)) else { return false };
        state.exclude(cell, digit);
        for other in (0..9).filter(|&other| other != digit) {
            self.wave.exclude(lane, other, cell);
        }
        true
    }
}
