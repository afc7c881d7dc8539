//! The differences between several kinds of grid: how they propagate, and how they choose a branch.

use super::branch::{Choice, Choices, Choose};
use super::propagate::Propagate;
use super::wave::{Knowledge, PlainKnowledge, Wave};
use quadrille_model::Packed9x9;
use quadrille_model::simd::Vector;

/// Number of propagation passes that all lanes make together before they branch, for plain grids.
const PASSES: usize = 5;

/// A kind of grid: how its rules propagate and how its lanes branch.
pub(super) trait GridKind<V: Vector>: Send {
    /// Facts that propagation maintains in addition to the candidates.
    type Knowledge: Knowledge<V>;

    /// Returns the knowledge with which a wave (all lanes together) starts. It contains no facts.
    fn nothing_known(&self, token: V::Token) -> Self::Knowledge;

    /// Runs the propagation passes of one wave for all lanes.
    fn propagate(&self, token: V::Token, wave: &mut Wave<V, Self::Knowledge>);

    /// Chooses the branches of all lanes at once. Does nothing if this kind of grid chooses the branch of
    /// each lane separately.
    fn choose(&mut self, _: V::Token, _: &Wave<V, Self::Knowledge>) {}

    /// Branches in a lane. Changes the lane's candidates in `wave` to the first branch, and `state` to the
    /// second branch.
    fn branch(&self, lane: usize, wave: &mut Wave<V, Self::Knowledge>, state: &mut Packed9x9);
}

/// The kind of plain grids, which have only rows, columns and boxes.
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
