//! The protocol between an engine and its caller: jobs one way, solutions and outcomes the other.

use std::sync::Arc;

use super::Control;
use quadrille_model::rules::Rules;
use quadrille_model::simd::Isa;
use quadrille_model::{Counters, EndedBy, Goal, Limits, Outcome, Packed, ProblemRef, Solution};

/// One problem to be worked on.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// The client's own mark; comes back with every report.
    pub ticket: u64,
    /// The problem, lent until the next call to the client.
    pub problem: ProblemRef<'a>,
    /// The question.
    pub goal: Goal,
    /// The limits of its search.
    pub limits: Limits,
}

/// Jobs as a client gives them.
#[derive(Debug, Clone, Copy)]
pub enum Jobs<'a> {
    /// A job of any kind.
    One(Job<'a>),
    /// Several of the kind that there are millions of.
    Series(Series<'a>),
}

impl<'a> Jobs<'a> {
    /// The first of them; all of them, where no more than one was asked for. Without its rules: a series that has some is
    /// given to none but engines that hold many grids.
    pub fn first(self) -> Job<'a> {
        match self {
            Jobs::One(job) => job,
            Jobs::Series(Series { first_ticket: ticket, grids, rules: _, goal, limits }) => {
                Job { ticket, problem: ProblemRef::Packed(&grids[0]), goal, limits }
            }
        }
    }
}

/// 9x9 grids, plain or under the same rules, as jobs that have all else in common. Whoever gives them has no use for a [`Flow`]: none of them
/// is to end before its search does.
#[derive(Debug, Clone, Copy)]
pub struct Series<'a> {
    /// The first one's ticket; those of the others follow it.
    pub first_ticket: u64,
    /// The problems, at least one, lent until the next call to the client.
    pub grids: &'a [Packed],
    /// Their rules, which are [common](Rules::is_common); `None` for plain grids.
    pub rules: Option<&'a Arc<Rules>>,
    /// The question; not [`Goal::Best`].
    pub goal: Goal,
    /// The limits of the search for each of them.
    pub limits: Limits,
}

/// A report of an engine to its client. Of each job first its solutions, then its end, once.
#[derive(Debug)]
pub enum Event<'a> {
    /// A solution of a job, in the engine's order; only where the goal wants solutions.
    Solution {
        /// The job.
        ticket: u64,
        /// The solution.
        solution: Solution<'a>,
    },
    /// Solutions of jobs of a [`Series`], one a job at most, from an engine that finds many at once. Only for clients
    /// that give series; they may as well come one by one.
    Solved(&'a [Solved]),
    /// The end of a job.
    End {
        /// The job.
        ticket: u64,
        /// The result of its search.
        outcome: Outcome,
    },
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
    /// The reason why it ended.
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

/// The reply to a solution: go on, or stop the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// No more of this job is wanted: finish it with [`EndedBy::Cancel`].
    Stop,
}

/// The caller of an engine: gives jobs, takes results.
///
/// One object and not a source and a sink, because both sides of a caller share the memory that jobs are read
/// from and results are written to.
pub trait Client {
    /// The next job, or a [`Series`] of no more than `most` of them (at least one).
    ///
    /// `None` when there is none now, which may change while the engine works: one that still holds jobs asks again
    /// from time to time where it has space for more, one that holds none returns. So an engine never waits for its
    /// client, and a client that has nothing yet does not make it run dry.
    fn next(&mut self, most: usize) -> Option<Jobs<'_>>;

    /// Takes what has come of jobs. The reply is heeded after [`Event::Solution`] only.
    fn report(&mut self, event: Event<'_>) -> Flow;
}

/// A solver that streams. Owns arenas that live as long as it does: no allocation per job in the steady state.
pub trait Engine: Send {
    /// Works until all jobs that were taken are finished and the client has no more at that moment.
    ///
    /// Results of a job never depend on what other jobs are there. When `control` stops, jobs in hand are
    /// finished as cancelled (or past the deadline) with what was found.
    fn run(&mut self, client: &mut dyn Client, control: &Control);
}

/// Makes an engine or a search, on an instruction set or the best one; what has but one form does not look.
///
/// # Panics
/// Where this processor lacks the instruction set: [`Isa::require`] and [`select()`](super::select()) refuse it before.
pub type Make<T> = fn(Option<Isa>) -> Box<T>;
