//! Dancing links, compared with the naive reference and the verifier on random problems.

use std::sync::Arc;

use crate::collector::run;
use crate::random_covers::{bounded_covers, covers};
use proptest::prelude::*;
use quadrille::engine::{Control, Flow, Task};
use quadrille::internals::{Dlx, Naive, Outcome, TreeSearch, Visitor};
use quadrille::{
    Bounds, Constraint, Count, CoverBuilder, DigitSet, EndedBy, Geometry, Goal, Limits, ProblemRef, Puzzle,
    Solution, verify,
};

fn whole(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    goal: Goal,
    nodes: Option<u64>,
) -> (Outcome, Vec<Vec<u32>>) {
    let (outcome, kept) = run(search, &Task::whole(problem, goal, Limits { nodes, ..Limits::default() }));
    (outcome, kept.solutions)
}

/// Searches to a frontier and below each of its nodes. Returns the solutions in order and the summed
/// counters.
fn in_parts(
    search: &mut dyn TreeSearch,
    problem: ProblemRef<'_>,
    frontier: u32,
) -> (Vec<Vec<u32>>, [u64; 4]) {
    let task = Task { frontier: Some(frontier), ..Task::whole(problem, Goal::All, Limits::default()) };
    let (outcome, above) = run(search, &task);
    let mut sums = counters(&outcome);
    let mut solutions = Vec::new();
    let mut shown = 0;
    for (prefix, before) in &above.frontier {
        solutions.extend_from_slice(&above.solutions[shown..*before]);
        shown = *before;
        let below = Task { prefix, ..Task::whole(problem, Goal::All, Limits::default()) };
        // Half of the parts are split once more.
        if prefix.len() % 2 == 0 {
            let (outcome, found) = run(search, &below);
            sums = std::array::from_fn(|place| sums[place] + counters(&outcome)[place]);
            solutions.extend(found.solutions);
        } else {
            let (outcome, above) = run(search, &Task { frontier: Some(frontier + 1), ..below });
            sums = std::array::from_fn(|place| sums[place] + counters(&outcome)[place]);
            let mut shown = 0;
            for (prefix, before) in &above.frontier {
                solutions.extend_from_slice(&above.solutions[shown..*before]);
                shown = *before;
                let (outcome, found) = run(search, &Task { prefix, ..below });
                sums = std::array::from_fn(|place| sums[place] + counters(&outcome)[place]);
                solutions.extend(found.solutions);
            }
            solutions.extend_from_slice(&above.solutions[shown..]);
        }
    }
    solutions.extend_from_slice(&above.solutions[shown..]);
    (solutions, sums)
}

fn counters(outcome: &Outcome) -> [u64; 4] {
    let counters = outcome.counters.expect("a search counts");
    [counters.nodes, counters.guesses, counters.covers.unwrap_or(0), counters.updates.unwrap_or(0)]
}

/// Returns a solved grid of a geometry: each row is shifted by the box width, and by one more per band.
fn solved(geometry: &Geometry) -> Vec<usize> {
    let (side, width) = (geometry.side(), geometry.box_columns());
    (0..side * side)
        .map(|cell| {
            let (row, column) = (cell / side, cell % side);
            (row % geometry.box_rows() * width + row / geometry.box_rows() + column) % side
        })
        .collect()
}

/// Creates puzzles from a solved grid: clues, cells with a few candidates, sometimes a wrong clue or letters.
fn puzzles() -> impl Strategy<Value = Puzzle> {
    let shapes = prop_oneof![Just((2, 2)), Just((2, 3)), Just((3, 2)), Just((3, 3))];
    let cells = proptest::collection::vec((0..100u8, any::<u64>()), 81);
    let letters = proptest::collection::vec(0..81u16, 0..4);
    (shapes, 30..80u8, cells, letters, 0..8u8).prop_map(|(shape, filled, cells, letters, twist)| {
        let geometry = Geometry::new(shape.0, shape.1).unwrap();
        let mut puzzle = Puzzle::new(&geometry);
        let grid = solved(&geometry);
        let filled = if geometry.side() < 6 { filled / 3 } else { filled.max(45) };
        for (cell, &digit) in grid.iter().enumerate() {
            let (chance, noise) = cells[cell];
            if chance < filled {
                puzzle.restrict(cell, DigitSet::only(digit));
            } else if chance > 85 {
                puzzle.restrict(cell, DigitSet(1 << digit | noise & 0x155));
            }
        }
        let pick = |cell: u16| cell as usize % geometry.cells();
        if twist == 0 {
            let cell = pick(cells[0].1 as u16);
            puzzle.set_candidates(cell, DigitSet::only(cells[1].1 as usize % geometry.side()));
        }
        if twist > 4 {
            let mut group: Vec<u16> = letters.iter().map(|&cell| pick(cell) as u16).collect();
            group.sort_unstable();
            group.dedup();
            puzzle.constrain(Constraint::SameDigit { letter: 'a', cells: group });
        }
        puzzle
    })
}

