//! Finds needed clues and backdoors for the records of a chunk.
//!
//! This happens after the records of the chunk are answered.

use super::records::RecordChunk;
use crate::shared::Shared;
use quadrille_engine::{NeedsFinder, backdoor};
use quadrille_formats::output::Field;
use quadrille_model::{ClueNeeds, Solution};

/// Computes the fields about needed clues for the records whose rows are written next.
pub(crate) fn make(general: &mut RecordChunk, shared: &Shared, finder: &mut NeedsFinder) {
    let options = &shared.options;
    let wants_backdoor = options.shown_fields().any(|field| *field == Field::Backdoor);
    let wants_sets = options.shown_fields().any(|field| field.is_of_needs() && *field != Field::Backdoor);
    if !wants_backdoor && !wants_sets {
        return;
    }
    general.needs.clear();
    for slot in general.uniquely_solved() {
        let Some(Solution::Digits(solution)) = general.solution(slot) else { continue };
        let problem = general.searched(slot);
        let redundancy =
            wants_sets.then(|| finder.redundancy(problem, solution, &shared.control)).transpose();
        let backdoor = wants_backdoor.then(|| backdoor(problem, solution)).flatten();
        match redundancy {
            Ok(redundancy) => general.needs.push((slot, ClueNeeds { redundancy, backdoor })),
            Err(why) => general.note_no_result(slot, why),
        }
    }
}
