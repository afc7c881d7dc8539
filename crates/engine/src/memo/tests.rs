//! Small problems with known counts, and every limit that a count can reach.

use std::sync::Arc;

use super::table::{StateTable, hash};
use super::*;
use crate::Naive;
use crate::budget::Watch;
use crate::counting::Stop;
use quadrille_model::random::SplitMix64;
use quadrille_model::{Counters, CoverBuilder};

fn cover(primary: &[String], secondary: &[String], options: &[Vec<String>]) -> Arc<CoverProblem> {
    let mut builder = CoverBuilder::new();
    primary.iter().for_each(|name| builder.primary(name).map(drop).unwrap());
    secondary.iter().for_each(|name| builder.secondary(name).map(drop).unwrap());
    for option in options {
        builder.option(&option.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    }
    Arc::new(builder.build().unwrap())
}

/// Creates the problem of covering several separate boards with dominoes.
fn dominoes(rows: usize, columns: usize, boards: usize) -> Arc<CoverProblem> {
    let cells = || {
        let places = (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
        (0..boards).flat_map(move |board| places.clone().map(move |(row, column)| (board, row, column)))
    };
    let name = |(board, row, column): (usize, usize, usize)| format!("{board}.{row}.{column}");
    let options: Vec<Vec<String>> = cells()
        .flat_map(|(b, row, column)| {
            [(b, row, column + 1), (b, row + 1, column)].map(|next| ((b, row, column), next))
        })
        .filter(|(_, (_, row, column))| *row < rows && *column < columns)
        .map(|(one, two)| vec![name(one), name(two)])
        .collect();
    cover(&cells().map(name).collect::<Vec<_>>(), &[], &options)
}

fn count_within(cover: &Arc<CoverProblem>, memory: Option<u64>) -> Outcome {
    let limits = Limits { memory, ..Limits::default() };
    Memo::default()
        .count_within(&Task::count(ProblemRef::Cover(cover), limits), &Control::new(), None)
        .expect("no allowance")
}

fn counted(cover: &Arc<CoverProblem>) -> String {
    let outcome = count_within(cover, None);
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    outcome.found.to_string()
}

#[test]
fn domino_tilings_have_the_known_counts() {
    assert_eq!(counted(&dominoes(8, 8, 1)), "12988816");
    assert_eq!(counted(&dominoes(12, 12, 1)), "53060477521960000");
    assert_eq!(counted(&dominoes(5, 7, 1)), "0");
    assert_eq!(counted(&dominoes(6, 6, 2)), "45265984");
    assert_eq!(counted(&dominoes(6, 6, 4)), "2049009307488256");
}

/// Returns a small random problem with secondary items and colours.
fn random(seed: u64) -> Arc<CoverProblem> {
    let mut random = SplitMix64(seed);
    let mut draw = |below: usize| random.below(below);
    let (primary, secondary) = (1 + draw(9), draw(5));
    let names: Vec<String> = (0..primary + secondary).map(|item| format!("i{item}")).collect();
    let options: Vec<Vec<String>> = (0..draw(40))
        .map(|_| {
            let mut items: Vec<usize> = (0..1 + draw(3)).map(|_| draw(primary + secondary)).collect();
            items.push(draw(primary));
            items.sort_unstable();
            items.dedup();
            let with_colour = |item: usize| match (item >= primary, draw(4)) {
                (true, colour @ 1..) => format!("{}:c{colour}", names[item]),
                _ => names[item].clone(),
            };
            items.into_iter().map(with_colour).collect()
        })
        .collect();
    cover(&names[..primary], &names[primary..], &options)
}

#[test]
fn random_problems_have_the_counts_of_the_reference() {
    for seed in 1..3000 {
        let cover = random(seed);
        let problem = ProblemRef::Cover(&cover);
        let task = Task::whole(problem, Goal::Count { limit: None }, Limits::default());
        let reference = Naive.search(&task, &mut |_: Solution<'_>| Flow::Continue, &Control::new());
        assert_eq!(counted(&cover), reference.found.to_string(), "seed {seed}");
    }
}

#[test]
fn less_memory_takes_more_work_for_the_same_count() {
    let board = dominoes(12, 12, 1);
    let plenty = count_within(&board, None);
    let scarce = count_within(&board, Some(100_000));
    assert_eq!((scarce.ended_by, &scarce.found), (EndedBy::Complete, &plenty.found));
    let nodes = |outcome: &Outcome| outcome.counters.expect("counted whole").nodes;
    assert!(nodes(&scarce) > nodes(&plenty));
    let mut complete = 0;
    for seed in 1..1500 {
        let cover = random(seed);
        let exact = count_within(&cover, None).found;
        let scarce = count_within(&cover, Some(1_800 + seed % 7 * 1_200));
        match scarce.ended_by {
            EndedBy::Complete => assert_eq!(scarce.found, exact, "seed {seed}"),
            EndedBy::Memory => assert!(scarce.found <= exact, "seed {seed}"),
            other => panic!("seed {seed}: ended by {other:?}"),
        }
        complete += u32::from(scarce.ended_by == EndedBy::Complete);
    }
    assert!(complete > 1_000, "{complete}");
}

#[test]
fn counters_grow_as_wide_as_needed() {
    // Every strip multiplies the count by 2^24. The first item joins the strips, so that they are not counted
    // separately.
    let strips = 10;
    let mut primary = vec!["join".to_owned()];
    let mut join = vec!["join".to_owned()];
    let mut options = Vec::new();
    for strip in 0..strips {
        join.push(format!("{strip}"));
        for place in 0..24 {
            primary.push(format!("{strip}.{place}"));
            let secondary = format!("{strip}");
            options.push(vec![format!("{strip}.{place}")]);
            options.push(vec![format!("{strip}.{place}"), format!("{strip}.{}.x", place), secondary + ":a"]);
        }
    }
    let join: Vec<String> =
        join.iter().map(|name| if name == "join" { name.clone() } else { format!("{name}:a") }).collect();
    options.push(join);
    let secondary: Vec<String> = (0..strips)
        .flat_map(|strip| {
            let own = (0..24).map(move |place| format!("{strip}.{place}.x"));
            std::iter::once(format!("{strip}")).chain(own)
        })
        .collect();
    let cover = cover(&primary, &secondary, &options);
    assert_eq!(counted(&cover), BigUint::from(2u32).pow(240).to_string());
}

#[test]
fn limits_end_a_count_with_what_is_known() {
    let board = dominoes(12, 12, 1);
    let ended = |limits: Limits, control: &Control| {
        let outcome = Memo::default()
            .count_within(&Task::count(ProblemRef::Cover(&board), limits), control, None)
            .expect("no allowance");
        assert!(outcome.found.is_zero());
        outcome.ended_by
    };
    let nodes = Limits { nodes: Some(10), ..Limits::default() };
    assert_eq!(ended(nodes, &Control::new()), EndedBy::Nodes);
    let time = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    assert_eq!(ended(time, &Control::new()), EndedBy::Time);
    let memory = Limits { memory: Some(100), ..Limits::default() };
    assert_eq!(ended(memory, &Control::new()), EndedBy::Memory);
    let cancelled = Control::new();
    cancelled.cancel();
    assert_eq!(ended(Limits::default(), &cancelled), EndedBy::Cancel);
}

#[test]
fn only_problems_worth_counting_are_accepted() {
    let asked = |cover: &Arc<CoverProblem>, allowance| {
        let task = Task::count(ProblemRef::Cover(cover), Limits::default());
        Memo::default().count_within(&task, &Control::new(), Some(allowance))
    };
    let board = dominoes(8, 8, 1);
    assert_eq!(asked(&board, 5), None);
    assert_eq!(asked(&board, 100_000).expect("pays").found.to_string(), "12988816");
    // With several parts the counter never declines: counting them costs little next to a search of the whole.
    assert_eq!(asked(&dominoes(6, 6, 2), 10).expect("pays").found.to_string(), "45265984");
}

/// Counts in shards. Returns the result as text, and the counters.
fn in_shards(
    cover: &Arc<CoverProblem>,
    shards: usize,
    threads: usize,
    limits: Limits,
) -> (String, Option<Counters>) {
    let control = Control::new();
    let mut budget = WorkBudget::new(limits, &control, MEMORY);
    let plan =
        Plan::best(&Component::all(cover, &mut budget.pace()).unwrap()[0], &mut budget.pace()).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let end = pool.install(|| sweep::count_in_shards(&plan, &mut budget, shards));
    (format!("{end:?}"), Some(budget.counters()))
}

#[test]
fn counts_do_not_depend_on_threads_or_shards() {
    let board = dominoes(12, 14, 1);
    let plenty = Limits::default();
    let (counted, nodes) = in_shards(&board, 1, 1, plenty);
    let exact = BigUint::from(43_242_613_716_069_407_953u128);
    assert_eq!(counted, format!("{:?}", End::Counted(exact)));
    for shards in [4, 64] {
        assert_eq!(in_shards(&board, shards, 1, plenty), (counted.clone(), nodes));
        // Limits under which states are split in two many times, and under which the count stops early.
        let scarce = Limits { memory: Some(700_000), ..plenty };
        let early = Limits { nodes: Some(20_000), ..plenty };
        for limits in [plenty, scarce, early] {
            let alone = in_shards(&board, shards, 1, limits);
            assert_eq!(alone.0 == counted, limits != early, "{shards} shards, {limits:?}");
            assert_eq!(in_shards(&board, shards, 4, limits), alone, "{shards} shards, {limits:?}");
        }
    }
}

#[test]
fn work_on_large_tables_can_be_cancelled() {
    let control = Control::new();
    let watch = Watch::new(Limits::default(), &control);
    let mut table = StateTable::<1>::default();
    let mut pace = watch.pace();
    for key in (1..=300_000).map(|key| [key]) {
        while table.add(&key, hash(&key) as u32, &[1]).is_err() {
            table.grow(1, &mut pace).unwrap();
        }
    }
    control.cancel();
    let cancelled = Stop::Ended(EndedBy::Cancel);
    let odd = [1];
    assert_eq!(table.grow(1, &mut watch.pace()), Err(cancelled));
    assert_eq!(table.widen(2, &mut watch.pace()), Err(cancelled));
    assert_eq!(table.take(&odd, &mut watch.pace()), Err(cancelled));
    assert_eq!((table.len(), table.all_from(0).count()), (300_000, 300_000));
    assert_eq!(table.take_from(0, &odd, &mut watch.pace()), Err(cancelled));
}

#[test]
fn a_plan_with_wide_states_is_not_laid_out() {
    // All items are open after the first item, and there are too many of them to compare orders.
    let names: Vec<String> = (0..5_000).map(|item| item.to_string()).collect();
    let alone = names.iter().map(|name| vec![name.clone()]);
    let pairs = names[1..].iter().map(|name| vec![names[0].clone(), name.clone()]);
    let cover = cover(&names, &[], &alone.chain(pairs).collect::<Vec<_>>());
    let control = Control::new();
    let mut pace = Watch::new(Limits::default(), &control).pace();
    let parts = Component::all(&cover, &mut pace).unwrap();
    let plan = Plan::best(&parts[0], &mut pace).unwrap();
    assert!(parts.len() == 1 && plan.words == 0 && plan.masks.is_empty());
    assert_eq!(counted(&cover), "5000");
}

#[test]
fn only_problems_with_several_parts_get_all_the_time() {
    let divides =
        |cover: &Arc<CoverProblem>| Memo::default().divides(ProblemRef::Cover(cover), &Control::new());
    assert!(divides(&dominoes(2, 3, 2)) && !divides(&dominoes(6, 6, 1)));
}
