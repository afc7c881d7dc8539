//! Finds all cycles and chains, not only the best one. Searches the grid that the conclusions of an
//! assumption leave.

use super::super::grid::Grid;
use super::super::houses::{ones, shared_houses};
use super::super::nested::{Found, IN_CELL, NO_CAUSE, Receiver};
use super::super::trace::Trace;
use super::{Chains, Key, Mode};
use crate::Technique;

/// A cycle or chain.
pub(super) struct One {
    key: Key,
    technique: Technique,
    /// The removed candidates as cells with sets of digits, in ascending order of cells.
    removed: Vec<(u8, u16)>,
    /// Candidates of the chain, from the last one back to the assumption. The field `is_on` has the state of
    /// the assumption.
    path: Vec<u16>,
    is_on: bool,
    is_cycle: bool,
}

impl Chains {
    /// Passes cycles and chains to the receiver. Each of them needs the removal of candidates: `source` still
    /// has these candidates, and `grid` does not.
    ///
    /// The easiest cycle or chain comes first. If several of them remove the same candidates, the receiver
    /// gets only the easiest of these.
    pub(in super::super) fn every(
        &mut self,
        grid: &Grid,
        source: &Grid,
        receiver: &mut Receiver<'_, impl FnMut(&Found, Option<&mut Trace>)>,
    ) {
        let Receiver { found, trace, take } = receiver;
        self.best = None;
        self.number_candidates(grid);
        self.all.clear();
        for mode in [Mode::Digit, Mode::Cell, Mode::Both] {
            self.link(grid, mode);
            self.shortest.begin(self.candidates.len(), &self.weak, &self.strong, mode.has_digit_strong());
            self.shortest.close();
            for source in 0..self.candidates.len() as u16 {
                let digits = grid.candidates[self.cell_of(source)];
                if ones(digits) < 2 || (mode == Mode::Cell && ones(digits) != 2) {
                    continue;
                }
                if self.shortest.cycle_through(source).is_some() {
                    self.every_cycle(grid, source);
                }
                if mode.has_digit_strong() {
                    for (is_on, is_chain) in [true, false].into_iter().zip(self.shortest.chains_from(source))
                    {
                        if is_chain {
                            self.every_chain(grid, source, is_on);
                        }
                    }
                }
            }
        }
        let mut all = std::mem::take(&mut self.all);
        all.sort_by(|one, other| {
            one.key
                .0
                .total_cmp(&other.key.0)
                .then(one.key.1.cmp(&other.key.1))
                .then(one.key.2.cmp(&other.key.2))
        });
        for (number, one) in all.iter().enumerate() {
            if all[..number].iter().any(|before| before.removed == one.removed) {
                continue;
            }
            found.begin();
            self.rest(grid, source, one, found);
            if found.rests_on.is_empty() {
                continue;
            }
            (found.technique, found.complexity) = (Some(one.technique), one.key.1);
            found.removed.clone_from(&one.removed);
            if let Some(trace) = trace {
                self.path.clone_from(&one.path);
                let source = one.path[one.path.len() - 1];
                self.write_path(one.is_on, source, trace);
            }
            take(found, trace.as_deref_mut());
        }
        self.all = all;
    }
}

impl Chains {
    fn every_cycle(&mut self, grid: &Grid, source: u16) {
        self.spread((source, true), usize::MAX, |this, last, is_on, complexity| {
            if !is_on || complexity < 4 {
                return usize::MAX;
            }
            let (closing, count) = this.closing(source, last);
            if count == 0 {
                return usize::MAX;
            }
            this.path_to_on(last);
            for &(_, off) in &closing[..count] {
                let (technique, removed) = (this.mode.cycle(), this.removed_by_cycle(grid, off));
                if removed.is_empty() {
                    continue;
                }
                this.all.push(One {
                    key: this.mode.key_of(technique, complexity),
                    technique,
                    removed,
                    path: [off].iter().chain(&this.path).copied().collect(),
                    is_on: true,
                    is_cycle: true,
                });
            }
            usize::MAX
        });
    }

    fn every_chain(&mut self, grid: &Grid, source: u16, is_on: bool) {
        if !self.find_path(source, is_on, usize::MAX) {
            return;
        }
        let (cell, digit) = (self.cell_of(source), self.digit_of(source));
        let digits = if is_on { 1 << digit } else { grid.candidates[cell] & !(1 << digit) };
        let technique = self.mode.chain();
        self.all.push(One {
            key: self.mode.key_of(technique, self.path.len() + 1),
            technique,
            removed: vec![(cell as u8, digits)],
            path: self.path.clone(),
            is_on,
            is_cycle: false,
        });
    }

    /// Writes the chain of `one` into `found`, together with the failed candidates on which the chain
    /// depends.
    fn rest(&self, grid: &Grid, source: &Grid, one: &One, found: &mut Found) {
        let candidate = |number: u16| (self.cell_of(number), self.digit_of(number));
        let Some(&first) = one.path.last() else { return };
        // Writes the conclusion about the assumption first, and then the chain backwards.
        let mut is_on = one.is_on == one.is_cycle;
        let mut from = one.path.iter();
        for &number in [first].iter().chain(&one.path) {
            let (cell, digit) = candidate(number);
            let parent = from.next();
            if parent.is_some() || !one.is_cycle {
                found.push(cell as u8, digit as u8, is_on);
            }
            if let Some(&parent) = parent.filter(|_| is_on) {
                let cause = strong_cause(grid, candidate(parent), (cell, digit));
                found.rests_on.add_cause(source, grid, (cell, digit), cause);
            }
            is_on = !is_on;
        }
        if one.is_cycle {
            found.end_part();
            // A cycle is also a chain in the other direction. In that direction, the candidates that failed
            // hold, for the same causes.
            let links = one.path.iter().rev().zip(one.path.iter().rev().skip(1));
            for (&on, &off) in links.step_by(2) {
                let cause = shared_house(candidate(on), candidate(off), |_| true);
                found.rests_on.add_cause(source, grid, candidate(off), cause);
            }
        }
    }
}

/// Returns the reason why one candidate holds if another candidate fails: the cell or the house that the two
/// candidates share.
fn strong_cause(grid: &Grid, from: (usize, usize), to: (usize, usize)) -> u8 {
    shared_house(from, to, |house| ones(grid.places[house][to.1]) == 2)
}

/// Returns the first suitable house that two candidates share.
///
/// Returns [`IN_CELL`] if they are in the same cell, and [`NO_CAUSE`] if they share neither a cell nor a
/// suitable house.
fn shared_house(one: (usize, usize), other: (usize, usize), is_suitable: impl Fn(usize) -> bool) -> u8 {
    if one.0 == other.0 {
        return IN_CELL;
    }
    let house = shared_houses(one.0, other.0).map(|(house, _)| house).find(|&house| is_suitable(house));
    house.map_or(NO_CAUSE, |house| house as u8)
}
