//! Places under propagation.
//!
//! What is drawn, until nothing is:
//!
//! ```text
//! cells    a cell without digits is a contradiction; the digit of a cell with one leaves its peers
//! house    a digit without a place is a contradiction, one with one place is there, and where all its places are
//!          peers of a cell that cell is without it (where two houses cross, and for cells a knight's move away)
//! leftover a digit without a place in one of the two sets has none in the other
//! ```
//! Invariants: `fixed` has a cell only when its digit has left its peers and its other digits have left the cell; a house is
//! open for a digit until a cell with it is fixed. Houses and leftovers of a digit are looked at again when they have lost a
//! place of it since: two of three hundred cells on average, so that is most of what makes a node cheap.

use super::cells::Cells;
use super::links::Link;
use super::sets::Sets;
use crate::bits::Bits;
use crate::model::DigitSet;

/// The places of `D` digits at most, in `W` words each; digits beyond the side have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct State<const W: usize, const D: usize> {
    pub(super) places: [Cells<W>; D],
    /// Per digit the full houses where no cell is fixed to it.
    pub(super) open: [u64; D],
    pub(super) fixed: Cells<W>,
}

/// Digits, with none left out: also those that no table allows.
const EVERY: u32 = u32::MAX;

/// What is to be looked at again.
struct Agenda<const W: usize, const D: usize> {
    /// The places of each digit when it was looked at last.
    seen: [Cells<W>; D],
    /// Digits that have lost places since, a bit each.
    changed: u32,
    /// Digits that were never looked at, a bit each.
    fresh: u32,
    /// Digits that have lost places since relations were looked at, a bit each.
    unrelated: u32,
}

impl<const W: usize, const D: usize> Agenda<W, D> {
    /// Notes digits that have lost places.
    #[inline(always)]
    fn add(&mut self, digits: u32) {
        self.changed |= digits;
        self.unrelated |= digits;
    }
}

impl<const W: usize, const D: usize> State<W, D> {
    /// The state before anything is known.
    pub(super) const NOTHING: Self = State { places: [Cells::NONE; D], open: [0; D], fixed: Cells::NONE };

    /// Takes candidates and draws what follows; `false` for a contradiction.
    pub(super) fn load(&mut self, sets: &Sets<W>, candidates: &[DigitSet]) -> bool {
        *self = Self::NOTHING;
        self.open[..sets.side].fill(first(sets.houses.len()));
        for (cell, set) in candidates.iter().enumerate() {
            for digit in Bits(set.0) {
                self.places[digit] = self.places[digit] | Cells::only(cell);
            }
        }
        let every = (1 << sets.side) - 1;
        self.propagate(sets, Agenda { seen: self.places, changed: every, fresh: every, unrelated: EVERY })
    }

    /// Puts a digit into a cell and draws what follows; `false` for a contradiction.
    pub(super) fn decide(&mut self, sets: &Sets<W>, cell: usize, digit: usize) -> bool {
        if !self.places[digit].contains(cell) {
            return false;
        }
        let seen = self.places;
        let changed = self.clear(Cells::only(cell), digit);
        self.propagate(sets, Agenda { seen, changed, fresh: 0, unrelated: changed })
    }

    /// Takes all digits but one from some cells, and returns those that were there.
    #[inline(always)]
    fn clear(&mut self, cells: Cells<W>, but: usize) -> u32 {
        let mut changed = 0;
        for (digit, places) in self.places.iter_mut().enumerate() {
            if digit != but && !(*places & cells).is_empty() {
                *places = places.without(cells);
                changed |= 1 << digit;
            }
        }
        changed
    }

    /// Draws what follows until nothing does.
    fn propagate(&mut self, sets: &Sets<W>, mut agenda: Agenda<W, D>) -> bool {
        loop {
            let (mut once, mut twice) = (Cells::NONE, Cells::NONE);
            for &places in &self.places {
                twice = twice | (once & places);
                once = once | places;
            }
            if once != sets.all {
                return false;
            }
            let singles = once.without(twice).without(self.fixed);
            if !singles.is_empty() {
                if !self.fix(sets, singles, &mut agenda) {
                    return false;
                }
                continue;
            }
            if self.relate(sets, &mut agenda) {
                continue;
            }
            if agenda.changed == 0 {
                return true;
            }
            while agenda.changed != 0 {
                let digit = agenda.changed.trailing_zeros() as usize;
                agenda.changed &= agenda.changed - 1;
                let Some(hidden) = self.look_at(sets, digit, &mut agenda) else { return false };
                if !hidden.is_empty() {
                    // Other digits have lost cells: a look at all cells is cheaper than one at a digit.
                    let cleared = self.clear(hidden, digit);
                    agenda.add(cleared);
                    self.fixed = self.fixed | hidden;
                    break;
                }
            }
        }
    }

    /// Fixes cells that have one digit each; `false` where two of them see each other and have the same.
    fn fix(&mut self, sets: &Sets<W>, singles: Cells<W>, agenda: &mut Agenda<W, D>) -> bool {
        self.fixed = self.fixed | singles;
        for digit in 0..D {
            let mut new = self.places[digit] & singles;
            if new.is_empty() {
                continue;
            }
            agenda.add(1 << digit);
            while let Some(cell) = new.pop() {
                if !self.places[digit].contains(cell) {
                    return false;
                }
                let about = &sets.about[cell];
                self.places[digit] = self.places[digit].without(about.peers);
                self.open[digit] &= !about.houses;
                agenda.add(self.bar(&sets.links.links, cell, digit));
            }
        }
        true
    }

