//! One problem split over threads answers exactly as one thread does: solutions, order, counts, limits.

use std::sync::Arc;

use quadrille::engine::{Control, EngineKind, Flow, Solver, Wish};
use quadrille::{
    Answer, DigitSet, Direction, Geometry, Goal, Limits, Problem, ProblemRef, Puzzle, Solution, Weights,
};

/// What a search said and found.
#[derive(Debug, PartialEq)]
struct Seen {
    answer: Answer,
    solutions: Vec<Vec<u8>>,
}

fn digits_of(solution: Solution<'_>) -> Vec<u8> {
    match solution {
        Solution::Digits(digits) => digits.to_vec(),
        Solution::Options(options) => options.iter().flat_map(|option| option.to_le_bytes()).collect(),
    }
}

fn sequential(problem: ProblemRef<'_>, kind: EngineKind, goal: Goal, limits: Limits) -> Seen {
    let mut solutions = Vec::new();
    let mut solver = Solver::new(Wish { engine: Some(kind), ..Wish::default() });
    let answer = solver
        .search(problem, goal, limits, &Control::new(), &mut |solution| {
            solutions.push(digits_of(solution));
            Flow::Continue
        })
        .unwrap();
    Seen { answer, solutions }
}

fn parallel(problem: ProblemRef<'_>, kind: EngineKind, goal: Goal, limits: Limits, threads: usize) -> Seen {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut solutions = Vec::new();
    let mut solver = Solver::new(Wish { engine: Some(kind), ..Wish::default() });
    let control = Arc::new(Control::new());
    let answer = pool.install(|| {
        solver
            .search_parallel(problem, goal, limits, &control, &mut |solution| {
                solutions.push(digits_of(solution));
                Flow::Continue
            })
            .unwrap()
    });
    Seen { answer, solutions }
}

/// A puzzle with these clues and dots.
fn puzzle(box_rows: usize, box_columns: usize, text: &str) -> Puzzle {
    let mut puzzle = Puzzle::new(&Geometry::new(box_rows, box_columns).unwrap());
    for (cell, character) in text.chars().filter(|character| !character.is_whitespace()).enumerate() {
        if let Some(digit) = character.to_digit(10).filter(|&digit| digit > 0) {
            puzzle.restrict(cell, DigitSet::only(digit as usize - 1));
        }
    }
    puzzle
}

/// 507 solutions: the published sample of UVA 1461 without its marks has 1,318.
const MANY: &str =
    "040008007 000030408 006000200 301004000 008000002 000003000 200401005 600070000 800006003";

fn problems() -> Vec<Problem> {
    vec![
        Problem::Puzzle(puzzle(3, 3, MANY)),
        Problem::Puzzle(puzzle(2, 2, "................")),
        Problem::Puzzle(puzzle(2, 3, "12.... ...... ...... .3.... ...... ....5.")),
        Problem::Puzzle(puzzle(3, 3, &".".repeat(81))),
    ]
}

const ENGINES: [EngineKind; 2] = [EngineKind::Dlx, EngineKind::Bitmask];

fn assert_same(problem: ProblemRef<'_>, kind: EngineKind, goal: Goal, limits: Limits) {
    let one = sequential(problem, kind, goal, limits);
    for threads in [1, 2, 3] {
        let mut many = parallel(problem, kind, goal, limits, threads);
        // Counters of a split search leave out what a single search alone can know.
        if let (Some(seen), Some(whole)) = (&mut many.answer.counters, &one.answer.counters) {
            assert_eq!(
                (seen.nodes, seen.guesses),
                (whole.nodes, whole.guesses),
                "{kind:?} {goal:?} {limits:?}"
            );
        }
        many.answer.counters = one.answer.counters;
        assert_eq!(many, one, "{kind:?} {goal:?} {limits:?} on {threads} threads");
    }
}

#[test]
fn solutions_and_counts_are_those_of_one_thread() {
    let goals = [
        Goal::First(1),
        Goal::First(2),
        Goal::First(100),
        Goal::Count { limit: Some(1000) },
        Goal::Count { limit: Some(1) },
    ];
    for problem in problems() {
        for kind in ENGINES {
            for goal in goals {
                assert_same(problem.as_ref(), kind, goal, Limits::default());
            }
        }
    }
    for problem in &problems()[..2] {
        for kind in ENGINES {
            for goal in [Goal::All, Goal::Count { limit: None }] {
                assert_same(problem.as_ref(), kind, goal, Limits::default());
            }
        }
    }
}

#[test]
fn a_node_limit_ends_a_split_search_where_it_ends_a_whole_one() {
    for problem in problems() {
        for kind in ENGINES {
            for nodes in [1, 2, 3, 17, 100, 256, 300, 777, 1500] {
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                for goal in [Goal::All, Goal::First(5), Goal::Count { limit: None }] {
                    assert_same(problem.as_ref(), kind, goal, limits);
                }
            }
        }
    }
}

#[test]
fn solutions_stream_in_order_when_they_fill_the_buffers() {
    let problem = Problem::Puzzle(puzzle(3, 3, &".".repeat(81)));
    let goal = Goal::First(60_000);
    let limits = Limits::default();
    let one = sequential(problem.as_ref(), EngineKind::Bitmask, goal, limits);
    let many = parallel(problem.as_ref(), EngineKind::Bitmask, goal, limits, 2);
    assert_eq!(one.solutions.len(), 60_000);
    assert!(one.solutions == many.solutions, "the order differs");
}

#[test]
fn the_best_solution_is_the_earliest_of_the_best() {
    let geometry = Geometry::of_side(9).unwrap();
    for seed in 0..4i64 {
        let mut weighted = puzzle(3, 3, MANY);
        // Few different weights, so that many solutions tie.
        let per_cell: Vec<i64> = (0..81).map(|cell| (cell * 7 + seed) % 3).collect();
        weighted.set_weights(Some(Arc::new(Weights::per_cell(&geometry, &per_cell).unwrap())));
        let problem = Problem::Puzzle(weighted);
        for direction in [Direction::Maximize, Direction::Minimize] {
            let goal = Goal::Best(direction);
            let one = sequential(problem.as_ref(), EngineKind::Bound, goal, Limits::default());
            for threads in [1, 2, 3] {
                let many = parallel(problem.as_ref(), EngineKind::Bound, goal, Limits::default(), threads);
                assert_eq!(many.answer.best, one.answer.best);
                assert_eq!(many.solutions.last(), one.solutions.last());
            }
        }
    }
}

#[test]
fn a_cancelled_search_says_so() {
    let problem = Problem::Puzzle(puzzle(3, 3, &".".repeat(81)));
    let control = Arc::new(Control::new());
    control.cancel();
    let mut solver = Solver::new(Wish { engine: Some(EngineKind::Dlx), ..Wish::default() });
    let goal = Goal::Count { limit: None };
    let answer = solver
        .search_parallel(problem.as_ref(), goal, Limits::default(), &control, &mut |_| Flow::Continue)
        .unwrap();
    assert_eq!(answer.ended_by.word(), "cancel");
}
