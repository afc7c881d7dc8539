//! Sums that follow from full houses and the cages in them.
//!
//! A full house has a known sum. What the cages inside one to three of them leave over has the rest of it (*innies*); where
//! cages cover all of them, what stands out of them has what is too much (*outies*), less what no cage covers:
//!
//! ```text
//! sum of the cages that touch - sums of the houses  =  cells of cages outside - cells of no cage inside
//! ```

use super::sum_table::SumTable;
use super::tables::Tables;

/// Houses that are taken together at most.
const TOGETHER: usize = 3;
/// Full houses at most: their pairs are looked at.
const MOST_HOUSES: usize = 200;
/// Cells of a sum that is worth having at most.
const CELLS: usize = 5;

/// Adds the sums that follow. Cages that share a cell with another are left out, since it would count twice.
pub(super) fn derived(tables: &Tables) -> Vec<SumTable> {
    let cages: Vec<&SumTable> = tables.sums.iter().filter(|sum| sum.is_cage).collect();
    if cages.is_empty() || tables.houses() > MOST_HOUSES {
        return Vec::new();
    }
    let mut cage_of: Vec<Option<usize>> = vec![None; tables.cells];
    for (number, cage) in cages.iter().enumerate() {
        if cage.terms.iter().all(|&(cell, _)| cage_of[usize::from(cell)].is_none()) {
            cage.terms.iter().for_each(|&(cell, _)| cage_of[usize::from(cell)] = Some(number));
        }
    }
    let mut found = Vec::new();
    let houses = tables.houses();
    let mut groups = Vec::new();
    for a in 0..houses {
        groups.push(vec![a]);
        for b in a + 1..houses {
            if !tables.are_apart(a, b) {
                continue;
            }
            groups.push(vec![a, b]);
            // Three that follow each other, as rows do: all triples would be too many.
            let c = b + 1;
            if TOGETHER > 2 && b == a + 1 && c < houses && tables.are_apart(a, c) && tables.are_apart(b, c) {
                groups.push(vec![a, b, c]);
            }
        }
    }
    for group in &groups {
        rests(tables, &cages, &cage_of, group, &mut found);
    }
    found.sort_by(|a, b| (&a.terms, a.target).cmp(&(&b.terms, b.target)));
    found.dedup();
    found.retain(|sum| !tables.sums.contains(sum));
    found
}

/// The sums that follow from houses without a common cell.
fn rests(
    tables: &Tables,
    cages: &[&SumTable],
    cage_of: &[Option<usize>],
    group: &[usize],
    found: &mut Vec<SumTable>,
) {
    let mut inside = vec![false; tables.cells];
    for &house in group {
        tables.house(house).iter().for_each(|&cell| inside[usize::from(cell)] = true);
    }
    let total = (group.len() * tables.side * (tables.side + 1) / 2) as i32;
    let (mut left, mut uncovered) = (total, 0);
    let (mut too_much, mut inner, mut outer) = (-total, Vec::new(), Vec::new());
    let mut seen = Vec::new();
    for cell in (0..tables.cells).filter(|&cell| inside[cell]) {
        let Some(number) = cage_of[cell] else {
            uncovered += 1;
            inner.push((cell as u16, 1));
            outer.push((cell as u16, -1));
            continue;
        };
        let cage = cages[number];
        let is_within = cage.terms.iter().all(|&(cell, _)| inside[usize::from(cell)]);
        if !is_within {
            inner.push((cell as u16, 1));
        }
        if !seen.contains(&number) {
            seen.push(number);
            too_much += cage.target;
            if is_within {
                left -= cage.target;
            }
            outer.extend(cage.terms.iter().filter(|&&(cell, _)| !inside[usize::from(cell)]));
        }
    }
    let sees = |a: u16, b: u16| tables.sees(a.into(), b.into());
    if (1..=CELLS).contains(&inner.len()) {
        found.push(SumTable::of(inner, left, sees));
    }
    if (1..=CELLS).contains(&outer.len()) && uncovered < outer.len() {
        outer.sort_unstable();
        found.push(SumTable::of(outer, too_much, sees));
    }
}
