//! Solvers behind one interface.
//!
//! Three interfaces, the first one above the others:
//!
//! * [`Engine`] streams: it asks its [`Client`] for jobs and reports to it as results come, in whatever order
//!   they come. An engine may hold several jobs at once.
//! * [`TreeSearch`] is what a solver of one problem at a time implements: one deterministic depth-first search
//!   that can start below a prefix of decisions and stop at a frontier. [`OneByOne`] makes an engine of it, and
//!   [`parallel`] splits one problem over threads with it.
//! * [`SolutionCounter`] is what an engine implements that counts solutions without listing them. [`Counting`] makes an engine of
//!   it; it can be asked whether a problem pays.
//!
//! [`select()`] is the only place that decides which engine does what.

mod bands;
mod best_cover;
mod best_grid;
mod bitmask;
mod bitset;
mod control;
mod counting;
mod dlx;
mod estimate;
pub mod lanes;
mod memo;
mod memory;
mod naive;
mod one_by_one;
pub mod parallel;
mod preprocess;
mod select;
mod solver;

pub use bands::Bands;
pub use best_cover::BestCover;
pub use best_grid::BestGrid;
pub use bitmask::Bitmask;
pub use bitset::Bitset;
pub use control::{Budget, Control, Gate};
pub use counting::{CountFirst, Counting, SHORT_SEARCH_NODES, SolutionCounter};
pub use dlx::Dlx;
pub use estimate::{Estimate, Figure, Probing, estimate};
pub use memo::Memo;
pub use naive::Naive;
pub use one_by_one::OneByOne;
pub use select::{
    COUNTED, ENGINES, EngineInfo, EngineKind, EnginePreference, Make, SPLIT, Selection, select, select_within,
};
pub use solver::{Solver, contradicted};

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::model::{
    Counters, Direction, EndedBy, Goal, Leaders, Limits, Outcome, Packed, ProblemRef, Solution, Top,
};

/// One problem to be worked on.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// The client's own mark; comes back with every report.
    pub ticket: u64,
    /// The problem, lent until the next call to the client.
    pub problem: ProblemRef<'a>,
    /// What is asked.
    pub goal: Goal,
    /// How far to go.
    pub limits: Limits,
}

/// Jobs as a client gives them to an engine that holds many.
#[derive(Debug, Clone, Copy)]
pub enum Jobs<'a> {
    /// One of any kind.
    One(Job<'a>),
    /// Several of the kind that there are millions of.
    Series(Series<'a>),
}

/// Plain 9x9 grids as jobs that have all else in common. Whoever gives them has no use for a [`Flow`]: none of them
/// is to end before its search does.
#[derive(Debug, Clone, Copy)]
pub struct Series<'a> {
    /// The first one's ticket; those of the others follow it.
    pub first_ticket: u64,
    /// The problems, at least one, lent until the next call to the client.
    pub grids: &'a [Packed],
    /// What is asked; nothing about values.
    pub goal: Goal,
    /// How far to go, each of them.
    pub limits: Limits,
}

impl<'a> Series<'a> {
    /// The first of them as a job.
    pub fn first(&self) -> Job<'a> {
        let problem = ProblemRef::Packed(&self.grids[0]);
        Job { ticket: self.first_ticket, problem, goal: self.goal, limits: self.limits }
    }
}

/// A solution of a job of a [`Series`].
#[derive(Debug, Clone, Copy)]
pub struct Solved {
    /// The job.
    pub ticket: u64,
    /// One 0-based digit per cell.
    pub digits: [u8; 81],
    /// The end of the job, where that came with the solution.
    pub ended: Option<Ended>,
}

/// The end of a job of a [`Series`].
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Solutions found, this one included.
    pub found: u64,
    /// What ended it.
    pub ended_by: EndedBy,
    /// Search-tree nodes.
    pub nodes: u64,
    /// Guesses.
    pub guesses: u64,
}

impl From<Ended> for Outcome {
    fn from(ended: Ended) -> Self {
        let Ended { found, ended_by, nodes, guesses } = ended;
        let counters = Some(Counters { nodes, guesses, ..Counters::default() });
        Outcome { found: found.into(), ended_by, counters, best: None }
    }
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// No more of this job is wanted: finish it with [`EndedBy::Cancel`].
    Stop,
}

/// Who an engine works for: gives jobs, takes results.
///
/// One object and not a source and a sink, because both sides of a caller share the memory that jobs are read
/// from and results are written to.
pub trait Client {
    /// The next job; `None` when there is none now, which may change while the engine works: one that still
    /// holds jobs asks again from time to time where it has room for more, one that holds none returns. So an
    /// engine never waits for its client, and a client that has nothing yet does not make it run dry.
    fn next_job(&mut self) -> Option<Job<'_>>;

