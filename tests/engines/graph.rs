//! The graph of all solutions, compared with searches that list them, and its samples with the uniform distribution.

use crate::collector::run;
use crate::{covers, memo, random_covers};
use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use quadrille::engine::{CaseSampler, Cases, Control, CountGraph, Flow, Solver, Task};
use quadrille::internals::Bitset;
use quadrille::{
    Count, CoverBuilder, CoverProblem, FromText as _, Goal, Limits, ProblemRef, Puzzle, Solution, verify,
};

fn built(cover: &CoverProblem) -> CountGraph {
    CountGraph::build(cover, Limits::default(), &Control::new()).expect("a small graph")
}

/// Returns all solutions, each with its options in ascending order, in lexicographic order.
fn listed(cover: &Arc<CoverProblem>) -> Vec<Vec<u32>> {
    let task = Task::whole(ProblemRef::Cover(cover), Goal::All, Limits::default());
    let mut all = run(&mut Bitset::default(), &task).1.solutions;
    all.iter_mut().for_each(|solution| solution.sort_unstable());
    all.sort_unstable();
    all
}

/// Requires that a graph has exactly these solutions, by rank and in its marginals.
fn has_solutions(graph: &CountGraph, all: &[Vec<u32>], options: usize) {
    assert_eq!(*graph.count(), Count::from(all.len() as u64));
    let ranked = (0..all.len() as u64).map(|rank| graph.solution(&Count::from(rank)).expect("in memory"));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    assert_eq!(ranked, all);
    assert_eq!(graph.marginals(&Control::new()).expect("not stopped"), marginals(all, options));
}

/// Returns, for each option, the number of these solutions that have it.
fn marginals(all: &[Vec<u32>], options: usize) -> Vec<Count> {
    let mut marginals = vec![0u64; options];
    all.iter().flatten().for_each(|&option| marginals[option as usize] += 1);
    marginals.into_iter().map(Count::from).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_problems_have_the_solutions_of_searches(cover in any::<bool>().prop_flat_map(random_covers::covers)) {
        has_solutions(&built(&cover), &listed(&cover), cover.options());
    }

    #[test]
    fn independent_parts_are_a_product(one in random_covers::covers(true), two in random_covers::covers(true)) {
        let both = memo::side_by_side(&[&one, &two]);
        has_solutions(&built(&both), &listed(&both), both.options());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn problems_with_multiplicities_have_the_marginals_of_searches(
        cover in any::<bool>().prop_flat_map(|coloured| random_covers::bounded_covers(7, 12, coloured)),
    ) {
        let (all, control) = (listed(&cover), Control::new());
        let cases = Cases::new(ProblemRef::Cover(&cover), Limits::default(), &control).expect("a count");
        assert_eq!(*cases.count(), Count::from(all.len() as u64));
        assert_eq!(cases.of_options().expect("counts"), marginals(&all, cover.options()));
    }
}

/// Returns all solutions of a grid.
fn listed_grids(problem: ProblemRef<'_>) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut keep = |solution: Solution<'_>| {
        if let Solution::Digits(digits) = solution {
            all.push(digits.to_vec());
        }
        Flow::Continue
    };
    let (limits, control) = (Limits::default(), Control::new());
    Solver::default()
        .search(&Task::whole(problem, Goal::All, limits), &control, &mut keep)
        .expect("an engine");
    all
}

#[test]
fn marginals_and_samples_of_grids_are_those_of_all_solutions() {
    let puzzles = ["1...............", "................", "1234564..1.32......................."];
    let multiple = std::fs::read_to_string("data/multiple-3000.txt").expect("a file");
    for text in puzzles.into_iter().chain(multiple.lines().take(40)) {
        let puzzle = Puzzle::from_text(text).expect("a puzzle");
        let (problem, control) = (ProblemRef::Puzzle(&puzzle), Control::new());
        let all = listed_grids(problem);
        let cases = Cases::new(problem, Limits::default(), &control).expect("a count");
        assert_eq!(*cases.count(), Count::from(all.len() as u64), "{text}");
        for (cell, digit, count) in cases.of_cells().expect("counts") {
            let having = all.iter().filter(|grid| usize::from(grid[cell]) == digit).count();
            assert_eq!(count, Count::from(having as u64), "{text}: cell {cell}, digit {digit}");
        }
        let mut drawn: HashMap<Vec<u8>, u64> = all.into_iter().map(|grid| (grid, 0)).collect();
        let (mut sampler, expected) = (CaseSampler::new(&cases), 20);
        for sample in 0..expected * drawn.len() as u64 {
            let mut count = |solution: Solution<'_>| {
                let Solution::Digits(grid) = solution else { panic!("not a grid: {solution:?}") };
                *drawn.get_mut(grid).expect("a solution") += 1;
            };
            sampler.sample(7, sample, &mut count).expect("a count");
        }
        is_uniform(drawn.into_values(), expected as f64);
    }
}

