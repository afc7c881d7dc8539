//! Relations as sets of cells: for each table, the pairs of cells to which the table applies.
//!
//! Cells that see each other cannot have the same digit, even if their table allows equal digits. So a table
//! excludes more digits for cells that see each other. For example, suppose that neighbours must not be
//! consecutive, and that a cell has the candidates 4, 5 and 6. Then a neighbour that sees this cell cannot be
//! 5.

use std::ops::Range;

use super::super::cells::Cells;
use quadrille_model::bits::Bits;
use quadrille_model::rules::Rules;

/// Maximum number of tables. Each table has at most two links, and every round of propagation goes through
/// all links.
pub(super) const MAX_TABLES: usize = 8;

/// A table of relations, with some of the pairs of cells to which the table applies. A link has either all
/// pairs that see each other, or all other pairs.
#[derive(Debug)]
pub(super) struct Link<const W: usize> {
    /// For each digit of a cell, the digits that a related cell then must not have.
    pub(super) barred: Vec<u32>,
    /// For each digit of a cell, the digits that a related cell may then have. If the cells see each other,
    /// the digit itself is not included.
    pub(super) beside: Vec<u32>,
    /// The sets in `beside`, each split into three parts for a quick lookup.
    windows: Vec<Window>,
    /// The cells from which the link leads to other cells.
    pub(super) from: Cells<W>,
    /// For each cell, the cells to which the link leads from this cell.
    pub(super) to: Vec<Cells<W>>,
}

/// All relations of a set of rules, as links between cells.
#[derive(Debug)]
pub(super) struct Links<const W: usize> {
    pub(super) links: Vec<Link<W>>,
    /// For each cell, the cell itself and all cells to which any link leads from it. Empty if there are no
    /// links.
    pub(super) near: Vec<Cells<W>>,
    /// For each digit, the digits that at least one link forbids in a related cell.
    pub(super) barred: Vec<u32>,
}

impl<const W: usize> Links<W> {
    /// Creates the links of `rules`. `sees` returns true if two cells must have different digits.
    pub(super) fn new(rules: &Rules, sees: impl Fn(usize, usize) -> bool) -> Self {
        let side = rules.shape().side();
        let cells = side * side;
        let (mut links, mut near, mut barred) = (Vec::new(), Vec::new(), vec![0; side]);
        if !rules.relations().is_empty() {
            near.extend((0..cells).map(Cells::only));
        }
        // For each table there may be two links: one for cells that do not see each other, and one for cells
        // that do.
        let mut numbers = vec![[None; 2]; rules.tables().len()];
        for relation in rules.relations() {
            let (from, to) = (usize::from(relation.from), usize::from(relation.to));
            let table = &rules.tables()[usize::from(relation.table)];
            let differ = sees(from, to);
            let number =
                *numbers[usize::from(relation.table)][usize::from(differ)].get_or_insert_with(|| {
                    links.push(Link::new(table, differ, cells));
                    links.len() - 1
                });
            let link: &mut Link<W> = &mut links[number];
            link.from = link.from | Cells::only(from);
            link.to[from] = link.to[from] | Cells::only(to);
            near[from] = near[from] | Cells::only(to);
        }
        for link in &links {
            barred.iter_mut().zip(&link.barred).for_each(|(all, barred)| *all |= barred);
        }
        Links { links, near, barred }
    }

    /// Returns true if the rules have no relations.
    #[inline(always)]
    pub(super) fn are_none(&self) -> bool {
        self.links.is_empty()
    }

    /// Returns true if every relation stays the same when two digits change places.
    pub(super) fn are_interchangeable(&self, one: usize, other: usize) -> bool {
        let exchanged = |digit: usize| match digit {
            _ if digit == one => other,
            _ if digit == other => one,
            _ => digit,
        };
        let images = |set: u32| Bits(set).fold(0, |images, digit| images | 1 << exchanged(digit));
        self.links.iter().all(|Link { barred, .. }| {
            (0..barred.len()).all(|digit| barred[exchanged(digit)] == images(barred[digit]))
        })
    }

    /// Returns the number of relations, over all links, that lead from a cell to other cells.
    pub(super) fn degree(&self, cell: usize) -> usize {
        self.links.iter().map(|link| link.to[cell].count()).sum()
    }
}

impl<const W: usize> Link<W> {
    /// Creates a link for a table, without any cells yet.
    fn new(table: &[u64], differ: bool, cells: usize) -> Self {
        let digits: Range<usize> = 0..table.len();
        let not_itself = |digit: usize| if differ { !(1u32 << digit) } else { u32::MAX };
        let all = u32::MAX >> (32 - table.len());
        let allowed = |digit: usize| table[digit] as u32;
        let beside = |digit: usize| {
            digits
                .clone()
                .filter(|&other| allowed(other) >> digit & 1 != 0)
                .fold(0, |set, other| set | 1 << other)
        };
        Link {
            barred: digits.clone().map(|digit| all & !allowed(digit) & not_itself(digit)).collect(),
            beside: digits.clone().map(|digit| beside(digit) & not_itself(digit)).collect(),
            windows: digits
                .clone()
                .map(|digit| Window::new(beside(digit) & not_itself(digit), table.len()))
                .collect(),
            from: Cells::NONE,
            to: vec![Cells::NONE; cells],
        }
    }

