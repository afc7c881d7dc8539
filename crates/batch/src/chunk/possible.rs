//! The digits that occur in some solution, for the records of a chunk.
//!
//! Like ratings, they are found once the answers of a chunk are known, and before a stopped run determines the last
//! record to write.

use super::records::RecordChunk;
use crate::options::{BatchOptions, Query};
use quadrille_engine::{Control, PossibleFinder, SolvedGrid};
use quadrille_formats::output::Field;
use quadrille_model::Status;

/// Number of solutions up to which digits are counted if the question has no limit.
const COUNTED: u64 = 10_000;

/// Finds the possible digits of the slots that are written next, if a field shows them.
pub(crate) fn make(
    general: &mut RecordChunk,
    options: &BatchOptions,
    control: &Control,
    finder: &mut Option<PossibleFinder>,
) {
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
    let finder = finder.get_or_insert_with(|| PossibleFinder::new(options.preference));
    let found = finder.find(&grids, counted, options.limits(), control);
    for (slot, found) in slots.into_iter().zip(found) {
        match found {
            Ok(possible) => general.possible.push((slot, possible)),
            Err(why) => general.note_no_result(slot, why),
        }
    }
}
