//! The three kinds of problem, owned or lent, and their class.

use std::sync::Arc;

use super::{Clash, Cover, DigitSet, Direction, Packed, Puzzle};
use crate::rules::Rules;

/// A problem that owns its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A plain 9x9.
    Packed(Packed),
    /// Any other grid.
    Puzzle(Puzzle),
    /// A general exact cover problem.
    Cover(Arc<Cover>),
}

/// A problem that an engine is lent.
#[derive(Debug, Clone, Copy)]
pub enum ProblemRef<'a> {
    /// A plain 9x9.
    Packed(&'a Packed),
    /// Any other grid.
    Puzzle(&'a Puzzle),
    /// A general exact cover problem.
    Cover(&'a Arc<Cover>),
}

/// A solution that an engine lends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solution<'a> {
    /// One 0-based digit per cell.
    Digits(&'a [u8]),
    /// Option numbers, in any order.
    Options(&'a [u32]),
}

/// The kind of a grid's rules beyond rows, columns and boxes: each has what those before it have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleClass {
    /// None.
    Plain,
    /// As [`Houses`](Self::Houses), the same for all grids of a run: see [`Rules::is_common`].
    Common,
    /// Houses, and pairs of cells with different digits.
    Houses,
    /// Relations too.
    Relations,
    /// Sums, or digits that have to be somewhere, too: what no exact cover says.
    Sums,
}

impl RuleClass {
    /// The kind of some rules; `None` are those of a plain grid.
    pub fn of(rules: Option<&Rules>) -> Self {
        match rules {
            None => RuleClass::Plain,
            Some(rules) if !rules.sums().is_empty() || !rules.quotas().is_empty() => RuleClass::Sums,
            Some(rules) if rules.is_common() => RuleClass::Common,
            Some(rules) if rules.are_houses() => RuleClass::Houses,
            Some(_) => RuleClass::Relations,
        }
    }
}

/// The class of a problem: all that engines need to decide if they can do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemClass {
    /// A grid.
    Grid {
        /// Its side.
        side: usize,
        /// 9x9 with 3x3 boxes and nothing but candidates.
        packed: bool,
        /// Letter groups.
        same_digit: bool,
        /// Weighted cells.
        weighted: bool,
        /// The kind of its rules.
        rules: RuleClass,
    },
    /// A general exact cover problem.
    Cover {
        /// Coloured secondary items.
        colours: bool,
        /// Primary items to be covered other than exactly once.
        multiplicities: bool,
        /// Options with costs.
        costs: bool,
        /// Costs so large that a sum of them may leave 64 bits: see [`Cover::may_overflow`].
        overflowing: bool,
        /// So many options or items that copies of a bit or a number for each are dear: see [`Cover::is_vast`].
        vast: bool,
        /// So many levels that all copies together are dear: see [`Cover::is_deep`].
        deep: bool,
    },
}

impl ProblemClass {
    /// True if it is an exact cover problem or a grid that can be made one.
    pub fn is_cover_with_rules(self) -> bool {
        match self {
            ProblemClass::Cover { .. } | ProblemClass::Grid { rules: RuleClass::Plain, .. } => true,
            ProblemClass::Grid { rules, same_digit, .. } => rules != RuleClass::Sums && !same_digit,
        }
    }

    /// A description for messages: `16x16 grids with letter groups`.
    pub fn name(self) -> String {
        let with = |base: String, parts: &[(bool, &str)]| {
            let parts: Vec<&str> = parts.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
            if parts.is_empty() { base } else { format!("{base} with {}", parts.join(" and ")) }
        };
        match self {
            ProblemClass::Grid { side, same_digit, weighted, rules, .. } => {
                let has_rules = rules != RuleClass::Plain;
                let parts = [(same_digit, "letter groups"), (weighted, "weights"), (has_rules, "rules")];
                with(format!("{side}x{side} grids"), &parts)
            }
            ProblemClass::Cover { colours, multiplicities, costs, overflowing, .. } => {
                let sum = "costs whose sum may leave 64 bits";
                let parts = [
                    (colours, "colours"),
                    (multiplicities, "multiplicities"),
                    (costs && !overflowing, "costs"),
                    (overflowing, sum),
                ];
                with("exact cover problems".to_owned(), &parts)
            }
        }
    }
}

impl Problem {
    /// Becomes a copy of a problem, reusing the memory of a puzzle it held.
    pub fn assign(&mut self, from: ProblemRef<'_>) {
        match (&mut *self, from) {
            (Problem::Puzzle(held), ProblemRef::Puzzle(puzzle)) => {
                held.copy_from(puzzle);
            }
            (held, from) => *held = from.to_owned(),
        }
    }

    /// Lends it.
    pub fn as_ref(&self) -> ProblemRef<'_> {
        match self {
            Problem::Packed(packed) => ProblemRef::Packed(packed),
            Problem::Puzzle(puzzle) => ProblemRef::Puzzle(puzzle),
            Problem::Cover(cover) => ProblemRef::Cover(cover),
        }
    }
}

