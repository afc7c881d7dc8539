//! The best found so far, shared by the parts of one problem.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use quadrille_model::{Direction, Leaders, Top};

/// The score that a solution must reach to be one of the best of one problem, by what all parts of it have found:
/// shared by parts that run at the same time.
///
/// A part may leave out whatever is strictly worse than this, never what is equal: ties go to the earliest solution in
/// sequential order, and only the merge of all parts decides which that is.
#[derive(Debug)]
pub struct Incumbent {
    top: Top,
    /// The last score of as many as are wanted.
    score: AtomicI64,
    /// The scores, where several are wanted.
    found: Mutex<Leaders>,
    /// True if it takes no offers.
    sealed: bool,
}

impl Incumbent {
    /// Returns the state before anything is found.
    pub fn new(top: Top) -> Self {
        let score = Self::worst(top).into();
        Incumbent { top, score, found: Mutex::new(Leaders::new(top)), sealed: false }
    }

    /// The score that any solution beats.
    pub(super) fn worst(top: Top) -> i64 {
        match top.direction {
            Direction::Maximize => i64::MIN,
            Direction::Minimize => i64::MAX,
        }
    }

    /// As this one stands now, to be read only: for a part that is searched again, whose solutions must not count
    /// twice.
    pub fn sealed(&self) -> Self {
        Incumbent { score: self.score().into(), sealed: true, ..Incumbent::new(self.top) }
    }

    /// The score to reach; the worst possible number while fewer solutions are known than are wanted.
    #[inline]
    pub fn score(&self) -> i64 {
        self.score.load(Relaxed)
    }

    /// Returns true if a score, or the bound of a subtree, is strictly worse than [`score`](Self::score).
    #[inline]
    pub fn beats(&self, score: i64) -> bool {
        self.top.direction.is_better(self.score(), score)
    }

    /// Reports a solution's score, once for each solution.
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

/// The best that a search has found, and what is still worth finding.
pub(super) struct BestFound<'a> {
    pub(super) leaders: Leaders,
    pub(super) incumbent: Option<&'a Incumbent>,
}

impl<'a> BestFound<'a> {
    /// Nothing found yet.
    pub(super) fn new(top: Top, incumbent: Option<&'a Incumbent>) -> Self {
        BestFound { leaders: Leaders::new(top), incumbent }
    }

    /// True where a solution of this score would be one of the best: it would have to beat what was found here, and to
    /// reach what others found.
    pub(super) fn wants(&self, score: i64) -> bool {
        self.leaders.admits(score) && !self.incumbent.is_some_and(|incumbent| incumbent.beats(score))
    }

    /// Takes the score of a solution that is wanted.
    pub(super) fn take(&mut self, score: i64) {
        self.leaders.add(score);
        if let Some(incumbent) = self.incumbent {
            incumbent.offer(score);
        }
    }
}
