//! The columns of a source, with their names and their roles in a record.

use std::cmp::Reverse;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::lines::trim;

/// The role of a column in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The puzzle.
    Puzzle,
    /// The given solution.
    Solution,
    /// The id.
    Id,
    /// The record's own rules.
    Rules,
    /// A layout of regions.
    Regions,
    /// Anything else.
    Other,
}

/// A column of a table, or a member of the objects in a JSON source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name of the column. If the member is inside an inner object, its name contains a dot.
    pub name: String,
    /// Role in a record.
    pub role: Role,
    /// 0-based position of the column's value among the values of a record.
    ///
    /// `None` if the first record has no separate value for the column.
    pub place: Option<usize>,
    /// True if all values are known to be numbers or booleans.
    pub is_plain: bool,
}

/// 0-based positions, in a row or an object, of the values of a record: puzzle, solution, id, rules and
/// regions, in this order.
///
/// A position is `None` if the value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Places(pub(crate) [Option<usize>; ROLES.len()]);

/// The roles of values that make up a record.
pub(crate) const ROLES: [Role; 5] = [Role::Puzzle, Role::Solution, Role::Id, Role::Rules, Role::Regions];

/// The columns of a source, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The columns. Columns that have no position in a record come last.
    ///
    /// The list is shared, so that equal columns of one source are recognised quickly.
    pub list: Arc<Vec<Column>>,
    /// Positions of the values that make up a record.
    pub places: Places,
    /// Names of the member with the id, in lower case. Used only for objects, whose members may differ.
    pub(super) id_names: &'static [&'static str],
}

/// For each role, two lists of lower-case names of columns and members. The names are separated by blanks.
///
/// A column with a name in the first list has the role. A name in the second list is only a hint: it decides
/// between columns whose values are equally likely. Names of ids are not listed here, because the user can
/// set them.
const NAMES: [(Role, &str, &str); 4] = [
    (
        Role::Puzzle,
        "puzzle puzzles quizzes quiz question questions sudoku",
        "board clues givens grid initial input mission problem prompt start",
    ),
    (
        Role::Solution,
        "solution solutions answer answers",
        "completion expected final ideal label labels output response result solved target",
    ),
    (Role::Rules, "rules", ""),
    (Role::Regions, "regions", ""),
];

/// Lower-case names of JSON members in which other programs store rules. This program does not read these
/// rules.
pub(super) const OTHER_RULES: &str = "antiking antiknight arrow arrows cage cages clones constraints diagonal+ diagonal- diagonals \
    disjointgroups dots extraregion extraregions inequalities killer killercage killercages kropki lines littlekiller \
    nonconsecutive palindrome palindromes renban sandwich thermo thermometer thermometers thermos whispers";

