//! Solved grids of sides other than 9, and with rules.

use std::sync::Arc;

use crate::generate::ask::{Asker, Question};
use crate::model::{DigitSet, Geometry, Goal, Limits, Problem, Puzzle};
use crate::random::Random;
use crate::rules::Rules;

/// Search-tree nodes for completing a start; one that takes more counts as impossible.
const NODES: u64 = 1000;
/// The same under rules, where a node says less.
const NODES_OF_RULES: u64 = 20_000;

/// Fills a grid: cells in random order, in each a digit that is equally likely to be each of those with which the grid
/// can still be completed. Not uniform: grids whose beginnings have few completions come too often. `None` if
/// not even the empty grid was completed in time.
pub(super) async fn fill(
    geometry: &Arc<Geometry>,
    rules: Option<&Arc<Rules>>,
    random: &mut Random,
    asker: &Asker,
) -> Option<Vec<u8>> {
    let nodes = if rules.is_some() { NODES_OF_RULES } else { NODES };
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let complete = async |puzzle: &Puzzle| {
        let problem = Problem::Puzzle(puzzle.clone());
        let reply = asker.ask(Question { problem, goal: Goal::First(1), limits }).await;
        (reply.found > 0).then_some(reply.solutions)
    };
    let mut puzzle = Puzzle::new(geometry);
    rules.iter().for_each(|rules| puzzle.set_rules(rules));
    // A way to complete what is filled so far.
    let mut completed = complete(&puzzle).await?;
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
        for house in rules.houses().iter().filter(|house| house.cells.contains(&(cell as u16))) {
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
