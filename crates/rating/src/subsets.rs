//! Naked and hidden sets: several cells of a house, and equally many digits.

use super::Technique;
use super::grid::{Grid, Words, filled_up};
use super::hint::{Hint, Stop};
use super::houses::{ALL, CELLS, board_of, is_one, ones};
use quadrille_model::bits::Bits;
use quadrille_model::simd::{Bytes, WordKernel, Words as Isa, run_words};
use std::slice;

/// Techniques of naked sets with two, three and four cells.
const NAKED: [Technique; 3] = [Technique::NakedPair, Technique::NakedTriplet, Technique::NakedQuad];
const HIDDEN: [Technique; 3] = [Technique::HiddenPair, Technique::HiddenTriplet, Technique::HiddenQuad];
const DIRECT: [Technique; 2] = [Technique::DirectHiddenPair, Technique::DirectHiddenTriplet];

/// A kernel that finds, for each list of masks, the masks with at least two and at most `size` bits.
struct Able<'a> {
    lists: &'a [Words],
    size: usize,
    found: &'a mut [u16],
}

impl WordKernel for Able<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa + Bytes>(self, _: I) {
        const BITS: Words = [1, 2, 4, 8, 16, 32, 64, 128, 256, 0, 0, 0, 0, 0, 0, 0];
        for (masks, found) in self.lists.iter().zip(self.found) {
            let but_one = |masks: Words| masks.map(|mask| mask & mask.wrapping_sub(1));
            let more = but_one(*masks);
            let [two, three, four] = [but_one(more), but_one(but_one(more)), but_one(but_one(but_one(more)))];
            let rest = [two, three, four][self.size - 2];
            // The compiler turns two loops without conditions into vector code, but not one loop with a
            // condition.
            let mut able = [0; 16];
            for index in 0..16 {
                able[index] = BITS[index] & u16::from(rest[index] != 0).wrapping_sub(1);
            }
            for index in 0..16 {
                able[index] &= u16::from(more[index] == 0).wrapping_sub(1);
            }
            *found = able.iter().fold(0, |all, able| all | able);
        }
    }
}

/// Calls `found` with each set of `size` masks whose union has `size` bits.
///
/// `size` must be 2 to 4. Only masks with at least two bits are considered. The arguments of `found` are the
/// set of masks, with one bit per mask, and the union of the masks. The sets come in ascending order of their
/// bits. Returns true as soon as `found` returns true.
pub(super) fn tuples(masks: &Words, size: usize, found: &mut impl FnMut(u16, u16) -> Stop) -> bool {
    let mut able = [0];
    run_words(None, Able { lists: slice::from_ref(masks), size, found: &mut able });
    tuples_of(masks, able[0], size, found)
}

/// Works like [`tuples`], but `able` already gives the masks that can be in a set.
fn tuples_of(masks: &Words, able: u16, size: usize, found: &mut impl FnMut(u16, u16) -> Stop) -> bool {
    let count = ones(able);
    if count < size {
        return false;
    }
    let mut chosen = [(0, 0); 9];
    for (chosen, index) in chosen.iter_mut().zip(Bits(able)) {
        *chosen = (1 << index, masks[index]);
    }
    // Sets must come in ascending order, so the outermost loop chooses the member with the highest index. In
    // a pair, both masks must be equal, so pairs need no general search. Without this shortcut, singles take
    // 6 % more instructions.
    if size == 2 {
        return (1..count).any(|high| {
            let (bit, union) = chosen[high];
            chosen[..high].iter().any(|&(low, mask)| mask == union && found(low | bit, union))
        });
    }
    choose(&chosen[..count], size, (0, 0), size, found)
}

/// Finds sets of `count` entries, each with an index bit and a mask. The masks of a set and the mask `with`
/// have exactly `size` bits in their union.
///
/// Calls `found` with the index bits of each set and the union. The sets come in ascending order of their
/// index bits. Returns true if `found` returns true, which ends the search.
pub(super) fn unions(
    entries: impl Iterator<Item = (u16, u16)>,
    count: usize,
    with: u16,
    size: usize,
    found: &mut impl FnMut(u16, u16) -> Stop,
) -> bool {
    if count == 0 {
        return ones(with) == size && found(0, with);
    }
    let (mut able, mut length) = ([(0, 0); 9], 0);
    for entry in entries {
        able[length] = entry;
        length += 1;
    }
    choose(&able[..length], count, (0, with), size, found)
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

/// Finds naked sets of a given size in some houses.
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
        let masks = filled_up(CELLS[house].map(|cell| grid.candidates[usize::from(cell)]));
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
    hint.cells = board_of(house, places);
}

/// Finds hidden sets of a given size in some houses.
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

/// Finds a hidden pair or triplet after which another digit of the same house has only one place.
///
/// The hint only places this other digit. As in Sudoku Explainer, it does not remove the candidates that the
/// set excludes.
pub(super) fn direct_hidden_sets(grid: &Grid, size: usize, houses: u32, hint: &mut Hint) -> bool {
    let mut able = [0; 27];
    run_words(None, Able { lists: &grid.places, size, found: &mut able });
    Bits(houses).any(|house| {
        tuples_of(&grid.places[house], able[house], size, &mut |digits, places| {
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