/// Returns true if `name` is one of the words in `known`. Ignores case and the blanks around the name.
pub(super) fn is_among(name: &str, known: &str) -> bool {
    known.split(' ').any(|known| trim(name.as_bytes()).eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns true if the first list of `NAMES` has `name` for the role.
///
/// With `with_likely`, also returns true if one word of `name` is in either of the role's two lists.
pub(super) fn is_name_of(role: Role, name: &str, with_likely: bool) -> bool {
    let is_likely = |known: &str, likely: &str| {
        name.split(['_', '-', '.']).any(|word| is_among(word, known) || is_among(word, likely))
    };
    NAMES.iter().any(|&(of, known, likely)| {
        of == role && (is_among(name, known) || with_likely && is_likely(known, likely))
    })
}

/// Returns the position of the column that this program added last, among the columns with a name in `known`.
///
/// A column that the program adds has the prefix `q_`. If the name is already taken, the program appends a
/// number: `q_transform`, `q_transform_2`. If the program has added no such column, returns the position of
/// the first column with a name in `known`.
pub(super) fn last_added<'n>(names: impl Iterator<Item = &'n str>, known: &[&str]) -> Option<usize> {
    let added = |name: &str| {
        let name = name.trim().to_ascii_lowercase();
        let is_ours = name.starts_with("q_");
        let numbered = name.rsplit_once('_').filter(|_| is_ours);
        let numbered = numbered.and_then(|(name, number)| Some((name, number.parse().ok()?)));
        let (name, number) = numbered.unwrap_or((&name, 1u64));
        known.contains(&name).then_some((is_ours, number))
    };
    let places = names.enumerate().filter_map(|(place, name)| Some((added(name)?, Reverse(place))));
    places.max().map(|(_, Reverse(place))| place)
}

/// Returns true if the name of a column is enough to know that it holds puzzles.
pub(super) fn is_puzzle_name(name: &str) -> bool {
    is_name_of(Role::Puzzle, name, false)
}

impl Places {
    /// Creates the positions for a source whose records consist only of a puzzle.
    pub(crate) fn of_puzzle(place: usize) -> Self {
        Places([Some(place), None, None, None, None])
    }

    /// Returns the role of the value at a 0-based position.
    pub(crate) fn role(self, place: usize) -> Role {
        ROLES.into_iter().zip(self.0).find(|&(_, of)| of == Some(place)).map_or(Role::Other, |(role, _)| role)
    }
}

impl Index<Role> for Places {
    type Output = Option<usize>;

    fn index(&self, role: Role) -> &Option<usize> {
        self.0.get(role as usize).unwrap_or(&None)
    }
}

impl IndexMut<Role> for Places {
    fn index_mut(&mut self, role: Role) -> &mut Option<usize> {
        &mut self.0[role as usize]
    }
}

impl Column {
    /// Creates a column. Its position in a record is not known yet.
    pub(crate) fn new(name: &str, role: Role) -> Self {
        Column { name: name.to_owned(), role, place: None, is_plain: false }
    }
}

impl Columns {
    /// Creates columns whose values are in the same order as `names`.
    pub(crate) fn new(names: Vec<String>, places: Places) -> Self {
        let column = |(place, name): (usize, String)| Column {
            name,
            role: places.role(place),
            place: Some(place),
            is_plain: false,
        };
        Columns::of_list(names.into_iter().enumerate().map(column).collect())
    }

    /// Creates columns from a list. The values may be in a different order than the list.
    pub(super) fn of_list(list: Vec<Column>) -> Self {
        let place = |role| list.iter().rev().find(|column| column.role == role)?.place;
        let places = Places(ROLES.map(place));
        Columns { list: Arc::new(list), places, id_names: &[] }
    }

    /// Returns true if `names` are the names of all columns, in the same order.
    #[inline]
    pub(super) fn are<'n>(&self, names: impl Iterator<Item = &'n str>) -> bool {
        names.eq(self.list.iter().map(|column| &*column.name))
    }

    /// Returns the positions of the values in an object whose members have these names.
    ///
    /// For each role, the function chooses the member with the name of the role's column. If there is no such
    /// member, it chooses a member with one of the usual names of the role.
    pub(super) fn places_among<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Places {
        if self.are(names.clone()) {
            return self.places;
        }
        Places(ROLES.map(|role| {
            if role == Role::Id {
                return last_added(names.clone(), self.id_names);
            }
            let own = self.list.iter().find(|column| column.role == role).map(|column| &*column.name);
            let is_known = |name: &str| is_name_of(role, name, false);
            let is_other =
                |name: &str| self.list.iter().any(|column| column.role != role && column.name == name);
            let place = own.and_then(|own| names.clone().position(|name| name.eq_ignore_ascii_case(own)));
            let known = || names.clone().position(|name| is_known(name) && !is_other(name));
            place.or_else(|| if own.is_none_or(is_known) { known() } else { None })
        }))
    }
}

/// Returns the reason why the names are invalid: two columns hold rules, or two columns hold regions. One of
/// the two columns would be ignored.
///
/// Returns `None` if the names are valid.
pub(super) fn doubled<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    let is_twice = |&role: &Role| names.clone().filter(|name| is_name_of(role, name, false)).nth(1).is_some();
    let twice =
        [(Role::Rules, "rules"), (Role::Regions, "regions")].into_iter().find(|(role, _)| is_twice(role));
    twice.map(|(_, name)| format!("rules: more than one column is called {name}"))
}

/// A column of a CSV source, by name or by number.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnRef {
    /// Name in the header. Upper and lower case do not matter.
    Name(String),
    /// 1-based number.
    Number(usize),
}

impl From<&str> for ColumnRef {
    /// Returns the column that the user meant. A positive number is the number of a column, and any other
    /// text is its name.
    fn from(text: &str) -> Self {
        match text.parse() {
            Ok(number) if number > 0 => ColumnRef::Number(number),
            _ => ColumnRef::Name(text.to_owned()),
        }
    }
}

impl ColumnRef {
    /// Returns the 0-based position of the column in the list `names`.
    ///
    /// # Errors
    /// Returns the reason if there is no such column.
    pub(super) fn place_in(&self, names: &[String]) -> Result<usize, String> {
        match self {
            ColumnRef::Number(number) if (1..=names.len()).contains(number) => Ok(number - 1),
            ColumnRef::Number(number) => Err(format!("no column {number}: there are {}", names.len())),
            ColumnRef::Name(name) => names
                .iter()
                .position(|other| other.trim().to_lowercase() == name.to_lowercase())
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
