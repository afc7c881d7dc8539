//! Searches grids whose rules are houses, pairs of different cells and a few tables of relations.
//!
//! The [board](super::board) has one mask of digits per cell and queues of changes. This search stores the
//! set of places of each digit instead, in a few words. So a rule takes one or two operations on all places
//! of a digit, and a node is a copy:
//!
//! ```text
//! places   per digit, the cells that may hold it              9 x 2 words at side 9
//! open     per digit, the houses without a fixed cell for it  9 x 1 word
//! fixed    cells whose digit is removed from their peers      2 words
//! ```
//! * [`sets`]: the rules as sets; [`links`]: relations; [`leftovers`]: sets of cells with the same digits,
//!   which follow from regions; [`numbered`]: lists whose entries are numbered by the bits of a word.
//! * [`state`]: propagation of the places; [`search`]: the choice of a branching.
//!
//! Only the state determines the choice, so no trial run is needed as for other rules: from the first node
//! on, the tree is a function of the problem.

mod leftovers;
mod links;
mod numbered;
mod search;
mod sets;
mod state;

use std::sync::Arc;

use crate::search_context::SearchContext;
use quadrille_model::rules::Rules;
use quadrille_model::{EndedBy, Puzzle};
use search::PlacesSearch;

/// Maximum side.
const MAX_SIDE: usize = 16;
/// Maximum number of full houses.
const MAX_HOUSES: usize = numbered::MAX_NUMBERS;

/// Three searches with memory of different sizes, for grids of different side lengths.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Search for grids with a side length of 8 or less.
    small: PlacesSearch<1, 8>,
    nine: PlacesSearch<2, 9>,
    /// Search for grids with a side length of 10 or more.
    large: PlacesSearch<4, MAX_SIDE>,
}

impl Places {
    /// Returns true if this search supports the given grid and its rules.
    pub(super) fn takes(puzzle: &Puzzle, rules: &Rules) -> bool {
        rules.sums().is_empty()
            && rules.quotas().is_empty()
            && rules.tables().len() <= links::MAX_TABLES
            && puzzle.constraints().is_empty()
            && rules.shape().side() <= MAX_SIDE
            && rules.houses().len() <= MAX_HOUSES
    }

    /// Searches a grid, which must be [supported](Self::takes).
    pub(super) fn search(
        &mut self,
        puzzle: &Puzzle,
        rules: &Arc<Rules>,
        run: &mut SearchContext<'_>,
    ) -> Result<(), EndedBy> {
        match rules.shape().side() {
            ..=8 => self.small.search(puzzle, rules, run),
            9 => self.nine.search(puzzle, rules, run),
            _ => self.large.search(puzzle, rules, run),
        }
    }
}
