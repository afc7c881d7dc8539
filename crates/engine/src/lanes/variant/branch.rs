//! Chooses the cell on which a lane branches when propagation finds nothing more, for grids with extra rules.
//!
//! The choice is among the cells with the fewest candidates: those with two, or else three, or else more. Of
//! these cells, the one that sees the most cells is chosen, and the first one on ties. In one branch the cell
//! holds its lowest digit. In the other branch it does not hold that digit. So the two branches share no
//! solution.
//!
//! The choice reads one lane at a time, word by word, after the lane's state was stored as a row. This takes
//! a fourteenth of the run time. Choosing for all lanes of a wave at once was slower.
//!
//! Other ways to choose were compared in a model of this search. The model lacks sights, the rule for cells
//! that see all places of a digit in a house. Each line gives the nodes per minimal puzzle, first for sudoku
//! X and then for a jigsaw:
//!
//! - this choice: 41 and 39;
//! - the cell with the most neighbours that have two candidates: 54 and 48;
//! - the cell with the most digits that have two places in a house: 53 and more;
//! - branching on a digit with two places in a house instead of on a cell: 55 and 131;
//! - branching on a triad, as in plain grids: 52 for sudoku X.

use crate::lanes::wave::Wave;
use quadrille_model::Packed9x9;
use quadrille_model::simd::Vector;

/// Branches on one cell of a lane. The lane in `wave` gets the first branch, and `state` gets the second
/// branch.
///
/// `ranks` is a list of sets of cells. Cells in earlier sets see more cells or are in more houses.
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
