//! The lane engine: solves many 9x9 puzzles at once, one per bit of a vector.
//!
//! Solvers that vectorise inside one puzzle leave most of a register idle and branch on data. In this engine
//! every instruction advances one puzzle per bit of the vector, 64 to 512 of them, and no branch depends on a
//! single puzzle.
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
//! Each lane has its own stack and holds one puzzle, or a part of one. The parts of a puzzle add up to the
//! search that one lane would make alone (see `share`). So neither the instruction set nor the other puzzles
//! of the wave change a puzzle's solutions, their order, its nodes or its guesses.
//!
//! Solutions come in depth-first order: the branch in which the chosen triad holds the chosen digit comes
//! first (see `branch`). That order differs from dancing links.
//!
//! There is no time per puzzle, because puzzles share their instructions. A time limit is counted from the
//! moment a puzzle enters its lane and is checked every few waves.

#![allow(
    clippy::needless_range_loop,
    reason = "indexed loops of fixed length are always unrolled; iterator adaptors sometimes remain calls"
)]

mod branch;
mod counts;
mod kind;
mod parts;
mod propagate;
mod search;
mod share;
#[cfg(test)]
mod tests;
mod transpose;
mod variant;
mod wave;

use std::sync::Arc;

use super::{Client, Control, Engine};
use kind::Plain;
use quadrille_model::rules::Rules;
use quadrille_model::simd::{self, Dispatch, Isa, Vector};
use quadrille_model::{Goal, ProblemClass, RuleClass};
use search::Search;
use variant::{BoxesPlusRules, Ruled};

/// Returns true if the engine can answer `goal` for problems of `class`.
///
/// It takes plain 9x9 grids with any candidates, and 9x9 grids whose rules hold for the whole run and consist
/// of houses and different cells. It does not take goals that need weights.
pub fn supports(class: ProblemClass, goal: Goal) -> bool {
    let is_grid = matches!(
        class,
        ProblemClass::Grid { packed: true, .. }
            | ProblemClass::Grid { side: 9, same_digit: false, rules: RuleClass::Common, .. }
    );
    is_grid && !matches!(goal, Goal::Best(_))
}

/// Lanes for plain grids and lanes for grids with rules. The next jobs decide which of them run.
struct Lanes<V: Vector> {
    token: V::Token,
    plain: Option<Box<Search<V, Plain<V>>>>,
    /// Lanes for the rules met last, if these keep the boxes.
    boxed: Option<Box<Search<V, BoxesPlusRules>>>,
    ruled: Option<Box<Search<V, Ruled>>>,
    /// True if the last jobs had rules.
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
    /// Creates lanes for grids with `rules`, unless the current lanes are for the same rules.
    fn make(&mut self, rules: &Arc<Rules>) {
        let is_known = self.boxed.as_ref().is_some_and(|boxed| boxed.is_for(Some(rules)))
            || self.ruled.as_ref().is_some_and(|ruled| ruled.is_for(Some(rules)));
        if is_known {
            return;
        }
        let token = self.token;
        (self.boxed, self.ruled) = match BoxesPlusRules::new(rules) {
            Some(boxed) => (Some(Box::new(Search::new(token, boxed))), None),
            None => (None, Some(Box::new(Search::new(token, Ruled::new(rules))))),
        };
    }
}

/// Returns the engine for an instruction set, or `None` if this processor lacks it.
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
