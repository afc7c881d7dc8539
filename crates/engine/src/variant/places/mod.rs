//! Rules of houses, pairs of different cells and a few tables of relations, on sets of places.
//!
//! The [board](super::board) has a mask of digits a cell, and queues of what has changed. Here each digit has the set of its
//! places instead, a few words, so that a rule is an operation or two on all places of a digit, and a node is a copy:
//!
//! ```text
//! places   per digit the cells that may hold it        9 x 2 words at side 9
//! open     per digit the houses where it has no cell   9 x 1 word
//! fixed    the cells with one digit whose peers know   2 words
//! ```
//! * [`sets`]: the rules as sets; [`links`]: relations; [`leftovers`]: sets of cells with the same digits, which follow from
//!   regions; [`numbered`]: lists of either.
//! * [`state`]: places under propagation; [`search`]: the choice of a branching.
//!
//! Nothing steers the choice but the state, so that there is no trial as for other rules: the tree is a function of the
//! problem from the first node on.

mod cells;
mod leftovers;
mod links;
mod numbered;
mod search;
mod sets;
mod state;

use std::sync::Arc;

use crate::run::Run;
use quadrille_model::rules::Rules;
use quadrille_model::{EndedBy, Puzzle};
use search::PlacesSearch;

/// The largest side.
const LARGEST_SIDE: usize = 16;
/// Full houses at most.
const MOST_HOUSES: usize = numbered::MOST;

/// Searches of all sides, with the memory that each keeps.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Sides up to 8.
    small: PlacesSearch<1, 8>,
    nine: PlacesSearch<2, 9>,
    /// Sides from 10.
    large: PlacesSearch<4, LARGEST_SIDE>,
}

impl Places {
    /// True for a grid that it can search.
    pub(super) fn takes(puzzle: &Puzzle, rules: &Rules) -> bool {
        rules.sums().is_empty()
            && rules.quotas().is_empty()
            && rules.tables().len() <= links::MOST_TABLES
            && puzzle.constraints().is_empty()
            && rules.shape().side() <= LARGEST_SIDE
            && rules.houses().len() <= MOST_HOUSES
    }

    /// Searches a grid that it [takes](Self::takes).
    pub(super) fn search(
        &mut self,
        puzzle: &Puzzle,
        rules: &Arc<Rules>,
        run: &mut Run<'_>,
    ) -> Result<(), EndedBy> {
        match rules.shape().side() {
            ..=8 => self.small.search(puzzle, rules, run),
            9 => self.nine.search(puzzle, rules, run),
            _ => self.large.search(puzzle, rules, run),
        }
    }
}
