//! Counting without listing: engines that find the number of solutions without meeting each of them.
//!
//! Such an engine is a [`SolutionCounter`]. It wins by orders of magnitude where many partial solutions leave the same
//! rest, and loses where they do not, which does not follow from the problem's class. So where the caller names no
//! engine, a count without limit goes in three steps ([`Selection::then`](super::Selection::then) is the counter that
//! is asked):
//!
//! ```text
//! plain search, SHORT_SEARCH_NODES nodes   most problems end here
//! probes of its tree                how large it will be: N nodes
//! the counter, allowed N / 20       ends, and that is the answer; or declines, or has no memory left
//! plain search, whole               over all threads, as it would have gone without a counter
//! ```
//! Under a time limit or a deadline the counter also has half of the time that is left and no more: what it has not counted by
//! then gives a weak lower bound, and a search of the other half a better one.
//! What is lost where the counter declines is bounded by the share, in work and not in time: which engine answers is
//! a function of the problem.

use std::collections::TryReserveError;

use super::budget::Watch;
use super::probe::expected_nodes;
use super::{Client, Control, Engine, Event, Job, Task, TreeSearch};
use quadrille_model::{EndedBy, Goal, Limits, Outcome, ProblemRef};

/// Nodes after which a search is worth a second thought: splitting it over threads, or asking a counter. Some 20 ms, so
/// that what is thrown away is little beside what is gained, and searches below it never pay for being cut.
pub const SHORT_SEARCH_NODES: u64 = 20_000;
/// The same for a search for the best, whose nodes take ten times as long and more.
pub const SHORT_SEARCH_NODES_OF_BEST: u64 = SHORT_SEARCH_NODES / 10;

/// The limits of a short search before the whole one; `None` where the whole one is no longer than that.
pub fn short_of(goal: Goal, limits: Limits) -> Option<Limits> {
    let nodes = if goal.top().is_some() { SHORT_SEARCH_NODES_OF_BEST } else { SHORT_SEARCH_NODES };
    let is_short = limits.nodes.is_some_and(|limit| limit <= nodes);
    (!is_short).then_some(Limits { nodes: Some(nodes), ..limits })
}

/// A counter may cost one in so many of the nodes that the search is expected to have.
const SHARE: f64 = 20.0;

/// The node limit that guards a corpus against one blank grid. Up to as many nodes a search goes on where a counter has no
/// memory left; of a longer one the counter's lower bound is the better answer.
pub const GUARD_NODES: u64 = 1_000_000_000;

/// A counter of all solutions that does not list them. Owns memory that lives as long as it does.
pub trait SolutionCounter: Send {
    /// Counts all solutions of a whole problem.
    ///
    /// With an allowance it declines (`None`) once it has done, or sees that it will do, about as much work as that many
    /// nodes of a plain search cost; it decides by what it counts and never by time. Without one it always answers. An
    /// answer cut short by a limit, by `control` or by memory is a lower bound, 0 where nothing is known.
    fn count_within(&mut self, task: &Task<'_>, control: &Control, allowance: Option<u64>)
    -> Option<Outcome>;
}

/// The reasons why a count stops before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It costs more than it was allowed: the counter declines.
    Declined,
    /// A limit or the caller ended it.
    Ended(EndedBy),
}

impl From<EndedBy> for Stop {
    fn from(reason: EndedBy) -> Self {
        Stop::Ended(reason)
    }
}

impl From<TryReserveError> for Stop {
    fn from(error: TryReserveError) -> Self {
        Stop::Ended(error.into())
    }
}

/// An engine out of a counter: jobs one after the other, each to its end.
pub struct Counting(pub(crate) Box<dyn SolutionCounter>);

impl Engine for Counting {
    fn run(&mut self, client: &mut dyn Client, control: &Control) {
        while let Some(jobs) = client.next(1) {
            let Job { ticket, problem, limits, .. } = jobs.first();
            let outcome = self.0.count_within(&Task::count(problem, limits), control, None);
            let outcome = outcome.expect("without an allowance nothing is declined");
            client.report(Event::End { ticket, outcome });
        }
    }
}

/// Returns the work that a counter may do, in nodes, so that a search past [`SHORT_SEARCH_NODES`] loses little by it.
/// `None` where time, the control or memory, of which the search may have so much, does not let that be found out.
pub(super) fn allowance(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    memory: Option<u64>,
    watch: Watch<'_>,
) -> Option<u64> {
    let nodes = expected_nodes(search, problem, memory, watch)?;
    Some((nodes.max(SHORT_SEARCH_NODES as f64) / SHARE) as u64)
}

/// True if a search with this [`allowance`] goes on where a counter has no memory left.
pub(super) fn is_searchable(allowance: u64) -> bool {
    allowance as f64 * SHARE <= GUARD_NODES as f64
}
