//! Conditions on the clues of a record.

use super::cells::CellSet;
use super::remove_clues::{Removal, is_minimal, thin};
use super::solved_grid::SolvedGrid;
use super::unavoidable_sets::UnavoidableSets;
use super::{Kind, Request, Symmetry};
use quadrille_model::random::Random;

/// Seed for random numbers that all attempts at a record share. It is used in place of the attempt number.
const FOR_THE_RECORD: u64 = u64::MAX;

/// Conditions on the clues of a record.
#[derive(Debug)]
pub(super) struct ClueLimits {
    pub minimal: bool,
    /// Number of clues at which the removal of clues stops.
    pub(super) stop: u32,
    fewest: u32,
    most: u32,
    symmetry: Option<Symmetry>,
}

impl ClueLimits {
    pub(super) fn new(request: &Request, index: u64) -> Self {
        let cells = request.geometry.cells() as u32;
        if request.kind != Kind::Puzzles {
            let clues = request.clues.clone().unwrap_or(0..=cells);
            let (fewest, most) = (*clues.start(), *clues.end());
            return ClueLimits { minimal: true, stop: 0, fewest, most, symmetry: request.symmetry };
        }
        let mut stop = number_of_clues(request, index, 3 * cells / 8);
        if let Some(symmetry) = request.symmetry {
            let possible = symmetry.possible_numbers(&request.geometry);
            let most = request.clues.as_ref().map_or(cells, |clues| *clues.end());
            let mut nearest = (stop..=most).chain((0..stop).rev());
            stop = nearest.find(|&number| possible[number as usize]).unwrap_or(stop);
        }
        ClueLimits { minimal: false, stop, fewest: stop, most: stop, symmetry: request.symmetry }
    }

    /// Removes clues of a puzzle with one solution, in random order.
    ///
    /// Returns `None` if the remaining clues do not meet the conditions. For `witnesses`, see [`thin`].
    pub(super) async fn puzzle_within(
        &self,
        board: &SolvedGrid,
        clues: CellSet,
        random: &mut Random,
        witnesses: &mut UnavoidableSets,
    ) -> Option<CellSet> {
        let mut order: Vec<u16> = clues.iter().map(|cell| cell as u16).collect();
        random.shuffle(&mut order);
        let removal = Removal { stop: self.stop, symmetry: self.symmetry, must_prove: self.minimal };
        let thinned = thin(board, clues, &order, removal, witnesses).await;
        let fits = (self.fewest..=self.most).contains(&thinned.clues.len());
        if !fits || (self.minimal && !thinned.proved) {
            return None;
        }
        // With symmetry, clues are removed in groups. The removal then proves only that a whole group is
        // needed. A single clue of the group may still not be needed, so a separate check is necessary.
        let is_proved = !self.minimal || self.symmetry.is_none() || is_minimal(board, thinned.clues).await;
        is_proved.then_some(thinned.clues)
    }
}

/// Draws the number of clues that a record must have.
pub(super) fn number_of_clues(request: &Request, index: u64, by_default: u32) -> u32 {
    request.clues.as_ref().map_or(by_default, |clues| {
        // All attempts at a record use the same number of clues. With some numbers, attempts succeed more
        // often than with others. If each attempt drew its own number, those numbers would be too frequent.
        let random = &mut Random::new(request.seed, index, FOR_THE_RECORD);
        clues.start() + random.below(clues.end() - clues.start() + 1)
    })
}
