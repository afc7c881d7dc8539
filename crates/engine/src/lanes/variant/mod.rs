//! Lanes for 9x9 grids that all have the same rules: houses of any shape, and pairs of cells that must
//! differ.

mod branch;
mod program;
mod propagate;
mod templates;

use std::sync::Arc;

use super::kind::GridKind;
use super::wave::{PlainKnowledge, Wave};
use program::RuleTables;
use propagate::{Propagate, RuleKnowledge};
use quadrille_model::Packed9x9;
use quadrille_model::rules::Rules;
use quadrille_model::simd::{Vector, words};
use templates::Keep;

/// Passes of propagation per wave.
const PASSES: usize = 4;
/// Number of propagation passes per wave if the rules have templates. A template is a possible placement of a
/// digit in the whole grid.
const PASSES_BEFORE_TEMPLATES: usize = 3;

/// Returns the number of propagation passes before a lane may branch or use templates.
fn passes(program: &RuleTables) -> usize {
    if program.templates.is_some() { PASSES_BEFORE_TEMPLATES } else { PASSES }
}

/// Removes candidates that are not part of any template (possible placement) of their digit.
///
/// This step takes longer than all passes before it. So it runs only for stalled lanes, in which the passes
/// find nothing more. The step also waits until at least half of the unsolved lanes are stalled. Until then,
/// stalled lanes are marked as changed, so that they do not branch.
fn look_at_templates<V: Vector, K>(
    token: V::Token,
    program: &RuleTables,
    wave: &mut Wave<V, K>,
    known: impl Fn(&mut K) -> &mut RuleKnowledge<V>,
) {
    let Wave { candidates, known: of_wave, verdict, ones, .. } = wave;
    let (Some(templates), Some(sweeps)) = (&program.templates, &mut known(of_wave).sweeps) else { return };
    let ones = *ones;
    let open = verdict.alive.and_not(verdict.solved);
    let number = |lanes: V| words(&[lanes]).iter().map(|word| word.count_ones()).sum::<u32>();
    if 2 * number(open.and_not(verdict.changed)) < number(open) {
        verdict.changed = ones;
        return;
    }
    V::enter(token, Keep { candidates, verdict, templates, sweeps, ones });
}

/// Grids whose rules consist of houses and of pairs of cells that must differ.
///
/// If `BOXES` is true, the rules keep the usual boxes and add to them.
pub(super) struct WithRules<const BOXES: bool> {
    program: Arc<RuleTables>,
}

impl<const BOXES: bool> WithRules<BOXES> {
    /// Creates this kind of grid for [run-wide](Rules::is_run_wide) rules.
    ///
    /// Returns `None` if `BOXES` is true and the rules do not include the boxes.
    pub(super) fn new(rules: &Rules) -> Option<Self> {
        Some(WithRules { program: Arc::new(RuleTables::new(rules, BOXES)?) })
    }
}

impl<V: Vector> GridKind<V> for WithRules<true> {
    type Knowledge = PlainKnowledge<V, RuleKnowledge<V>>;

    fn nothing_known(&self, token: V::Token) -> Self::Knowledge {
        PlainKnowledge::new(token, RuleKnowledge::new(token, &self.program))
    }

    fn propagate(&self, token: V::Token, wave: &mut Wave<V, Self::Knowledge>) {
        V::enter(token, super::propagate::Propagate { wave, passes: passes(&self.program) });
        look_at_templates(token, &self.program, wave, |known| &mut known.further);
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut Wave<V, Self::Knowledge>, state: &mut Packed9x9) {
        branch::branch(&self.program.ranks, lane, wave, state);
    }
}

impl<V: Vector> GridKind<V> for WithRules<false> {
    type Knowledge = RuleKnowledge<V>;

    fn nothing_known(&self, token: V::Token) -> RuleKnowledge<V> {
        RuleKnowledge::new(token, &self.program)
    }

    fn propagate(&self, token: V::Token, wave: &mut Wave<V, RuleKnowledge<V>>) {
        V::enter(token, Propagate { wave, passes: passes(&self.program) });
        look_at_templates(token, &self.program, wave, |known| known);
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut Wave<V, RuleKnowledge<V>>, state: &mut Packed9x9) {
        branch::branch(&self.program.ranks, lane, wave, state);
    }
}
