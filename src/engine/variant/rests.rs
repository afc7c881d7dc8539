//! Sums that follow from full houses and the cages in them.
//!
//! A full house has a known sum. What the cages inside one to three of them leave over has the rest of it (*innies*); where
//! cages cover all of them, what stands out of them has what is too much (*outies*), less what no cage covers:
//!
//! ```text
//! sum of the cages that touch - sums of the houses  =  cells of cages outside - cells of no cage inside
//! ```
//! Houses that no cage joins are not taken together: their sum is that of two others. All this is done once for the rules,
//! but a killer has rules of its own: on sets of words it takes a tenth of what it took on lists of cells.

use super::sum_table::SumTable;
use super::tables::Tables;
use crate::bits::{Bits, bits_of};

/// Full houses at most: their pairs are looked at.
const MOST_HOUSES: usize = 200;
/// Cells of a sum that is worth having at most.
const CELLS: usize = 5;

/// Adds the sums that follow. Cages that share a cell with another are left out, since it would count twice.
pub(super) fn derived(tables: &Tables) -> Vec<SumTable> {
    let words = tables.words;
    let (mut targets, mut cages, mut covered) = (Vec::new(), Vec::new(), vec![0u64; words]);
    for cage in tables.sums.iter().filter(|sum| sum.is_cage) {
        let is_free = |&(cell, _): &(u16, i32)| covered[usize::from(cell) / 64] >> (cell % 64) & 1 == 0;
        if cage.terms.iter().all(is_free) {
            let start = cages.len();
            cages.resize(start + words, 0);
            for &(cell, _) in &cage.terms {
                cages[start + usize::from(cell) / 64] |= 1 << (cell % 64);
                covered[usize::from(cell) / 64] |= 1 << (cell % 64);
            }
            targets.push(cage.target);
        }
    }
    if targets.is_empty() || tables.houses() > MOST_HOUSES {
        return Vec::new();
    }
    let houses: Vec<u64> =
        (0..tables.houses()).flat_map(|house| tables.beside_house(house).iter().map(|word| !word)).collect();
    let mut rests = Rests { tables, cages, targets, scratch: vec![0; 4 * words], found: Vec::new() };
    let house = |number: usize| &houses[number * words..(number + 1) * words];
    let touched: Vec<Vec<u64>> = (0..tables.houses()).map(|number| rests.touched_by(house(number))).collect();
    let are_joined = |a: usize, b: usize| {
        let meet = |one: &[u64], other: &[u64]| one.iter().zip(other).any(|(one, other)| one & other != 0);
        meet(&touched[a], &touched[b]) && !meet(house(a), house(b))
    };
    for a in 0..tables.houses() {
        rests.add(&[house(a)], &[&touched[a]]);
        for b in (a + 1..tables.houses()).filter(|&b| are_joined(a, b)) {
            rests.add(&[house(a), house(b)], &[&touched[a], &touched[b]]);
            // Three that follow each other, as rows do: all triples would be too many.
            let c = b + 1;
            if b == a + 1 && c < tables.houses() && are_joined(b, c) && tables.are_apart(a, c) {
                rests.add(&[house(a), house(b), house(c)], &[&touched[a], &touched[b], &touched[c]]);
            }
        }
    }
    let mut found = rests.found;
    found.sort_by(|a, b| (&a.terms, a.target).cmp(&(&b.terms, b.target)));
    found.dedup();
    found.retain(|sum| !tables.sums.contains(sum));
    found
}

/// The cages, and the sums found so far.
struct Rests<'a> {
    tables: &'a Tables,
    /// Sets of cells, one behind the other.
    cages: Vec<u64>,
    targets: Vec<i32>,
    /// Four sets: what is inside, and of that what cages within cover; what cages cover, inside and outside.
    scratch: Vec<u64>,
    found: Vec<SumTable>,
}

impl Rests<'_> {
    /// The numbers of the cages that have cells of a house, as a set.
    fn touched_by(&self, house: &[u64]) -> Vec<u64> {
        let mut touched = vec![0; self.targets.len().div_ceil(64)];
        for (number, cage) in self.cages.chunks(self.tables.words).enumerate() {
            if cage.iter().zip(house).any(|(cage, house)| cage & house != 0) {
                touched[number / 64] |= 1 << (number % 64);
            }
        }
        touched
    }

    /// Adds the sums that follow from houses without a common cell, with the cages that each touches.
    fn add(&mut self, houses: &[&[u64]], touched: &[&Vec<u64>]) {
        let words = self.tables.words;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.fill(0);
        let (inside, rest) = scratch.split_at_mut(words);
        let (within, rest) = rest.split_at_mut(words);
        let (covered, outside) = rest.split_at_mut(words);
        for house in houses {
            inside.iter_mut().zip(*house).for_each(|(word, house)| *word |= house);
        }
        let side = self.tables.side;
        let total = (houses.len() * side * (side + 1) / 2) as i32;
        let (mut left, mut too_much) = (total, -total);
        for word in 0..touched[0].len() {
            for bit in Bits(touched.iter().fold(0, |all, touched| all | touched[word])) {
                let number = 64 * word + bit;
                let cage = &self.cages[number * words..(number + 1) * words];
                let mut beyond = 0;
                for at in 0..words {
                    covered[at] |= cage[at];
                    beyond |= cage[at] & !inside[at];
                }
                too_much += self.targets[number];
                if beyond == 0 {
                    left -= self.targets[number];
                    within.iter_mut().zip(cage).for_each(|(word, cage)| *word |= cage);
                }
            }
        }
        let count = |set: &[u64]| set.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        for at in 0..words {
            within[at] = inside[at] & !within[at];
            outside[at] = covered[at] & !inside[at];
            // Of no cage.
            inside[at] &= !covered[at];
        }
        let sees = |a: u16, b: u16| self.tables.sees(a.into(), b.into());
        let terms = |set: &[u64], by: i32| {
            bits_of(set.iter().copied()).map(|cell| (cell as u16, by)).collect::<Vec<(u16, i32)>>()
        };
        if (1..=CELLS).contains(&count(within)) {
            self.found.push(SumTable::of(terms(within, 1), left, sees));
        }
        let out = count(outside);
        if out > 0 && out + count(inside) <= CELLS {
            let mut outer = terms(outside, 1);
            outer.extend(terms(inside, -1));
            outer.sort_unstable();
            self.found.push(SumTable::of(outer, too_much, sees));
        }
        self.scratch = scratch;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rules::{Shape, compile};

    #[test]
    fn what_cages_leave_of_a_row_and_have_outside_of_it_is_known() {
        let text = ".Cage~12~R1C1~R1C2~R1C3.Cage~20~R1C4~R1C5~R1C6~R1C7.Cage~16~R1C8~R1C9~R2C9";
        let rules = Arc::new(compile(text, Shape { box_rows: 3, box_columns: 3 }).unwrap());
        let found = derived(&Tables::new(&rules));
        let has = |terms: &[(u16, i32)], target: i32| {
            found.iter().filter(|sum| sum.terms == terms && sum.target == target).count() == 1
        };
        assert!(has(&[(7, 1), (8, 1)], 13), "innies of row 1: {found:?}");
        assert!(has(&[(17, 1)], 3), "the outie of row 1: {found:?}");
        // Boxes 1 and 2 are joined by the second cage, but ten cells of them are in none.
        assert!(found.iter().all(|sum| sum.terms.len() <= CELLS));
    }
}
