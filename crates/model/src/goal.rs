//! Goals, which say what a search must find out about a problem, and limits of searches.

use std::time::Duration;

/// The direction of better values: larger or smaller.
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

/// A request for the best solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TopK {
    /// The direction of better scores: either larger or smaller.
    pub direction: Direction,
    /// Maximum number of solutions to find. At least 1.
    pub limit: u64,
}

/// A question about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Goal {
    /// The first `k` solutions that the engine finds. `k` is at least 1.
    ///
    /// `First(2)` decides whether there is exactly one solution.
    First(u64),
    /// The solution of a grid that comes first if solutions are sorted by their digits in reading order.
    ///
    /// Every engine finds the same solution.
    Least,
    /// Every solution.
    All,
    /// The number of solutions. Counting stops at `limit` solutions.
    Count {
        /// Number at which counting stops, at least 1, or `None` to count all solutions.
        limit: Option<u64>,
    },
    /// The solutions with the best values. Among solutions with equal values, the solution that the engine
    /// finds first is better.
    Best(TopK),
}

impl Goal {
    /// Returns the goal of finding the single best solution.
    pub fn best(direction: Direction) -> Goal {
        Goal::Best(TopK { direction, limit: 1 })
    }

    /// Returns the number of solutions at which the search may stop, or `None` if there is no such number.
    pub fn limit(self) -> Option<u64> {
        match self {
            Goal::First(limit) => Some(limit),
            Goal::Least => Some(1),
            Goal::Count { limit } => limit,
            Goal::All | Goal::Best(_) => None,
        }
    }

    /// Returns the request for the best solutions, or `None` if the goal is not [`Goal::Best`].
    pub fn top(self) -> Option<TopK> {
        match self {
            Goal::Best(top) => Some(top),
            _ => None,
        }
    }

    /// Returns a verb that describes the goal, for messages.
    pub fn verb(self) -> &'static str {
        match self {
            Goal::First(_) | Goal::All => "solve",
            Goal::Least => "find the least solution of",
            Goal::Count { .. } => "count",
            Goal::Best(_) => "find the best solution of",
        }
    }

    /// Returns true if the caller needs the solutions themselves, not only their number.
    pub fn wants_solutions(self) -> bool {
        !matches!(self, Goal::Count { .. })
    }
}

/// Limits of the search for one problem. By default there are no limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Maximum number of search-tree nodes, including the root.
    ///
    /// This limit is deterministic: the search stops before it would enter the next node.
    pub nodes: Option<u64>,
    /// Maximum wall-clock time of the search for this problem.
    pub time: Option<Duration>,
    /// Maximum number of bytes for the tables of one search, on each thread that takes part.
    ///
    /// A search that needs more memory ends before it starts, with
    /// [`EndedBy::Memory`](super::EndedBy::Memory). A search that uses memory only to cache results drops
    /// some of them and continues. This limit is deterministic, because the memory is computed, not measured.
    ///
    /// The limit applies to a single search, and does not include the problem itself. To limit a whole run,
    /// use `BatchOptions::memory`.
    pub memory: Option<u64>,
    /// Reserved for new fields: create values with `..`, as in `Limits { nodes: Some(10), ..Limits::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

impl Limits {
    /// Returns the limits that remain after the time `elapsed`.
    pub fn after(self, elapsed: Duration) -> Self {
        Limits { time: self.time.map(|time| time.saturating_sub(elapsed)), ..self }
    }
}