fn agree(problem: ProblemRef<'_>, same_nodes: bool) {
    let (mut dlx, mut naive) = (Dlx::default(), Naive);
    let goal = Goal::First(200);
    let fast = whole(&mut dlx, problem, goal, None);
    let slow = whole(&mut naive, problem, goal, None);
    assert_eq!((&fast.0.found, fast.0.ended_by), (&slow.0.found, slow.0.ended_by));
    assert_eq!(fast.1, slow.1);
    let (fast_counters, slow_counters) = (counters(&fast.0), counters(&slow.0));
    assert_eq!(fast_counters[1], slow_counters[1], "guesses");
    if same_nodes {
        assert_eq!(fast_counters[0], slow_counters[0], "nodes");
    }
    assert_eq!(whole(&mut dlx, problem, goal, None), fast, "a second time");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn covers_are_searched_as_the_reference_does(cover in covers(false)) {
        agree(ProblemRef::Cover(&cover), true);
    }

    #[test]
    fn coloured_covers_are_searched_as_the_reference_does(cover in covers(true)) {
        agree(ProblemRef::Cover(&cover), true);
    }

    #[test]
    fn parts_of_bounded_covers_add_up(cover in bounded_covers(9, 14, true), frontier in 0..4u32) {
        for search in [&mut Dlx::default() as &mut dyn TreeSearch, &mut Naive] {
            let (outcome, solutions) = whole(search, ProblemRef::Cover(&cover), Goal::All, None);
            prop_assert_eq!(in_parts(search, ProblemRef::Cover(&cover), frontier), (solutions, counters(&outcome)));
        }
    }

    #[test]
    fn parts_of_covers_add_up(cover in covers(true), frontier in 0..4u32) {
        for search in [&mut Dlx::default() as &mut dyn TreeSearch, &mut Naive] {
            let (outcome, solutions) = whole(search, ProblemRef::Cover(&cover), Goal::All, None);
            prop_assert_eq!(in_parts(search, ProblemRef::Cover(&cover), frontier), (solutions, counters(&outcome)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn bounded_covers_are_searched_as_the_reference_does(cover in bounded_covers(9, 14, false)) {
        agree(ProblemRef::Cover(&cover), true);
    }

    #[test]
    fn bounded_coloured_covers_are_searched_as_the_reference_does(cover in bounded_covers(9, 14, true)) {
        agree(ProblemRef::Cover(&cover), true);
    }

    #[test]
    fn the_reference_understands_bounds_and_colours(cover in bounded_covers(9, 14, true)) {
        let subsets = 0..1u32 << cover.options();
        let chosen = subsets.map(|bits| (0..cover.options() as u32).filter(move |&option| bits >> option & 1 != 0));
        let has_primary = |&option: &u32| {
            cover.option(option as usize).iter().any(|entry| (entry.item as usize) < cover.primary())
        };
        let mut expected: Vec<Vec<u32>> = chosen
            .map(Iterator::collect)
            .filter(|options: &Vec<u32>| options.iter().all(has_primary))
            .filter(|options| verify(ProblemRef::Cover(&cover), Solution::Options(options)).is_ok())
            .collect();
        let (_, mut found) = whole(&mut Naive, ProblemRef::Cover(&cover), Goal::All, None);
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn puzzles_are_searched_as_the_reference_does(puzzle in puzzles()) {
        agree(ProblemRef::Puzzle(&puzzle), false);
    }

    #[test]
    fn parts_of_puzzles_add_up(puzzle in puzzles(), frontier in 1..4u32) {
        let mut dlx = Dlx::default();
        let problem = ProblemRef::Puzzle(&puzzle);
        let limited = whole(&mut dlx, problem, Goal::Count { limit: Some(2_000) }, None);
        prop_assume!(limited.0.ended_by == EndedBy::Complete);
        // With contradictory clues, there is no search to split.
        prop_assume!(counters(&limited.0)[0] > 0);
        let (outcome, solutions) = whole(&mut dlx, problem, Goal::All, None);
        let (found, sums) = in_parts(&mut dlx, problem, frontier);
        prop_assert_eq!(found, solutions);
        // The search without a prefix counts the clues' covers.
        prop_assert_eq!(sums, counters(&outcome));
    }

    #[test]
    fn node_limits_are_exact(puzzle in puzzles(), nodes in 0..60u64) {
        let mut dlx = Dlx::default();
        let problem = ProblemRef::Puzzle(&puzzle);
        let free = whole(&mut dlx, problem, Goal::First(50), None);
        let capped = whole(&mut dlx, problem, Goal::First(50), Some(nodes));
        if counters(&free.0)[0] <= nodes {
            prop_assert_eq!(capped, free);
        } else {
            prop_assert_eq!((capped.0.ended_by, counters(&capped.0)[0]), (EndedBy::Nodes, nodes));
            prop_assert_eq!(&capped.1[..], &free.1[..capped.1.len()]);
        }
    }
}

#[test]
fn the_caller_can_stop_at_a_solution_or_from_outside() {
    struct Stop;
    impl Visitor for Stop {
        fn solution(&mut self, _solution: Solution<'_>) -> Flow {
            Flow::Stop
        }
    }
    let puzzle = Puzzle::new(&Geometry::of_side(6).unwrap());
    let problem = ProblemRef::Puzzle(&puzzle);
    for search in [&mut Dlx::default() as &mut dyn TreeSearch, &mut Naive] {
        let task = Task::whole(problem, Goal::All, Limits::default());
        let outcome = search.search(&task, &mut Stop, &Control::new());
        assert_eq!((outcome.found, outcome.ended_by), (Count::from(1), EndedBy::Cancel));
    }
    let control = Control::new();
    control.cancel();
    let task = Task::whole(problem, Goal::Count { limit: None }, Limits::default());
    assert_eq!(Dlx::default().search(&task, &mut Stop, &control).ended_by, EndedBy::Cancel);
}

#[test]
fn bounds_may_exceed_the_number_of_options() {
    let mut builder = CoverBuilder::new();
    builder.primary_within("p", Bounds { low: 2, high: u32::MAX }).unwrap();
    builder.primary_within("q", Bounds { low: 0, high: 300 }).unwrap();
    for words in [&["p", "q"][..], &["p"], &["p"], &["q"]] {
        builder.option(words).unwrap();
    }
    let cover = Arc::new(builder.build().unwrap());
    agree(ProblemRef::Cover(&cover), true);
    let (outcome, _) =
        whole(&mut Dlx::default(), ProblemRef::Cover(&cover), Goal::Count { limit: None }, None);
    assert_eq!(outcome.found.to_u64(), Some(8));
    let mut builder = CoverBuilder::new();
    builder.primary_within("p", Bounds { low: u32::MAX, high: u32::MAX }).unwrap();
    builder.option(&["p"]).unwrap();
    agree(ProblemRef::Cover(&Arc::new(builder.build().unwrap())), true);
}

#[test]
fn bounds_with_long_lists_use_wide_keys() {
    let mut builder = CoverBuilder::new();
    builder.primary_within("p", Bounds { low: 2, high: 2 }).unwrap();
    (0..200).for_each(|_| builder.option(&["p"]).map(drop).unwrap());
    let cover = Arc::new(builder.build().unwrap());
    let (outcome, _) =
        whole(&mut Dlx::default(), ProblemRef::Cover(&cover), Goal::Count { limit: None }, None);
    assert_eq!(outcome.found.to_u64(), Some(200 * 199 / 2));
}

#[test]
fn the_reference_understands_bounds() {
    // Choose two or three of four options: 6 + 4 sets.
    let mut builder = CoverBuilder::new();
    builder.primary_within("p", Bounds { low: 2, high: 3 }).unwrap();
    for _ in 0..4 {
        builder.option(&["p"]).unwrap();
    }
    let cover = Arc::new(builder.build().unwrap());
    let (outcome, solutions) = whole(&mut Naive, ProblemRef::Cover(&cover), Goal::All, None);
    assert_eq!((outcome.found.to_u64(), outcome.ended_by), (Some(10), EndedBy::Complete));
    assert_eq!(solutions.iter().collect::<std::collections::BTreeSet<_>>().len(), 10);
}
