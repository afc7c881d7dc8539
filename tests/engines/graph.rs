//! The graph of all solutions, compared with searches that list them, and its samples with the uniform distribution.

use crate::collector::run;
use crate::{covers, memo, random_covers};
use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use quadrille::engine::{Control, CountGraph};
use quadrille::internals::{Bitset, Task};
use quadrille::{Count, CoverBuilder, CoverProblem, Goal, Limits, ProblemRef, Solution, verify};

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
    let mut ranked: Vec<_> = (0..all.len() as u64).map(|rank| graph.solution(&Count::from(rank))).collect();
    ranked.sort_unstable();
    assert_eq!(ranked, all);
    let mut marginals = vec![0u64; options];
    all.iter().flatten().for_each(|&option| marginals[option as usize] += 1);
    let marginals: Vec<Count> = marginals.into_iter().map(Count::from).collect();
    assert_eq!(graph.marginals(&Control::new()), Ok(marginals));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

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
        let options = graph.sample(5, sample).expect("there are solutions");
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
            let options = graph.sample(number as u64, sample).expect("there are solutions");
            *drawn.entry(options).or_default() += 1;
        }
        let square = |count: u64| (count as f64 - expected as f64).powi(2) / expected as f64;
        let never = solutions - drawn.len() as u64;
        let chi = drawn.values().map(|&count| square(count)).sum::<f64>() + never as f64 * square(0);
        // The mean of this statistic is one less than the number of solutions; four standard deviations.
        let mean = (solutions - 1) as f64;
        assert!((chi - mean).abs() < 4.0 * (2.0 * mean).sqrt(), "{solutions} solutions: chi-square {chi}");
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
    assert_eq!(graph.sample(1, 0), None);
    let mut builder = CoverBuilder::new();
    builder.secondary("x").unwrap();
    builder.option(&["x"]).unwrap();
    let graph = built(&builder.build().unwrap());
    assert_eq!((graph.count(), graph.solution(&Count::ZERO)), (&Count::from(1), vec![]));
    assert_eq!(graph.marginals(&Control::new()), Ok(vec![Count::ZERO]));
}
