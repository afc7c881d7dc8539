//! Methods that answer puzzles and exact cover problems held in memory, one at a time.
//!
//! ```text
//! grid             solve, count, count_all, is_unique, best, solutions   Puzzle, Packed9x9
//! cover            solve, count, count_all, is_unique, best, solutions   CoverProblem
//! all_solutions    the iterator that `solutions` returns
//! ```
//! The methods use [`engine::Solver`](quadrille_engine::Solver) without limits and without a control; callers who need
//! these use the solver itself. Many problems are a corpus ([`batch::run`](quadrille_batch::run)). Every solution is verified before it is returned.

mod all_solutions;
mod cover;
mod grid;

pub use all_solutions::AllSolutions;
pub use cover::CoverQuestions;
pub use grid::GridQuestions;
