//! The steps of one attempt to make a record.

use super::cells::CellSet;
use super::clue_limits::{ClueLimits, number_of_clues};
use super::controlled::{ORDERS, sample};
use super::hill_climb::{change_clue, climb, climb_in_place};
use super::random_fill::fill;
use super::remove_clues::is_minimal;
use super::solved_grid::{ClueVerdict, SolvedGrid};
use super::unavoidable_sets::UnavoidableSets;
use super::{Kind, Method, Request, uniform_9x9};
use crate::queries::QueryHandle;
use crate::record::Generated;
use quadrille_model::random::Random;

/// Makes one attempt at a record. Returns the record, or `None` if the attempt fails.
///
/// Each attempt has its own random numbers. This code uses them in a fixed order: first for the solved grid,
/// then for the changes to the grid. `start` is a solved grid that satisfies the request's rules.
pub(crate) async fn attempt(
    request: &Request,
    start: Option<&[u8]>,
    index: u64,
    attempt: u64,
    queries: QueryHandle,
) -> Option<Generated> {
    let random = &mut Random::new(request.seed, index, attempt);
    let geometry = &request.geometry;
    let rules = request.rules.as_ref();
    if request.method == Method::Controlled {
        let (board, clues, orders) = sample(request, random, &queries).await?;
        let mut record = board.record(index, &clues);
        record.orders = Some(attempt * ORDERS + orders);
        if request.counts_guesses {
            record.guesses = Some(board.guesses(&clues).await);
        }
        return Some(record);
    }
    let board = if geometry.is_9x9() && rules.is_none() {
        SolvedGrid::new(geometry, None, &uniform_9x9::draw(random), queries)
    } else {
        let solution = fill(geometry, rules, start, random, &queries).await?;
        SolvedGrid::new(geometry, rules, &solution, queries)
    };
    let all: CellSet = (0..geometry.cells()).collect();
    if request.kind == Kind::Grids {
        return Some(board.record(index, &all));
    }
    if request.kind == Kind::Sparse {
        let mut order: Vec<usize> = all.iter().collect();
        random.shuffle(&mut order);
        let number = number_of_clues(request, index, order.len() as u32 / 5);
        let clues = order.into_iter().take(number as usize).collect();
        return Some(board.record(index, &clues));
    }
    let wanted = ClueLimits::new(request, index);
    let (clues, witnesses) = match &request.pattern {
        Some(pattern) => (on_pattern(&board, pattern, wanted.minimal).await?, None),
        None => {
            let mut witnesses = UnavoidableSets::new(&board, &all);
            (wanted.puzzle_within(&board, all, random, &mut witnesses).await?, Some(witnesses))
        }
    };
    match (request.climb, witnesses) {
        (Some(steps), Some(witnesses)) if request.symmetry.is_none() => {
            let (clues, guesses) = climb(&board, (clues, witnesses), &wanted, steps, random).await;
            return Some(Generated { guesses: Some(guesses), ..board.record(index, &clues) });
        }
        (Some(steps), _) => {
            let record = board.record(index, &clues);
            return Some(climb_in_place(board, record, wanted.minimal, steps, random).await);
        }
        (None, _) => {}
    }
    let mut record = board.record(index, &clues);
    if request.counts_guesses {
        record.guesses = Some(board.guesses(&clues).await);
    }
    match request.kind {
        Kind::Multiple => drop_clues(&mut record, random),
        Kind::Altered => change_clue(&mut record, random)?,
        Kind::Grids | Kind::Sparse | Kind::Puzzles | Kind::Minimal | Kind::Neighbours => {}
    }
    Some(record)
}

/// Returns the cells of `pattern` as clues, or `None` if their puzzle does not have exactly one solution.
///
/// If `minimal`, also returns `None` if the puzzle is not minimal.
async fn on_pattern(board: &SolvedGrid, pattern: &[bool], minimal: bool) -> Option<CellSet> {
    let clues = (0..pattern.len()).filter(|&cell| pattern[cell]).collect();
    let is_proper = board.judge(&clues).await == ClueVerdict::Unique;
    (is_proper && (!minimal || is_minimal(board, clues).await)).then_some(clues)
}

/// Removes one clue or two clues, with equal probability.
fn drop_clues(record: &mut Generated, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let clues: Vec<usize> =
            (0..record.cells.len()).filter(|&cell| record.cells[cell].is_some()).collect();
        if let Some(&cell) = random.pick(&clues) {
            record.cells[cell] = None;
        }
    }
}
