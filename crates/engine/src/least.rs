//! Search for the least solution of a grid. This is the first solution if solutions are compared digit by
//! digit in reading order.
//!
//! A search for two solutions first shows whether there are several. Most grids have only one solution, which
//! is then the answer. If there are several, the cells are fixed in reading order. For each cell, searches
//! look for a solution that agrees with the best solution so far in all earlier cells and has a smaller digit
//! in this cell. When there is no such solution, the cell is fixed. In each of these searches, the engine may
//! branch in its usual order, so none of them is unusually slow. The answer does not depend on which
//! solutions an engine finds first, so all engines give the same answer.

use std::time::Instant;

use super::{Control, Flow, Task, TreeSearch, Visitor};
use quadrille_model::{
    Counters, DigitSet, EndedBy, Geometry, Goal, Limits, Outcome, ProblemRef, Solution, geometry_9x9,
};

/// Finds the least solution for a task with [`Goal::Least`], and passes it to the visitor.
///
/// The limits of the task apply to all searches together, as if they were one search. If a limit stops the
/// work, the visitor gets no solution.
pub fn search_least(
    search: &mut dyn TreeSearch,
    task: &Task<'_>,
    visitor: &mut dyn Visitor,
    control: &Control,
) -> Outcome {
    let (best, counters) = (Vec::new(), Counters::default());
    let mut found = LeastFound { search, limits: task.limits, best, counters };
    let (number, ended_by) = match found.fix_cells(task.problem, control) {
        Ok(()) => {
            visitor.solution(Solution::Digits(&found.best));
            (1u64, EndedBy::Limit)
        }
        Err(reason) => (0, reason),
    };
    Outcome { found: number.into(), ended_by, counters: Some(found.counters), best: None }
}

/// The least solution found so far.
struct LeastFound<'s> {
    search: &'s mut dyn TreeSearch,
    /// Limits of all searches together.
    limits: Limits,
    /// The solution, empty until one is found.
    best: Vec<u8>,
    /// Work of all searches so far.
    counters: Counters,
}

impl LeastFound<'_> {
    /// Finds the least solution and stores it in `best`.
    ///
    /// Returns an error if the searches end before they have found it. The error is `Complete` if the grid
    /// has no solution.
    fn fix_cells(&mut self, problem: ProblemRef<'_>, control: &Control) -> Result<(), EndedBy> {
        match self.ask(problem, Goal::First(2), control)? {
            0 => return Err(EndedBy::Complete),
            1 => return Ok(()),
            _ => {}
        }
        let mut left = problem.to_owned();
        let mut used = UsedDigits::new(problem);
        for cell in 0..self.best.len() {
            loop {
                let below = DigitSet::all(self.best[cell].into()).and(problem.candidates(cell));
                let below = below.without(used.around(cell));
                left.set_candidates(cell, below);
                if below.is_empty() || self.ask(left.as_ref(), Goal::First(1), control)? == 0 {
                    break;
                }
            }
            let digit = DigitSet::only(self.best[cell].into());
            left.set_candidates(cell, digit);
            used.add(cell, digit);
        }
        Ok(())
    }

    /// Searches for solutions, stores the least solution in `best`, and returns the number of solutions
    /// found.
    fn ask(&mut self, problem: ProblemRef<'_>, goal: Goal, control: &Control) -> Result<u64, EndedBy> {
        let began = Instant::now();
        let nodes = self.limits.nodes.map(|nodes| nodes.saturating_sub(self.counters.nodes));
        let task = Task::whole(problem, goal, Limits { nodes, ..self.limits });
        let best = &mut self.best;
        let mut keep = |solution: Solution<'_>| {
            if let Solution::Digits(digits) = solution
                && (best.is_empty() || *digits < best[..])
            {
                best.clear();
                best.extend_from_slice(digits);
            }
            Flow::Continue
        };
        let outcome = self.search.search(&task, &mut keep, control);
        self.limits = self.limits.after(began.elapsed());
        let Counters { nodes, guesses, .. } = outcome.counters.unwrap_or_default();
        self.counters.nodes += nodes;
        self.counters.guesses += guesses;
        match outcome.ended_by {
            early if early.is_early() => Err(early),
            _ => Ok(outcome.found.to_u64().unwrap_or(2)),
        }
    }
}

/// The digits of clues and fixed cells, for each house. They show which searches cannot succeed, so that
/// these searches are skipped.
struct UsedDigits<'p> {
    geometry: &'p Geometry,
    by_house: Vec<DigitSet>,
    /// Number of houses for which digits are stored.
    ///
    /// For plain grids, these are all houses. For grids with rules, they are only rows and columns, because
    /// the boxes may have other shapes.
    houses: usize,
}

impl<'p> UsedDigits<'p> {
    /// Creates the sets from the clues of a problem.
    fn new(problem: ProblemRef<'p>) -> Self {
        let (geometry, is_ruled) = match problem {
            ProblemRef::Puzzle(puzzle) => (&**puzzle.geometry(), puzzle.rules().is_some()),
            _ => (&**geometry_9x9(), false),
        };
        let houses = if is_ruled { 2 * geometry.side() } else { geometry.houses().len() };
        let mut used = UsedDigits { geometry, by_house: vec![DigitSet::EMPTY; houses], houses };
        for cell in 0..geometry.cells() {
            let set = problem.candidates(cell);
            if set.single().is_some() {
                used.add(cell, set);
            }
        }
        used
    }

    /// Adds a digit to the sets of all houses that contain the cell.
    fn add(&mut self, cell: usize, digit: DigitSet) {
        for house in self.houses_of(cell) {
            self.by_house[house].0 |= digit.0;
        }
    }

    /// Returns the digits used in the houses of a cell.
    fn around(&self, cell: usize) -> DigitSet {
        DigitSet(self.houses_of(cell).fold(0, |set, house| set | self.by_house[house].0))
    }

    /// Returns those houses of a cell for which digits are stored. Rows and columns come first.
    fn houses_of(&self, cell: usize) -> impl Iterator<Item = usize> + use<'p> {
        let houses = self.houses;
        self.geometry.houses_of(cell).iter().map(|&house| house.into()).filter(move |&house| house < houses)
    }
}
