//! XY-wing and XYZ-wing: a cell sees two cells that have two candidates each.

use super::Technique;
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{PEER_LIST, PEERS, has_two, is_one, ones};
use quadrille_model::bits::Bits;

/// Finds wings whose first cell has `size` candidates: 2 for XY-wings, 3 for XYZ-wings.
pub(super) fn wings(grid: &Grid, size: usize, hint: &mut Hint) -> bool {
    let bivalue = grid.bivalue();
    for first in 0..81 {
        let xy = grid.candidates[first];
        if ones(xy) != size || !has_two(bivalue & PEERS[first]) {
            continue;
        }
        // Bivalue cells that the first cell sees, in the order of `PEER_LIST`. A wing has three digits, so
        // the cell and the first cell must have exactly three digits together.
        let mut two = [(0usize, 0u16); 20];
        let mut count = 0;
        for cell in PEER_LIST[first].map(usize::from) {
            let set = grid.candidates[cell];
            two[count] = (cell, set);
            count += usize::from(ones(set) == 2 && ones(xy | set) == 3);
        }
        let two = &two[..count];
        for &(second, xz) in two {
            if !is_one(xy & !xz) {
                continue;
            }
            for &(third, yz) in two {
                let common = xy & xz & yz;
                if ones(xy | xz | yz) != 3 || ones(common) != size - 2 {
                    continue;
                }
                let z = xz & yz;
                let mut seen = PEERS[second] & PEERS[third] & !(1 << first | 1 << second | 1 << third);
                if size == 3 {
                    seen &= PEERS[first];
                }
                let seen = seen & grid.boards[z.trailing_zeros() as usize];
                if seen == 0 {
                    continue;
                }
                hint.begin(if size == 3 { Technique::XyzWing } else { Technique::XyWing });
                hint.cells = 1 << first | 1 << second | 1 << third;
                hint.digits = xy | xz | yz;
                for cell in Bits(seen) {
                    hint.remove(grid, cell, z);
                }
                return true;
            }
        }
    }
    false
}