    /// As [`next_job`](Self::next_job), or several at once, no more than `most` (at least one).
    fn next_jobs(&mut self, most: usize) -> Option<Jobs<'_>> {
        let _ = most;
        self.next_job().map(Jobs::One)
    }

    /// Solutions of jobs of a [`Series`], for engines that report many at once. They may as well come one by one.
    fn solved(&mut self, solved: &[Solved]) {
        for one in solved {
            // A series goes on whatever its client says.
            let _ = self.solution(one.ticket, Solution::Digits(&one.digits));
            if let Some(ended) = one.ended {
                self.finish(one.ticket, ended.into());
            }
        }
    }

    /// A solution of a job, in the engine's order; only where the goal wants solutions.
    fn solution(&mut self, ticket: u64, solution: Solution<'_>) -> Flow;

    /// The end of a job.
    fn finish(&mut self, ticket: u64, outcome: Outcome);
}

/// A solver that streams. Owns arenas that live as long as it does: no allocation per job in the steady state.
pub trait Engine: Send {
    /// Works until all jobs that were taken are finished and the client has no more at that moment.
    ///
    /// Results of a job never depend on what other jobs are there. When `control` says stop, jobs in hand are
    /// finished as cancelled (or past the deadline) with what was found.
    fn run(&mut self, client: &mut dyn Client, control: &Control);
}

/// One search: a whole problem, or the part of it below a prefix.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The problem.
    pub problem: ProblemRef<'a>,
    /// What is asked.
    pub goal: Goal,
    /// How far to go; counted from the end of the prefix.
    pub limits: Limits,
    /// Decisions to repeat first, as an earlier search of the same engine reported them to
    /// [`Visitor::frontier`]. Repeating them counts no nodes and no guesses. Empty: the whole problem.
    pub prefix: &'a [u32],
    /// Where to stop: the search reports a node whose path has this many branchings (nodes with two or more
    /// options) to [`Visitor::frontier`] and does not enter it. `None`: search on.
    pub frontier: Option<u32>,
    /// For [`Goal::Best`]: what other parts of the same problem have found.
    pub incumbent: Option<&'a Incumbent>,
}

impl<'a> Task<'a> {
    /// A whole problem.
    pub fn whole(problem: ProblemRef<'a>, goal: Goal, limits: Limits) -> Self {
        Task { problem, goal, limits, prefix: &[], frontier: None, incumbent: None }
    }
}

/// Takes what a [`TreeSearch`] finds, in its depth-first order.
pub trait Visitor {
    /// A solution; only where the goal wants solutions. For [`Goal::Best`] each that is among the best so far, the
    /// earlier of equals: at any time the best of those reported, as many as are wanted, are the best so far.
    fn solution(&mut self, solution: Solution<'_>) -> Flow;

    /// A node the search does not enter: its decisions, and the nodes entered so far (this one not counted).
    fn frontier(&mut self, prefix: &[u32], nodes: u64) -> Flow {
        let _ = (prefix, nodes);
        Flow::Continue
    }

    /// For [`Goal::Best`] instead of [`frontier`](Self::frontier), with a score that no solution below the node beats.
    fn frontier_within(&mut self, prefix: &[u32], nodes: u64, bound: i64) -> Flow {
        let _ = bound;
        self.frontier(prefix, nodes)
    }

    /// For [`Goal::Best`], by a search that ends early: a score that no solution beats which it has neither seen nor handed
    /// on.
    fn unseen(&mut self, bound: i64) {
        let _ = bound;
    }
}

/// A solver of one problem at a time: a deterministic depth-first search.
///
/// Whatever the prefix, frontier and limits, the tree is the same: the solutions of a problem, in order, are
/// those met before each frontier node and below it. Nodes add up likewise.
pub trait TreeSearch: Send {
    /// Runs one search.
    fn search(&mut self, task: &Task<'_>, visitor: &mut dyn Visitor, control: &Control) -> Outcome;

    /// A score that no solution of a problem beats, proved at little cost.
    fn bound(&mut self, problem: ProblemRef<'_>, direction: Direction) -> i64 {
        problem.loose_bound(direction)
    }

    /// Whether it reports nodes instead of entering them when its [`Control`] asks it to share.
    fn shares(&self) -> bool {
        false
    }
}

/// What a solution must reach to be one of the best of one problem, by what all parts of it have found: shared by parts
/// that run at the same time.
///
/// A part may leave out whatever is strictly worse than this, never what is equal: ties go to the earliest
/// solution in sequential order, and only the merge of all parts knows which that is.
#[derive(Debug)]
pub struct Incumbent {
    top: Top,
    /// The last score of as many as are wanted.
    score: AtomicI64,
    /// The scores, where several are wanted.
    found: Mutex<Leaders>,
    /// Whether it takes no offers.
    sealed: bool,
}

impl Incumbent {
    /// Nothing found yet.
    pub fn new(top: Top) -> Self {
        let score = Self::worst(top).into();
        Incumbent { top, score, found: Mutex::new(Leaders::new(top)), sealed: false }
    }

    fn worst(top: Top) -> i64 {
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

    /// Whether a score, or the bound of a subtree, is strictly worse than that.
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
