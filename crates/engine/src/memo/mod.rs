//! Counting exact covers without listing them.
//!
//! A search meets the same remaining problem again and again. On a board filled row by row with dominoes, for instance,
//! only the outline of the last row matters for what follows, however the rows above were filled. Here each remaining
//! problem is visited once, and the number of ways that lead to it is counted:
//!
//! ```text
//! item      0        1        2        3     ...     n
//!         +---+    +---+    +---+    +---+         +---+
//!  {} x 1 |   | -> |   | -> |   | -> |   |   ...   |sum|   each with the states in which it is the
//!         +---+  \ +---+  / +---+    +---+         +---+   first item that is not covered
//!                  \_____/                                 an option leads from one to a later one
//! ```
//!
//! * `parts`: independent parts of the problem. Their counts are multiplied. Each part is counted by layers or by a
//!   search, as if it were a problem of its own.
//! * `order`: the order in which items are branched on. It decides the cost: a state consists of the items that are
//!   open, and a narrow border between finished and untouched items has few states.
//! * `plan`: for an order, the bits of each open item in a state, and the options as masks over these bits.
//! * `table`: states and their numbers of ways, with full keys and exact numbers of any size.
//! * `shard`: states distributed by their hashes, so that threads share the work without locking a table.
//! * `idle_threads`: threads that have nothing else to do.
//! * `sweep`: processes the items in order. When memory runs out, it splits its states in two and does one half after
//!   the other.
//! * `budget`: the work done and its limits.
//!
//! A state has one bit for each primary item that was met and is still open, set if the item is covered. For each
//! secondary item in an option still to come it has bits that say whether the item is free or which colour it has. The
//! remaining problem depends on nothing else. If it falls into independent pieces, no special care is needed: once a
//! piece is finished, all states that differ only in that piece have become one.
//!
//! Source: the broken profile (or frontier) method. For exact cover with a cache instead of layers, see Nishino,
//! Yasuda, Minato and Nagata, Dancing with Decision Diagrams (AAAI 2017), and Knuth's dlx6. Layers need no cache: a
//! finished layer is forgotten, and numbers of ways are added at the point at which a cache would have been asked.

mod budget;
mod idle_threads;
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

use super::budget::Watch;
use super::counting::{allowance, is_searchable};
use super::{Bitset, Control, Flow, SHORT_SEARCH_NODES, SolutionCounter, Task, TreeSearch};
use budget::{End, WorkBudget};
use parts::Component;
use plan::Plan;
use quadrille_model::{
    Count, CoverProblem, EndedBy, Goal, Limits, Outcome, ProblemClass, ProblemRef, Solution,
};

/// Default limit on the memory of all states, in bytes.
const MEMORY: u64 = 1 << 30;

/// The engine that counts exact covers without visiting them one by one.
///
/// The states of a count take at most 1 GiB, or [`Limits::memory`] if the caller sets that. With too little
/// memory a count takes longer. With far too little memory it gives only a lower bound. A count is never
/// wrong.
#[derive(Debug, Default)]
pub struct Memo {
    /// The search engine that counts the solutions of a part if searching is faster than counting by layers.
    search: Bitset,
}

impl Memo {
    /// Returns true if `goal` is a count without a limit and `class` is exact cover without multiplicities.
    ///
    /// No other problems are supported.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!(class, ProblemClass::Cover { multiplicities: false, .. })
            && goal == Goal::Count { limit: None }
    }

    /// Counts the solutions of one of the independent parts of a problem.
    ///
    /// Uses a search if the search is short, or if counting by layers would take longer.
    fn count_part(&mut self, part: &Component, budget: &mut WorkBudget<'_>) -> End {
        let cover = match part.to_cover(&mut budget.pace()) {
            Ok(cover) => cover,
            Err(reason) => return End::Early(BigUint::ZERO, reason),
        };
        let limits = budget.left();
        let probe = limits.nodes.map_or(SHORT_SEARCH_NODES, |nodes| nodes.min(SHORT_SEARCH_NODES));
        let short = self.searched(&cover, Limits { nodes: Some(probe), ..limits }, budget);
        // If the search has too little memory for its tables, try a count by layers, which may need less
        // memory.
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
            // Release the memory of the search so that the states can use it.
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

    /// Counts the solutions of `cover` by a search.
    fn searched(&mut self, cover: &Arc<CoverProblem>, limits: Limits, budget: &mut WorkBudget<'_>) -> End {
        let task = Task::count(ProblemRef::Cover(cover), limits);
        // A count reports no solutions.
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
    fn divides(&self, problem: ProblemRef<'_>, control: &Control) -> bool {
        let ProblemRef::Cover(cover) = problem else { return false };
        let parts = Component::all(cover, &mut Watch::new(Limits::default(), control).pace());
        parts.is_ok_and(|parts| parts.len() > 1)
    }

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
        let mut parts = match Component::all(cover, &mut budget.pace()) {
            Ok(parts) => parts,
            Err(reason) => return Some(Outcome::nothing(reason)),
        };
        // Count the largest part last: if the count stops there, the lower bound includes the counts of all
        // other parts.
        parts.sort_by_key(|part| part.options().count());
        let (mut product, mut ended_by) = (BigUint::from(1u32), EndedBy::Complete);
        for (number, part) in parts.iter().enumerate() {
            let end = if part.is_bare() {
                End::Counted(BigUint::ZERO)
            } else if parts.len() > 1 {
                // Counting each part separately is cheap compared with a search of the whole problem, because
                // the cost of that search grows like the product of the parts' costs.
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
                    // The parts after this one have not been counted and may have no solution. So the lower
                    // bound is 0 unless this part is the last.
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
