//! Questions to grids, one at a time.

use std::sync::Arc;

use super::all::{AllSolutions, ask};
use crate::error::Result;
use crate::model::{
    Count, Direction, Geometry, Goal, Packed, Problem, ProblemRef, Puzzle, Solution, geometry_9x9,
};

/// A filled grid that owns its digits: a solution. `Display` writes it in a line, `{:#}` as a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    geometry: Arc<Geometry>,
    digits: Vec<u8>,
}

impl Grid {
    fn new(geometry: &Arc<Geometry>, solution: Solution<'_>) -> Self {
        let Solution::Digits(digits) = solution else { unreachable!("verified as a solution of a grid") };
        Grid { geometry: Arc::clone(geometry), digits: digits.to_vec() }
    }

    /// Its shape.
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// One 0-based digit a cell, row by row.
    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// As [`digits`](Self::digits), by value.
    pub fn into_digits(self) -> Vec<u8> {
        self.digits
    }
}

/// The message for a search of a grid that fails, which none does: it has no limit, and memory that does not depend on
/// its length.
const ENDS: &str = "a grid is searched to its end";

/// The questions that both kinds of grids answer.
macro_rules! questions {
    ($grid:ident, $geometry:expr) => {
        impl $grid {
            /// A solution, if there is one: of several always the same. It is searched on this thread without any limit.
            ///
            /// ```
            #[doc = concat!("let puzzle: quadrille::", stringify!($grid), " = ")]
            #[doc = "    \"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\".parse()?;"]
            /// let solution = puzzle.solve().expect("it has one");
            /// assert!(solution.to_string().starts_with("534678912672195348"));
            /// # Ok::<(), quadrille::Error>(())
            /// ```
            pub fn solve(&self) -> Option<Grid> {
                let mut found = None;
                let geometry: fn(&Self) -> &Arc<Geometry> = $geometry;
                ask(ProblemRef::$grid(self), Goal::First(1), &mut |solution| {
                    found = Some(Grid::new(geometry(self), solution));
                })
                .expect(ENDS);
                found
            }

            /// The number of solutions; `limit` where there are as many or more. No more than these are looked for.
            pub fn count(&self, limit: u64) -> u64 {
                count(ProblemRef::$grid(self), limit)
            }

            /// The exact number of solutions, however large. Where a search would list too many, an engine is asked that
            /// counts without listing; a grid that none of them can do takes as long as it has solutions.
            pub fn count_all(&self) -> Count {
                let answer = ask(ProblemRef::$grid(self), Goal::Count { limit: None }, &mut |_| ());
                answer.expect(ENDS).count.unwrap_or_default()
            }

            /// Returns true if there is exactly one solution.
            pub fn is_unique(&self) -> bool {
                self.count(2) == 1
            }

            /// All solutions, one after the other, as they are found by a thread of the iterator's own.
            pub fn solutions(&self) -> AllSolutions<Grid> {
                let geometry: fn(&Self) -> &Arc<Geometry> = $geometry;
                let geometry = Arc::clone(geometry(self));
                let grid = move |solution: Result<Solution<'_>>| Grid::new(&geometry, solution.expect(ENDS));
                AllSolutions::new(Problem::$grid(self.clone()), Box::new(grid))
            }
        }
    };
}

questions!(Puzzle, |puzzle| puzzle.geometry());
questions!(Packed, |_| geometry_9x9());

impl Puzzle {
    /// The best solution by its [weights](Self::set_weights), with its score, if there is any; of equal ones always the
    /// same. Without weights every solution is worth 0.
    pub fn best(&self, direction: Direction) -> Option<(Grid, i64)> {
        let mut found = None;
        let problem = ProblemRef::Puzzle(self);
        // Unweighted grids have no best one for the engines.
        let goal = if self.weights().is_some() { Goal::best(direction) } else { Goal::First(1) };
        let answer = ask(problem, goal, &mut |solution| found = Some(Grid::new(self.geometry(), solution)));
        let score = answer.expect(ENDS).best.map_or(0, |best| best.score);
        found.map(|grid| (grid, score))
    }
}

fn count(problem: ProblemRef<'_>, limit: u64) -> u64 {
    if limit == 0 {
        return 0;
    }
    let answer = ask(problem, Goal::Count { limit: Some(limit) }, &mut |_| ()).expect(ENDS);
    answer.count.unwrap_or_default().to_u64().unwrap_or(limit)
}
