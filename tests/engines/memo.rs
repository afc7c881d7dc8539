//! Counting without listing, compared with the naive reference, the searches, and known counts.

use crate::{covers, random_covers};
use std::sync::Arc;

use proptest::prelude::*;
use quadrille::engine::{Control, EngineKind, EnginePreference, Flow, Solver, Task};
use quadrille::internals::cover::classic;
use quadrille::internals::{Memo, Outcome, SolutionCounter};
use quadrille::{Answer, CoverBuilder, CoverProblem, EndedBy, Goal, Limits, ProblemRef};

const COUNT: Goal = Goal::Count { limit: None };

fn tally(cover: &Arc<CoverProblem>, memory: Option<u64>) -> Outcome {
    let limits = Limits { memory, ..Limits::default() };
    Memo::default()
        .count_within(&Task::count(ProblemRef::Cover(cover), limits), &Control::new(), None)
        .expect("without an allowance nothing is declined")
}

fn counted(cover: &Arc<CoverProblem>, memory: Option<u64>) -> String {
    let outcome = tally(cover, memory);
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    outcome.found.to_string()
}

fn by_engine(cover: &Arc<CoverProblem>, engine: Option<EngineKind>) -> Answer {
    let mut solver = Solver::new(EnginePreference { engine, ..EnginePreference::default() });
    solver.answer(ProblemRef::Cover(cover), COUNT, Limits::default()).expect("covers can be counted")
}

/// Joins problems that share no items into one problem.
pub(crate) fn side_by_side(problems: &[&Arc<CoverProblem>]) -> Arc<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let numbered = || problems.iter().enumerate();
    for (number, problem) in numbered() {
        for item in 0..problem.primary() {
            builder.primary(&format!("{number}/{}", problem.name(item))).unwrap();
        }
    }
    for (number, problem) in numbered() {
        for item in problem.primary()..problem.items() {
            builder.secondary(&format!("{number}/{}", problem.name(item))).unwrap();
        }
    }
    for (number, problem) in numbered() {
        for option in 0..problem.options() {
            let word = |entry: &quadrille::Entry| {
                let colour =
                    problem.colour_name(entry.colour).map_or(String::new(), |name| format!(":{name}"));
                format!("{number}/{}{colour}", problem.name(entry.item as usize))
            };
            let words: Vec<String> = problem.option(option).iter().map(word).collect();
            builder.option(&words.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        }
    }
    Arc::new(builder.build().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn random_problems_have_the_counts_of_searches(cover in any::<bool>().prop_flat_map(random_covers::covers)) {
        let exact = by_engine(&cover, Some(EngineKind::Naive)).count;
        prop_assert_eq!(&exact, &by_engine(&cover, Some(EngineKind::Bitset)).count);
        let outcome = tally(&cover, None);
        prop_assert_eq!(outcome.ended_by, EndedBy::Complete);
        prop_assert_eq!(Some(&outcome.found), exact.as_ref());
        let scarce = tally(&cover, Some(4_000));
        if scarce.ended_by == EndedBy::Complete {
            prop_assert_eq!(Some(&scarce.found), exact.as_ref());
        } else {
            prop_assert!(Some(&scarce.found) <= exact.as_ref());
        }
    }

    #[test]
    fn counts_of_independent_parts_are_multiplied(one in random_covers::covers(true), two in random_covers::covers(true)) {
        let product = tally(&one, None).found.to_big() * tally(&two, None).found.to_big();
        prop_assert_eq!(counted(&side_by_side(&[&one, &two]), None), product.to_string());
    }
}

#[test]
fn known_problems_have_their_known_counts() {
    assert_eq!(counted(&covers::dominoes(8, 8), None), "12988816");
    assert_eq!(counted(&covers::dominoes(12, 12), None), "53060477521960000");
    assert_eq!(counted(&covers::matchings(16), None), "2027025");
    assert_eq!(counted(&covers::partitions(10), None), "115975");
    assert_eq!(counted(&covers::latin(4), None), "576");
    assert_eq!(counted(&covers::queens(8), None), "92");
    assert_eq!(counted(&covers::langford(7), None), "52");
    let board = covers::dominoes(6, 6);
    assert_eq!(counted(&side_by_side(&[&board, &board]), None), "45265984");
}

/// Creates the problem of tilings of a board with straight and bent triominoes.
fn triominoes(rows: usize, columns: usize) -> Arc<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let name = |(row, column): (usize, usize)| format!("{row},{column}");
    let cells: Vec<(usize, usize)> =
        (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    cells.iter().for_each(|&cell| builder.primary(&name(cell)).map(drop).unwrap());
    for &(r, c) in &cells {
        let corner = [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)];
        let bent = (0..4).map(|left_out| (0..4).filter(|&at| at != left_out).map(|at| corner[at]).collect());
        let straight = [vec![(r, c), (r, c + 1), (r, c + 2)], vec![(r, c), (r + 1, c), (r + 2, c)]];
        for place in straight.into_iter().chain(bent) {
            if place.iter().all(|cell| cells.contains(cell)) {
                let words: Vec<String> = place.into_iter().map(name).collect();
                builder.option(&words.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
            }
        }
    }
    Arc::new(builder.build().unwrap())
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long: for optimised builds")]
fn counts_beyond_any_search_are_exact() {
    assert_eq!(counted(&covers::dominoes(16, 16), None), "2444888770250892795802079170816");
    assert_eq!(counted(&triominoes(9, 12), None), "20574308184277971");
    assert_eq!(counted(&covers::matchings(24), None), "316234143225");
    assert_eq!(counted(&covers::partitions(12), None), "4213597");
    let [soma, scott] = [("soma", &[][..]), ("pentominoes", &["8x8-2x2"])]
        .map(|(name, parameters)| Arc::new(classic(name, parameters).expect("a classic problem")));
    assert_eq!(counted(&side_by_side(&[&soma, &scott]), None), "5990400");
}

/// Several threads count the same as one thread, also when searches are cut.
#[test]
#[cfg_attr(debug_assertions, ignore = "long: for optimised builds")]
fn threads_share_a_count() {
    let scott = Arc::new(classic("pentominoes", &["8x8-2x2"]).expect("a classic problem"));
    let on_threads = |threads, memory| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| tally(&scott, Some(memory)))
    };
    let [cut, whole] = [16 << 20, 1 << 30].map(|memory| {
        let alone = on_threads(1, memory);
        assert_eq!(alone.found.to_string(), "520");
        assert_eq!(on_threads(3, memory), alone);
        alone.counters.expect("nodes are counted").nodes
    });
    assert!(cut > whole, "the parts of a cut search meet some states again: {cut}, {whole}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long: for optimised builds")]
