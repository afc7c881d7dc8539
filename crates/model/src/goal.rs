//! The questions about a problem, and the limits of a search for the answer.

use std::time::Duration;

/// Which values are better: the largest or the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The largest score or cost.
    Maximize,
    /// The smallest score or cost.
    Minimize,
}

impl Direction {
    /// Returns true if `score` is strictly better than `than`.
    #[inline]
    pub fn is_better(self, score: i64, than: i64) -> bool {
        match self {
            Direction::Maximize => score > than,
            Direction::Minimize => score < than,
        }
    }
}

/// The best solutions: the direction, and the number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TopK {
    /// The direction in which scores are better.
    pub direction: Direction,
    /// Maximum number of solutions to find, at least 1.
    pub limit: u64,
}

/// A question about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Goal {
    /// The first `k` solutions in the engine's order; `k` is at least 1. `First(2)` decides uniqueness.
    First(u64),
    /// The least solution of a grid in reading order, the same from every engine.
    Least,
    /// Every solution.
    All,
    /// The number of solutions, or the fact that there are at least `limit`.
    Count {
        /// Stop at this number, at least 1. `None` counts all.
        limit: Option<u64>,
    },
    /// The solutions with the best values. Of equal ones, the earliest in the engine's order.
    Best(TopK),
}

impl Goal {
    /// Returns the goal of the single best solution.
    pub fn best(direction: Direction) -> Goal {
        Goal::Best(TopK { direction, limit: 1 })
    }

    /// Returns the number of solutions at which the search may stop, or `None` if there is none.
    pub fn limit(self) -> Option<u64> {
        match self {
            Goal::First(limit) => Some(limit),
            Goal::Least => Some(1),
            Goal::Count { limit } => limit,
            Goal::All | Goal::Best(_) => None,
        }
    }

    /// Returns the direction and number of the best solutions, or `None` for other goals.
    pub fn top(self) -> Option<TopK> {
        match self {
            Goal::Best(top) => Some(top),
            _ => None,
        }
    }

    /// Returns the question as a verb, for messages.
    pub fn verb(self) -> &'static str {
        match self {
            Goal::First(_) | Goal::All => "solve",
            Goal::Least => "find the least solution of",
            Goal::Count { .. } => "count",
            Goal::Best(_) => "find the best solution of",
        }
    }

    /// Returns true if the solutions themselves are wanted, not only their number.
    pub fn wants_solutions(self) -> bool {
        !matches!(self, Goal::Count { .. })
    }
}

/// The limits of a search for one problem. The default has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Maximum number of search-tree nodes, including the root. Deterministic: the search stops before it would enter
    /// the next.
    pub nodes: Option<u64>,
    /// Maximum wall time of the search for this problem.
    pub time: Option<Duration>,
    /// Maximum number of bytes of the tables of one search, on each thread that takes part.
    ///
    /// A search that needs more ends before it starts, with [`EndedBy::Memory`](super::EndedBy::Memory). A search that
    /// only uses the memory to cache results drops some of them and continues. Deterministic: the need is computed, not
    /// measured. It covers neither several searches nor the problem itself; `BatchOptions::memory` is the budget of a
    /// run.
    pub memory: Option<u64>,
    /// Reserved for new fields: create values with `..`, as in `Limits { nodes: Some(10), ..Limits::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

impl Limits {
    /// Returns the limits that are left after `elapsed` time.
    pub fn after(self, elapsed: Duration) -> Self {
        Limits { time: self.time.map(|time| time.saturating_sub(elapsed)), ..self }
    }
}
