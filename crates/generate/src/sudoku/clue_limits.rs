//! Conditions on the clues of a record.

use super::cells::CellSet;
use super::remove_clues::thin;
use super::solved_grid::SolvedGrid;
use super::unavoidable_sets::UnavoidableSets;
use super::{Kind, Request};
use quadrille_model::random::Random;

/// Used in place of an attempt number for random numbers that all attempts at a record share.
const FOR_THE_RECORD: u64 = u64::MAX;

/// Conditions on the clues of a record.
#[derive(Debug)]
pub(super) struct ClueLimits {
    pub minimal: bool,
    /// Number of clues at which to stop removing more.
    stop: u32,
    fewest: u32,
    most: u32,
}

impl ClueLimits {
    pub(super) fn new(request: &Request, index: u64) -> Self {
        let cells = request.geometry.cells() as u32;
        if request.kind != Kind::Puzzles {
            let clues = request.clues.clone().unwrap_or(0..=cells);
            return ClueLimits { minimal: true, stop: 0, fewest: *clues.start(), most: *clues.end() };
        }
        let stop = number_of_clues(request, index, 3 * cells / 8);
        ClueLimits { minimal: false, stop, fewest: stop, most: stop }
    }

    /// Returns the number of clues at which the removal of clues may stop.
    pub(super) fn enough(&self) -> u32 {
        self.stop
    }

    /// Removes clues of a puzzle with one solution, in random order.
    ///
    /// Returns `None` if the clues left do not meet the conditions. `witnesses` are as in [`thin`].
    pub(super) async fn puzzle_within(
        &self,
        board: &SolvedGrid,
        clues: CellSet,
        random: &mut Random,
        witnesses: &mut UnavoidableSets,
    ) -> Option<CellSet> {
        let mut order: Vec<u16> = clues.iter().map(|cell| cell as u16).collect();
        random.shuffle(&mut order);
        let thinned = thin(board, clues, &order, self.stop, self.minimal, witnesses).await;
        let fits = (self.fewest..=self.most).contains(&thinned.clues.len());
        (fits && (thinned.proved || !self.minimal)).then_some(thinned.clues)
    }
}

/// Draws the number of clues that a record must have.
pub(super) fn number_of_clues(request: &Request, index: u64, by_default: u32) -> u32 {
    request.clues.as_ref().map_or(by_default, |clues| {
        // One number is drawn for the record, not one per attempt: otherwise numbers that succeed more often would be
        // more frequent.
        let random = &mut Random::new(request.seed, index, FOR_THE_RECORD);
        clues.start() + random.below(clues.end() - clues.start() + 1)
    })
}
