//! A single plain 9x9, answered on the caller's thread; a run with its threads takes a hundred times as long.

use pyo3::prelude::*;
use pyo3::types::PyString;
use quadrille::FromText as _;
use quadrille::{BulkQuery, EndedBy, Limits, Packed9x9, Solution, Status};

/// Maximum number of nodes on the caller's thread, some milliseconds. A run then takes over, which can be
/// interrupted.
const NODES: u64 = 1_000;

/// Returns the status, solution and count of a plain 9x9 that has at least one solution.
///
/// Returns `None` for any other puzzle, which needs a run.
#[pyfunction]
pub(crate) fn one(
    py: Python<'_>,
    question: &str,
    puzzle: &Bound<'_, PyString>,
    limit: Option<u64>,
) -> Option<(&'static str, Option<String>, Option<u64>)> {
    let puzzle = puzzle.to_str().ok()?;
    let is_plain = puzzle.len() == 81 && puzzle.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let packed: Packed9x9 = Packed9x9::from_text(puzzle).ok().filter(|_| is_plain)?;
    let many = match question {
        "solve" => BulkQuery::solve(),
        "unique" => BulkQuery::unique(),
        "count" => BulkQuery::count(limit),
        _ => return None,
    };
    let many = many.limits(Limits { nodes: Some(NODES), ..Limits::default() });
    let answers = py.detach(|| many.answer(&[packed])).ok()?;
    let solution = answers.solution(0).and_then(|solution| match solution {
        Solution::Digits(digits) => {
            Some(digits.iter().map(|&digit| char::from(b'1' + digit)).collect::<String>())
        }
        Solution::Options(_) => None,
    });
    match answers.statuses[0] {
        status @ (Status::Solved | Status::Unique | Status::Multiple) if solution.is_some() => {
            Some((status.word(), solution, None))
        }
        status @ Status::Counted if (1..u64::MAX).contains(&answers.counts[0]) => match answers.ended_by[0] {
            EndedBy::Complete => Some((status.word(), None, Some(answers.counts[0]))),
            // If the limit stopped the count, the exact number is unknown.
            EndedBy::Limit => Some((status.word(), None, None)),
            _ => None,
        },
        _ => None,
    }
}
