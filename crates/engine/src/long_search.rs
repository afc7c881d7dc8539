//! The searches and counters of long searches: after a short search a counter is asked, then the search runs in parts.
//!
//! [`Solver`](super::Solver) and the workers of a run decide when a phase begins; here is what the phases share.

use std::collections::HashMap;
use std::time::Duration;

use super::budget::Watch;
use super::counting::{allowance, is_searchable};
use super::{Control, EngineKind, SolutionCounter, Task, TreeSearch};
use quadrille_model::simd::Isa;
use quadrille_model::{Count, EndedBy, Limits, Outcome};

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

/// Searches and counters of one thread, kept from problem to problem.
#[derive(Default)]
pub struct LongSearch {
    /// The instruction set, or `None` for the best one of the processor.
    isa: Option<Isa>,
    searches: HashMap<EngineKind, Box<dyn TreeSearch>>,
    counters: HashMap<EngineKind, Box<dyn SolutionCounter>>,
}

impl LongSearch {
    /// Creates searches for an instruction set; `None` is the best one of the processor.
    pub fn new(isa: Option<Isa>) -> Self {
        LongSearch { isa, ..LongSearch::default() }
    }

    /// Calls `work` with the search of an engine, which is kept unless `work` panics.
    ///
    /// Returns `None` if the engine has no search that can be cut into parts.
    pub fn with<T>(&mut self, kind: EngineKind, work: impl FnOnce(&mut dyn TreeSearch) -> T) -> Option<T> {
        let mut search = match self.searches.remove(&kind) {
            Some(search) => search,
            None => kind.info().make_search()?(self.isa),
        };
        let done = work(search.as_mut());
        self.searches.insert(kind, search);
        Some(done)
    }

    /// Drops all searches and counters with their tables.
    pub fn clear(&mut self) {
        *self = LongSearch::new(self.isa);
    }

    fn counter(&mut self, kind: EngineKind) -> Option<&mut Box<dyn SolutionCounter>> {
        let make = kind.info().make_counter()?;
        Some(self.counters.entry(kind).or_insert_with(|| make(self.isa)))
    }

    /// Asks a counter about a problem whose search by the engine `kind` was too long.
    ///
    /// The search has passed [`SHORT_SEARCH_NODES`](super::SHORT_SEARCH_NODES) nodes and found `known` solutions in
    /// them.
    pub fn ask(
        &mut self,
        (counter, kind): (EngineKind, EngineKind),
        task: &Task<'_>,
        control: &Control,
        known: Count,
    ) -> Asked {
        let Some(made) = self.counter(counter) else { return Asked::SearchOn(known) };
        let (memory, whole) = (task.limits.memory, Watch::new(task.limits, control));
        let left = whole.left_of_all();
        let divides = made.divides(task.problem, control);
        let watch = Watch::new(
            Limits { time: if divides { left } else { left.map(of_counter) }, ..task.limits },
            control,
        );
        let allowance = self.with(kind, |search| allowance(search, task.problem, memory, watch)).flatten();
        if memory.is_some() {
            // Releases the memory of the search, so that the counter can use it.
            self.searches.remove(&kind);
        }
        let Some(allowance) = allowance else { return Asked::SearchOn(known) };
        let limits = Limits { time: watch.left(), ..task.limits };
        let task = Task { limits, ..*task };
        let counted =
            self.counter(counter).and_then(|made| made.count_within(&task, control, Some(allowance)));
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
