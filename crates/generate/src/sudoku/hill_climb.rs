//! Hill climbing towards puzzles that need many guesses.
//!
//! Each step makes a small change to the best puzzle so far, and asks the engine few questions:
//! - The step removes one clue, after which some unavoidable sets have no clue.
//! - Cells of these sets become clues, until each known set has one. Then the step asks the engine for the solutions.
//! - If there is one solution, the step compares the number of guesses of this search with that of the best puzzle.
//! - If there are more solutions, they reveal new unavoidable sets.
//!   The step adds a cell of such a set as a clue, to repair the change.
//!
//! Unavoidable sets depend only on the solved grid. So the sets found in one step save questions in later
//! steps.
//!
//! A puzzle is made minimal only if it needs at least as many guesses as the best puzzle so far. Almost all
//! of these puzzles are minimal already.

use super::cells::CellSet;
use super::clue_limits::ClueLimits;
use super::remove_clues::is_minimal;
use super::solved_grid::{ClueVerdict, SolvedGrid};
use super::unavoidable_sets::UnavoidableSets;
use crate::queries::MAX_AT_ONCE;
use crate::record::Generated;
use quadrille_model::random::Random;

/// Number of changed puzzles about which one climb asks the engine at the same time.
///
/// The engine solves many puzzles at once. With this number, fifty climbs keep it busy.
const AT_ONCE: usize = 8;
const _: () = assert!(AT_ONCE <= MAX_AT_ONCE);
/// Maximum number of clues that replace the removed clue.
///
/// Of the changes that add one clue, 20 % make a puzzle that needs at least as many guesses as before. Of the
/// changes that add three clues, only 2 % do.
const MAX_ADDED: usize = 2;
/// Maximum number of random changes drawn to find one that adds at most [`MAX_ADDED`] clues.
const DRAWS: u32 = 64;
/// Maximum number of random draws, per cell of the grid, to find a suitable cell.
const DRAWS_OF_CELL: usize = 8;
/// Maximum number of questions to the engine in one step. If a step needs more questions, it fails.
const MAX_QUESTIONS: u32 = 16;
/// Maximum number of 64-bit words in a bit set of unavoidable sets, with one bit per unavoidable set.
///
/// A climb keeps its unavoidable sets from one step to the next. More of them would take more time than is
/// saved by asking fewer questions.
const WORDS_OF_WITNESSES: usize = 8;

/// Changes a puzzle step by step. The solution stays the same, and the number of guesses never falls.
///
/// Each step removes one clue and adds one or two others, so that the puzzle still has one solution. A step
/// fails after [`MAX_QUESTIONS`] questions. The climb ends early if no such change is found. Returns the last
/// puzzle and its number of guesses.
///
/// `witnesses` are unavoidable sets of the grid, each with the number of its cells that are clues of `best`.
pub(super) async fn climb(
    board: &SolvedGrid,
    (best, mut witnesses): (CellSet, UnavoidableSets),
    wanted: &ClueLimits,
    steps: u32,
    random: &mut Random,
) -> (CellSet, u64) {
    witnesses.keep_at_most(WORDS_OF_WITNESSES);
    let guesses = board.guesses(&best).await;
    let mut climber = Climber { board, wanted, best, guesses, witnesses, random };
    let mut left = steps as usize;
    let mut changes: Vec<Change> = Vec::with_capacity(AT_ONCE);
    while left > 0 {
        while changes.len() < left.min(AT_ONCE) {
            let Some(change) = climber.draw() else { break };
            changes.push(change);
        }
        if changes.is_empty() {
            break;
        }
        let replies =
            board.solve_all(changes.iter().map(|change| (board, change.apply(&climber.best)))).await;
        let mut promising = Vec::new();
        for (change, reply) in changes.iter_mut().zip(replies) {
            change.questions += 1;
            change.is_done = change.questions == MAX_QUESTIONS;
            let guesses = reply.guesses;
            match board.verdict(reply, 1) {
                ClueVerdict::Unique => {
                    change.is_done = true;
                    if guesses >= climber.guesses {
                        promising.push((guesses, change.apply(&climber.best)));
                    }
                }
                ClueVerdict::Other(others) => climber.learn_from(&others),
                // Another change is drawn.
                ClueVerdict::Unknown => change.added.clear(),
            }
        }
        left -= changes.iter().filter(|change| change.is_done).count();
        changes.retain(|change| !change.is_done);
        // The puzzle with the most guesses comes first. On ties, the earlier puzzle comes first.
        promising.sort_by_key(|&(guesses, _)| std::cmp::Reverse(guesses));
        if climber.takes_one_of(promising).await {
            // The remaining changes apply to the previous best puzzle, so they are dropped.
            changes.clear();
        }
        changes.retain_mut(|change| climber.mend(change));
    }
    (climber.best, climber.guesses)
}

