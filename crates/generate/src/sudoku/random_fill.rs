//! Fills solved grids with rules, and solved grids of sizes other than 9x9.

use std::sync::Arc;

use super::Request;
use crate::queries::{QueryHandle, Question};
use quadrille_engine::{Control, EnginePreference, Flow, Solver, Task};
use quadrille_model::random::Random;
use quadrille_model::rules::Rules;
use quadrille_model::{
    DigitSet, EndedBy, ErrorKind, Geometry, Goal, Limits, Problem, ProblemRef, Puzzle, Result, Solution,
};

/// Maximum number of search nodes to complete a partial grid.
///
/// If a grid takes more nodes, it is treated as impossible to complete. Under rules that allow few grids,
/// many partial grids are impossible, and proving this takes long. With a maximum of 20,000 nodes, it took
/// seconds to make one grid under a rule against consecutive neighbours.
const NODES: u64 = 1000;
/// Maximum number of search nodes to find a first grid that satisfies the rules. This search happens only
/// once per run.
const NODES_OF_FIRST: u64 = 100_000;
/// Number of searches that start from random digits. These searches are made only if the search from the
/// empty grid finds nothing.
const STARTS: u64 = 100;
/// Maximum number of search nodes for each search from random digits.
const NODES_OF_START: u64 = 10_000;
/// Number of random digits with which each of these further searches starts.
const DIGITS_OF_START: usize = 4;
/// Record number that seeds the digits of searches that start from random digits.
const FOR_ALL_RECORDS: u64 = u64::MAX;

/// Finds any one grid that satisfies the rules.
///
/// Returns `None` if there are no rules, or if the caller stopped the search. If a search from the empty grid
/// finds no grid, further searches start from random digits. These help because one start may take a hundred
/// times as many nodes as another.
///
/// # Errors
/// Returns [`ErrorKind::GaveUp`] if there is no such grid, or if the searches found none.
pub(crate) fn first_grid(
    request: &Request,
    preference: EnginePreference,
    control: &Control,
) -> Result<Option<Box<[u8]>>> {
    let Some(rules) = &request.rules else { return Ok(None) };
    let mut empty = Puzzle::new(&request.geometry);
    empty.set_rules(rules);
    let mut solver = Solver::new(preference);
    let mut search = |puzzle: &Puzzle, nodes: u64| -> Result<(Option<Box<[u8]>>, EndedBy)> {
        let mut found = None;
        let mut take = |solution: Solution<'_>| {
            if let Solution::Digits(digits) = solution {
                found = Some(digits.into());
            }
            Flow::Continue
        };
        let (problem, goal) = (ProblemRef::Puzzle(puzzle), Goal::First(1));
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let answer = solver.search(&Task::whole(problem, goal, limits), control, &mut take)?;
        Ok((found, answer.ended_by))
    };
    let (found, ended_by) = search(&empty, NODES_OF_FIRST)?;
    match ended_by {
        _ if found.is_some() => return Ok(found),
        EndedBy::Complete => return Err(ErrorKind::GaveUp("no grid fulfils these rules".to_owned()).into()),
        EndedBy::Nodes => {}
        // The caller stopped the search, so the run will end as well.
        _ => return Ok(None),
    }
    for number in 0..STARTS {
        let mut random = Random::new(request.seed, FOR_ALL_RECORDS, number);
        let mut puzzle = empty.clone();
        let mut cells: Vec<usize> = (0..request.geometry.cells()).collect();
        random.shuffle(&mut cells);
        for &cell in &cells[..DIGITS_OF_START] {
            let candidates = puzzle.candidates()[cell];
            let digit = candidates.iter().nth(random.below(candidates.len().max(1)) as usize);
            digit.into_iter().for_each(|digit| place(&mut puzzle, cell, digit));
        }
        let (found, ended_by) = search(&puzzle, NODES_OF_START)?;
        if found.is_some() || !matches!(ended_by, EndedBy::Nodes | EndedBy::Complete) {
            return Ok(found);
        }
    }
    let nodes = NODES_OF_FIRST + STARTS * NODES_OF_START;
    Err(ErrorKind::GaveUp(format!("found no grid that fulfils these rules in searches of {nodes} nodes"))
        .into())
}

/// Fills a grid cell by cell, in random order.
///
/// Returns `None` if there is no solved grid, or if completing the empty grid took too many nodes.
///
/// Each cell gets a random digit with which the grid can still be completed. All such digits are equally
/// likely, but not all grids are: a grid is too frequent if few other grids begin with the same digits.
/// `start` is a solved grid that is already known.
pub(super) async fn fill(
    geometry: &Arc<Geometry>,
    rules: Option<&Arc<Rules>>,
    start: Option<&[u8]>,
    random: &mut Random,
    queries: &QueryHandle,
) -> Option<Vec<u8>> {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let complete = async |puzzle: &Puzzle| {
        let problem = Problem::Puzzle(puzzle.clone());
        let reply = queries.ask(Question { problem, goal: Goal::First(1), limits }).await;
        (reply.found > 0).then_some(reply.solutions)
    };
    let mut puzzle = Puzzle::new(geometry);
    rules.iter().for_each(|rules| puzzle.set_rules(rules));
    // A solved grid that contains all digits placed so far.
    let mut completed = match start {
        Some(start) => start.to_vec(),
        None => complete(&puzzle).await?,
    };
    let mut order: Vec<usize> = (0..geometry.cells()).collect();
    random.shuffle(&mut order);
    for cell in order {
        loop {
            let candidates = puzzle.candidates()[cell];
            let choice = random.below(candidates.len()) as usize;
            let digit = candidates.iter().nth(choice).unwrap_or(usize::from(completed[cell]));
            if digit != usize::from(completed[cell]) {
                let mut tried = puzzle.clone();
                tried.set_candidates(cell, DigitSet::only(digit));
                match complete(&tried).await {
                    Some(solution) => completed = solution,
                    None => {
                        puzzle.restrict(cell, candidates.without(DigitSet::only(digit)));
                        continue;
                    }
                }
            }
            place(&mut puzzle, cell, digit);
            break;
        }
    }
    Some(completed)
}

/// Places a digit in a cell, and removes this candidate from the other cells of the cell's houses.
fn place(puzzle: &mut Puzzle, cell: usize, digit: usize) {
    let (geometry, rules) = (Arc::clone(puzzle.geometry()), puzzle.rules().cloned());
    let others = DigitSet::all(geometry.side()).without(DigitSet::only(digit));
    let mut bar = |cells: &[u16]| cells.iter().for_each(|&peer| puzzle.restrict(peer.into(), others));
    match rules {
        Some(rules) => {
            let houses = rules.houses().filter(|house| house.cells.contains(&(cell as u16)));
            houses.for_each(|house| bar(house.cells));
        }
        None => {
            geometry.houses_of(cell).iter().for_each(|&of| bar(&geometry.houses()[usize::from(of)].cells))
        }
    }
    puzzle.set_candidates(cell, DigitSet::only(digit));
}
