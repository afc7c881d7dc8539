//! `check`: compares a given solution with its puzzle, and tests uniqueness.

use quadrille_formats::input::{GivenSolution, Record, Records};
use quadrille_model::{Answer, ProblemRef, Reason, Solution, Status, verify};

/// Returns the verdict `wrong` if the given solution is invalid, or `None`. Needs no search.
pub(crate) fn check_given_solution(
    problem: ProblemRef<'_>,
    record: &Record,
    records: &Records,
) -> Option<Answer> {
    let reason = match &record.given {
        GivenSolution::Absent | GivenSolution::Empty => return None,
        GivenSolution::Unreadable(reason) => (**reason).clone(),
        GivenSolution::Digits(span) => match verify(problem, Solution::Digits(span.slice(&records.given))) {
            Ok(()) => return None,
            Err(fault) => Reason::Text(format!("first wrong cell: {fault}")),
        },
    };
    Some(Answer::without_search(Status::Wrong, reason))
}

/// Returns the verdict on a record whose answer comes from a search for up to two solutions.
pub(crate) fn verdict(mut answer: Answer, given: &GivenSolution) -> Answer {
    if answer.status == Status::Unique {
        (answer.status, answer.reason) = match given {
            GivenSolution::Absent => return answer,
            GivenSolution::Empty => {
                (Status::Missing, Some(Box::new("the given solution is empty".to_owned().into())))
            }
            _ => (Status::Correct, answer.reason),
        };
    }
    answer
}
