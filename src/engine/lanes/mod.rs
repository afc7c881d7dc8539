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
mod parts;
mod propagate;
mod search;
mod share;
#[cfg(test)]
mod tests;
mod transpose;
mod wave;

use super::Engine;
use crate::model::{Goal, ProblemClass};
use crate::simd::{self, Dispatch, Isa, Vector};

/// Returns true if the engine can do it: plain 9x9 grids, whatever their candidates, and all that needs no weights.
pub fn supports(class: ProblemClass, goal: Goal) -> bool {
    matches!(class, ProblemClass::Grid { packed: true, .. }) && !matches!(goal, Goal::Best(_))
}

/// The engine on a given instruction set; `None` where this processor lacks it.
pub fn engine_on(isa: Isa) -> Option<Box<dyn Engine>> {
    struct Make;
    impl Dispatch for Make {
        type Output = Box<dyn Engine>;
        fn with<V: Vector>(self, token: V::Token) -> Box<dyn Engine> {
            Box::new(search::Search::<V>::new(token))
        }
    }
    simd::dispatch(isa, Make)
}
