//! The bitset engine, compared with the naive reference, dancing links and the verifier.

use crate::covers;
use std::sync::Arc;

use crate::collector::run;
use crate::random_covers::bounded_covers;
use proptest::prelude::*;
use quadrille::engine::{Control, Flow};
use quadrille::engine::{Isa, Task};
use quadrille::internals::{Bitset, Dlx, Naive, Outcome, TreeSearch, Visitor};
use quadrille::{Count, CoverBuilder, CoverProblem, EndedBy, Goal, Limits, ProblemRef, Solution};

fn whole(cover: &Arc<CoverProblem>, goal: Goal, nodes: Option<u64>) -> Task<'_> {
    Task::whole(ProblemRef::Cover(cover), goal, Limits { nodes, ..Limits::default() })
}

fn nodes_and_guesses(outcome: &Outcome) -> (u64, u64) {
    let counters = outcome.counters.expect("a search counts");
    (counters.nodes, counters.guesses)
}

/// Searches to a frontier and below each of its nodes; some of these are split again.
///
/// Returns the solutions in order, and the sums of nodes and guesses.
fn in_parts(search: &mut dyn TreeSearch, task: &Task<'_>, frontier: u32) -> (Vec<Vec<u32>>, (u64, u64)) {
    let (outcome, above) = run(search, &Task { frontier: Some(frontier), ..*task });
    let (mut nodes, mut guesses) = nodes_and_guesses(&outcome);
    let (mut solutions, mut shown) = (Vec::new(), 0);
    for (prefix, before) in &above.frontier {
        solutions.extend_from_slice(&above.solutions[shown..*before]);
        shown = *before;
        assert_eq!(prefix.len(), frontier as usize);
        let below = Task { prefix, ..*task };
        let (found, sums) = if prefix.iter().fold(0, |sum: u32, decision| sum.wrapping_add(*decision)) % 3
            == 0
            && frontier < 4
        {
            in_parts(search, &below, frontier + 1)
        } else {
            let (outcome, found) = run(search, &below);
            // The result must not depend on caches of earlier searches.
            let (fresh, same) = run(&mut Bitset::default(), &below);
            assert_eq!((&fresh, &same.solutions), (&outcome, &found.solutions));
            (found.solutions, nodes_and_guesses(&outcome))
        };
        solutions.extend(found);
        (nodes, guesses) = (nodes + sums.0, guesses + sums.1);
    }
    solutions.extend_from_slice(&above.solutions[shown..]);
    (solutions, (nodes, guesses))
}

