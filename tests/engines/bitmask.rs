//! The bitmask engine, compared with dancing links, the naive reference and the verifier.

use crate::grid_collector::run;
use proptest::prelude::*;
use quadrille::engine::{Counters, Task};
use quadrille::internals::{Bitmask, Dlx, Naive, TreeSearch};
use quadrille::{Constraint, DigitSet, EndedBy, Geometry, Goal, Limits, Packed9x9, ProblemRef, Puzzle};

fn all(engine: &mut dyn TreeSearch, puzzle: &Puzzle) -> (Counters, Vec<Vec<u8>>) {
    let (outcome, found) =
        run(engine, &Task::whole(ProblemRef::Puzzle(puzzle), Goal::All, Limits::default()));
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    assert_eq!(outcome.found.to_u64(), Some(found.solutions.len() as u64));
    (outcome.counters.expect("a whole search counts"), found.solutions)
}

/// Returns the 0-based digit of a cell in a solved grid of any shape.
fn solved_digit(geometry: &Geometry, cell: usize) -> usize {
    let (side, rows, columns) = (geometry.side(), geometry.box_rows(), geometry.box_columns());
    let (row, column) = (cell / side, cell % side);
    (column + columns * (row % rows) + row / rows) % side
}

/// Returns a puzzle whose cells have the digit of a solved grid and those of a mask as candidates.
fn around_a_solution(geometry: &std::sync::Arc<Geometry>, mask: impl Fn(usize) -> u64) -> Puzzle {
    let mut puzzle = Puzzle::new(geometry);
    for cell in 0..geometry.cells() {
        puzzle.restrict(cell, DigitSet(mask(cell) | 1 << solved_digit(geometry, cell)));
    }
    puzzle
}

/// Adds a letter to some cells that have the same digit in the solved grid.
fn add_letter(puzzle: &mut Puzzle, letter: char, digit: usize, members: usize) {
    let geometry = puzzle.geometry().clone();
    let cells =
        (0..geometry.cells()).filter(|&cell| solved_digit(&geometry, cell) == digit % geometry.side());
    let cells = cells.map(|cell| cell as u16).take(members).collect();
    puzzle.constrain(Constraint::SameDigit { letter, cells });
}

/// Compares all solutions with those of other engines, and the whole search with the sum of its parts.
fn check(puzzle: &Puzzle) -> Result<(), TestCaseError> {
    let mut engine = Bitmask::default();
    let (counters, solutions) = all(&mut engine, puzzle);
    prop_assert_eq!(all(&mut engine, puzzle), (counters, solutions.clone()));
    let mut sorted = solutions.clone();
    sorted.sort();
    let mut of_links = all(&mut Dlx::default(), puzzle).1;
    of_links.sort();
    prop_assert_eq!(&sorted, &of_links);
    if puzzle.geometry().side() <= 6 {
        let mut of_naive = all(&mut Naive, puzzle).1;
        of_naive.sort();
        prop_assert_eq!(&sorted, &of_naive);
    }
    for depth in [1, 2, 5] {
        prop_assert_eq!(in_parts(&mut engine, puzzle, depth), (counters, solutions.clone()));
    }
    Ok(())
}

/// Returns all solutions in order, found by a search to a frontier and by searches below its nodes.
fn in_parts(engine: &mut dyn TreeSearch, puzzle: &Puzzle, depth: u32) -> (Counters, Vec<Vec<u8>>) {
    let whole = Task::whole(ProblemRef::Puzzle(puzzle), Goal::All, Limits::default());
    let (outcome, top) = run(engine, &Task { frontier: Some(depth), ..whole });
    let mut counters = outcome.counters.expect("a search counts");
    let (mut solutions, mut shown) = (Vec::new(), 0);
    for (prefix, before) in &top.frontier {
        solutions.extend_from_slice(&top.solutions[shown..*before]);
        shown = *before;
        let (outcome, part) = run(engine, &Task { prefix, ..whole });
        solutions.extend(part.solutions);
        counters.nodes += outcome.counters.expect("a search counts").nodes;
        counters.guesses += outcome.counters.expect("a search counts").guesses;
    }
    solutions.extend_from_slice(&top.solutions[shown..]);
    (counters, solutions)
}

