//! Injected faults: `cargo test --features faults --test cli faults`.
//!
//! The program exits at points that a signal would rarely hit, and engines panic.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::resume::{Case, Way, corpus};
use super::{Ended, Run, data, objects, quadrille};

/// Fault points between a row and the end of a run, in the order in which a run reaches them.
const PLACES: [&str; 12] = [
    "half-written",
    "written",
    "before-rename",
    "renamed",
    "begun",
    "rows",
    "flushed",
    "synchronised",
    "saved",
    "complete",
    "named",
    "counted",
];

fn with_fault(words: &str, fault: &str) -> Run {
    let mut run = quadrille(words);
    run.command.env("QUADRILLE_FAULT", fault);
    run
}

#[test]
fn a_run_resumes_from_wherever_it_ended() {
    for (way, words, ending) in [
        (Way::File, "solve --unique --to csv --chunk-bytes 4k", ""),
        (Way::File, "solve --unique --to csv --chunk-bytes 4k", ".gz"),
        (Way::Gzip, "solve --limit 3 -j1 --chunk-bytes 4k", ""),
        (Way::Pipe, "count --limit 9 --to jsonl -j4 --chunk-bytes 4k", ".zst"),
    ] {
        let case = Case::compressed(way, words, corpus(1), ending);
        for place in PLACES {
            for time in [1, 2, 7] {
                case.clear();
                let fault = format!("abort={place}:{time}");
                let output = case.start_with(with_fault(&case.resumed(), &fault)).wait_with_output();
                let status = output.expect("it ends").status;
                if status.success() {
                    // The run reaches this place fewer than `time` times.
                    assert!(time > 1, "{fault} was not reached");
                    case.is_complete();
                    continue;
                }
                assert_eq!(status.code(), None, "{fault}: ended by itself");
                case.has_a_prefix();
                case.goes_on();
            }
        }
    }
}

#[test]
fn a_run_resumes_after_several_interruptions() {
    let case = Case::new(Way::File, "solve --unique", corpus(4));
    case.clear();
    for place in PLACES.iter().chain(&PLACES) {
        let fault = format!("abort={place}:2");
        let child = case.start_with(with_fault(&case.resumed(), &fault));
        let ended = child.wait_with_output().expect("it ends");
        assert!(ended.status.success() || ended.status.code().is_none());
        if ended.status.success() {
            case.is_complete();
            case.clear();
        }
    }
    case.goes_on();
}

/// Requires the usual output, except that the lines of `lost` are internal errors that show the puzzle.
fn loses_only(words: &str, fault: &str, input: &str, lost: &[usize]) {
    let good = quadrille(words).stdin(input).prints();
    let ended = with_fault(words, fault).stdin(input).ends();
    let (rows, expected): (Vec<&str>, Vec<&str>) = (ended.out.lines().collect(), good.lines().collect());
    assert_eq!(rows.len(), expected.len(), "{words}");
    for (number, (row, expected)) in rows.iter().zip(&expected).enumerate() {
        if lost.contains(&(number + 1)) {
            let puzzle = input.lines().nth(number).expect("a record a line");
            assert!(
                row.starts_with("internal\tthe engine panicked: a fault was asked for"),
                "{words}: {row}"
            );
            assert!(row.ends_with(&format!("the puzzle: {puzzle}")), "{words}: {row}");
        } else {
            assert_eq!(row, expected, "{words}: record {}", number + 1);
        }
    }
    if lost.is_empty() {
        assert_eq!(ended.code, Some(0), "{}", ended.err);
    } else {
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(ended.err.contains("1 record met an internal error"), "{}", ended.err);
    }
}

/// Returns the first puzzles of a corpus, since engines of this build are slow.
fn puzzles(count: usize) -> String {
    data("random-1000.txt").split_inclusive('\n').take(count).collect()
}

#[test]
fn an_engine_that_panics_costs_one_record() {
    let input = puzzles(300);
    for engine in ["lanes", "bitmask", "dlx"] {
        for (threads, record) in [("-j1", 1), ("-j2", 150), ("-j4", 300)] {
            let words = format!("solve --unique --engine {engine} {threads}");
            loses_only(&words, &format!("panic={record}"), &input, &[record]);
        }
    }
}

