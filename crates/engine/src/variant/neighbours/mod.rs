//! 9x9 grids in which one table restricts every pair of orthogonal neighbours (non-consecutive and the like).
//!
//! The search visits the same nodes as [`places`](super::places), with propagation made for these grids:
//! [`kernel`] keeps a whole grid in three registers.

mod kernel;

use std::sync::Arc;

use crate::search_context::SearchContext;
use crate::walk::{SearchState, Walk};
use kernel::{AllowedNeighbours, BAND, DIGITS, DigitPlaces, Propagate, Propagated};
use quadrille_model::bits::Bits;
use quadrille_model::rules::{Relation, Rules};
use quadrille_model::simd::run_bytes;
use quadrille_model::{EndedBy, Puzzle};

const CELLS: usize = DIGITS * DIGITS;

/// A search with its memory, and the table of the most recent rules.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// The most recent rules, with their table if supported. Holding them ensures that no other rules have the same
    /// address.
    known: Option<(Arc<Rules>, Option<AllowedNeighbours>)>,
    walk: Walk,
    saved: Vec<DigitPlaces>,
}

impl Neighbours {
    /// Searches a grid, or returns `None` if its rules are not supported.
    pub(super) fn search(
        &mut self,
        puzzle: &Puzzle,
        rules: &Arc<Rules>,
        run: &mut SearchContext<'_>,
    ) -> Option<Result<(), EndedBy>> {
        if !self.known.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, rules)) {
            self.known = Some((Arc::clone(rules), beside(rules)));
        }
        let (_, beside) = self.known.as_ref()?;
        let beside = beside.as_ref().filter(|_| puzzle.constraints().is_empty())?;
        self.saved.clear();
        let mut grid = NeighbourState {
            beside,
            puzzle,
            places: DigitPlaces::NONE,
            drawn: Propagated::Open,
            saved: &mut self.saved,
        };
        let prefix = run.task.prefix;
        Some(self.walk.go(&mut grid, prefix, run))
    }
}

/// Returns the table of the rules, or `None` if they have other effects.
///
/// The rules must be rows, columns and boxes of a 9x9, and one symmetric table for all pairs of neighbours.
fn beside(rules: &Rules) -> Option<AllowedNeighbours> {
    let shape = rules.shape();
    let has_only_houses = (shape.box_rows, shape.box_columns) == (3, 3)
        && rules.houses().len() == HOUSES.len()
        && rules
            .houses()
            .zip(HOUSES)
            .all(|(house, cells)| house.cells.iter().fold(0, |all, &cell| all | 1 << cell) == cells);
    let [table] = rules.tables() else { return None };
    if !has_only_houses
        || !rules.different().is_empty()
        || !rules.sums().is_empty()
        || !rules.quotas().is_empty()
        || !are_all_neighbours(rules.relations())
    {
        return None;
    }
    let allowed: [u32; DIGITS] =
        std::array::from_fn(|digit| table[digit] as u32 & !(1 << digit) & ((1 << DIGITS) - 1));
    let is_mutual =
        |digit: usize| (0..DIGITS).all(|other| allowed[digit] >> other & 1 == allowed[other] >> digit & 1);
    (0..DIGITS).all(is_mutual).then(|| AllowedNeighbours::new(&allowed))
}

/// Returns true if relations lead from each cell to all of its neighbours, and to no other cells.
fn are_all_neighbours(relations: &[Relation]) -> bool {
    let mut reached = [0u128; CELLS];
    for relation in relations {
        let (from, to) = (usize::from(relation.from), usize::from(relation.to));
        reached[from] |= 1 << to;
    }
    (0..CELLS).all(|cell| {
        let (row, column) = (cell / DIGITS, cell % DIGITS);
        let is_neighbour = |other: usize| row.abs_diff(other / DIGITS) + column.abs_diff(other % DIGITS) == 1;
        reached[cell]
            == (0..CELLS).filter(|&other| is_neighbour(other)).fold(0, |all, other| all | 1 << other)
    })
}

/// The houses as sets of cells, one bit per cell: rows, columns, boxes.
const HOUSES: [u128; 3 * DIGITS] = {
    let mut houses = [0; 3 * DIGITS];
    let mut cell = 0;
    while cell < CELLS {
        let (row, column) = (cell / DIGITS, cell % DIGITS);
        houses[row] |= 1 << cell;
        houses[DIGITS + column] |= 1 << cell;
        houses[2 * DIGITS + row / 3 * 3 + column / 3] |= 1 << cell;
        cell += 1;
    }
    houses
};

/// The cells with four, three and two neighbours, one bit per cell.
const BY_NEIGHBOURS: [u128; 3] = {
    let mut cells = [0; 3];
    let mut cell = 0;
    while cell < CELLS {
        let (row, column) = (cell / DIGITS, cell % DIGITS);
        let at_edges =
            (row == 0 || row == DIGITS - 1) as usize + (column == 0 || column == DIGITS - 1) as usize;
        cells[at_edges] |= 1 << cell;
        cell += 1;
    }
    cells
};

