//! Propagation passes over a wave of grids with houses of any shape.
//!
//! As for plain grids, a pass has two parts: one works by cells and one by digits. A pass only removes
//! candidates. The state in which nothing changes any more does not depend on the order of the steps. Loops
//! over the lists of [`RuleTables`] are not unrolled.
//!
//! The part by cells: if a digit is known to have only one place in a house, the cell there gets the digit.
//!
//! The part by digits does the following for each digit:
//!
//! * *houses*: a house without a place for the digit is a contradiction. A naked single removes the digit from the
//!   rest of its house. A house with at most one place is recorded for the part by cells.
//! * *intersections*: if all places of a house are in its intersection with a house of another family, the other
//!   house loses its places outside the intersection. These are locked candidates, for any two houses.
//! * *leftovers*: if no cell of one set can hold the digit, the other set of the pair loses the digit.
//! * *peers*: a naked single removes the digit from its peers.
//! * *sights* and *links*: a cell that sees all remaining places of a house, in any way, cannot hold the digit.
//!
//! Intersections, sights and links run only in the last pass of a wave. That is enough to ensure that a
//! stalled lane has nothing left to deduce. With intersections in every pass, a jigsaw takes 1.6 times as
//! long. Leftovers run in every other pass, including the last.

use std::sync::Arc;

use super::program::{CELLS, NO_HOUSE, PLACES, RuleTables};
use super::templates::Sweeps;
use crate::lanes::propagate::{one_and_two, settle_cell};
use crate::lanes::wave::{DigitCells, ExtraRules, Knowledge, Wave, WaveResult};
use quadrille_model::simd::{Kernel, Vector};

/// Number of possible house indices in a family: nine houses, and the value [`NO_HOUSE`].
const SIDES: usize = NO_HOUSE as usize + 1;

/// Runs the propagation passes of a wave. The last pass checks for changes.
pub(super) struct Propagate<'a, V> {
    pub(super) wave: &'a mut Wave<V, RuleKnowledge<V>>,
    pub(super) passes: usize,
}

/// One digit during propagation.
pub(super) struct Digit<V> {
    /// For each cell, the lanes in which the cell may still hold the digit that is being propagated.
    x: [V; PLACES],
    /// For each cell, the lanes in which the digit that is being propagated is the cell's only candidate.
    naked: [V; PLACES],
    /// For each intersection of two houses, the lanes in which the intersection has a place for the digit.
    intersections: [V; PLACES],
    alive: V,
    changed: V,
}

impl<V: Vector> Kernel<V> for Propagate<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Propagate { wave, passes } = self;
        let ones = wave.ones;
        let mut result = WaveResult { alive: ones, solved: ones, changed: V::splat(ones, 0) };
        for left in (0..passes).rev() {
            for cell in 0..CELLS {
                let mut pinned = [V::splat(ones, 0); 9];
                wave.known.add_pinned(cell, &mut pinned);
                settle_cell(wave, cell, &pinned, left == 0, &mut result);
            }
            let Wave { candidates, single, known, .. } = &mut *wave;
            for (digit, cells) in candidates.iter_mut().enumerate() {
                known.draw(DigitCells { digit, cells, single, left }, &mut result);
            }
        }
        wave.conclude(result);
    }
}

/// The tables of rules, and the facts that propagation keeps about the rules in addition to the candidates.
///
/// If the rules include the usual boxes, the tables have only the other houses and pairs, and are applied
/// during the passes for plain grids.
pub(crate) struct RuleKnowledge<V> {
    program: Arc<RuleTables>,
    /// For each house and digit, the lanes in which the digit is known to have at most one place in the
    /// house.
    pinned: Vec<[V; 9]>,
    digit: Box<Digit<V>>,
    /// Scratch space for templates, or `None` if the tables have no templates.
    pub(super) sweeps: Option<Box<Sweeps<V>>>,
}

impl<V: Vector> RuleKnowledge<V> {
    /// Creates the knowledge of a wave. No facts about any lane are known yet.
    pub(super) fn new(token: V::Token, program: &Arc<RuleTables>) -> Self {
        let pinned = vec![[V::zero(token); 9]; program.houses.len()];
        let sweeps = program.templates.is_some().then(|| Sweeps::new(token));
        RuleKnowledge { program: Arc::clone(program), pinned, digit: Digit::new(token), sweeps }
    }
}

impl<V: Vector> Knowledge<V> for RuleKnowledge<V> {
    #[inline(always)]
    fn forget(&mut self, lanes: V) {
        for known in self.pinned.as_flattened_mut() {
            *known = known.and_not(lanes);
        }
    }
}

impl<V: Vector> ExtraRules<V> for RuleKnowledge<V> {
    #[inline(always)]
    fn add_pinned(&self, cell: usize, pinned: &mut [V; 9]) {
        for &house in &self.program.houses_of[cell] {
            let of_house = &self.pinned[usize::from(house)];
            for digit in 0..9 {
                pinned[digit] = pinned[digit].or(of_house[digit]);
            }
        }
    }

