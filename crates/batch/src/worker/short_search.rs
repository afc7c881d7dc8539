//! Limits of the first, short search of a record. A record that exceeds them is set aside and searched by all threads.

use crate::options::{BatchOptions, Query};
use quadrille_engine::{SHORT_SEARCH_NODES_OF_BEST, short_search_limits};
use quadrille_model::{Limits, Outcome};

/// Returns the limits of the first search, or `None` if the first search is the only one.
///
/// On a single thread a search for the best solution is not split, so it need not be restarted after a short search:
/// see [`as_if_split`].
pub(crate) fn limits(options: &BatchOptions, workers: usize) -> Option<Limits> {
    let is_best = matches!(options.ask, Query::Best(_));
    let whole = is_best && (options.nodes_are_asked() || workers == 1);
    if whole { None } else { short_search_limits(options.ask.goal(), options.limits()) }
}

/// Clears the counters of a search for the best solution if several threads would have split the search.
///
/// Returns true if the counters were cleared.
pub(crate) fn as_if_split(options: &BatchOptions, outcome: &mut Outcome) -> bool {
    let is_split = matches!(options.ask, Query::Best(_))
        && !options.nodes_are_asked()
        && outcome.counters.is_some_and(|counters| counters.nodes > SHORT_SEARCH_NODES_OF_BEST);
    if is_split {
        outcome.counters = None;
    }
    is_split
}
