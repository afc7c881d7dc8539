//! Outcomes of searches, and answers to records.

use std::collections::TryReserveError;

use super::{Count, Counters, Goal, Reason};
use crate::worded;

worded! {
    /// The verdict on a record.
    pub Status, word, from_word {
        /// The problem has a solution. It is not known whether there are more.
        Solved = "solved",
        /// Exactly one solution.
        Unique = "unique",
        /// More than one solution.
        Multiple = "multiple",
        /// Proved to have no solution.
        None = "none",
        /// The number of solutions was counted. The count is exact only if `ended_by` is `complete`.
        Counted = "counted",
        /// The best solution, proved.
        Optimal = "optimal",
        /// The best solution so far, without a proof that it is optimal.
        Feasible = "feasible",
        /// For `check`: the given solution is the only solution.
        Correct = "correct",
        /// For `check`: the file has given solutions, but this record has none, although it has exactly one
        /// solution.
        Missing = "missing",
        /// For `check`: the given solution is wrong.
        Wrong = "wrong",
        /// For `check`: some clue can be removed without allowing a second solution.
        NonMinimal = "nonminimal",
        /// The record was read, and no search was requested.
        Parsed = "parsed",
        /// The record cannot be read.
        Invalid = "invalid",
        /// No engine can do the requested search for this problem.
        Unsupported = "unsupported",
        /// A limit stopped the search before the search had any result.
        Unknown = "unknown",
        /// A defect of quadrille prevented an answer. Only this record is affected.
        Internal = "internal",
    }
}

worded! {
    /// The reason why the search for a record ended.
    pub EndedBy, word, from_word {
        /// The search visited the whole search tree.
        Complete = "complete",
        /// The search found the requested number of solutions.
        Limit = "limit",
        /// The limit on search-tree nodes.
        Nodes = "nodes",
        /// The time limit for this problem ended the search.
        Time = "time",
        /// The time limit for the whole run ended the search.
        Deadline = "deadline",
        /// The limit on memory.
        Memory = "memory",
        /// The caller stopped the search, either by a signal or because it wanted no more solutions.
        Cancel = "cancel",
    }
}

impl From<TryReserveError> for EndedBy {
    fn from(_: TryReserveError) -> Self {
        EndedBy::Memory
    }
}

impl EndedBy {
    /// Returns true if the search stopped early: it neither visited the whole search tree nor found the
    /// requested number of solutions.
    #[inline]
    pub fn is_early(self) -> bool {
        !matches!(self, EndedBy::Complete | EndedBy::Limit)
    }
}

/// The best value that was found, and a bound on the value of all solutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    /// Value of the best solution that was found.
    pub score: i64,
    /// Bound that no solution beats. Equals `score` if the solution is proved to be the best.
    pub bound: i64,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Number of solutions found.
    ///
    /// For [`Goal::Best`], the number of best solutions that are known, at most the requested number.
    pub found: Count,
    /// The reason why the search ended.
    pub ended_by: EndedBy,
    /// Counters of the work done.
    ///
    /// `None` if a limit stopped a problem that was split over threads, or if the goal was the best solution.
    pub counters: Option<Counters>,
    /// The best value, or `None` if the goal is not [`Goal::Best`] or no solution was found.
    pub best: Option<Best>,
}

impl Outcome {
    /// Creates the outcome of a search that could not start.
    pub fn nothing(ended_by: EndedBy) -> Self {
        Outcome { found: Count::ZERO, ended_by, counters: None, best: None }
    }

    /// Creates the outcome of a problem whose clues contradict each other.
    pub fn contradiction() -> Self {
        Outcome { counters: Some(Counters::default()), ..Outcome::nothing(EndedBy::Complete) }
    }
}

/// The answer to one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub status: Status,
    /// The reason why the search ended.
    pub ended_by: EndedBy,
    /// Number of solutions found, or `None` if there was no search.
    ///
    /// The number is exact if `ended_by` is `complete`, otherwise a lower bound.
    pub count: Option<Count>,
    /// The best value, or `None` if the goal was not to find the best solutions.
    pub best: Option<Best>,
    /// Counters of the work done, or `None` unless exactly one search did the work.
    pub counters: Option<Counters>,
    /// The reason for the verdict, or `None` if there is none.
    pub reason: Option<Box<Reason>>,
    /// Reserved for new fields.
    #[doc(hidden)]
    pub _more: (),
}

