//! The residual problem after decisions, compared with the naive reference on the whole problem.

use std::sync::Arc;

use crate::random_covers::{bounded_covers, covers};
use proptest::prelude::*;
use quadrille::engine::{Control, Flow, Task};
use quadrille::internals::{Bitset, Dlx, Naive, TreeSearch, Visitor};
use quadrille::{
    Bounds, CoverBuilder, CoverProblem, Entry, Goal, Limits, NO_COLOUR, ProblemRef, Reduced, Reduction,
    Solution, Violation, verify,
};

struct Keeper(Vec<Vec<u32>>);

impl Visitor for Keeper {
    fn solution(&mut self, solution: Solution<'_>) -> Flow {
        let Solution::Options(options) = solution else { panic!("a cover has options") };
        self.0.push(options.to_vec());
        Flow::Continue
    }
}

/// Returns the solutions of a problem as sorted sets.
fn solutions(search: &mut dyn TreeSearch, cover: &Arc<CoverProblem>) -> Vec<Vec<u32>> {
    let mut keeper = Keeper(Vec::new());
    let task = Task::whole(ProblemRef::Cover(cover), Goal::All, Limits::default());
    search.search(&task, &mut keeper, &Control::new());
    keeper.0.sort();
    keeper.0
}

/// Returns the words, line and cost of an option.
fn told(cover: &CoverProblem, option: usize) -> (Vec<String>, Option<u32>, i64) {
    let word = |entry: &Entry| match cover.colour_name(entry.colour) {
        Some(colour) => format!("{}:{colour}", cover.name(entry.item as usize)),
        None => cover.name(entry.item as usize).to_owned(),
    };
    (cover.option(option).iter().map(word).collect(), cover.line(option), cover.cost(option))
}

/// Requires that the residual problem has exactly the solutions that agree with the decisions, and that its
/// options are those of the original.
fn check(cover: &Arc<CoverProblem>, forced: &[u32], excluded: &[u32]) {
    let agrees = |solution: &Vec<u32>| {
        forced.iter().all(|option| solution.contains(option))
            && !excluded.iter().any(|option| solution.contains(option))
    };
    let mut expected = solutions(&mut Naive, cover);
    expected.retain(agrees);
    let rest = match Reduction::reduce(cover, forced, excluded).unwrap() {
        Reduced::Contradiction(_) => return assert_eq!(expected, Vec::<Vec<u32>>::new()),
        Reduced::Residual(rest) => rest,
    };
    let mut engines: Vec<Box<dyn TreeSearch>> = vec![Box::new(Naive), Box::<Dlx>::default()];
    if !rest.cover().has_multiplicities() {
        engines.push(Box::<Bitset>::default());
    }
    for engine in &mut engines {
        let restored = solutions(engine.as_mut(), rest.cover()).into_iter().map(|own| {
            assert_eq!(verify(ProblemRef::Cover(rest.cover()), Solution::Options(&own)), Ok(()));
            let mut solution = vec![77];
            rest.restore(&own, &mut solution);
            assert_eq!(verify(ProblemRef::Cover(cover), Solution::Options(&solution)), Ok(()));
            let problem = (ProblemRef::Cover(rest.cover()), ProblemRef::Cover(cover));
            let score = problem.0.score(Solution::Options(&own)) + rest.cost();
            assert_eq!(score, problem.1.score(Solution::Options(&solution)));
            solution
        });
        let mut restored: Vec<Vec<u32>> = restored.collect();
        restored.sort();
        assert_eq!(restored, expected);
    }
    assert!(rest.originals().is_sorted());
    for option in 0..rest.cover().options() {
        let original = rest.original(option);
        assert_eq!(rest.own(original), Some(option as u32));
        let (own, whole) = (told(rest.cover(), option), told(cover, original as usize));
        assert_eq!((own.1, own.2), (whole.1, whole.2));
        let mut words = whole.0.iter();
        assert!(own.0.iter().all(|word| words.any(|other| other == word)), "{own:?} is no part of {whole:?}");
    }
}

/// Creates the options that are forced (mostly few) and excluded.
fn decisions() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    (proptest::collection::vec(0..22usize, 0..4), proptest::collection::vec(0..22usize, 0..5))
}