/// Creates masks that are dense, so that small grids have many solutions, or sparse for large grids.
fn masks(cells: usize, thin: usize) -> impl Strategy<Value = Vec<u64>> {
    let thinned = move |words: Vec<u64>| words.iter().fold(u64::MAX, |all, word| all & word);
    let mask = proptest::collection::vec(any::<u64>(), thin).prop_map(thinned);
    proptest::collection::vec(mask, cells)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn solutions_of_4x4_and_6x6_are_those_of_dancing_links(
        shape in 0usize..3, masks in masks(36, 1), digit in 0usize..6, members in 0usize..4,
    ) {
        let (rows, columns) = [(2, 2), (2, 3), (3, 2)][shape];
        let mut puzzle = around_a_solution(&Geometry::new(rows, columns).unwrap(), |cell| masks[cell]);
        add_letter(&mut puzzle, 'a', digit, members);
        check(&puzzle)?;
    }

    #[test]
    fn solutions_of_9x9_are_those_of_dancing_links(masks in masks(81, 2), digit in 0usize..9, members in 0usize..4) {
        let mut puzzle = around_a_solution(&Geometry::new(3, 3).unwrap(), |cell| masks[cell]);
        check(&puzzle)?;
        add_letter(&mut puzzle, 'a', digit, members);
        add_letter(&mut puzzle, 'b', digit + 1, members / 2);
        check(&puzzle)?;
    }

    #[test]
    fn solutions_of_larger_grids_are_those_of_dancing_links(shape in 0usize..5, masks in masks(225, 3)) {
        let (rows, columns) = [(2, 4), (2, 5), (5, 2), (3, 4), (3, 5)][shape];
        check(&around_a_solution(&Geometry::new(rows, columns).unwrap(), |cell| masks[cell]))?;
    }

    #[test]
    fn solutions_of_any_candidates_are_those_of_dancing_links(
        shape in 0usize..3, masks in masks(81, 1), clues in proptest::collection::vec((0usize..81, 0usize..9), 6),
    ) {
        let (rows, columns) = [(2, 2), (2, 3), (3, 3)][shape];
        let geometry = Geometry::new(rows, columns).unwrap();
        let mut puzzle = Puzzle::new(&geometry);
        for (cell, &mask) in masks.iter().enumerate().take(geometry.cells()) {
            puzzle.restrict(cell, DigitSet(mask));
        }
        for (cell, digit) in clues {
            puzzle.set_candidates(cell % geometry.cells(), DigitSet::only(digit % geometry.side()));
        }
        check(&puzzle)?;
    }
}

#[test]
fn every_side_solves_its_own_grid_with_holes() {
    for side in 4..=36 {
        let Some((rows, columns)) = Geometry::default_box(side) else { continue };
        let geometry = Geometry::new(rows, columns).unwrap();
        let puzzle = around_a_solution(&geometry, |cell| if cell * 7 % 11 < 4 { u64::MAX } else { 0 });
        let task = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::First(2), Limits::default());
        let (outcome, found) = run(&mut Bitmask::default(), &task);
        assert!(!found.solutions.is_empty(), "side {side}: {outcome:?}");
        let split = in_parts_first(&task);
        assert_eq!(split.first(), found.solutions.first(), "side {side}");
    }
}

/// Returns the first solution below each child of the first branching.
fn in_parts_first(task: &Task<'_>) -> Vec<Vec<u8>> {
    let mut engine = Bitmask::default();
    let (_, top) = run(&mut engine, &Task { frontier: Some(1), ..*task });
    let parts =
        top.frontier.iter().flat_map(|(prefix, _)| run(&mut engine, &Task { prefix, ..*task }).1.solutions);
    top.solutions.iter().cloned().chain(parts).collect()
}

#[test]
fn answers_do_not_depend_on_earlier_problems() {
    let mut engine = Bitmask::default();
    for (rows, columns) in [(3, 3), (2, 2), (4, 4), (3, 3), (2, 3), (5, 5), (2, 2)] {
        let geometry = Geometry::new(rows, columns).unwrap();
        let mut puzzle = around_a_solution(&geometry, |cell| if cell % 3 == 0 { 0x155_5555 } else { 0 });
        for letters in [false, true] {
            if letters {
                add_letter(&mut puzzle, 'x', 1, 2);
            }
            assert_eq!(all(&mut engine, &puzzle), all(&mut Bitmask::default(), &puzzle));
        }
    }
}

#[test]
fn contradictory_grids_have_no_solution() {
    let geometry = Geometry::new(3, 3).unwrap();
    // Two cells of a row for three digits, found by propagation; then a contradiction found before any
    // search.
    let mut puzzle = Puzzle::new(&geometry);
    for cell in 2..9 {
        puzzle.restrict(cell, DigitSet(0b1_1111_1000 & !(1 << cell)));
    }
    assert_eq!(all(&mut Bitmask::default(), &puzzle).1.len(), 0);
    puzzle.set_candidates(2, DigitSet::only(5));
    puzzle.set_candidates(3, DigitSet::only(5));
    let (counters, solutions) = all(&mut Bitmask::default(), &puzzle);
    assert_eq!((counters, solutions.len()), (Counters::default(), 0));
}

#[test]
fn a_blank_9x9_stops_at_its_limits() {
    let mut engine = Bitmask::default();
    for nodes in [1, 17, 1000, 5000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let task = Task::whole(ProblemRef::Packed(&Packed9x9::FULL), Goal::Count { limit: None }, limits);
        let (outcome, _) = run(&mut engine, &task);
        assert_eq!((outcome.counters.unwrap().nodes, outcome.ended_by), (nodes, EndedBy::Nodes));
    }
    let task = Task::whole(ProblemRef::Packed(&Packed9x9::FULL), Goal::First(1000), Limits::default());
    let (outcome, found) = run(&mut engine, &task);
    assert_eq!((outcome.ended_by, found.solutions.len()), (EndedBy::Limit, 1000));
}
