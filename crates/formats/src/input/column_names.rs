//! Names of columns and members.

use std::fmt;

/// Columns that hold the puzzle, in lower case.
pub(super) const PUZZLE_NAMES: &[&str] =
    &["puzzle", "puzzles", "quizzes", "quiz", "question", "questions", "sudoku"];
/// Columns that hold rules: items, or short names with commas between.
pub(super) const RULE_NAMES: &[&str] = &["rules"];
/// Columns that hold a layout of regions.
pub(super) const REGION_NAMES: &[&str] = &["regions"];
/// Columns that hold a given solution, in lower case.
pub(super) const SOLUTION_NAMES: &[&str] = &["solution", "solutions", "answer", "answers"];

/// The reason why columns of these names cannot be read: of two with rules or regions one would be left out.
pub(super) fn doubled<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    let all = RULE_NAMES.iter().chain(REGION_NAMES);
    let mut twice =
        all.filter(|known| names.clone().filter(|name| name.eq_ignore_ascii_case(known)).count() > 1);
    twice.next().map(|name| format!("rules: more than one column is called {name}"))
}

/// A column of a CSV source, by name or by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRef {
    /// Its name in the header, letters in either case.
    Name(String),
    /// Its number, 1 for the first.
    Number(usize),
}

impl ColumnRef {
    /// A column as a person writes it: digits are a number, everything else a name.
    pub fn from_text(text: &str) -> Self {
        match text.parse() {
            Ok(number) if number > 0 => ColumnRef::Number(number),
            _ => ColumnRef::Name(text.to_owned()),
        }
    }
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnRef::Name(name) => f.write_str(name),
            ColumnRef::Number(number) => number.fmt(f),
        }
    }
}
