//! `check`: a given solution against its puzzle, uniqueness, and whether every clue is needed.

use crate::engine::{Control, Flow, Solver};
use crate::error::Result;
use crate::input::{Given, Record, Records};
use crate::model::{
    Answer, DigitSet, EndedBy, Geometry, Goal, Limits, Packed, Problem, ProblemRef, Puzzle, Reason, Solution,
    Status, verify,
};

/// The verdict that needs no search: a given solution that is none.
pub(super) fn wrong(problem: ProblemRef<'_>, record: &Record, records: &Records) -> Option<Answer> {
    let reason = match &record.given {
        Given::Absent => return None,
        Given::Unreadable(reason) => (**reason).clone(),
        Given::Digits(span) => match verify(problem, Solution::Digits(span.of(&records.given))) {
            Ok(()) => return None,
            Err(fault) => Reason::Text(format!("first wrong cell: {fault}")),
        },
    };
    Some(Answer::without_search(Status::Wrong, reason))
}

/// The verdict on a record whose solutions were searched for, up to two of them.
pub(super) fn verdict(mut answer: Answer, has_given: bool) -> Answer {
    if has_given && answer.status == Status::Unique {
        answer.status = Status::Correct;
    }
    answer
}

/// The first clue, in reading order, that can be taken away without a second solution.
///
/// A clue is needed if the puzzle has a solution with another digit in its cell: one search per clue, for any
/// solution of the puzzle that has the clue's cell free but for the clue's digit.
///
/// # Errors
/// What ended a search before it knew.
pub(super) fn needless_clue(
    problem: ProblemRef<'_>,
    solver: &mut Solver,
    limits: Limits,
    control: &Control,
) -> Result<std::result::Result<Option<usize>, EndedBy>> {
    let mut puzzle = match problem {
        ProblemRef::Packed(packed) => {
            let mut puzzle = Puzzle::new(&Geometry::of_side(9)?);
            let geometry = std::sync::Arc::clone(puzzle.geometry());
            packed.unpack_into(&geometry, &mut puzzle);
            puzzle
        }
        ProblemRef::Puzzle(puzzle) => puzzle.clone(),
        ProblemRef::Cover(_) => return Ok(Ok(None)),
    };
    let all = DigitSet::all(puzzle.geometry().side());
    for cell in 0..puzzle.candidates().len() {
        let clue = puzzle.candidates()[cell];
        if clue.single().is_none() {
            continue;
        }
        puzzle.set_candidates(cell, all.without(clue));
        let varied = repack(&puzzle, problem);
        let answer =
            solver.search(varied.as_ref(), Goal::First(1), limits, control, &mut |_| Flow::Continue)?;
        puzzle.set_candidates(cell, clue);
        match answer.status {
            Status::None => return Ok(Ok(Some(cell))),
            Status::Solved | Status::Unique | Status::Multiple => {}
            _ => return Ok(Err(answer.ended_by)),
        }
    }
    Ok(Ok(None))
}

/// The puzzle in the form of the problem it was made of, so that the same engines take it.
fn repack(puzzle: &Puzzle, like: ProblemRef<'_>) -> Problem {
    match like {
        ProblemRef::Packed(_) => Problem::Packed(Packed::from_cells(&std::array::from_fn(|cell| {
            puzzle.candidates()[cell].0 as u16
        }))),
        _ => Problem::Puzzle(puzzle.clone()),
    }
}
