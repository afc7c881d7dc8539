//! Marginals and random solutions for problems without a [graph](super::CountGraph). They are computed by
//! counting cases.
//!
//! A *case* is the problem with one additional decision: a digit in a cell, or an option that the solution
//! must contain. The solutions of each case are counted as for any other problem. So marginals are available
//! for every problem whose solutions can be counted.

use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

use num_bigint::BigUint;
use rayon::prelude::*;

use super::budget::Watch;
use super::{Control, Flow, Solver, Task};
use quadrille_model::random::Random;
use quadrille_model::{
    Count, CoverProblem, DigitSet, EndedBy, Error, Goal, Limits, Problem, ProblemRef, Reduced, Reduction,
    Result, Solution, Solutions,
};

/// Default memory limit for all threads together, in bytes.
const MEMORY: u64 = 1 << 30;
/// Maximum number of solutions for which the solutions of a case are listed. A case with more solutions is
/// divided into further cases.
const LISTED: u64 = 256;
/// Maximum number of cases whose counts are kept in memory.
const KEPT: usize = 1 << 16;
/// Maximum size of the solutions that a sampler keeps in memory, in bytes.
const KEPT_BYTES: usize = 16 << 20;

/// A problem and the counts of its cases. The cases are counted in parallel, one per thread of the current
/// rayon pool.
pub struct Cases<'a> {
    problem: ProblemRef<'a>,
    limits: Limits,
    watch: Watch<'a>,
    control: &'a Control,
    count: Count,
}

impl<'a> Cases<'a> {
    /// Counts the solutions of a problem and stores the count.
    ///
    /// There is a single time limit for this count and for all later work with the object.
    ///
    /// # Errors
    /// Returns an error if the count was stopped or no engine can count the solutions. The error says why.
    pub fn new(problem: ProblemRef<'a>, limits: Limits, control: &'a Control) -> Result<Self> {
        let mut cases =
            Cases { problem, limits, watch: Watch::new(limits, control), control, count: Count::ZERO };
        cases.count = cases.count_of(&mut Solver::default(), problem)?;
        Ok(cases)
    }

    /// Returns the number of solutions.
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Returns the limits of one search. Each thread gets an equal share of the memory.
    fn limits(&self) -> Limits {
        let memory = self.limits.memory.unwrap_or(MEMORY) / rayon::current_num_threads() as u64;
        Limits { time: self.watch.left(), memory: Some(memory), ..self.limits }
    }

    fn count_of(&self, solver: &mut Solver, problem: ProblemRef<'_>) -> Result<Count> {
        let limits = self.limits();
        let goal = Goal::Count { limit: None };
        let answer =
            solver.search(&Task::whole(problem, goal, limits), self.control, &mut |_| Flow::Continue)?;
        match answer.ended_by {
            EndedBy::Complete => Ok(answer.count.unwrap_or_default()),
            reason => Err(Error::model(format!(
                "no count within the limits: stopped by {} after {} solutions",
                reason.word(),
                answer.count.unwrap_or_default()
            ))),
        }
    }

    /// Returns the number of solutions that have a digit in a cell, for each candidate of each cell. Each
    /// entry is (cell, digit, count).
    ///
    /// Cells and digits are 0-based. For a cover, the list is empty.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new).
    pub fn of_cells(&self) -> Result<Vec<(usize, usize, Count)>> {
        let cells: Vec<(usize, usize)> = (0..self.problem.cells())
            .flat_map(|cell| self.problem.candidates(cell).iter().map(move |digit| (cell, digit)))
            .collect();
        let count = |solver: &mut Solver, &(cell, digit): &(usize, usize)| {
            Ok((cell, digit, self.count_of(solver, with_digit(self.problem, cell, digit).as_ref())?))
        };
        cells.par_iter().map_init(Solver::default, count).collect()
    }

    /// Returns the number of solutions that contain each option of a cover, in the order of the options.
    ///
    /// For a grid, the list is empty.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`new`](Self::new).
    pub fn of_options(&self) -> Result<Vec<Count>> {
        let ProblemRef::Cover(cover) = self.problem else { return Ok(Vec::new()) };
        let count = |solver: &mut Solver, option: u32| match Reduction::reduce(cover, &[option], &[])? {
            Reduced::Residual(rest) => self.count_of(solver, ProblemRef::Cover(rest.cover())),
            Reduced::Contradiction(_) => Ok(Count::ZERO),
        };
        (0..cover.options() as u32).into_par_iter().map_init(Solver::default, count).collect()
    }
}

/// Draws random solutions of a problem.
///
/// After a sample, it keeps the counts of cases in memory, and all solutions of cases with few solutions.
/// Later samples use them again.
pub struct CaseSampler<'a> {
    cases: &'a Cases<'a>,
    solver: Solver,
    /// Number of solutions of each case. The key is the sequence of decisions that define the case.
    ///
    /// For a grid, a decision is the digit of a cell. For a cover, a decision is 1 if the solution contains
    /// an option, and 0 if it does not.
    counts: HashMap<Vec<u8>, Count>,
    /// All solutions of each case that has few solutions. The key is the sequence of decisions that define
    /// the case. The second value is the total size of these solutions in bytes.
    lists: (HashMap<Vec<u8>, Solutions>, usize),
}

impl<'a> CaseSampler<'a> {
    /// Creates a sampler of the solutions of a problem.
    pub fn new(cases: &'a Cases<'a>) -> Self {
        CaseSampler { cases, solver: Solver::default(), counts: HashMap::new(), lists: Default::default() }
    }