/// Returns the number of neighbours of a cell.
fn neighbours_of(cell: usize) -> usize {
    BY_NEIGHBOURS.iter().position(|cells| cells >> cell & 1 != 0).map_or(0, |at_edges| 4 - at_edges)
}

/// Returns the cell of a set with the most neighbours, the first on ties.
fn first(of: u128) -> usize {
    let best = BY_NEIGHBOURS.iter().map(|cells| cells & of).find(|&cells| cells != 0);
    best.map_or(0, |cells| cells.trailing_zeros() as usize)
}

/// The places of a grid, with its problem.
struct NeighbourState<'a> {
    beside: &'a AllowedNeighbours,
    puzzle: &'a Puzzle,
    places: DigitPlaces,
    drawn: Propagated,
    saved: &'a mut Vec<DigitPlaces>,
}

impl NeighbourState<'_> {
    fn propagate(&mut self) -> bool {
        self.drawn = run_bytes(Propagate { places: &mut self.places, beside: self.beside });
        self.drawn != Propagated::Contradiction
    }

    /// Returns the cells that may hold a digit, one bit per cell.
    fn places_of(&self, digit: usize) -> u128 {
        let DigitPlaces([first, second, third]) = &self.places;
        u128::from(first[digit]) | u128::from(second[digit]) << BAND | u128::from(third[digit]) << (2 * BAND)
    }

    /// Returns a digit with exactly two places in a house, and the two places. Chooses the pair of places that have the
    /// most neighbours in total; the pair must have more than `most`.
    fn two_places(&self, mut most: usize) -> Option<(usize, [usize; 2])> {
        let mut found = None;
        for digit in 0..DIGITS {
            let places = self.places_of(digit);
            for house in HOUSES {
                if most >= 2 * 4 {
                    return found;
                }
                let left = places & house;
                let behind = left & left.wrapping_sub(1);
                if behind != 0 && behind & (behind - 1) == 0 {
                    let pair = [left.trailing_zeros() as usize, behind.trailing_zeros() as usize];
                    let worth = neighbours_of(pair[0]) + neighbours_of(pair[1]);
                    if worth > most {
                        (most, found) = (worth, Some((digit, pair)));
                    }
                }
            }
        }
        found
    }
}

