//! A count that a counter may spare the search for.

use std::collections::HashMap;

use super::budget::Watch;
use super::counting::{allowance, is_searchable};
use super::{Control, EngineKind, SolutionCounter, Task, TreeSearch};
use quadrille_model::simd::Isa;
use quadrille_model::{Count, EndedBy, Limits, Outcome};

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

/// The reply of a counter.
#[derive(Debug)]
pub enum Asked {
    /// The answer.
    Answered(Outcome),
    /// It has none: the problem is to be searched. There are at least this many solutions.
    SearchOn(Count),
}

/// Raises what a search for all solutions has counted before a limit on time or memory, or a stop, to what is known: an earlier phase
/// may have counted more. A limit on nodes is no such limit: what it leaves is a function of the problem.
pub fn at_least(mut outcome: Outcome, known: Count) -> Outcome {
    let is_exact = matches!(outcome.ended_by, EndedBy::Complete | EndedBy::Limit | EndedBy::Nodes);
    if !is_exact && outcome.found < known {
        outcome.found = known;
    }
    outcome
}

/// Counters with the searches that they are to spare, kept from problem to problem.
#[derive(Default)]
pub struct CountFirst {
    made: HashMap<Sparing, Pair>,
}

impl CountFirst {
    /// Asks a counter about a problem whose search has passed [`SHORT_SEARCH_NODES`](super::SHORT_SEARCH_NODES) and found
    /// `known` solutions until then.
    pub fn ask(&mut self, sparing: Sparing, task: &Task<'_>, control: &Control, known: Count) -> Asked {
        let Sparing { counter, search, isa } = sparing;
        let made = (counter.info().make_counter(), search.info().make_search());
        let (Some(make_counter), Some(make_search)) = made else { return Asked::SearchOn(known) };
        let (counter, search) =
            self.made.entry(sparing).or_insert_with(|| (make_counter(isa), make_search(isa)));
        // Where time is limited, half of it is kept for a search: what is not counted to its end gives a weak bound.
        let (memory, whole) = (task.limits.memory, Watch::new(task.limits, control));
        let left = whole.left_of_all();
        let half = Limits { time: left.map(|left| left / 2), ..task.limits };
        let watch = Watch::new(half, control);
        let allowance = allowance(search.as_mut(), task.problem, memory, watch);
        if memory.is_some() {
            // The counter may have as much as the search had, and not beside it.
            *search = make_search(isa);
        }
        let Some(allowance) = allowance else { return Asked::SearchOn(known) };
        let limits = Limits { time: watch.left(), ..task.limits };
        let counted = counter.count_within(&Task { limits, ..*task }, control, Some(allowance));
        let Some(outcome) = counted else { return Asked::SearchOn(known) };
        let searches_on = match outcome.ended_by {
            // The search takes less: it got through its probes. Under a limit on time it ends soon.
            EndedBy::Memory => is_searchable(allowance) || left.is_some(),
            EndedBy::Time => whole.stop().is_none(),
            _ => false,
        };
        let outcome = at_least(outcome, known);
        if searches_on { Asked::SearchOn(outcome.found) } else { Asked::Answered(outcome) }
    }
}
