//! Relations as sets: the pairs of cells that a table is about.

use std::ops::Range;

use super::cells::Cells;
use crate::bits::Bits;
use crate::rules::Rules;

/// Tables of relations at most: each is gone through in every round.
pub(super) const MOST_TABLES: usize = 8;

/// A table, and the pairs of cells with it that see each other, or those that do not.
#[derive(Debug)]
pub(super) struct Link<const W: usize> {
    /// Per digit those that may not stand beside it.
    pub(super) barred: Vec<u32>,
    /// Per digit those that it may stand beside: not itself, where the cells see each other.
    pub(super) beside: Vec<u32>,
    /// The cells that it leads from.
    pub(super) from: Cells<W>,
    /// Per cell those that it leads to.
    pub(super) to: Vec<Cells<W>>,
}

/// All relations of some rules.
#[derive(Debug)]
pub(super) struct Links<const W: usize> {
    pub(super) links: Vec<Link<W>>,
    /// Per cell itself and all that any link leads to from it; empty where there are none.
    pub(super) near: Vec<Cells<W>>,
    /// Per digit those that it bars by any link.
    pub(super) barred: Vec<u32>,
}

impl<const W: usize> Links<W> {
    /// Those of rules; `sees` says which cells differ.
    pub(super) fn new(rules: &Rules, sees: impl Fn(usize, usize) -> bool) -> Self {
        let side = rules.shape().side();
        let cells = side * side;
        let (mut links, mut near, mut barred) = (Vec::new(), Vec::new(), vec![0; side]);
        if !rules.relations().is_empty() {
            near.extend((0..cells).map(Cells::only));
        }
        // Per table the links of cells that see each other, and of others.
        let mut numbers = vec![[None; 2]; rules.tables().len()];
        for relation in rules.relations() {
            let (from, to) = (usize::from(relation.from), usize::from(relation.to));
            let table = &rules.tables()[usize::from(relation.table)];
            let differ = sees(from, to);
            let number = *numbers[usize::from(relation.table)][usize::from(differ)].get_or_insert_with(|| {
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

    /// The number of relations from a cell.
    pub(super) fn degree(&self, cell: usize) -> usize {
        self.links.iter().map(|link| link.to[cell].count()).sum()
    }
}

impl<const W: usize> Link<W> {
    /// A table without cells.
    fn new(table: &[u64], differ: bool, cells: usize) -> Self {
        let digits: Range<usize> = 0..table.len();
        let not_itself = |digit: usize| if differ { !(1u32 << digit) } else { u32::MAX };
        let all = u32::MAX >> (32 - table.len());
        let allowed = |digit: usize| table[digit] as u32;
        let beside = |digit: usize| {
            digits.clone().filter(|&other| allowed(other) >> digit & 1 != 0).fold(0, |set, other| set | 1 << other)
        };
        Link {
            barred: digits.clone().map(|digit| all & !allowed(digit) & not_itself(digit)).collect(),
            beside: digits.clone().map(|digit| beside(digit) & not_itself(digit)).collect(),
            from: Cells::NONE,
            to: vec![Cells::NONE; cells],
        }
    }

    /// The cells that it leads to from some cells.
    #[inline]
    pub(super) fn reach(&self, cells: Cells<W>) -> Cells<W> {
        let mut reached = Cells::NONE;
        cells.visit(|cell| reached = reached | self.to[cell]);
        reached
    }

    /// The cells of some that have a digit which it allows beside this one.
    #[inline]
    pub(super) fn supporting(&self, digit: usize, places: &[Cells<W>]) -> Cells<W> {
        Bits(u64::from(self.beside[digit])).fold(Cells::NONE, |all, other| all | places[other])
    }
}
