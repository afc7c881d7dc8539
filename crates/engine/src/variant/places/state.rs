//! Propagation of the places of digits.
//!
//! The deductions, cheapest first, until nothing changes:
//!
//! ```text
//! cells    a cell without digits is a contradiction; the digit of a cell with one digit is removed from its peers,
//!          and related cells lose the digits that a relation forbids next to it
//! house    a digit without a place is a contradiction; a digit with one place is there
//! relation a digit that fits next to no digit of a cell is removed from the cells that the relation leads to
//! lock     a cell loses a digit if it sees all places of the digit in a house (if houses intersect, and for
//!          cells a knight's move away); it loses another digit that relations forbid next to all the places
//! leftover a digit without a place in one of the two sets has none in the other
//! ```
//! Invariants: a cell is in `fixed` only after its digit has been removed from its peers, its other digits from the
//! cell, and relations have been applied. A house is open for a digit until a cell with the digit is fixed.
//!
//! Houses and leftovers of a digit are checked again only if they have lost a place of it since. On average, only two
//! of three hundred cells have been lost since the last check, so this saves most of the work of a node. Each step
//! only removes digits, so the final state does not depend on the order.

use super::super::cells::Cells;
use super::links::{CellsByBound, Link};
use super::sets::Sets;
use quadrille_model::DigitSet;
use quadrille_model::bits::Bits;

/// The possible places of each digit, as sets of `W` words. There are up to `D` digits. Digits larger than
/// the side length have no places.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacesState<const W: usize, const D: usize> {
    pub(super) places: [Cells<W>; D],
    /// For each digit, the full houses in which no fixed cell has this digit yet, one bit per house.
    pub(super) open: [u64; D],
    pub(super) fixed: Cells<W>,
}

/// A set with all possible digits, for grids of any size. Used for the first check of relations.
///
/// The first check concerns all digits, because a table may have digits without allowed neighbours. Later
/// checks concern only the digits that are related to a digit that has lost places.
const EVERY: u32 = u32::MAX;

/// The checks that propagation must repeat. Sets of digits have one bit per digit.
struct Agenda<const W: usize, const D: usize> {
    /// The places that each digit had when the digit was last checked.
    seen: [Cells<W>; D],
    /// Digits that have lost places since their last check.
    changed: u32,
    /// Digits that have not been checked at all since the grid was loaded.
    fresh: u32,
    /// Digits that have lost places since relations were last checked.
    unrelated: u32,
    /// Digits for which at least one house or leftover must be checked for locked candidates.
    locks: u32,
    /// For each digit, the houses that must be checked for locked candidates, one bit per house.
    houses: [u64; D],
    /// For each digit, the leftovers that must be checked, one bit per leftover.
    leftovers: [u64; D],
}

impl<const W: usize, const D: usize> Agenda<W, D> {
    /// Creates the agenda. `seen` has the places that each digit had at the last check. `changed` is the set
    /// of digits that have lost places since that check.
    #[inline(always)]
    fn new(seen: [Cells<W>; D], changed: u32) -> Self {
        Agenda { seen, changed, fresh: 0, unrelated: changed, locks: 0, houses: [0; D], leftovers: [0; D] }
    }

    /// Records that `digits` have lost places.
    #[inline(always)]
    fn add(&mut self, digits: u32) {
        self.changed |= digits;
        self.unrelated |= digits;
    }
}

/// The state before any digit has been placed or removed.
impl<const W: usize, const D: usize> Default for PlacesState<W, D> {
    fn default() -> Self {
        PlacesState { places: [Cells::NONE; D], open: [0; D], fixed: Cells::NONE }
    }
}

impl<const W: usize, const D: usize> PlacesState<W, D> {
    /// Loads candidates and propagates them. Returns `false` if there is a contradiction.
    pub(super) fn load(&mut self, sets: &Sets<W>, candidates: &[DigitSet]) -> bool {
        *self = Self::default();
        self.open[..sets.side].fill(sets.houses.every());
        let every = (1 << sets.side) - 1;
        // Most cells allow all digits. These cells stay in `whole`, which is added to the places of every
        // digit at once. The other cells are added one by one.
        let mut whole = sets.all;
        for (cell, set) in candidates.iter().enumerate() {
            if set.0 != u64::from(every) {
                whole = whole.without(Cells::only(cell));
                Bits(set.0).for_each(|digit| self.places[digit] = self.places[digit] | Cells::only(cell));
            }
        }
        self.places[..sets.side].iter_mut().for_each(|places| *places = *places | whole);
        self.propagate(sets, Agenda { fresh: every, unrelated: EVERY, ..Agenda::new(self.places, every) })
    }

