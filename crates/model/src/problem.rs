//! Problems (plain 9x9 grids, other grids and exact cover problems), either owned or borrowed, and their
//! classes.

use std::sync::Arc;

use super::{Clash, CoverProblem, DigitSet, Direction, Goal, Packed9x9, Puzzle};
use crate::rules::Rules;

/// A problem that owns its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A plain 9x9.
    Packed(Packed9x9),
    /// Any other grid.
    Puzzle(Puzzle),
    /// A general exact cover problem.
    Cover(Arc<CoverProblem>),
}

/// A borrowed problem.
#[derive(Debug, Clone, Copy)]
pub enum ProblemRef<'a> {
    /// A plain 9x9.
    Packed(&'a Packed9x9),
    /// Any other grid.
    Puzzle(&'a Puzzle),
    /// A general exact cover problem.
    Cover(&'a Arc<CoverProblem>),
}

/// A borrowed solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solution<'a> {
    /// One 0-based digit per cell.
    Digits(&'a [u8]),
    /// Option numbers, in any order.
    Options(&'a [u32]),
}

/// The class of a grid's rules beyond rows, columns and boxes.
///
/// Each class also includes all rules of the classes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleClass {
    /// No further rules.
    Plain,
    /// Rules of the class [`Houses`](Self::Houses) that all grids of a run share (see
    /// [`Rules::is_run_wide`]).
    Common,
    /// Houses in addition to rows, columns and boxes, and pairs of cells that must have different digits.
    Houses,
    /// Also relations between cells.
    Relations,
    /// Sums, and digits that some cells must contain. An exact cover problem cannot express these rules.
    Sums,
}

impl RuleClass {
    /// Returns the class of the given rules. `None` means a plain grid.
    pub fn from_rules(rules: Option<&Rules>) -> Self {
        match rules {
            None => RuleClass::Plain,
            Some(rules) if !rules.sums().is_empty() || !rules.quotas().is_empty() => RuleClass::Sums,
            Some(rules) if rules.is_run_wide() => RuleClass::Common,
            Some(rules) if rules.has_only_houses() => RuleClass::Houses,
            Some(_) => RuleClass::Relations,
        }
    }
}

/// The class of a problem: the properties that decide which engines support it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemClass {
    /// A grid.
    Grid {
        /// The side of the grid.
        side: usize,
        /// True if the grid is a 9x9 grid with 3x3 boxes and has no conditions besides candidates.
        packed: bool,
        /// True if the grid has groups of cells that are marked with the same letter and must have the same
        /// digit.
        same_digit: bool,
        /// True if the grid's cells have weights.
        weighted: bool,
        /// The class of the grid's rules.
        rules: RuleClass,
    },
    /// A general exact cover problem.
    Cover {
        /// True if any secondary item has colours.
        colours: bool,
        /// True if any primary item has bounds other than exactly once.
        multiplicities: bool,
        /// True if options have costs.
        costs: bool,
        /// True if a sum of costs may not fit in 64 bits (see [`CoverProblem::may_overflow`]).
        overflowing: bool,
        /// True if it is expensive to copy one bit per option or one number per item (see
        /// [`CoverProblem::is_vast`]).
        vast: bool,
        /// True if the search may be so deep that one copy per level is expensive (see
        /// [`CoverProblem::is_deep`]).
        deep: bool,
    },
}

impl ProblemClass {
    /// Returns true for an exact cover problem, or for a grid that can be converted to an exact cover
    /// problem.
    pub fn is_cover_with_rules(self) -> bool {
        match self {
            ProblemClass::Cover { .. } | ProblemClass::Grid { rules: RuleClass::Plain, .. } => true,
            ProblemClass::Grid { rules, same_digit, .. } => rules != RuleClass::Sums && !same_digit,
        }
    }

    /// Returns true if an ordinary search for solutions can answer the goal.
    ///
    /// Two goals need another kind of search. One is the best solution. The other is [`Goal::Least`] for an
    /// exact cover problem, because such a problem has no cells and thus no reading order.
    pub fn is_searched_for(self, goal: Goal) -> bool {
        match goal {
            Goal::Best(_) => false,
            Goal::Least => !matches!(self, ProblemClass::Cover { .. }),
            _ => true,
        }
    }

    /// Returns a description for messages, such as `16x16 grids with letter groups`.
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
                let sum = "costs whose sum may exceed 64 bits";
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
    /// Replaces this problem by a copy of `from`, reusing memory if both are puzzles.
    pub fn assign(&mut self, from: ProblemRef<'_>) {
        match (&mut *self, from) {
            (Problem::Puzzle(held), ProblemRef::Puzzle(puzzle)) => {
                held.copy_from(puzzle);
            }
            (held, from) => *held = from.to_owned(),
        }
    }

    /// Replaces a cell's candidates. Ignores digits that the grid does not have.
    ///
    /// Does nothing if the problem is an exact cover problem.
    ///
    /// # Panics
    /// Panics if the grid has no such cell.
    pub fn set_candidates(&mut self, cell: usize, to: DigitSet) {
        match self {
            Problem::Packed(packed) => *packed = packed.with_cell(cell, to.0 as u16),
            Problem::Puzzle(puzzle) => puzzle.set_candidates(cell, to),
            Problem::Cover(_) => {}
        }
    }

    /// Returns the problem as borrowed.
    pub fn as_ref(&self) -> ProblemRef<'_> {
        match self {
            Problem::Packed(packed) => ProblemRef::Packed(packed),
            Problem::Puzzle(puzzle) => ProblemRef::Puzzle(puzzle),
            Problem::Cover(cover) => ProblemRef::Cover(cover),
        }
    }
}

