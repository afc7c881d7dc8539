//! The best scores found so far, shared by the parts of one problem.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use quadrille_model::{Direction, TopK, TopScores};

/// The score that a solution must reach to be one of the best of a problem.
///
/// The score is shared by parts that run at the same time, and follows from the results of all of them. A part may
/// skip whatever is strictly worse than this score, but nothing that is equal. Ties go to the earliest solution in
/// sequential order, and only the merge of all parts decides which solution is the earliest.
#[derive(Debug)]
pub struct Incumbent {
    top: TopK,
    /// The worst of the best scores so far; `top` states how many best scores are asked for.
    score: AtomicI64,
    /// The best scores, if several are asked for.
    found: Mutex<TopScores>,
    /// True if offers are ignored.
    sealed: bool,
}

impl Incumbent {
    /// Creates the state before any solution is found.
    pub fn new(top: TopK) -> Self {
        let score = Self::worst(top).into();
        Incumbent { top, score, found: Mutex::new(TopScores::new(top)), sealed: false }
    }

    /// Returns the score that any solution beats.
    pub(super) fn worst(top: TopK) -> i64 {
        match top.direction {
            Direction::Maximize => i64::MIN,
            Direction::Minimize => i64::MAX,
        }
    }

    /// Returns a read-only copy of the current state.
    ///
    /// For a part that is searched again: its solutions must not count twice.
    pub fn sealed(&self) -> Self {
        Incumbent { score: self.score().into(), sealed: true, ..Incumbent::new(self.top) }
    }

    /// Returns the score to reach; the worst possible one while fewer solutions are known than are asked for.
    #[inline]
    pub fn score(&self) -> i64 {
        self.score.load(Relaxed)
    }

    /// Returns true if a score, or the bound of a subtree, is strictly worse than [`score`](Self::score).
    #[inline]
    pub fn beats(&self, score: i64) -> bool {
        self.top.direction.is_better(self.score(), score)
    }

    /// Offers a solution's score. To be called once per solution.
    pub fn offer(&self, score: i64) {
        if self.sealed {
            return;
        }
        if self.top.limit > 1 {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if found.add(score).is_some()
                && let Some(threshold) = found.threshold()
            {
                self.score.store(threshold, Relaxed);
            }
            return;
        }
        match self.top.direction {
            Direction::Maximize => self.score.fetch_max(score, Relaxed),
            Direction::Minimize => self.score.fetch_min(score, Relaxed),
        };
    }
}

/// The best solutions that a search has found, and which scores are still wanted.
pub(super) struct BestFound<'a> {
    pub(super) leaders: TopScores,
    pub(super) incumbent: Option<&'a Incumbent>,
}

impl<'a> BestFound<'a> {
    /// Creates the state before any solution is found.
    pub(super) fn new(top: TopK, incumbent: Option<&'a Incumbent>) -> Self {
        BestFound { leaders: TopScores::new(top), incumbent }
    }

    /// Returns true if a solution of this score would be one of the best.
    ///
    /// The score must beat those of this part's solutions, and equal or beat those found elsewhere.
    pub(super) fn wants(&self, score: i64) -> bool {
        self.leaders.admits(score) && !self.incumbent.is_some_and(|incumbent| incumbent.beats(score))
    }

    /// Records the score of a wanted solution.
    pub(super) fn take(&mut self, score: i64) {
        self.leaders.add(score);
        if let Some(incumbent) = self.incumbent {
            incumbent.offer(score);
        }
    }
}
