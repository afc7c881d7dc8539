//! Minimal and maximal costs, compared with the list of all solutions: random and named problems, whole and
//! in parts.

use crate::covers;
use std::sync::Arc;

use crate::collector::run;
use proptest::prelude::*;
use quadrille::engine::{Isa, Task};
use quadrille::internals::{BestCover, Dlx, Incumbent, Outcome, TopScores, TopSolutions};
use quadrille::{
    CoverBuilder, CoverProblem, Direction, EndedBy, Goal, Limits, NO_COLOUR, ProblemRef, Solution, TopK,
};

fn whole(cover: &Arc<CoverProblem>, goal: Goal, nodes: Option<u64>) -> Task<'_> {
    Task::whole(ProblemRef::Cover(cover), goal, Limits { nodes, ..Limits::default() })
}

/// Returns the exact sum of the costs, which must fit into 64 bits.
fn score(cover: &CoverProblem, options: &[u32]) -> i64 {
    let sum: i128 = options.iter().map(|&option| i128::from(cover.cost(option as usize))).sum();
    i64::try_from(sum).expect("sums were promised to fit")
}

fn rank(cover: &CoverProblem, top: TopK, met: &[Vec<u32>]) -> Vec<(i64, Vec<u32>)> {
    let mut ranking = TopSolutions::new(top);
    for options in met {
        ranking.offer(score(cover, options), Solution::Options(options));
    }
    let options = |solution| match solution {
        Solution::Options(options) => options.to_vec(),
        Solution::Digits(_) => panic!("a cover has options"),
    };
    ranking.iter().map(|(score, solution)| (score, options(solution))).collect()
}

/// Returns the solutions found when the parts below a frontier are searched, the last part first.
///
/// All parts share one incumbent.
fn in_parts(cover: &Arc<CoverProblem>, top: TopK, frontier: u32) -> Vec<Vec<u32>> {
    let incumbent = Incumbent::new(top);
    let task = Task { incumbent: Some(&incumbent), ..whole(cover, Goal::Best(top), None) };
    let (_, above) = run(&mut BestCover::default(), &Task { frontier: Some(frontier), ..task });
    let mut search = BestCover::default();
    let (mut parts, mut shown) = (Vec::new(), above.solutions.len());
    for (prefix, before) in above.frontier.iter().rev() {
        assert_eq!(prefix.len(), frontier as usize);
        parts.push(above.solutions[*before..shown].to_vec());
        parts.push(run(&mut search, &Task { prefix, ..task }).1.solutions);
        shown = *before;
    }
    parts.push(above.solutions[..shown].to_vec());
    parts.into_iter().rev().flatten().collect()
}

/// Maximum number of solutions of a compared problem.
const MAX_LISTED: u64 = 5000;

fn check(cover: &Arc<CoverProblem>, limits: &[u64]) {
    let (listed, all) = run(&mut Dlx::default(), &whole(cover, Goal::First(MAX_LISTED), None));
    if listed.ended_by != EndedBy::Complete {
        return;
    }
    let all = all.solutions;
    let mut search = BestCover::default();
    for direction in [Direction::Minimize, Direction::Maximize] {
        for &limit in limits {
            let top = TopK { direction, limit };
            let mut expected = TopScores::new(top);
            for options in &all {
                expected.add(score(cover, options));
            }
            let task = whole(cover, Goal::Best(top), None);
            let (outcome, found) = run(&mut search, &task);
            let ranked = rank(cover, top, &found.solutions);
            let scores: Vec<i64> = ranked.iter().map(|(score, _)| *score).collect();
            assert_eq!(scores, expected.scores(), "{top:?}");
            assert_eq!(
                (outcome.ended_by, &outcome.found),
                (EndedBy::Complete, &(scores.len() as u64).into())
            );
            let best = outcome.best.map(|best| (best.score, best.bound));
            assert_eq!(best, expected.best().map(|best| (best, best)));
            let mut distinct: Vec<_> = ranked.iter().map(|(_, options)| options).collect();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), ranked.len(), "a solution twice");
            let portable = run(&mut BestCover::on(Some(Isa::Portable)), &task);
            assert_eq!((&portable.0, &portable.1.solutions), (&outcome, &found.solutions));
            let again = run(&mut search, &task);
            assert_eq!((&again.0, &again.1.solutions), (&outcome, &found.solutions));
            for frontier in [1, 2, 5] {
                let met = in_parts(cover, top, frontier);
                assert_eq!(rank(cover, top, &met), ranked, "{top:?} in parts at {frontier}");
            }
            stops_truthfully(&task, &outcome, top);
        }
    }
}

/// Stops a search after several numbers of nodes. Its best solution must not beat the optimum, and the
/// optimum must not beat its bound.
fn stops_truthfully(task: &Task<'_>, complete: &Outcome, top: TopK) {
    let Some(optimum) = complete.best.map(|best| best.score) else { return };
    let nodes = complete.counters.expect("a whole search counts").nodes;
    for limit in [0, 1, 2, 5, nodes / 2, nodes.saturating_sub(1)] {
        let limits = Limits { nodes: Some(limit), ..Limits::default() };
        let (outcome, _) = run(&mut BestCover::default(), &Task { limits, ..*task });
        assert!(outcome.counters.expect("a whole search counts").nodes <= limit);
        assert_eq!(outcome.ended_by == EndedBy::Complete, limit >= nodes);
        if let Some(best) = outcome.best {
            assert!(!top.direction.is_better(best.score, optimum), "better than the best");
            assert!(
                !top.direction.is_better(optimum, best.bound),
                "{} of {nodes}: {optimum} {best:?}",
                limit
            );
        }
    }
}

