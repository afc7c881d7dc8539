//! Time limits and signals on exact covers with expensive nodes, for every engine with every verb.

use std::time::{Duration, Instant};

#[cfg(unix)]
use super::limits::signal;
use super::{Ended, Run, quadrille};

/// Limit options, the exit status of a run that they stop, and the reason in its row.
const LIMITS: [(&str, i32, &str); 3] = [
    ("-j1 --time-limit 100ms", 0, "time"),
    ("-j2 --time-limit 100ms", 0, "time"),
    ("-j2 --deadline 150ms", 4, "deadline"),
];

/// Maximum time that a run may take beyond its limit.
///
/// The time includes reading the input on a busy machine and unoptimised engines. A search that ignores the clock
/// takes minutes.
const SLACK: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 15 });

/// Knuth's MMIX generator, so that problems are the same on all machines.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Parameters of a random problem.
#[derive(Clone, Copy)]
struct Shape {
    options: u64,
    /// Minimum number of items per option.
    fewest: u64,
    most: u64,
    /// Text before the name of each item in the list of items.
    bounds: &'static str,
    costs: bool,
}

/// Options that exclude hundreds of others, each with hundreds of neighbours: few solutions, expensive nodes.
const DEAR: Shape = Shape { options: 20_000, fewest: 2, most: 5, bounds: "", costs: true };
/// Options of one item close every gap: too many solutions to list, too many states for memory.
const LOOSE: Shape = Shape { options: 20_000, fewest: 1, most: 3, bounds: "", costs: true };
/// Items that may be covered twice.
const BOUNDED: Shape = Shape { options: 5_000, fewest: 2, most: 5, bounds: "1:2|", costs: false };

impl Shape {
    /// Returns a random problem of 400 items in Knuth's format.
    fn problem(self) -> String {
        let mut numbers = Numbers(1);
        let mut text = "| random\n".to_owned();
        (0..400).for_each(|item| text += &format!("{}i{item} ", self.bounds));
        for _ in 0..self.options {
            let size = self.fewest + numbers.below(self.most - self.fewest + 1);
            let mut items: Vec<u64> = (0..size).map(|_| numbers.below(400)).collect();
            items.sort_unstable();
            items.dedup();
            text.push('\n');
            items.iter().for_each(|item| text += &format!("i{item} "));
            if self.costs {
                text += &format!("|{}", numbers.below(1000));
            }
        }
        text + "\n"
    }
}

/// Runs the program to its end and returns the elapsed time.
fn timed(run: Run) -> (Duration, Ended) {
    let began = Instant::now();
    let ended = run.ends();
    (began.elapsed(), ended)
}

