//! The three kinds of problem, owned or borrowed, and their classes.

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

/// The rules of a grid beyond rows, columns and boxes. Each class includes the classes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleClass {
    /// No further rules.
    Plain,
    /// Like [`Houses`](Self::Houses), with the same rules for all grids of a run: see [`Rules::is_run_wide`].
    Common,
    /// Houses, and pairs of cells with different digits.
    Houses,
    /// Also relations between cells.
    Relations,
    /// Also sums, or digits required in some cells, which no exact cover problem can express.
    Sums,
}

impl RuleClass {
    /// Returns the class of some rules; `None` is a plain grid.
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

/// The class of a problem: all that decides whether an engine supports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemClass {
    /// A grid.
    Grid {
        /// The side of the grid.
        side: usize,
        /// True if the grid is a 9x9 with 3x3 boxes and has only candidates.
        packed: bool,
        /// True if the grid has letter groups.
        same_digit: bool,
        /// True if the grid's cells have weights.
        weighted: bool,
        /// The class of the grid's rules.
        rules: RuleClass,
    },
    /// A general exact cover problem.
    Cover {
        /// True if secondary items have colours.
        colours: bool,
        /// True if some primary item need not be covered exactly once.
        multiplicities: bool,
        /// True if options have costs.
        costs: bool,
        /// True if a sum of costs may not fit in 64 bits: see [`CoverProblem::may_overflow`].
        overflowing: bool,
        /// True if copying a bit per option or a number per item is expensive: see [`CoverProblem::is_vast`].
        vast: bool,
        /// True if the number of levels makes all copies together expensive: see [`CoverProblem::is_deep`].
        deep: bool,
    },
}

impl ProblemClass {
    /// Returns true for exact cover problems, and for grids that can be converted to one.
    pub fn is_cover_with_rules(self) -> bool {
        match self {
            ProblemClass::Cover { .. } | ProblemClass::Grid { rules: RuleClass::Plain, .. } => true,
            ProblemClass::Grid { rules, same_digit, .. } => rules != RuleClass::Sums && !same_digit,
        }
    }

    /// Returns true if an ordinary search for solutions answers the goal.
    ///
    /// Two goals need another search: the best solution, and the least solution of an exact cover problem, which
    /// has no reading order.
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
    /// Makes this a copy of a problem, reusing the memory of a puzzle it held.
    pub fn assign(&mut self, from: ProblemRef<'_>) {
        match (&mut *self, from) {
            (Problem::Puzzle(held), ProblemRef::Puzzle(puzzle)) => {
                held.copy_from(puzzle);
            }
            (held, from) => *held = from.to_owned(),
        }
    }

    /// Replaces a cell's candidates; digits beyond the side are ignored. Does nothing to an exact cover problem.
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

    /// Returns the number of cells; 0 for an exact cover problem.
    pub fn cells(self) -> usize {
        match self {
            ProblemRef::Packed(_) => 81,
            ProblemRef::Puzzle(puzzle) => puzzle.geometry().cells(),
            ProblemRef::Cover(_) => 0,
        }
    }

    /// Returns the candidates of a cell; none for an exact cover problem.
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

    /// Returns a copy that owns its parts.
    pub fn to_owned(self) -> Problem {
        match self {
            ProblemRef::Packed(packed) => Problem::Packed(*packed),
            ProblemRef::Puzzle(puzzle) => Problem::Puzzle(puzzle.clone()),
            ProblemRef::Cover(cover) => Problem::Cover(Arc::clone(cover)),
        }
    }

    /// Returns the candidates of a plain 9x9, or `None` for any other problem. Leaves out weights.
    pub fn to_packed(self) -> Option<Packed9x9> {
        match self {
            ProblemRef::Packed(packed) => Some(*packed),
            ProblemRef::Puzzle(puzzle) => puzzle.to_packed(),
            ProblemRef::Cover(_) => None,
        }
    }

    /// Returns the first contradiction among a grid's clues, or `None`; always `None` for exact cover problems.
    pub fn clash(self) -> Option<Clash> {
        match self {
            ProblemRef::Packed(packed) => packed.clash(),
            ProblemRef::Puzzle(puzzle) => puzzle.clash(),
            ProblemRef::Cover(_) => None,
        }
    }

    /// Returns the number of cells with exactly one candidate; 0 for exact cover problems.
    pub fn clues(self) -> u32 {
        match self {
            ProblemRef::Packed(packed) => packed.clues(),
            ProblemRef::Puzzle(puzzle) => puzzle.clues(),
            ProblemRef::Cover(_) => 0,
        }
    }

    /// Returns the value of a solution: the sum of its cells' values or its options' costs, 0 without weights.
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

    /// Returns a value that no solution beats, computed for each cell (or option) separately: cheap but loose.
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
