//! Fills solved grids of sides other than 9, and grids with rules.

use std::sync::Arc;

use super::Request;
use crate::queries::{QueryHandle, Question};
use quadrille_engine::{Control, EnginePreference, Flow, Solver, Task};
use quadrille_model::random::Random;
use quadrille_model::rules::Rules;
use quadrille_model::{
    DigitSet, EndedBy, ErrorKind, Geometry, Goal, Limits, Problem, ProblemRef, Puzzle, Result, Solution,
};

/// Maximum number of search nodes for completing a partial grid. A grid that takes more counts as impossible
/// to complete.
///
/// Under rules with few grids, partial grids that cannot be completed are common and long to refute. With
/// 20,000 nodes, a grid without consecutive neighbours took seconds.
const NODES: u64 = 1000;
/// Maximum number of search nodes for a first grid under rules, which is found once per run.
const NODES_OF_FIRST: u64 = 100_000;
/// Number of searches from random starts, if the search from the empty grid finds nothing.
const STARTS: u64 = 100;
/// Maximum number of search nodes from a random start.
const NODES_OF_START: u64 = 10_000;
/// Number of digits of a random start.
const DIGITS_OF_START: usize = 4;
/// The record number whose random numbers make random starts.
const FOR_ALL_RECORDS: u64 = u64::MAX;

/// Finds any grid that the rules allow.
///
/// If a search from the empty grid finds none, further searches start from random digits, because an unlucky
/// start may take a hundred times the nodes of another.
///
/// # Errors
/// Returns [`ErrorKind::GaveUp`] if there is no grid, or if none was found.
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
        // The caller stopped the search; the run will end too.
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

/// Fills a grid cell by cell, in random order; returns `None` if that is not possible.
///
/// Each cell gets one of the digits with which the grid can still be completed, all equally likely. The
/// result is not uniform: grids whose beginnings have few completions are too frequent. `start` is a solved
/// grid that is already known. `None` means that there is no grid, or that the empty grid was not completed
/// in time.
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
    // A completion of the cells filled so far.
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

/// Places a digit in a cell and removes it from the other cells of all the cell's houses.
fn place(puzzle: &mut Puzzle, cell: usize, digit: usize) {
    if let Some(rules) = puzzle.rules().cloned() {
        let others = DigitSet::all(puzzle.geometry().side()).without(DigitSet::only(digit));
        for house in rules.houses().filter(|house| house.cells.contains(&(cell as u16))) {
            house.cells.iter().for_each(|&peer| puzzle.restrict(peer.into(), others));
        }
        return puzzle.set_candidates(cell, DigitSet::only(digit));
    }
    let geometry = Arc::clone(puzzle.geometry());
    let others = DigitSet::all(geometry.side()).without(DigitSet::only(digit));
    for &house in geometry.houses_of(cell) {
        for &peer in &geometry.houses()[usize::from(house)].cells {
            if usize::from(peer) != cell {
                puzzle.restrict(usize::from(peer), others);
            }
        }
    }
    puzzle.set_candidates(cell, DigitSet::only(digit));
}
