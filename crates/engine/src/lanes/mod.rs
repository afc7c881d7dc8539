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
mod least;
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

use super::whole_search::dispatch;
use super::{Client, Control, Engine};
use kind::Plain;
use quadrille_model::rules::Rules;
use quadrille_model::simd::{Dispatch, Isa, Vector};
use quadrille_model::{Goal, ProblemClass, RuleClass};
use search::Search;
use variant::{BoxesPlusRules, HousesAndPairs};

/// Returns true if the engine supports `goal` for problems of `class`.
///
/// The engine supports plain 9x9 grids with any candidates, but no goals that need weights. It also supports
/// 9x9 grids with rules, if all grids have the same rules. These rules may be houses and pairs of cells that
/// must differ.
pub fn supports(class: ProblemClass, goal: Goal) -> bool {
    let is_grid = matches!(
        class,
        ProblemClass::Grid { packed: true, .. }
            | ProblemClass::Grid { side: 9, same_digit: false, rules: RuleClass::Common, .. }
    );
    is_grid && !matches!(goal, Goal::Best(_))
}

/// The lanes for plain grids, and the lanes for grids with rules. Which of them run depends on whether the
/// next jobs have rules.
struct Lanes<V: Vector> {
    token: V::Token,
    plain: Option<Box<Search<V, Plain<V>>>>,
    /// Lanes for the most recent rules, if these rules include the usual boxes.
    boxes_plus_rules: Option<Box<Search<V, BoxesPlusRules>>>,
    houses_and_pairs: Option<Box<Search<V, HousesAndPairs>>>,
    /// True if the most recent jobs had rules.
    has_rules: bool,
}

impl<V: Vector> Engine for Lanes<V> {
    fn run(&mut self, client: &mut dyn Client, control: &Control) {
        let token = self.token;
        let mut waiting = Vec::new();
        loop {
            waiting = match (&mut self.boxes_plus_rules, &mut self.houses_and_pairs) {
                (Some(boxes_plus_rules), _) if self.has_rules => {
                    boxes_plus_rules.run(waiting, client, control)
                }
                (None, Some(houses_and_pairs)) if self.has_rules => {
                    houses_and_pairs.run(waiting, client, control)
                }
                _ => {
                    let new = || Box::new(Search::new(token, Plain::new(token)));
                    self.plain.get_or_insert_with(new).run(waiting, client, control)
                }
            };
            let Some(jobs) = waiting.first() else { return };
            self.has_rules = jobs.rules.is_some();
            if let Some(rules) = &jobs.rules {
                self.make(rules);
            }
        }
    }
}

impl<V: Vector> Lanes<V> {
    /// Creates lanes for grids with `rules`, unless the current lanes already are for these rules.
    fn make(&mut self, rules: &Arc<Rules>) {
        let is_known = self
            .boxes_plus_rules
            .as_ref()
            .is_some_and(|boxes_plus_rules| boxes_plus_rules.is_for(Some(rules)))
            || self
                .houses_and_pairs
                .as_ref()
                .is_some_and(|houses_and_pairs| houses_and_pairs.is_for(Some(rules)));
        if is_known {
            return;
        }
        let token = self.token;
        (self.boxes_plus_rules, self.houses_and_pairs) = match BoxesPlusRules::new(rules) {
            Some(boxes_plus_rules) => (Some(Box::new(Search::new(token, boxes_plus_rules))), None),
            None => (None, Some(Box::new(Search::new(token, HousesAndPairs::new(rules))))),
        };
    }
}

/// Returns the engine for an instruction set, or `None` if this processor lacks it.
pub fn engine_on(isa: Isa) -> Option<Box<dyn Engine>> {
    struct Make;
    impl Dispatch for Make {
        type Output = Box<dyn Engine>;
        fn with<V: Vector>(self, token: V::Token) -> Box<dyn Engine> {
            Box::new(Lanes::<V> {
                token,
                plain: None,
                boxes_plus_rules: None,
                houses_and_pairs: None,
                has_rules: false,
            })
        }
    }
    dispatch(isa, Make)
}
