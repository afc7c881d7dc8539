//! Propagates rules about sums.
//!
//! If a sum has at most three open cells, a digit remains only if it is part of a solution of this sum alone
//! (see [`small_sums`]). For a *cage* with more open cells, all combinations of digits with the right sum are
//! tried. In a cage all digits differ and all coefficients are 1. For any other sum, each cell is only
//! bounded by the smallest and largest contributions of the other cells.
//!
//! A digit that is in every combination of a cage must be in some cell of the cage. If the digit has only one
//! place in the cage, it is placed there. Cells that see all places of the digit in the cage lose the digit.

use super::super::tables::Tables;
use super::small_sums::{self, NOTHING, OpenCell, SmallSum};
use super::{Board, Conflict, Step};
use quadrille_model::bits::Bits;

impl Board {
    /// Propagates a sum, based on the current candidates of its cells.
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
                open.push(OpenCell { cell, by, mask });
            }
        }
        let step = match open.len() {
            0 if rest == 0 => Ok(()),
            0 => Err(Conflict::Sum(number)),
            1..=small_sums::MAX_CELLS => self.solve_few(tables, number, &open, rest),
            _ => match tables.combinations.filter(|_| sum.is_cage) {
                Some(combinations) => {
                    let union = open.iter().fold(0, |union, open| union | open.mask) & !used;
                    let all = combinations.with(open.len(), rest).iter().copied();
                    self.combine(tables, number, &open, all.filter(|digits| digits & !union == 0))
                }
                None => self.bound(number, &open, rest),
            },
        };
        self.open = open;
        step
    }

    /// Removes the digits that are in no solution of a sum of at most three cells.
    fn solve_few(&mut self, tables: &Tables, number: usize, open: &[OpenCell], rest: i32) -> Step {
        let missing = small_sums::MAX_CELLS - open.len();
        let at = |place: usize| place.checked_sub(missing).map_or(NOTHING, |place| open[place]);
        let cells = [at(0), at(1), at(2)];
        let sees =
            |one: usize, other: usize| cells[one].by != 0 && tables.sees(cells[one].cell, cells[other].cell);
        let few =
            SmallSum { side: tables.side, open: cells, sees: [sees(0, 1), sees(0, 2), sees(1, 2)], rest };
        let left = few.left();
        if left.masks[small_sums::MAX_CELLS - 1] == 0 {
            return Err(Conflict::Sum(number));
        }
        for (open, &left) in open.iter().zip(&left.masks[missing..]) {
            self.keep(open.cell, left)?;
        }
        if tables.sums[number].is_cage { self.hold(tables, open, left.required) } else { Ok(()) }
    }

    /// Removes the digits that are in no possible combination of a cage.
    ///
    /// A combination is possible if each open cell may hold one of its digits.
    fn combine(
        &mut self,
        tables: &Tables,
        number: usize,
        open: &[OpenCell],
        combinations: impl Iterator<Item = u64>,
    ) -> Step {
        let (mut left, mut required) = (0, u64::MAX);
        for combination in combinations {
            if open.iter().all(|open| open.mask & combination != 0) {
                left |= combination;
                required &= combination;
            }
        }
        if left == 0 {
            return Err(Conflict::Sum(number));
        }
        for open in open {
            self.keep(open.cell, left)?;
        }
        self.hold(tables, open, required)
    }

    /// Propagates the digits in `required`. Each of them must be in one of the cells `open`, which all see
    /// each other.
    fn hold(&mut self, tables: &Tables, open: &[OpenCell], required: u64) -> Step {
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
            let Some(first) = first else { return Err(Conflict::Cell(open[0].cell)) };
            if !several {
                self.keep(first, 1 << digit)?;
            }
            self.clear_common(tables, digit)?;
        }
        Ok(())
    }

    /// Removes each digit from an open cell if the other open cells cannot complete the digit to the sum.
    ///
    /// Considers only the smallest and largest contributions of the other cells.
    fn bound(&mut self, number: usize, open: &[OpenCell], rest: i32) -> Step {
        let add = |(low, high): (i32, i32), open: &OpenCell| (low + open.bounds().0, high + open.bounds().1);
        let (low, high) = open.iter().fold((0, 0), add);
        if rest < low || rest > high {
            return Err(Conflict::Sum(number));
        }
        for &one in open {
            let (least, greatest) = one.bounds();
            self.keep(one.cell, one.within(rest - (high - greatest), rest - (low - least)))?;
        }
        Ok(())
    }
}
