//! The protocol between an engine and its client, which calls the engine. The client sends jobs. The engine
//! sends solutions and outcomes.

use std::sync::Arc;

use super::Control;
use quadrille_model::rules::Rules;
use quadrille_model::simd::Isa;
use quadrille_model::{Counters, EndedBy, Goal, Limits, Outcome, Packed9x9, ProblemRef, Solution};

/// One problem to work on.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// Number chosen by the client. The engine repeats it in every report about the job.
    pub ticket: u64,
    /// Problem to solve. The engine may use it only until it calls the client again.
    pub problem: ProblemRef<'a>,
    /// The question.
    pub goal: Goal,
    /// The limits of the search.
    pub limits: Limits,
}

/// One or more jobs for an engine.
#[derive(Debug, Clone, Copy)]
pub enum Jobs<'a> {
    /// A job of any kind.
    One(Job<'a>),
    /// Several 9x9 grids.
    JobBatch(JobBatch<'a>),
}

impl<'a> Jobs<'a> {
    /// Returns the first job. If the engine asked the client for one job, this is the only job.
    ///
    /// The returned job lacks the rules of its batch. Rules occur only in batches for engines that solve many
    /// grids at once.
    pub fn first(self) -> Job<'a> {
        match self {
            Jobs::One(job) => job,
            Jobs::JobBatch(JobBatch { first_ticket: ticket, grids, rules: _, goal, limits }) => {
                Job { ticket, problem: ProblemRef::Packed(&grids[0]), goal, limits }
            }
        }
    }
}

/// A batch of jobs with one 9x9 grid per job. All jobs have the same rules (or none), goal and limits.
///
/// A client never uses [`Flow::Stop`] to stop one of these jobs. Each job ends when its search ends.
#[derive(Debug, Clone, Copy)]
pub struct JobBatch<'a> {
    /// Ticket of the first job. The tickets of the other jobs are the numbers that follow it.
    pub first_ticket: u64,
    /// Problems to solve, at least one. The engine may use them only until it calls the client again.
    pub grids: &'a [Packed9x9],
    /// The rules, which must be [run-wide](Rules::is_run_wide), or `None` for plain grids.
    pub rules: Option<&'a Arc<Rules>>,
    /// Goal of the search for each grid. Must not be [`Goal::Best`].
    pub goal: Goal,
    /// The limits of the search for each grid.
    pub limits: Limits,
}

/// A report from an engine to its client.
///
/// For each job, the engine reports all solutions first. Then it reports once that the job has ended.
#[derive(Debug)]
pub enum Event<'a> {
    /// A solution of a job. Solutions arrive in the order in which the engine finds them, and only if the
    /// goal asks for them.
    Solution {
        /// The ticket of the job.
        ticket: u64,
        /// The solution.
        solution: Solution<'a>,
    },
    /// Solutions of several jobs of a [`JobBatch`], at most one solution per job.
    ///
    /// Only engines that solve many grids at once report this event, and only to clients that supply batches.
    /// Such an engine may also report solutions one by one.
    Solved(&'a [BatchSolution]),
    /// The end of a job.
    End {
        /// The ticket of the job.
        ticket: u64,
        /// The result of the search.
        outcome: Outcome,
    },
}

/// A solution of one job in a [`JobBatch`].
#[derive(Debug, Clone, Copy)]
pub struct BatchSolution {
    /// The ticket of the job.
    pub ticket: u64,
    /// One 0-based digit per cell.
    pub digits: [u8; 81],
    /// Report that the job has ended, if this solution was the last result of the job.
    pub ended: Option<JobEnd>,
}

/// Report that one job in a [`JobBatch`] has ended.
#[derive(Debug, Clone, Copy)]
pub struct JobEnd {
    /// Number of solutions of the job, including the solution in the same report.
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

/// The client's reply to a solution: continue or stop the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue the job.
    Continue,
    /// Stop the job. It then ends with [`EndedBy::Cancel`].
    Stop,
}

/// The caller of an engine. It supplies jobs and receives results.
///
/// One object does both, because jobs are read from the memory to which results are written.
pub trait Client {
    /// Returns the next job, or a [`JobBatch`] of at most `most` jobs (at least one).
    ///
    /// Returns `None` if no job is ready. More jobs may become ready while the engine works. If an engine has
    /// unfinished jobs and can accept more, it calls this method again from time to time. If it has no
    /// unfinished job, it returns to its caller. So an engine never waits for its client, and a client may
    /// return `None` until its next job is ready.
    fn next(&mut self, most: usize) -> Option<Jobs<'_>>;

    /// Receives a result. The reply matters only for [`Event::Solution`].
    fn report(&mut self, event: Event<'_>) -> Flow;
}

/// A solver that receives a stream of jobs from a client.
///
/// The engine keeps its memory between jobs. Once its tables are large enough, it does not allocate memory
/// for further jobs.
pub trait Engine: Send {
    /// Works until all accepted jobs are finished and the client has no further job ready.
    ///
    /// The results of a job never depend on other jobs. When `control` stops, each unfinished job ends with
    /// the solutions found so far. The engine then reports the job as cancelled or past its deadline.
    fn run(&mut self, client: &mut dyn Client, control: &Control);
}

/// A function that creates an engine or a search for an instruction set.
///
/// If the argument is `None`, the function chooses the best instruction set of the processor. Engines that
/// have only one version ignore the argument.
///
/// # Panics
/// Panics if this processor does not support the instruction set. [`Isa::require`] and
/// [`select()`](super::select()) reject such an instruction set earlier.
pub type Constructor<T> = fn(Option<Isa>) -> Box<T>;
