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

use super::cells::Cells;
use super::links::{CellsByBound, Link};
use super::sets::Sets;
use quadrille_model::DigitSet;
use quadrille_model::bits::Bits;

/// The places of up to `D` digits, in `W` words each. Digits beyond the side have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacesState<const W: usize, const D: usize> {
    pub(super) places: [Cells<W>; D],
    /// Per digit, the full houses in which no cell is fixed to it, one bit per house.
    pub(super) open: [u64; D],
    pub(super) fixed: Cells<W>,
}

/// All digits of any side, for the first check of relations.
///
/// Later checks concern only digits that are related to one with lost places. The first check concerns all digits,
/// because a table may have digits without allowed neighbours.
const EVERY: u32 = u32::MAX;

/// The checks to repeat. Sets of digits have one bit per digit.
struct Agenda<const W: usize, const D: usize> {
    /// The places of each digit when it was last checked.
    seen: [Cells<W>; D],
    /// Digits that have lost places since their last check.
    changed: u32,
    /// Digits that have not been checked yet.
    fresh: u32,
    /// Digits that have lost places since the last check of relations.
    unrelated: u32,
    /// Digits with houses or leftovers that must be checked for locked candidates.
    locks: u32,
    /// Per digit, the houses that must be checked for locked candidates, one bit per house.
    houses: [u64; D],
    /// Per digit, the leftovers that must be checked, one bit per pair of sets.
    leftovers: [u64; D],
}

impl<const W: usize, const D: usize> Agenda<W, D> {
    /// Creates the agenda from the places of all digits and the digits that have lost some.
    #[inline(always)]
    fn new(seen: [Cells<W>; D], changed: u32) -> Self {
        Agenda { seen, changed, fresh: 0, unrelated: changed, locks: 0, houses: [0; D], leftovers: [0; D] }
    }

    /// Notes digits that have lost places.
    #[inline(always)]
    fn add(&mut self, digits: u32) {
        self.changed |= digits;
        self.unrelated |= digits;
    }
}

/// The state before anything is known.
impl<const W: usize, const D: usize> Default for PlacesState<W, D> {
    fn default() -> Self {
        PlacesState { places: [Cells::NONE; D], open: [0; D], fixed: Cells::NONE }
    }
}

impl<const W: usize, const D: usize> PlacesState<W, D> {
    /// Loads candidates and propagates; returns `false` for a contradiction.
    pub(super) fn load(&mut self, sets: &Sets<W>, candidates: &[DigitSet]) -> bool {
        *self = Self::default();
        self.open[..sets.side].fill(sets.houses.every());
        let every = (1 << sets.side) - 1;
        // Most cells have all digits. These are added at once, the other cells one by one.
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

    /// Places a digit in a cell and propagates; returns `false` for a contradiction.
    pub(super) fn decide(&mut self, sets: &Sets<W>, cell: usize, digit: usize) -> bool {
        if !self.places[digit].contains(cell) {
            return false;
        }
        let seen = self.places;
        let changed = self.clear(Cells::only(cell), digit);
        self.propagate(sets, Agenda::new(seen, changed))
    }

    /// Removes all digits except `but` from `cells`; returns the digits that lost places, one bit each.
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

    /// Propagates until nothing changes; returns `false` for a contradiction.
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
            // A lock may change other digits, which are checked before any further lock.
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

    /// Checks the houses of digits that have lost places, up to the first digit with a hidden single.
    ///
    /// Returns whether there was a hidden single, or `None` if a house has no place for its digit.
    #[inline(always)]
    fn look_at_all(&mut self, sets: &Sets<W>, agenda: &mut Agenda<W, D>) -> Option<bool> {
        while agenda.changed != 0 {
            let digit = agenda.changed.trailing_zeros() as usize;
            agenda.changed &= agenda.changed - 1;
            let hidden = self.look_at(sets, digit, agenda)?;
            if !hidden.is_empty() {
                // Other digits may have lost cells. All cells are checked first, as that is cheaper than checking
                // another digit.
                let cleared = self.clear(hidden, digit);
                agenda.add(cleared);
                self.fixed = self.fixed | hidden;
                return Some(true);
            }
        }
        Some(false)
    }

    /// Fixes cells with one digit each; returns `false` if a cell loses its digit to another.
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
        // A cell has lost its digit to one that was fixed before it.
        false
    }

    /// Removes digits that relations forbid next to `digit` in `cell`; returns the digits that lost places.
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

