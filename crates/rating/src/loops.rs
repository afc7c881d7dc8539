//! Unique rectangles and loops.
//!
//! A loop is a cycle of cells that all have the same two candidates. If none of these cells had other
//! candidates, the loop could be filled in two ways.
//!
//! The search follows Sudoku Explainer, and misses the same loops. It goes from cell to cell within a house.
//! It visits the kinds of houses in the order box, row, column. It also counts the extra candidates of cells
//! that it tried but that are not in the loop.

use super::grid::Grid;
use super::hint::Hint;
use super::houses::{
    ALL, BITS, BOARDS, CELLS, CHAIN_ORDER, HOUSE_BITS, HOUSES, PEERS, board_of, is_one, ones, shared_houses,
};
use super::subsets::unions;
use super::{Technique, Tenths};
use quadrille_model::bits::Bits;

/// Maximum number of cells in a loop: at most two in each of the nine rows.
const MAX_LENGTH: usize = 18;

/// A search for loops that start from one cell.
struct Search<'a, F> {
    grid: &'a Grid,
    /// Callback that receives the path of each loop.
    found: F,
    pair: u16,
    /// Cells that have both digits of the pair as candidates, one bit per cell.
    both: u128,
    /// Maximum number of cells that a loop can have to beat the loops found so far.
    longest: usize,
    path: [u8; MAX_LENGTH],
    length: usize,
    on_path: u128,
    /// Set of the houses of the cells at even positions of the path, and set of the houses of the cells at
    /// odd positions.
    entered: [u32; 2],
}

/// Finds the best hint: the hint with the lowest rating. Among equal ratings, the lowest type wins, then the
/// hint found first.
pub(super) fn loops(grid: &Grid, hint: &mut Hint, candidate: &mut Hint) -> bool {
    let mut best: Option<(f64, u8)> = None;
    let mut longest = MAX_LENGTH;
    let bivalue = grid.bivalue();
    for start in Bits(bivalue) {
        let pair = grid.candidates[start];
        let [a, b] = [pair.trailing_zeros() as usize, 15 - pair.leading_zeros() as usize];
        let both = grid.boards[a] & grid.boards[b];
        let limit = longest;
        let found = |path: &[u8]| {
            hints_of(grid, path, pair, candidate, &mut |rating_of_hint, kind, hint_of_loop| {
                let key = (rating_of_hint, kind);
                if best.is_none_or(|best| key < best) {
                    best = Some(key);
                    hint.clone_from(hint_of_loop);
                    while longest > 4 && (rating(longest), 1) >= key {
                        longest -= 2;
                    }
                }
            });
        };
        let mut search = Search {
            grid,
            found,
            pair,
            both,
            longest: limit,
            path: [0; MAX_LENGTH],
            length: 0,
            on_path: 0,
            entered: [0; 2],
        };
        search.extend(start, 2, 0, usize::MAX);
        if best == Some((BASE_RATING, 1)) {
            break;
        }
    }
    best.is_some()
}

/// Rating of the simplest rectangle. Longer loops and extra candidates have higher ratings.
const BASE_RATING: f64 = 4.5;

/// Returns the rating of a loop of `length` cells. It is summed in steps, as in Sudoku Explainer.
fn rating(length: usize) -> f64 {
    let mut rating = BASE_RATING;
    if length >= 10 {
        rating += 0.3;
    }
    if length >= 8 {
        rating += 0.2;
    } else if length >= 6 {
        rating += 0.1;
    }
    rating
}

