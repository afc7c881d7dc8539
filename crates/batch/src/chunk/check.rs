//! `check`: compares a given solution with its puzzle, and tests whether the puzzle has only one solution.

use quadrille_formats::input::{GivenSolution, Record, Records};
use quadrille_model::{Answer, ProblemRef, Reason, Solution, Status, Violation, verify};

/// Returns the verdict `wrong` if the given solution is invalid, or `None` otherwise.
///
/// `only` is the puzzle's only solution, if it is known. The reason in the verdict then names the first cell
/// in which the given solution differs from the only solution. Otherwise the reason describes the error in
/// the given solution.
pub(crate) fn check_given_solution(
    problem: ProblemRef<'_>,
    record: &Record,
    records: &Records,
    only: Option<Solution<'_>>,
) -> Option<Answer> {
    let reason = match &record.given {
        GivenSolution::Absent | GivenSolution::Empty => return None,
        GivenSolution::Unreadable(reason) => (**reason).clone(),
        GivenSolution::Digits(span) => {
            let given = span.slice(&records.given);
            let fault = verify(problem, Solution::Digits(given)).err()?;
            let differs = match only {
                Some(Solution::Digits(only)) => given.iter().zip(only).position(|(one, other)| one != other),
                _ => None,
            };
            let side = given.len().isqrt();
            let cell = differs.map(|cell| Violation::Cell { row: cell / side, column: cell % side });
            let rule = cell.is_some() && matches!(fault, Violation::Rule { .. });
            let behind = if rule { format!("; {fault}") } else { String::new() };
            Reason::Text(format!("first wrong cell: {}{behind}", cell.unwrap_or(fault)))
        }
    };
    Some(Answer::without_search(Status::Wrong, reason))
}

/// Returns the verdict on a record after a search for up to two solutions.
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
