//! Finds leftovers: pairs of sets of cells. The two sets of a pair must hold the same digits.
//!
//! To find a pair, choose some adjacent rows, columns or boxes (the lines), and equally many regions that
//! cover mostly the same cells. Some cells are only in the lines, and some are only in the regions. Both sets
//! hold the same digits, equally often. Setters call this the law of leftovers. So a digit that has no place
//! in one of the two sets has no place in the other.
//!
//! Only regions that the rules add, such as those of a jigsaw, give useful leftovers. The leftovers of rows
//! and boxes already follow from locked candidates.

use super::super::cells::Cells;
use super::MAX_SIDE;
use super::numbered::BitIndexed;
use quadrille_model::rules::{Label, Rules};

/// One number for each of up to 16 regions, in one byte per region.
type Shares = u128;
const _: () = assert!(MAX_SIDE <= size_of::<Shares>());

/// Adds the leftovers of the rules, the smallest first. `houses` are the full houses of the rules, in order.
///
/// Each set of a leftover has at most two thirds as many cells as a house. Larger sets hardly ever lack a
/// digit, so they are hardly ever useful. On minimal 9x9 jigsaws, leftovers save two nodes in three.
pub(super) fn find_leftovers<const W: usize>(
    rules: &Rules,
    houses: &[Cells<W>],
    all: &mut BitIndexed<[Cells<W>; 2]>,
) {
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
        return;
    }
    let is_line: [fn(Label) -> bool; 3] = [
        |label| matches!(label, Label::Row(_)),
        |label| matches!(label, Label::Column(_)),
        |label| matches!(label, Label::Box(_)),
    ];
    let largest = 2 * side / 3;
    let mut found = Vec::with_capacity(side * side);
    for is_line in is_line {
        let lines = of_kind(is_line);
        if lines.len() == side {
            families
                .iter()
                .filter(|family| family.len() == side)
                .for_each(|regions| add(&lines, regions, largest, &mut found));
        }
    }
    // Add each pair of sets only once, because different lines may give the same pair.
    for size in 1..=largest {
        let smaller = all.as_slice().len();
        for &(_, [one, other]) in found.iter().filter(|&&(other, _)| other == size) {
            let is_known = |known: &[Cells<W>; 2]| *known == [one, other] || *known == [other, one];
            if !all.as_slice()[smaller..].iter().any(is_known) {
                all.push([one, other]);
            }
        }
    }
}

/// Groups houses into families of disjoint houses. Each house joins the first family whose houses it does not
/// overlap.
///
/// In most families, the number of houses equals the number of digits.
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

/// Finds leftovers by comparing adjacent lines with the regions that cover most of these lines.
///
/// Adds each leftover to `found`, together with its number of cells.
fn add<const W: usize>(
    lines: &[Cells<W>],
    regions: &[Cells<W>],
    largest: usize,
    found: &mut Vec<(usize, [Cells<W>; 2])>,
) {
    let side = lines.len();
    let mut line_of = [0u8; MAX_SIDE * MAX_SIDE];
    for (line, cells) in lines.iter().enumerate() {
        cells.visit(|cell| line_of[cell] = line as u8);
    }
    // `before[line]` has, for each region, the number of the region's cells in the lines before `line`. These
    // numbers are enough to compute the size of a leftover. So the sets are computed only for small
    // leftovers.
    let mut before: [Shares; MAX_SIDE + 1] = [0; MAX_SIDE + 1];
    for (region, cells) in regions.iter().enumerate() {
        let one = 1 << (8 * region);
        cells.visit(|cell| before[usize::from(line_of[cell]) + 1] += one);
    }
    for line in 0..side {
        before[line + 1] += before[line];
    }
    for first in 0..side {
        let mut own = Cells::NONE;
        // Skip groups of lines that include the last line. Except for ties, such a group gives the same
        // leftovers as the lines before the group.
        for last in first..side - 1 {
            own = own | lines[last];
            let number = last + 1 - first;
            let shares = before[last + 1] - before[first];
            // Choose the `number` regions that share the most cells with the lines. After the loop, `least`
            // is the smallest share among these regions. `size` is the number of cells that are in the lines
            // but not in these regions.
            //
            // Each round first counts the chosen regions whose share is below `least`, and adds their number
            // to `size`. Then it lowers `least` by one.
            let (mut least, mut size) = (side, 0);
            while size <= largest {
                let taken = number_of(sharing(shares, least));
                if taken >= number {
                    break;
                }
                size += number - taken;
                least -= 1;
            }
            if !(1..=largest).contains(&size) {
                continue;
            }
            // Among the regions with the smallest share, the first regions are chosen.
            let mut taken = sharing(shares, least + 1);
            let mut left = sharing(shares, least) & !taken;
            for _ in number_of(taken)..number {
                taken |= left & left.wrapping_neg();
                left &= left.wrapping_sub(1);
            }
            let mut others = Cells::NONE;
            while taken != 0 {
                others = others | regions[taken.trailing_zeros() as usize / 8];
                taken &= taken - 1;
            }
            found.push((size, [own.without(others), others.without(own)]));
        }
    }
}