impl SearchState for NeighbourState<'_> {
    fn size(&self) -> (usize, usize) {
        (DIGITS, CELLS)
    }

    fn load(&mut self) -> Result<bool, EndedBy> {
        self.places = DigitPlaces::NONE;
        for (cell, set) in self.puzzle.candidates().iter().enumerate() {
            let band = &mut self.places.0[cell / BAND];
            Bits(set.0).for_each(|digit| band[digit] |= 1 << (cell % BAND));
        }
        Ok(self.propagate())
    }

    fn decide(&mut self, cell: usize, digit: usize) -> Result<bool, EndedBy> {
        let band = &mut self.places.0[cell / BAND];
        let bit = 1 << (cell % BAND);
        if band[digit] & bit == 0 {
            return Ok(false);
        }
        band.iter_mut().for_each(|places| *places &= !bit);
        band[digit] |= bit;
        Ok(self.propagate())
    }

    fn fill(&self, digits: &mut Vec<u8>) -> bool {
        if self.drawn != Propagated::Solved {
            return false;
        }
        digits.resize(CELLS, 0);
        for digit in 0..DIGITS {
            Bits(self.places_of(digit)).for_each(|cell| digits[cell] = digit as u8);
        }
        true
    }

    /// Lists the options to branch on.
    ///
    /// The choice is a cell with two digits, or a digit with two places in a house if the places have more
    /// neighbours; if there is none, a cell with the fewest digits. Among equals it takes the one with the most
    /// neighbours, then the first.
    fn list(&self, options: &mut Vec<u32>) {
        // Per number of digits, the cells that have at least that many.
        let mut having = [0u128; DIGITS + 1];
        for digit in 0..DIGITS {
            let mut places = self.places_of(digit);
            for cells in &mut having[1..] {
                (*cells, places) = (*cells | places, *cells & places);
            }
        }
        let exactly = |number: usize| having[number] & !having.get(number + 1).copied().unwrap_or(0);
        let decision = |cell: usize, digit: usize| (cell * DIGITS + digit) as u32;
        let two = exactly(2);
        let worth_of_cell = if two == 0 { 0 } else { 2 * neighbours_of(first(two)) };
        if let Some((digit, pair)) = self.two_places(worth_of_cell) {
            options.extend(pair.map(|cell| decision(cell, digit)));
            return;
        }
        let fewest = (2..=DIGITS).map(exactly).find(|&cells| cells != 0);
        let cell = first(fewest.unwrap_or(0));
        let has = |&digit: &usize| self.places_of(digit) >> cell & 1 != 0;
        options.extend((0..DIGITS).filter(has).map(|digit| decision(cell, digit)));
    }

    fn save(&mut self) -> Result<(), EndedBy> {
        self.saved.try_reserve(1)?;
        self.saved.push(self.places);
        Ok(())
    }

    fn restore(&mut self, is_last: bool) {
        let saved = if is_last { self.saved.pop() } else { self.saved.last().copied() };
        self.places = saved.unwrap_or(self.places);
    }
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;
    use crate::{Control, Flow, Task};
    use quadrille_model::random::SplitMix64;
    use quadrille_model::rules::{Shape, compile};
    use quadrille_model::{DigitSet, Geometry, Goal, Limits, Outcome, ProblemRef, Solution};

    const NINE: Shape = Shape { box_rows: 3, box_columns: 3 };

    fn rules(text: &str) -> Arc<Rules> {
        Arc::new(compile(text, NINE).unwrap())
    }

    /// Returns the outcome and the solutions of a short search for three solutions.
    fn search(
        puzzle: &Puzzle,
        search: impl FnOnce(&mut SearchContext<'_>) -> Result<(), EndedBy>,
    ) -> (Outcome, Vec<Vec<u8>>) {
        let limits = Limits { nodes: Some(3000), ..Limits::default() };
        let task = Task::whole(ProblemRef::Puzzle(puzzle), Goal::First(3), limits);
        let (control, mut solutions) = (Control::new(), Vec::new());
        let mut visitor = |solution: Solution<'_>| {
            if let Solution::Digits(digits) = solution {
                solutions.push(digits.to_vec());
            }
            Flow::Continue
        };
        let mut run = SearchContext::new(&task, &mut visitor, &control);
        let end = search(&mut run);
        let outcome = run.outcome(end);
        (outcome, solutions)
    }

    /// Tries grids with few clues, some with sets of digits, some contradictory.
    #[test]
    fn the_search_tree_is_that_of_the_general_engine() {
        let mut random = SplitMix64(20);
        let (mut neighbours, mut places) = (Neighbours::default(), places::Places::default());
        let (mut solved, mut contradicted, mut branched) = (0, 0, 0);
        for text in [".AntiConsecutive", ".StrictXV", ".StrictKropki"] {
            let rules = rules(text);
            for round in 0..60 {
                let mut puzzle = Puzzle::new(&Geometry::new(3, 3).unwrap());
                puzzle.set_rules(&rules);
                for _ in 0..1 + round % 12 {
                    let digits = (0..1 + random.below(3)).fold(0, |set, _| set | 1 << random.below(9));
                    puzzle.restrict(random.below(81), DigitSet(digits));
                }
                let one = search(&puzzle, |run| {
                    neighbours.search(&puzzle, &rules, run).expect("the rules are about all neighbours")
                });
                let other = search(&puzzle, |run| places.search(&puzzle, &rules, run));
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{text} {:?}", puzzle.candidates());
                let nodes = one.0.counters.map_or(0, |counters| counters.nodes);
                solved += one.1.len();
                contradicted += usize::from(one.0.ended_by == EndedBy::Complete && one.1.is_empty());
                branched += usize::from(nodes > 10);
            }
        }
        assert!(solved > 100 && contradicted > 10 && branched > 50, "{solved} {contradicted} {branched}");
    }

    #[test]
    fn rules_about_anything_else_are_left_to_other_engines() {
        let layout = "aaabbbcccaaabbbcccaaabbbcccdddeeefffdddeeefffdddeeefffggghhhiiiggghhhiiiggghhhiii";
        for text in [
            ".Diagonal~1",
            ".AntiConsecutive.AntiKnight",
            ".AntiConsecutive.Diagonal~1",
            ".AntiConsecutive.Cage~9~R1C1~R1C2",
            ".StrictXV.X~R1C1~R1C2",
            ".Whisper~2~R1C1~R1C2",
            ".GreaterThan~R1C1~R1C2",
            &format!(".NoBoxes.Jigsaw~{layout}.AntiConsecutive"),
        ] {
            let is_taken = beside(&rules(text)).is_some();
            assert_eq!(is_taken, text.contains("Jigsaw") && rules(text).houses().len() == 27, "{text}");
        }
        let small = compile(".AntiConsecutive", Shape { box_rows: 2, box_columns: 3 }).unwrap();
        assert!(beside(&small).is_none());
    }

    #[test]
    fn cells_are_chosen_by_their_neighbours() {
        let all = (0..CELLS).map(|cell| 1u128 << cell);
        assert_eq!(all.map(|cell| neighbours_of(first(cell))).sum::<usize>(), 288);
        assert_eq!((first(u128::MAX >> 47), first(0b111), first(1)), (10, 1, 0));
        assert!(HOUSES.iter().all(|house| house.count_ones() == 9));
    }
}