/// Distribution of random costs.
#[derive(Debug, Clone, Copy)]
enum Costs {
    /// Three values, so that many solutions tie.
    Few,
    /// Positive and negative.
    Mixed,
    /// So large that the sum of any solution just fits.
    Huge,
    /// Some huge, some small.
    Uneven,
}

fn cost(kind: Costs, word: u64, items: usize) -> i64 {
    let largest = i64::MAX / items as i64;
    match kind {
        Costs::Few => (word % 3) as i64,
        Costs::Mixed => (word % 2001) as i64 - 1000,
        Costs::Huge => (word as i64) % largest,
        Costs::Uneven => [(word as i64) % largest, (word % 7) as i64 - 3][word as usize / 8 % 2],
    }
}

/// Creates random problems over `items` items; the first items are primary.
fn problems(items: usize, options: std::ops::Range<usize>) -> impl Strategy<Value = Arc<CoverProblem>> {
    let entries = proptest::collection::btree_map(0..items, 0..3u32, 1..5);
    let options = proptest::collection::vec((entries, any::<u64>()), options);
    let kinds = prop_oneof![Just(Costs::Few), Just(Costs::Mixed), Just(Costs::Huge), Just(Costs::Uneven)];
    (1..items, options, kinds, any::<bool>()).prop_map(move |(primary, options, kind, coloured)| {
        let mut builder = CoverBuilder::new();
        for item in 0..items {
            let name = format!("i{item}");
            if item < primary { builder.primary(&name) } else { builder.secondary(&name) }.unwrap();
        }
        for (option, word) in options {
            let entries: Vec<_> = option
                .iter()
                .map(|(&item, &colour)| {
                    let colour = if coloured && item >= primary && colour > 0 { colour } else { NO_COLOUR };
                    let colour = if colour == NO_COLOUR {
                        colour
                    } else {
                        builder.colour(&colour.to_string()).unwrap()
                    };
                    quadrille::Entry { item: item as u32, colour }
                })
                .collect();
            // An option without a primary item cannot be added.
            if entries.iter().any(|entry| (entry.item as usize) < primary) {
                builder.option_of(&entries, cost(kind, word, items), None).unwrap();
            }
        }
        Arc::new(builder.build().unwrap())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn the_best_of_small_problems_is_the_best_of_all_their_solutions(cover in problems(9, 0..28)) {
        check(&cover, &[1, 3]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_best_of_larger_problems_is_the_best_of_all_their_solutions(cover in problems(16, 60..200)) {
        check(&cover, &[1, 2, 10, 200]);
    }
}

/// Returns the problem with other costs.
fn with_costs(cover: &CoverProblem, cost: impl Fn(usize) -> i64) -> Arc<CoverProblem> {
    let mut builder = CoverBuilder::new();
    for item in 0..cover.items() {
        let name = cover.name(item);
        if item < cover.primary() { builder.primary(name) } else { builder.secondary(name) }.unwrap();
    }
    for option in 0..cover.options() {
        builder.option_of(cover.option(option), cost(option), None).unwrap();
    }
    Arc::new(builder.build().unwrap())
}

/// Returns a pseudo-random number below `below` for an option.
fn scrambled(option: usize, below: u64) -> i64 {
    ((option as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as i64 % below as i64
}

#[test]
fn the_best_of_named_problems_is_the_best_of_all_their_solutions() {
    for cover in [
        covers::queens(8),
        covers::langford(7),
        covers::latin(4),
        covers::matchings(10),
        covers::partitions(7),
        covers::dominoes(4, 6),
    ] {
        for below in [2, 100, 1 << 50] {
            check(&with_costs(&cover, |option| scrambled(option, below) - 1), &[1, 5]);
        }
    }
}

#[test]
fn without_costs_any_solution_is_the_best() {
    check(&covers::queens(6), &[1, 2, 4, 10]);
    check(&covers::queens(3), &[1]);
}

#[test]
fn costs_at_the_ends_of_64_bits_are_added_up_exactly() {
    for costs in
        [[i64::MAX - 1, i64::MAX, 0, 1], [i64::MIN, i64::MIN + 1, 0, -1], [i64::MIN, i64::MAX, 0, -1]]
    {
        let mut builder = CoverBuilder::new();
        for name in ["a", "b"] {
            builder.primary(name).unwrap();
        }
        for (option, cost) in costs.into_iter().enumerate() {
            builder
                .option_of(&[quadrille::Entry { item: option as u32 / 2, colour: NO_COLOUR }], cost, None)
                .unwrap();
        }
        let cover = Arc::new(builder.build().unwrap());
        let fits = |a: i64, b: i64| a.checked_add(b).is_some();
        let all_fit = [0, 1].iter().all(|&a| [2, 3].iter().all(|&b| fits(costs[a], costs[b])));
        assert_eq!(cover.may_overflow(), !all_fit);
        let goal = Goal::best(Direction::Minimize);
        assert_eq!(BestCover::supports(ProblemRef::Cover(&cover).class(), goal), all_fit);
        if all_fit {
            check(&cover, &[1, 2, 3]);
        }
    }
}