#[test]
fn a_record_that_breaks_an_engine_only_once_is_not_lost() {
    let input = puzzles(300);
    for engine in ["lanes", "bitmask"] {
        loses_only(&format!("solve --unique --engine {engine} -j2"), "once=121", &input, &[]);
        loses_only(&format!("solve --limit 3 --engine {engine} -j2"), "once=121", &input, &[]);
    }
}

#[test]
fn searches_for_needless_clues_are_repeated_after_a_panic() {
    let input = puzzles(200);
    for engine in ["lanes", "bitmask"] {
        for (fault, lost) in [("panic=77", &[77][..]), ("once=77", &[])] {
            loses_only(&format!("check --minimal --engine {engine} -j2"), fault, &input, lost);
        }
    }
}

#[test]
fn a_panic_in_a_split_record_costs_only_that_record() {
    let many = format!("1234567894571893266891234577..{}\n", ".".repeat(51));
    let easy = "1234............\n".repeat(9);
    let input = format!("{easy}{many}{easy}");
    for threads in ["-j1", "-j4"] {
        loses_only(
            &format!("count --from line --side any --limit 60000 {threads}"),
            "panic=10",
            &input,
            &[10],
        );
    }
}

#[test]
fn an_internal_error_is_counted() {
    let ended = with_fault("solve --to jsonl --stats --engine lanes", "panic=7")
        .stdin(data("random-1000.txt"))
        .ends();
    let rows = objects(&ended.out);
    assert_eq!(rows.len(), 1000);
    assert_eq!(rows[6]["status"], "internal");
    assert_eq!(rows.iter().filter(|row| row["status"] == "internal").count(), 1);
    assert!(ended.err.contains("internal 1"), "{}", ended.err);
}

/// Waits for the end of the program and returns it; panics if it takes too long.
fn ends_in_time(what: &str, mut child: Child) -> Ended {
    let mut err = child.stderr.take().expect("it is piped");
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).map(|_| text)
    });
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        if began.elapsed() > Duration::from_secs(240) {
            let _ = child.kill();
            panic!("{what}: the run hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let err = reading.join().expect("reading does not panic").expect("it is text");
    Ended { code: status.code(), out: String::new(), err }
}

#[test]
fn no_thread_waits_for_one_that_panicked() {
    for place in ["read", "cut", "work", "answered", "rows"] {
        for time in [1, 2, 9] {
            for options in ["-j1", "-j2", "-j4", "-j2 --unordered", "-j3 --memory 64M"] {
                let input = "data/random-1000.txt data/random-1000.txt";
                let words = format!("solve {input} {options} --chunk-bytes 1k --window 1k");
                let mut run = with_fault(&words, &format!("break={place}:{time}"));
                let streams = run.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
                let ended = ends_in_time(&words, streams.spawn().expect("the program starts"));
                if ended.code == Some(0) {
                    // The input has few chunks, and one thread takes several of them at a time.
                    assert!(time > 1, "{place}:{time} {words}: not reached");
                    continue;
                }
                let (error, fault) = (&ended.err, format!("panicked: a fault was asked for at {place}"));
                assert!(ended.code == Some(1) && error.contains(&fault), "{place}:{time} {words}: {ended:?}");
            }
        }
    }
}

#[test]
fn a_panic_of_a_thread_during_a_search_ends_the_run() {
    // Easy records arrive while a hard record is searched; threads of the search answer them.
    for options in ["-j1 --unordered", "-j2"] {
        let words = format!("count --no-node-limit {options} --from line --side any");
        let mut child = with_fault(&words, "break=side:1").starts();
        let mut pipe = child.stdin.take().expect("it is piped");
        let feeding = std::thread::spawn(move || {
            let easy = (super::POJ.to_owned() + "\n").repeat(20);
            let mut lines = ".".repeat(256) + "\n";
            while pipe.write_all(lines.as_bytes()).is_ok() {
                std::thread::sleep(Duration::from_millis(50));
                lines.clone_from(&easy);
            }
        });
        let ended = ends_in_time(&words, child);
        feeding.join().expect("writing does not panic");
        let fault = "a worker panicked: a fault was asked for at side";
        assert!(ended.code == Some(1) && ended.err.contains(fault), "{words}: {ended:?}");
    }
}