#[test]
fn samples_of_covers_with_multiplicities_are_uniform() {
    // 3 to 5 of 12 options. The last three also cover `b`, one or two of them. No solution has the first option.
    let mut builder = CoverBuilder::new();
    builder.primary_within("a", quadrille::Bounds { low: 3, high: 5 }).unwrap();
    builder.primary_within("b", quadrille::Bounds { low: 1, high: 2 }).unwrap();
    builder.secondary("x").unwrap();
    for option in [&["x"][..], &["a", "x"]].into_iter().chain([&["a"][..]; 8]).chain([&["a", "b"][..]; 3]) {
        builder.option(option).unwrap();
    }
    let cover = Arc::new(builder.build().unwrap());
    let all = listed(&cover);
    // C(3, 1) and one of b, C(3, 2) and two: the rest of 3 to 5 options from the other nine.
    assert_eq!(all.len(), 3 * (36 + 84 + 126) + 3 * (9 + 36 + 84));
    let control = Control::new();
    let cases = Cases::new(ProblemRef::Cover(&cover), Limits::default(), &control).expect("a count");
    let mut drawn: HashMap<Vec<u32>, u64> = all.into_iter().map(|solution| (solution, 0)).collect();
    let (mut sampler, expected) = (CaseSampler::new(&cases), 20);
    for sample in 0..expected * drawn.len() as u64 {
        let mut count = |solution: Solution<'_>| {
            let Solution::Options(options) = solution else { panic!("not a cover: {solution:?}") };
            *drawn.get_mut(options).expect("a solution") += 1;
        };
        sampler.sample(7, sample, &mut count).expect("a count");
    }
    is_uniform(drawn.into_values(), expected as f64);
}

/// Requires numbers of samples of all solutions to be near what is expected of each.
fn is_uniform(drawn: impl ExactSizeIterator<Item = u64>, expected: f64) {
    // The mean of this statistic is one less than the number of solutions; four standard deviations, more for few.
    let mean = (drawn.len() - 1) as f64;
    let chi = drawn.map(|count| (count as f64 - expected).powi(2) / expected).sum::<f64>();
    assert!((chi - mean).abs() < 4.0 * (2.0 * mean).sqrt() + 9.0, "{mean} and 1 solutions: chi-square {chi}");
}

#[test]
fn a_graph_larger_than_its_memory_is_the_same() {
    let boards = memo::side_by_side(&[&covers::dominoes(12, 12), &covers::dominoes(4, 4)]);
    let control = Control::new();
    let scarce = Limits { memory: Some(5 << 19), ..Limits::default() };
    let whole = built(&boards);
    let refused = CountGraph::build(&boards, scarce, &control).expect_err("it needs more memory");
    assert!(refused.to_string().contains("stopped by memory"), "{refused}");
    let file = tempfile::tempfile().expect("a file");
    let graph = CountGraph::build_with_file(&boards, scarce, &control, file).expect("a file takes it");
    let certificate = |graph: &CountGraph| {
        let mut text = Vec::new();
        graph.write_certificate(&mut text).expect("memory");
        text
    };
    assert!(certificate(&graph) == certificate(&whole));
    assert_eq!(graph.marginals(&control).unwrap(), whole.marginals(&control).unwrap());
    for sample in 0..50 {
        assert_eq!(graph.sample(3, sample).unwrap(), whole.sample(3, sample).unwrap());
    }
    // A file that cannot be written is an error, not a panic.
    let file = tempfile::NamedTempFile::new().expect("a file");
    let file = std::fs::File::open(file.path()).expect("for reading only");
    let failed = CountGraph::build_with_file(&boards, scarce, &control, file).expect_err("read only");
    assert!(failed.to_string().contains("temporary file"), "{failed}");
}

#[test]
fn known_problems_have_their_known_counts() {
    let counted = |cover: &CoverProblem| built(cover).count().to_string();
    assert_eq!(counted(&covers::dominoes(8, 8)), "12988816");
    assert_eq!(counted(&covers::dominoes(12, 12)), "53060477521960000");
    assert_eq!(counted(&covers::matchings(16)), "2027025");
    assert_eq!(counted(&covers::partitions(10)), "115975");
    assert_eq!(counted(&covers::latin(4)), "576");
    assert_eq!(counted(&covers::queens(8)), "92");
    assert_eq!(counted(&covers::langford(7)), "52");
    assert_eq!(counted(&covers::dominoes(5, 5)), "0");
}

