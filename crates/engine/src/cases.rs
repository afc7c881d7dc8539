//! Marginals and random solutions from the counts of cases, for problems without a [graph](super::CountGraph).
//!
//! A *case* is the problem with one more decision: a digit in a cell, or an option that the solution must have. Each
//! case is counted like any problem, so whatever a counter can count has marginals.

use std::collections::HashMap;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::budget::Watch;
use super::{Control, Flow, Solver};
use quadrille_model::random::Random;
use quadrille_model::{
    Count, CoverBuilder, CoverProblem, DigitSet, EndedBy, Entry, Error, Goal, Limits, NO_COLOUR, Problem,
    ProblemRef, Result, Solution,
};

/// Default limit on the bytes of all threads.
const MEMORY: u64 = 1 << 30;
/// Maximum number of solutions of a case that are listed instead of counted case by case.
const LISTED: u64 = 256;
/// Maximum number of cases whose counts are kept.
const KEPT: usize = 1 << 16;

/// A problem whose cases are counted, each on one thread of the current rayon pool.
pub struct Cases<'a> {
    problem: ProblemRef<'a>,
    limits: Limits,
    watch: Watch<'a>,
    control: &'a Control,
    count: Count,
}

impl<'a> Cases<'a> {
    /// Counts the solutions of a problem. The limit on time is for all work together.
    ///
    /// # Errors
    /// Returns an error that says what stopped the count, or that no engine counts the problem.
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

    /// Returns the limits of one search next to those of the other threads.
    fn limits(&self) -> Limits {
        let memory = self.limits.memory.unwrap_or(MEMORY) / rayon::current_num_threads() as u64;
        Limits { time: self.watch.left(), memory: Some(memory), ..self.limits }
    }

    fn count_of(&self, solver: &mut Solver, problem: ProblemRef<'_>) -> Result<Count> {
        let limits = self.limits();
        let goal = Goal::Count { limit: None };
        let answer = solver.search(problem, goal, limits, self.control, &mut |_| Flow::Continue)?;
        match answer.ended_by {
            EndedBy::Complete => Ok(answer.count.unwrap_or_default()),
            reason => Err(Error::model(format!(
                "no count within the limits: stopped by {} after {} solutions",
                reason.word(),
                answer.count.unwrap_or_default()
            ))),
        }
    }

    /// Returns, for each cell of a grid and each of its candidates, 0-based, the number of solutions that have it.
    ///
    /// # Errors
    /// Returns an error as [`new`](Self::new) does.
    pub fn of_cells(&self) -> Result<Vec<(usize, usize, Count)>> {
        let cells: Vec<(usize, usize)> = (0..self.problem.cells())
            .flat_map(|cell| self.problem.candidates(cell).iter().map(move |digit| (cell, digit)))
            .collect();
        let count = |solver: &mut Solver, &(cell, digit): &(usize, usize)| {
            Ok((cell, digit, self.count_of(solver, with_digit(self.problem, cell, digit).as_ref())?))
        };
        cells.par_iter().map_init(Solver::default, count).collect()
    }

    /// Returns, for each option of a cover, the number of solutions that have it; none for a grid.
    ///
    /// # Errors
    /// Returns an error as [`new`](Self::new) does.
    pub fn of_options(&self) -> Result<Vec<Count>> {
        let ProblemRef::Cover(cover) = self.problem else { return Ok(Vec::new()) };
        let count = |solver: &mut Solver, option: usize| {
            // Options without a primary item are in no solution.
            if cover.option(option).iter().all(|entry| entry.item as usize >= cover.primary()) {
                return Ok(Count::ZERO);
            }
            let case = Problem::Cover(with_option(cover, option)?.into());
            self.count_of(solver, case.as_ref())
        };
        (0..cover.options()).into_par_iter().map_init(Solver::default, count).collect()
    }
}

/// Draws solutions of a grid. The counts of cases are kept from one solution to the next.
pub struct CaseSampler<'a> {
    cases: &'a Cases<'a>,
    solver: Solver,
    /// Counts by the digits of the cells decided so far, in the order of the decisions.
    counts: HashMap<Vec<u8>, Count>,
}

impl<'a> CaseSampler<'a> {
    /// Creates a sampler of a grid.
    pub fn new(cases: &'a Cases<'a>) -> Self {
        CaseSampler { cases, solver: Solver::default(), counts: HashMap::new() }
    }

    /// Returns random solution number `number` under a seed, or `None` if there is no solution.
    ///
    /// All solutions have the same probability, independently for each number. Digits are 0-based.
    ///
    /// # Errors
    /// Returns an error as [`Cases::new`] does.
    pub fn sample(&mut self, seed: u64, number: u64) -> Result<Option<Vec<u8>>> {
        if self.cases.count.is_zero() {
            return Ok(None);
        }
        let mut rank = Random::new(seed, 0, number).below_big(&self.cases.count.to_big());
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
        self.listed(case.as_ref(), &rank).map(Some)
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

    /// Returns the solution with a rank, below the number of solutions, in the order of the search.
    fn listed(&mut self, case: ProblemRef<'_>, rank: &BigUint) -> Result<Vec<u8>> {
        let (mut left, mut found) = (u64::try_from(rank).unwrap_or(u64::MAX), None);
        let limits = self.cases.limits();
        self.solver.search(case, Goal::All, limits, self.cases.control, &mut |solution| {
            let (0, Solution::Digits(digits)) = (left, solution) else {
                left = left.saturating_sub(1);
                return Flow::Continue;
            };
            found = Some(digits.to_vec());
            Flow::Stop
        })?;
        found.ok_or_else(|| Error::model("no sample within the limits"))
    }
}

/// Returns a grid with one more digit.
fn with_digit(problem: ProblemRef<'_>, cell: usize, digit: usize) -> Problem {
    let mut case = problem.to_owned();
    case.set_candidates(cell, DigitSet::only(digit));
    case
}

/// Returns a cover whose solutions are those that have an option: it has an item of its own, which it alone covers.
fn with_option(cover: &CoverProblem, required: usize) -> Result<CoverProblem> {
    let (mut builder, primary) = (CoverBuilder::new(), cover.primary());
    // Numbers as names: any name for the additional item could exist already.
    for item in 0..primary {
        builder.primary_within(&item.to_string(), cover.bounds(item))?;
    }
    let own = builder.primary("own")?;
    for item in primary..cover.items() {
        builder.secondary(&item.to_string())?;
    }
    for colour in 1..=cover.colours() {
        builder.colour(&colour.to_string())?;
    }
    for option in 0..cover.options() {
        let shifted = |entry: &Entry| Entry { item: entry.item + u32::from(entry.item >= own), ..*entry };
        let mut entries: Vec<Entry> = cover.option(option).iter().map(shifted).collect();
        entries.extend((option == required).then_some(Entry { item: own, colour: NO_COLOUR }));
        builder.option_of(&entries, 0, None)?;
    }
    builder.build()
}
