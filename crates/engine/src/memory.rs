//! Sizes of a search's tables in bytes, computed before the tables are allocated.
//!
//! Every size is an upper bound that depends on the problem alone. So [`Limits::memory`](crate::Limits) has
//! the same effect on every machine, and earlier searches do not matter.

use std::collections::TryReserveError;

use super::Task;
use quadrille_model::ProblemRef;
use quadrille_model::rules::Rules;

/// Empties a list and reserves memory for `size` entries.
pub(super) fn clear_and_reserve<T>(list: &mut Vec<T>, size: usize) -> Result<(), TryReserveError> {
    list.clear();
    list.try_reserve_exact(size)
}

/// The size of a problem as an exact cover problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) items: u64,
    pub(super) primary: u64,
    pub(super) options: u64,
    pub(super) entries: u64,
    pub(super) coloured: bool,
    pub(super) bounded: bool,
}

impl Size {
    /// Returns the size of a problem. For a grid, this is the size of a grid of the same shape without clues.
    pub(super) fn from_problem(problem: ProblemRef<'_>) -> Self {
        match problem {
            ProblemRef::Cover(cover) => Size {
                items: cover.items() as u64,
                primary: cover.primary() as u64,
                options: cover.options() as u64,
                entries: cover.entries() as u64,
                coloured: cover.has_colours(),
                bounded: cover.has_multiplicities(),
            },
            ProblemRef::Puzzle(puzzle) => match puzzle.rules() {
                None => Size::of_grid(puzzle.geometry().side()),
                Some(rules) => Size::with_rules(rules),
            },
            ProblemRef::Packed(_) => Size::of_grid(9),
        }
    }

    /// Returns the size of a grid with rules in which every cell has all candidates.
    fn with_rules(rules: &Rules) -> Self {
        let side = rules.shape().side() as u64;
        let options = side * side * side;
        let in_houses: u64 = rules.houses().map(|house| house.cells.len() as u64).sum();
        let (pairs, relations) = (rules.different().len() as u64, rules.relations().len() as u64 / 2);
        let primary = side * side + rules.houses().len() as u64 * side;
        let items = primary + pairs * side + relations * side * side;
        let entries = options + in_houses * side + 2 * pairs * side + 2 * relations * side * side;
        Size { items, primary, options, entries, coloured: false, bounded: false }
    }

    fn of_grid(side: usize) -> Self {
        let side = side as u64;
        let (items, options) = (4 * side * side, side * side * side);
        Size { items, primary: items, options, entries: 4 * options, coloured: false, bounded: false }
    }

    /// Returns the maximum number of decisions on a path from the root to a leaf.
    pub(super) fn depth(&self) -> u64 {
        // With multiplicities, a decision either selects an option or ends the selection of options for an
        // item.
        if self.bounded { self.primary + self.options } else { self.primary }
    }
}

/// Returns true if the limits of a task do not allow tables of `bytes` bytes.
pub(super) fn forbids(task: &Task<'_>, bytes: u64) -> bool {
    task.limits.memory.is_some_and(|limit| bytes > limit)
}

/// Returns the capacity in bytes of a list whose content is `bytes` bytes long. Such a list grows by doubling
/// its capacity.
pub(super) fn doubled_capacity(bytes: u64) -> u64 {
    bytes.checked_next_power_of_two().unwrap_or(u64::MAX)
}

/// Size of the tables that are kept from one problem to the next.
///
/// A list never shrinks. Each list keeps the length that its largest problem needed. So all lists together
/// may use more memory than any single problem needs.
#[derive(Debug, Default)]
pub(super) struct RetainedTables {
    /// Upper bound on the size of the tables in bytes.
    bytes: u64,
}

impl RetainedTables {
    /// Notes that new tables of `bytes` bytes will be created in the memory of earlier tables.
    ///
    /// Returns true if the old memory must be released first, because old and new tables together might
    /// exceed the limit.
    pub(super) fn must_go(&mut self, bytes: u64, task: &Task<'_>) -> bool {
        let both = self.bytes.saturating_add(bytes);
        let must_go = forbids(task, both);
        self.bytes = if must_go { bytes } else { both };
        must_go
    }
}