impl<F: FnMut(&[u8])> Search<'_, F> {
    /// Extends the path by `cell`, and then searches on from this cell.
    ///
    /// `extra` is the set of extra digits seen so far. If there are several extra digits, at most `left`
    /// further cells may have candidates other than the pair.
    fn extend(&mut self, cell: usize, left: i8, extra: u16, last_kind: usize) {
        let parity = self.length % 2;
        let entered = HOUSE_BITS[cell];
        self.entered[parity] |= entered;
        self.path[self.length] = cell as u8;
        self.length += 1;
        self.on_path |= BITS[cell];
        let first = usize::from(self.path[0]);
        let closes = self.length >= 4;
        let ways = self.both & !self.on_path | if closes { BITS[first] } else { 0 };
        let mut extra = extra;
        for kind in CHAIN_ORDER {
            if kind == last_kind {
                continue;
            }
            for next in Bits(ways & BOARDS[usize::from(HOUSES[cell][kind].0)]) {
                if next == first {
                    if self.entered[0] == self.entered[1] {
                        (self.found)(&self.path[..self.length]);
                    }
                    continue;
                }
                let candidates = self.grid.candidates[next];
                extra |= candidates & !self.pair;
                let more = candidates != self.pair;
                // A path cannot become a loop if it enters a house twice at positions of the same parity.
                let can_close =
                    self.length < self.longest && self.entered[1 - parity] & HOUSE_BITS[next] == 0;
                if can_close && (!more || is_one(extra) || left > 0) {
                    self.extend(next, left - i8::from(more), extra, kind);
                }
            }
        }
        self.on_path &= !BITS[cell];
        self.length -= 1;
        self.entered[parity] &= !entered;
    }
}

/// Makes the hints that follow from a loop, in the order of their types.
fn hints_of(grid: &Grid, path: &[u8], pair: u16, hint: &mut Hint, found: &mut impl FnMut(f64, u8, &Hint)) {
    let mut more = [0usize; MAX_LENGTH];
    let mut count = 0;
    for &cell in path {
        if grid.candidates[usize::from(cell)] != pair {
            more[count] = usize::from(cell);
            count += 1;
        }
    }
    let more = &more[..count];
    let base = rating(path.len());
    let begin = |hint: &mut Hint, technique, rating| {
        hint.begin(technique);
        hint.rating = Tenths::from_f64(rating);
        hint.cells = path.iter().fold(0, |board, &cell| board | 1 << cell);
        hint.digits = pair;
    };
    match more {
        [] => {}
        &[only] => {
            begin(hint, Technique::UniqueLoop1, base);
            hint.remove(grid, only, pair);
            found(base, 1, hint);
        }
        &[first, second] => {
            let extra = (grid.candidates[first] | grid.candidates[second]) & !pair;
            if is_one(extra) {
                begin(hint, Technique::UniqueLoop2, base);
                same_extra(grid, more, pair, hint);
                if hint.is_worth() {
                    found(base, 2, hint);
                }
            } else {
                extra_sets(grid, [first, second], pair, extra, &mut |size, cells, digits, remove, house| {
                    let rating = base + (size - 1) as f64 * 0.1;
                    begin(hint, Technique::UniqueLoop3, rating);
                    hint.cells |= cells;
                    hint.digits |= digits;
                    hint.add_house(house);
                    for &(cell, digits) in remove {
                        hint.remove(grid, usize::from(cell), digits);
                    }
                    if hint.is_worth() {
                        found(rating, 3, hint);
                    }
                });
            }
            begin(hint, Technique::UniqueLoop4, base);
            if lock(grid, [first, second], pair, hint) && hint.is_worth() {
                found(base, 4, hint);
            }
        }
        _ => {
            begin(hint, Technique::UniqueLoop2, base);
            same_extra(grid, more, pair, hint);
            if hint.is_worth() {
                found(base, 2, hint);
            }
        }
    }
}

/// Finds type 2: all cells in `more` have the same extra candidate. Removes it from all cells that see every
/// cell in `more`.
fn same_extra(grid: &Grid, more: &[usize], pair: u16, hint: &mut Hint) {
    let extra = grid.candidates[more[0]] & !pair;
    let digit = extra.trailing_zeros() as usize;
    let seen = more.iter().fold(grid.boards[digit], |seen, &cell| seen & PEERS[cell]);
    hint.digits |= extra;
    for cell in Bits(seen & !more.iter().fold(0, |board, &cell| board | 1 << cell)) {
        hint.remove(grid, cell, 1 << digit);
    }
}

/// Finds type 3: two cells of the loop share a house, and one of them is part of a naked or hidden set in
/// this house.
///
/// Calls `found` with five arguments: the size that determines the rating, the other cells of the set, their
/// digits, the removed candidates, and the house.
fn extra_sets(
    grid: &Grid,
    [first, second]: [usize; 2],
    pair: u16,
    extra: u16,
    found: &mut impl FnMut(usize, u128, u16, &[(u8, u16)], usize),
) {
    let common = extra & grid.candidates[first] & grid.candidates[second];
    let sets = ExtraSets { grid, pair, extra, common };
    for size in ones(extra)..=7 {
        for (house, both) in shared_houses(first, second) {
            let empty = usize::from(grid.empty[house]);
            if 2 * size <= empty {
                sets.naked(house, both, size, found);
            }
            if 2 * size < empty {
                sets.hidden(house, both, size, found);
            }
        }
    }
}

