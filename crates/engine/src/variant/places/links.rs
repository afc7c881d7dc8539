//! Relations as sets: for each table, the pairs of cells that it concerns.
//!
//! Cells that see each other cannot have the same digit, even if their table allows it. So for them the table
//! excludes more: if neighbours must not be consecutive, a neighbour of a cell with 4, 5 and 6 is not 5.

use std::ops::Range;

use super::cells::Cells;
use quadrille_model::bits::Bits;
use quadrille_model::rules::Rules;

/// Maximum number of tables. Each has up to two links, and every round goes through all links.
pub(super) const MAX_TABLES: usize = 8;

/// A table of relations, for those pairs of cells that see each other or for those that do not.
#[derive(Debug)]
pub(super) struct Link<const W: usize> {
    /// Per digit, the digits that must not be next to it.
    pub(super) barred: Vec<u32>,
    /// Per digit, the digits that may be next to it; without the digit itself if the cells see each other.
    pub(super) beside: Vec<u32>,
    /// The sets of `beside`, each as a window.
    windows: Vec<Window>,
    /// The cells that the link leads from.
    pub(super) from: Cells<W>,
    /// Per cell, the cells that the link leads to.
    pub(super) to: Vec<Cells<W>>,
}

/// All relations of a set of rules.
#[derive(Debug)]
pub(super) struct Links<const W: usize> {
    pub(super) links: Vec<Link<W>>,
    /// Per cell, the cell itself and all cells that any link leads to from it. Empty if there are no links.
    pub(super) near: Vec<Cells<W>>,
    /// Per digit, the digits that some link forbids next to it.
    pub(super) barred: Vec<u32>,
}

impl<const W: usize> Links<W> {
    /// Creates the links of `rules`; `sees` returns true if two cells must differ.
    pub(super) fn new(rules: &Rules, sees: impl Fn(usize, usize) -> bool) -> Self {
        let side = rules.shape().side();
        let cells = side * side;
        let (mut links, mut near, mut barred) = (Vec::new(), Vec::new(), vec![0; side]);
        if !rules.relations().is_empty() {
            near.extend((0..cells).map(Cells::only));
        }
        // Per table, the link of cells that do not see each other and the link of cells that do.
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

    /// Returns true if there are no relations.
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

    /// Returns the number of relations from a cell.
    pub(super) fn degree(&self, cell: usize) -> usize {
        self.links.iter().map(|link| link.to[cell].count()).sum()
    }
}

impl<const W: usize> Link<W> {
    /// Creates a link for a table, without cells.
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

    /// Returns the cells that the link leads to from any of `cells`.
    #[inline]
    pub(super) fn reach(&self, cells: Cells<W>) -> Cells<W> {
        let mut reached = Cells::NONE;
        cells.visit(|cell| reached = reached | self.to[cell]);
        reached
    }

    /// Returns the cells that allow some digit that may be next to `digit`.
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

/// A set of digits, split into those below one missing digit, those above another missing digit, and those in
/// between.
///
/// Most tables have few in between, so the cells with any digit of the set are the union of a few sets.
#[derive(Debug, Clone, Copy)]
struct Window {
    low: u8,
    high: u8,
    within: u32,
}

impl Window {
    /// Splits a set of digits. A full set is treated as if its first digit were missing and then added.
    fn new(set: u32, side: usize) -> Self {
        let missing = !set & u32::MAX >> (32 - side);
        if missing == 0 {
            return Window { low: 0, high: 0, within: 1 };
        }
        let (low, high) = (missing.trailing_zeros(), 31 - missing.leading_zeros());
        Window { low: low as u8, high: high as u8, within: set & u32::MAX << low & !(u32::MAX << high) }
    }
}

/// For each digit, the cells that allow a lower digit, and the cells that allow a higher digit.
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

    /// Checks the windows of all sets of `side` digits, with memory for `D` digits.
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
