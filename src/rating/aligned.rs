//! Aligned exclusion: combinations of digits of two or three cells that leave a cell which sees all of them nothing.

use super::Technique;
use super::grid::Grid;
use super::hint::Hint;
use super::houses::{BITS, PEER_LIST, PEERS, bits, cells, has_two, ones};

/// The cells that can be excluded from, with the cells that exclude: of two candidates up to `most`.
fn bases(grid: &Grid, most: usize) -> (u128, impl Fn(usize) -> u128) {
    let of_count = |least: usize, most: usize| {
        (0..81)
            .filter(|&cell| (least..=most).contains(&ones(grid.candidates[cell])))
            .fold(0u128, |board, cell| board | BITS[cell])
    };
    let excluders = of_count(2, most);
    let around = move |cell: usize| excluders & PEERS[cell];
    (cells(of_count(2, 9)).filter(|&cell| around(cell) != 0).fold(0, |board, cell| board | 1 << cell), around)
}

/// The pairs of cells of a board: by the second one, then by the first.
fn pairs(board: u128) -> impl Iterator<Item = (usize, usize)> {
    cells(board).flat_map(move |second| cells(board & ((1 << second) - 1)).map(move |first| (first, second)))
}

/// Looks for a pair of cells.
pub(super) fn aligned_pairs(grid: &Grid, hint: &mut Hint) -> bool {
    let (bases, around) = bases(grid, 2);
    for (first, second) in pairs(bases) {
        let excluders = around(first) & around(second);
        if !has_two(excluders) {
            continue;
        }
        let base = [first, second];
        if exclude(grid, &base, excluders, Technique::AlignedPair, hint) {
            return true;
        }
    }
    false
}

/// Looks for three cells: two, and a third that is an excluder of one of them.
pub(super) fn aligned_triplets(grid: &Grid, hint: &mut Hint) -> bool {
    let (bases, around) = bases(grid, 3);
    for (first, second) in pairs(bases) {
        let common = around(first) & around(second);
        if !has_two(common) {
            continue;
        }
        let mut left = (around(first) | around(second)) & bases & !(1 << first | 1 << second);
        // Excluders of the first cell in the order in which it sees them, then the rest of those of the second.
        for third in PEER_LIST[first].into_iter().chain(PEER_LIST[second]).map(usize::from) {
            let is_seen_by = |cell: usize| PEERS[cell] >> third & 1 == 1;
            if left >> third & 1 == 0 || !(is_seen_by(first) || is_seen_by(second)) {
                continue;
            }
            left &= !(1 << third);
            let excluders = common & around(third);
            if !has_two(excluders) {
                continue;
            }
            let base = [first, second, third];
            if exclude(grid, &base, excluders, Technique::AlignedTriplet, hint) {
                return true;
            }
        }
    }
    false
}

/// Removes what no allowed combination of the base cells has.
fn exclude<const N: usize>(
    grid: &Grid,
    base: &[usize; N],
    excluders: u128,
    technique: Technique,
    hint: &mut Hint,
) -> bool {
    let mut sets = [0u16; 20];
    let mut count = 0;
    for cell in cells(excluders) {
        sets[count] = grid.candidates[cell];
        count += 1;
    }
    let all = base.map(|cell| grid.candidates[cell]);
    let mut allowed = [0u16; N];
    combine(base, &all, &sets[..count], 0, [0; N], &mut allowed);
    if allowed == all {
        return false;
    }
    hint.begin(technique);
    hint.cells = excluders;
    for (index, &cell) in base.iter().enumerate() {
        hint.cells |= 1 << cell;
        hint.digits |= all[index];
        hint.remove(grid, cell, all[index] & !allowed[index]);
    }
    hint.is_worth()
}

/// Adds the digits of all allowed combinations to `allowed`; true as soon as nothing is missing.
fn combine<const N: usize>(
    base: &[usize; N],
    all: &[u16; N],
    excluders: &[u16],
    at: usize,
    chosen: [usize; N],
    allowed: &mut [u16; N],
) -> bool {
    if at == N {
        let set = chosen.iter().fold(0u16, |set, digit| set | 1 << digit);
        if excluders.iter().all(|excluder| excluder & !set != 0) {
            for (allowed, digit) in allowed.iter_mut().zip(chosen) {
                *allowed |= 1 << digit;
            }
        }
        return allowed == all;
    }
    bits(all[at]).any(|digit| {
        let clashes = (0..at).any(|other| chosen[other] == digit && PEERS[base[other]] >> base[at] & 1 == 1);
        let mut next = chosen;
        next[at] = digit;
        !clashes && combine(base, all, excluders, at + 1, next, allowed)
    })
}
