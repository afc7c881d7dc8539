//! Branch and bound, compared with the list of all solutions: for the maximum and the minimum, in one search and in
//! parts.

use std::sync::Arc;

use crate::grid_collector::run;
use proptest::prelude::*;
use quadrille::engine::Task;
use quadrille::generate::{Kind, Request, records};
use quadrille::internals::{BestGrid, Bitmask, Incumbent, Outcome, TopScores, TopSolutions, draw_weights};
use quadrille::{
    Constraint, DigitSet, Direction, EndedBy, Geometry, Goal, Limits, ProblemRef, Puzzle, Solution, Symbols,
    TopK, Weights,
};

fn all_solutions(puzzle: &Puzzle) -> Vec<Vec<u8>> {
    let task = Task::whole(ProblemRef::Puzzle(puzzle), Goal::All, Limits::default());
    run(&mut Bitmask::default(), &task).1.solutions
}

/// Returns the best solutions of a problem searched in parts, the last part first, with a shared incumbent.
fn split_best(puzzle: &Puzzle, top: TopK, depth: u32) -> Vec<(i64, Vec<u8>)> {
    let weights = puzzle.weights().expect("the puzzle is weighted");
    let mut engine = BestGrid::default();
    let incumbent = Incumbent::new(top);
    let whole = Task {
        incumbent: Some(&incumbent),
        ..Task::whole(ProblemRef::Puzzle(puzzle), Goal::Best(top), Limits::default())
    };
    let (_, above) = run(&mut engine, &Task { frontier: Some(depth), ..whole });
    let mut parts = Vec::new();
    let mut shown = above.solutions.len();
    for (prefix, before) in above.frontier.iter().rev() {
        parts.push(above.solutions[*before..shown].to_vec());
        parts.push(run(&mut engine, &Task { prefix, ..whole }).1.solutions);
        shown = *before;
    }
    parts.push(above.solutions[..shown].to_vec());
    let mut best = TopSolutions::new(top);
    for digits in parts.into_iter().rev().flatten() {
        best.offer(weights.score(&digits), Solution::Digits(&digits));
    }
    ranked(&best)
}

fn ranked(best: &TopSolutions) -> Vec<(i64, Vec<u8>)> {
    let digits_of = |solution| match solution {
        Solution::Digits(digits) => digits.to_vec(),
        Solution::Options(_) => panic!("a grid has digits"),
    };
    best.iter().map(|(score, solution)| (score, digits_of(solution))).collect()
}

/// Requires that the best solutions found by a whole search and in parts have the best scores of all
/// solutions.
fn check_several(puzzle: &Puzzle, scores: &[i64], direction: Direction) {
    let weights = puzzle.weights().expect("the puzzle is weighted");
    for limit in [2, 3, 10, 1000] {
        let top = TopK { direction, limit };
        let mut expected = TopScores::new(top);
        for &score in scores {
            expected.add(score);
        }
        let task = Task::whole(ProblemRef::Puzzle(puzzle), Goal::Best(top), Limits::default());
        let (outcome, found) = run(&mut BestGrid::default(), &task);
        assert_eq!(outcome.found, (expected.scores().len() as u64).into());
        let mut best = TopSolutions::new(top);
        for digits in &found.solutions {
            best.offer(weights.score(digits), Solution::Digits(digits));
        }
        assert_eq!(best.leaders().scores(), expected.scores());
        for depth in [1, 3] {
            assert_eq!(split_best(puzzle, top, depth), ranked(&best), "{limit} best, split at {depth}");
        }
    }
}

fn check(puzzle: &Puzzle) {
    let weights = puzzle.weights().expect("the puzzle is weighted");
    let scores: Vec<i64> = all_solutions(puzzle).iter().map(|digits| weights.score(digits)).collect();
    for direction in [Direction::Maximize, Direction::Minimize] {
        let expected = match direction {
            Direction::Maximize => scores.iter().max(),
            Direction::Minimize => scores.iter().min(),
        };
        let task = Task::whole(ProblemRef::Puzzle(puzzle), Goal::best(direction), Limits::default());
        let (outcome, found) = run(&mut BestGrid::default(), &task);
        assert_eq!(outcome.ended_by, EndedBy::Complete);
        assert_eq!(outcome.best.map(|best| best.score), expected.copied());
        assert_eq!(outcome.best.map(|best| best.bound), expected.copied());
        let last = found.solutions.last();
        assert_eq!(last.map(|digits| weights.score(digits)), expected.copied());
        let (again, _) = run(&mut BestGrid::default(), &task);
        assert_eq!(outcome, again);
        for depth in [1, 2, 4] {
            let split = split_best(puzzle, TopK { direction, limit: 1 }, depth);
            assert_eq!(split.first().map(|(_, digits)| digits), last, "split at {depth}");
        }
        stops_truthfully(&task, &outcome);
        check_several(puzzle, &scores, direction);
    }
}

