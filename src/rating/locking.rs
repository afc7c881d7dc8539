//! Pointing and claiming: a digit of one house that lies in another one only.

use super::Technique;
use super::grid::Grid;
use super::hint::{Hint, Stop};
use super::houses::{ALL, BOXES, CELLS, COLUMNS, ROWS, is_one};
use crate::bits::Bits;

/// A box and a line that cross: which places of each are in both.
#[derive(Clone, Copy)]
struct Crossing {
    from: usize,
    to: usize,
    /// The places of `from` that are in `to`, and the other way round.
    from_places: u16,
    to_places: u16,
    /// Three columns (0 to 2) or three rows (3 to 5) with three boxes.
    band: usize,
}

/// Boxes with columns, boxes with rows, columns with boxes, rows with boxes, each by the numbers of the houses: the order of trial.
static CROSSINGS: [Crossing; 108] = {
    let mut crossings = [Crossing { from: 0, to: 0, from_places: 0, to_places: 0, band: 0 }; 108];
    let mut number = 0;
    while number < 9 {
        let mut third = 0;
        while third < 3 {
            let at = number * 3 + third;
            crossings[at] = Crossing {
                from: BOXES + number,
                to: COLUMNS + number % 3 * 3 + third,
                from_places: 0b001_001_001 << third,
                to_places: 0b111 << (number / 3 * 3),
                band: number % 3,
            };
            crossings[27 + at] = Crossing {
                from: BOXES + number,
                to: ROWS + number / 3 * 3 + third,
                from_places: 0b111 << (third * 3),
                to_places: 0b111 << (number % 3 * 3),
                band: 3 + number / 3,
            };
            crossings[54 + at] = Crossing {
                from: COLUMNS + number,
                to: BOXES + third * 3 + number / 3,
                from_places: 0b111 << (third * 3),
                to_places: 0b001_001_001 << (number % 3),
                band: number / 3,
            };
            crossings[81 + at] = Crossing {
                from: ROWS + number,
                to: BOXES + number / 3 * 3 + third,
                from_places: 0b111 << (third * 3),
                to_places: 0b111 << (number % 3 * 3),
                band: 3 + number / 3,
            };
            third += 1;
        }
        number += 1;
    }
    crossings
};

/// For the nine segments of a band that a digit can be in (bit `3 * line + box`): true if locking takes something there.
static LOCKS: [bool; 512] = {
    let mut locks = [false; 512];
    let mut set = 0;
    while set < 512 {
        let mut i = 0;
        while i < 3 {
            // A box in one line whose line goes on, a line in one box that goes on.
            let of_box = [set >> i & 1, set >> (3 + i) & 1, set >> (6 + i) & 1];
            let mut line = 0;
            while line < 3 {
                let of_line = set >> (3 * line) & 7;
                let is_here = of_line >> i & 1 == 1;
                let ends = of_box[0] + of_box[1] + of_box[2];
                if is_here && (ends == 1) != (of_line == 1 << i) {
                    locks[set] = true;
                }
                line += 1;
            }
            i += 1;
        }
        set += 1;
    }
    locks
};

/// For nine places of a line: which of its three segments are taken.
static SEGMENTS: [u16; 512] = {
    let mut segments = [0; 512];
    let mut set = 0;
    while set < 512 {
        let mut third = 0;
        while third < 3 {
            if set >> (3 * third) & 7 != 0 {
                segments[set] |= 1 << third;
            }
            third += 1;
        }
        set += 1;
    }
    segments
};

/// Those of the digits for which locking takes something, by band; `None` if there are none.
fn worthwhile(grid: &Grid, digits: u16) -> Option<[u16; 6]> {
    let mut found = [0; 6];
    let mut any = false;
    for digit in Bits(digits) {
        for (band, found) in found.iter_mut().enumerate() {
            let first = COLUMNS + 3 * band;
            let segments = |line: usize| SEGMENTS[usize::from(grid.places[first + line][digit] & ALL)];
            if LOCKS[usize::from((segments(0) | segments(1) << 3 | segments(2) << 6) & ALL)] {
                *found |= 1 << digit;
                any = true;
            }
        }
    }
    any.then_some(found)
}

fn begin(grid: &Grid, hint: &mut Hint, technique: Technique, crossing: Crossing, digit: usize) {
    hint.begin(technique);
    hint.digits = 1 << digit;
    hint.add_house(crossing.from);
    hint.add_house(crossing.to);
    for place in Bits(grid.places[crossing.from][digit]) {
        hint.cells |= 1 << CELLS[crossing.from][place];
    }
}

/// True if all places of a digit in one house, two at least, are in the other, which has more of them.
fn is_locked(grid: &Grid, crossing: Crossing, digit: usize) -> bool {
    let places = grid.places[crossing.from][digit];
    places & !crossing.from_places == 0
        && places & places.wrapping_sub(1) != 0
        && grid.places[crossing.to][digit] & !crossing.to_places != 0
}

/// Looks for pointing and claiming of some digits.
pub(super) fn locking(
    grid: &Grid,
    digits: u16,
    hint: &mut Hint,
    stop: &mut impl FnMut(&Hint) -> Stop,
) -> bool {
    let Some(digits) = worthwhile(grid, digits) else { return false };
    for &crossing in &CROSSINGS {
        for digit in Bits(digits[crossing.band]) {
            if is_locked(grid, crossing, digit) {
                let technique =
                    if crossing.from < COLUMNS { Technique::Pointing } else { Technique::Claiming };
                begin(grid, hint, technique, crossing, digit);
                for place in Bits(grid.places[crossing.to][digit] & !crossing.to_places) {
                    hint.remove(grid, usize::from(CELLS[crossing.to][place]), 1 << digit);
                }
                if stop(hint) {
                    return true;
                }
            }
        }
    }
    false
}

/// Looks for pointing or claiming of some digits that leaves a hidden single in a house of the first one's kind. The single
/// is placed; the candidates that go on the way stay, as in the source program.
pub(super) fn direct_locking(grid: &Grid, digits: u16, hint: &mut Hint) -> bool {
    let Some(digits) = worthwhile(grid, digits) else { return false };
    for &crossing in &CROSSINGS {
        for digit in Bits(digits[crossing.band]) {
            if !is_locked(grid, crossing, digit) {
                continue;
            }
            for other in CROSSINGS.iter().filter(|other| {
                other.to == crossing.to && other.from / 9 == crossing.from / 9 && other.from != crossing.from
            }) {
                let places = grid.places[other.from][digit];
                let rest = places & !other.from_places;
                if places != rest && is_one(rest) {
                    let technique = if crossing.from < COLUMNS {
                        Technique::DirectPointing
                    } else {
                        Technique::DirectClaiming
                    };
                    begin(grid, hint, technique, crossing, digit);
                    let cell = CELLS[other.from][rest.trailing_zeros() as usize];
                    hint.placed = Some((cell, digit as u8));
                    return true;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::houses::BOARDS;

    #[test]
    fn crossings_say_which_cells_are_in_both() {
        for crossing in CROSSINGS {
            let cells = |house: usize, places: u16| {
                Bits(places & ALL).fold(0u128, |board, place| board | 1 << CELLS[house][place])
            };
            let both = BOARDS[crossing.from] & BOARDS[crossing.to];
            assert_eq!(both.count_ones(), 3);
            assert_eq!(cells(crossing.from, crossing.from_places), both);
            assert_eq!(cells(crossing.to, crossing.to_places), both);
        }
    }
}
