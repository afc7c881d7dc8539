//! Plain 9x9s, answered on the caller's thread; a run with its threads takes a millisecond more.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString};
use quadrille::engine::{Control, EngineKind, EnginePreference, Flow, Solver, Task};
use quadrille::{
    Answer, EndedBy, FromText as _, Goal, Limits, Packed9x9, ProblemRef, Solution, Status, verify,
};

/// Maximum number of nodes for one puzzle on the caller's thread, which take some milliseconds. A run then takes over,
/// which can be interrupted.
const NODES: u64 = 1_000;
/// Maximum number of nodes for each puzzle of a list that is searched at once: 1,000 puzzles take at most 0.1 s.
const NODES_IN_LIST: u64 = 100;
/// Number of puzzles from which searching them at once is faster than one by one.
const FEWEST_AT_ONCE: usize = 16;

thread_local! {
    /// Engines are made once per thread.
    static SOLVER: RefCell<Solver> = RefCell::new(Solver::default());
}

/// Searches on the caller's thread. Returns the answer, and the first solution.
///
/// Returns `None` if the search failed.
fn search(packed: &Packed9x9, goal: Goal, engine: EngineKind) -> Option<Searched> {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
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
        solver.search(&Task::whole(ProblemRef::Packed(packed), goal, limits), &Control::new(), &mut keep).ok()
    })?;
    Some((answer, first))
}

/// Searches with the fastest engine for one puzzle.
fn search_one(question: &str, packed: &Packed9x9, goal: Goal) -> Option<Searched> {
    let searched = search(packed, goal, EngineKind::Bitmask)?;
    match searched.0.status {
        // If there are several solutions, `lanes` finds the same first one as a run.
        Status::Multiple if question != "check" => search(packed, goal, EngineKind::Lanes),
        _ => Some(searched),
    }
}

/// Searches several puzzles at once, with the engine of a run.
fn search_all(packed: &[Packed9x9], goal: Goal) -> Option<Vec<Searched>> {
    let limits = Limits { nodes: Some(NODES_IN_LIST), ..Limits::default() };
    let mut first: Vec<Option<[u8; 81]>> = vec![None; packed.len()];
    let mut keep = |place: usize, digits: &[u8]| {
        if first[place].is_none() {
            first[place] = digits.try_into().ok();
        }
    };
    let answers = SOLVER.with(|solver| {
        let mut solver = solver.try_borrow_mut().ok()?;
        solver.preference(EnginePreference::default());
        solver.search_many(packed, (goal, limits), &Control::new(), &mut keep).ok()
    })?;
    Some(answers.into_iter().zip(first).collect())
}

/// An answer with the first solution.
type Searched = (Answer, Option<[u8; 81]>);

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
    py.detach(|| find(question, puzzle, limit, solution))
}

/// The columns of answers to several puzzles: statuses, solutions and counts.
type Columns = (Vec<&'static str>, Vec<Option<String>>, Vec<Option<u64>>);

/// Answers puzzles as [`one`] does. Returns `None` if a run is needed.
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
        let packed: Vec<Packed9x9> = texts.iter().map(|text| plain(text)).collect::<Option<_>>()?;
        let goal = goal(question, limit)?;
        let searched = match packed.len() {
            ..FEWEST_AT_ONCE => {
                packed.iter().map(|packed| search_one(question, packed, goal)).collect::<Option<_>>()?
            }
            _ => search_all(&packed, goal)?,
        };
        let mut columns = Columns::default();
        for (packed, searched) in packed.iter().zip(searched) {
            let (status, solution, count) = result(question, packed, searched, false)?;
            columns.0.push(status);
            columns.1.push(solution);
            columns.2.push(count);
        }
        Some(columns)
    })
}

/// Reads a plain 9x9.
fn plain(text: &str) -> Option<Packed9x9> {
    let is_plain = text.len() == 81 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    Packed9x9::from_text(text).ok().filter(|_| is_plain)
}

/// Returns the goal of a question; two solutions show whether there is more than one.
fn goal(question: &str, limit: Option<u64>) -> Option<Goal> {
    match question {
        "solve" | "unique" | "check" => Some(Goal::First(2)),
        "count" => Some(Goal::Count { limit }),
        _ => None,
    }
}

fn find(question: &str, puzzle: &str, limit: Option<u64>, solution: Option<&str>) -> Option<Found> {
    let packed = plain(puzzle)?;
    if let Some(solution) = solution {
        let given: &[u8; 81] = solution.as_bytes().try_into().ok()?;
        if !given.iter().all(|digit| (b'1'..=b'9').contains(digit)) {
            return None;
        }
        let digits = given.map(|digit| digit - b'1');
        // A wrong solution needs a run, whose answer gives the reason.
        verify(ProblemRef::Packed(&packed), Solution::Digits(&digits)).ok()?;
    }
    let searched = search_one(question, &packed, goal(question, limit)?)?;
    result(question, &packed, searched, solution.is_some())
}

/// Returns the result of a search if no run is needed; a solution is part of it only if it is right.
fn result(question: &str, packed: &Packed9x9, (answer, digits): Searched, is_given: bool) -> Option<Found> {
    let is_right = |digits: &[u8; 81]| verify(ProblemRef::Packed(packed), Solution::Digits(digits)).is_ok();
    let digits = digits.filter(is_right);
    let text = || Some(digits?.iter().map(|&digit| char::from(b'1' + digit)).collect::<String>());
    match (answer.status, question) {
        (Status::Unique, "check") => {
            let status = if is_given { Status::Correct } else { Status::Unique };
            digits.map(|_| (status.word(), None, None))
        }
        (status @ Status::Multiple, "check") => Some((status.word(), None, None)),
        (Status::Unique | Status::Multiple, "solve") => Some((Status::Solved.word(), Some(text()?), None)),
        (status @ (Status::Unique | Status::Multiple), "unique") => {
            Some((status.word(), Some(text()?), None))
        }
        (status @ Status::Counted, _) => {
            let count = answer.count.as_ref()?.to_u64().filter(|&count| count > 0)?;
            match answer.ended_by {
                EndedBy::Complete => Some((status.word(), None, Some(count))),
                // If the limit stopped the count, the exact number is unknown.
                EndedBy::Limit => Some((status.word(), None, None)),
                _ => None,
            }
        }
        // Without a solution a run gives the reason; `Solved` leaves open whether there are more.
        _ => None,
    }
}
