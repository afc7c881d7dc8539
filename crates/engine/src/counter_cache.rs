//! Asks a counter before a long search, which is not needed if the counter succeeds.

use std::collections::HashMap;
use std::time::Duration;

use super::budget::Watch;
use super::counting::{allowance, is_searchable};
use super::{Control, EngineKind, SolutionCounter, Task, TreeSearch};
use quadrille_model::simd::Isa;
use quadrille_model::{Count, EndedBy, Limits, Outcome};

/// A counter, and the engine whose search it may save.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CounterKey {
    /// The engine that counts without listing.
    pub counter: EngineKind,
    /// The engine that searches if the counter declines.
    pub search: EngineKind,
    /// The instruction set, or `None` for the best one of the processor.
    pub isa: Option<Isa>,
}

/// A counter, and the search that it may save.
type Pair = (Box<dyn SolutionCounter>, Box<dyn TreeSearch>);

/// The reply of a counter.
#[derive(Debug)]
pub enum Asked {
    /// The count, or a lower bound that cannot be improved at reasonable cost.
    Answered(Outcome),
    /// The problem must be searched. It has at least this many solutions.
    SearchOn(Count),
}

/// Raises the count of a search to `known` if time, memory or a stop ended the search.
///
/// An earlier phase may have counted more. A count ended by the limit on nodes is left alone, because it must depend on
/// the problem only.
pub fn at_least(mut outcome: Outcome, known: Count) -> Outcome {
    let is_exact = matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit | EndedBy::Nodes);
    if !is_exact && outcome.found < known {
        outcome.found = known;
    }
    outcome
}

/// Returns the time for a counter of a whole problem if `left` remains for the counter and the search after it.
///
/// Most of the time is for the search, because an unfinished count gives a weak bound.
fn of_counter(left: Duration) -> Duration {
    left / 4
}

/// Counters and searches, kept from problem to problem.
#[derive(Default)]
pub struct CounterCache {
    made: HashMap<CounterKey, Pair>,
}

impl CounterCache {
    /// Asks a counter about a problem whose search was too long.
    ///
    /// The search has passed [`SHORT_SEARCH_NODES`](super::SHORT_SEARCH_NODES) nodes and found `known` solutions in
    /// them.
    pub fn ask(&mut self, sparing: CounterKey, task: &Task<'_>, control: &Control, known: Count) -> Asked {
        let CounterKey { counter, search, isa } = sparing;
        let made = (counter.info().make_counter(), search.info().make_search());
        let (Some(make_counter), Some(make_search)) = made else { return Asked::SearchOn(known) };
        let (counter, search) =
            self.made.entry(sparing).or_insert_with(|| (make_counter(isa), make_search(isa)));
        let (memory, whole) = (task.limits.memory, Watch::new(task.limits, control));
        let left = whole.left_of_all();
        let share = if counter.divides(task.problem, control) { left } else { left.map(of_counter) };
        let watch = Watch::new(Limits { time: share, ..task.limits }, control);
        let allowance = allowance(search.as_mut(), task.problem, memory, watch);
        if memory.is_some() {
            // Releases the memory of the search, so that the counter can use it.
            *search = make_search(isa);
        }
        let Some(allowance) = allowance else { return Asked::SearchOn(known) };
        let limits = Limits { time: watch.left(), ..task.limits };
        let counted = counter.count_within(&Task { limits, ..*task }, control, Some(allowance));
        let Some(outcome) = counted else { return Asked::SearchOn(known) };
        let searches_on = match outcome.ended_by {
            // The search needs less memory than the counter: its probes have fitted. The search is worth running if
            // it is not too long or if a time limit ends it.
            EndedBy::Memory => is_searchable(allowance) || left.is_some(),
            EndedBy::Time => whole.stop().is_none(),
            _ => false,
        };
        let outcome = at_least(outcome, known);
        if searches_on { Asked::SearchOn(outcome.found) } else { Asked::Answered(outcome) }
    }
}
