//! Limits of the short search, which is the first search for a record. If a record exceeds these limits, all
//! threads search it together.

use crate::options::{BatchOptions, Query};
use quadrille_engine::{SHORT_SEARCH_NODES_OF_BEST, short_search_limits};
use quadrille_model::{Limits, Outcome};

/// Returns the limits of the short search, or `None` if the first search has no special limits.
///
/// With a single thread, a search for the best solution is never split. So there is no short search before it
/// (see [`as_if_split`]).
pub(crate) fn limits(options: &BatchOptions, workers: usize) -> Option<Limits> {
    let is_best = matches!(options.ask, Query::Best(_));
    let whole = is_best && (options.nodes_are_asked() || workers == 1);
    if whole { None } else { short_search_limits(options.ask.goal(), options.limits()) }
}

/// Removes the counters of a search for the best solution if the search is so long that several threads would
/// have split it.
///
/// Returns true if it removed the counters.
pub(crate) fn as_if_split(options: &BatchOptions, outcome: &mut Outcome) -> bool {
    let is_split = matches!(options.ask, Query::Best(_))
        && !options.nodes_are_asked()
        && outcome.counters.is_some_and(|counters| counters.nodes > SHORT_SEARCH_NODES_OF_BEST);
    if is_split {
        outcome.counters = None;
    }
    is_split
}
