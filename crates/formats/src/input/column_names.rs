//! Names of columns and members.

use std::cmp::Reverse;
use std::fmt;

/// Lower-case names of columns that hold the puzzle.
pub(super) const PUZZLE_NAMES: &[&str] =
    &["puzzle", "puzzles", "quizzes", "quiz", "question", "questions", "sudoku"];
/// Names of columns that hold rules: items, or short names separated by commas.
pub(super) const RULE_NAMES: &[&str] = &["rules"];
/// Lower-case names of members in which other programs keep rules, in forms that are not read.
pub(super) const OTHER_RULE_NAMES: &[&str] = &[
    "arrow",
    "arrows",
    "cage",
    "cages",
    "clones",
    "constraints",
    "diagonals",
    "dots",
    "extraregions",
    "inequalities",
    "killer",
    "killercage",
    "killercages",
    "kropki",
    "lines",
    "littlekiller",
    "palindromes",
    "renban",
    "sandwich",
    "thermo",
    "thermometer",
    "thermometers",
    "thermos",
    "whispers",
];
/// Names of columns that hold a layout of regions.
pub(super) const REGION_NAMES: &[&str] = &["regions"];
/// Lower-case names of columns that hold a given solution.
pub(super) const SOLUTION_NAMES: &[&str] = &["solution", "solutions", "answer", "answers"];

/// Returns the place of the column that was added last, of those with these names.
///
/// Columns that a run adds have the prefix `q_`, and a number if the name was taken: `q_transform`, `q_transform_2`.
pub(super) fn last_added<'n>(names: impl Iterator<Item = &'n str>, known: &[&str]) -> Option<usize> {
    let added = |name: &str| {
        let name = name.to_ascii_lowercase();
        let is_ours = name.starts_with("q_");
        let numbered = name.rsplit_once('_').filter(|_| is_ours);
        let numbered = numbered.and_then(|(name, number)| Some((name, number.parse().ok()?)));
        let (name, number) = numbered.unwrap_or((&name, 1u64));
        known.contains(&name).then_some((is_ours, number))
    };
    let places = names.enumerate().filter_map(|(place, name)| Some((added(name)?, Reverse(place))));
    places.max().map(|(_, Reverse(place))| place)
}

/// Returns the reason if two columns hold rules or two hold regions; otherwise `None`.
///
/// Two such columns are an error, because one of them would be ignored.
pub(super) fn doubled<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    let all = RULE_NAMES.iter().chain(REGION_NAMES);
    let mut twice =
        all.filter(|known| names.clone().filter(|name| name.eq_ignore_ascii_case(known)).count() > 1);
    twice.next().map(|name| format!("rules: more than one column is called {name}"))
}

/// A column of a CSV source, by name or by number.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnRef {
    /// Name in the header; case does not matter.
    Name(String),
    /// 1-based number.
    Number(usize),
}

impl ColumnRef {
    /// Returns the column that the user wrote: a positive number, or otherwise a name.
    pub fn from_text(text: &str) -> Self {
        match text.parse() {
            Ok(number) if number > 0 => ColumnRef::Number(number),
            _ => ColumnRef::Name(text.to_owned()),
        }
    }

    /// Returns the 0-based place of the column among these names.
    ///
    /// # Errors
    /// Returns the reason if there is no such column.
    pub(super) fn place_in(&self, names: &[String]) -> Result<usize, String> {
        match self {
            ColumnRef::Number(number) if (1..=names.len()).contains(number) => Ok(number - 1),
            ColumnRef::Number(number) => Err(format!("no column {number}: there are {}", names.len())),
            ColumnRef::Name(name) => names
                .iter()
                .position(|other| other.to_lowercase() == name.to_lowercase())
                .ok_or_else(|| format!("no column {name:?}: there are {}", names.join(", "))),
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
