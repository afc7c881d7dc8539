//! Methods that answer puzzles and exact cover problems held in memory, one at a time or by the million.
//!
//! ```text
//! grid             solve, count, count_all, is_unique, best, solutions   Puzzle, Packed9x9
//! cover            solve, count, count_all, is_unique, best, solutions   CoverProblem
//! all_solutions    the iterator that `solutions` returns
//! bulk_query       a slice of problems, answered on all threads
//! canonical_forms  the canonical forms of many puzzles
//! ```
//! The methods use [`engine::Solver`](quadrille_engine::Solver) without limits and without a control; callers who need
//! these use the solver itself. Every solution is verified before it is returned.

mod all_solutions;
mod bulk_query;
mod canonical_forms;
mod cover;
mod grid;

pub use all_solutions::AllSolutions;
pub use bulk_query::{Answers, AsProblem, BulkQuery};
pub use cover::CoverQuestions;
pub use grid::GridQuestions;