impl ProblemRef<'_> {
    /// Returns the class of the problem.
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
                rules: RuleClass::from_rules(puzzle.rules().map(|rules| &**rules)),
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

    /// Returns the number of cells, or 0 for an exact cover problem.
    pub fn cells(self) -> usize {
        match self {
            ProblemRef::Packed(_) => 81,
            ProblemRef::Puzzle(puzzle) => puzzle.geometry().cells(),
            ProblemRef::Cover(_) => 0,
        }
    }

    /// Returns the candidates of a cell, or an empty set for an exact cover problem.
    ///
    /// # Panics
    /// Panics if the grid has no such cell.
    pub fn candidates(self, cell: usize) -> DigitSet {
        match self {
            ProblemRef::Packed(packed) => {
                DigitSet((0..9).filter(|&digit| packed.allows(cell, digit)).map(|digit| 1 << digit).sum())
            }
            ProblemRef::Puzzle(puzzle) => puzzle.candidates()[cell],
            ProblemRef::Cover(_) => DigitSet::EMPTY,
        }
    }

    /// Returns an owned copy of the problem.
    pub fn to_owned(self) -> Problem {
        match self {
            ProblemRef::Packed(packed) => Problem::Packed(*packed),
            ProblemRef::Puzzle(puzzle) => Problem::Puzzle(puzzle.clone()),
            ProblemRef::Cover(cover) => Problem::Cover(Arc::clone(cover)),
        }
    }

    /// Returns the candidates of a plain 9x9 grid, or `None` for any other problem. Weights are not included.
    pub fn to_packed(self) -> Option<Packed9x9> {
        match self {
            ProblemRef::Packed(packed) => Some(*packed),
            ProblemRef::Puzzle(puzzle) => puzzle.to_packed(),
            ProblemRef::Cover(_) => None,
        }
    }

    /// Returns the first contradiction among the clues of a grid, or `None` if there is none.
    ///
    /// Always returns `None` for an exact cover problem.
    pub fn clash(self) -> Option<Clash> {
        match self {
            ProblemRef::Packed(packed) => packed.clash(),
            ProblemRef::Puzzle(puzzle) => puzzle.clash(),
            ProblemRef::Cover(_) => None,
        }
    }

    /// Returns the number of cells with exactly one candidate, or 0 for an exact cover problem.
    pub fn clues(self) -> u32 {
        match self {
            ProblemRef::Packed(packed) => packed.clues(),
            ProblemRef::Puzzle(puzzle) => puzzle.clues(),
            ProblemRef::Cover(_) => 0,
        }
    }

    /// Returns the value of a solution.
    ///
    /// The value is the sum of the cells' values or of the options' costs. Without weights or costs, it is 0.
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

    /// Returns a bound on the value of all solutions. The bound is cheap but loose.
    ///
    /// It is the sum of separate bounds for each cell or option.
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
