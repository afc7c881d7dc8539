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
use search::{LaneSearch, Search};
use variant::WithRules;

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
    plain: Option<Box<dyn LaneSearch>>,
    /// Lanes for the most recent rules.
    with_rules: Option<Box<dyn LaneSearch>>,
    /// True if the most recent jobs had rules.
    has_rules: bool,
}

impl<V: Vector> Engine for Lanes<V> {
    fn run(&mut self, client: &mut dyn Client, control: &Control) {
        let mut waiting = Vec::new();
        loop {
            let search = if self.has_rules { &mut self.with_rules } else { &mut self.plain };
            let new = || -> Box<dyn LaneSearch> {
                Box::new(Search::<V, _>::new(self.token, Plain::new(self.token), None))
            };
            waiting = search.get_or_insert_with(new).run(waiting, client, control);
            let Some(jobs) = waiting.first() else { return };
            self.has_rules = jobs.rules.is_some();
            if let Some(rules) = &jobs.rules
                && !self.with_rules.as_ref().is_some_and(|search| search.is_for(Some(rules)))
            {
                self.with_rules = search_for::<V>(self.token, rules);
            }
        }
    }
}

/// Creates lanes for grids under `rules`.
fn search_for<V: Vector>(token: V::Token, rules: &Arc<Rules>) -> Option<Box<dyn LaneSearch>> {
    let own = Some(Arc::clone(rules));
    Some(match WithRules::<true>::new(rules) {
        Some(kind) => Box::new(Search::<V, _>::new(token, kind, own)),
        None => Box::new(Search::<V, _>::new(token, WithRules::<false>::new(rules)?, own)),
    })
}

/// Returns the engine for an instruction set, or `None` if this processor lacks it.
pub fn engine_on(isa: Isa) -> Option<Box<dyn Engine>> {
    struct Make;
    impl Dispatch for Make {
        type Output = Box<dyn Engine>;
        fn with<V: Vector>(self, token: V::Token) -> Box<dyn Engine> {
            Box::new(Lanes::<V> { token, plain: None, with_rules: None, has_rules: false })
        }
    }
    dispatch(isa, Make)
}
