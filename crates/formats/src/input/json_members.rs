//! The members of JSON objects, and their roles in a record.

use super::column_names::{ColumnRef, PUZZLE_NAMES, REGION_NAMES, RULE_NAMES, SOLUTION_NAMES, last_added};

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

/// The members of a source of JSON objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberLayout {
    /// Names of the first object's members, in order.
    pub first: Vec<String>,
    /// The puzzle's member, if the caller named it.
    pub puzzle: Option<ColumnRef>,
    /// The given solution's member, if the caller named it.
    pub solution: Option<ColumnRef>,
    /// The member that holds layouts of regions, if the values of the head show that there is one.
    pub regions: Option<ColumnRef>,
    /// Lower-case names of the id member.
    pub id_names: &'static [&'static str],
    /// True if members of rules are left out.
    pub no_rules: bool,
    /// Number of objects around each object of a record; `None` if there is an object per line.
    pub level: Option<usize>,
}

/// 0-based places of the members of an object that make up a record; `None` for a missing member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemberRoles {
    pub(super) puzzle: Option<usize>,
    pub(super) solution: Option<usize>,
    pub(super) id: Option<usize>,
    pub(super) rules: Option<usize>,
    pub(super) regions: Option<usize>,
}

impl MemberLayout {
    /// Returns the members that make up a record.
    ///
    /// For each role, this is the member that the caller named, or otherwise the first member with a known name.
    pub(crate) fn roles<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> MemberRoles {
        let has = |name: &str, names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let find = |asked: Option<&ColumnRef>, known: &[&str]| {
            let mut names = names.clone();
            match asked {
                Some(ColumnRef::Number(number)) => number.checked_sub(1),
                Some(ColumnRef::Name(wanted)) => names.position(|name| has(name, &[wanted])),
                None => names.position(|name| has(name, known)),
            }
        };
        MemberRoles {
            puzzle: find(self.puzzle.as_ref(), PUZZLE_NAMES),
            solution: find(self.solution.as_ref(), SOLUTION_NAMES),
            id: last_added(names.clone(), self.id_names),
            rules: if self.no_rules { None } else { find(None, RULE_NAMES) },
            regions: find(self.regions.as_ref(), REGION_NAMES),
        }
    }
}

impl MemberRoles {
    /// Returns the role of the member at this 0-based place.
    pub(crate) fn role(self, place: usize) -> Role {
        match Some(place) {
            at if at == self.puzzle => Role::Puzzle,
            at if at == self.solution => Role::Solution,
            at if at == self.id => Role::Id,
            at if at == self.rules => Role::Rules,
            at if at == self.regions => Role::Regions,
            _ => Role::Other,
        }
    }
}
