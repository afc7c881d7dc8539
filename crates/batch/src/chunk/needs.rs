//! Finds needed clues and backdoors for the records of a chunk.
//!
//! This happens after the records of the chunk are answered.

use super::records::RecordChunk;
use crate::options::BatchOptions;
use quadrille_engine::{Control, NeedsFinder, backdoor};
use quadrille_formats::output::Field;
use quadrille_model::{ClueNeeds, Solution, Status};

/// Computes the fields about needed clues for the records whose rows are written next.
pub(crate) fn make(
    general: &mut RecordChunk,
    options: &BatchOptions,
    control: &Control,
    finder: &mut Option<NeedsFinder>,
) {
    let wants_backdoor = options.shown_fields().any(|field| *field == Field::Backdoor);
    let wants_sets = options.shown_fields().any(|field| field.is_of_needs() && *field != Field::Backdoor);
    if !wants_backdoor && !wants_sets {
        return;
    }
    let finder = finder.get_or_insert_with(|| NeedsFinder::new(options.preference, options.limits()));
    general.needs.clear();
    for slot in general.written..general.end() {
        let is_proper = general.slots[slot].answer.as_ref().is_some_and(|answer| {
            let has_one = [Status::Unique, Status::Correct, Status::Missing, Status::NonMinimal];
            has_one.contains(&answer.status)
        });
        let Some(Solution::Digits(solution)) = general.solution(slot).filter(|_| is_proper) else { continue };
        let problem = general.searched(slot);
        let redundancy = wants_sets.then(|| finder.redundancy(problem, solution, control)).transpose();
        let backdoor = wants_backdoor.then(|| backdoor(problem, solution)).flatten();
        match redundancy {
            Ok(redundancy) => general.needs.push((slot, ClueNeeds { redundancy, backdoor })),
            Err(why) => general.note_no_result(slot, why),
        }
    }
}
