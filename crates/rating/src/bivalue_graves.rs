//! Bivalue universal graves.
//!
//! Some cells have extra candidates. Without the extra candidates, every empty cell would have two
//! candidates, and every digit would have two places in each house. Such a grid has no unique solution. So at
//! least one of the extra candidates is the digit of its cell.

use super::grid::Grid;
use super::hint::Hint;
use super::houses::{ALL, BITS, BOARDS, CELLS, CHAIN_ORDER, HOUSES, PEER_LIST, PEERS, is_one, ones};
use super::subsets::unions;
use super::{Technique, Tenths};
use quadrille_model::bits::Bits;

/// The cells that have extra candidates in a bivalue universal grave, in the order in which they were found.
struct Grave {
    cells: [usize; 81],
    count: usize,
    /// The extra candidates of each cell.
    extra: [u16; 81],
    all_extra: u16,
    /// Cells that see every cell with extra candidates.
    seen: u128,
}

/// Finds a bivalue universal grave and makes the first hint that it gives.
pub(super) fn graves(grid: &Grid, hint: &mut Hint) -> bool {
    let Some(grave) = find(grid) else { return false };
    let more = &grave.cells[..grave.count];
    match more {
        [] => false,
        &[only] => {
            begin(hint, Technique::BivalueGrave1, more, grave.all_extra);
            hint.remove(grid, only, ALL & !grave.all_extra);
            true
        }
        _ if is_one(grave.all_extra) => type_2(grid, &grave, hint) || type_4(grid, &grave, hint),
        _ if grave.seen != 0 => type_4(grid, &grave, hint) || type_3(grid, &grave, hint),
        _ => false,
    }
}

fn begin(hint: &mut Hint, technique: Technique, more: &[usize], digits: u16) {
    hint.begin(technique);
    hint.cells = more.iter().fold(0, |board, &cell| board | 1 << cell);
    hint.digits = digits;
}

fn find(grid: &Grid) -> Option<Grave> {
    let mut grave = Grave { cells: [0; 81], count: 0, extra: [0; 81], all_extra: 0, seen: 0 };
    for kind in CHAIN_ORDER {
        for (house, all) in grid.places.iter().enumerate().skip(9 * kind).take(9) {
            for (digit, &places) in all.iter().enumerate() {
                if matches!(ones(places), 0 | 2) {
                    continue;
                }
                let mut larger = Bits(places)
                    .map(|place| usize::from(CELLS[house][place]))
                    .filter(|&cell| ones(grid.candidates[cell]) >= 3);
                // The digit has more than two places in this house, so it is an extra candidate in one of
                // them. A cell with an extra candidate has at least three candidates. Without such a cell,
                // the grid is not a grave. If there are several such cells, another house shows which one has
                // the extra digit.
                let cell = larger.next()?;
                if larger.next().is_some() {
                    continue;
                }
                grave.add(cell, digit);
                if grave.count > 1 && !is_one(grave.all_extra) && grave.seen == 0 {
                    return None;
                }
            }
        }
    }
    let left = |cell: usize| grid.candidates[cell] & !grave.extra[cell];
    let is_grave = (0..81).all(|cell| grid.values[cell] != 0 || ones(left(cell)) == 2)
        && CELLS.iter().all(|house| {
            (0..9).all(|digit| {
                let places = house.iter().filter(|&&cell| left(usize::from(cell)) >> digit & 1 == 1).count();
                matches!(places, 0 | 2)
            })
        });
    is_grave.then_some(grave)
}

impl Grave {
    fn add(&mut self, cell: usize, digit: usize) {
        let is_first = self.count == 0;
        if !self.cells[..self.count].contains(&cell) {
            self.cells[self.count] = cell;
            self.count += 1;
        }
        self.extra[cell] |= 1 << digit;
        self.all_extra |= 1 << digit;
        self.seen = if is_first { PEERS[cell] } else { self.seen & PEERS[cell] };
        self.seen &= !self.cells[..self.count].iter().fold(0, |board, &cell| board | 1 << cell);
    }

    fn more(&self) -> &[usize] {
        &self.cells[..self.count]
    }

    /// Returns the houses that contain all cells with extra candidates, in the order box, row, column.
    fn houses(&self) -> impl Iterator<Item = usize> + '_ {
        let of_first = HOUSES[self.cells[0]];
        let houses = CHAIN_ORDER.into_iter().map(move |kind| usize::from(of_first[kind].0));
        houses.filter(|&house| self.more().iter().all(|&cell| BOARDS[house] & BITS[cell] != 0))
    }
}

/// Finds type 2: all extra candidates have the same digit.
///
/// Removes the digit from cells that see every cell with extra candidates.
fn type_2(grid: &Grid, grave: &Grave, hint: &mut Hint) -> bool {
    begin(hint, Technique::BivalueGrave2, grave.more(), grave.all_extra);
    for cell in Bits(grave.seen) {
        hint.remove(grid, cell, grave.all_extra);
    }
    hint.is_worth()
}

/// Finds type 3. The cells with extra candidates act as one cell. This cell and other cells of a house form a
/// naked set.
///
/// Uses the first set found, even if another set is smaller.
fn type_3(grid: &Grid, grave: &Grave, hint: &mut Hint) -> bool {
    for house in grave.houses() {
        // The other cells of the house, in the order in which they are among the first cell's peers.
        let is_other = |cell: &usize| (grave.seen & BOARDS[house]) >> cell & 1 == 1;
        let others: Vec<usize> =
            PEER_LIST[grave.cells[0]].into_iter().map(usize::from).filter(is_other).collect();
        let able = others.iter().enumerate().filter(|&(_, &cell)| ones(grid.candidates[cell]) > 1);
        let entries = able.map(|(index, &cell)| (1 << index, grid.candidates[cell]));
        for size in 2..=6 {
            let is_found = unions(entries.clone(), size - 1, 0, size, &mut |set, union| {
                if union | grave.all_extra != union {
                    return false;
                }
                begin(hint, Technique::BivalueGrave3, grave.more(), union);
                hint.rating = Tenths(57 + size as u8 - 1);
                hint.add_house(house);
                for (index, &cell) in others.iter().enumerate() {
                    if set >> index & 1 == 0 {
                        hint.remove(grid, cell, union);
                    } else {
                        hint.cells |= 1 << cell;
                    }
                }
                hint.is_worth()
            });
            if is_found {
                return true;
            }
        }
    }
    false
}

/// Finds type 4. Two cells with extra candidates share a house, and also share exactly one candidate that is
/// not extra.
///
/// One of the two cells must contain the shared candidate.
fn type_4(grid: &Grid, grave: &Grave, hint: &mut Hint) -> bool {
    let &[first, second] = grave.more() else { return false };
    let common = grid.candidates[first] & grid.candidates[second] & !grave.all_extra;
    if !is_one(common) {
        return false;
    }
    let Some(house) = grave.houses().next() else { return false };
    begin(hint, Technique::BivalueGrave4, grave.more(), grave.all_extra | common);
    hint.add_house(house);
    for cell in [first, second] {
        hint.remove(grid, cell, ALL & !(grave.extra[cell] | common));
    }
    true
}