    #[inline(always)]
    fn draw(&mut self, of: DigitCells<'_, V>, result: &mut WaveResult<V>) {
        let DigitCells { digit: number, cells, single, left } = of;
        let digit = &mut *self.digit;
        (digit.alive, digit.changed) = (result.alive, result.changed);
        let program = &*self.program;
        let mut now = V::splat(result.alive, 0);
        // Intersections, sights and links read cells all over the grid, so all cells are loaded. They run
        // only in the last pass.
        let takes_all = program.touched.len() == CELLS || left == 0 && program.templates.is_none();
        if takes_all {
            digit.take(cells, single);
        } else {
            digit.take_some(&program.touched, cells, single);
        }
        digit.draw(program, &mut self.pinned, number, left);
        if takes_all {
            digit.give(cells, &mut now);
        } else {
            digit.give_some(&program.touched, cells, &mut now);
        }
        result.alive = digit.alive;
        if left == 0 {
            result.changed = digit.changed.or(now);
        }
    }
}

#[inline(always)]
fn at(cell: u8) -> usize {
    usize::from(cell) % PLACES
}

impl<V: Vector> Digit<V> {
    /// Creates a digit without candidates.
    pub(super) fn new(token: V::Token) -> Box<Self> {
        let zero = V::zero(token);
        let nothing = [zero; PLACES];
        Box::new(Digit { x: nothing, naked: nothing, intersections: nothing, alive: zero, changed: zero })
    }

    /// Loads the candidates of a digit.
    #[inline(always)]
    fn take(&mut self, cells: &[V; CELLS], single: &[V; CELLS]) {
        for cell in 0..CELLS {
            self.x[cell] = cells[cell];
            self.naked[cell] = cells[cell].and(single[cell]);
        }
    }

    /// Stores the remaining candidates of the digit and records the lanes that changed.
    #[inline(always)]
    fn give(&self, cells: &mut [V; CELLS], changed: &mut V) {
        for cell in 0..CELLS {
            *changed = changed.or_and_not(cells[cell], self.x[cell]);
            cells[cell] = self.x[cell];
        }
    }

    /// Loads the candidates of a digit in some cells.
    #[inline(always)]
    fn take_some(&mut self, some: &[u8], cells: &[V; CELLS], single: &[V; CELLS]) {
        for &cell in some {
            let from = usize::from(cell).min(CELLS - 1);
            self.x[at(cell)] = cells[from];
            self.naked[at(cell)] = cells[from].and(single[from]);
        }
    }

    /// Stores the remaining candidates of the digit in some cells and records the lanes that changed.
    #[inline(always)]
    fn give_some(&self, some: &[u8], cells: &mut [V; CELLS], changed: &mut V) {
        for &cell in some {
            let (x, to) = (self.x[at(cell)], &mut cells[usize::from(cell).min(CELLS - 1)]);
            *changed = changed.or_and_not(*to, x);
            *to = x;
        }
    }

    /// Propagates the digit in one pass. `left` is the number of later passes in the same wave.
    ///
    /// Expensive rules run only in some of the passes.
    #[inline(always)]
    fn draw(&mut self, program: &RuleTables, pinned: &mut [[V; 9]], number: usize, left: usize) {
        let is_last = left == 0;
        self.houses(program, pinned, number, is_last);
        let leftovers = if left.is_multiple_of(2) { &program.leftovers[..] } else { &[] };
        for [one, other] in leftovers {
            self.level(one, other);
        }
        for (cell, peers) in &program.peers {
            self.see(*cell, peers);
        }
        if is_last {
            for of_two_families in &program.intersections {
                self.cross(of_two_families);
            }
            program.unseen_cells.each(|cell, others| self.look(cell, others));
            for (house, seen_pairs) in &program.seen_pairs {
                self.link(house, seen_pairs);
            }
        }
    }

    /// Applies the rules that need only one house: naked singles, contradictions, and digits that have at
    /// most one place in the house.
    #[inline(always)]
    fn houses(&mut self, program: &RuleTables, pinned: &mut [[V; 9]], number: usize, is_last: bool) {
        let ones = V::splat(self.alive, u64::MAX);
        for (cells, pinned) in program.houses.iter().zip(pinned) {
            let mut x = [ones; 9];
            let mut naked = [ones; 9];
            for place in 0..9 {
                x[place] = self.x[at(cells[place])];
                naked[place] = self.naked[at(cells[place])];
            }
            let (taken, twice) = one_and_two(&naked);
            for place in 0..9 {
                x[place] = x[place].and_unless(taken, naked[place]);
                self.x[at(cells[place])] = x[place];
            }
            let (one, two) = one_and_two(&x);
            self.alive = self.alive.and(one).and_not(twice);
            let now = ones.xor(two);
            if is_last {
                self.changed = self.changed.or_and_not(now, pinned[number]);
            }
            pinned[number] = now;
        }
    }

