//! The choice of the cell on which a stalled lane of a grid with rules branches.
//!
//! Among cells with the fewest candidates, two before three before more, the one that sees most cells, the first of equals. It
//! has its lowest digit, or it has not: the two branches share no solution. The choice is made of the state of the lane
//! when that stands in a row, word by word: cheaper than for all lanes of a wave at once, which took a fourteenth of a run.
//!
//! Nodes per minimal puzzle by the rule of the tie, in a model of this search without sights, X and a jigsaw: this 41 and 39;
//! most neighbours with two candidates 54 and 48; most digits with two places in a house 53 and more; branching on such a
//! digit instead of on a cell 55 and 131; on a triad, as in plain grids, 52.

use crate::lanes::wave::Wave;
use quadrille_model::Packed;
use quadrille_model::simd::Vector;

/// Branches in a lane: the first branch goes on in the wave, `state` becomes the second. `ranks` are the cells, those that see
/// most first.
#[inline]
pub(super) fn branch<V: Vector, K>(ranks: &[u128], lane: usize, wave: &mut Wave<V, K>, state: &mut Packed) {
    let fewest = state.with_fewest_candidates();
    let best = ranks.iter().map(|rank| rank & fewest).find(|cells| *cells != 0).unwrap_or(fewest);
    if best == 0 {
        return;
    }
    let cell = best.trailing_zeros() as usize;
    let mut digits = (0..9).filter(|&digit| state.allows(cell, digit));
    let Some(first) = digits.next() else { return };
    digits.for_each(|other| wave.exclude(lane, other, cell));
    state.exclude(cell, first);
}
