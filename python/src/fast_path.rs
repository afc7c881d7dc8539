//! Plain 9x9s, answered on the caller's thread; a run with its threads takes a millisecond more.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};
use quadrille::engine::{Control, EngineKind, EnginePreference, Flow, Solver};
use quadrille::{
    Answer, EndedBy, FromText as _, Goal, Limits, Packed9x9, ProblemRef, Solution, Status, verify,
};

/// Maximum number of nodes for one puzzle on the caller's thread, which take some milliseconds. A run then takes over,
/// which can be interrupted.
const NODES: u64 = 1_000;
/// Maximum number of nodes for a list.
const NODES_OF_LIST: u64 = 10_000;

thread_local! {
    /// Engines are made once per thread.
    static SOLVER: RefCell<Solver> = RefCell::new(Solver::default());
}

/// Searches on the caller's thread. Returns the answer, and the first solution if that solution is right.
///
/// Subtracts the nodes of the search from `nodes`. Returns `None` if the search failed.
fn search(
    nodes: &mut u64,
    packed: &Packed9x9,
    goal: Goal,
    engine: EngineKind,
) -> Option<(Answer, Option<[u8; 81]>)> {
    let limits = Limits { nodes: Some(NODES.min(*nodes)), ..Limits::default() };
    let problem = ProblemRef::Packed(packed);
    let mut first = None;
    let mut keep = |solution: Solution<'_>| {
        if let (None, Solution::Digits(digits)) = (&first, solution) {
            first = <[u8; 81]>::try_from(digits).ok();
        }
        Flow::Continue
    };
    let answer = SOLVER.with(|solver| {
        let mut solver = solver.try_borrow_mut().ok()?;
        solver.preference(EnginePreference { engine: Some(engine), ..EnginePreference::default() });
        solver.search(problem, goal, limits, &Control::new(), &mut keep).ok()
    })?;
    *nodes = nodes.saturating_sub(answer.counters?.nodes);
    Some((answer, first.filter(|digits| verify(problem, Solution::Digits(digits)).is_ok())))
}

/// Status, solution and count.
type Found = (&'static str, Option<String>, Option<u64>);

/// Answers a plain 9x9 that has at least one solution. With a `solution`, returns the verdict on it.
///
/// Returns `None` for any other puzzle or solution, which needs a run.
#[pyfunction]
pub(crate) fn one(
    py: Python<'_>,
    question: &str,
    puzzle: &Bound<'_, PyString>,
    limit: Option<u64>,
    solution: Option<&Bound<'_, PyString>>,
) -> Option<Found> {
    let puzzle = puzzle.to_str().ok()?;
    let solution = match solution {
        Some(solution) => Some(solution.to_str().ok()?),
        None => None,
    };
    py.detach(|| find(question, puzzle, limit, solution, &mut { NODES }))
}

/// The columns of answers to several puzzles: statuses, solutions and counts.
type Columns = (Vec<&'static str>, Vec<Option<String>>, Vec<Option<u64>>);

/// Answers puzzles as [`one`] does, one after another. Returns `None` if a run is needed.
#[pyfunction]
pub(crate) fn few(
    py: Python<'_>,
    question: &str,
    puzzles: &Bound<'_, PyList>,
    limit: Option<u64>,
) -> Option<Columns> {
    let texts: Vec<PyBackedStr> =
        puzzles.iter().map(|puzzle| puzzle.extract().ok()).collect::<Option<_>>()?;
    py.detach(|| {
        let (mut columns, mut nodes) = (Columns::default(), NODES_OF_LIST);
        for text in &texts {
            let (status, solution, count) = find(question, text, limit, None, &mut nodes)?;
            columns.0.push(status);
            columns.1.push(solution);
            columns.2.push(count);
        }
        Some(columns)
    })
}

fn find(
    question: &str,
    puzzle: &str,
    limit: Option<u64>,
    solution: Option<&str>,
    nodes: &mut u64,
) -> Option<Found> {
    let is_plain = puzzle.len() == 81 && puzzle.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let packed: Packed9x9 = Packed9x9::from_text(puzzle).ok().filter(|_| is_plain)?;
    if let Some(solution) = solution {
        let given: &[u8; 81] = solution.as_bytes().try_into().ok()?;
        if !given.iter().all(|digit| (b'1'..=b'9').contains(digit)) {
            return None;
        }
        let digits = given.map(|digit| digit - b'1');
        // A wrong solution needs a run, whose answer gives the reason.
        verify(ProblemRef::Packed(&packed), Solution::Digits(&digits)).ok()?;
    }
    let goal = match question {
        "solve" | "unique" | "check" => Goal::First(2),
        "count" => Goal::Count { limit },
        _ => return None,
    };
    // The fastest engine for one puzzle. If there are several solutions, `lanes` finds the same first one as a run.
    let (mut answer, mut digits) = search(nodes, &packed, goal, EngineKind::Bitmask)?;
    if answer.status == Status::Solved {
        // It is unknown whether there are more solutions.
        return None;
    }
    if answer.status == Status::Multiple && question != "check" {
        let goal = if question == "solve" { Goal::First(1) } else { goal };
        (answer, digits) = search(nodes, &packed, goal, EngineKind::Lanes)?;
    } else if answer.status == Status::Unique && question == "solve" {
        answer.status = Status::Solved;
    }
    let text = digits.map(|digits| digits.iter().map(|&digit| char::from(b'1' + digit)).collect::<String>());
    match answer.status {
        Status::Unique if question == "check" => digits.map(|_| {
            let status = if solution.is_some() { Status::Correct } else { Status::Unique };
            (status.word(), None, None)
        }),
        status @ Status::Multiple if question == "check" => Some((status.word(), None, None)),
        status @ Status::Solved if question == "solve" && text.is_some() => Some((status.word(), text, None)),
        status @ (Status::Unique | Status::Multiple) if question != "check" && text.is_some() => {
            Some((status.word(), text, None))
        }
        status @ Status::Counted => {
            let count = answer.count.as_ref()?.to_u64().filter(|&count| count > 0)?;
            match answer.ended_by {
                EndedBy::Complete => Some((status.word(), None, Some(count))),
                // If the limit stopped the count, the exact number is unknown.
                EndedBy::Limit => Some((status.word(), None, None)),
                _ => None,
            }
        }
        _ => None,
    }
}
