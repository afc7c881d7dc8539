//! X-wing, swordfish and jellyfish.
//!
//! Two, three or four parallel lines form a fish for a digit if all places of the digit in these lines are in
//! equally many crossing lines.

use super::Technique;
use super::grid::{Grid, filled_up};
use super::hint::{Hint, Stop};
use super::houses::{CELLS, COLUMNS, ROWS};
use super::subsets::tuples;
use quadrille_model::bits::Bits;

const FISH: [Technique; 3] = [Technique::XWing, Technique::Swordfish, Technique::Jellyfish];

/// A fish: the set of its lines, its digit, and the set of crossing lines that contain all places of the
/// digit in its lines.
pub(super) type Fish = (u16, u8, u16);

/// Finds fish of `SIZE` lines for the given digits.
///
/// Fish whose lines are columns come first, then fish whose lines are rows. Each group is ordered by lines,
/// then by digit. `all` is scratch space.
pub(super) fn fish<const SIZE: usize>(
    grid: &Grid,
    digits: u16,
    all: &mut Vec<Fish>,
    hint: &mut Hint,
    stop: &mut impl FnMut(&Hint) -> Stop,
) -> bool {
    [(COLUMNS, ROWS), (ROWS, COLUMNS)].into_iter().any(|(base, cover)| {
        // Fish must come in the order of their lines, so the fish of all digits are collected and sorted
        // first.
        all.clear();
        for digit in Bits(digits) {
            if usize::from(grid.placed[digit]) + 2 * SIZE > 9 {
                continue;
            }
            let lines = filled_up(std::array::from_fn(|line| grid.places[base + line][digit]));
            tuples(&lines, SIZE, &mut |set, union| {
                let is_worth = Bits(union).any(|place| grid.places[cover + place][digit] & !set != 0);
                if is_worth {
                    all.push((set, digit as u8, union));
                }
                false
            });
        }
        all.sort_unstable();
        all.iter().any(|&(set, digit, union)| {
            let digit = usize::from(digit);
            hint.begin(FISH[SIZE - 2]);
            hint.digits = 1 << digit;
            for (line, place) in Bits(set).zip(Bits(union)) {
                hint.add_house(base + line);
                hint.add_house(cover + place);
            }
            for line in Bits(union) {
                for place in Bits(grid.places[cover + line][digit]) {
                    let cell = usize::from(CELLS[cover + line][place]);
                    if set >> place & 1 == 1 {
                        hint.cells |= 1 << cell;
                    } else {
                        hint.remove(grid, cell, 1 << digit);
                    }
                }
            }
            stop(hint)
        })
    })
}
