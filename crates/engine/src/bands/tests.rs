use std::time::Duration;

use super::*;
use crate::{EngineKind, EnginePreference, Solver};
use quadrille_model::random::SplitMix64;
use quadrille_model::{DigitSet, Geometry, Limits, Packed9x9, Puzzle};

/// A random generator of puzzles.
struct Draw(SplitMix64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// Returns a filled grid: shifted rows, with digits, rows of bands and columns of stacks permuted.
    fn solved(&mut self, rows: usize, columns: usize) -> Vec<usize> {
        let side = rows * columns;
        let digits = self.order(side);
        let lines = self.lines(rows, columns);
        let places = self.lines(columns, rows);
        let digit = |row: usize, column: usize| (columns * (row % rows) + row / rows + column) % side;
        (0..side * side).map(|cell| digits[digit(lines[cell / side], places[cell % side])]).collect()
    }

    /// Returns a random order of lines that keeps `groups` groups of `height` lines together.
    fn lines(&mut self, height: usize, groups: usize) -> Vec<usize> {
        let order = self.order(groups);
        order
            .into_iter()
            .flat_map(|group| self.order(height).into_iter().map(move |line| group * height + line))
            .collect()
    }

    fn order(&mut self, things: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..things).collect();
        (1..things).rev().for_each(|last| order.swap(last, self.below(last + 1)));
        order
    }

    /// Returns a grid with solutions, `clues` clues, and `marks` cells that lack a few candidates.
    fn puzzle(&mut self, rows: usize, columns: usize, clues: usize, marks: usize) -> Puzzle {
        let (mut puzzle, solved) = (empty(rows, columns), self.solved(rows, columns));
        let side = rows * columns;
        for (number, cell) in self.order(side * side).into_iter().take(clues + marks).enumerate() {
            let digit = DigitSet::only(solved[cell]);
            let some = DigitSet(self.below(1 << side) as u64 | self.below(1 << side) as u64 | digit.0);
            puzzle.restrict(cell, if number < clues { digit } else { some });
        }
        puzzle
    }
}

fn empty(rows: usize, columns: usize) -> Puzzle {
    Puzzle::new(&Geometry::new(rows, columns).unwrap())
}

fn count_within(problem: ProblemRef<'_>, limits: Limits) -> Outcome {
    Bands::default().count_within(&Task::count(problem, limits), &Control::new(), None).unwrap()
}

fn count(problem: ProblemRef<'_>) -> Count {
    let outcome = count_within(problem, Limits::default());
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    outcome.found
}

/// Returns the count of the search, or `None` if it exceeds 100,000 nodes.
fn searched(puzzle: &Puzzle) -> Option<Count> {
    let mut solver =
        Solver::new(EnginePreference { engine: Some(EngineKind::Bitmask), ..EnginePreference::default() });
    let limits = Limits { nodes: Some(100_000), ..Limits::default() };
    let answer = solver.answer(ProblemRef::Puzzle(puzzle), Goal::Count { limit: None }, limits).unwrap();
    answer.exact_count().cloned()
}

