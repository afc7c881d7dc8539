//! All engines against each other on problems of every kind, for as long as one likes.
//!
//! By default some tens of problems of each kind. For hours, from a seed of one's own, and one problem again:
//!
//! ```sh
//! QUADRILLE_SOAK_SECONDS=1800 cargo test --release --test soak -- --ignored --nocapture
//! QUADRILLE_SOAK_SECONDS=1800 QUADRILLE_SOAK_SEED=1000000 cargo test --release --test soak -- --ignored --nocapture
//! QUADRILLE_SOAK_REPLAY=planted:1234 cargo test --release --test soak -- --ignored --nocapture
//! ```
//!
//! Engines are those of the engine table, so that a new one is compared from its first day.

mod compare;
mod problems;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use compare::{Compared, Judge};
use problems::KINDS;

/// Problems of each kind in the default run.
const PROBLEMS: u64 = 40;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// Compares everybody on one problem; panics with its kind and seed where they differ.
fn compare(judge: &mut Judge, kind: usize, seed: u64) -> Compared {
    let (name, make) = KINDS[kind];
    let problem = make(seed);
    let compared = catch_unwind(AssertUnwindSafe(|| judge.compare(&problem, seed)));
    compared.unwrap_or_else(|_| panic!("{name}:{seed} (QUADRILLE_SOAK_REPLAY={name}:{seed})"))
}

/// Goes through seeds and kinds in turn on two threads until `goes_on` says no; what was compared, a line a kind.
fn soak(first: u64, goes_on: impl Fn(u64) -> bool + Sync) -> Vec<Compared> {
    let totals = Mutex::new(vec![Compared::default(); KINDS.len()]);
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut judge = Judge::new();
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let (kind, seed) =
                        ((turn % KINDS.len() as u64) as usize, first + turn / KINDS.len() as u64);
                    if !goes_on(seed - first) {
                        return;
                    }
                    let compared = compare(&mut judge, kind, seed);
                    totals.lock().expect("the other thread does not panic here")[kind] += compared;
                }
            });
        }
    });
    totals.into_inner().expect("nobody panicked")
}

fn report(totals: &[Compared]) {
    println!("{:<10} {:>10} {:>12} {:>12} {:>12}", "kind", "problems", "verdicts", "split", "solutions");
    let mut all = Compared::default();
    let line = |name: &str, compared: &Compared| {
        let Compared { problems, verdicts, split, solutions } = compared;
        println!("{name:<10} {problems:>10} {verdicts:>12} {split:>12} {solutions:>12}");
    };
    for ((name, _), compared) in KINDS.iter().zip(totals) {
        line(name, compared);
        all += *compared;
    }
    line("all", &all);
}

#[test]
fn engines_agree_on_some_of_everything() {
    let totals = soak(0, |turn| turn < PROBLEMS);
    report(&totals);
    for ((name, _), compared) in KINDS.iter().zip(&totals) {
        assert_eq!(compared.problems, PROBLEMS, "{name}");
        assert!(compared.verdicts > 3 * PROBLEMS, "{name}: several engines have a word on each");
    }
    assert!(totals.iter().all(|compared| compared.solutions > 0), "every kind has solutions");
    assert!(totals.iter().map(|compared| compared.split).sum::<u64>() > PROBLEMS);
}

#[test]
#[ignore = "takes as long as it is told to: see the head of the file"]
fn engines_agree_for_as_long_as_one_likes() {
    if let Ok(replay) = env::var("QUADRILLE_SOAK_REPLAY") {
        let (name, seed) = replay.split_once(':').expect("KIND:SEED");
        let kind = KINDS.iter().position(|(known, _)| *known == name).expect("a kind of the list");
        println!("{:?}", (KINDS[kind].1)(seed.parse().expect("a number")));
        println!("{:?}", compare(&mut Judge::new(), kind, seed.parse().expect("a number")));
        return;
    }
    let time = Duration::from_secs(number("QUADRILLE_SOAK_SECONDS").unwrap_or(60));
    let first = number("QUADRILLE_SOAK_SEED").unwrap_or(1_000);
    let began = Instant::now();
    let totals = soak(first, |_| began.elapsed() < time);
    println!("seeds from {first}, {} s", began.elapsed().as_secs());
    report(&totals);
}
