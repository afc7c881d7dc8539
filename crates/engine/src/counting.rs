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

/// Maximum number of nodes of a short search. A longer search may be split over threads, or a counter may
/// replace it.
///
/// These nodes take some 20 ms, so little time is lost if their results are discarded.
pub const SHORT_SEARCH_NODES: u64 = 20_000;
/// Number of nodes of a short search for the best solutions. If such a search needs more nodes, it is
/// worthwhile to split it.
///
/// A node of such a search takes at least 10 times as long as a node of another search.
pub const SHORT_SEARCH_NODES_OF_BEST: u64 = SHORT_SEARCH_NODES / 10;

/// Returns the limits for a short first search. Returns `None` if `limits` already has a node limit that is
/// at least as strict.
pub fn short_search_limits(goal: Goal, limits: Limits) -> Option<Limits> {
    let nodes = if goal.top().is_some() { SHORT_SEARCH_NODES_OF_BEST } else { SHORT_SEARCH_NODES };
    let is_short = limits.nodes.is_some_and(|limit| limit <= nodes);
    (!is_short).then_some(Limits { nodes: Some(nodes), ..limits })
}

/// Divisor for the work limit of a counter. The work limit is the expected number of nodes of the search,
/// divided by this number.
const WORK_DIVISOR: f64 = 20.0;

/// Node limit that prevents one hard problem, such as a blank grid, from delaying a whole corpus.
///
/// The limit also applies if a counter runs out of memory. A search then continues if it is expected to need
/// at most this number of nodes. Otherwise the answer is the lower bound found by the counter.
pub const GUARD_NODES: u64 = 1_000_000_000;

/// A counter, which counts all solutions without listing them.
///
/// A counter keeps its allocated memory from one problem to the next.
pub trait SolutionCounter: Send {
    /// Counts all solutions of a whole problem. Returns `None` if the counter declines the problem as too
    /// expensive.
    ///
    /// `allowance` is measured in nodes of a plain search. The counter declines if its work so far, or its
    /// expected work, takes about as long as these nodes. This decision depends on the amount of work, never
    /// on time. Without an allowance, the counter never declines. If a limit, `control` or memory stops the
    /// count, the result is a lower bound, which is 0 if nothing is known.
    fn count_within(&mut self, task: &Task<'_>, control: &Control, allowance: Option<u64>)
    -> Option<Outcome>;

    /// Returns true if the counter splits the problem into independent parts and counts each part separately.
    fn divides(&self, _problem: ProblemRef<'_>, _control: &Control) -> bool {
        false
    }
}

/// The reasons for which a count stops early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The count takes more work than allowed, so the counter declines the problem.
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

/// An engine that counts solutions with a counter, one job after the other.
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

/// Returns how much work a counter may do, measured in nodes of the search.
///
/// The result is a small fraction of the expected size of the search. It is `None` if time, the control or
/// memory prevents an estimate. The search must already have entered [`SHORT_SEARCH_NODES`] nodes. `memory`
/// is its memory limit in bytes.
pub(super) fn allowance(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    memory: Option<u64>,
    watch: Watch<'_>,
) -> Option<u64> {
    let nodes = expected_nodes(search, problem, memory, watch)?;
    Some((nodes.max(SHORT_SEARCH_NODES as f64) / WORK_DIVISOR) as u64)
}

/// Returns true if a search should continue after a counter has run out of memory. `allowance` is the
/// [`allowance`] of this counter.
pub(super) fn is_searchable(allowance: u64) -> bool {
    allowance as f64 * WORK_DIVISOR <= GUARD_NODES as f64
}