/// Compares the counter with the search on random grids; returns the number of comparisons made.
fn agree(rows: usize, columns: usize, clues: std::ops::Range<usize>, marks: usize, rounds: u64) -> usize {
    let (mut bands, mut compared) = (Bands::default(), 0);
    for seed in 0..rounds {
        let mut draw = Draw(SplitMix64(seed));
        let clues = clues.start + draw.below(clues.len());
        let marks = draw.below(marks + 1);
        let puzzle = draw.puzzle(rows, columns, clues, marks);
        if let Some(expected) = searched(&puzzle) {
            let problem = ProblemRef::Puzzle(&puzzle);
            let outcome =
                bands.count_within(&Task::count(problem, Limits::default()), &Control::new(), None).unwrap();
            assert_eq!(outcome.found, expected, "{rows}x{columns} seed {seed}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn two_bands_have_the_known_number_of_grids() {
    let known = [(2, 2, "288"), (2, 3, "28200960"), (3, 2, "28200960"), (2, 4, "29136487207403520")];
    for (rows, columns, grids) in known {
        assert_eq!(count(ProblemRef::Puzzle(&empty(rows, columns))).to_string(), grids, "{rows}x{columns}");
    }
}

#[test]
fn there_are_6670903752021072936960_grids_of_9x9() {
    assert_eq!(count(ProblemRef::Packed(&Packed9x9::FULL)).to_string(), "6670903752021072936960");
    let outcome = count_within(
        ProblemRef::Puzzle(&empty(3, 3)),
        Limits { memory: Some(64 << 20), ..Limits::default() },
    );
    assert_eq!(
        (outcome.found.to_string().as_str(), outcome.ended_by),
        ("6670903752021072936960", EndedBy::Complete)
    );
}

#[test]
fn counts_of_two_bands_are_those_of_the_search() {
    assert!(agree(2, 2, 0..6, 6, 300) == 300);
    assert!(agree(2, 3, 5..14, 10, 60) > 50);
    assert!(agree(3, 2, 5..14, 10, 60) > 50);
    assert!(agree(2, 4, 18..26, 12, 40) > 20);
    assert!(agree(4, 2, 18..26, 12, 40) > 20);
}

#[test]
fn counts_of_9x9_are_those_of_the_search() {
    assert!(agree(3, 3, 23..30, 0, 30) > 15);
    assert!(agree(3, 3, 23..30, 20, 30) > 15);
}

#[test]
fn a_first_box_is_one_of_many() {
    let mut puzzle = empty(3, 3);
    (0..9).for_each(|digit| puzzle.restrict(digit / 3 * 9 + digit % 3, DigitSet::only(digit)));
    let with_box = count(ProblemRef::Puzzle(&puzzle)).to_big();
    assert_eq!((with_box * 362_880u32).to_string(), "6670903752021072936960");
}

#[test]
fn counts_over_the_candidates_of_a_cell_add_up() {
    // Four cells of a band and one of the same stack: no restricted cell is alone in both its band and its stack.
    let with = |set: DigitSet| {
        let mut puzzle = empty(3, 3);
        (0..3).for_each(|cell| puzzle.restrict(cell, DigitSet::only(cell)));
        puzzle.restrict(13, DigitSet::only(1));
        puzzle.restrict(45, set);
        count(ProblemRef::Puzzle(&puzzle)).to_big()
    };
    let all = with(DigitSet::all(9));
    assert_eq!(with(DigitSet(0b101)) + with(DigitSet(0b1_1111_1010)), all);
    assert_eq!(with(DigitSet::only(0)), BigUint::ZERO);
}

#[test]
fn packed_and_unpacked_puzzles_have_the_same_count() {
    let puzzle = Draw(SplitMix64(7)).puzzle(3, 3, 24, 0);
    let packed = Packed9x9::from_cells(&std::array::from_fn(|cell| puzzle.candidates()[cell].0 as u16));
    assert_eq!(count(ProblemRef::Packed(&packed)), count(ProblemRef::Puzzle(&puzzle)));
}

#[test]
fn contradictions_have_no_solutions() {
    for (rows, columns) in [(2, 2), (2, 4), (3, 3)] {
        let mut puzzle = empty(rows, columns);
        puzzle.restrict(0, DigitSet::only(1));
        puzzle.restrict(1, DigitSet::only(1));
        assert_eq!(count(ProblemRef::Puzzle(&puzzle)), Count::ZERO);
        // Three cells of a row share two digits.
        let mut puzzle = empty(rows, columns);
        (0..3).for_each(|cell| puzzle.restrict(cell, DigitSet(0b11)));
        assert_eq!(count(ProblemRef::Puzzle(&puzzle)), Count::ZERO);
    }
}

#[test]
fn limits_end_a_count_with_a_lower_bound() {
    let problem = ProblemRef::Packed(&Packed9x9::FULL);
    let ended = |limits| count_within(problem, limits).ended_by;
    assert_eq!(ended(Limits { nodes: Some(4), ..Limits::default() }), EndedBy::Nodes);
    assert_eq!(ended(Limits { time: Some(Duration::ZERO), ..Limits::default() }), EndedBy::Time);
    assert_eq!(ended(Limits { memory: Some(1 << 20), ..Limits::default() }), EndedBy::Memory);
    let control = Control::new();
    control.cancel();
    let outcome =
        Bands::default().count_within(&Task::count(problem, Limits::default()), &control, None).unwrap();
    assert_eq!((outcome.ended_by, outcome.found), (EndedBy::Cancel, Count::ZERO));
}

#[test]
fn an_allowance_that_is_too_small_is_declined() {
    let problem = ProblemRef::Packed(&Packed9x9::FULL);
    let ask = |allowance| {
        Bands::default().count_within(
            &Task::count(problem, Limits::default()),
            &Control::new(),
            Some(allowance),
        )
    };
    assert!(ask(100).is_none());
    assert!(ask(u64::MAX).is_some());
}
