//! Naked and hidden sets: the same number of digits and of cells of one house.

use super::Technique;
use super::grid::Grid;
use super::hint::{Hint, Stop};
use super::houses::{ALL, CELLS, is_one, ones};
use quadrille_model::bits::Bits;

/// The techniques for two, three and four.
const NAKED: [Technique; 3] = [Technique::NakedPair, Technique::NakedTriplet, Technique::NakedQuad];
const HIDDEN: [Technique; 3] = [Technique::HiddenPair, Technique::HiddenTriplet, Technique::HiddenQuad];
const DIRECT: [Technique; 2] = [Technique::DirectHiddenPair, Technique::DirectHiddenTriplet];

/// Calls `found` with each set of `size` masks whose union has `size` bits.
///
/// Each mask of a set has at least two bits, and `size` is 2 to 4. The arguments are the set, as bits of the
/// nine masks, and the union. Sets come in the order of their numbers. Returns true as soon as `found` does.
pub(super) fn tuples(masks: &[u16; 9], size: usize, found: &mut impl FnMut(u16, u16) -> Stop) -> bool {
    // The masks that can be in a set, each with the bit of its index.
    let mut able = [(0u16, 0u16); 9];
    let mut count = 0;
    for (index, &mask) in masks.iter().enumerate() {
        able[count] = (1 << index, mask);
        count += usize::from((2..=size).contains(&ones(mask)));
    }
    if count < size {
        return false;
    }
    // Chooses the highest member first and tries each, beginning with the lowest, so that sets come in the order of
    // their numbers.
    choose(&able[..count], size, (0, 0), size, found)
}

#[inline]
fn choose(
    able: &[(u16, u16)],
    left: usize,
    (set, union): (u16, u16),
    size: usize,
    found: &mut impl FnMut(u16, u16) -> Stop,
) -> bool {
    for (index, &(bit, mask)) in able.iter().enumerate().skip(left - 1) {
        let wider = union | mask;
        if ones(wider) > size {
            continue;
        }
        let is_over = if left > 1 {
            choose(&able[..index], left - 1, (set | bit, wider), size, found)
        } else {
            ones(wider) == size && found(set | bit, wider)
        };
        if is_over {
            return true;
        }
    }
    false
}

/// Finds naked sets of a size in some houses.
pub(super) fn naked_sets(
    grid: &Grid,
    size: usize,
    houses: u32,
    hint: &mut Hint,
    stop: &mut impl FnMut(&Hint) -> Stop,
) -> bool {
    Bits(houses).any(|house| {
        if usize::from(grid.empty[house]) < 2 * size {
            return false;
        }
        let masks = CELLS[house].map(|cell| grid.candidates[usize::from(cell)]);
        tuples(&masks, size, &mut |places, digits| {
            hint.begin(NAKED[size - 2]);
            hint.digits = digits;
            hint.add_house(house);
            for (place, &cell) in CELLS[house].iter().enumerate() {
                if places >> place & 1 == 1 {
                    hint.cells |= 1 << cell;
                } else {
                    hint.remove(grid, usize::from(cell), digits);
                }
            }
            hint.is_worth() && stop(hint)
        })
    })
}

fn begin_hidden(hint: &mut Hint, technique: Technique, house: usize, digits: u16, places: u16) {
    hint.begin(technique);
    hint.digits = digits;
    hint.add_house(house);
    hint.cells = Bits(places).fold(0, |board, place| board | 1 << CELLS[house][place]);
}

/// Finds hidden sets of a size in some houses.
pub(super) fn hidden_sets(
    grid: &Grid,
    size: usize,
    houses: u32,
    hint: &mut Hint,
    stop: &mut impl FnMut(&Hint) -> Stop,
) -> bool {
    Bits(houses).any(|house| {
        if usize::from(grid.empty[house]) <= 2 * size {
            return false;
        }
        tuples(&grid.places[house], size, &mut |digits, places| {
            begin_hidden(hint, HIDDEN[size - 2], house, digits, places);
            for place in Bits(places) {
                hint.remove(grid, usize::from(CELLS[house][place]), ALL & !digits);
            }
            hint.is_worth() && stop(hint)
        })
    })
}

/// Finds a hidden pair or triplet that leaves another digit of its house only one place.
///
/// This other digit is placed. Candidates that the set would remove stay, as in Sudoku Explainer.
pub(super) fn direct_hidden_sets(grid: &Grid, size: usize, houses: u32, hint: &mut Hint) -> bool {
    Bits(houses).any(|house| {
        if usize::from(grid.empty[house]) <= size {
            return false;
        }
        tuples(&grid.places[house], size, &mut |digits, places| {
            let single = Bits(ALL & !digits).find(|&digit| {
                let all = grid.places[house][digit];
                !is_one(all) && is_one(all & !places)
            });
            let Some(digit) = single else { return false };
            begin_hidden(hint, DIRECT[size - 2], house, digits, places);
            let place = (grid.places[house][digit] & !places).trailing_zeros() as usize;
            hint.placed = Some((CELLS[house][place], digit as u8));
            true
        })
    })
}