/// The digits of a loop for which the search looks for naked and hidden sets.
struct ExtraSets<'a> {
    grid: &'a Grid,
    /// The two digits of the loop.
    pair: u16,
    /// Extra digits: candidates of the two cells other than the pair.
    extra: u16,
    /// Extra digits that are candidates of both cells.
    common: u16,
}

impl ExtraSets<'_> {
    /// Finds naked sets in a house. `both` has the places of the loop's two cells in this house.
    fn naked(
        &self,
        house: usize,
        both: u16,
        size: usize,
        found: &mut impl FnMut(usize, u128, u16, &[(u8, u16)], usize),
    ) {
        let ExtraSets { grid, extra, common, .. } = *self;
        let candidates = |place: usize| grid.candidates[usize::from(CELLS[house][place])];
        let able = (0..9).filter(|&place| both >> place & 1 == 0 && ones(candidates(place)) >= 2);
        // Every set also contains one of the two cells of the loop. All sets contain the same one, so it does
        // not affect their order.
        let entries = able.map(|place| (1 << place, candidates(place)));
        unions(entries, size - 1, extra, size, &mut |places, digits| {
            let others = Bits(places).fold(0, |union, place| union | candidates(place));
            if ones(common | others) != size {
                return false;
            }
            let mut remove = [(0u8, 0u16); 9];
            for (place, remove) in remove.iter_mut().enumerate() {
                if (places | both) >> place & 1 == 0 {
                    *remove = (CELLS[house][place], digits);
                }
            }
            found(size, board_of(house, places), digits, &remove, house);
            false
        });
    }

    /// Finds hidden sets in a house. `both` has the places of the loop's two cells in this house.
    fn hidden(
        &self,
        house: usize,
        both: u16,
        size: usize,
        found: &mut impl FnMut(usize, u128, u16, &[(u8, u16)], usize),
    ) {
        let ExtraSets { grid, pair, extra, .. } = *self;
        // The two cells act as one cell, so only one of them is counted. It does not matter which one: both
        // cells can contain the digits of the pair, and neither can contain the other digits of the set.
        let second = 1u16 << (15 - both.leading_zeros());
        let places_of = |digit: usize| grid.places[house][digit] & !second;
        if Bits(pair).any(|digit| places_of(digit) == 0) {
            return;
        }
        let with = Bits(pair).fold(0, |union, digit| union | places_of(digit));
        let rest = Bits(ALL & !(pair | extra)).filter(|&digit| places_of(digit) != 0);
        let entries = rest.map(|digit| (1 << digit, places_of(digit)));
        unions(entries, size - 2, with, size, &mut |others, union| {
            let (digits, places) = (others | pair, union & !both);
            let mut remove = [(0u8, 0u16); 9];
            for place in Bits(places) {
                remove[place] = (CELLS[house][place], ALL & !digits);
            }
            // For the rating, Sudoku Explainer counts the places without the two cells of the loop.
            found(ones(places), board_of(house, places), digits, &remove, house);
            false
        });
    }
}

/// Finds type 4: in a house, one digit of the pair has places only in two cells of the loop.
///
/// The hint removes the other digit of the pair from the two cells.
fn lock(grid: &Grid, [first, second]: [usize; 2], pair: u16, hint: &mut Hint) -> bool {
    let [a, b] = [pair.trailing_zeros() as usize, 15 - pair.leading_zeros() as usize];
    let mut locked = [None; 2];
    for (house, both) in shared_houses(first, second) {
        for (digit, locked) in [a, b].into_iter().zip(&mut locked) {
            if grid.places[house][digit] & !both == 0 {
                *locked = Some(house);
            }
        }
    }
    let (house, removed) = match locked {
        [Some(house), _] => (house, b),
        [None, Some(house)] => (house, a),
        [None, None] => return false,
    };
    hint.add_house(house);
    hint.remove(grid, first, 1 << removed);
    hint.remove(grid, second, 1 << removed);
    true
}
