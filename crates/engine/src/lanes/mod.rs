//! Many 9x9 puzzles at once, one bit of a vector each.
//!
//! Solvers that vectorise inside one puzzle leave most of a register idle and branch on data. Here every
//! instruction advances as many puzzles as a vector has bits, 64 to 512, and no branch depends on a puzzle.
//!
//! ```text
//!   jobs -> rows --transpose--> wave: candidates[digit][cell], bit l = lane l
//!             ^                   |  some passes of propagation (propagate, counts)
//!             |                   v
//!             |      dead lanes   solved lanes --transpose--> digits -> client
//!             |         |         stalled lanes: choose (branch) --transpose--> rows
//!             |         v                                                       |
//!             +---- lane's own stack <-- second branch -------------------------+
//!             +------------------------- first branch --------------------------+
//! ```
//!
//! Each lane has one puzzle, or a part of one, and its own stack. Parts add up to the search of one lane (see
//! `share`), so a puzzle's solutions, their order, its nodes and its guesses do not depend on the instruction set or
//! on what else is in the wave. Solutions come in depth-first order, the
//! branch in which the chosen triad holds the chosen digit before the one in which it does not (see `branch`);
//! that order differs from dancing links.
//!
//! Time per puzzle does not exist here: puzzles share their instructions. A limit on it is counted from the moment
//! a puzzle enters its lane and looked at every few waves.

#![allow(
    clippy::needless_range_loop,
    reason = "indexed loops of fixed length are unrolled for certain; iterator adaptors were seen left as calls"
)]

mod branch;
mod counts;
mod kind;
mod parts;
mod propagate;
mod ruled;
mod search;
mod share;
#[cfg(test)]
mod tests;
mod transpose;
mod wave;

use std::sync::Arc;

use super::{Client, Control, Engine};
use kind::Plain;
use quadrille_model::rules::Rules;
use quadrille_model::simd::{self, Dispatch, Isa, Vector};
use quadrille_model::{Goal, ProblemClass, RuleClass};
use ruled::{Boxed, Ruled};
use search::Search;

/// Returns true if the engine can do it: plain 9x9 grids, whatever their candidates, or 9x9 grids of a run that all have the
/// same houses; and all that needs no weights.
pub fn supports(class: ProblemClass, goal: Goal) -> bool {
    let is_grid = match class {
        ProblemClass::Grid { packed: true, .. } => true,
        ProblemClass::Grid { side: 9, same_digit: false, rules: RuleClass::Common, .. } => true,
        ProblemClass::Grid { .. } | ProblemClass::Cover { .. } => false,
    };
    is_grid && !matches!(goal, Goal::Best(_))
}

/// Lanes of plain grids, and those of grids with rules; whichever the next jobs are for.
struct Lanes<V: Vector> {
    token: V::Token,
    plain: Option<Box<Search<V, Plain<V>>>>,
    /// Those of grids with the rules met last: with boxes, or of any kind.
    boxed: Option<Box<Search<V, Boxed>>>,
    ruled: Option<Box<Search<V, Ruled>>>,
    /// The last jobs had rules.
    is_ruled: bool,
}

impl<V: Vector> Engine for Lanes<V> {
    fn run(&mut self, client: &mut dyn Client, control: &Control) {
        let token = self.token;
        let mut waiting = Vec::new();
        loop {
            waiting = match (&mut self.boxed, &mut self.ruled) {
                (Some(boxed), _) if self.is_ruled => boxed.run(waiting, client, control),
                (None, Some(ruled)) if self.is_ruled => ruled.run(waiting, client, control),
                _ => {
                    let new = || Box::new(Search::new(token, Plain::new(token)));
                    self.plain.get_or_insert_with(new).run(waiting, client, control)
                }
            };
            let Some(jobs) = waiting.first() else { return };
            self.is_ruled = jobs.rules.is_some();
            if let Some(rules) = &jobs.rules {
                self.make(rules);
            }
        }
    }
}

impl<V: Vector> Lanes<V> {
    /// Makes lanes of grids with rules, unless the last ones were for the same.
    fn make(&mut self, rules: &Arc<Rules>) {
        let is_known = self.boxed.as_ref().is_some_and(|boxed| boxed.is_for(Some(rules)))
            || self.ruled.as_ref().is_some_and(|ruled| ruled.is_for(Some(rules)));
        if is_known {
            return;
        }
        let token = self.token;
        (self.boxed, self.ruled) = match Boxed::new(rules) {
            Some(boxed) => (Some(Box::new(Search::new(token, boxed))), None),
            None => (None, Some(Box::new(Search::new(token, Ruled::new(rules))))),
        };
    }
}

/// The engine on a given instruction set; `None` where this processor lacks it.
pub fn engine_on(isa: Isa) -> Option<Box<dyn Engine>> {
    struct Make;
    impl Dispatch for Make {
        type Output = Box<dyn Engine>;
        fn with<V: Vector>(self, token: V::Token) -> Box<dyn Engine> {
            Box::new(Lanes::<V> { token, plain: None, boxed: None, ruled: None, is_ruled: false })
        }
    }
    simd::dispatch(isa, Make)
}
