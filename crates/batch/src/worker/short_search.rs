//! The limits of the first, short search of a record, behind which the record is set aside to be searched by all
//! threads.

use crate::options::{Ask, BatchOptions};
use quadrille_engine::{SHORT_SEARCH_NODES_OF_BEST, short_of};
use quadrille_model::{Limits, Outcome};

/// The limits of the first search; `None` where it is the only one. A single thread does not split a search for the
/// best, and need not begin it twice: see [`as_if_split`].
pub(crate) fn limits(options: &BatchOptions, workers: usize) -> Option<Limits> {
    let is_best = matches!(options.ask, Ask::Best(_));
    let whole = is_best && (options.nodes_are_asked() || workers == 1);
    if whole { None } else { short_of(options.ask.goal(), options.limits()) }
}

/// Forgets the counters of a search for the best that several threads would have split; true if they would have.
pub(crate) fn as_if_split(options: &BatchOptions, outcome: &mut Outcome) -> bool {
    let is_split = matches!(options.ask, Ask::Best(_))
        && !options.nodes_are_asked()
        && outcome.counters.is_some_and(|counters| counters.nodes > SHORT_SEARCH_NODES_OF_BEST);
    if is_split {
        outcome.counters = None;
    }
    is_split
}
