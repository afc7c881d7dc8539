//! A count that a counter may spare the search for.

use std::collections::HashMap;

use super::counting::{allowance, is_searchable};
use super::{Control, EngineKind, SolutionCounter, Task, TreeSearch};
use quadrille_model::simd::Isa;
use quadrille_model::{Count, EndedBy, Outcome};

/// A counter, and the engine whose search it is to spare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sparing {
    /// Engine that counts without listing.
    pub counter: EngineKind,
    /// Engine that searches if the counter declines.
    pub search: EngineKind,
    /// Instruction set; `None` is the best one of the processor.
    pub isa: Option<Isa>,
}

/// A counter, and the search that is to be spared.
type Pair = (Box<dyn SolutionCounter>, Box<dyn TreeSearch>);

/// Counters with the searches that they are to spare, kept from problem to problem.
#[derive(Default)]
pub struct CountFirst {
    made: HashMap<Sparing, Pair>,
}

impl CountFirst {
    /// Asks a counter about a problem whose search has passed [`SHORT_SEARCH_NODES`](super::SHORT_SEARCH_NODES) and found
    /// `known` solutions until then. `None`: search on.
    pub fn ask(
        &mut self,
        sparing: Sparing,
        task: &Task<'_>,
        control: &Control,
        known: &Count,
    ) -> Option<Outcome> {
        let Sparing { counter, search, isa } = sparing;
        let (make_counter, make_search) = (counter.info().make_counter()?, search.info().make_search()?);
        let (counter, search) =
            self.made.entry(sparing).or_insert_with(|| (make_counter(isa), make_search(isa)));
        let memory = task.limits.memory;
        let allowance = allowance(search.as_mut(), task.problem, memory, control);
        if memory.is_some() {
            // The counter may have as much as the search had, and not beside it.
            *search = make_search(isa);
        }
        let allowance = allowance?;
        let mut outcome = counter.count_within(task, control, Some(allowance))?;
        // The search takes less: it got through its probes.
        if outcome.ended_by == EndedBy::Memory && is_searchable(allowance) {
            return None;
        }
        if outcome.ended_by != EndedBy::Complete && outcome.found < *known {
            outcome.found = known.clone();
        }
        Some(outcome)
    }
}