    /// Draws the random solution that is determined by `seed` and `number`, and calls `found` with it.
    ///
    /// Does not call `found` if the problem has no solution. All solutions have the same probability, and
    /// samples with different numbers are independent.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Cases::new`].
    pub fn sample(&mut self, seed: u64, number: u64, found: &mut dyn FnMut(Solution<'_>)) -> Result<()> {
        if self.cases.count.is_zero() {
            return Ok(());
        }
        let rank = Random::new(seed, 0, number).below_big(&self.cases.count.to_big());
        match self.cases.problem {
            ProblemRef::Cover(cover) => self.of_cover(cover, rank, found),
            _ => self.of_grid(rank, found),
        }
    }

    /// Calls `found` with the solution at position `rank` in the order of all solutions.
    ///
    /// Decides cells one by one until the case has few solutions. Then lists these solutions.
    fn of_grid(&mut self, mut rank: BigUint, found: &mut dyn FnMut(Solution<'_>)) -> Result<()> {
        let (mut case, mut count, mut path) =
            (self.cases.problem.to_owned(), self.cases.count.clone(), vec![]);
        while count > Count::from(LISTED) {
            let problem = case.as_ref();
            let open = (0..problem.cells()).filter(|&cell| problem.candidates(cell).len() > 1);
            let Some(cell) = open.min_by_key(|&cell| problem.candidates(cell).len()) else { break };
            for digit in problem.candidates(cell).iter() {
                let next = with_digit(problem, cell, digit);
                path.push(digit as u8);
                count = self.count_of(&path, next.as_ref())?;
                if rank < count.to_big() {
                    case = next;
                    break;
                }
                rank -= count.to_big();
                path.pop();
            }
        }
        found(self.listed(path, case.as_ref(), &rank)?);
        Ok(())
    }

    /// Calls `found` with the solution at position `rank` in the order of all solutions.
    ///
    /// Decides options one by one until the case has few solutions. Then lists these solutions.
    fn of_cover(
        &mut self,
        cover: &CoverProblem,
        mut rank: BigUint,
        found: &mut dyn FnMut(Solution<'_>),
    ) -> Result<()> {
        let (mut count, mut path) = (self.cases.count.to_big(), vec![]);
        while count > BigUint::from(LISTED) {
            path.push(1);
            let taken = match decided(cover, &path)? {
                Some(rest) => self.count_of(&path, ProblemRef::Cover(rest.cover()))?.to_big(),
                None => BigUint::ZERO,
            };
            if rank < taken {
                count = taken;
            } else {
                rank -= &taken;
                count -= taken;
                path.pop();
                path.push(0);
            }
        }
        let rest = decided(cover, &path)?.ok_or_else(no_sample)?;
        let solution = self.listed(path, ProblemRef::Cover(rest.cover()), &rank)?;
        if let Solution::Options(of_case) = solution {
            let mut chosen = Vec::new();
            rest.restore(of_case, &mut chosen);
            found(Solution::Options(&chosen));
        }
        Ok(())
    }

    fn count_of(&mut self, path: &[u8], case: ProblemRef<'_>) -> Result<Count> {
        if let Some(count) = self.counts.get(path) {
            return Ok(count.clone());
        }
        let count = self.cases.count_of(&mut self.solver, case)?;
        if self.counts.len() < KEPT {
            self.counts.insert(path.to_vec(), count.clone());
        }
        Ok(count)
    }

    /// Returns the solution at the 0-based position `rank` in the order in which the search finds the
    /// solutions of `case`.
    fn listed(&mut self, path: Vec<u8>, case: ProblemRef<'_>, rank: &BigUint) -> Result<Solution<'_>> {
        let (lists, bytes) = &mut self.lists;
        if *bytes > KEPT_BYTES {
            (*lists, *bytes) = Default::default();
        }
        let list = match lists.entry(path) {
            Occupied(list) => list.into_mut(),
            Vacant(place) => {
                let (mut all, limits) = (Solutions::default(), self.cases.limits());
                self.solver.search(
                    &Task::whole(case, Goal::All, limits),
                    self.cases.control,
                    &mut |solution| {
                        all.push(solution);
                        Flow::Continue
                    },
                )?;
                *bytes += all.bytes();
                place.insert(all)
            }
        };
        let rank = usize::try_from(rank).ok().filter(|&rank| rank < list.len());
        rank.map(|rank| list.get(rank)).ok_or_else(no_sample)
    }
}

fn no_sample() -> Error {
    Error::model("no sample within the limits")
}

/// Returns a copy of the grid in which `digit` is the only candidate of `cell`.
fn with_digit(problem: ProblemRef<'_>, cell: usize, digit: usize) -> Problem {
    let mut case = problem.to_owned();
    case.set_candidates(cell, DigitSet::only(digit));
    case
}

/// Returns what remains of a cover after decisions about its first options, or `None` if nothing remains.
///
/// If a decision is 1, every solution must contain the option. If it is 0, no solution may contain it.
fn decided(cover: &CoverProblem, decisions: &[u8]) -> Result<Option<Reduction>> {
    let [excluded, forced] = [0, 1].map(|decision| {
        let options = (0u32..).zip(decisions).filter(|(_, own)| **own == decision);
        options.map(|(option, _)| option).collect::<Vec<_>>()
    });
    Ok(match Reduction::reduce(cover, &forced, &excluded)? {
        Reduced::Residual(rest) => Some(rest),
        Reduced::Contradiction(_) => None,
    })
}
