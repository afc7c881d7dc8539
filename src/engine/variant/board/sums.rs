//! Sums under propagation.
//!
//! With three open cells or fewer a sum is enumerated, so that every digit left is part of a solution of the sum alone. With
//! more of them a *cage*, whose cells differ from each other and count once, goes through the combinations of digits with its
//! sum; any other sum leaves each cell what the least and the greatest of the others allow.
//!
//! A digit that is in every combination of a cage stands in it somewhere: where it has one place it is there, and the cells
//! that all its places see are without it.

use super::super::combinations::Combinations;
use super::super::tables::Tables;
use super::{Board, Culprit, Step};
use crate::bits::Bits;

/// Open cells of a sum that is enumerated at most.
const ENUMERATED: usize = 3;

/// A cell of a sum that is not filled.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    cell: usize,
    by: i32,
    mask: u64,
}

impl Open {
    /// The least and the greatest that it adds.
    fn bounds(self) -> (i32, i32) {
        let (low, high) = (self.mask.trailing_zeros() as i32 + 1, 64 - self.mask.leading_zeros() as i32);
        if self.by > 0 { (low * self.by, high * self.by) } else { (high * self.by, low * self.by) }
    }
}

impl Board {
    /// What follows from a sum and the masks of its cells.
    pub(super) fn add_up(&mut self, tables: &Tables, number: usize) -> Step {
        let sum = &tables.sums[number];
        let (mut rest, mut used) = (sum.target, 0);
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        for &(cell, by) in &sum.terms {
            let cell = usize::from(cell);
            let mask = self.masks[cell];
            if mask.is_power_of_two() {
                rest -= by * (mask.trailing_zeros() as i32 + 1);
                used |= mask;
            } else {
                open.push(cell, by, mask);
            }
        }
        let step = match open.len() {
            0 if rest == 0 => Ok(()),
            0 => Err(Culprit::Sum(number)),
            1..=ENUMERATED => self.enumerate(tables, number, &open.cells, rest),
            _ => match tables.combinations.filter(|_| sum.is_cage) {
                Some(combinations) => self.combine(tables, number, combinations, &open.cells, rest, used),
                None => self.bound(number, &open.cells, rest),
            },
        };
        self.open = open;
        step
    }

    /// Leaves the digits that are part of a solution of the sum, of up to three cells.
    fn enumerate(&mut self, tables: &Tables, number: usize, open: &[Open], rest: i32) -> Step {
        // A cell that is not there has the digit 1, counted 0 times. It comes first: the digit of the last one follows from the
        // others, so that two cells take a step for each digit of one.
        let nothing = Open { cell: usize::MAX, by: 0, mask: 1 };
        let missing = ENUMERATED - open.len();
        let at = |place: usize| place.checked_sub(missing).map_or(nothing, |place| open[place]);
        let (a, b, c) = (at(0), at(1), at(2));
        let sees = |one: Open, other: Open| one.by != 0 && tables.sees(one.cell, other.cell);
        let (ab, ac, bc) = (sees(a, b), sees(a, c), sees(b, c));
        let mut left = [0u64; ENUMERATED];
        let mut required = u64::MAX;
        for x in Bits(a.mask) {
            let rest = rest - a.by * (x as i32 + 1);
            for y in Bits(b.mask) {
                if ab && x == y {
                    continue;
                }
                let rest = rest - b.by * (y as i32 + 1);
                let value = match c.by {
                    1 => rest,
                    -1 => -rest,
                    by if rest % by == 0 => rest / by,
                    _ => continue,
                };
                if value < 1 || value > tables.side as i32 {
                    continue;
                }
                let z = (value - 1) as usize;
                if c.mask >> z & 1 == 0 || ac && x == z || bc && y == z {
                    continue;
                }
                left[0] |= 1 << x;
                left[1] |= 1 << y;
                left[2] |= 1 << z;
                let bit = |one: Open, digit: usize| if one.by == 0 { 0 } else { 1 << digit };
                required &= bit(a, x) | bit(b, y) | 1 << z;
            }
        }
        if left[2] == 0 {
            return Err(Culprit::Sum(number));
        }
        for (open, &left) in open.iter().zip(&left[missing..]) {
            self.keep(open.cell, left)?;
        }
        if tables.sums[number].is_cage { self.hold(tables, open, required) } else { Ok(()) }
    }

    /// Leaves the digits of combinations that fit into the open cells of a cage.
    fn combine(
        &mut self,
        tables: &Tables,
        number: usize,
        combinations: &Combinations,
        open: &[Open],
        rest: i32,
        used: u64,
    ) -> Step {
        let union = open.iter().fold(0, |union, open| union | open.mask) & !used;
        let (mut left, mut required) = (0, u64::MAX);
        for &combination in combinations.with(open.len(), rest) {
            if combination & !union == 0 && open.iter().all(|open| open.mask & combination != 0) {
                left |= combination;
                required &= combination;
            }
        }
        if left == 0 {
            return Err(Culprit::Sum(number));
        }
        for open in open {
            self.keep(open.cell, left)?;
        }
        self.hold(tables, open, required)
    }

    /// Digits that stand in one of these cells, which all see each other.
    fn hold(&mut self, tables: &Tables, open: &[Open], required: u64) -> Step {
        for digit in Bits(required) {
            let places = open.iter().map(|open| open.cell).filter(|&cell| self.masks[cell] >> digit & 1 != 0);
            let mut first = None;
            let mut several = false;
            self.common.fill(u64::MAX);
            for cell in places {
                several |= first.is_some();
                first.get_or_insert(cell);
                self.common
                    .iter_mut()
                    .zip(tables.peer_set(cell as u16))
                    .for_each(|(word, seen)| *word &= seen);
            }
            let Some(first) = first else { return Err(Culprit::Cell(open[0].cell)) };
            if !several {
                self.keep(first, 1 << digit)?;
            }
            self.clear_common(tables, digit)?;
        }
        Ok(())
    }

    /// Leaves what the least and the greatest of the other cells allow.
    fn bound(&mut self, number: usize, open: &[Open], rest: i32) -> Step {
        let add = |(low, high): (i32, i32), open: &Open| (low + open.bounds().0, high + open.bounds().1);
        let (low, high) = open.iter().fold((0, 0), add);
        if rest < low || rest > high {
            return Err(Culprit::Sum(number));
        }
        for &one in open {
            let (least, greatest) = one.bounds();
            let (least, greatest) = (rest - (high - greatest), rest - (low - least));
            let fits = |digit: &usize| (least..=greatest).contains(&(one.by * (*digit as i32 + 1)));
            self.keep(one.cell, Bits(one.mask).filter(fits).fold(0, |left, digit| left | 1 << digit))?;
        }
        Ok(())
    }
}

/// The open cells of a sum, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct OpenCells {
    cells: Vec<Open>,
}

impl OpenCells {
    fn clear(&mut self) {
        self.cells.clear();
    }

    fn push(&mut self, cell: usize, by: i32, mask: u64) {
        self.cells.push(Open { cell, by, mask });
    }

    fn len(&self) -> usize {
        self.cells.len()
    }
}
