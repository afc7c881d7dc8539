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
use crate::bits::bits_of;

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
    let mut rests = Rests { tables, cages, targets, found: Vec::new() };
    let parts: Vec<Part> = houses.chunks(words).map(|house| rests.part_of(house)).collect();
    let are_joined = |a: usize, b: usize| {
        meet(&parts[a].touched, &parts[b].touched) && !meet(&parts[a].inside, &parts[b].inside)
    };
    let (mut two, mut three) = (Part::default(), Part::default());
    for a in 0..parts.len() {
        rests.add(&parts[a]);
        for b in (a + 1..parts.len()).filter(|&b| are_joined(a, b)) {
            rests.join(&parts[a], &parts[b], &mut two);
            rests.add(&two);
            // Three that follow each other, as rows do: all triples would be too many.
            let c = b + 1;
            if b == a + 1 && c < parts.len() && are_joined(b, c) && tables.are_apart(a, c) {
                rests.join(&two, &parts[c], &mut three);
                rests.add(&three);
            }
        }
    }
    let mut found = rests.found;
    found.sort_by(|a, b| (&a.terms, a.target).cmp(&(&b.terms, b.target)));
    found.dedup();
    found.retain(|sum| !tables.sums.contains(sum));
    found
}

/// True if two sets have a common element.
fn meet(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// Some houses without a common cell, and the cages that touch them.
#[derive(Debug, Default)]
struct Part {
    houses: usize,
    /// The cells of the houses.
    inside: Vec<u64>,
    /// The numbers of the cages that have cells inside; their cells, and their sum.
    touched: Vec<u64>,
    covered: Vec<u64>,
    touched_sum: i32,
    /// The cells of the cages of which all cells are inside, and their sum.
    within: Vec<u64>,
    within_sum: i32,
}

/// The cages, and the sums found so far.
struct Rests<'a> {
    tables: &'a Tables,
    /// Sets of cells, one behind the other.
    cages: Vec<u64>,
    targets: Vec<i32>,
    found: Vec<SumTable>,
}

impl Rests<'_> {
    /// A house by itself.
    fn part_of(&self, house: &[u64]) -> Part {
        let words = self.tables.words;
        let mut part = Part {
            houses: 1,
            inside: house.to_vec(),
            touched: vec![0; self.targets.len().div_ceil(64)],
            covered: vec![0; words],
            within: vec![0; words],
            ..Part::default()
        };
        for number in 0..self.targets.len() {
            if meet(self.cage(number), house) {
                part.touched[number / 64] |= 1 << (number % 64);
                part.touched_sum += self.targets[number];
                part.covered.iter_mut().zip(self.cage(number)).for_each(|(word, cage)| *word |= cage);
                self.add_within(number, &mut part);
            }
        }
        part
    }

    /// Makes two parts without a common cell one. Only cages that touch both are looked at.
    fn join(&self, one: &Part, other: &Part, joined: &mut Part) {
        let union = |one: &[u64], other: &[u64], joined: &mut Vec<u64>| {
            joined.clear();
            joined.extend(one.iter().zip(other).map(|(one, other)| one | other));
        };
        joined.houses = one.houses + other.houses;
        union(&one.inside, &other.inside, &mut joined.inside);
        union(&one.touched, &other.touched, &mut joined.touched);
        union(&one.covered, &other.covered, &mut joined.covered);
        union(&one.within, &other.within, &mut joined.within);
        joined.touched_sum = one.touched_sum + other.touched_sum;
        joined.within_sum = one.within_sum + other.within_sum;
        for number in bits_of(one.touched.iter().zip(&other.touched).map(|(one, other)| one & other)) {
            joined.touched_sum -= self.targets[number];
            self.add_within(number, joined);
        }
    }

    /// Notes a cage if all of its cells are inside.
    fn add_within(&self, number: usize, part: &mut Part) {
        let cage = self.cage(number);
        if cage.iter().zip(&part.inside).all(|(cage, inside)| cage & !inside == 0) {
            part.within_sum += self.targets[number];
            part.within.iter_mut().zip(cage).for_each(|(word, cage)| *word |= cage);
        }
    }

    /// The cells of a cage.
    fn cage(&self, number: usize) -> &[u64] {
        &self.cages[number * self.tables.words..][..self.tables.words]
    }

    /// Adds the sums that follow from a part.
    fn add(&mut self, part: &Part) {
        let side = self.tables.side;
        let total = (part.houses * side * (side + 1) / 2) as i32;
        let Part { inside, covered, within, .. } = part;
        let sees = |a: u16, b: u16| self.tables.sees(a.into(), b.into());
        let inner = count(inside, within);
        if (1..=CELLS).contains(&inner) {
            let terms = terms(inside, within, 1).collect();
            self.found.push(SumTable::of(terms, total - part.within_sum, sees));
        }
        let outer = count(covered, inside);
        // Cells of no cage count among them, the other way round.
        if (1..=CELLS).contains(&outer) && outer + count(inside, covered) <= CELLS {
            let mut terms: Vec<(u16, i32)> =
                terms(covered, inside, 1).chain(terms(inside, covered, -1)).collect();
            terms.sort_unstable();
            self.found.push(SumTable::of(terms, part.touched_sum - total, sees));
        }
    }
}

/// The number of cells of a set that are not in another.
fn count(set: &[u64], other: &[u64]) -> usize {
    set.iter().zip(other).map(|(set, other)| (set & !other).count_ones() as usize).sum()
}

/// The cells of a set that are not in another, so many times each.
fn terms(set: &[u64], other: &[u64], by: i32) -> impl Iterator<Item = (u16, i32)> {
    bits_of(set.iter().zip(other).map(|(set, other)| set & !other)).map(move |cell| (cell as u16, by))
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