#[test]
fn numbers_above_64_bits_are_exact() {
    let board = covers::dominoes(8, 8);
    let boards = memo::side_by_side(&[&board, &board, &board]);
    let graph = built(&boards);
    let one = built(&board);
    assert_eq!(graph.count().to_big(), one.count().to_big().pow(3));
    let marginals = graph.marginals(&Control::new()).expect("not stopped");
    let alone = one.marginals(&Control::new()).expect("not stopped");
    for (option, count) in marginals.iter().enumerate() {
        assert_eq!(count.to_big(), alone[option % board.options()].to_big() * one.count().to_big().pow(2));
    }
    let mut seen = HashMap::new();
    for sample in 0..2000 {
        let options = graph.sample(5, sample).expect("in memory").expect("there are solutions");
        assert_eq!(verify(ProblemRef::Cover(&boards), Solution::Options(&options)), Ok(()));
        options.iter().for_each(|&option| *seen.entry(option).or_insert(0u32) += 1);
    }
    // Each option is expected in its share of the samples; five standard deviations of at most 22.4.
    for (option, count) in marginals.iter().enumerate() {
        let share =
            count.to_string().parse::<f64>().unwrap() / graph.count().to_string().parse::<f64>().unwrap();
        let drawn = f64::from(seen.get(&(option as u32)).copied().unwrap_or(0));
        assert!((drawn - 2000.0 * share).abs() < 112.0, "option {option}: {drawn} of 2000, share {share}");
    }
}

#[test]
fn samples_are_uniform() {
    let problems = [
        (covers::dominoes(2, 6), 13),
        (covers::dominoes(4, 4), 36),
        (covers::langford(7), 52),
        (covers::queens(8), 92),
        (covers::dominoes(4, 6), 281),
        (covers::latin(4), 576),
        (covers::partitions(7), 877),
        (covers::dominoes(6, 6), 6728),
        (memo::side_by_side(&[&covers::dominoes(4, 4), &covers::dominoes(4, 6)]), 10_116),
    ];
    for (number, (cover, solutions)) in problems.iter().enumerate() {
        let graph = built(cover);
        assert_eq!(graph.count().to_u64(), Some(*solutions));
        let expected = 20;
        let mut drawn: HashMap<Vec<u32>, u64> = HashMap::new();
        for sample in 0..solutions * expected {
            let options =
                graph.sample(number as u64, sample).expect("in memory").expect("there are solutions");
            *drawn.entry(options).or_default() += 1;
        }
        let never = *solutions as usize - drawn.len();
        is_uniform(
            drawn.into_values().chain(vec![0; never]).collect::<Vec<_>>().into_iter(),
            expected as f64,
        );
    }
}

#[test]
fn a_graph_that_cannot_be_made_says_what_was_reached() {
    let refused = |cover: &CoverProblem, limits: Limits, control: &Control| {
        CountGraph::build(cover, limits, control).expect_err("a limit stops it").to_string()
    };
    let board = covers::dominoes(12, 12);
    let scarce = Limits { memory: Some(1 << 20), ..Limits::default() };
    let message = refused(&board, scarce, &Control::new());
    assert!(message.contains("stopped by memory after "), "{message}");
    assert!(!message.contains("after 0 nodes"), "{message}");
    let tiny = Limits { memory: Some(100), ..Limits::default() };
    assert!(refused(&board, tiny, &Control::new()).contains("stopped by memory after 0 nodes"));
    let cancelled = Control::new();
    cancelled.cancel();
    assert!(refused(&covers::dominoes(16, 16), Limits::default(), &cancelled).contains("stopped by cancel"));
    let mut builder = CoverBuilder::new();
    builder.primary_within("a", quadrille::Bounds { low: 1, high: 2 }).unwrap();
    builder.option(&["a"]).unwrap();
    let message = refused(&builder.build().unwrap(), Limits::default(), &Control::new());
    assert!(message.contains("multiplicities"), "{message}");
}

#[test]
fn problems_without_options_or_items_to_cover_have_graphs() {
    let none = CoverProblem::from_options::<[usize; 0]>(1, &[]).unwrap();
    let graph = built(&none);
    assert!(graph.count().is_zero() && graph.nodes() == 0);
    assert_eq!(graph.sample(1, 0).expect("in memory"), None);
    let mut builder = CoverBuilder::new();
    builder.secondary("x").unwrap();
    builder.option(&["x"]).unwrap();
    let graph = built(&builder.build().unwrap());
    assert_eq!((graph.count(), graph.solution(&Count::ZERO).unwrap()), (&Count::from(1), vec![]));
    assert_eq!(graph.marginals(&Control::new()).unwrap(), [Count::ZERO]);
}