impl ProblemRef<'_> {
    /// Its class.
    pub fn class(self) -> ProblemClass {
        match self {
            ProblemRef::Packed(_) => {
                let rules = RuleClass::Plain;
                ProblemClass::Grid { side: 9, packed: true, same_digit: false, weighted: false, rules }
            }
            ProblemRef::Puzzle(puzzle) => ProblemClass::Grid {
                side: puzzle.geometry().side(),
                packed: false,
                same_digit: !puzzle.constraints().is_empty(),
                weighted: puzzle.weights().is_some(),
                rules: RuleClass::of(puzzle.rules().map(|rules| &**rules)),
            },
            ProblemRef::Cover(cover) => ProblemClass::Cover {
                colours: cover.has_colours(),
                multiplicities: cover.has_multiplicities(),
                costs: cover.has_costs(),
                overflowing: cover.may_overflow(),
                vast: cover.is_vast(),
                deep: cover.is_deep(),
            },
        }
    }

    /// A copy that owns its parts.
    pub fn to_owned(self) -> Problem {
        match self {
            ProblemRef::Packed(packed) => Problem::Packed(*packed),
            ProblemRef::Puzzle(puzzle) => Problem::Puzzle(puzzle.clone()),
            ProblemRef::Cover(cover) => Problem::Cover(Arc::clone(cover)),
        }
    }

    /// A grid that is a plain 9x9; `None` for any other problem. Weights are left out.
    pub fn to_packed(self) -> Option<Packed> {
        match self {
            ProblemRef::Packed(packed) => Some(*packed),
            ProblemRef::Puzzle(puzzle) => puzzle.to_packed(),
            ProblemRef::Cover(_) => None,
        }
    }

    /// The first contradiction among a grid's clues; `None` for exact cover problems.
    pub fn clash(self) -> Option<Clash> {
        match self {
            ProblemRef::Packed(packed) => packed.clash(),
            ProblemRef::Puzzle(puzzle) => puzzle.clash(),
            ProblemRef::Cover(_) => None,
        }
    }

    /// Cells with one candidate only; 0 for exact cover problems.
    pub fn clues(self) -> u32 {
        match self {
            ProblemRef::Packed(packed) => packed.clues(),
            ProblemRef::Puzzle(puzzle) => puzzle.clues(),
            ProblemRef::Cover(_) => 0,
        }
    }

    /// The value of a solution: the sum of its cells' values or its options' costs; 0 without weights.
    pub fn score(self, solution: Solution<'_>) -> i64 {
        match (self, solution) {
            (ProblemRef::Puzzle(puzzle), Solution::Digits(digits)) => {
                puzzle.weights().map_or(0, |weights| weights.score(digits))
            }
            (ProblemRef::Cover(cover), Solution::Options(options)) => {
                options.iter().map(|&option| cover.cost(option as usize)).fold(0, i64::saturating_add)
            }
            _ => 0,
        }
    }

    /// A value that no solution is better than, from each cell (or option) by itself: true, cheap and loose.
    pub fn loose_bound(self, direction: Direction) -> i64 {
        let better = |a: i64, b: i64| match direction {
            Direction::Maximize => a.max(b),
            Direction::Minimize => a.min(b),
        };
        match self {
            ProblemRef::Packed(_) => 0,
            ProblemRef::Puzzle(puzzle) => puzzle.weights().map_or(0, |weights| {
                let best_of = |(cell, set): (usize, &DigitSet)| {
                    set.iter().map(|digit| weights.value(cell, digit)).reduce(better).unwrap_or(0)
                };
                puzzle.candidates().iter().enumerate().map(best_of).sum()
            }),
            ProblemRef::Cover(cover) => {
                (0..cover.options()).map(|option| better(cover.cost(option), 0)).fold(0, i64::saturating_add)
            }
        }
    }
}
