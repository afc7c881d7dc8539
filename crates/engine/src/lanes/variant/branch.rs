//! Chooses the cell on which a stalled lane of a grid with rules branches.
//!
//! Among the cells with the fewest candidates (two before three before more) it takes the cell that sees the
//! most cells, or the first of equals. The cell has its lowest digit, or it does not: the two branches share
//! no solution.
//!
//! The choice reads the state of one lane word by word, after the state was stored as a row. Choosing for all
//! lanes of a wave at once was more expensive: it took a fourteenth of a run.
//!
//! Nodes per minimal puzzle for different tie-breaks, for sudoku X and for a jigsaw, in a model of this search
//! without sights: 41 and 39 for this one; 54 and 48 for the cell with the most neighbours that have two candidates;
//! 53 and more for the cell with the most digits that have two places in a house. Branching on a digit with two
//! places in a house instead of on a cell takes 55 and 131 nodes; branching on a triad, as in plain grids, takes 52
//! for X.

use crate::lanes::wave::Wave;
use quadrille_model::Packed9x9;
use quadrille_model::simd::Vector;

/// Branches in a lane: the wave continues with the first branch, and `state` becomes the second.
///
/// `ranks` are sets of cells; those that see the most cells come first.
#[inline]
pub(super) fn branch<V: Vector, K>(
    ranks: &[u128],
    lane: usize,
    wave: &mut Wave<V, K>,
    state: &mut Packed9x9,
) {
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
