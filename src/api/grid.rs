//! Methods that answer questions about a grid, such as its number of solutions. Each call answers one
//! question.

use std::sync::Arc;

use super::all_solutions::{AllSolutions, ask, count};
use quadrille_model::{
    Count, Direction, Geometry, Goal, Grid, Packed9x9, ProblemRef, Puzzle, Result, Solution, geometry_9x9,
};

/// Panic message for a failed search of a grid.
///
/// These searches have no limits, and their memory does not grow with their duration. So a search can fail
/// only if the operating system refuses memory or a thread, as the trait's documentation says.
const ENDS: &str = "a grid is searched to its end";

/// Questions about both kinds of grids, answered on the calling thread without any limit.
///
/// ```
/// use quadrille::{FromText, GridQuestions, Packed9x9};
///
/// let puzzle =
///     Packed9x9::from_text("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")?;
/// let solution = puzzle.solve().expect("it has one");
/// assert!(solution.to_string().starts_with("534678912672195348"));
/// assert!(puzzle.is_unique());
/// # Ok::<(), quadrille::Error>(())
/// ```
///
/// # Panics
/// Panics if the system refuses the memory for a search. The iterator of [`solutions`](GridQuestions::solutions) also
/// panics if the system refuses its thread.
pub trait GridQuestions {
    /// Returns the grid as a problem, which is the type that engines search.
    fn as_problem(&self) -> ProblemRef<'_>;

    /// Returns the shape of the grid.
    fn shape(&self) -> &Arc<Geometry>;

    /// Returns a solution, or `None` if there is none. If there are several solutions, every call returns the same
    /// one.
    fn solve(&self) -> Option<Grid> {
        let grid = |solution: Solution<'_>| Grid::new(self.shape(), solution);
        ask(self.as_problem(), Goal::First(1), grid).expect(ENDS).1
    }

    /// Returns the number of solutions, but at most `limit`. The search stops at `limit`.
    fn count(&self, limit: u64) -> u64 {
        count(self.as_problem(), Some(limit)).expect(ENDS).to_u64().unwrap_or(limit)
    }

    /// Returns the exact number of solutions, however large it is.
    ///
    /// If there are too many solutions to list, the solver switches to an engine that counts solutions
    /// without listing them. If no such engine supports the grid, the time grows with the number of
    /// solutions.
    fn count_all(&self) -> Count {
        count(self.as_problem(), None).expect(ENDS)
    }

    /// Returns true if there is exactly one solution.
    fn is_unique(&self) -> bool {
        self.count(2) == 1
    }

    /// Returns an iterator over all solutions. A separate thread finds them one by one.
    fn solutions(&self) -> AllSolutions<Grid> {
        let geometry = Arc::clone(self.shape());
        let grid = move |solution: Result<Solution<'_>>| Grid::new(&geometry, solution.expect(ENDS));
        AllSolutions::new(self.as_problem().to_owned(), Box::new(grid))
    }

    /// Returns the solution with the best score, and this score. Returns `None` if there is no solution.
    ///
    /// The score uses the grid's [weights](Puzzle::set_weights). Without weights, every solution has the
    /// score 0. If several solutions are equally good, every call returns the same one.
    fn best(&self, direction: Direction) -> Option<(Grid, i64)> {
        let problem = self.as_problem();
        // Engines do not support a search for the best solution if the grid has no weights.
        let is_weighted = matches!(problem, ProblemRef::Puzzle(puzzle) if puzzle.weights().is_some());
        let goal = if is_weighted { Goal::best(direction) } else { Goal::First(1) };
        let grid = |solution: Solution<'_>| Grid::new(self.shape(), solution);
        let (answer, found) = ask(problem, goal, grid).expect(ENDS);
        found.map(|grid| (grid, answer.best.map_or(0, |best| best.score)))
    }
}

impl GridQuestions for Puzzle {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef::Puzzle(self)
    }

    fn shape(&self) -> &Arc<Geometry> {
        self.geometry()
    }
}

impl GridQuestions for Packed9x9 {
    fn as_problem(&self) -> ProblemRef<'_> {
        ProblemRef::Packed(self)
    }

    fn shape(&self) -> &Arc<Geometry> {
        geometry_9x9()
    }
}
