//! Methods that answer questions about an exact cover problem, such as its number of solutions. Each call
//! answers one question.

use std::sync::Arc;

use super::all_solutions::{AllSolutions, ask, count};
use quadrille_model::{Count, CoverProblem, Direction, Goal, Problem, ProblemRef, Result, Solution};

/// Methods that answer questions about an exact cover problem, on the calling thread and without any limit.
///
/// Each call copies the problem's tables, which costs little compared with the search. To ask many questions
/// about a large problem, keep the problem in an `Arc` and use a [`Solver`](quadrille_engine::Solver).
pub trait CoverQuestions {
    /// Returns a solution as option numbers, ascending, or `None` if there is none.
    ///
    /// If there are several solutions, every call returns the same one. The search has no limit.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory for the problem.
    ///
    /// ```
    /// use quadrille::{CoverProblem, CoverQuestions};
    /// let cover = CoverProblem::from_options(3, &[&[0, 1][..], &[2], &[1, 2]])?;
    /// assert_eq!(cover.solve()?, Some(vec![0, 1]));
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    fn solve(&self) -> Result<Option<Vec<u32>>>;

    /// Returns the number of solutions, but at most `limit`. The search stops at `limit`.
    ///
    /// # Errors
    /// Returns an error if [`solve`](Self::solve) would return one.
    fn count(&self, limit: u64) -> Result<u64>;

    /// Returns the exact number of solutions, however large it is.
    ///
    /// If the search takes long, the solver switches to an engine that counts solutions without listing them.
    ///
    /// # Errors
    /// Returns an error if [`solve`](Self::solve) would return one.
    fn count_all(&self) -> Result<Count>;

    /// Returns true if there is exactly one solution.
    ///
    /// # Errors
    /// Returns an error if [`solve`](Self::solve) would return one.
    fn is_unique(&self) -> Result<bool>;

    /// Returns the solution with the best total cost, and this cost. Returns `None` if there is no solution.
    ///
    /// The solution is a list of option indices in ascending order.
    ///
    /// # Errors
    /// Returns an error if [`solve`](Self::solve) would return one, if items have multiplicities, or if the
    /// total cost may not fit in 64 bits.
    fn best(&self, direction: Direction) -> Result<Option<(Vec<u32>, i64)>>;

    /// Returns an iterator over all solutions, which a separate thread finds one after the other.
    ///
    /// The last item is an error if there was not enough memory for the problem.
    ///
    /// ```
    /// use quadrille::{CoverProblem, CoverQuestions};
    /// let cover = CoverProblem::from_options(2, &[&[0][..], &[1], &[0, 1]])?;
    /// let all = cover.solutions().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(all, [vec![0, 1], vec![2]]);
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    fn solutions(&self) -> AllSolutions<Result<Vec<u32>>>;
}

impl CoverQuestions for CoverProblem {
    fn solve(&self) -> Result<Option<Vec<u32>>> {
        Ok(ask(ProblemRef::Cover(&shared(self)), Goal::First(1), options)?.1)
    }

    fn count(&self, limit: u64) -> Result<u64> {
        Ok(count(ProblemRef::Cover(&shared(self)), Some(limit))?.to_u64().unwrap_or(limit))
    }

    fn count_all(&self) -> Result<Count> {
        count(ProblemRef::Cover(&shared(self)), None)
    }

    fn is_unique(&self) -> Result<bool> {
        Ok(self.count(2)? == 1)
    }

    fn best(&self, direction: Direction) -> Result<Option<(Vec<u32>, i64)>> {
        let (answer, found) = ask(ProblemRef::Cover(&shared(self)), Goal::best(direction), options)?;
        Ok(found.zip(answer.best).map(|(options, best)| (options, best.score)))
    }

    fn solutions(&self) -> AllSolutions<Result<Vec<u32>>> {
        AllSolutions::new(Problem::Cover(shared(self)), Box::new(|solution| solution.map(options)))
    }
}

/// Returns a copy of the problem that threads can share.
fn shared(cover: &CoverProblem) -> Arc<CoverProblem> {
    Arc::new(cover.clone())
}

/// Returns the option indices of a solution in ascending order.
fn options(solution: Solution<'_>) -> Vec<u32> {
    let Solution::Options(options) = solution else { unreachable!("verified as a solution of a cover") };
    let mut options = options.to_vec();
    options.sort_unstable();
    options
}
