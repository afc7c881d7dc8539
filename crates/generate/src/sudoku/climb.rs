//! Hill climbing towards puzzles that take many guesses.
//!
//! A step changes little and asks little. One clue is taken away, so that some unavoidable sets have no clue, and cells of these
//! become clues until each known set has one. What is then asked is the whole question: if there is one solution, the guesses
//! of that proof are those that are compared; else the other solutions show sets that were not known, and the change is
//! mended by one of their cells. Sets are of the grid: what one step has learnt saves the next ones from asking in vain.
//!
//! Only what takes as many guesses as the best so far is thinned until it is minimal, and almost always it is already.

use super::board::{Board, Verdict};
use super::cells::CellSet;
use super::wanted::Wanted;
use super::witness::Witnesses;
use crate::ask::MOST_AT_ONCE;
use quadrille_model::random::Random;

/// Changes of one puzzle that are asked about at once: so fifty climbs fill the lanes of an engine.
const AT_ONCE: usize = 8;
const _: () = assert!(AT_ONCE <= MOST_AT_ONCE);
/// At most so many clues are put in for the one that is taken away: of changes that put in three, 2 % keep the guesses, of those
/// that put in one 20 %.
const MOST_ADDED: usize = 2;
/// Changes drawn until one has no more than [`MOST_ADDED`].
const DRAWS: u32 = 64;
/// Cells drawn for each that there is, until one fits.
const DRAWS_OF_CELL: usize = 8;
/// Questions about the changes of a step, after which it comes to nothing.
const MOST_QUESTIONS: u32 = 16;
/// Words of unavoidable sets that are kept from step to step: what more of them cost is more than the questions that they spare.
const WORDS_OF_WITNESSES: usize = 8;

/// Changes a puzzle step by step, its solution kept, and keeps each change that does not take fewer guesses to solve
/// than the puzzle before. Gives the last puzzle and its guesses.
///
/// A step looks at one changed puzzle with one solution: one clue is away, one or two others are there. It ends without one
/// after [`MOST_QUESTIONS`]; and all end where no such change is drawn.
pub(super) async fn climb(
    board: &Board,
    start: CellSet,
    wanted: &Wanted,
    steps: u32,
    random: &mut Random,
    mut witnesses: Witnesses,
) -> (CellSet, u64) {
    witnesses.keep_at_most(WORDS_OF_WITNESSES);
    let guesses = board.guesses(&start).await;
    let mut climber = Climber { board, wanted, best: start, guesses, witnesses, random };
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
        let verdicts = board.judge_all(changes.iter().map(|change| change.of(&climber.best))).await;
        let mut promising = Vec::new();
        for (change, (verdict, guesses)) in changes.iter_mut().zip(verdicts) {
            change.questions += 1;
            change.is_done = change.questions == MOST_QUESTIONS;
            match verdict {
                Verdict::Unique => {
                    change.is_done = true;
                    if guesses >= climber.guesses {
                        promising.push((guesses, change.of(&climber.best)));
                    }
                }
                Verdict::Other(others) => climber.learn_from(&others),
                // Another one is drawn.
                Verdict::Unknown => change.added.clear(),
            }
        }
        left -= changes.iter().filter(|change| change.is_done).count();
        changes.retain(|change| !change.is_done);
        // Most guesses first, the earlier one among equals.
        promising.sort_by_key(|&(guesses, _)| std::cmp::Reverse(guesses));
        if climber.takes_one_of(promising).await {
            // They were changes of another puzzle.
            changes.clear();
        }
        changes.retain_mut(|change| climber.mend(change));
    }
    (climber.best, climber.guesses)
}

/// One clue less and some others more.
#[derive(Debug)]
struct Change {
    dropped: usize,
    added: Vec<usize>,
    /// Asked in the step.
    questions: u32,
    /// True if the step is at its end.
    is_done: bool,
}

impl Change {
    /// The changed puzzle.
    fn of(&self, puzzle: &CellSet) -> CellSet {
        let mut clues = *puzzle;
        clues.take(self.dropped);
        self.added.iter().for_each(|&cell| clues.put(cell));
        clues
    }
}

/// A climb under way.
struct Climber<'a> {
    board: &'a Board,
    wanted: &'a Wanted,
    /// The puzzle so far, and its guesses.
    best: CellSet,
    guesses: u64,
    /// Sets that have counted the clues of `best`.
    witnesses: Witnesses,
    random: &'a mut Random,
}

impl Climber<'_> {
    /// Draws a change; `None` if there seems to be none.
    fn draw(&mut self) -> Option<Change> {
        for _ in 0..DRAWS {
            let dropped = self.pick(|climber, cell| climber.best.has(cell))?;
            let mut change =
                Change { dropped, added: Vec::with_capacity(MOST_ADDED), questions: 0, is_done: false };
            if self.complete(&mut change) {
                return Some(change);
            }
        }
        None
    }

    /// Goes on with a change that has more than one solution, or with another one if nothing can be made of it.
    fn mend(&mut self, change: &mut Change) -> bool {
        if self.complete(change) {
            return true;
        }
        let questions = change.questions;
        let Some(other) = self.draw() else { return false };
        *change = Change { questions, ..other };
        true
    }

    /// Puts in clues until every known set has one; `false` if that takes too many.
    fn complete(&mut self, change: &mut Change) -> bool {
        self.witnesses.take(change.dropped);
        change.added.iter().for_each(|&cell| self.witnesses.put(cell));
        let fits = self.put_in(change);
        change.added.iter().for_each(|&cell| self.witnesses.take(cell));
        self.witnesses.put(change.dropped);
        fits
    }

    /// As [`complete`](Self::complete), of a change that the sets have counted, and leaves them so.
    fn put_in(&mut self, change: &mut Change) -> bool {
        let clues = self.best.len() as usize - 1;
        loop {
            let missed = self.witnesses.first_missed();
            if missed.is_none() && clues + change.added.len() >= self.wanted.enough() as usize {
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
                // What the last one does may be all that another one did.
                change.added.retain(|&other| {
                    let stays = other == cell || self.witnesses.need(other);
                    if !stays {
                        self.witnesses.take(other);
                    }
                    stays
                });
            }
            if change.added.len() > MOST_ADDED {
                return false;
            }
        }
    }

    /// A cell that fits, all equally likely; `None` if none is met.
    fn pick(&mut self, fits: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let cells = self.board.solution.len();
        // Ten draws meet one of a small set, which costs less than to list it.
        for _ in 0..DRAWS_OF_CELL * cells {
            let cell = self.random.below(cells as u32) as usize;
            if fits(self, cell) {
                return Some(cell);
            }
        }
        None
    }

    /// Notes the sets that other solutions show.
    fn learn_from(&mut self, others: &[u8]) {
        let solution = &*self.board.solution;
        for other in others.chunks_exact(solution.len()).filter(|&other| other != solution) {
            self.witnesses.learn_from(other, self.board, &self.best);
        }
    }

    /// Makes the first of some puzzles that fits, thinned, the best one; `false` if there is none.
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
