//! Questions about a problem, and the limits of a search for the answer.

use std::time::Duration;

/// The end of the scale that is wanted: the largest or the smallest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The largest score or cost.
    Maximize,
    /// The smallest score or cost.
    Minimize,
}

impl Direction {
    /// True if one score is better than another, not only as good.
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
pub struct Top {
    /// The direction in which scores are better.
    pub direction: Direction,
    /// The number of solutions wanted; at least 1.
    pub limit: u64,
}

/// A question about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The first `k` solutions in the engine's order; `k` at least 1. `First(2)` decides uniqueness.
    First(u64),
    /// Every solution.
    All,
    /// The number of solutions, or that there are at least `limit`.
    Count {
        /// Stop here; at least 1. `None` counts all.
        limit: Option<u64>,
    },
    /// The solutions with the best values; of equal ones the earliest in the engine's order.
    Best(Top),
}

impl Goal {
    /// The one best solution.
    pub fn best(direction: Direction) -> Goal {
        Goal::Best(Top { direction, limit: 1 })
    }

    /// Returns the number of solutions after which the search may stop.
    pub fn limit(self) -> Option<u64> {
        match self {
            Goal::First(limit) => Some(limit),
            Goal::Count { limit } => limit,
            Goal::All | Goal::Best(_) => None,
        }
    }

    /// The number and kind of the best solutions that are sought, where these are.
    pub fn top(self) -> Option<Top> {
        match self {
            Goal::Best(top) => Some(top),
            _ => None,
        }
    }

    /// The question as a verb, for messages.
    pub fn verb(self) -> &'static str {
        match self {
            Goal::First(_) | Goal::All => "solve",
            Goal::Count { .. } => "count",
            Goal::Best(_) => "find the best solution of",
        }
    }

    /// True if solutions themselves are wanted, not only their number.
    pub fn wants_solutions(self) -> bool {
        !matches!(self, Goal::Count { .. })
    }
}

/// The limits of a search for one problem. The default has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Search-tree nodes, the root included. Deterministic: the search stops before it would enter the next.
    pub nodes: Option<u64>,
    /// Wall time since the search for this problem began.
    pub time: Option<Duration>,
    /// Bytes that the tables of one search may have, on each thread that takes part. A search that needs more
    /// ends before it begins, with [`EndedBy::Memory`](super::EndedBy::Memory); one that only remembers more
    /// forgets some of it and goes on. Deterministic: what is needed is computed, not measured. It is no budget for
    /// several searches, nor for the problem itself; a run has one (`BatchOptions::memory`).
    pub memory: Option<u64>,
}

impl Limits {
    /// The limits that are left when so much time has gone.
    pub fn after(self, elapsed: Duration) -> Self {
        Limits { time: self.time.map(|time| time.saturating_sub(elapsed)), ..self }
    }
}
