//! Estimates, compared with known counts: their standard errors are realistic and their intervals hold.

use crate::covers;
use quadrille::FromText;
use std::sync::Arc;

use quadrille::engine::{
    Confidence, Control, EngineKind, EnginePreference, EstimateOptions, Flow, Solver, estimate,
};
use quadrille::generate::{self, Kind, Options, Request};
use quadrille::{CoverBuilder, CoverProblem, Geometry, Goal, Limits, Problem, Puzzle};

/// Returns 50 problems of different kinds, each with more than one solution.
fn problems() -> Vec<(String, Problem)> {
    let mut all: Vec<(String, Problem)> = Vec::new();
    let mut cover = |name: String, cover: Arc<CoverProblem>| all.push((name, Problem::Cover(cover)));
    (5..=9).for_each(|side| cover(format!("queens {side}"), covers::queens(side)));
    [3, 4, 7, 8].into_iter().for_each(|n| cover(format!("langford {n}"), covers::langford(n)));
    (3..=4).for_each(|side| cover(format!("latin {side}"), covers::latin(side)));
    (4..=7).for_each(|size| cover(format!("partitions {size}"), covers::partitions(size)));
    [(4, 4), (4, 6), (5, 6), (6, 6), (6, 8)].into_iter().for_each(|(rows, columns)| {
        cover(format!("dominoes {rows}x{columns}"), covers::dominoes(rows, columns))
    });
    for (side, clues, number) in [(4, 3, 6), (6, 9, 12), (9, 26, 12)] {
        let geometry = Geometry::of_side(side).expect("a side");
        let request = Request { geometry, clues: Some(clues..=clues), ..Request::new(Kind::Sparse, 11) };
        let mut text = Vec::new();
        generate::run(&request, 0..number, Options::default(), &Arc::default(), &mut |record| {
            let mut line = Vec::new();
            record.write_puzzle(&mut line);
            text.push(String::from_utf8(line).expect("digits and dots"));
            Flow::Continue
        })
        .expect("sparse puzzles can be made");
        for (place, line) in text.iter().enumerate() {
            let puzzle = Puzzle::from_text(line).expect("what was made can be read");
            all.push((format!("sparse {side} {place}"), Problem::Puzzle(puzzle)));
        }
    }
    all
}

/// If means were normal, 19 of 20 estimates would be within two standard errors.
///
/// Products of branchings are skewed, so more are outside: the test requires nine of ten, and nearly all
/// within four.
#[test]
fn exact_covers_are_probed_by_the_engine_that_descends_the_fastest() {
    for (name, problem) in problems() {
        let probing = EstimateOptions { probes: 1, ..EstimateOptions::default() };
        let kind = estimate(problem.as_ref(), &probing, &Control::new()).unwrap().selection.kind;
        let is_cover = matches!(problem, Problem::Cover(_));
        assert_eq!(kind == EngineKind::Dlx, is_cover, "{name}: {kind:?}");
        let preference = EnginePreference { engine: Some(EngineKind::Naive), ..EnginePreference::default() };
        let named = EstimateOptions { preference, ..probing };
        assert_eq!(
            estimate(problem.as_ref(), &named, &Control::new()).unwrap().selection.kind,
            EngineKind::Naive
        );
    }
}

#[test]
fn most_estimates_are_within_two_errors_of_the_count() {
    let problems = problems();
    assert_eq!(problems.len(), 50);
    let mut off: Vec<(f64, String)> = Vec::new();
    let mut solver = Solver::new(EnginePreference::default());
    for (seed, (name, problem)) in (1..).zip(&problems) {
        let exact = exact_count(&mut solver, problem, Limits::default()).expect("without a limit");
        assert!(exact > 1.0, "{name}");
        let probing = EstimateOptions { probes: 4000, seed, ..EstimateOptions::default() };
        let about = estimate(problem.as_ref(), &probing, &Control::new()).expect("it can be probed");
        let error = about.solutions.error().expect("of many probes");
        let distance = (about.solutions.mean() - exact).abs();
        // If all probes are equal, the estimate is exact except for rounding.
        let errors = if distance <= 1e-9 * exact { 0.0 } else { distance / error };
        off.push((errors, format!("{name}: {} of {exact}", about.solutions)));
    }
    off.sort_by(|a, b| b.0.total_cmp(&a.0));
    let beyond = |errors: f64| off.iter().filter(|(at, _)| *at > errors).count();
    println!("beyond one error {}, two {}, four {}", beyond(1.0), beyond(2.0), beyond(4.0));
    assert!(beyond(2.0) <= 5 && beyond(4.0) <= 1, "{:#?}", &off[..8]);
}

