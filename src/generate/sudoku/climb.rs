//! Hill climbing towards puzzles that take many guesses.

use super::board::{Board, Verdict};
use super::cells::CellSet;
use super::wanted::Wanted;
use super::witness::Witnesses;
use crate::random::Random;

/// At most so many clues are taken away in a step.
const MOST_DROPPED: u32 = 4;
/// Clues put in at once until one solution is left.
const ADDED_AT_ONCE: usize = 3;
/// Unavoidable sets that are kept from step to step: what more of them cost is more than the questions that they spare.
const MOST_WITNESSES: usize = 512;

/// Changes a puzzle step by step, its solution kept, and keeps each change that does not take fewer guesses to solve
/// than the puzzle before. Gives the last puzzle and its guesses.
///
/// A step takes away one to [`MOST_DROPPED`] clues, puts in [`ADDED_AT_ONCE`] others at random until one solution
/// is left, and takes away again what is not needed, in random order. Of a plain 9x9 the unavoidable sets that engines have
/// shown in earlier steps spare questions in later ones; elsewhere they could prove what a search that is cut short does not,
/// and each step has its own.
pub(super) async fn climb(
    board: &Board,
    start: CellSet,
    wanted: &Wanted,
    steps: u32,
    random: &mut Random,
    mut witnesses: Witnesses,
) -> (CellSet, u64) {
    let remembers = board.plain_9x9().is_some();
    let mut best = start;
    let mut guesses = board.guesses(&best).await;
    for _ in 0..steps {
        let mut clues = best;
        let mut dropped: Vec<usize> = best.iter().collect();
        random.shuffle(&mut dropped);
        dropped.truncate(1 + random.below(MOST_DROPPED) as usize);
        for &cell in &dropped {
            clues.take(cell);
        }
        let cells = board.solution.len();
        let mut others: Vec<usize> = (0..cells).filter(|&cell| !best.has(cell)).collect();
        random.shuffle(&mut others);
        if !remembers || witnesses.len() > MOST_WITNESSES {
            witnesses = Witnesses::of(board, &clues);
        } else {
            witnesses.count(&clues);
        }
        for more in others.chunks(ADDED_AT_ONCE) {
            for &cell in more {
                clues.put(cell);
                witnesses.put(cell);
            }
            if witnesses.is_one_missed() {
                continue;
            }
            match board.judge(&clues).await {
                Verdict::Unique => break,
                Verdict::Other(other) if remembers => witnesses.learn_from(&other, board, &clues),
                Verdict::Other(_) | Verdict::Unknown => {}
            }
        }
        // Without what was dropped, the others may all be there and there may still be two solutions.
        let Some(changed) = wanted.puzzle_within(board, clues, random, &mut witnesses).await else {
            continue;
        };
        let changed_guesses = board.guesses(&changed).await;
        if changed_guesses >= guesses {
            (best, guesses) = (changed, changed_guesses);
        }
    }
    (best, guesses)
}