    /// Removes locked candidates, using the intersections of two families of houses.
    #[inline(always)]
    fn cross(&mut self, intersections: &[super::program::Intersection]) {
        let zero = V::splat(self.alive, 0);
        let ones = V::splat(self.alive, u64::MAX);
        let (mut one, mut two) = ([[zero; SIDES]; 2], [[zero; SIDES]; 2]);
        for (number, intersection) in intersections.iter().enumerate() {
            let mut any = zero;
            for &cell in &intersection.cells {
                any = any.or(self.x[at(cell)]);
            }
            self.intersections[number % PLACES] = any;
            for side in 0..2 {
                let house = usize::from(intersection.of[side]).min(SIDES - 1);
                two[side][house] = two[side][house].or_and(one[side][house], any);
                one[side][house] = one[side][house].or(any);
            }
        }
        two[0][SIDES - 1] = ones;
        two[1][SIDES - 1] = ones;
        // For each family and house, the lanes in which one of the house's intersections must hold the digit.
        //
        // Two houses share an intersection. The intersection must hold the digit for the first house if the
        // second house has no other place for the digit.
        let mut held = [[zero; SIDES]; 2];
        for (number, intersection) in intersections.iter().enumerate() {
            let any = self.intersections[number % PLACES];
            let [a, b] = intersection.of.map(|house| usize::from(house).min(SIDES - 1));
            held[0][a] = held[0][a].or(any.and_not(two[1][b]));
            held[1][b] = held[1][b].or(any.and_not(two[0][a]));
        }
        held[0][SIDES - 1] = zero;
        held[1][SIDES - 1] = zero;
        for (number, intersection) in intersections.iter().enumerate() {
            let any = self.intersections[number % PLACES];
            let [a, b] = intersection.of.map(|house| usize::from(house).min(SIDES - 1));
            // An intersection belongs to two houses. It loses the digit if another intersection of one of
            // these houses must hold the digit.
            let lost = held[0][a].and_not(any.and_not(two[1][b]));
            let lost = lost.or_and_not(held[1][b], any.and_not(two[0][a]));
            for &cell in &intersection.cells {
                self.x[at(cell)] = self.x[at(cell)].and_not(lost);
            }
        }
    }

    /// Removes the digit from each of two sets of cells if no cell of the other set can hold it.
    ///
    /// The two sets must be a leftover: a pair of sets that hold the same digits.
    #[inline(always)]
    fn level(&mut self, one: &[u8], other: &[u8]) {
        let zero = V::splat(self.alive, 0);
        let (mut in_one, mut in_other) = (zero, zero);
        for &cell in one {
            in_one = in_one.or(self.x[at(cell)]);
        }
        for &cell in other {
            in_other = in_other.or(self.x[at(cell)]);
        }
        for &cell in one {
            self.x[at(cell)] = self.x[at(cell)].and(in_other);
        }
        for &cell in other {
            self.x[at(cell)] = self.x[at(cell)].and(in_one);
        }
    }

    /// Removes the digit from `cell` if none of the cells `others` can hold the digit.
    ///
    /// `others` are those cells of a house that `cell` does not see.
    #[inline(always)]
    fn look(&mut self, cell: u8, others: &[u8]) {
        let mut any = V::splat(self.alive, 0);
        for &other in others {
            any = any.or(self.x[at(other)]);
        }
        self.x[at(cell)] = self.x[at(cell)].and(any);
    }

    /// Removes the digit from each cell that sees both remaining places of the digit in a house.
    #[inline(always)]
    fn link(&mut self, house: &[u8; 9], seen_pairs: &[[u8; 3]]) {
        let zero = V::splat(self.alive, 0);
        let (mut one, mut two, mut three) = (zero, zero, zero);
        for &cell in house {
            let x = self.x[at(cell)];
            three = three.or_and(two, x);
            two = two.or_and(one, x);
            one = one.or(x);
        }
        for &[a, b, cell] in seen_pairs {
            let both = self.x[at(a)].and_not(three);
            self.x[at(cell)] = self.x[at(cell)].and_nand(both, self.x[at(b)]);
        }
    }

    /// Removes the digit from `cell` in the lanes in which at least one of `peers` has the digit as its only
    /// candidate.
    #[inline(always)]
    fn see(&mut self, cell: u8, peers: &[u8]) {
        let mut seen = V::splat(self.alive, 0);
        for &peer in peers {
            seen = seen.or(self.naked[at(peer)]);
        }
        self.alive = self.alive.and_nand(seen, self.naked[at(cell)]);
        self.x[at(cell)] = self.x[at(cell)].and_not(seen);
    }
}
