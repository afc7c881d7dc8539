//! Long searches. If a short search does not answer a problem, a counter tries to count the solutions. If the
//! counter fails, the search is split into parts.
//!
//! [`Solver`](super::Solver) and the workers of a run decide when to use the counter and the parts. This
//! module has the code that both share.

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
    /// The counter's outcome. It is the count, or a lower bound that cannot be improved at a reasonable cost.
    Answered(Outcome),
    /// The counter did not answer the problem, so a search must continue. At least this many solutions are
    /// known to exist.
    SearchOn(Count),
}

/// Raises the count in `outcome` to at least `known`, which is a count from an earlier phase.
///
/// Does so only if time, memory or a cancellation ended the search. If the node limit ended the search, the
/// count must depend only on the problem. So it does not change.
pub fn at_least(mut outcome: Outcome, known: Count) -> Outcome {
    let is_exact = matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit | EndedBy::Nodes);
    if !is_exact && outcome.found < known {
        outcome.found = known;
    }
    outcome
}

/// Returns the time that a counter may use. `left` is the time that remains for the counter and the search
/// together.
///
/// Most of the time goes to the search, because an unfinished count gives only a weak bound.
fn of_counter(left: Duration) -> Duration {
    left / 4
}

/// Searches and counters of one thread. They are kept in memory from one problem to the next.
#[derive(Default)]
pub struct LongSearch {
    /// The instruction set, or `None` for the best one of the processor.
    isa: Option<Isa>,
    searches: HashMap<EngineKind, Box<dyn TreeSearch>>,
    counters: HashMap<EngineKind, Box<dyn SolutionCounter>>,
}

impl LongSearch {
    /// Creates an empty cache of searches and counters. They use the instruction set `isa`.
    ///
    /// If `isa` is `None`, they use the best instruction set of the processor.
    pub fn new(isa: Option<Isa>) -> Self {
        LongSearch { isa, ..LongSearch::default() }
    }

    /// Calls `work` with the search of an engine. Keeps the search for later problems, unless `work` panics.
    ///
    /// Returns `None` if the engine has no search that can be split into parts.
    pub fn with<T>(&mut self, kind: EngineKind, work: impl FnOnce(&mut dyn TreeSearch) -> T) -> Option<T> {
        let mut search = match self.searches.remove(&kind) {
            Some(search) => search,
            None => kind.info().make_search()?(self.isa),
        };
        let done = work(search.as_mut());
        self.searches.insert(kind, search);
        Some(done)
    }

    /// Drops all searches and counters, including their tables.
    pub fn clear(&mut self) {
        *self = LongSearch::new(self.isa);
    }

    fn counter(&mut self, kind: EngineKind) -> Option<&mut Box<dyn SolutionCounter>> {
        let make = kind.info().make_counter()?;
        Some(self.counters.entry(kind).or_insert_with(|| make(self.isa)))
    }

    /// Counts the solutions with a counter, for a problem that a short search could not finish. `kind` is the
    /// engine of that search.
    ///
    /// The short search entered [`SHORT_SEARCH_NODES`](super::SHORT_SEARCH_NODES) nodes and found `known`
    /// solutions.
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
            // Release the memory of the search, so that the counter can use this memory.
            self.searches.remove(&kind);
        }
        let Some(allowance) = allowance else { return Asked::SearchOn(known) };
        let limits = Limits { time: watch.left(), ..task.limits };
        let task = Task { limits, ..*task };
        let counted =
            self.counter(counter).and_then(|made| made.count_within(&task, control, Some(allowance)));
        let Some(outcome) = counted else { return Asked::SearchOn(known) };
        let searches_on = match outcome.ended_by {
            // The search needs less memory than the counter: probes of the search have already succeeded. So
            // it continues if it is not too long, or if a time limit will end it.
            EndedBy::Memory => is_searchable(allowance) || left.is_some(),
            EndedBy::Time => whole.stop().is_none(),
            _ => false,
        };
        let outcome = at_least(outcome, known);
        if searches_on { Asked::SearchOn(outcome.found) } else { Asked::Answered(outcome) }
    }
}
