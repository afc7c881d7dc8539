//! Grids with rules as exact cover: houses, different cells and relations, but not sums and quotas.
//!
//! ```text
//! primary    a cell holds a digit; a full house holds a digit
//! secondary  a house that is not full holds a digit at most once; two different cells hold a digit at most once;
//!            two cells of a relation do not hold a forbidden pair of digits
//! options    cell and digit: their items
//! ```

use super::Placed;
use crate::rules::Rules;
use crate::{CoverBuilder, CoverProblem, Entry, Error, NO_COLOUR, Puzzle, Result, RuleClass};

/// Lists of the items that each digit in each cell covers, at index `cell * side + digit`.
struct Items {
    side: usize,
    of: Vec<Vec<usize>>,
    names: Vec<String>,
    primary: usize,
}

impl Items {
    /// Adds one item per digit. An option covers the item if it places the digit in one of the given cells.
    fn add_digits(&mut self, name: &str, cells: &[u16]) {
        for digit in 0..self.side {
            let item = self.names.len();
            self.names.push(format!("{name}.{}", digit + 1));
            cells.iter().for_each(|&cell| self.of[usize::from(cell) * self.side + digit].push(item));
        }
    }
}

/// Converts a grid with rules to an exact cover problem.
///
/// Also returns the cell and the digit of each option.
///
/// # Errors
/// Returns an error if there are sums, letter groups, or rules that some cells must contain certain digits.
pub(super) fn to_cover(puzzle: &Puzzle, rules: &Rules) -> Result<(CoverProblem, Vec<Placed>)> {
    if RuleClass::from_rules(Some(rules)) == RuleClass::Sums || !puzzle.constraints().is_empty() {
        return Err(Error::usage(
            "a grid with sums, quads, or both rules and letter groups cannot be encoded as an exact cover problem",
        ));
    }
    let side = rules.shape().side();
    let cells = rules.shape().cells();
    let names: Vec<String> = (0..cells).map(|cell| format!("p{}.{}", cell / side, cell % side)).collect();
    let of = (0..cells * side).map(|option| vec![option / side]).collect();
    let mut items = Items { side, of, names, primary: 0 };
    let (full, others): (Vec<_>, Vec<_>) = rules.houses().partition(|house| house.cells.len() == side);
    for (number, house) in full.iter().enumerate() {
        items.add_digits(&format!("h{number}"), house.cells);
    }
    items.primary = items.names.len();
    for (number, house) in others.iter().enumerate() {
        items.add_digits(&format!("g{number}"), house.cells);
    }
    for (number, &(a, b)) in rules.different().iter().enumerate() {
        items.add_digits(&format!("d{number}"), &[a, b]);
    }
    for relation in rules.relations().iter().filter(|relation| relation.from < relation.to) {
        let table = &rules.tables()[usize::from(relation.table)];
        let (from, to) = (usize::from(relation.from) * side, usize::from(relation.to) * side);
        for (x, allowed) in table.iter().enumerate() {
            for y in (0..side).filter(|y| allowed >> y & 1 == 0) {
                let item = items.names.len();
                items.names.push(format!("f{item}"));
                items.of[from + x].push(item);
                items.of[to + y].push(item);
            }
        }
    }
    let mut builder = CoverBuilder::new();
    for (item, name) in items.names.iter().enumerate() {
        if item < items.primary {
            builder.primary(name)?;
        } else {
            builder.secondary(name)?;
        }
    }
    let mut placed = Vec::new();
    for (cell, set) in puzzle.candidates().iter().enumerate() {
        for digit in set.iter() {
            let of = &items.of[cell * side + digit];
            let entries: Vec<Entry> =
                of.iter().map(|&item| Entry { item: item as u32, colour: NO_COLOUR }).collect();
            builder.option_of(&entries, 0, None)?;
            placed.push((vec![cell as u16], digit as u8));
        }
    }
    Ok((builder.build()?, placed))
}