    /// Returns all cells to which the link leads from at least one cell in `cells`.
    #[inline]
    pub(super) fn reach(&self, cells: Cells<W>) -> Cells<W> {
        let mut reached = Cells::NONE;
        cells.visit(|cell| reached = reached | self.to[cell]);
        reached
    }

    /// Returns the cells that support `digit` in a related cell, because one of their candidates fits with
    /// it.
    #[inline(always)]
    pub(super) fn supporting<const D: usize>(
        &self,
        digit: usize,
        places: &[Cells<W>; D],
        outer: &CellsByBound<W, D>,
    ) -> Cells<W> {
        let Window { low, high, within } = self.windows[digit];
        let outside = outer.below[usize::from(low)] | outer.above[usize::from(high)];
        Bits(within).fold(outside, |all, other| all | places[other])
    }
}

/// A set of digits, split into three parts.
///
/// The parts are the digits below the first missing digit, the digits above the last missing digit, and the
/// digits in between. A lookup finds the cells that allow at least one digit of the set. [`CellsByBound`]
/// already has the cells for the first two parts. Only the digits in between, which are few in most tables,
/// need one union each.
#[derive(Debug, Clone, Copy)]
struct Window {
    low: u8,
    high: u8,
    within: u32,
}

impl Window {
    /// Splits a set of digits into three parts.
    ///
    /// A full set has no missing digit. It is split as if its first digit were missing. This digit is then
    /// added to the digits in between.
    fn new(set: u32, side: usize) -> Self {
        let missing = !set & u32::MAX >> (32 - side);
        if missing == 0 {
            return Window { low: 0, high: 0, within: 1 };
        }
        let (low, high) = (missing.trailing_zeros(), 31 - missing.leading_zeros());
        Window { low: low as u8, high: high as u8, within: set & u32::MAX << low & !(u32::MAX << high) }
    }
}

/// For each digit, the cells that have a lower digit as a candidate, and the cells that have a higher one.
pub(super) struct CellsByBound<const W: usize, const D: usize> {
    below: [Cells<W>; D],
    above: [Cells<W>; D],
}

impl<const W: usize, const D: usize> CellsByBound<W, D> {
    #[inline(always)]
    pub(super) fn new(places: &[Cells<W>; D]) -> Self {
        let (mut below, mut above) = ([Cells::NONE; D], [Cells::NONE; D]);
        for digit in 1..D {
            below[digit] = below[digit - 1] | places[digit - 1];
            above[D - 1 - digit] = above[D - digit] | places[D - digit];
        }
        CellsByBound { below, above }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::rules::{Shape, compile};

    const NINE: Shape = Shape { box_rows: 3, box_columns: 3 };

    /// Checks the windows of all sets of `side` digits, with arrays for `D` digits.
    fn windows_of<const D: usize>(side: usize) {
        let places: [Cells<1>; D] =
            std::array::from_fn(|digit| if digit < side { Cells::only(digit) } else { Cells::NONE });
        let outer = CellsByBound::new(&places);
        let mut link: Link<1> = Link::new(&vec![0; side], false, side);
        for set in 0..1u32 << side {
            link.windows[side / 2] = Window::new(set, side);
            let expected: Cells<1> = Bits(set).collect();
            assert_eq!(link.supporting(side / 2, &places, &outer), expected, "{set:b} of {side}");
        }
    }

    #[test]
    fn windows_are_the_sets_they_were_made_from() {
        (4..=8).for_each(windows_of::<8>);
        windows_of::<9>(9);
        (10..=13).for_each(windows_of::<16>);
    }

    #[test]
    fn digits_are_interchangeable_unless_a_relation_distinguishes_them() {
        let alike = |text: &str, one, other| {
            Links::<2>::new(&compile(text, NINE).unwrap(), |_, _| false).are_interchangeable(one, other)
        };
        assert!(alike(".Palindrome~R1C1~R2C2~R5C5.AntiKnight", 0, 8));
        // A black dot has 1 and 2, 2 and 4, 3 and 6, or 4 and 8: only 5, 7 and 9 are in none.
        assert!(alike(".BlackDot~R1C1~R1C2", 4, 8) && !alike(".BlackDot~R1C1~R1C2", 0, 2));
        assert!(!alike(".Thermo~R1C1~R1C2", 0, 8) && !alike(".Whisper~5~R1C1~R1C2", 3, 4));
    }

    #[test]
    fn cells_that_see_each_other_cannot_have_equal_digits() {
        let rules = compile(".Whisper~2~R1C1~R1C2.Whisper~0~R1C1~R2C4", NINE).unwrap();
        let links = Links::<2>::new(&rules, |a, b| a / 9 == b / 9);
        assert_eq!((links.links.len(), links.degree(0), links.degree(1)), (2, 2, 1));
        let [near, far] = &links.links[..] else { panic!() };
        assert_eq!((near.beside[0], near.barred[0]), (0b1_1111_1100, 0b10));
        assert_eq!((far.beside[3], far.barred[3]), (0b1_1111_1111, 0));
        assert_eq!((near.to[0], far.to[0]), (Cells::only(1), Cells::only(12)));
        assert_eq!(links.near[1], Cells::only(0) | Cells::only(1));
        assert!(links.near[40] == Cells::only(40) && !links.are_none());
        let plain = compile(".Diagonal~1", NINE).unwrap();
        assert!(Links::<2>::new(&plain, |_, _| false).are_none());
    }
}