/// Creates random problems over `items` items; the first items are primary.
fn problems(
    items: usize,
    options: std::ops::Range<usize>,
    coloured: bool,
) -> impl Strategy<Value = Arc<CoverProblem>> {
    let entries = proptest::collection::btree_map(0..items, 0..3u32, 1..5);
    (1..items, proptest::collection::vec(entries, options)).prop_map(move |(primary, options)| {
        let mut builder = CoverBuilder::new();
        for item in 0..items {
            let name = format!("i{item}");
            if item < primary { builder.primary(&name) } else { builder.secondary(&name) }.unwrap();
        }
        for option in options {
            let words: Vec<String> = option
                .iter()
                .map(|(&item, &colour)| match colour {
                    1.. if coloured && item >= primary => format!("i{item}:{colour}"),
                    _ => format!("i{item}"),
                })
                .collect();
            builder.option(&words.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        }
        Arc::new(builder.build().unwrap())
    })
}

/// Requires that the engine has the solutions, their order and the guesses of the reference.
///
/// Propagation only makes choices that a search for the item with the fewest options would make next anyway.
fn agrees_with(reference: &mut dyn TreeSearch, cover: &Arc<CoverProblem>) {
    let mut bitset = Bitset::default();
    let task = whole(cover, Goal::First(300), None);
    let (fast, found) = run(&mut bitset, &task);
    let (slow, expected) = run(reference, &task);
    assert_eq!((&fast.found, fast.ended_by), (&slow.found, slow.ended_by));
    assert_eq!(found.solutions, expected.solutions);
    assert_eq!(nodes_and_guesses(&fast).1, nodes_and_guesses(&slow).1);
    assert!(nodes_and_guesses(&fast).0 <= nodes_and_guesses(&slow).0);
    let (again, _) = run(&mut bitset, &task);
    assert_eq!(again, fast, "a second time");
    let (portable, _) = run(&mut Bitset::on(Some(Isa::Portable)), &task);
    assert_eq!(portable, fast, "on plain words");
    let counted = run(&mut bitset, &whole(cover, Goal::Count { limit: Some(300) }, None)).0;
    assert_eq!((counted.found, counted.ended_by), (fast.found, fast.ended_by));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn small_problems_are_searched_as_the_reference_does(cover in problems(9, 0..24, false)) {
        agrees_with(&mut Naive, &cover);
    }

    #[test]
    fn small_coloured_problems_are_searched_as_the_reference_does(cover in problems(9, 0..24, true)) {
        agrees_with(&mut Naive, &cover);
    }

    #[test]
    fn small_bounded_problems_are_searched_as_the_reference_does(cover in bounded_covers(9, 14, true)) {
        agrees_with(&mut Naive, &cover);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn larger_problems_are_searched_as_dancing_links_does(cover in problems(24, 100..1500, true)) {
        agrees_with(&mut Dlx::default(), &cover);
    }

    #[test]
    fn larger_bounded_problems_are_searched_as_dancing_links_does(cover in bounded_covers(20, 300, true)) {
        agrees_with(&mut Dlx::default(), &cover);
    }

    #[test]
    fn parts_of_bounded_problems_add_up(cover in bounded_covers(9, 20, true), frontier in 0..4u32) {
        let mut bitset = Bitset::default();
        let task = whole(&cover, Goal::All, None);
        let limited = run(&mut bitset, &whole(&cover, Goal::Count { limit: Some(20_000) }, None)).0;
        prop_assume!(limited.ended_by == EndedBy::Complete);
        let (outcome, all) = run(&mut bitset, &task);
        prop_assert_eq!(in_parts(&mut bitset, &task, frontier), (all.solutions, nodes_and_guesses(&outcome)));
    }

    #[test]
    fn parts_add_up(cover in problems(14, 20..300, true), frontier in 0..4u32) {
        let mut bitset = Bitset::default();
        let task = whole(&cover, Goal::All, None);
        let limited = run(&mut bitset, &whole(&cover, Goal::Count { limit: Some(20_000) }, None)).0;
        prop_assume!(limited.ended_by == EndedBy::Complete);
        let (outcome, all) = run(&mut bitset, &task);
        prop_assert_eq!(in_parts(&mut bitset, &task, frontier), (all.solutions, nodes_and_guesses(&outcome)));
    }

    #[test]
    fn node_limits_are_exact(cover in problems(12, 20..150, true), nodes in 0..200u64) {
        let mut bitset = Bitset::default();
        let (free, all) = run(&mut bitset, &whole(&cover, Goal::First(5000), None));
        let (capped, some) = run(&mut bitset, &whole(&cover, Goal::First(5000), Some(nodes)));
        let counted = run(&mut bitset, &whole(&cover, Goal::Count { limit: None }, Some(nodes))).0;
        if nodes_and_guesses(&free).0 <= nodes {
            prop_assert_eq!(&capped, &free);
        } else {
            prop_assert_eq!((capped.ended_by, nodes_and_guesses(&capped).0), (EndedBy::Nodes, nodes));
            prop_assert_eq!(&some.solutions[..], &all.solutions[..some.solutions.len()]);
            prop_assert_eq!((counted.found, counted.ended_by), (capped.found, capped.ended_by));
        }
    }
}

fn count(cover: &Arc<CoverProblem>) -> u64 {
    let outcome = run(&mut Bitset::default(), &whole(cover, Goal::Count { limit: None }, None)).0;
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    outcome.found.to_u64().expect("fits in 64 bits")
}

/// Returns the pentomino problem on the chessboard without its middle four cells.
fn scott() -> Arc<CoverProblem> {
    let cells = (0..64).map(|cell| (cell / 8, cell % 8));
    let hole = |row, column| (3..5).contains(&row) && (3..5).contains(&column);
    covers::pentominoes(cells.filter(move |&(row, column)| !hole(row, column)), |_, _| true)
}

#[test]
fn named_problems_have_their_published_counts() {
    for (side, solutions) in [(1, 1), (2, 0), (3, 0), (4, 2), (6, 4), (8, 92), (9, 352)] {
        assert_eq!(count(&covers::queens(side)), solutions, "queens {side}");
    }
    for (n, solutions) in [(3, 2), (4, 2), (5, 0), (7, 52), (8, 300)] {
        assert_eq!(count(&covers::langford(n)), solutions, "Langford {n}");
    }
    assert_eq!(count(&covers::latin(4)), 576);
    assert_eq!(count(&covers::matchings(10)), 945);
    assert_eq!(count(&covers::partitions(8)), 4140);
    assert_eq!(count(&covers::dominoes(6, 6)), 6728);
    assert_eq!(count(&covers::soma()), 11_520);
    let strip = (0..60).map(|cell| (cell / 20, cell % 20));
    assert_eq!(count(&covers::pentominoes(strip, |_, _| true)), 8);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long: for optimised builds")]
fn large_named_problems_have_their_published_counts() {
    assert_eq!(count(&scott()), 520);
    assert_eq!(count(&covers::queens(12)), 14_200);
    assert_eq!(count(&covers::queens(13)), 73_712);
    assert_eq!(count(&covers::langford(11)), 35_584);
    assert_eq!(count(&covers::langford(12)), 216_288);
    assert_eq!(count(&covers::latin(5)), 161_280);
    let board = |rows, columns| (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
    assert_eq!(count(&covers::pentominoes(board(6, 10), |row, column| row < 3 && column < 5)), 2339);
    assert_eq!(count(&covers::pentominoes(board(5, 12), |_, _| true)), 4040);
    assert_eq!(count(&covers::dominoes(8, 8)), 12_988_816);
    assert_eq!(count(&covers::matchings(16)), 2_027_025);
    assert_eq!(count(&covers::partitions(12)), 4_213_597);
}

#[test]
fn empty_and_degenerate_problems_have_the_right_answers() {
    let mut nothing = CoverBuilder::new();
    nothing.secondary("x").unwrap();
    nothing.option(&["x"]).unwrap();
    let nothing = Arc::new(nothing.build().unwrap());
    let (outcome, keeper) = run(&mut Bitset::default(), &whole(&nothing, Goal::All, None));
    assert_eq!((outcome.found, keeper.solutions), (Count::from(1), vec![Vec::new()]));
    let mut hopeless = CoverBuilder::new();
    hopeless.primary("p").unwrap();
    let hopeless = Arc::new(hopeless.build().unwrap());
    assert_eq!(count(&hopeless), 0);
}

#[test]
fn the_caller_can_stop_at_a_solution_or_from_outside() {
    struct Stop;
    impl Visitor for Stop {
        fn solution(&mut self, _: Solution<'_>) -> Flow {
            Flow::Stop
        }
    }
    let cover = covers::latin(6);
    let task = whole(&cover, Goal::All, None);
    let outcome = Bitset::default().search(&task, &mut Stop, &Control::new());
    assert_eq!((outcome.found, outcome.ended_by), (Count::from(1), EndedBy::Cancel));
    let control = Control::new();
    control.cancel();
    let counting = whole(&cover, Goal::Count { limit: None }, None);
    let outcome = Bitset::default().search(&counting, &mut Stop, &control);
    assert_eq!(outcome.ended_by, EndedBy::Cancel);
}
