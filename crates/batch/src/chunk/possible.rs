//! Finds, for the records of a chunk, the digits that occur in at least one solution.
//!
//! Like ratings, these digits are computed after the records of a chunk are answered. A stopped run computes
//! them before it decides which record is the last to be written.

use super::records::RecordChunk;
use crate::options::Query;
use crate::shared::Shared;
use quadrille_engine::{PossibleFinder, SolvedGrid};
use quadrille_formats::output::Field;
use quadrille_model::Status;

/// Maximum number of solutions in which digits are counted. This number is used if the question has no
/// smaller limit.
const COUNTED: u64 = 10_000;

/// Computes the possible digits for the records whose rows are written next, if a field shows them.
pub(crate) fn make(general: &mut RecordChunk, shared: &Shared, finder: &mut PossibleFinder) {
    let options = &shared.options;
    if !options.shown_fields().any(|field| field.is_of_possible()) {
        return;
    }
    let are_counted =
        options.shown_fields().any(|field| matches!(field, Field::DigitCounts | Field::MinDigitCounts));
    let counted = match options.ask {
        _ if !are_counted => 0,
        Query::Count { limit: Some(limit) } | Query::Several(limit) => limit.min(COUNTED),
        _ => COUNTED,
    };
    general.possible.clear();
    let has_solution = |slot: &usize| {
        let answer = general.slots[*slot].answer.as_ref();
        answer.is_some_and(|answer| {
            matches!(answer.status, Status::Solved | Status::Unique | Status::Multiple | Status::Counted)
                && answer.exact_count().is_none_or(|count| !count.is_zero())
        })
    };
    let slots: Vec<usize> = (general.written..general.end()).filter(has_solution).collect();
    let grids: Vec<SolvedGrid<'_>> = slots
        .iter()
        .map(|&slot| SolvedGrid {
            problem: general.searched(slot),
            known: general.solution(slot),
            is_only: general.slots[slot]
                .answer
                .as_ref()
                .is_some_and(|answer| answer.status == Status::Unique),
        })
        .collect();
    let found = finder.find(&grids, counted, options.limits(), &shared.control);
    for (slot, found) in slots.into_iter().zip(found) {
        match found {
            Ok(possible) => general.possible.push((slot, possible)),
            Err(why) => general.note_no_result(slot, why),
        }
    }
}
