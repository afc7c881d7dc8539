//! The protocol between an engine and its caller: jobs in one direction, solutions and outcomes in the other.

use std::sync::Arc;

use super::Control;
use quadrille_model::rules::Rules;
use quadrille_model::simd::Isa;
use quadrille_model::{Counters, EndedBy, Goal, Limits, Outcome, Packed9x9, ProblemRef, Solution};

/// One problem to work on.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// A number chosen by the client; every report repeats it.
    pub ticket: u64,
    /// The problem, lent until the next call to the client.
    pub problem: ProblemRef<'a>,
    /// The question.
    pub goal: Goal,
    /// The limits of the search.
    pub limits: Limits,
}

/// One or more jobs that a client gives.
#[derive(Debug, Clone, Copy)]
pub enum Jobs<'a> {
    /// A job of any kind.
    One(Job<'a>),
    /// Several 9x9 grids.
    JobBatch(JobBatch<'a>),
}

impl<'a> Jobs<'a> {
    /// Returns the first job, which is the only one if the client was asked for one job.
    ///
    /// Leaves out the rules of a batch: batches with rules are given only to engines that hold many grids at once.
    pub fn first(self) -> Job<'a> {
        match self {
            Jobs::One(job) => job,
            Jobs::JobBatch(JobBatch { first_ticket: ticket, grids, rules: _, goal, limits }) => {
                Job { ticket, problem: ProblemRef::Packed(&grids[0]), goal, limits }
            }
        }
    }
}

/// A batch of jobs: one per 9x9 grid, with the same rules (or none), goal and limits.
///
/// A client never stops one of these jobs by a [`Flow`]: each ends with its search.
#[derive(Debug, Clone, Copy)]
pub struct JobBatch<'a> {
    /// Ticket of the first job; the others have the numbers that follow.
    pub first_ticket: u64,
    /// The problems, at least one, lent until the next call to the client.
    pub grids: &'a [Packed9x9],
    /// The rules, which must be [run-wide](Rules::is_run_wide), or `None` for plain grids.
    pub rules: Option<&'a Arc<Rules>>,
    /// The question. Must not be [`Goal::Best`].
    pub goal: Goal,
    /// The limits of the search for each grid.
    pub limits: Limits,
}

/// A report of an engine to its client. For each job it reports the solutions first, then the end, once.
#[derive(Debug)]
pub enum Event<'a> {
    /// A solution of a job, in the engine's order. Only if the goal wants solutions.
    Solution {
        /// The ticket of the job.
        ticket: u64,
        /// The solution.
        solution: Solution<'a>,
    },
    /// Solutions of jobs of a [`JobBatch`], at most one per job, from an engine that finds many at once. Reported
    /// only to clients that give batches; the engine may also report such solutions one by one.
    Solved(&'a [BatchSolution]),
    /// The end of a job.
    End {
        /// The ticket of the job.
        ticket: u64,
        /// The result of the search.
        outcome: Outcome,
    },
}

/// A solution of a job of a [`JobBatch`].
#[derive(Debug, Clone, Copy)]
pub struct BatchSolution {
    /// The ticket of the job.
    pub ticket: u64,
    /// One 0-based digit per cell.
    pub digits: [u8; 81],
    /// The end of the job, if the job ended with this solution.
    pub ended: Option<JobEnd>,
}

/// The end of a job of a [`JobBatch`].
#[derive(Debug, Clone, Copy)]
pub struct JobEnd {
    /// Number of solutions of the job, including the one reported with this end.
    pub found: u64,
    /// The reason why the job ended.
    pub ended_by: EndedBy,
    /// Number of search-tree nodes.
    pub nodes: u64,
    /// Number of guesses.
    pub guesses: u64,
}

impl From<JobEnd> for Outcome {
    fn from(ended: JobEnd) -> Self {
        let JobEnd { found, ended_by, nodes, guesses } = ended;
        let counters = Some(Counters { nodes, guesses, ..Counters::default() });
        Outcome { found: found.into(), ended_by, counters, best: None }
    }
}

/// The reply to a solution: continue, or stop the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue the job.
    Continue,
    /// Stop the job: finish it with [`EndedBy::Cancel`].
    Stop,
}

/// The caller of an engine: gives jobs and takes results.
///
/// The caller is one object rather than a source and a sink: both sides of a caller share the memory from which jobs
/// are read and to which results are written.
pub trait Client {
    /// Returns the next job, or a [`JobBatch`] of at most `most` jobs (at least one).
    ///
    /// Returns `None` if there is no job now, which may change while the engine works. An engine that still holds
    /// jobs asks again from time to time if it has room for more; one without jobs returns. So an engine never waits
    /// for its client, and a client may return `None` while its next job is not ready.
    fn next(&mut self, most: usize) -> Option<Jobs<'_>>;

    /// Takes a result. The reply counts only after [`Event::Solution`].
    fn report(&mut self, event: Event<'_>) -> Flow;
}

/// A streaming solver. Keeps its memory between jobs: no allocation per job in the steady state.
pub trait Engine: Send {
    /// Works until all jobs taken are finished and the client has no more at that moment.
    ///
    /// The results of a job never depend on other jobs. When `control` stops, unfinished jobs end as cancelled (or past
    /// the deadline) with the solutions found so far.
    fn run(&mut self, client: &mut dyn Client, control: &Control);
}

/// A constructor of an engine or a search for an instruction set; `None` is the best one of the processor. Engines
/// with only one version ignore the argument.
///
/// # Panics
/// Panics if this processor lacks the instruction set; [`Isa::require`] and [`select()`](super::select()) refuse it
/// earlier.
pub type Constructor<T> = fn(Option<Isa>) -> Box<T>;
