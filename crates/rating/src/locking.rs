//! Pointing and claiming: all places of a digit in one house also lie in another house.

use super::Technique;
use super::grid::Grid;
use super::hint::{Hint, Stop};
use super::houses::{ALL, BOARDS, BOXES, CELLS, COLUMNS, ROWS, board_of, is_one};
use quadrille_model::bits::Bits;

/// A box and a line (row or column) that intersect, with the places that they share.
#[derive(Clone, Copy)]
struct Intersection {
    from: usize,
    to: usize,
    /// Places of the house `from` that are also in the house `to`.
    from_places: u16,
    /// Places of the house `to` that are also in the house `from`.
    to_places: u16,
    /// Index of the band or stack: 0 to 2 for stacks, 3 to 5 for bands.
    band: usize,
}

/// All intersections, in the order in which they are tried. Each one leads from one house to another.
///
/// Intersections from a box to a column come first. Those from a box to a row, from a column to a box, and
/// from a row to a box follow. Each group is in the order of house indices.
static CROSSINGS: [Intersection; 108] = {
    let mut crossings = [Intersection { from: 0, to: 0, from_places: 0, to_places: 0, band: 0 }; 108];
    let kinds = [(BOXES, COLUMNS), (BOXES, ROWS), (COLUMNS, BOXES), (ROWS, BOXES)];
    let (mut found, mut pair) = (0, 0);
    while pair < 4 * 81 {
        let (from, to) = (kinds[pair / 81].0 + pair / 9 % 9, kinds[pair / 81].1 + pair % 9);
        let cells = BOARDS[from] & BOARDS[to];
        if cells != 0 {
            let line = if from < COLUMNS { to } else { from };
            let (from_places, to_places) = (places_of(from, cells), places_of(to, cells));
            crossings[found] = Intersection { from, to, from_places, to_places, band: (line - COLUMNS) / 3 };
            found += 1;
        }
        pair += 1;
    }
    crossings
};

/// Returns the places of a house at which the cells of `board` are.
const fn places_of(house: usize, board: u128) -> u16 {
    let (mut places, mut place) = (0, 0);
    while place < 9 {
        places |= ((board >> CELLS[house][place] & 1) as u16) << place;
        place += 1;
    }
    places
}

/// Numbers of occupied places in the three segments of a line, packed into one number from 0 to 26. A segment
/// is the part of the line in one box.
///
/// The index is the set of occupied places of the line. The packed number has one base-3 digit per segment,
/// and the first segment has the lowest digit. The digit is 0, 1, or 2 for two or more places.
static COUNTS: [u8; 512] = {
    let mut counts = [0; 512];
    let mut set: usize = 0;
    while set < 512 {
        let mut third = 3;
        while third > 0 {
            third -= 1;
            let ones = (set >> (3 * third) & 7).count_ones() as u8;
            counts[set] = 3 * counts[set] + if ones > 2 { 2 } else { ones };
        }
        set += 1;
    }
    counts
};

/// Locking a digit removes candidates.
const REMOVES: u8 = 1;
/// Effect flag: locking a digit leaves a single in a box or in a line.
const LEAVES_SINGLE: u8 = 2;

/// Effects of locking a digit in a band or stack, as flags. Locking means that all places of the digit in one
/// house also lie in another house.
///
/// The index combines the [`COUNTS`] of the three lines of the band or stack.
static EFFECTS: [u8; 27 * 27 * 27] = {
    let mut effects = [0; 27 * 27 * 27];
    let mut set = 0;
    while set < effects.len() {
        // Number of cells with the digit for each line and box (`cells`), and for each box and line
        // (`turned`). The value 2 means two or three cells.
        let mut cells = [[0; 3]; 3];
        let mut turned = [[0; 3]; 3];
        let mut at = 0;
        let mut rest = set;
        while at < 9 {
            cells[at / 3][at % 3] = rest % 3;
            turned[at % 3][at / 3] = rest % 3;
            rest /= 3;
            at += 1;
        }
        effects[set] = if removes(&cells, &turned) { REMOVES } else { 0 };
        if is_direct(&cells) || is_direct(&turned) {
            effects[set] |= LEAVES_SINGLE;
        }
        set += 1;
    }
    effects
};

