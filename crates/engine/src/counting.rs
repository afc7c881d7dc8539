//! Counting without listing: engines that find the number of solutions without visiting each solution.
//!
//! Such an engine is a [`SolutionCounter`]. It wins by orders of magnitude if many partial solutions leave the same
//! remaining problem, and loses otherwise. The class of a problem does not show which case it is. So if the caller
//! names no engine, an unlimited count has these steps ([`Selection::then`](super::Selection::then) is the counter):
//!
//! ```text
//! plain search, SHORT_SEARCH_NODES nodes   most problems end here
//! probes of its tree                estimate its size: N nodes
//! the counter, allowed N / 20       answers; or declines, or runs out of memory
//! plain search, whole               over all threads, as without a counter
//! ```
//! Under a time limit or a deadline the counter gets at most a quarter of the time left. An unfinished count gives a weak
//! lower bound, and a search in the rest of the time a better one. If the problem has independent parts, the counter gets
//! all the time: it adds up what the parts take, and a search of the whole multiplies that.
//!
//! If the counter declines, the loss is at most the share above. The loss is measured in work, not in time, so the
//! engine that answers depends only on the problem.

use std::collections::TryReserveError;

use super::budget::Watch;
use super::probe::expected_nodes;
use super::{Client, Control, Engine, Event, Job, Task, TreeSearch};
use quadrille_model::{EndedBy, Goal, Limits, Outcome, ProblemRef};

/// Number of nodes after which splitting a search over threads or asking a counter may pay. They take some 20 ms:
/// little is lost by discarding them, and splitting a shorter search does not pay.
pub const SHORT_SEARCH_NODES: u64 = 20_000;
/// Number of nodes after which splitting pays in a search for the best.
///
/// Nodes of such a search take at least 10 times as long.
pub const SHORT_SEARCH_NODES_OF_BEST: u64 = SHORT_SEARCH_NODES / 10;

/// Returns the limits of the short search, or `None` if the whole search is not longer.
pub fn short_search_limits(goal: Goal, limits: Limits) -> Option<Limits> {
    let nodes = if goal.top().is_some() { SHORT_SEARCH_NODES_OF_BEST } else { SHORT_SEARCH_NODES };
    let is_short = limits.nodes.is_some_and(|limit| limit <= nodes);
    (!is_short).then_some(Limits { nodes: Some(nodes), ..limits })
}

/// A counter may do as much work as the search is expected to take nodes, divided by `WORK_DIVISOR`.
const WORK_DIVISOR: f64 = 20.0;

/// Node limit that keeps a single blank grid from holding up a corpus. If a counter runs out of memory, a search of
/// at most this size continues; for a longer one the counter's lower bound is the better answer.
pub const GUARD_NODES: u64 = 1_000_000_000;

/// A counter of all solutions that does not list them. Keeps its memory from problem to problem.
pub trait SolutionCounter: Send {
    /// Counts all solutions of a whole problem, or returns `None` if it declines.
    ///
    /// The counter declines once it has done, or expects to do, about as much work as `allowance` nodes of a plain
    /// search. It decides by work, never by time, and without an allowance it always answers. A count cut short by a
    /// limit, by `control` or by memory is a lower bound, 0 if nothing is known.
    fn count_within(&mut self, task: &Task<'_>, control: &Control, allowance: Option<u64>)
    -> Option<Outcome>;

    /// Returns true if the counter counts independent parts of the problem one by one.
    fn divides(&self, _problem: ProblemRef<'_>, _control: &Control) -> bool {
        false
    }
}

/// The reasons for which a count stops early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The count costs more than allowed: the counter declines.
    Declined,
    /// A limit or the caller stopped the count.
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

/// The engine of a counter: counts one job after the other, each to its end.
pub struct CounterEngine(pub(crate) Box<dyn SolutionCounter>);

impl Engine for CounterEngine {
    fn run(&mut self, client: &mut dyn Client, control: &Control) {
        while let Some(jobs) = client.next(1) {
            let Job { ticket, problem, limits, .. } = jobs.first();
            let outcome = self.0.count_within(&Task::count(problem, limits), control, None);
            let outcome = outcome.expect("without an allowance nothing is declined");
            client.report(Event::End { ticket, outcome });
        }
    }
}

/// Returns the work that a counter may do, in nodes, or `None` if that cannot be estimated.
///
/// This work is a small share of the expected search, which has passed [`SHORT_SEARCH_NODES`]. The estimate may fail
/// because of time, the control or memory; `memory` is the limit of the search in bytes.
pub(super) fn allowance(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    memory: Option<u64>,
    watch: Watch<'_>,
) -> Option<u64> {
    let nodes = expected_nodes(search, problem, memory, watch)?;
    Some((nodes.max(SHORT_SEARCH_NODES as f64) / WORK_DIVISOR) as u64)
}

/// Returns true if a search with this [`allowance`] continues after a counter ran out of memory.
pub(super) fn is_searchable(allowance: u64) -> bool {
    allowance as f64 * WORK_DIVISOR <= GUARD_NODES as f64
}