/// Changes the digits of the puzzle `best` step by step. Its clues stay in the same cells, and the number of
/// guesses never falls.
///
/// Up to [`AT_ONCE`] changed puzzles are solved at the same time. Each of them that has exactly one solution
/// counts as one step. If none of them has, all of them together count as one step.
pub(super) async fn climb_in_place(
    mut board: SolvedGrid,
    mut best: Generated,
    minimal: bool,
    steps: u32,
    random: &mut Random,
) -> Generated {
    let clues = &best.cells.iter().enumerate().filter_map(|(cell, clue)| clue.map(|_| cell)).collect();
    let mut most = board.guesses(clues).await;
    let mut left = steps as usize;
    while left > 0 {
        let mut draw = || {
            let mut changed = best.clone();
            // Two changes together reach puzzles that no single change reaches.
            for _ in 0..=random.below(2) {
                change_clue(&mut changed, random)?;
            }
            let digits: Vec<u8> = changed.cells.iter().map(|digit| digit.unwrap_or_default()).collect();
            Some(board.with_digits(&digits))
        };
        let boards: Vec<SolvedGrid> = (0..left.min(AT_ONCE)).map_while(|_| draw()).collect();
        if boards.is_empty() {
            break;
        }
        let mut solved = board.solve_all(boards.iter().map(|board| (board, *clues))).await;
        solved.retain(|reply| reply.settled && reply.found == 1);
        left -= solved.len().clamp(1, left);
        // The puzzle with the most guesses comes first. On ties, the earlier puzzle comes first.
        solved.sort_by_key(|reply| std::cmp::Reverse(reply.guesses));
        for reply in solved.into_iter().filter(|reply| reply.guesses >= most) {
            let changed = board.with_digits(&reply.solutions);
            if !minimal || is_minimal(&changed, *clues).await {
                (best, most, board) = (changed.record(best.index, clues), reply.guesses, changed);
                break;
            }
        }
    }
    Generated { guesses: Some(most), ..best }
}

/// Replaces the digit of one clue by another digit. Returns `None` if this is impossible.
///
/// The new digit does not clash with other clues. All such pairs of a clue and a new digit are equally
/// likely.
pub(super) fn change_clue(record: &mut Generated, random: &mut Random) -> Option<()> {
    let geometry = &record.geometry;
    let mut changes = Vec::new();
    for (cell, clue) in record.cells.iter().enumerate() {
        let Some(clue) = clue else { continue };
        let peers =
            geometry.houses_of(cell).iter().flat_map(|&house| &geometry.houses()[usize::from(house)].cells);
        let seen = peers.fold(1u64 << clue, |seen, &peer| {
            seen | record.cells[usize::from(peer)].map_or(0, |digit| 1 << digit)
        });
        changes.extend(
            (0..geometry.side() as u8).filter(|digit| seen >> digit & 1 == 0).map(|digit| (cell, digit)),
        );
    }
    let &(cell, digit) = random.pick(&changes)?;
    record.cells[cell] = Some(digit);
    record.solution = None;
    Some(())
}

/// A change to a puzzle: one clue is removed, and some clues are added.
#[derive(Debug)]
struct Change {
    dropped: usize,
    added: Vec<usize>,
    /// Number of questions that the engine was asked about this change.
    questions: u32,
    /// True if the step with this change has ended.
    is_done: bool,
}

impl Change {
    /// Returns a copy of `puzzle` with this change.
    fn apply(&self, puzzle: &CellSet) -> CellSet {
        let mut clues = *puzzle;
        clues.take(self.dropped);
        self.added.iter().for_each(|&cell| clues.put(cell));
        clues
    }
}