/// A verb and the engines that support it.
///
/// A count never finishes within its limit. Other verbs may finish before it.
type Case = (&'static str, &'static [&'static str]);

const SEARCHES: &[&str] = &["auto", "dlx", "bitset", "naive"];
const COUNTS: Case = ("count", &["auto", "dlx", "bitset", "naive", "memo"]);

/// Asserts that every case stops soon after its limit, for a limit per record and for one of the run.
fn keeps_limits(shape: Shape, cases: &[Case]) {
    let problem = shape.problem();
    for (verb, engines) in cases {
        for (engine, (limit, code, word)) in
            engines.iter().flat_map(|engine| LIMITS.map(|limit| (engine, limit)))
        {
            let words = format!("{verb} --no-node-limit --fields status,ended_by --engine {engine} {limit}");
            let (took, ended) = timed(quadrille(&words).stdin(problem.clone()));
            assert!(took < SLACK, "{words}: {took:?}");
            // The deadline may pass before the record is read; then there is no row.
            let is_ended = ended.code == Some(code) && (code == 4 || ended.out.trim_end().ends_with(word));
            let is_done = *verb != "count" && ended.code == Some(0);
            assert!(is_ended || is_done, "{words}: {ended:?}");
        }
    }
}

#[test]
fn every_engine_keeps_limits_if_nodes_are_expensive() {
    let best = &["auto", "best-cover"];
    let cases =
        [COUNTS, ("solve", SEARCHES), ("best --minimize", best), ("best", best), ("check", &["auto"])];
    keeps_limits(DEAR, &cases);
}

#[test]
fn every_engine_keeps_limits_if_there_are_many_solutions() {
    keeps_limits(LOOSE, &[COUNTS, ("solve --all", SEARCHES)]);
}

#[test]
fn every_engine_keeps_limits_with_multiplicities() {
    keeps_limits(BOUNDED, &[("count", SEARCHES), ("solve --all", SEARCHES)]);
}

#[test]
fn a_counter_that_is_short_of_memory_keeps_limits() {
    let problem = LOOSE.problem();
    for memory in ["60M", "400M"] {
        let words = format!("count --no-node-limit --engine memo --memory {memory} --time-limit 500ms");
        let (took, ended) = timed(quadrille(&words).stdin(problem.clone()));
        assert!(took < SLACK, "{words}: {took:?}");
        assert!(ended.code == Some(0) && ended.out.starts_with(">="), "{words}: {ended:?}");
    }
}

#[test]
fn a_time_limit_ends_the_reading_of_a_long_cover() {
    let dlx = "a b\n".to_owned() + &"a b\na\nb\n".repeat(150_000) + "nobody\n";
    let sets = "1 2\n1\n2\n".repeat(150_000) + "nobody\n";
    let matrix = "11\n10\n01\n".repeat(150_000) + "nobody\n";
    for (format, text) in [("dlx", dlx), ("sets", sets), ("matrix", matrix)] {
        for verb in ["count", "count --unordered", "solve", "solve --all", "solve --unique", "check", "best"]
        {
            let words = format!("{verb} --from {format} --fields status,ended_by --time-limit 1ms");
            // If the problem were read to its end, it would be invalid because of the last line.
            let out = quadrille(&words).stdin(text.clone()).prints();
            assert!(out.ends_with("time\n") && !out.contains("invalid"), "{words}: {out}");
        }
        for output in ["csv", "jsonl"] {
            let words = format!("count --from {format} --to {output} --time-limit 1ms");
            let out = quadrille(&words).stdin(text.clone()).prints();
            assert!(out.contains("unknown") && !out.contains("invalid"), "{words}: {out}");
        }
        let without = quadrille(&format!("count --from {format} --time-limit 10m")).stdin(text).ends();
        assert!(without.out.starts_with("invalid\tline 45000"), "{format}: {without:?}");
    }
}

/// Returns the problem of 20 queens.
///
/// A counter of states makes no progress on this problem; a search finds thousands of solutions immediately.
fn queens() -> String {
    let side = 20;
    let mut text = String::new();
    (0..side).for_each(|line| text += &format!("r{line} c{line} "));
    text += "|";
    (0..2 * side - 1).for_each(|line| text += &format!(" a{line} b{line}"));
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        text += &format!("\nr{row} c{column} a{} b{}", row + column, row + side - 1 - column);
    }
    text + "\n"
}

#[test]
fn a_count_under_a_limit_can_fall_back_to_a_search() {
    let at_least = |words: &str| {
        let words = format!("count --no-node-limit --from dlx --time-limit 1s {words}");
        let out = quadrille(&words).stdin(queens()).prints();
        let number = out.strip_prefix(">=").and_then(|rest| rest.strip_suffix("\ttime\n"));
        number.and_then(|number| number.parse::<f64>().ok()).unwrap_or_else(|| panic!("{words}: {out}"))
    };
    for threads in ["-j1", "-j2"] {
        let (auto, search) = (at_least(threads), at_least(&format!("{threads} --engine bitset")));
        // The search that follows the counter gets most of the time. The rest of the factor allows for a busy
        // machine.
        assert!(auto * 20.0 >= search, "{threads}: {auto} of {search}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_any_search_of_a_cover() {
    use std::io::Write;
    let problem = LOOSE.problem();
    let verbs = ["solve --all -q", "best --minimize", "estimate --probes 100000000"];
    let counts = COUNTS.1.iter().map(|engine| format!("count --engine {engine}"));
    for verb in counts.chain(verbs.map(str::to_owned)) {
        let limits = if verb.starts_with("estimate") { "" } else { "--no-node-limit" };
        let mut run = quadrille(&format!("{verb} {limits} -j2")).stdin("");
        let mut child = run.starts();
        let mut pipe = child.stdin.take().expect("it is piped");
        pipe.write_all(problem.as_bytes()).expect("the program reads");
        drop(pipe);
        // The output is drained, or the program would block on it.
        let out = child.stdout.take().expect("it is piped");
        let reading = std::thread::spawn(move || std::io::copy(&mut { out }, &mut std::io::sink()).is_ok());
        std::thread::sleep(Duration::from_millis(200));
        let began = Instant::now();
        signal(&child, "TERM");
        let status = child.wait_with_output().expect("the program ends").status;
        assert!(began.elapsed() < SLACK, "{verb}: {:?}", began.elapsed());
        assert_eq!(status.code(), Some(143), "{verb}");
        assert!(reading.join().expect("reading does not panic"), "{verb}");
    }
}
