//! Cells whose digits are known from each other, such as opposite cells of a palindrome or the cells of an X, and what
//! follows: whatever differs from a cell differs from all cells equal to it, and if two cells differ, so do the cells that
//! are ten minus each. Without these pairs a search guesses through millions of grids to find that ten cells would have
//! to differ.
//!
//! ```text
//! a = b, b + c = 10, c + d = 10     component {a, b, c, d}; maps from the digit of a: x, x, 10 - x, x
//! ```

use std::collections::{HashMap, HashSet};

use super::{Rules, Table};

/// Maximum side length of a grid for which implied pairs (cells that must differ because of relations) are
/// computed. The time grows with the fourth power of the side length.
const MAX_SIDE: usize = 25;

/// A cell of a component, and a table.
///
/// In a component, the digit of one cell determines the digits of all cells. The table has this cell's digit
/// for each possible digit of the component's first cell.
type Mapped = (u16, Table);

/// Returns the composition of two maps between digits: the map `first`, followed by the map `then`.
fn composed(first: &[u64], then: &[u64]) -> Table {
    let of = |mask: &u64| if *mask == 0 { 0 } else { then[mask.trailing_zeros() as usize] };
    first.iter().map(of).collect()
}

/// Returns the inverse of a map between digits.
fn inverse(table: &[u64]) -> Table {
    let mut inverse: Table = vec![0; table.len()].into();
    for (digit, mask) in table.iter().enumerate().filter(|(_, mask)| **mask != 0) {
        inverse[mask.trailing_zeros() as usize] = 1 << digit;
    }
    inverse
}

/// Returns true if the table maps each digit to at most one digit, and no two digits to the same digit.
fn is_map(table: &[u64]) -> bool {
    let all = table.iter().fold(0, |all, mask| all | mask);
    let ones: u32 = table.iter().map(|mask| mask.count_ones()).sum();
    ones == all.count_ones() && table.iter().all(|mask| mask.count_ones() <= 1)
}

/// Returns the components: sets of cells that are connected by relations whose tables are maps. A cell
/// without such relations is a component by itself.
fn components(rules: &Rules) -> Vec<Vec<Mapped>> {
    let side = rules.shape.side();
    let maps: Vec<bool> = rules.tables.iter().map(|table| is_map(table)).collect();
    let mut links: Vec<Vec<(u16, u16)>> = vec![Vec::new(); side * side];
    for relation in rules.relations.iter().filter(|relation| maps[usize::from(relation.table)]) {
        links[usize::from(relation.from)].push((relation.to, relation.table));
    }
    let mut is_placed = vec![false; side * side];
    let mut components = Vec::new();
    for first in 0..side * side {
        if std::mem::replace(&mut is_placed[first], true) {
            continue;
        }
        let mut cells: Vec<Mapped> = vec![(first as u16, (0..side).map(|digit| 1 << digit).collect())];
        let mut next = 0;
        while let Some((cell, map)) = cells.get(next).cloned() {
            next += 1;
            for &(to, table) in &links[usize::from(cell)] {
                if !std::mem::replace(&mut is_placed[usize::from(to)], true) {
                    cells.push((to, composed(&map, &rules.tables[usize::from(table)])));
                }
            }
        }
        components.push(cells);
    }
    components
}

/// Returns the pairs of cells that must differ as a consequence of relations that are maps between digits.
///
/// Each pair occurs once, in ascending order, with the lower cell first. The result may include pairs that
/// share a house, and pairs from [`Rules::different`].
pub(super) fn implied(rules: &Rules) -> Vec<(u16, u16)> {
    let side = rules.shape.side();
    if side > MAX_SIDE || !rules.tables.iter().any(|table| is_map(table)) {
        return Vec::new();
    }
    let components = components(rules);
    let mut different: HashSet<(u16, u16)> = rules.all_different().collect();
    for house in rules.houses() {
        let later = |(at, &a): (usize, &u16)| house.cells[at + 1..].iter().map(move |&b| (a, b));
        different.extend(house.cells.iter().enumerate().flat_map(later));
    }
    let has_equal = |cells: &Vec<Mapped>| {
        cells.iter().enumerate().any(|(at, (_, map))| cells[..at].iter().any(|(_, other)| map == other))
    };
    let have_equal: Vec<bool> = components.iter().map(has_equal).collect();
    let mut pairs = Vec::new();
    for (at, one) in components.iter().enumerate() {
        let inverses: Vec<Table> = one.iter().map(|(_, map)| inverse(map)).collect();
        for (number, two) in components.iter().enumerate().skip(at + 1) {
            if !(have_equal[at] || have_equal[number] || one.len() > 1 && two.len() > 1) {
                continue;
            }
            // Groups the pairs of cells, one cell from each component, by the condition under which the two
            // cells are equal. The condition is the key. It is a map from the digit of the second component's
            // first cell to the digit of the first component's first cell.
            let mut equal_at: HashMap<Table, Vec<(u16, u16)>> = HashMap::new();
            for ((a, _), inverse) in one.iter().zip(&inverses) {
                for (b, map) in two {
                    equal_at.entry(composed(map, inverse)).or_default().push((*a.min(b), *a.max(b)));
                }
            }
            let follows = |pairs: &Vec<(u16, u16)>| pairs.iter().any(|pair| different.contains(pair));
            pairs.extend(equal_at.into_values().filter(|pairs| pairs.len() > 1 && follows(pairs)).flatten());
        }
    }
    pairs.sort_unstable();
    pairs
}
