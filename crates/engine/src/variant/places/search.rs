//! Chooses the cell or digit to branch on. Also stores the states of the nodes above the current node.

use std::sync::Arc;

use super::super::cells::Cells;
use super::sets::Sets;
use super::state::PlacesState;
use crate::search_context::SearchContext;
use crate::walk::{Position, Walk};
use quadrille_model::bits::Bits;
use quadrille_model::rules::Rules;
use quadrille_model::{EndedBy, Puzzle};

/// Maximum number of rule sets whose tables are kept for reuse.
const KEPT: usize = 4;

/// Sets, stack and states of the search. Their memory is reused from one problem to the next.
#[derive(Debug, Default)]
pub(super) struct PlacesSearch<const W: usize, const D: usize> {
    /// Sets for the most recently used rules, with the latest rules last.
    kept: Vec<Sets<W>>,
    walk: Walk<PlacesState<W, D>>,
}

impl<const W: usize, const D: usize> PlacesSearch<W, D> {
    /// Searches a grid that has at most `D` digits.
    pub(super) fn search(
        &mut self,
        puzzle: &Puzzle,
        rules: &Arc<Rules>,
        run: &mut SearchContext<'_>,
    ) -> Result<(), EndedBy> {
        match self.kept.iter().position(|sets| Arc::ptr_eq(&sets.rules, rules)) {
            // Move the sets of these rules to the end of the list. Usually they are already there.
            Some(place) => self.kept[place..].rotate_left(1),
            None => {
                let old = (self.kept.len() == KEPT).then(|| self.kept.remove(0));
                self.kept.push(Sets::new(rules, old));
            }
        }
        let Some(sets) = self.kept.last() else { return Ok(()) };
        let mut position = PlacesPosition { sets, puzzle, state: PlacesState::default() };
        let prefix = run.task.prefix;
        self.walk.go(&mut position, prefix, run)
    }
}

/// A state with its problem.
struct PlacesPosition<'a, const W: usize, const D: usize> {
    sets: &'a Sets<W>,
    puzzle: &'a Puzzle,
    state: PlacesState<W, D>,
}

impl<const W: usize, const D: usize> Position for PlacesPosition<'_, W, D> {
    type Part = PlacesState<W, D>;

    fn size(&self) -> (usize, usize) {
        (self.sets.side, self.sets.about.len())
    }

    fn load(&mut self) -> Result<bool, EndedBy> {
        Ok(self.state.load(self.sets, self.puzzle.candidates()))
    }

    fn decide(&mut self, cell: usize, digit: usize) -> Result<bool, EndedBy> {
        Ok(self.state.decide(self.sets, cell, digit))
    }

    fn fill(&self, digits: &mut Vec<u8>) -> bool {
        if self.state.fixed != self.sets.all {
            return false;
        }
        digits.resize(self.sets.about.len(), 0);
        for (digit, places) in self.state.places.iter().enumerate() {
            places.visit(|cell| digits[cell] = digit as u8);
        }
        true
    }

    /// Lists the possible decisions at a branching.
    ///
    /// The search branches on a cell with two digits. If there is no such cell, it branches on a digit with
    /// two places in a house. Otherwise it branches on a cell with the fewest digits. On ties it chooses the
    /// cell or digit whose cells see the most cells, and then the first one.
    ///
    /// If the rules have relations, a digit with two places is preferred to a cell with two digits under one
    /// condition: more rules concern the two places than the cell, on average.
    fn list(&self, options: &mut Vec<u32>) {
        let PlacesState { places, .. } = &self.state;
        let (mut once, mut twice, mut more) = (Cells::NONE, Cells::NONE, Cells::NONE);
        for &places in places {
            more = more | (twice & places);
            twice = twice | (once & places);
            once = once | places;
        }
        let two = twice.without(more);
        let decision = |cell: usize, digit: usize| (cell * self.sets.side + digit) as u32;
        let worth_of_cell = match (two.is_empty(), self.sets.links.are_none()) {
            (true, _) => 0,
            (false, true) => usize::MAX,
            (false, false) => 2 * self.sets.degrees[self.first(two)],
        };
        if let Some((digit, pair)) = self.two_places(worth_of_cell) {
            options.extend(pair.map(|cell| decision(cell, digit)));
            return;
        }
        let cell = self.first(if two.is_empty() { self.fewest() } else { two });
        options
            .extend((0..D).filter(|&digit| places[digit].contains(cell)).map(|digit| decision(cell, digit)));
    }

    fn are_interchangeable(&self, one: usize, other: usize) -> bool {
        let PlacesState { places, .. } = &self.state;
        places[one] == places[other] && self.sets.links.are_interchangeable(one, other)
    }

    fn state(&self) -> &[PlacesState<W, D>] {
        std::slice::from_ref(&self.state)
    }

    fn restore(&mut self, state: &[PlacesState<W, D>]) {
        self.state = state[0];
    }
}

impl<const W: usize, const D: usize> PlacesPosition<'_, W, D> {
    /// Returns the cell of a set that has the largest degree. On ties, returns the first of these cells.
    fn first(&self, of: Cells<W>) -> usize {
        let best = self.sets.ranks.iter().find_map(|&rank| (rank & of).pop());
        best.unwrap_or_default()
    }

    /// Returns a digit with two places in a full house, and its two places.
    ///
    /// The worth of two places is the number of cells that they see. If there are relations, the worth is the
    /// sum of the places' degrees instead. Returns the digit with the largest worth above `most`, or `None`
    /// if no digit has a worth above `most`.
    fn two_places(&self, mut most: usize) -> Option<(usize, [usize; 2])> {
        let Sets { about, degrees, houses, links, .. } = self.sets;
        let bound = 2 * self.sets.largest_degree;
        let mut found = None;
        for (digit, &open) in self.state.open.iter().enumerate() {
            for house in Bits(open) {
                if most >= bound {
                    return found;
                }
                let mut left = self.state.places[digit] & houses.at(house as u32);
                if let (Some(a), Some(b), true) = (left.pop(), left.pop(), left.is_empty()) {
                    let worth = if links.are_none() {
                        (about[a].peers | about[b].peers).count()
                    } else {
                        degrees[a] + degrees[b]
                    };
                    if worth > most {
                        (most, found) = (worth, Some((digit, [a, b])));
                    }
                }
            }
        }
        found
    }

    /// Returns the cells that have the fewest digits, among the cells that are not fixed yet.
    fn fewest(&self) -> Cells<W> {
        let mut fewest = (usize::MAX, Cells::NONE);
        self.sets.all.without(self.state.fixed).visit(|cell| {
            let digits = self.state.places.iter().filter(|places| places.contains(cell)).count();
            if digits < fewest.0 {
                fewest = (digits, Cells::NONE);
            }
            if digits == fewest.0 {
                fewest.1 = fewest.1 | Cells::only(cell);
            }
        });
        fewest.1
    }
}