    /// Takes from other cells what relations do not allow beside the digit of a cell, and returns the digits that were there.
    #[inline(always)]
    fn bar(&mut self, links: &[Link<W>], cell: usize, digit: usize) -> u32 {
        let mut changed = 0;
        for link in links {
            let to = link.to[cell];
            if !to.is_empty() {
                for other in Bits(u64::from(link.barred[digit])) {
                    changed |= self.take(other, to);
                }
            }
        }
        changed
    }

    /// Takes a digit from some cells, and returns it as a bit if it was there.
    #[inline(always)]
    fn take(&mut self, digit: usize, cells: Cells<W>) -> u32 {
        let places = self.places[digit];
        self.places[digit] = places.without(cells);
        u32::from(!(places & cells).is_empty()) << digit
    }

    /// Takes digits that fit beside none of a cell's from the cells that relations lead to from it; true if there were any.
    #[inline(always)]
    fn relate(&mut self, sets: &Sets<W>, agenda: &mut Agenda<W, D>) -> bool {
        let changed = std::mem::take(&mut agenda.unrelated);
        if sets.links.links.is_empty() || changed == 0 {
            return false;
        }
        let mut found = 0;
        for link in &sets.links.links {
            let open = link.from.without(self.fixed);
            for digit in 0..sets.side {
                if link.beside[digit] & changed != 0 || changed == EVERY {
                    let alone = open.without(link.supporting(digit, &self.places));
                    found |= self.take(digit, link.reach(alone));
                }
            }
        }
        agenda.add(found);
        found != 0
    }

    /// Takes digits from the cells that are near all of some places of a digit, one of which has it, where they fit beside it
    /// at none of them; returns those that were there.
    fn take_near(&mut self, sets: &Sets<W>, digit: usize, near: Cells<W>, of: Cells<W>) -> u32 {
        let mut changed = 0;
        for other in Bits(u64::from(sets.links.barred[digit] & !(1 << digit))) {
            let mut common = near & self.places[other];
            let mut left = of;
            while !common.is_empty()
                && let Some(cell) = left.pop()
            {
                let mut barred = Cells::only(cell);
                for link in sets.links.links.iter().filter(|link| link.barred[digit] >> other & 1 != 0) {
                    barred = barred | link.to[cell];
                }
                common = common & barred;
            }
            changed |= self.take(other, common);
        }
        changed
    }

    /// Looks at the houses and leftovers in which a digit has lost places; returns the cells where it has to be that are not
    /// fixed yet and have lost nothing but places of this digit, or `None` for a house without a place.
    fn look_at(&mut self, sets: &Sets<W>, digit: usize, agenda: &mut Agenda<W, D>) -> Option<Cells<W>> {
        let mut places = self.places[digit];
        let before = places;
        let (mut houses, mut leftovers) = (0, 0);
        if agenda.fresh >> digit & 1 != 0 {
            agenda.fresh &= !(1 << digit);
            (houses, leftovers) = (u64::MAX, first(sets.leftovers.len()));
        } else {
            agenda.seen[digit].without(places).visit(|cell| {
                let about = &sets.about[cell];
                houses |= about.houses;
                leftovers |= about.leftovers;
            });
        }
        agenda.seen[digit] = before;
        let mut hidden = Cells::NONE;
        houses &= self.open[digit];
        while houses != 0 {
            let mut left = places & sets.houses[houses.trailing_zeros() as usize];
            houses &= houses - 1;
            let first = left.pop()?;
            let about = &sets.about[first];
            if left.is_empty() {
                hidden = hidden | Cells::only(first);
                places = places.without(about.peers);
                self.open[digit] &= !about.houses;
                houses &= !about.houses;
                self.places[digit] = places;
                agenda.add(self.bar(&sets.links.links, first, digit));
                places = self.places[digit];
                continue;
            }
            if !sets.links.links.is_empty() {
                let of = left | Cells::only(first);
                let (mut near, mut others) = (sets.links.near[first], left);
                while !near.is_empty()
                    && let Some(cell) = others.pop()
                {
                    near = near & sets.links.near[cell];
                }
                if !near.is_empty() {
                    agenda.add(self.take_near(sets, digit, near, of));
                }
            }
            let mut common = about.peers & places;
            while let Some(cell) = left.pop() {
                common = common & sets.about[cell].peers;
                if common.is_empty() {
                    break;
                }
            }
            places = places.without(common);
        }
        for number in Bits(leftovers) {
            let [one, other] = sets.leftovers[number];
            let is_in = [!(places & one).is_empty(), !(places & other).is_empty()];
            if is_in[0] != is_in[1] {
                places = places.without(if is_in[0] { one } else { other });
            }
        }
        self.places[digit] = places;
        agenda.add(u32::from(places != before) << digit);
        Some(hidden.without(self.fixed))
    }
}

/// A word with the first so many bits, 64 at most.
fn first(number: usize) -> u64 {
    u64::MAX.checked_shr(64 - number as u32).unwrap_or(0)
}