fn long_counts_fit_into_little_memory() {
    let langford = Arc::new(classic("langford", &["12"]).expect("a classic problem"));
    assert_eq!(counted(&langford, Some(8 << 20)), "216288");
    // In 1 MiB the count took as long as with more.
    assert_eq!(counted(&covers::dominoes(16, 16), Some(2 << 20)), "2444888770250892795802079170816");
}

#[test]
fn a_solver_chooses_between_counter_and_search() {
    let board = covers::dominoes(12, 12);
    let answer = by_engine(&board, None);
    assert_eq!(answer.exact_count().map(ToString::to_string).as_deref(), Some("53060477521960000"));
    let (mut solver, control) = (Solver::default(), Arc::new(Control::new()));
    let problem = ProblemRef::Cover(&board);
    let parallel =
        solver.search_parallel(&Task::whole(problem, COUNT, Limits::default()), &control, &mut |_| {
            Flow::Continue
        });
    assert_eq!(parallel.expect("covers can be counted").count, answer.count);
    // A limit on nodes applies to searches, so no counter is used.
    let limits = Limits { nodes: Some(30_000), ..Limits::default() };
    let limited = solver.answer(problem, COUNT, limits).expect("covers can be counted");
    assert_eq!((limited.ended_by, limited.exact_count()), (EndedBy::Nodes, None));
    // A long search whose parts differ at every depth.
    let queens = by_engine(&covers::queens(11), None);
    assert_eq!(queens.exact_count(), Some(&2680.into()));
}

#[test]
fn problems_that_cannot_be_counted_are_refused() {
    let mut solver =
        Solver::new(EnginePreference { engine: Some(EngineKind::Memo), ..EnginePreference::default() });
    let board = covers::dominoes(4, 4);
    let problem = ProblemRef::Cover(&board);
    for goal in [Goal::First(1), Goal::All, Goal::Count { limit: Some(5) }] {
        assert!(solver.answer(problem, goal, Limits::default()).is_err(), "{goal:?}");
    }
    assert_eq!(solver.answer(problem, COUNT, Limits::default()).expect("counts").count, Some(36.into()));
}
