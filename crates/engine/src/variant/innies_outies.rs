//! Sums that follow from full houses and the cages in them.
//!
//! Take one to three full houses: the sum of their cells is known. If cages lie completely inside, the other cells of
//! the houses have the rest of the sum (*innies*). If cages reach outside, their cells there are *outies*. For all
//! cages that touch the houses:
//!
//! ```text
//! sum of the cages that touch - sums of the houses  =  cells of cages outside - cells of no cage inside
//! ```
//! Houses without a common cage are not combined, because the result would only be the sum of two known results. This
//! is computed once per set of rules. But each killer puzzle has its own rules, so it must be fast: sets of words take
//! a tenth of the time of lists of cells.

use super::cells::Cells;
use super::sum_table::SumTable;
use super::tables::Tables;

/// Maximum number of houses with all digits. More houses would take too long, because every pair of them is
/// tried.
const MAX_HOUSES: usize = 200;
/// Maximum number of cells in a derived sum. Sums with more cells are not useful.
const CELLS: usize = 5;
/// A set of cells or of cage indices. Its 256 elements are enough for a 16x16 grid.
///
/// Larger grids are not supported, because the notation of rules can name only cells in the first 16 rows and
/// columns.
type Set = Cells<4>;

/// Returns the sums that follow from full houses (houses that hold every digit) and cages.
///
/// Returns no sums for a grid with more than 256 cells. Leaves out each cage that shares a cell with an
/// earlier cage, because the shared cell would count twice.
pub(super) fn derived(tables: &Tables) -> Vec<SumTable> {
    let (mut cages, mut covered) = (Vec::new(), Set::NONE);
    if tables.cells > 256 || tables.houses() > MAX_HOUSES {
        return Vec::new();
    }
    // In a sum, terms may cancel each other out until no cell is left. Such a sum is also marked as a cage,
    // but it is skipped here.
    for sum in tables.sums.iter().filter(|sum| sum.is_cage && !sum.terms.is_empty()) {
        let cells: Set = sum.terms.iter().map(|&(cell, _)| usize::from(cell)).collect();
        if (cells & covered).is_empty() {
            covered = covered | cells;
            cages.push((cells, sum.target));
        }
    }
    if cages.is_empty() {
        return Vec::new();
    }
    let mut rests = HouseSums { tables, cages, found: Vec::new() };
    let parts: Vec<HouseGroup> = (0..tables.houses()).map(|house| rests.part_of(house)).collect();
    let are_joined = |a: usize, b: usize| {
        let (a, b) = (&parts[a], &parts[b]);
        !(a.touched & b.touched).is_empty() && (a.inside & b.inside).is_empty()
    };
    for a in 0..parts.len() {
        rests.add(&parts[a]);
        for b in (a + 1..parts.len()).filter(|&b| are_joined(a, b)) {
            let two = rests.join(&parts[a], &parts[b]);
            rests.add(&two);
            // Three houses are combined only if their indices are consecutive, like those of three rows.
            // There are too many triples to try all of them.
            let c = b + 1;
            if b == a + 1 && c < parts.len() && are_joined(b, c) && tables.are_apart(a, c) {
                let three = rests.join(&two, &parts[c]);
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

/// A group of disjoint houses, and the cages that have cells in these houses.
struct HouseGroup {
    houses: usize,
    /// The cells of the houses.
    inside: Set,
    /// Indices of the cages that have cells in the houses.
    touched: Set,
    /// All cells of the cages that touch the houses, including the cells outside the houses.
    covered: Set,
    /// Total of the sums of all cages that touch the houses.
    touched_sum: i32,
    /// Cells of the cages that lie completely in the houses.
    within: Set,
    /// Total of the sums of all cages that lie completely in the houses.
    within_sum: i32,
}

/// The cages of a grid, and the sums derived from them so far.
struct HouseSums<'a> {
    tables: &'a Tables,
    /// The cells and the sum of each cage.
    ///
    /// The cages are disjoint, so the grid has at least as many cells as cages.
    cages: Vec<(Set, i32)>,
    found: Vec<SumTable>,
}

impl HouseSums<'_> {
    /// Returns the group that consists of one house.
    fn part_of(&self, house: usize) -> HouseGroup {
        let mut part = HouseGroup {
            houses: 1,
            inside: Set::from_cells(self.tables.house(house)),
            touched: Set::NONE,
            covered: Set::NONE,
            touched_sum: 0,
            within: Set::NONE,
            within_sum: 0,
        };
        for (number, (cage, sum)) in self.cages.iter().enumerate() {
            if !(*cage & part.inside).is_empty() {
                part.touched = part.touched | Set::only(number);
                part.touched_sum += sum;
                part.covered = part.covered | *cage;
                self.add_within(number, &mut part);
            }
        }
        part
    }

    /// Joins two groups that have no common cell.
    ///
    /// A cage may lie in the joined group, but not completely in either of the two groups. Such a cage
    /// touches both of them.
    fn join(&self, one: &HouseGroup, other: &HouseGroup) -> HouseGroup {
        let mut joined = HouseGroup {
            houses: one.houses + other.houses,
            inside: one.inside | other.inside,
            touched: one.touched | other.touched,
            covered: one.covered | other.covered,
            touched_sum: one.touched_sum + other.touched_sum,
            within: one.within | other.within,
            within_sum: one.within_sum + other.within_sum,
        };
        let mut both = one.touched & other.touched;
        while let Some(number) = both.pop() {
            joined.touched_sum -= self.cages[number].1;
            self.add_within(number, &mut joined);
        }
        joined
    }

    /// Adds a cage to those that lie completely in the group, if all its cells are in the group's houses.
    fn add_within(&self, number: usize, part: &mut HouseGroup) {
        let (cage, sum) = self.cages[number];
        if cage.without(part.inside).is_empty() {
            part.within_sum += sum;
            part.within = part.within | cage;
        }
    }

    /// Adds the sums that can be derived from a group of houses.
    fn add(&mut self, part: &HouseGroup) {
        let side = self.tables.side;
        let total = (part.houses * side * (side + 1) / 2) as i32;
        let HouseGroup { inside, covered, within, .. } = *part;
        let sees = |a: u16, b: u16| self.tables.sees(a.into(), b.into());
        let inner = inside.without(within);
        if (1..=CELLS).contains(&inner.count()) {
            let terms = terms(&[(inner, 1)]);
            self.found.push(SumTable::from_terms(terms, total - part.within_sum, sees));
        }
        // Cells of the houses that are in no cage also become terms of the sum, with a negative sign.
        let (outer, open) = (covered.without(inside), inside.without(covered));
        if !outer.is_empty() && outer.count() + open.count() <= CELLS {
            let terms = terms(&[(outer, 1), (open, -1)]);
            self.found.push(SumTable::from_terms(terms, part.touched_sum - total, sees));
        }
    }
}

/// Returns the terms of a sum in ascending order of cells, from sets of cells with their coefficients.
fn terms(sets: &[(Set, i32)]) -> Vec<(u16, i32)> {
    let mut terms = Vec::with_capacity(CELLS);
    sets.iter().for_each(|&(set, by)| set.visit(|cell| terms.push((cell as u16, by))));
    terms.sort_unstable();
    terms
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use quadrille_model::rules::{Shape, compile};

    #[test]
    fn innies_and_outies_of_a_row_are_found() {
        let text = ".Cage~12~R1C1~R1C2~R1C3.Cage~20~R1C4~R1C5~R1C6~R1C7.Cage~16~R1C8~R1C9~R2C9";
        let rules = Arc::new(compile(text, Shape { box_rows: 3, box_columns: 3 }).unwrap());
        let found = derived(&Tables::new(&rules));
        let has = |terms: &[(u16, i32)], target: i32| {
            found.iter().filter(|sum| sum.terms == terms && sum.target == target).count() == 1
        };
        assert!(has(&[(7, 1), (8, 1)], 13), "innies of row 1: {found:?}");
        assert!(has(&[(17, 1)], 3), "the outie of row 1: {found:?}");
        // The second cage has cells in boxes 1 and 2. But ten cells of these boxes are in no cage, so a sum
        // derived from both boxes would be too long.
        assert!(found.iter().all(|sum| sum.terms.len() <= CELLS));
    }

    #[test]
    fn sums_without_cells_are_no_cages() {
        let text = ".Sum~0_=_0~R1C1".repeat(300) + ".Arrow~R1C1~R1C1.Cage~3~R1C1~R1C2";
        let rules = Arc::new(compile(&text, Shape { box_rows: 3, box_columns: 3 }).unwrap());
        let found = derived(&Tables::new(&rules));
        assert!(found.iter().all(|sum| !sum.terms.is_empty()));
    }

    #[test]
    fn innies_are_found_in_a_large_grid_with_many_cages() {
        // Every cell of the 16x16 grid, except the last two, is in a cage of two adjacent cells. The cages
        // fill the grid row by row.
        let name = |cell: usize| quadrille_model::rules::name_of(cell, 16);
        let pair = |first: usize| format!(".Cage~17~{}~{}", name(first), name(first + 1));
        let text: String = (0..254).step_by(2).map(pair).collect();
        let rules = Arc::new(compile(&text, Shape { box_rows: 4, box_columns: 4 }).unwrap());
        let found = derived(&Tables::new(&rules));
        let last: Vec<&SumTable> = found.iter().filter(|sum| sum.terms == [(254, 1), (255, 1)]).collect();
        assert_eq!(last.iter().map(|sum| sum.target).collect::<Vec<_>>(), [136 - 7 * 17]);
    }
}
