//! What the lanes of a kind of grid do, where the search is the same for all: passes, and the choice of a branching.

use std::sync::Arc;

use super::branch::{Choice, Choices, Choose};
use super::propagate::Propagate;
use super::wave::{Known, PlainKnown, Wave};
use quadrille_model::Packed;
use quadrille_model::rules::Rules;
use quadrille_model::simd::Vector;

/// Passes of propagation a wave of plain grids.
const PASSES: usize = 5;

/// A kind of grid: what is drawn from its rules, and how its lanes branch.
pub(super) trait Kind<V: Vector>: Send {
    /// What its passes know beside candidates.
    type Known: Known<V>;

    /// True if grids under these rules, `None` for none but rows, columns and boxes, are of this kind.
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool;

    /// Nothing known, for a new wave.
    fn nothing_known(&self, token: V::Token) -> Self::Known;

    /// Draws what follows in all lanes.
    fn propagate(&self, token: V::Token, wave: &mut Wave<V, Self::Known>);

    /// Chooses in all lanes, where that is done for all at once.
    fn choose(&mut self, _: V::Token, _: &Wave<V, Self::Known>) {}

    /// Branches in a lane: the first branch goes on in the wave, and `state` becomes the second.
    fn branch(&self, lane: usize, wave: &mut Wave<V, Self::Known>, state: &mut Packed);
}

/// Plain grids.
pub(super) struct Plain<V> {
    choices: Box<Choices<V>>,
}

impl<V: Vector> Plain<V> {
    pub(super) fn new(token: V::Token) -> Self {
        Plain { choices: Choices::new(token) }
    }
}

impl<V: Vector> Kind<V> for Plain<V> {
    type Known = PlainKnown<V>;

    #[inline]
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        rules.is_none()
    }

    fn nothing_known(&self, token: V::Token) -> PlainKnown<V> {
        PlainKnown::new(token, ())
    }

    #[inline]
    fn propagate(&self, token: V::Token, wave: &mut Wave<V, PlainKnown<V>>) {
        V::enter(token, Propagate { wave, passes: PASSES });
    }

    #[inline]
    fn choose(&mut self, token: V::Token, wave: &Wave<V, PlainKnown<V>>) {
        V::enter(token, Choose { wave, choices: &mut self.choices });
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut Wave<V, PlainKnown<V>>, state: &mut Packed) {
        let choice: Choice = self.choices.get(lane);
        choice.refuse(state);
        choice.take(wave, lane);
    }
}
