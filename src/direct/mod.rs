//! Puzzles and exact covers that a program has in its hands: answered by methods, one at a
//! time or by the million.
//!
//! ```text
//! grid      solve, count, count_all, is_unique, best, solutions   Puzzle, Packed
//! cover     solve, count, count_all, is_unique, best, solutions   Cover
//! all       the iterator behind `solutions`
//! many      a slice of problems, answered on all threads
//! forms     their canonical forms
//! ```
//! The methods are [`engine::Solver`](quadrille_engine::Solver) without limits and without a control; a caller that needs
//! these takes the solver itself. Every solution was verified before it is returned.

mod all;
mod cover;
mod forms;
mod grid;
mod many;

pub use all::AllSolutions;
pub use cover::CoverQuestions;
pub use grid::GridQuestions;
pub use many::{Answers, AsProblem, Many};