/// Stops a search after several numbers of nodes. Its best solution must not beat the optimum, and the
/// optimum must not beat its bound.
fn stops_truthfully(task: &Task<'_>, complete: &Outcome) {
    let Some(optimum) = complete.best.map(|best| best.score) else { return };
    let nodes = complete.counters.expect("a whole search counts").nodes;
    for limit in [1, nodes / 2, nodes.saturating_sub(1)] {
        let limits = Limits { nodes: Some(limit), ..Limits::default() };
        let (outcome, _) = run(&mut BestGrid::default(), &Task { limits, ..*task });
        assert!(outcome.counters.expect("a whole search counts").nodes <= limit);
        if let (Some(best), Goal::Best(top)) = (outcome.best, task.goal) {
            match top.direction {
                Direction::Maximize => assert!(best.score <= optimum && optimum <= best.bound),
                Direction::Minimize => assert!(best.score >= optimum && optimum >= best.bound),
            }
        }
    }
}

/// Creates a puzzle from one of the grid's solutions, so that it has at least one.
///
/// Each cell keeps the digit of that solution and some random others; cells with equal digits may get a
/// letter.
fn some_puzzle(rows: usize, columns: usize, keep: &[u64], weights: &[i64], letter: usize) -> Puzzle {
    let geometry = Geometry::new(rows, columns).expect("the shape is fine");
    let side = geometry.side();
    let digit_of = |cell: usize| {
        let (row, column) = (cell / side, cell % side);
        (column + columns * (row % rows) + row / rows) % side
    };
    let mut puzzle = Puzzle::new(&geometry);
    for (cell, &others) in keep[..geometry.cells()].iter().enumerate() {
        puzzle.restrict(cell, DigitSet(others | 1 << digit_of(cell)));
    }
    let cells: Vec<u16> = (0..geometry.cells())
        .filter(|&cell| digit_of(cell) == letter % side)
        .map(|cell| cell as u16)
        .collect();
    puzzle.constrain(Constraint::SameDigit { letter: 'a', cells: cells[..letter % 3].to_vec() });
    let weights = Weights::per_cell(&geometry, &weights[..geometry.cells()]).expect("small weights");
    puzzle.set_weights(Some(Arc::new(weights)));
    puzzle
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_best_of_small_grids_is_the_best_of_all_their_solutions(
        shape in 0usize..3,
        keep in proptest::collection::vec(any::<u64>(), 36),
        // Few different weights, so that many solutions tie.
        weights in proptest::collection::vec(-2i64..4, 36),
        letter in 0usize..36,
    ) {
        let (rows, columns) = [(2, 2), (2, 3), (3, 2)][shape];
        check(&some_puzzle(rows, columns, &keep, &weights, letter));
    }

    #[test]
    fn the_best_of_9x9_is_the_best_of_all_their_solutions(
        keep in proptest::collection::vec(any::<(u64, u64)>(), 81),
        weights in proptest::collection::vec(-3i64..9, 81),
        letter in 0usize..81,
    ) {
        let keep: Vec<u64> = keep.into_iter().map(|(a, b)| a & b).collect();
        check(&some_puzzle(3, 3, &keep, &weights, letter));
    }

    #[test]
    fn the_largest_weights_do_not_overflow(
        keep in proptest::collection::vec(any::<u64>(), 16),
        weights in proptest::collection::vec(-1i64..2, 16),
    ) {
        let largest = i64::MAX / (16 * 4 * 2);
        let weights: Vec<i64> = weights.into_iter().map(|weight| weight * largest).collect();
        check(&some_puzzle(2, 2, &keep, &weights, 0));
    }
}

