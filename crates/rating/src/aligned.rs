//! Aligned exclusion.
//!
//! Considers the combinations of digits for two or three cells, called base cells. An excluder is a cell that
//! sees all base cells. A combination is impossible if it would remove all candidates from an excluder.

use super::Technique;
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{BITS, PEER_LIST, PEERS, has_two, is_one, ones};
use quadrille_model::bits::Bits;

/// Returns the cells that can be base cells. Also returns, for each cell, the excluders that it sees.
///
/// An excluder is a cell with two to `most` candidates.
fn bases(grid: &Grid, most: usize) -> (u128, [u128; 81]) {
    let mut excluders = 0;
    for (cell, &set) in grid.candidates.iter().enumerate() {
        if (2..=most).contains(&ones(set)) {
            excluders |= BITS[cell];
        }
    }
    let mut bases = 0;
    let mut around = [0; 81];
    for (cell, &set) in grid.candidates.iter().enumerate() {
        around[cell] = excluders & PEERS[cell];
        if ones(set) >= 2 && around[cell] != 0 {
            bases |= BITS[cell];
        }
    }
    (bases, around)
}

/// Returns the pairs of cells in a set of cells, ordered by the second cell, then by the first.
fn pairs(board: u128) -> impl Iterator<Item = (usize, usize)> {
    Bits(board).flat_map(move |second| Bits(board & ((1 << second) - 1)).map(move |first| (first, second)))
}

/// Finds an aligned pair exclusion.
pub(super) fn aligned_pairs(grid: &Grid, hint: &mut Hint) -> bool {
    let (bases, around) = bases(grid, 2);
    for (first, second) in pairs(bases) {
        let excluders = around[first] & around[second];
        if !has_two(excluders) {
            continue;
        }
        let all = [grid.candidates[first], grid.candidates[second]];
        let mut allowed = [0; 2];
        // For each digit in the first cell, the digits that the second cell cannot have.
        let mut excluded = [0u16; 9];
        for cell in Bits(excluders) {
            let set = grid.candidates[cell];
            for digit in Bits(set) {
                excluded[digit] |= set & !(1 << digit);
            }
        }
        let is_seen = PEERS[first] & BITS[second] != 0;
        for digit in Bits(all[0]) {
            let clash = if is_seen { 1 << digit } else { 0 };
            let partners = all[1] & !(clash | excluded[digit]);
            allowed[0] |= u16::from(partners != 0) << digit;
            allowed[1] |= partners;
        }
        if remove(grid, &[first, second], excluders, allowed, hint) {
            return true;
        }
    }
    false
}

/// Combinations of digits that are impossible for the base cells because of the excluders.
struct Excluded {
    /// For each digit, the other candidates of all excluders that have two candidates and can contain this
    /// digit.
    pairs: [u16; 9],
    /// For each pair of digits, the third candidates of all excluders that have three candidates and can
    /// contain both digits.
    triples: [[u16; 9]; 9],
}

impl Excluded {
    fn new(grid: &Grid, excluders: u128) -> Self {
        let mut excluded = Excluded { pairs: [0; 9], triples: [[0; 9]; 9] };
        for cell in Bits(excluders) {
            let set = grid.candidates[cell];
            for digit in Bits(set) {
                let others = set & !(1 << digit);
                if is_one(others) {
                    excluded.pairs[digit] |= others;
                } else {
                    for other in Bits(others) {
                        excluded.triples[digit][other] |= others & !(1 << other);
                    }
                }
            }
        }
        excluded
    }
}

/// Makes the hint. It removes every candidate of a base cell that no allowed combination contains.
///
/// Returns `false` if there are no such candidates.
fn remove<const N: usize>(
    grid: &Grid,
    base: &[usize; N],
    excluders: u128,
    allowed: [u16; N],
    hint: &mut Hint,
) -> bool {
    let all = base.map(|cell| grid.candidates[cell]);
    if allowed == all {
        return false;
    }
    hint.begin(if N == 2 { Technique::AlignedPair } else { Technique::AlignedTriplet });
    hint.cells = excluders;
    for (index, &cell) in base.iter().enumerate() {
        hint.cells |= BITS[cell];
        hint.digits |= all[index];
        hint.remove(grid, cell, all[index] & !allowed[index]);
    }
    true
}

/// Finds an aligned triplet exclusion.
///
/// The three base cells are a pair of cells, and a third cell that is an excluder of at least one of the two.
#[inline(never)]
pub(super) fn aligned_triplets(grid: &Grid, hint: &mut Hint) -> bool {
    let (bases, around) = bases(grid, 3);
    for (first, second) in pairs(bases) {
        let common = around[first] & around[second];
        if !has_two(common) {
            continue;
        }
        let mut left = (around[first] | around[second]) & bases & !(1 << first | 1 << second);
        // Third cells that the first cell sees come first, in the order of the first cell's peers. Third
        // cells that only the second cell sees follow.
        for third in PEER_LIST[first].into_iter().chain(PEER_LIST[second]).map(usize::from) {
            let is_seen_by = |cell: usize| PEERS[cell] >> third & 1 == 1;
            if left >> third & 1 == 0 || !(is_seen_by(first) || is_seen_by(second)) {
                continue;
            }
            left &= !(1 << third);
            let excluders = common & around[third];
            if !has_two(excluders) {
                continue;
            }
            let base = [first, second, third];
            let allowed = triples(grid, &base, &Excluded::new(grid, excluders));
            if remove(grid, &base, excluders, allowed, hint) {
                return true;
            }
        }
    }
    false
}

/// Returns, for each of the three base cells, the digits that the cell has in allowed combinations.
fn triples(grid: &Grid, base: &[usize; 3], excluded: &Excluded) -> [u16; 3] {
    let all = base.map(|cell| grid.candidates[cell]);
    let sees = |one: usize, other: usize| PEERS[base[one]] & BITS[base[other]] != 0;
    let (first_second, first_third, second_third) = (sees(0, 1), sees(0, 2), sees(1, 2));
    let clash = |sees: bool, digit: usize| if sees { 1u16 << digit } else { 0 };
    let mut allowed = [0; 3];
    for digit in Bits(all[0]) {
        let with_second = all[1] & !(clash(first_second, digit) | excluded.pairs[digit]);
        let with_third = all[2] & !(clash(first_third, digit) | excluded.pairs[digit]);
        for other in Bits(with_second) {
            let thirds = with_third
                & !(clash(second_third, other) | excluded.pairs[other] | excluded.triples[digit][other]);
            if thirds != 0 {
                allowed[0] |= 1 << digit;
                allowed[1] |= 1 << other;
                allowed[2] |= thirds;
            }
        }
        if allowed == all {
            break;
        }
    }
    allowed
}
