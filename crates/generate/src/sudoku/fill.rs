//! Solved grids of sides other than 9, and with rules.

use std::sync::Arc;

use super::Request;
use crate::ask::{Asker, Question};
use quadrille_engine::{Control, EnginePreference, Flow, Solver};
use quadrille_model::random::Random;
use quadrille_model::rules::Rules;
use quadrille_model::{DigitSet, EndedBy, Geometry, Goal, Limits, Problem, ProblemRef, Puzzle, Solution};
use quadrille_model::{ErrorKind, Result};

/// Search-tree nodes for completing a start; one that takes more counts as impossible. Under rules with few grids, starts
/// that cannot be completed are common and long to refute: with 20,000 nodes a grid without consecutive neighbours took
/// seconds.
const NODES: u64 = 1000;
/// Nodes for a first grid under rules, which is looked for once a run; and searches with so many nodes each that begin with
/// some digits at random, where that has found none: an unlucky beginning may have a hundred times the nodes of another.
const NODES_OF_FIRST: u64 = 100_000;
const STARTS: u64 = 100;
const NODES_OF_START: u64 = 10_000;
/// Digits of a random beginning.
const DIGITS_OF_START: usize = 4;
/// The record number from which random beginnings are drawn.
const FOR_ALL_RECORDS: u64 = u64::MAX;

/// Looks for any grid that rules allow.
///
/// # Errors
/// [`ErrorKind::GaveUp`] where there is none, or none was found.
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
        let answer = solver.search(problem, goal, limits, control, &mut take)?;
        Ok((found, answer.ended_by))
    };
    let (found, ended_by) = search(&empty, NODES_OF_FIRST)?;
    match ended_by {
        _ if found.is_some() => return Ok(found),
        EndedBy::Complete => return Err(ErrorKind::GaveUp("no grid fulfils these rules".to_owned()).into()),
        EndedBy::Nodes => {}
        // Stopped, as the run will be.
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
    Err(ErrorKind::GaveUp(format!("searches of {nodes} nodes have found no grid that fulfils these rules"))
        .into())
}

/// Fills a grid: cells in random order, in each a digit that is equally likely to be each of those with which the grid
/// can still be completed. Not uniform: grids whose beginnings have few completions come too often. `start`: a grid
/// that is known already. `None` if there is none, and the empty grid was not completed in time.
pub(super) async fn fill(
    geometry: &Arc<Geometry>,
    rules: Option<&Arc<Rules>>,
    start: Option<&[u8]>,
    random: &mut Random,
    asker: &Asker,
) -> Option<Vec<u8>> {
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let complete = async |puzzle: &Puzzle| {
        let problem = Problem::Puzzle(puzzle.clone());
        let reply = asker.ask(Question { problem, goal: Goal::First(1), limits }).await;
        (reply.found > 0).then_some(reply.solutions)
    };
    let mut puzzle = Puzzle::new(geometry);
    rules.iter().for_each(|rules| puzzle.set_rules(rules));
    // A way to complete what is filled so far.
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

/// Puts a digit into a cell and takes it away from the others of its houses, of all that there are.
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
