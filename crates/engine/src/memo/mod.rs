//! Counting exact covers without listing them.
//!
//! A search meets the same rest of a problem again and again: on a board filled row by row with dominoes only the last
//! row's outline matters for what is still to come, however the rows above were filled. Here every rest is met once, and
//! what is counted is the ways that lead to it:
//!
//! ```text
//! item      0        1        2        3     ...     n
//!         +---+    +---+    +---+    +---+         +---+
//!  {} x 1 |   | -> |   | -> |   | -> |   |   ...   |sum|   each with the states in which it is the
//!         +---+  \ +---+  / +---+    +---+         +---+   first item that is not covered
//!                  \_____/                                 an option leads from one to a later one
//! ```
//!
//! * `parts`: independent parts of the problem; their counts are multiplied. Each is counted by layers or by a search,
//!   as a problem of its own would be.
//! * `order`: the order in which items are branched on, which decides everything: a state is what it leaves open, and a
//!   narrow border between what is done and what is not has few states.
//! * `plan`: for an order, where each open item's bit is in a state, and the options as masks over these bits.
//! * `table`: states and their numbers of ways: full keys, exact numbers of any size.
//! * `shard`: states apart by their hashes, so that threads share the work without agreeing about any table.
//! * `helpers`: threads that have nothing else to do.
//! * `sweep`: goes over the items; cuts what it holds in two and does one half after the other where memory ends.
//! * `budget`: what it costs and may cost.
//!
//! A state has a bit for each item that was met and is not done with, set if it is covered; for a secondary item in an
//! option that is still to come, bits that it is free or has a colour. That is all the rest depends on. Where the rest
//! of a problem falls apart no special care is needed: done with one piece, all states that differ only there have
//! become one.
//!
//! Source: the broken profile (or frontier) method; for exact cover with a cache instead of layers, Nishino, Yasuda,
//! Minato and Nagata, Dancing with Decision Diagrams (AAAI 2017), and Knuth's dlx6. Layers need no cache: what is done
//! with is forgotten, and numbers of ways are added where a cache would have been asked.

mod budget;
mod helpers;
mod order;
mod parts;
mod plan;
mod shard;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use num_bigint::BigUint;

use super::counting::{allowance, is_searchable};
use super::{Bitset, Control, Flow, SHORT_SEARCH_NODES, SolutionCounter, Task, TreeSearch};
use budget::{End, WorkBudget};
use parts::Part;
use plan::Plan;
use quadrille_model::{Count, Cover, EndedBy, Goal, Limits, Outcome, ProblemClass, ProblemRef, Solution};

/// Bytes that states may take, by default.
const MEMORY: u64 = 1 << 30;

/// The counter of exact covers.
///
/// It takes 1 GiB for states at most, or as much as [`Limits::memory`] allows: with too little it takes longer,
/// then gives a lower bound, and never a wrong count.
#[derive(Debug, Default)]
pub struct Memo {
    /// For parts that a search counts sooner.
    search: Bitset,
}

impl Memo {
    /// Returns true if it can do this: counts without limit, of exact cover problems with or without colours.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!(class, ProblemClass::Cover { multiplicities: false, .. })
            && goal == Goal::Count { limit: None }
    }

    /// Counts a part of several: by a search if that is soon done or the layers do not pay.
    fn count_part(&mut self, part: &Part, budget: &mut WorkBudget<'_>) -> End {
        let cover = match part.to_cover(&mut budget.pace()) {
            Ok(cover) => cover,
            Err(reason) => return End::Early(BigUint::ZERO, reason),
        };
        let limits = budget.left();
        let probe = limits.nodes.map_or(SHORT_SEARCH_NODES, |nodes| nodes.min(SHORT_SEARCH_NODES));
        let short = self.searched(&cover, Limits { nodes: Some(probe), ..limits }, budget);
        // Memory too scarce for the tables of the search may do for layers.
        let End::Early(met, EndedBy::Nodes | EndedBy::Memory) = short else { return short };
        let problem = ProblemRef::Cover(&cover);
        let plan = match Plan::best(part, &mut budget.pace()) {
            Ok(plan) => plan,
            Err(reason) => return End::Early(met, reason),
        };
        let allowed = allowance(&mut self.search, problem, budget.limit, budget.watch);
        if let Some(nodes) = allowed {
            budget.allow(nodes, &plan);
        }
        if budget.limit.is_some() {
            // States may have as much as the search had, and not beside it.
            self.search = Bitset::default();
        }
        let end = sweep::count(&plan, budget);
        budget.allow_all();
        let end = match end {
            End::Declined => self.searched(&cover, budget.left(), budget),
            End::Early(_, EndedBy::Memory) if allowed.is_some_and(is_searchable) => {
                self.searched(&cover, budget.left(), budget)
            }
            end => end,
        };
        match end {
            End::Early(found, reason) if reason != EndedBy::Nodes => End::Early(found.max(met), reason),
            end => end,
        }
    }

    /// Counts by a search.
    fn searched(&mut self, cover: &Arc<Cover>, limits: Limits, budget: &mut WorkBudget<'_>) -> End {
        let task = Task::count(ProblemRef::Cover(cover), limits);
        // A count has no solutions to show.
        let mut nothing = |_: Solution<'_>| Flow::Continue;
        let outcome = self.search.search(&task, &mut nothing, budget.control);
        budget.spend(outcome.counters);
        match outcome.ended_by {
            EndedBy::Complete => End::Counted(outcome.found.to_big()),
            reason => End::Early(outcome.found.to_big(), reason),
        }
    }
}

impl SolutionCounter for Memo {
    fn count_within(
        &mut self,
        task: &Task<'_>,
        control: &Control,
        allowance: Option<u64>,
    ) -> Option<Outcome> {
        let ProblemRef::Cover(cover) = task.problem else {
            return Some(Outcome::nothing(EndedBy::Cancel));
        };
        let mut budget = WorkBudget::new(task.limits, control, MEMORY);
        let parts = match Part::all(cover, &mut budget.pace()) {
            Ok(parts) => parts,
            Err(reason) => return Some(Outcome::nothing(reason)),
        };
        let (mut product, mut ended_by) = (BigUint::from(1u32), EndedBy::Complete);
        for (number, part) in parts.iter().enumerate() {
            let end = if part.is_bare() {
                End::Counted(BigUint::ZERO)
            } else if parts.len() > 1 {
                // What the parts cost is nothing beside a search of the whole, which would multiply it.
                self.count_part(part, &mut budget)
            } else {
                match Plan::best(part, &mut budget.pace()) {
                    Err(reason) => End::Early(BigUint::ZERO, reason),
                    Ok(plan) => {
                        if let Some(nodes) = allowance {
                            budget.allow(nodes, &plan);
                        }
                        match sweep::count(&plan, &mut budget) {
                            End::Declined if allowance.is_none() => {
                                self.searched(cover, budget.left(), &mut budget)
                            }
                            end => end,
                        }
                    }
                }
            };
            match end {
                End::Counted(count) => product *= count,
                End::Early(at_least, reason) => {
                    // Of the parts behind it nothing is known.
                    product *= if number + 1 == parts.len() { at_least } else { BigUint::ZERO };
                    ended_by = reason;
                    break;
                }
                End::Declined => return None,
            }
            if product == BigUint::ZERO {
                break;
            }
        }
        let counters = Some(budget.counters());
        Some(Outcome { found: Count::from(product), ended_by, counters, best: None })
    }
}