    /// Places a digit in a cell and propagates. Returns `false` if there is a contradiction.
    pub(super) fn decide(&mut self, sets: &Sets<W>, cell: usize, digit: usize) -> bool {
        if !self.places[digit].contains(cell) {
            return false;
        }
        let seen = self.places;
        let changed = self.clear(Cells::only(cell), digit);
        self.propagate(sets, Agenda::new(seen, changed))
    }

    /// Removes every digit except the digit `but` from `cells`.
    ///
    /// Returns the digits that lost places, one bit per digit.
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

    /// Propagates until nothing changes. Returns `false` if there is a contradiction.
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
            match self.look_at_all(sets, &mut agenda) {
                None => return false,
                Some(true) => continue,
                Some(false) => {}
            }
            if self.relate(sets, &mut agenda) {
                continue;
            }
            // The locked candidates of one digit may take places from other digits. If they do, the outer
            // loop first checks these other digits, and only then continues with locked candidates.
            loop {
                if agenda.locks == 0 {
                    return true;
                }
                let digit = agenda.locks.trailing_zeros() as usize;
                agenda.locks &= agenda.locks - 1;
                if self.lock(sets, digit, &mut agenda) {
                    break;
                }
            }
        }
    }

    /// Checks the houses of digits that have lost places. Stops at the first digit with a hidden single.
    ///
    /// Returns true if there was a hidden single. Returns `None` if a house has no place left for a digit.
    #[inline(always)]
    fn look_at_all(&mut self, sets: &Sets<W>, agenda: &mut Agenda<W, D>) -> Option<bool> {
        while agenda.changed != 0 {
            let digit = agenda.changed.trailing_zeros() as usize;
            agenda.changed &= agenda.changed - 1;
            let hidden = self.look_at(sets, digit, agenda)?;
            if !hidden.is_empty() {
                // Removing digits from these cells may leave other cells with one digit or none. The caller
                // looks for such cells first, because that is cheaper than checking another digit.
                let cleared = self.clear(hidden, digit);
                agenda.add(cleared);
                self.fixed = self.fixed | hidden;
                return Some(true);
            }
        }
        Some(false)
    }

    /// Fixes cells that have only one digit left, and removes the digit of each from the cell's peers.
    ///
    /// Returns `false` if one of the cells loses its only digit because another of them is fixed.
    fn fix(&mut self, sets: &Sets<W>, singles: Cells<W>, agenda: &mut Agenda<W, D>) -> bool {
        self.fixed = self.fixed | singles;
        let mut left = singles;
        for digit in 0..D {
            let mut new = self.places[digit] & left;
            if new.is_empty() {
                continue;
            }
            left = left.without(new);
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
            if left.is_empty() {
                return true;
            }
        }
        // Some cell has lost its only digit, because this call fixed another cell before it.
        false
    }

    /// Removes digits from the cells that have a relation to `cell`. It removes the digits that these
    /// relations forbid if `cell` has `digit`.
    ///
    /// Returns the digits that lost places, one bit per digit.
    #[inline(always)]
    fn bar(&mut self, links: &[Link<W>], cell: usize, digit: usize) -> u32 {
        let mut changed = 0;
        for link in links {
            let to = link.to[cell];
            if !to.is_empty() {
                for other in Bits(link.barred[digit]) {
                    changed |= self.take(other, to);
                }
            }
        }
        changed
    }

    /// Removes a digit from `cells`.
    ///
    /// Returns the digit's bit if at least one of the cells allowed the digit, or 0 otherwise.
    #[inline(always)]
    fn take(&mut self, digit: usize, cells: Cells<W>) -> u32 {
        let places = self.places[digit];
        self.places[digit] = places.without(cells);
        u32::from(!(places & cells).is_empty()) << digit
    }

    /// Applies relations to cells that are not fixed. Returns true if digits were removed.
    ///
    /// Suppose that two cells are related. A digit is removed from one of them if the relation allows it
    /// together with none of the digits that are left in the other.
    #[inline(always)]
    fn relate(&mut self, sets: &Sets<W>, agenda: &mut Agenda<W, D>) -> bool {
        let changed = std::mem::take(&mut agenda.unrelated);
        if sets.links.are_none() || changed == 0 {
            return false;
        }
        let mut found = 0;
        let outer = CellsByBound::new(&self.places);
        for link in &sets.links.links {
            let open = link.from.without(self.fixed);
            for digit in 0..sets.side {
                if link.beside[digit] & changed != 0 || changed == EVERY {
                    let alone = open.without(link.supporting(digit, &self.places, &outer));
                    found |= self.take(digit, link.reach(alone));
                }
            }
        }
        agenda.add(found);
        found != 0
    }

    /// Removes the digits that relations forbid in every case, no matter which of the cells in `of` holds
    /// `digit`.
    ///
    /// The caller guarantees that one of the cells in `of` holds `digit`. Only cells in `near` can lose
    /// digits. Such a cell must be related to every cell in `of`, but not to itself if it is in `of`. Returns
    /// the digits that lost places, one bit per digit.
    fn take_near(&mut self, sets: &Sets<W>, digit: usize, mut near: Cells<W>, of: Cells<W>) -> u32 {
        let mut left = of;
        while !near.is_empty()
            && let Some(cell) = left.pop()
        {
            near = near & sets.links.near[cell];
        }
        if near.is_empty() {
            return 0;
        }
        let mut changed = 0;
        for other in Bits(sets.links.barred[digit] & !(1 << digit)) {
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

    /// Finds the hidden singles of a digit in the houses in which the digit has lost places.
    ///
    /// Returns the cells of these singles that are not fixed yet, or `None` if a house has no place for the
    /// digit. The caller must remove the other digits from the returned cells. Also records in `agenda` which
    /// houses must be checked for locked candidates.
    fn look_at(&mut self, sets: &Sets<W>, digit: usize, agenda: &mut Agenda<W, D>) -> Option<Cells<W>> {
        let mut places = self.places[digit];
        let before = places;
        let (mut houses, mut leftovers) = (0, 0);
        if agenda.fresh >> digit & 1 != 0 {
            agenda.fresh &= !(1 << digit);
            (houses, leftovers) = (u64::MAX, sets.leftovers.every());
        } else {
            agenda.seen[digit].without(places).visit(|cell| {
                let about = &sets.about[cell];
                houses |= about.houses;
                leftovers |= about.leftovers;
            });
        }
        agenda.seen[digit] = before;
        agenda.houses[digit] |= houses;
        agenda.leftovers[digit] |= leftovers;
        agenda.locks |= 1 << digit;
        let mut hidden = Cells::NONE;
        houses &= self.open[digit];
        while houses != 0 {
            let mut left = places & sets.houses.at(houses.trailing_zeros());
            houses &= houses - 1;
            if left.has_several() {
                continue;
            }
            let only = left.pop()?;
            let about = &sets.about[only];
            hidden = hidden | Cells::only(only);
            places = places.without(about.peers);
            self.open[digit] &= !about.houses;
            houses &= !about.houses;
            self.places[digit] = places;
            agenda.add(self.bar(&sets.links.links, only, digit));
            places = self.places[digit];
        }
        self.places[digit] = places;
        agenda.add(u32::from(places != before) << digit);
        Some(hidden.without(self.fixed))
    }

    /// Applies the locked candidates of a digit in the houses and leftovers recorded in `agenda`.
    ///
    /// Returns true if digits were removed.
    fn lock(&mut self, sets: &Sets<W>, digit: usize, agenda: &mut Agenda<W, D>) -> bool {
        let mut places = self.places[digit];
        let before = places;
        let mut houses = std::mem::take(&mut agenda.houses[digit]);
        let leftovers = std::mem::take(&mut agenda.leftovers[digit]);
        // For each digit that some relation forbids near a cell with `digit`: all places of that digit, as
        // one set.
        let related = Bits(sets.links.barred[digit]).fold(Cells::NONE, |all, other| all | self.places[other]);
        houses &= self.open[digit];
        let mut any = 0;
        while houses != 0 {
            let of = places & sets.houses.at(houses.trailing_zeros());
            houses &= houses - 1;
            // Find the cells outside this house that see all places of the digit in this house. Start with
            // the cells that see the first and the last place. Hardly any cell sees both, because these two
            // places rarely share another house.
            let (Some(first), Some(last)) = (of.first(), of.last()) else { continue };
            let mut common = sets.about[first].peers & sets.about[last].peers & places.without(of);
            let mut left = of;
            while !common.is_empty()
                && let Some(cell) = left.pop()
            {
                common = common & sets.about[cell].peers;
            }
            if !related.is_empty() {
                any |= self.take_near(sets, digit, related, of);
            }
            places = places.without(common);
        }
        for number in Bits(leftovers) {
            let [one, other] = sets.leftovers.at(number as u32);
            let is_in = [!(places & one).is_empty(), !(places & other).is_empty()];
            if is_in[0] != is_in[1] {
                places = places.without(if is_in[0] { one } else { other });
            }
        }
        self.places[digit] = places;
        any |= u32::from(places != before) << digit;
        agenda.add(any);
        any != 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use quadrille_model::rules::{Shape, compile};

    /// Returns the state of a grid under the rules in `text`, or `None` if there is a contradiction. `narrow`
    /// returns the candidates of each cell.
    fn loaded(text: &str, narrow: impl Fn(usize) -> u64) -> Option<PlacesState<2, 9>> {
        let rules = Arc::new(compile(text, Shape { box_rows: 3, box_columns: 3 }).unwrap());
        let candidates: Vec<DigitSet> = (0..81).map(|cell| DigitSet(narrow(cell))).collect();
        let mut state = PlacesState::default();
        state.load(&Sets::new(&rules, None), &candidates).then_some(state)
    }

    /// Returns the 1-based digits that a cell allows.
    fn digits(state: &PlacesState<2, 9>, cell: usize) -> Vec<usize> {
        (1..=9).filter(|digit| state.places[digit - 1].contains(cell)).collect()
    }

    #[test]
    fn relations_rule_out_digits_next_to_all_positions_and_digits() {
        const ALL: u64 = 0b1_1111_1111;
        // In the first row, only the first and the third cell may hold the 5.
        let five = |cell: usize| if cell < 9 && cell != 0 && cell != 2 { ALL & !(1 << 4) } else { ALL };
        let state = loaded(".AntiConsecutive", five).unwrap();
        assert_eq!(digits(&state, 1), [1, 2, 3, 7, 8, 9]);
        assert_eq!(digits(&state, 0), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        // In the first row, only the first two cells may hold the 5. So R1C2 either is 5 or has the neighbour
        // R1C1 with 5. In both cases, R1C2 is neither 4 nor 6.
        let five = |cell: usize| if cell < 9 && cell > 1 { ALL & !(1 << 4) } else { ALL };
        let state = loaded(".AntiConsecutive", five).unwrap();
        assert_eq!(digits(&state, 1), [1, 2, 3, 5, 7, 8, 9]);
        // The middle cell is 4, 5 or 6, so none of its neighbours can be 5. In the puzzle with a whisper
        // line, R1C1 is 5. No digit is then allowed in R1C2, which is a contradiction.
        let middle = |cell: usize| if cell == 40 { 0b11_1000 } else { ALL };
        let state = loaded(".AntiConsecutive", middle).unwrap();
        assert_eq!(digits(&state, 41), [1, 2, 3, 4, 6, 7, 8, 9]);
        assert!(loaded(".Whisper~R1C1~R1C2", |cell| if cell == 0 { 1 << 4 } else { ALL }).is_none());
        // With a 1 in R1C1, no digit is allowed in R1C2. The table of a relation may have such digits without
        // allowed neighbours.
        let state = loaded(".GreaterThan~R1C1~R1C2", |_| ALL).unwrap();
        assert_eq!((digits(&state, 0)[0], digits(&state, 1).len()), (2, 8));
    }
}