/// A climb in progress.
struct Climber<'a> {
    board: &'a SolvedGrid,
    wanted: &'a ClueLimits,
    /// The best puzzle so far.
    best: CellSet,
    /// The guesses of `best`.
    guesses: u64,
    /// Unavoidable sets, each with the number of its clues in `best`.
    witnesses: UnavoidableSets,
    random: &'a mut Random,
}

impl Climber<'_> {
    /// Draws a random change, or returns `None` if no suitable change is found.
    fn draw(&mut self) -> Option<Change> {
        for _ in 0..DRAWS {
            let dropped = self.pick(|climber, cell| climber.best.has(cell))?;
            let mut change =
                Change { dropped, added: Vec::with_capacity(MAX_ADDED), questions: 0, is_done: false };
            if self.complete(&mut change) {
                return Some(change);
            }
        }
        None
    }

    /// Repairs a change whose puzzle has several solutions, or replaces it by another change.
    ///
    /// Returns false if neither is possible.
    fn mend(&mut self, change: &mut Change) -> bool {
        if self.complete(change) {
            return true;
        }
        let questions = change.questions;
        let Some(other) = self.draw() else { return false };
        *change = Change { questions, ..other };
        true
    }

    /// Adds clues to the change until every known unavoidable set has a clue.
    ///
    /// Returns false if this takes too many clues.
    fn complete(&mut self, change: &mut Change) -> bool {
        self.witnesses.take(change.dropped);
        change.added.iter().for_each(|&cell| self.witnesses.put(cell));
        let fits = self.put_in(change);
        change.added.iter().for_each(|&cell| self.witnesses.take(cell));
        self.witnesses.put(change.dropped);
        fits
    }

    /// Adds clues as [`complete`](Self::complete) does. The counts of clues in unavoidable sets must already
    /// include the change.
    ///
    /// Afterwards, these counts also include the added clues.
    fn put_in(&mut self, change: &mut Change) -> bool {
        let clues = self.best.len() as usize - 1;
        loop {
            let missed = self.witnesses.first_missed();
            if missed.is_none() && clues + change.added.len() >= self.wanted.stop as usize {
                return true;
            }
            let cell = self.pick(|climber, cell| {
                let is_new = cell != change.dropped && !change.added.contains(&cell);
                is_new && missed.map_or(!climber.best.has(cell), |set| climber.witnesses.has(set, cell))
            });
            let Some(cell) = cell else { return false };
            change.added.push(cell);
            self.witnesses.put(cell);
            if self.wanted.minimal {
                // The clue just added may have made another added clue unnecessary.
                change.added.retain(|&other| {
                    let stays = other == cell || self.witnesses.need(other);
                    if !stays {
                        self.witnesses.take(other);
                    }
                    stays
                });
            }
            if change.added.len() > MAX_ADDED {
                return false;
            }
        }
    }

    /// Returns a random cell for which `fits` returns true, or `None` if no such cell is found. All of these
    /// cells are equally likely.
    fn pick(&mut self, fits: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let cells = self.board.solution.len();
        // It takes about ten draws to find a cell of a small set. That costs less than listing the cells of
        // the set.
        for _ in 0..DRAWS_OF_CELL * cells {
            let cell = self.random.below(cells as u32) as usize;
            if fits(self, cell) {
                return Some(cell);
            }
        }
        None
    }

    /// Learns new unavoidable sets: the cells in which the other solutions differ from the grid.
    fn learn_from(&mut self, others: &[u8]) {
        let solution = &*self.board.solution;
        for other in others.chunks_exact(solution.len()).filter(|&other| other != solution) {
            self.witnesses.learn_from(other, self.board, &self.best);
        }
    }

    /// Makes one of the `promising` puzzles the best puzzle so far, after its unneeded clues are removed.
    ///
    /// Returns false if none of the puzzles is suitable.
    async fn takes_one_of(&mut self, promising: Vec<(u64, CellSet)>) -> bool {
        for (mut guesses, clues) in promising {
            self.witnesses.count(&clues);
            let thinned =
                self.wanted.puzzle_within(self.board, clues, self.random, &mut self.witnesses).await;
            if let Some(thinned) = thinned {
                if thinned != clues {
                    guesses = self.board.guesses(&thinned).await;
                }
                if guesses >= self.guesses {
                    (self.best, self.guesses) = (thinned, guesses);
                    return true;
                }
            }
            self.witnesses.count(&self.best);
        }
        false
    }
}