/// Returns the regions whose number in `shares` is at least `least`. For each such region, the highest bit of
/// the region's byte is set.
fn sharing(shares: Shares, least: usize) -> Shares {
    const HIGHEST: u8 = 1 << 7;
    let more = Shares::from_ne_bytes([HIGHEST - least as u8; size_of::<Shares>()]);
    (shares + more) & Shares::from_ne_bytes([HIGHEST; size_of::<Shares>()])
}

/// Returns the number of regions, which are given as in the result of [`sharing`].
fn number_of(regions: Shares) -> usize {
    let [low, high] = [regions as u64, (regions >> 64) as u64].map(|half| half >> 7);
    // The highest byte of the product is the sum of all eight bytes.
    ((low + high).wrapping_mul(u64::from_ne_bytes([1; 8])) >> 56) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::rules::{Shape, compile};

    #[test]
    fn leftovers_are_cells_that_rows_and_regions_do_not_share() {
        let layout = "aaaab acbbb cccbd ceddd eeeed".replace(' ', "");
        let shape = Shape { box_rows: 1, box_columns: 5 };
        let rules = compile(&format!(".Jigsaw~{layout}"), shape).unwrap();
        let found = leftovers_of::<1>(&rules);
        let names: Vec<[Vec<usize>; 2]> = found.iter().map(|pair| pair.map(listed)).collect();
        assert!(names.contains(&[vec![4], vec![5]]), "row 1 and region a: {names:?}");
        assert!(names.contains(&[vec![16], vec![24]]), "rows 1 to 4 and all regions but e: {names:?}");
        assert!(names.iter().all(|[a, b]| a.len() == b.len() && a.len() <= 3));
        assert!(names.is_sorted_by_key(|[a, _]| a.len()));
        let boxes = compile(".Diagonal~1", Shape { box_rows: 3, box_columns: 3 }).unwrap();
        assert!(leftovers_of::<2>(&boxes).is_empty());
    }

    #[test]
    fn regions_that_share_enough_cells_are_counted() {
        let numbers: [u8; 16] = std::array::from_fn(|region| (region as u8 * 5) % 17);
        let shares = Shares::from_le_bytes(numbers);
        for least in 1..=MAX_SIDE + 1 {
            let regions = sharing(shares, least).to_le_bytes();
            assert!(
                regions
                    .iter()
                    .zip(numbers)
                    .all(|(&top, number)| (top == 128) == (usize::from(number) >= least))
            );
            let number = numbers.iter().filter(|&&number| usize::from(number) >= least).count();
            assert_eq!(number_of(sharing(shares, least)), number);
        }
        assert_eq!(number_of(sharing(Shares::from_le_bytes([16; 16]), 16)), 16);
    }

    fn leftovers_of<const W: usize>(rules: &Rules) -> Vec<[Cells<W>; 2]> {
        let side = rules.shape().side();
        let full = rules.houses().filter(|house| house.cells.len() == side);
        let houses: Vec<Cells<W>> = full.map(|house| Cells::from_cells(house.cells)).collect();
        let mut all = BitIndexed::new([Cells::NONE; 2]);
        find_leftovers(rules, &houses, &mut all);
        all.as_slice().to_vec()
    }

    fn listed<const W: usize>(set: Cells<W>) -> Vec<usize> {
        let mut cells = Vec::new();
        set.visit(|cell| cells.push(cell));
        cells
    }
}
