//! Random tests for any length of time: all engines against each other, and the whole program on altered
//! samples.
//!
//! By default some tens of problems of each kind. To run for hours, from a chosen seed, or to repeat one
//! problem:
//!
//! ```sh
//! QUADRILLE_SOAK_SECONDS=1800 cargo test --release --test engines soak:: -- --ignored --nocapture
//! QUADRILLE_SOAK_SECONDS=1800 QUADRILLE_SOAK_SEED=1000000 cargo test --release --test engines soak:: -- --ignored --nocapture
//! QUADRILLE_SOAK_REPLAY=planted:1234 cargo test --release --test engines soak:: -- --ignored --nocapture
//! QUADRILLE_SOAK_SECONDS=1800 cargo test --release --test engines altered_samples -- --ignored --nocapture 2> /dev/null
//! QUADRILLE_SOAK_REPLAY=samples:1234 cargo test --release --test engines altered_samples -- --ignored --nocapture
//! ```
//!
//! The engines are those of the engine table, so that a new engine is included automatically.

mod compare;
mod problems;
#[cfg(feature = "cli")]
mod samples;

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

/// Compares all contenders on one problem; panics with its kind and seed if they differ.
fn compare(judge: &mut Judge, kind: usize, seed: u64) -> Compared {
    let (name, make) = KINDS[kind];
    let problem = make(seed);
    let compared = catch_unwind(AssertUnwindSafe(|| judge.compare(&problem, seed)));
    compared.unwrap_or_else(|_| panic!("{name}:{seed} (QUADRILLE_SOAK_REPLAY={name}:{seed})"))
}

/// Compares problems of all kinds on two threads until `continues` returns false. Returns the counts per kind.
fn soak(first: u64, continues: impl Fn(u64) -> bool + Sync) -> Vec<Compared> {
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
                    if !continues(seed - first) {
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
fn engines_agree_on_samples_of_every_kind() {
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
fn engines_agree_for_the_given_time() {
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

/// Tests of the whole program on samples.
#[cfg(feature = "cli")]
mod of_samples {
    use super::samples::Program;
    use super::*;

    /// Cases in the default run.
    const CASES: u64 = 200;
    /// Maximum duration of a case before it counts as stuck; generous, since the machine may be busy.
    const MAX_TIME: Duration = Duration::from_secs(300);
    /// Maximum memory in bytes; the largest cases need a tenth of it.
    const MAX_MEMORY: u64 = 1 << 30;
    const REPORT_EVERY: Duration = Duration::from_secs(30);

    /// Tries a seed. Prints the failure and returns false if a promise is broken.
    fn holds(program: &mut Program, seed: u64) -> bool {
        let tried = catch_unwind(AssertUnwindSafe(|| program.try_seed(seed)));
        let said =
            tried.map_err(|panic| panic.downcast::<String>().map_or_else(|_| "a panic".into(), |said| *said));
        match said {
            Ok(()) => true,
            Err(said) => {
                println!("QUADRILLE_SOAK_REPLAY=samples:{seed} {said}");
                false
            }
        }
    }

    /// Returns the memory of this process in bytes, or 0 if the system does not report it.
    fn memory() -> u64 {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
    }

    fn report(program: &Program, seed: u64, failed: u64) {
        let (seen, memory) = (&program.seen, memory() >> 20);
        println!("seed {seed}, {failed} failed, {memory} MiB: {seen:?}");
    }

    #[test]
    fn altered_samples_end_without_a_crash() {
        let mut program = Program::new();
        let failed: Vec<u64> = (0..CASES).filter(|&seed| !holds(&mut program, seed)).collect();
        report(&program, CASES, failed.len() as u64);
        assert!(failed.is_empty(), "{failed:?}");
        assert!(program.seen.lines > 0 && program.seen.records > CASES && program.seen.unreadable > 0);
    }

    #[test]
    #[ignore = "takes as long as it is told to: see the head of the file"]
    fn altered_samples_end_without_a_crash_for_the_given_time() {
        let mut program = Program::new();
        if let Some(seed) = env::var("QUADRILLE_SOAK_REPLAY")
            .ok()
            .and_then(|word| word.strip_prefix("samples:").map(|seed| seed.parse().expect("a number")))
        {
            return program.try_seed(seed);
        }
        let time = Duration::from_secs(number("QUADRILLE_SOAK_SECONDS").unwrap_or(60));
        let first = number("QUADRILLE_SOAK_SEED").unwrap_or(1_000);
        let at_work = std::sync::Arc::new(Mutex::new((first, Instant::now())));
        let watched = std::sync::Arc::clone(&at_work);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let (seed, began) = *watched.lock().expect("nobody panics with it");
                if began.elapsed() > MAX_TIME {
                    println!("QUADRILLE_SOAK_REPLAY=samples:{seed} hangs");
                    std::process::exit(1);
                }
            }
        });
        let (began, mut reported, mut failed) = (Instant::now(), Instant::now(), 0);
        for seed in first.. {
            *at_work.lock().expect("nobody panics with it") = (seed, Instant::now());
            failed += u64::from(!holds(&mut program, seed));
            assert!(memory() < MAX_MEMORY, "memory grows: seed {seed}");
            if reported.elapsed() > REPORT_EVERY || began.elapsed() > time {
                report(&program, seed, failed);
                reported = Instant::now();
            }
            if began.elapsed() > time {
                break;
            }
        }
        assert_eq!(failed, 0);
    }
}
