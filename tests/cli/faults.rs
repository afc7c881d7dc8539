//! What goes wrong on purpose: `cargo test --features faults --test cli faults`.
//!
//! The program ends at places where a kill would have to be very lucky to hit, and engines break down.

use super::resume::{Case, Way, corpus};
use super::{Run, data, objects, quadrille};

/// Every place between a row and the end of a run, in the order a run comes to them.
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
fn a_run_goes_on_from_wherever_it_ended() {
    for (way, words) in [
        (Way::File, "solve --unique --output csv"),
        (Way::Gzip, "solve --limit 3 -j1"),
        (Way::Pipe, "count --limit 9 --output jsonl -j4"),
    ] {
        let case = Case::new(way, words, corpus(4));
        for place in PLACES {
            for time in [1, 2, 7] {
                case.clear();
                let fault = format!("abort={place}:{time}");
                let output = case.start_with(with_fault(&case.resumed(), &fault)).wait_with_output();
                let status = output.expect("it ends").status;
                if status.success() {
                    // So often it does not come there.
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
fn several_ends_after_each_other() {
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

/// The lines of an output, of which those of `lost` are an internal error that shows the puzzle.
fn loses_only(words: &str, fault: &str, input: &str, lost: &[usize]) {
    let good = quadrille(words).stdin(input).prints();
    let ended = with_fault(words, fault).stdin(input).ends();
    let (rows, expected): (Vec<&str>, Vec<&str>) = (ended.out.lines().collect(), good.lines().collect());
    assert_eq!(rows.len(), expected.len(), "{words}");
    for (number, (row, expected)) in rows.iter().zip(&expected).enumerate() {
        if lost.contains(&(number + 1)) {
            let puzzle = input.lines().nth(number).expect("a record a line");
            assert!(
                row.starts_with("internal\tthe engine broke down: a fault was asked for"),
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
        assert!(ended.err.contains("1 records met an internal error"), "{}", ended.err);
    }
}

#[test]
fn an_engine_that_breaks_down_costs_one_record() {
    let input = data("random-1000.txt");
    for engine in ["lanes", "bitmask", "dlx"] {
        for (threads, record) in [("-j1", 1), ("-j2", 500), ("-j4", 1000)] {
            let words = format!("solve --unique --engine {engine} {threads}");
            loses_only(&words, &format!("panic={record}"), &input, &[record]);
        }
    }
}

#[test]
fn a_record_that_breaks_an_engine_only_once_is_not_lost() {
    let input = data("random-1000.txt");
    for engine in ["lanes", "bitmask"] {
        loses_only(&format!("solve --unique --engine {engine} -j2"), "once=321", &input, &[]);
        loses_only(&format!("solve --limit 3 --engine {engine} -j2"), "once=321", &input, &[]);
    }
}

#[test]
fn the_clues_of_a_record_are_tried_again_too() {
    let input = data("random-1000.txt");
    for engine in ["lanes", "bitmask"] {
        for (fault, lost) in [("panic=77", &[77][..]), ("once=77", &[])] {
            loses_only(&format!("check --minimal --engine {engine} -j2"), fault, &input, lost);
        }
    }
}

#[test]
fn a_split_record_that_breaks_its_engine_is_the_only_one_lost() {
    let many = format!("1234567894571893266891234577..{}\n", ".".repeat(51));
    let easy = "1234............\n".repeat(9);
    let input = format!("{easy}{many}{easy}");
    for threads in ["-j1", "-j4"] {
        loses_only(&format!("count --format line --limit 60000 {threads}"), "panic=10", &input, &[10]);
    }
}

#[test]
fn an_internal_error_is_accounted_for() {
    let ended = with_fault("solve --output jsonl --stats --engine lanes", "panic=7")
        .stdin(data("random-1000.txt"))
        .ends();
    let rows = objects(&ended.out);
    assert_eq!(rows.len(), 1000);
    assert_eq!(rows[6]["status"], "internal");
    assert_eq!(rows.iter().filter(|row| row["status"] == "internal").count(), 1);
    assert!(ended.err.contains("internal 1"), "{}", ended.err);
}