    /// Removes a digit from `cells`; returns its bit if it was there, 0 otherwise.
    #[inline(always)]
    fn take(&mut self, digit: usize, cells: Cells<W>) -> u32 {
        let places = self.places[digit];
        self.places[digit] = places.without(cells);
        u32::from(!(places & cells).is_empty()) << digit
    }

    /// Applies relations to cells that are not fixed; returns true if digits were removed.
    ///
    /// A digit that fits next to none of a cell's digits is removed from the cells that the relation leads to.
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

    /// Removes digits that cannot be next to `digit`, whichever of the cells `of` holds it.
    ///
    /// The digit is in one of the cells `of`. Only cells of `near` that are near all of them are considered.
    /// Returns the digits that lost places, one bit each.
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

    /// Finds the hidden singles of a digit in houses where it has lost places.
    ///
    /// Returns the cells of the singles that are not fixed yet; their other digits have not been removed so far.
    /// Returns `None` if a house has no place. Notes the houses for the check of locked candidates.
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

    /// Applies the locked candidates of a digit in its noted houses and leftovers; returns true if digits
    /// were removed.
    fn lock(&mut self, sets: &Sets<W>, digit: usize, agenda: &mut Agenda<W, D>) -> bool {
        let mut places = self.places[digit];
        let before = places;
        let mut houses = std::mem::take(&mut agenda.houses[digit]);
        let leftovers = std::mem::take(&mut agenda.leftovers[digit]);
        // The places of all digits that a relation forbids next to this digit.
        let related = Bits(sets.links.barred[digit]).fold(Cells::NONE, |all, other| all | self.places[other]);
        houses &= self.open[digit];
        let mut any = 0;
        while houses != 0 {
            let of = places & sets.houses.at(houses.trailing_zeros());
            houses &= houses - 1;
            // Places in the house see each other, and no cell sees itself. The first and the last place
            // rarely share another house, so hardly any cell sees both.
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

    /// Returns the state of a grid with the candidates of `narrow` under the rules in `text`.
    fn loaded(text: &str, narrow: impl Fn(usize) -> u64) -> Option<PlacesState<2, 9>> {
        let rules = Arc::new(compile(text, Shape { box_rows: 3, box_columns: 3 }).unwrap());
        let candidates: Vec<DigitSet> = (0..81).map(|cell| DigitSet(narrow(cell))).collect();
        let mut state = PlacesState::default();
        state.load(&Sets::new(&rules, None), &candidates).then_some(state)
    }

    /// Returns the digits of a cell, 1-based.
    fn digits(state: &PlacesState<2, 9>, cell: usize) -> Vec<usize> {
        (1..=9).filter(|digit| state.places[digit - 1].contains(cell)).collect()
    }

    #[test]
    fn relations_rule_out_digits_next_to_all_positions_and_digits() {
        const ALL: u64 = 0b1_1111_1111;
        // The first row has its 5 in the first or the third cell.
        let five = |cell: usize| if cell < 9 && cell != 0 && cell != 2 { ALL & !(1 << 4) } else { ALL };
        let state = loaded(".AntiConsecutive", five).unwrap();
        assert_eq!(digits(&state, 1), [1, 2, 3, 7, 8, 9]);
        assert_eq!(digits(&state, 0), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        // If the two places are neighbours of a cell, it is 5 itself or next to a 5.
        let five = |cell: usize| if cell < 9 && cell > 1 { ALL & !(1 << 4) } else { ALL };
        let state = loaded(".AntiConsecutive", five).unwrap();
        assert_eq!(digits(&state, 1), [1, 2, 3, 5, 7, 8, 9]);
        // A cell with 4, 5 or 6 has no 5 next to it, and a digit that allows no neighbour is a contradiction.
        let middle = |cell: usize| if cell == 40 { 0b11_1000 } else { ALL };
        let state = loaded(".AntiConsecutive", middle).unwrap();
        assert_eq!(digits(&state, 41), [1, 2, 3, 4, 6, 7, 8, 9]);
        assert!(loaded(".Whisper~R1C1~R1C2", |cell| if cell == 0 { 1 << 4 } else { ALL }).is_none());
        // Some digits of a table may have no allowed neighbour.
        let state = loaded(".GreaterThan~R1C1~R1C2", |_| ALL).unwrap();
        assert_eq!((digits(&state, 0)[0], digits(&state, 1).len()), (2, 8));
    }
}
