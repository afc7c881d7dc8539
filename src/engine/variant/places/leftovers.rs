//! Sets of cells with the same digits.
//!
//! Some neighbouring rows, columns or boxes and as many regions that cover mostly the same cells: what only the lines have holds the
//! digits of what only the regions have, as often (setters call it the law of leftovers). A digit without a place in one of the
//! two has none in the other. Only regions in the items of rules have leftovers worth having: those of rows with boxes say
//! what digits see in common says as well.

use super::LARGEST_SIDE;
use super::cells::Cells;
use crate::rules::{Label, Rules};

/// Leftovers at most: bits of a word.
const MOST: usize = 64;

/// The leftovers of the rules, the smallest first: those of two thirds of a side at most, since larger ones hardly ever lack a
/// digit. On minimal jigsaws of side 9 they save two nodes of three. `houses` are the full houses of the rules, in their order.
pub(super) fn leftovers<const W: usize>(rules: &Rules, houses: &[Cells<W>]) -> Vec<[Cells<W>; 2]> {
    let side = rules.shape().side();
    let full = rules.houses().filter(|house| house.cells.len() == side);
    let labelled = full.map(|house| house.label).zip(houses.iter().copied());
    let of_kind = |is_kind: fn(Label) -> bool| -> Vec<Cells<W>> {
        let mut of_kind = Vec::with_capacity(side);
        of_kind.extend(labelled.clone().filter(|&(label, _)| is_kind(label)).map(|(_, cells)| cells));
        of_kind
    };
    let families = families(&of_kind(|label| matches!(label, Label::Item(..))), side);
    if !families.iter().any(|family| family.len() == side) {
        return Vec::new();
    }
    let is_line: [fn(Label) -> bool; 3] = [
        |label| matches!(label, Label::Row(_)),
        |label| matches!(label, Label::Column(_)),
        |label| matches!(label, Label::Box(_)),
    ];
    let mut found = Vec::with_capacity(MOST);
    for is_line in is_line {
        let lines = of_kind(is_line);
        if lines.len() == side {
            families
                .iter()
                .filter(|family| family.len() == side)
                .for_each(|regions| add(&lines, regions, 2 * side / 3, &mut found));
        }
    }
    found.sort_by_key(|&(size, _)| size);
    found.into_iter().take(MOST).map(|(_, pair)| pair).collect()
}

/// Houses in families without common cells: each joins the first in which it has none. Most have as many houses as digits.
fn families<const W: usize>(houses: &[Cells<W>], side: usize) -> Vec<Vec<Cells<W>>> {
    let mut families: Vec<Vec<Cells<W>>> = Vec::new();
    for &house in houses {
        match families.iter_mut().find(|family| family.iter().all(|&other| (other & house).is_empty())) {
            Some(family) => family.push(house),
            None => {
                let mut family = Vec::with_capacity(side);
                family.push(house);
                families.push(family);
            }
        }
    }
    families
}

/// Adds the leftovers of neighbouring lines and the regions that cover most of them, each once, with their size.
fn add<const W: usize>(
    lines: &[Cells<W>],
    regions: &[Cells<W>],
    largest: usize,
    found: &mut Vec<(usize, [Cells<W>; 2])>,
) {
    let side = lines.len();
    let mut line_of = [0u8; LARGEST_SIDE * LARGEST_SIDE];
    for (line, cells) in lines.iter().enumerate() {
        cells.visit(|cell| line_of[cell] = line as u8);
    }
    // Behind each line, how many cells of each region the lines up to it have: sets are made only of what is small enough.
    let mut before = [[0u8; LARGEST_SIDE]; LARGEST_SIDE + 1];
    for (region, cells) in regions.iter().enumerate() {
        cells.visit(|cell| before[usize::from(line_of[cell]) + 1][region] += 1);
    }
    for line in 0..side {
        let here = before[line];
        before[line + 1].iter_mut().zip(here).for_each(|(behind, here)| *behind += here);
    }
    for first in 0..side {
        let mut own = Cells::NONE;
        // Lines up to the end of the grid are left out: but for ties, what they and their regions leave is what the lines before them
        // leave.
        for last in first..side - 1 {
            own = own | lines[last];
            let number = last + 1 - first;
            let mut shared = before[last + 1];
            shared.iter_mut().zip(before[first]).for_each(|(shared, before)| *shared -= before);
            // How many regions share so many cells with the lines.
            let mut with = [0usize; LARGEST_SIDE + 1];
            shared[..side].iter().for_each(|&shared| with[usize::from(shared)] += 1);
            // Regions are taken that share most, of those with the least that are taken the first.
            let (mut least, mut taken, mut covered) = (side + 1, 0, 0);
            while taken < number && least > 0 {
                least -= 1;
                let more = with[least].min(number - taken);
                taken += more;
                covered += more * least;
                with[least] = more;
            }
            let size = number * side - covered;
            if !(1..=largest).contains(&size) {
                continue;
            }
            let mut others = Cells::NONE;
            let mut at_least = with[least];
            for (&cells, shared) in regions.iter().zip(shared) {
                let shared = usize::from(shared);
                if shared > least || shared == least && at_least > 0 {
                    at_least -= usize::from(shared == least);
                    others = others | cells;
                }
            }
            let pair = [own.without(others), others.without(own)];
            let swapped = [pair[1], pair[0]];
            let is_known = |&(other, known): &(usize, [Cells<W>; 2])| {
                other == size && (known == pair || known == swapped)
            };
            if !found.iter().any(is_known) {
                found.push((size, pair));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Shape, compile};

    #[test]
    fn leftovers_are_what_rows_and_regions_do_not_share() {
        let layout = "aaaab acbbb cccbd ceddd eeeed".replace(' ', "");
        let shape = Shape { box_rows: 1, box_columns: 5 };
        let rules = compile(&format!(".Jigsaw~{layout}"), shape).unwrap();
        let found = leftovers::<1>(&rules, &full(&rules));
        let names: Vec<[Vec<usize>; 2]> = found.iter().map(|pair| pair.map(listed)).collect();
        assert!(names.contains(&[vec![4], vec![5]]), "row 1 and region a: {names:?}");
        assert!(names.contains(&[vec![16], vec![24]]), "rows 1 to 4 and all regions but e: {names:?}");
        assert!(names.iter().all(|[a, b]| a.len() == b.len() && a.len() <= 3));
        let boxes = compile(".Diagonal~1", Shape { box_rows: 3, box_columns: 3 }).unwrap();
        assert!(leftovers::<2>(&boxes, &full(&boxes)).is_empty());
    }

    fn full<const W: usize>(rules: &Rules) -> Vec<Cells<W>> {
        let side = rules.shape().side();
        rules.houses().filter(|house| house.cells.len() == side).map(|house| Cells::of(house.cells)).collect()
    }

    fn listed<const W: usize>(set: Cells<W>) -> Vec<usize> {
        let mut cells = Vec::new();
        set.visit(|cell| cells.push(cell));
        cells
    }
}
