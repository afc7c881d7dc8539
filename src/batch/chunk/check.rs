//! `check`: a given solution against its puzzle, and uniqueness.

use crate::input::{Given, Record, Records};
use crate::model::{Answer, ProblemRef, Reason, Solution, Status, verify};

/// The verdict that needs no search: a given solution that is none.
pub(crate) fn wrong(problem: ProblemRef<'_>, record: &Record, records: &Records) -> Option<Answer> {
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
pub(crate) fn verdict(mut answer: Answer, has_given: bool) -> Answer {
    if has_given && answer.status == Status::Unique {
        answer.status = Status::Correct;
    }
    answer
}