impl Answer {
    /// Creates the answer that follows from the outcome of a search with the given goal.
    pub fn from_outcome(outcome: Outcome, goal: Goal) -> Self {
        let Outcome { found, ended_by, counters, best } = outcome;
        let complete = ended_by == EndedBy::Complete;
        let status = match goal {
            Goal::Count { .. } if complete || !found.is_zero() => Status::Counted,
            Goal::Best(_) if !found.is_zero() && complete => Status::Optimal,
            Goal::Best(_) if !found.is_zero() => Status::Feasible,
            _ => match found.to_u64() {
                Some(0) if complete => Status::None,
                Some(0) => Status::Unknown,
                Some(1) if complete => Status::Unique,
                Some(1) => Status::Solved,
                _ => Status::Multiple,
            },
        };
        Answer { status, ended_by, count: Some(found), best, counters, reason: None, _more: () }
    }

    /// Returns the exact number of solutions, or `None` if it is not known.
    ///
    /// Returns 0 if the problem was proved to have no solution, even without a search.
    pub fn exact_count(&self) -> Option<&Count> {
        static NONE: Count = Count::ZERO;
        match &self.count {
            Some(count) if self.ended_by == EndedBy::Complete => Some(count),
            None if self.status == Status::None => Some(&NONE),
            _ => None,
        }
    }

    /// Returns a lower bound on the number of solutions.
    ///
    /// Returns `None` if the exact number is known, or if nothing is known.
    pub fn count_at_least(&self) -> Option<&Count> {
        self.count.as_ref().filter(|_| self.ended_by != EndedBy::Complete)
    }

    /// Creates the answer to a record that was read but not solved.
    pub fn read() -> Self {
        Answer {
            status: Status::Parsed,
            ended_by: EndedBy::Complete,
            count: None,
            best: None,
            counters: None,
            reason: None,
            _more: (),
        }
    }

    /// Creates an answer that needed no search, with the reason for the answer.
    pub fn without_search(status: Status, reason: Reason) -> Self {
        Answer { status, reason: Some(Box::new(reason)), ..Answer::read() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    fn status(found: u64, ended_by: EndedBy, goal: Goal) -> Status {
        Answer::from_outcome(Outcome { found: found.into(), ended_by, counters: None, best: None }, goal)
            .status
    }

    #[test]
    fn verdicts_never_claim_more_than_was_found() {
        use EndedBy::{Complete, Limit, Nodes};
        assert_eq!(status(1, Limit, Goal::First(1)), Status::Solved);
        assert_eq!(status(1, Complete, Goal::First(2)), Status::Unique);
        assert_eq!(status(1, Nodes, Goal::First(2)), Status::Solved);
        assert_eq!(status(2, Limit, Goal::First(2)), Status::Multiple);
        assert_eq!(status(0, Nodes, Goal::All), Status::Unknown);
        assert_eq!(status(0, Complete, Goal::All), Status::None);
        assert_eq!(status(0, Complete, Goal::Count { limit: None }), Status::Counted);
        assert_eq!(status(0, Nodes, Goal::Count { limit: None }), Status::Unknown);
        assert_eq!(status(1, Complete, Goal::best(Direction::Maximize)), Status::Optimal);
        assert_eq!(status(1, Nodes, Goal::best(Direction::Maximize)), Status::Feasible);
    }

    #[test]
    fn exact_counts_and_lower_bounds_exclude_each_other() {
        let answer = |ended_by| {
            let outcome = Outcome { found: 5.into(), ended_by, counters: None, best: None };
            Answer::from_outcome(outcome, Goal::Count { limit: None })
        };
        let complete = answer(EndedBy::Complete);
        assert_eq!((complete.exact_count(), complete.count_at_least()), (Some(&5.into()), None));
        let early = answer(EndedBy::Nodes);
        assert_eq!((early.exact_count(), early.count_at_least()), (None, Some(&5.into())));
        let clash = Answer::without_search(Status::None, "two 7s in row 1".into());
        assert_eq!((clash.exact_count(), clash.count_at_least()), (Some(&Count::ZERO), None));
        let invalid = Answer::without_search(Status::Invalid, "80 cells".into());
        assert_eq!((invalid.exact_count(), invalid.count_at_least()), (None, None));
    }

    #[test]
    fn words_are_parsed_back_to_their_values() {
        for &status in Status::ALL {
            assert_eq!(Status::from_word(status.word()), Some(status));
        }
        assert_eq!(EndedBy::from_word("nodes"), Some(EndedBy::Nodes));
        assert_eq!(Status::from_word("Solved"), None);
    }
}
