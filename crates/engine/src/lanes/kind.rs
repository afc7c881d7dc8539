//! The differences between kinds of grid: the passes of propagation and the choice of a branch.

use std::sync::Arc;

use super::branch::{Choice, Choices, Choose};
use super::propagate::Propagate;
use super::wave::{Knowledge, PlainKnowledge, Wave};
use quadrille_model::Packed9x9;
use quadrille_model::rules::Rules;
use quadrille_model::simd::Vector;

/// Passes of propagation per wave of plain grids.
const PASSES: usize = 5;

/// A kind of grid: how its rules propagate and how its lanes branch.
pub(super) trait GridKind<V: Vector>: Send {
    /// Facts that the passes keep in addition to the candidates.
    type Knowledge: Knowledge<V>;

    /// Returns true if grids under `rules` are of this kind; `None` means rows, columns and boxes only.
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool;

    /// Returns the knowledge for a new wave, about which nothing is known yet.
    fn nothing_known(&self, token: V::Token) -> Self::Knowledge;

    /// Runs the passes of one wave in all lanes.
    fn propagate(&self, token: V::Token, wave: &mut Wave<V, Self::Knowledge>);

    /// Chooses the branch of every lane at once. Kinds that choose per lane do nothing here.
    fn choose(&mut self, _: V::Token, _: &Wave<V, Self::Knowledge>) {}

    /// Branches in a lane: the wave continues with the first branch, and `state` becomes the second.
    fn branch(&self, lane: usize, wave: &mut Wave<V, Self::Knowledge>, state: &mut Packed9x9);
}

/// The kind of plain grids: rows, columns and boxes only.
pub(super) struct Plain<V> {
    choices: Box<Choices<V>>,
}

impl<V: Vector> Plain<V> {
    pub(super) fn new(token: V::Token) -> Self {
        Plain { choices: Choices::new(token) }
    }
}

impl<V: Vector> GridKind<V> for Plain<V> {
    type Knowledge = PlainKnowledge<V>;

    #[inline]
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        rules.is_none()
    }

    fn nothing_known(&self, token: V::Token) -> PlainKnowledge<V> {
        PlainKnowledge::new(token, ())
    }

    #[inline]
    fn propagate(&self, token: V::Token, wave: &mut Wave<V, PlainKnowledge<V>>) {
        V::enter(token, Propagate { wave, passes: PASSES });
    }

    #[inline]
    fn choose(&mut self, token: V::Token, wave: &Wave<V, PlainKnowledge<V>>) {
        V::enter(token, Choose { wave, choices: &mut self.choices });
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut Wave<V, PlainKnowledge<V>>, state: &mut Packed9x9) {
        let choice: Choice = self.choices.get(lane);
        choice.refuse(state);
        choice.take(wave, lane);
    }
}