/// Returns the exact number of solutions, or `None` if a limit stops the count.
fn exact_count(solver: &mut Solver, problem: &Problem, limits: Limits) -> Option<f64> {
    let answer =
        solver.answer(problem.as_ref(), Goal::Count { limit: None }, limits).expect("can be counted");
    answer.exact_count().map(|count| count.to_string().parse().expect("a number"))
}

/// Returns random covers with long tails: 10 to 40 items, and several times as many options of 1 to 6 items.
///
/// A linear congruential generator (Knuth's MMIX) makes the covers equal on all machines.
fn random_covers(mut state: u64) -> impl Iterator<Item = Arc<CoverProblem>> {
    let mut below = move |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    std::iter::repeat_with(move || {
        let mut builder = CoverBuilder::new();
        let items = 10 + below(31);
        let names: Vec<String> = (0..items).map(|item| format!("i{item}")).collect();
        for name in &names {
            builder.primary(name).expect("a new item");
        }
        let (longest, options) = (2 + below(4), items * (1 + below(6)) + below(items));
        for _ in 0..options {
            let mut words: Vec<&str> =
                (0..1 + below(longest)).map(|_| &*names[below(items) as usize]).collect();
            words.sort_unstable();
            words.dedup();
            builder.option(&words).expect("its items are there");
        }
        Arc::new(builder.build().expect("a cover"))
    })
}

/// Counts of the intervals that hold the true count, for estimates with 300 probes.
#[derive(Default)]
struct Held {
    bounded: u32,
    within_68: u32,
    within_95: u32,
    /// Number of estimates that are only lower bounds, and how many of these bounds are correct.
    unbounded: u32,
    above_95: u32,
}

impl Held {
    fn add(&mut self, problem: &Problem, exact: f64, seed: u64) {
        let probing = EstimateOptions { probes: 300, seed, ..EstimateOptions::default() };
        let about =
            estimate(problem.as_ref(), &probing, &Control::new()).expect("it can be probed").solutions;
        // If all probes are equal, the interval is a point except for rounding.
        let (less, more) = (exact * (1.0 - 1e-9), exact * (1.0 + 1e-9));
        let holds = |confidence| {
            about.interval(confidence).map(|(low, high)| (low <= more, high.map(|high| high >= less)))
        };
        match (holds(Confidence::P68), holds(Confidence::P95)) {
            (Some((low_68, Some(high_68))), Some((low_95, Some(high_95)))) => {
                self.bounded += 1;
                self.within_68 += u32::from(low_68 && high_68);
                self.within_95 += u32::from(low_95 && high_95);
            }
            (Some(_), Some((low_95, None))) => {
                self.unbounded += 1;
                self.above_95 += u32::from(low_95);
            }
            // No probe found a solution.
            _ => {}
        }
    }

    /// Prints the shares and requires that they are as documented.
    fn require(&self, name: &str) {
        let percent = |part: u32, all: u32| 100.0 * f64::from(part) / f64::from(all.max(1));
        let &Held { bounded, within_68, within_95, unbounded, above_95 } = self;
        let (narrow, wide) = (percent(within_68, bounded), percent(within_95, bounded));
        println!(
            "{name}: {bounded} with both ends: {narrow:.1} % within 68 %, {wide:.1} % within 95 %; {unbounded} lower bounds: \
             {:.1} % are",
            percent(above_95, unbounded)
        );
        assert!(bounded >= 30 && narrow >= 68.0 && wide >= 95.0, "{name}");
        assert!(unbounded == 0 || percent(above_95, unbounded) >= 95.0, "{name}");
    }
}

#[test]
fn intervals_hold_the_count_with_the_stated_probability() {
    let mut solver = Solver::new(EnginePreference::default());
    let short = Limits { nodes: Some(200_000), ..Limits::default() };
    let (mut covers, mut grids) = (Held::default(), Held::default());
    let random = random_covers(7).filter_map(|cover| {
        let problem = Problem::Cover(cover);
        let exact = exact_count(&mut solver, &problem, short)?;
        (exact >= 20.0).then_some((problem, exact))
    });
    for (seed, (problem, exact)) in (1..).zip(random.take(150)) {
        covers.add(&problem, exact, seed);
    }
    let mut solver = Solver::new(EnginePreference::default());
    for (name, problem) in problems() {
        let exact = exact_count(&mut solver, &problem, Limits::default()).expect("without a limit");
        for seed in 1..=2 {
            let held = if name.starts_with("sparse") { &mut grids } else { &mut covers };
            held.add(&problem, exact, seed);
        }
    }
    covers.require("covers");
    grids.require("grids");
}
