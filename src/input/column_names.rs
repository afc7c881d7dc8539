//! Names of columns and members, in lower case.

/// Columns that hold the puzzle.
pub(super) const PUZZLE_NAMES: &[&str] =
    &["puzzle", "puzzles", "quizzes", "quiz", "question", "questions", "sudoku"];
/// Columns that hold a given solution.
pub(super) const SOLUTION_NAMES: &[&str] = &["solution", "solutions", "answer", "answers"];
