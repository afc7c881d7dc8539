//! XY-wing and XYZ-wing: a cell and two cells of two candidates that it sees.

use super::Technique;
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{PEER_LIST, PEERS, cells, is_one};

/// Looks for wings whose first cell has `size` candidates: 2 for xy, 3 for xyz.
pub(super) fn wings(grid: &Grid, size: usize, hint: &mut Hint) -> bool {
    let bivalue = grid.bivalue();
    for first in 0..81 {
        let xy = grid.candidates[first];
        if xy.count_ones() as usize != size || (bivalue & PEERS[first]).count_ones() < 2 {
            continue;
        }
        let two = || {
            PEER_LIST[first].iter().map(|&cell| usize::from(cell)).filter(|&cell| bivalue >> cell & 1 == 1)
        };
        for second in two() {
            let xz = grid.candidates[second];
            if !is_one(xy & !xz) {
                continue;
            }
            for third in two() {
                let yz = grid.candidates[third];
                let common = xy & xz & yz;
                if (xy | xz | yz).count_ones() != 3 || common.count_ones() as usize != size - 2 {
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
                for cell in cells(seen) {
                    hint.remove(grid, cell, z);
                }
                return true;
            }
        }
    }
    false
}