fn target_puzzle(text: &str) -> Puzzle {
    let cells: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let geometry = Geometry::of_side(cells.len().isqrt()).expect("a side");
    let mut puzzle = Puzzle::new(&geometry);
    for (cell, &byte) in cells.iter().enumerate() {
        if let Some(digit) = Symbols::DEFAULT.digit_of(byte, geometry.side()) {
            puzzle.restrict(cell, DigitSet::only(digit));
        }
    }
    puzzle.set_weights(Some(Arc::new(Weights::target(&geometry))));
    puzzle
}

#[test]
fn the_samples_of_luogu_p1074_have_the_published_scores() {
    let samples = [
        ("700900001 100005900 000200080 005020003 000000648 413000000 007002090 201060804 080504012", 2829),
        ("000702453 900008000 740005010 195080000 070000025 030579108 000601000 060900001 000000006", 2852),
    ];
    for (text, score) in samples {
        let puzzle = target_puzzle(text);
        let task =
            Task::whole(ProblemRef::Puzzle(&puzzle), Goal::best(Direction::Maximize), Limits::default());
        let (outcome, found) = run(&mut BestGrid::default(), &task);
        assert_eq!(outcome.best.map(|best| (best.score, best.bound)), Some((score, score)));
        assert_eq!(
            puzzle.weights().map(|weights| weights.score(found.solutions.last().unwrap())),
            Some(score)
        );
        let (again, _) = run(&mut BestGrid::default(), &task);
        assert_eq!(outcome, again);
    }
}

#[test]
fn the_best_of_sparse_grids_is_the_best_of_all_their_solutions() {
    let request = Request { clues: Some(27..=32), ..Request::new(Kind::Sparse, 11) };
    for (seed, record) in (0..).zip(records(&request, 0..8).unwrap()) {
        let mut puzzle = record.puzzle();
        // A letter that the original grid allows.
        let solution = record.solution.as_deref().unwrap();
        let cells = (0..81).filter(|&cell| record.cells[usize::from(cell)].is_none());
        let cells: Vec<u16> =
            cells.filter(|&cell| solution[usize::from(cell)] == seed as u8 % 9).take(2).collect();
        puzzle.constrain(Constraint::SameDigit { letter: 'a', cells });
        let weights = draw_weights(puzzle.geometry(), &(-40..=1000), seed);
        puzzle.set_weights(Some(Arc::new(Weights::per_cell(puzzle.geometry(), &weights).unwrap())));
        check(&puzzle);
    }
}

#[test]
fn the_empty_target_grid_is_proved() {
    let puzzle = target_puzzle(&".".repeat(81));
    let task = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::best(Direction::Maximize), Limits::default());
    let (outcome, found) = run(&mut BestGrid::default(), &task);
    assert_eq!(outcome.best.map(|best| (best.score, best.bound)), Some((2906, 2906)));
    assert_eq!((outcome.ended_by, found.solutions.len()), (EndedBy::Complete, 1));
    let nodes = outcome.counters.expect("a whole search counts").nodes;
    assert!(nodes < 2000, "{nodes} nodes");
}

#[test]
fn larger_grids_are_proved_best_and_split_alike() {
    for (rows, columns) in [(2, 4), (2, 5), (3, 4), (4, 4)] {
        let geometry = Geometry::new(rows, columns).unwrap();
        let side = geometry.side();
        let keep: Vec<u64> =
            (0..geometry.cells()).map(|cell| if cell % 5 < 3 { 0 } else { 0x5a5a5 << (cell % 4) }).collect();
        let weights: Vec<i64> = (0..geometry.cells()).map(|cell| (cell * cell % 17) as i64).collect();
        let puzzle = some_puzzle(rows, columns, &keep, &weights, side);
        check(&puzzle);
    }
}

#[test]
fn a_grid_without_solution_has_no_best() {
    let mut puzzle = target_puzzle("12..34..........");
    puzzle.set_candidates(2, DigitSet::only(2));
    puzzle.set_candidates(3, DigitSet::only(3));
    puzzle.set_candidates(6, DigitSet::only(2));
    let task = Task::whole(ProblemRef::Puzzle(&puzzle), Goal::best(Direction::Maximize), Limits::default());
    let (outcome, found) = run(&mut BestGrid::default(), &task);
    assert_eq!((outcome.ended_by, outcome.best, found.solutions.len()), (EndedBy::Complete, None, 0));
}
