//! Hill climbing towards puzzles that take many guesses.
//!
//! A step makes a small change, with few questions. One clue is removed, so that some unavoidable sets have
//! no clue. Cells of these sets become clues until each known set has one. Then the engine is asked. If there
//! is one solution, the guesses of that proof are compared. Otherwise the other solutions reveal unavoidable
//! sets that were not known, and one of their cells is added to repair the change. The sets belong to the
//! grid, so sets found in one step save questions in later steps.
//!
//! Only a puzzle that takes at least as many guesses as the best so far is made minimal; almost always it is minimal
//! already.

use super::cells::CellSet;
use super::clue_limits::ClueLimits;
use super::remove_clues::is_minimal;
use super::solved_grid::{ClueVerdict, SolvedGrid};
use super::unavoidable_sets::UnavoidableSets;
use crate::queries::MAX_AT_ONCE;
use crate::record::Generated;
use quadrille_model::random::Random;

/// Number of changes of one puzzle that are asked about at once.
///
/// Fifty climbs thus fill the lanes of an engine.
const AT_ONCE: usize = 8;
const _: () = assert!(AT_ONCE <= MAX_AT_ONCE);
/// Maximum number of clues that replace the removed clue.
///
/// Changes that add three clues keep the number of guesses in 2 % of cases; changes that add one clue do so in 20 %.
const MAX_ADDED: usize = 2;
/// Maximum number of draws until a change has no more than [`MAX_ADDED`] added clues.
const DRAWS: u32 = 64;
/// Maximum number of random cells drawn in search of one that fits, per cell of the grid.
const DRAWS_OF_CELL: usize = 8;
/// Maximum number of questions about the changes of a step, after which the step fails.
const MAX_QUESTIONS: u32 = 16;
/// Maximum number of words of unavoidable sets kept from step to step.
///
/// Keeping more would cost more than the questions it saves.
const WORDS_OF_WITNESSES: usize = 8;

/// A puzzle from which a climb begins, as the cells of its clues.
pub(super) struct Start {
    pub(super) clues: CellSet,
    /// Unavoidable sets of the grid, in which the clues are counted.
    pub(super) witnesses: UnavoidableSets,
}

/// Changes a puzzle step by step. Its solution stays and its number of guesses never falls.
///
/// Returns the last puzzle and its guesses. A step examines one changed puzzle with one solution: one clue is
/// removed, and one or two others are added. A step fails after [`MAX_QUESTIONS`]. The climb ends early if
/// no such change is found.
pub(super) async fn climb(
    board: &SolvedGrid,
    start: Start,
    wanted: &ClueLimits,
    steps: u32,
    random: &mut Random,
) -> (CellSet, u64) {
    let Start { clues: best, mut witnesses } = start;
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
        let verdicts = board.judge_all(changes.iter().map(|change| change.apply(&climber.best))).await;
        let mut promising = Vec::new();
        for (change, (verdict, guesses)) in changes.iter_mut().zip(verdicts) {
            change.questions += 1;
            change.is_done = change.questions == MAX_QUESTIONS;
            match verdict {
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
        // Most guesses first; on ties the earlier puzzle.
        promising.sort_by_key(|&(guesses, _)| std::cmp::Reverse(guesses));
        if climber.takes_one_of(promising).await {
            // These were changes of the previous best puzzle.
            changes.clear();
        }
        changes.retain_mut(|change| climber.mend(change));
    }
    (climber.best, climber.guesses)
}

/// Changes the digits of `best`, a puzzle, step by step. The cells of its clues stay, and its number of guesses never
/// falls.
///
/// A step examines one changed puzzle with one solution, or [`AT_ONCE`] puzzles without.
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
            // A second change reaches puzzles that no single change leads to.
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
        let mut solved = board.solve_all(boards.iter().map(|board| (board, clues))).await;
        left -= solved.len().clamp(1, left);
        // Most guesses first; on ties the earlier puzzle.
        solved.sort_by_key(|&(guesses, _)| std::cmp::Reverse(guesses));
        for (guesses, solution) in solved.into_iter().filter(|(guesses, _)| *guesses >= most) {
            let changed = board.with_digits(&solution);
            if !minimal || is_minimal(&changed, *clues).await {
                (best, most, board) = (changed.record(best.index, clues), guesses, changed);
                break;
            }
        }
    }
    Generated { guesses: Some(most), ..best }
}

/// Puts another digit into a clue; returns `None` if there is no such change.
///
/// All pairs of clue and digit without a clash are equally likely.
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

/// A change: one clue removed and some others added.
#[derive(Debug)]
struct Change {
    dropped: usize,
    added: Vec<usize>,
    /// Number of questions asked in this step.
    questions: u32,
    /// True if the step has ended.
    is_done: bool,
}

impl Change {
    /// Returns `puzzle` with the change applied.
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
    /// Unavoidable sets, each with its number of clues in `best`.
    witnesses: UnavoidableSets,
    random: &'a mut Random,
}

impl Climber<'_> {
    /// Draws a change, or returns `None` if there seems to be none.
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

    /// Repairs a change that has more than one solution, or replaces it; returns `false` if neither works.
    fn mend(&mut self, change: &mut Change) -> bool {
        if self.complete(change) {
            return true;
        }
        let questions = change.questions;
        let Some(other) = self.draw() else { return false };
        *change = Change { questions, ..other };
        true
    }

    /// Adds clues until every known set has a clue; returns `false` if that takes too many.
    fn complete(&mut self, change: &mut Change) -> bool {
        self.witnesses.take(change.dropped);
        change.added.iter().for_each(|&cell| self.witnesses.put(cell));
        let fits = self.put_in(change);
        change.added.iter().for_each(|&cell| self.witnesses.take(cell));
        self.witnesses.put(change.dropped);
        fits
    }

    /// Adds clues like [`complete`](Self::complete), for a change already counted in the sets. The added
    /// clues stay counted.
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
                // The last clue may have made another clue unnecessary.
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

    /// Returns a random cell that fits, all equally likely, or `None` if none is found.
    fn pick(&mut self, fits: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let cells = self.board.solution.len();
        // A cell of a small set is drawn after about ten attempts, which cost less than listing the set.
        for _ in 0..DRAWS_OF_CELL * cells {
            let cell = self.random.below(cells as u32) as usize;
            if fits(self, cell) {
                return Some(cell);
            }
        }
        None
    }

    /// Adds the unavoidable sets in which the other solutions differ from the grid.
    fn learn_from(&mut self, others: &[u8]) {
        let solution = &*self.board.solution;
        for other in others.chunks_exact(solution.len()).filter(|&other| other != solution) {
            self.witnesses.learn_from(other, self.board, &self.best);
        }
    }

    /// Removes unneeded clues from the puzzles until one is suitable, and makes it the best; returns `false` if no
    /// puzzle is suitable.
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