/// Returns true if locking a digit removes candidates.
///
/// Locking removes candidates if a box has the digit in only one line, and that line also has the digit in
/// another box. The same is true if line and box are exchanged.
const fn removes(lines: &[[usize; 3]; 3], boxes: &[[usize; 3]; 3]) -> bool {
    const fn is_alone(cells: &[usize; 3], here: usize) -> bool {
        cells[here] > 0 && cells[(here + 1) % 3] == 0 && cells[(here + 2) % 3] == 0
    }
    let mut at = 0;
    while at < 9 {
        if is_alone(&lines[at / 3], at % 3) != is_alone(&boxes[at % 3], at / 3) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns true if locking a digit in one of three houses leaves a single in another of them.
///
/// `cells[house][crossing]` is the number of cells in both houses that can contain the digit. The value 2
/// means two or three cells. Locking needs a house in which at least two cells can contain the digit, and
/// these cells must all be in one crossing house. Each other house then loses its cells in that crossing
/// house. It is left with a single if it has exactly one cell outside of the crossing house.
const fn is_direct(cells: &[[usize; 3]; 3]) -> bool {
    let mut place = 0;
    while place < 3 {
        let (mut is_locked, mut is_left) = (false, false);
        let mut house = 0;
        while house < 3 {
            let here = cells[house][place];
            let all = cells[house][0] + cells[house][1] + cells[house][2];
            is_locked |= here == 2 && all == here;
            is_left |= here > 0 && all == here + 1;
            house += 1;
        }
        if is_locked && is_left {
            return true;
        }
        place += 1;
    }
    false
}

/// Returns, for each band and stack, the digits for which locking has one of the effects in `effect`. Returns
/// `None` if there are no such digits.
fn worthwhile(grid: &Grid, digits: u16, effect: u8) -> Option<[u16; 6]> {
    let mut found = [0; 6];
    let mut any = false;
    for digit in Bits(digits) {
        for (band, found) in found.iter_mut().enumerate() {
            let first = COLUMNS + 3 * band;
            let counts =
                |line: usize| usize::from(COUNTS[usize::from(grid.places[first + line][digit] & ALL)]);
            if EFFECTS[counts(0) + 27 * counts(1) + 729 * counts(2)] & effect != 0 {
                *found |= 1 << digit;
                any = true;
            }
        }
    }
    any.then_some(found)
}

/// Begins the hint of a technique. `techniques` has the techniques for a digit that is locked in a box, and
/// in a row or column.
fn begin(grid: &Grid, hint: &mut Hint, techniques: [Technique; 2], crossing: Intersection, digit: usize) {
    hint.begin(techniques[usize::from(crossing.from >= COLUMNS)]);
    hint.digits = 1 << digit;
    hint.add_house(crossing.from);
    hint.add_house(crossing.to);
    hint.cells = board_of(crossing.from, grid.places[crossing.from][digit]);
}

/// Calls `found` with each crossing and each of the given digits that is locked there, if locking has the
/// effect. Returns true if `found` returns true, which ends the search.
///
/// A digit is locked if all its places in the first house lie in the second house, and the second house has
/// further places for the digit. It must have at least two places in the first house.
fn find_locked(
    grid: &Grid,
    digits: u16,
    effect: u8,
    mut found: impl FnMut(Intersection, usize) -> Stop,
) -> bool {
    let Some(digits) = worthwhile(grid, digits, effect) else { return false };
    let is_locked = |crossing: Intersection, digit: usize| {
        let places = grid.places[crossing.from][digit];
        places & !crossing.from_places == 0
            && places & places.wrapping_sub(1) != 0
            && grid.places[crossing.to][digit] & !crossing.to_places != 0
    };
    CROSSINGS.iter().any(|&crossing| {
        Bits(digits[crossing.band]).any(|digit| is_locked(crossing, digit) && found(crossing, digit))
    })
}

/// Finds pointing and claiming steps for the given digits.
pub(super) fn locking(
    grid: &Grid,
    digits: u16,
    hint: &mut Hint,
    stop: &mut impl FnMut(&Hint) -> Stop,
) -> bool {
    find_locked(grid, digits, REMOVES, |crossing, digit| {
        begin(grid, hint, [Technique::Pointing, Technique::Claiming], crossing, digit);
        for place in Bits(grid.places[crossing.to][digit] & !crossing.to_places) {
            hint.remove(grid, usize::from(CELLS[crossing.to][place]), 1 << digit);
        }
        stop(hint)
    })
}

/// Finds a pointing or claiming step that leaves a hidden single in another house.
///
/// If the digit is locked in a box, the single is in another box. The same applies to rows and columns. The
/// hint only places the single. As in Sudoku Explainer, it does not remove the candidates that locking
/// excludes.
pub(super) fn direct_locking(grid: &Grid, digits: u16, hint: &mut Hint) -> bool {
    find_locked(grid, digits, LEAVES_SINGLE, |crossing, digit| {
        let mut others = CROSSINGS.iter().filter(|other| {
            other.to == crossing.to && other.from / 9 == crossing.from / 9 && other.from != crossing.from
        });
        let single = others.find_map(|other| {
            let places = grid.places[other.from][digit];
            let rest = places & !other.from_places;
            let is_single = places != rest && is_one(rest);
            is_single.then(|| CELLS[other.from][rest.trailing_zeros() as usize])
        });
        let Some(cell) = single else { return false };
        begin(grid, hint, [Technique::DirectPointing, Technique::DirectClaiming], crossing, digit);
        hint.placed = Some((cell, digit as u8));
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intersections_are_the_cells_in_both_houses() {
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
