//! Lanes of 9x9 grids that all have the same rules: any houses, and pairs of different cells.

mod branch;
mod program;
mod propagate;

use std::sync::Arc;

use super::kind::Kind;
use super::wave::{self, Known, PlainKnown};
use crate::model::Packed;
use crate::rules::Rules;
use crate::simd::Vector;
use program::Program;
use propagate::{Beside, Digit, Propagate};

/// Passes of propagation a wave: with boxes, and without.
const PASSES: [usize; 2] = [4, 4];

/// A wave of such grids.
type Wave<V> = wave::Wave<V, RuledKnown<V>>;

/// What is known in them.
pub(super) struct RuledKnown<V> {
    /// `[house][digit]`: known to have no more than one place in the house.
    pinned: Vec<[V; 9]>,
    digit: Box<Digit<V>>,
}

impl<V: Vector> Known<V> for RuledKnown<V> {
    #[inline(always)]
    fn forget(&mut self, lanes: V) {
        for known in self.pinned.as_flattened_mut() {
            *known = known.and_not(lanes);
        }
    }
}

/// Grids under rules that leave the boxes, and say something beside them.
pub(super) struct Boxed {
    rules: Arc<Rules>,
    program: Arc<Program>,
}

impl Boxed {
    /// For rules that are [common](Rules::is_common); `None` where the boxes are not among their houses.
    pub(super) fn new(rules: &Arc<Rules>) -> Option<Self> {
        Some(Boxed { rules: Arc::clone(rules), program: Arc::new(Program::beside_boxes(rules)?) })
    }
}

impl<V: Vector> Kind<V> for Boxed {
    type Known = PlainKnown<V, Beside<V>>;

    #[inline]
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        rules.is_some_and(|rules| Arc::ptr_eq(rules, &self.rules) || *rules == self.rules)
    }

    fn nothing_known(&self, token: V::Token) -> Self::Known {
        PlainKnown::new(token, Beside::new(token, &self.program))
    }

    fn propagate(&self, token: V::Token, wave: &mut wave::Wave<V, Self::Known>) {
        V::enter(token, super::propagate::Propagate { wave, passes: PASSES[0] });
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut wave::Wave<V, Self::Known>, state: &mut Packed) {
        branch::branch(&self.program.ranks, lane, wave, state);
    }
}

/// Grids under some rules.
pub(super) struct Ruled {
    rules: Arc<Rules>,
    program: Program,
}

impl Ruled {
    /// For rules that are [common](Rules::is_common).
    pub(super) fn new(rules: &Arc<Rules>) -> Self {
        Ruled { rules: Arc::clone(rules), program: Program::new(rules) }
    }
}

impl<V: Vector> Kind<V> for Ruled {
    type Known = RuledKnown<V>;

    #[inline]
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        rules.is_some_and(|rules| Arc::ptr_eq(rules, &self.rules) || *rules == self.rules)
    }

    fn nothing_known(&self, token: V::Token) -> RuledKnown<V> {
        let pinned = vec![[V::zero(token); 9]; self.program.houses.len()];
        RuledKnown { pinned, digit: Digit::new(token) }
    }

    fn propagate(&self, token: V::Token, wave: &mut Wave<V>) {
        V::enter(token, Propagate { wave, program: &self.program, passes: PASSES[1] });
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut Wave<V>, state: &mut Packed) {
        branch::branch(&self.program.ranks, lane, wave, state);
    }
}
