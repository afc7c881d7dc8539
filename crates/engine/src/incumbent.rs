//! The best scores found so far. The parts of a split search share them.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use quadrille_model::{Direction, TopK, TopScores};

/// The score that a solution must reach to be one of the best solutions of a problem.
///
/// The parts of a split search run at the same time. They share this score, and solutions found in any part
/// can improve it. A part may skip solutions that are strictly worse than this score, but not solutions with
/// an equal score. If scores are equal, the solution that comes first in sequential order is better. Which
/// solution comes first is only known when the results of all parts are merged.
#[derive(Debug)]
pub struct Incumbent {
    top: TopK,
    /// The worst score among the best scores so far. `top` determines how many best scores are kept.
    score: AtomicI64,
    /// The best scores so far. Used only if `top` asks for more than one score.
    found: Mutex<TopScores>,
    /// True if offers are ignored.
    sealed: bool,
}

impl Incumbent {
    /// Creates an incumbent that has not seen a solution.
    pub fn new(top: TopK) -> Self {
        let score = Self::worst(top).into();
        Incumbent { top, score, found: Mutex::new(TopScores::new(top)), sealed: false }
    }

    /// Returns the worst possible score.
    pub(super) fn worst(top: TopK) -> i64 {
        match top.direction {
            Direction::Maximize => i64::MIN,
            Direction::Minimize => i64::MAX,
        }
    }

    /// Returns a copy of the current state. Later calls of [`offer`](Self::offer) do not change the copy.
    ///
    /// If a part is searched again, it uses such a copy, because its solutions must not count twice.
    pub fn sealed(&self) -> Self {
        Incumbent { score: self.score().into(), sealed: true, ..Incumbent::new(self.top) }
    }

    /// Returns the score that further solutions must reach.
    ///
    /// As long as fewer solutions were found than requested, this is the worst possible score.
    #[inline]
    pub fn score(&self) -> i64 {
        self.score.load(Relaxed)
    }

    /// Returns true if `score` is strictly worse than the current [`score`](Self::score).
    ///
    /// Then a solution with this score is useless. If `score` is the bound of a subtree, the subtree is
    /// useless.
    #[inline]
    pub fn beats(&self, score: i64) -> bool {
        self.top.direction.is_better(self.score(), score)
    }

    /// Adds the score of a solution. Must be called once per solution.
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

/// The best solutions that a search has found, and the score that further solutions must reach.
pub(super) struct BestFound<'a> {
    pub(super) leaders: TopScores,
    pub(super) incumbent: Option<&'a Incumbent>,
}

impl<'a> BestFound<'a> {
    /// Creates the state of a search that has not found a solution.
    pub(super) fn new(top: TopK, incumbent: Option<&'a Incumbent>) -> Self {
        BestFound { leaders: TopScores::new(top), incumbent }
    }

    /// Returns true if a solution with this score would be one of the best.
    ///
    /// The score must be among the best scores of this part of the search. It must also be at least as good
    /// as the score required in all parts.
    pub(super) fn wants(&self, score: i64) -> bool {
        self.leaders.admits(score) && !self.incumbent.is_some_and(|incumbent| incumbent.beats(score))
    }

    /// Records the score of a solution that is one of the best.
    pub(super) fn take(&mut self, score: i64) {
        self.leaders.add(score);
        if let Some(incumbent) = self.incumbent {
            incumbent.offer(score);
        }
    }
}