fn check_some(cover: &Arc<CoverProblem>, forced: &[usize], excluded: &[usize]) {
    let among = |picks: &[usize]| -> Vec<u32> {
        let picked = picks.iter().filter(|_| cover.options() > 0).map(|pick| (pick % cover.options()) as u32);
        picked.collect()
    };
    check(cover, &among(forced), &among(excluded));
    // Options of one solution never contradict each other.
    if let Some(solution) = solutions(&mut Naive, cover).first() {
        let part: Vec<u32> = forced.iter().filter_map(|&pick| solution.get(pick % 5)).copied().collect();
        assert!(matches!(Reduction::reduce(cover, &part, &[]).unwrap(), Reduced::Residual(_)));
        check(cover, &part, &[]);
        check(cover, solution, &[]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn reduced_plain_problems_have_the_same_solutions(cover in covers(false), (forced, excluded) in decisions()) {
        check_some(&cover, &forced, &excluded);
    }

    #[test]
    fn reduced_coloured_problems_have_the_same_solutions(cover in covers(true), (forced, excluded) in decisions()) {
        check_some(&cover, &forced, &excluded);
    }

    #[test]
    fn reduced_bounded_problems_have_the_same_solutions(cover in bounded_covers(9, 14, true), (forced, excluded) in decisions()) {
        check_some(&cover, &forced, &excluded);
    }
}

/// Creates `p q 2|r | x y` in which every option has its own cost and line.
fn example() -> CoverProblem {
    let mut builder = CoverBuilder::new();
    builder.primary("p").unwrap();
    builder.primary("q").unwrap();
    builder.primary_within("r", Bounds { low: 2, high: 2 }).unwrap();
    builder.secondary("x").unwrap();
    builder.secondary("y").unwrap();
    let colours = [builder.colour("red").unwrap(), builder.colour("blue").unwrap()];
    let plain = |item| Entry { item, colour: NO_COLOUR };
    let (red, blue) = (Entry { item: 3, colour: colours[0] }, Entry { item: 3, colour: colours[1] });
    let options: [&[Entry]; 7] = [
        &[plain(0), plain(2), red],
        &[plain(1), red, plain(4)],
        &[plain(1), blue],
        &[plain(2), red, plain(1)],
        &[plain(2), plain(3)],
        &[plain(4), plain(3)],
        &[plain(2), plain(1), plain(4)],
    ];
    for (place, option) in options.into_iter().enumerate() {
        builder.option_of(option, 10 << place, Some(100 + place as u32)).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn bounds_are_lowered_and_colours_fixed() {
    let cover = example();
    let Reduced::Residual(rest) = Reduction::reduce(&cover, &[0], &[6]).unwrap() else {
        panic!("no contradiction")
    };
    assert_eq!((rest.forced(), rest.cost()), (&[0][..], 10));
    let names: Vec<&str> = (0..rest.cover().items()).map(|item| rest.cover().name(item)).collect();
    assert_eq!(names, ["q", "r", "y"]);
    // One of two covers of r remains, so the residual problem has neither multiplicities nor colours.
    assert!(!rest.cover().has_multiplicities() && !rest.cover().has_colours());
    assert_eq!(rest.originals(), [1, 3]);
    let own: Vec<_> = (0..2).map(|option| told(rest.cover(), option)).collect();
    let words = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    assert_eq!(own[0], (words(&["q", "y"]), Some(101), 20));
    assert_eq!(own[1], (words(&["r", "q"]), Some(103), 80));
}

#[test]
fn contradictions_are_reported() {
    let cover = example();
    for (forced, excluded, fault) in [
        (&[0, 2][..], &[][..], Violation::Item(3)),
        (&[1, 2], &[], Violation::Item(1)),
        (&[9], &[], Violation::Option(9)),
        (&[5], &[], Violation::Option(5)),
        (&[0], &[0], Violation::Option(0)),
        (&[], &[0], Violation::Item(0)),
        (&[0], &[3, 6], Violation::Item(2)),
    ] {
        match Reduction::reduce(&cover, forced, excluded).unwrap() {
            Reduced::Contradiction(told) => assert_eq!(told, fault, "{forced:?} {excluded:?}"),
            Reduced::Residual(_) => panic!("{forced:?} without {excluded:?} is a contradiction"),
        }
    }
}
