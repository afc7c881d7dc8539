//! Lanes for 9x9 grids that all have the same rules: houses of any shape, and pairs of cells that must
//! differ.

mod branch;
mod program;
mod propagate;
mod templates;

use std::sync::Arc;

use super::kind::GridKind;
use super::wave::{self, Knowledge, PlainKnowledge};
use program::RuleTables;
use propagate::{Digit, ExtraRulePasses, Propagate};
use quadrille_model::Packed9x9;
use quadrille_model::rules::Rules;
use quadrille_model::simd::{Vector, words};
use templates::{Keep, Sweeps};

/// Passes of propagation per wave.
const PASSES: usize = 4;
/// Number of propagation passes per wave if the rules have templates. A template is a possible placement of a
/// digit in the whole grid.
const PASSES_BEFORE_TEMPLATES: usize = 3;

/// Returns the number of propagation passes before a lane may branch or use templates.
fn passes(program: &RuleTables) -> usize {
    if program.templates.is_some() { PASSES_BEFORE_TEMPLATES } else { PASSES }
}

/// Returns scratch space for templates, or `None` if the tables of the rules have no templates.
fn sweeps<V: Vector>(token: V::Token, program: &RuleTables) -> Option<Box<Sweeps<V>>> {
    program.templates.is_some().then(|| Sweeps::new(token))
}

/// Removes candidates that are not part of any template (possible placement) of their digit.
///
/// This step takes longer than all passes before it. So it runs only for stalled lanes, in which the passes
/// find nothing more. The step also waits until at least half of the unsolved lanes are stalled. Until then,
/// stalled lanes are marked as changed, so that they do not branch.
fn look_at_templates<V: Vector, K>(
    token: V::Token,
    program: &RuleTables,
    wave: &mut wave::Wave<V, K>,
    sweeps: impl Fn(&mut K) -> &mut Option<Box<Sweeps<V>>>,
) {
    let wave::Wave { candidates, known, verdict, ones, .. } = wave;
    let (Some(templates), Some(sweeps)) = (&program.templates, sweeps(known)) else { return };
    let ones = *ones;
    let open = verdict.alive.and_not(verdict.solved);
    let number = |lanes: V| words(&[lanes]).iter().map(|word| word.count_ones()).sum::<u32>();
    if 2 * number(open.and_not(verdict.changed)) < number(open) {
        verdict.changed = ones;
        return;
    }
    V::enter(token, Keep { candidates, verdict, templates, sweeps, ones });
}

/// A wave of grids whose rules consist of houses and of pairs of cells that must differ.
type Wave<V> = wave::Wave<V, VariantKnowledge<V>>;

/// Facts that propagation keeps in addition to the candidates, for lanes of grids with extra rules.
pub(super) struct VariantKnowledge<V> {
    /// For each house and digit, the lanes in which the digit is known to have at most one place in the
    /// house.
    pinned: Vec<[V; 9]>,
    digit: Box<Digit<V>>,
    sweeps: Option<Box<Sweeps<V>>>,
}

impl<V: Vector> Knowledge<V> for VariantKnowledge<V> {
    #[inline(always)]
    fn forget(&mut self, lanes: V) {
        for known in self.pinned.as_flattened_mut() {
            *known = known.and_not(lanes);
        }
    }
}

/// Grids whose rules keep the usual boxes and add further houses, or pairs of cells that must differ.
pub(super) struct BoxesPlusRules {
    rules: Arc<Rules>,
    program: Arc<RuleTables>,
}

impl BoxesPlusRules {
    /// Creates this kind of grid for [run-wide](Rules::is_run_wide) rules.
    ///
    /// Returns `None` if the rules do not include the boxes.
    pub(super) fn new(rules: &Arc<Rules>) -> Option<Self> {
        Some(BoxesPlusRules {
            rules: Arc::clone(rules),
            program: Arc::new(RuleTables::in_addition_to_boxes(rules)?),
        })
    }
}

impl<V: Vector> GridKind<V> for BoxesPlusRules {
    type Knowledge = PlainKnowledge<V, ExtraRulePasses<V>>;

    #[inline]
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        rules.is_some_and(|rules| Arc::ptr_eq(rules, &self.rules) || *rules == self.rules)
    }

    fn nothing_known(&self, token: V::Token) -> Self::Knowledge {
        PlainKnowledge::new(token, ExtraRulePasses::new(token, &self.program))
    }

    fn propagate(&self, token: V::Token, wave: &mut wave::Wave<V, Self::Knowledge>) {
        V::enter(token, super::propagate::Propagate { wave, passes: passes(&self.program) });
        look_at_templates(token, &self.program, wave, |known| known.further.sweeps());
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut wave::Wave<V, Self::Knowledge>, state: &mut Packed9x9) {
        branch::branch(&self.program.ranks, lane, wave, state);
    }
}

/// Grids whose rules consist of houses and of pairs of cells that must differ.
pub(super) struct HousesAndPairs {
    rules: Arc<Rules>,
    program: RuleTables,
}

impl HousesAndPairs {
    /// Creates this kind of grid for [run-wide](Rules::is_run_wide) rules.
    pub(super) fn new(rules: &Arc<Rules>) -> Self {
        HousesAndPairs { rules: Arc::clone(rules), program: RuleTables::new(rules) }
    }
}

impl<V: Vector> GridKind<V> for HousesAndPairs {
    type Knowledge = VariantKnowledge<V>;

    #[inline]
    fn is_for(&self, rules: Option<&Arc<Rules>>) -> bool {
        rules.is_some_and(|rules| Arc::ptr_eq(rules, &self.rules) || *rules == self.rules)
    }

    fn nothing_known(&self, token: V::Token) -> VariantKnowledge<V> {
        let pinned = vec![[V::zero(token); 9]; self.program.houses.len()];
        VariantKnowledge { pinned, digit: Digit::new(token), sweeps: sweeps(token, &self.program) }
    }

    fn propagate(&self, token: V::Token, wave: &mut Wave<V>) {
        V::enter(token, Propagate { wave, program: &self.program, passes: passes(&self.program) });
        look_at_templates(token, &self.program, wave, |known| &mut known.sweeps);
    }

    #[inline]
    fn branch(&self, lane: usize, wave: &mut Wave<V>, state: &mut Packed9x9) {
        branch::branch(&self.program.ranks, lane, wave, state);
    }
}
