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
//! * `parts`: independent parts of the problem; their counts are multiplied.
//! * `order`: the order in which items are branched on, which decides everything: a state is what it leaves open, and a
//!   narrow border between what is done and what is not has few states.
//! * `plan`: for an order, where each open item's bit is in a state, and the options as masks over these bits.
//! * `table`: states and their numbers of ways: full keys, exact numbers of any size.
//! * `sweep`: goes over the items; cuts what it holds in two and does one half after the other where memory ends.
//!
//! A state says of each item that was met and is not done with whether it is covered; of a secondary item in an option
//! that is still to come whether it is free, or which colour it has. That is all the rest depends on. Where the rest of
//! a problem falls apart no special care is needed: done with one piece, all states that differ only there have become
//! one.
//!
//! Source: the broken profile (or frontier) method; for exact cover with a cache instead of layers, Nishino, Yasuda,
//! Minato and Nagata, Dancing with Decision Diagrams (AAAI 2017), and Knuth's dlx6. Layers need no cache: what is done
//! with is forgotten, and numbers of ways are added where a cache would have been asked.

mod order;
mod parts;
mod plan;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

use num_bigint::BigUint;

use super::{Control, Tally};
use crate::model::{Count, EndedBy, Goal, Limits, Outcome, ProblemClass, ProblemRef};
use parts::Part;
use plan::Plan;
use sweep::{Effort, End};

/// Bytes that states may take, unless told otherwise.
const MEMORY: usize = 1 << 30;

/// The counter of exact covers.
#[derive(Debug)]
pub struct Memo {
    memory: usize,
}

impl Default for Memo {
    fn default() -> Self {
        Memo::new()
    }
}

impl Memo {
    /// With 1 GiB for states, or what a record's limits allow.
    pub fn new() -> Self {
        Memo::within(MEMORY)
    }

    /// With so many bytes for states. With too few it takes longer, then gives a lower bound, and never a wrong count.
    pub fn within(memory: usize) -> Self {
        Memo { memory }
    }

    /// Whether it can do this: counts without limit, of exact cover problems with or without colours.
    pub fn supports(class: ProblemClass, goal: Goal) -> bool {
        matches!(class, ProblemClass::Cover { multiplicities: false, .. })
            && goal == Goal::Count { limit: None }
    }
}

impl Tally for Memo {
    fn tally(
        &mut self,
        problem: ProblemRef<'_>,
        limits: Limits,
        control: &Control,
        allowance: Option<u64>,
    ) -> Option<Outcome> {
        let outcome = |found, ended_by, counters| Outcome { found, ended_by, counters, best: None };
        let ProblemRef::Cover(cover) = problem else {
            return Some(outcome(Count::ZERO, EndedBy::Cancel, None));
        };
        let allowed = limits.memory.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
        let mut effort = Effort::new(limits, control, allowance, self.memory.min(allowed));
        let mut product = BigUint::from(1u32);
        let mut ended_by = EndedBy::Complete;
        let parts = Part::all(cover);
        let mut left = parts.len();
        for part in &parts {
            left -= 1;
            let end = match part.has_bare_item() {
                true => End::Counted(BigUint::ZERO),
                false => sweep::count(&Plan::best(part), &mut effort),
            };
            match end {
                End::Counted(count) => product *= count,
                End::Early(at_least, reason) => {
                    // Of the parts behind it nothing is known.
                    product *= if left == 0 { at_least } else { BigUint::ZERO };
                    ended_by = reason;
                    break;
                }
                End::Declined => return None,
            }
            if product == BigUint::ZERO {
                break;
            }
        }
        Some(outcome(Count::from(product), ended_by, Some(effort.counters())))
    }
}
