//! Absurd input: endless lines, files of other kinds, huge numbers.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Command;

use super::resume::{Case, Way};
use super::{POJ, POJ_SOLVED, data, peak_memory, quadrille, wait_for};

/// Feeds a run with `pieces` and reads `rows` rows while its input is still open.
///
/// Returns the rows and the run's peak memory in bytes.
fn fed(words: &str, pieces: impl Iterator<Item = Vec<u8>> + Send, rows: usize) -> (Vec<String>, Option<u64>) {
    let mut child = quadrille(words).starts();
    let mut to = child.stdin.take().expect("it is piped");
    let from = BufReader::new(child.stdout.take().expect("it is piped"));
    let (rows, memory) = std::thread::scope(|scope| {
        let feeding = scope.spawn(move || {
            pieces.into_iter().for_each(|piece| to.write_all(&piece).expect("the program reads"));
            to
        });
        let rows: Vec<String> = from.lines().take(rows).map(|row| row.expect("text")).collect();
        let to = feeding.join().expect("nothing goes wrong");
        let memory = peak_memory(&child);
        drop(to);
        (rows, memory)
    });
    assert!(child.wait().expect("the program ends").success());
    (rows, memory)
}

fn is_below(memory: Option<u64>, megabytes: u64) {
    assert!(memory.is_none_or(|bytes| bytes < megabytes << 20), "{memory:?} bytes");
}

fn line(text: &str) -> Vec<u8> {
    format!("{text}\n").into_bytes()
}

#[test]
fn a_line_of_100_megabytes_is_invalid_and_takes_no_more_memory_than_a_record_may() {
    for word in ["77", "7 "] {
        let long = (0..100).map(|_| word.repeat(1 << 19).into_bytes());
        let pieces = [line(POJ)].into_iter().chain(long).chain([line(""), line(POJ)]);
        let (rows, memory) = fed("solve --from line -j2", pieces, 3);
        assert_eq!((rows[0].as_str(), rows[2].as_str()), (POJ_SOLVED, POJ_SOLVED));
        assert!(rows[1].starts_with("invalid\t"), "{}", rows[1]);
        is_below(memory, 100);
    }
}

#[test]
fn millions_of_empty_lines_are_no_records() {
    let pieces = (0..50).map(|_| vec![b'\n'; 100_000]).chain([line(POJ)]);
    let (rows, memory) = fed("solve --from line -j2 --fields line,status", pieces, 1);
    assert_eq!(rows, ["5000001\tsolved"]);
    is_below(memory, 60);
}

#[test]
#[cfg_attr(
    not(target_os = "linux"),
    ignore = "the system does not say how much memory a running program has had"
)]
fn memory_does_not_grow_with_the_input() {
    let puzzles = data("random-1000.txt").into_bytes();
    for words in ["solve -j1", "solve -j2"] {
        let peak = |thousands: usize| {
            // Rows that wait for their reader are limited as well, but the default limit exceeds this test's
            // output.
            let words = format!("{words} --window 1M");
            let (rows, memory) = fed(&words, (0..thousands).map(|_| puzzles.clone()), 1000 * thousands);
            assert_eq!(rows.len(), 1000 * thousands);
            memory.expect("Linux says it")
        };
        let (few, many) = (peak(30), peak(430));
        // The two runs differ by 32 MB of input and as much output.
        assert!(many < few + (20 << 20), "{words}: {few} bytes for 30,000 records, {many} for 430,000");
    }
}

#[test]
fn a_problem_may_have_a_million_items() {
    let items = 1_000_000;
    let mut text: String = (0..items).map(|item| format!("i{item} ")).collect();
    for first in (0..items).step_by(1000) {
        text.push('\n');
        (first..first + 1000).for_each(|item| text.push_str(&format!("i{item} ")));
    }
    assert_eq!(quadrille("count --from dlx").stdin(text.clone()).prints(), "1\n");
    let refused = quadrille("count --from dlx --memory 256M").stdin(text);
    assert_eq!(refused.prints(), ">=0\tmemory\n", "links take more");
}

#[test]
fn a_side_of_37_is_refused() {
    let text = format!("{POJ}\n1{}\n{POJ}\n", ".".repeat(37 * 37 - 1));
    let rows = quadrille("solve").stdin(text).prints();
    assert_eq!(
        rows,
        format!("{POJ_SOLVED}\ninvalid\t1369 characters: no grid has this many cells\n{POJ_SOLVED}\n")
    );
    for words in ["solve --side 37", "solve --box 37x1", "solve --side 0", "solve --box 1x9"] {
        assert!(quadrille(words).fails(2).contains("at least 2"), "{words}");
    }
}

#[test]
fn a_table_may_change_its_columns_and_nest_its_quotes() {
    let rows = quadrille("solve data/malformed/columns-change.csv").prints();
    let reasons: Vec<&str> = rows.lines().filter(|row| row.starts_with("invalid")).collect();
    let said = ["invalid\t3 columns, but the header has 2", "invalid\t1 column, but the header has 2"];
    assert_eq!((reasons.as_slice(), rows.lines().count()), (said.as_slice(), 4));
    let open = quadrille("solve data/malformed/open-quote.csv").prints();
    assert!(open.contains("invalid\ta quoted field is not closed\n") && open.lines().count() == 3, "{open}");
    let id = "\"a \"\"b, \"\"c\"\" d\"\",\"";
    let nested = quadrille("solve --to csv").stdin(format!("id,puzzle\n{id},{POJ}\n")).prints();
    let row = nested.lines().nth(1).expect("a row");
    assert_eq!(row, format!("{id},{POJ},solved,{POJ_SOLVED},,limit"));
}

#[test]
fn a_fifo_is_read_like_a_file() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fifo = directory.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()));
    let writer = fifo.clone();
    let writing =
        std::thread::spawn(move || fs::write(writer, data("random-1000.txt")).expect("somebody reads"));
    let rows = quadrille("solve").arg(&fifo).prints();
    writing.join().expect("written");
    assert_eq!(rows, quadrille("solve data/random-1000.txt").prints());
}

#[test]
fn grids_of_the_largest_sides_may_contradict_themselves() {
    // The last cell of the first row can only hold 0 (of the digits 0-9A-Z), which its column already has.
    let digits: String = ('1'..='9').chain('A'..='Z').collect();
    let mut cells = digits + &".".repeat(36 * 36 - 35);
    cells.replace_range(36 * 20 + 35..36 * 20 + 36, "0");
    let text = format!("{POJ}\n{cells}\n{POJ}\n");
    let run = quadrille("solve --side any --symbols 0-9A-Z --blank . --from line --fields status,solution");
    assert_eq!(run.stdin(text).prints(), format!("solved\t{POJ_SOLVED}\nnone\t\nsolved\t{POJ_SOLVED}\n"));
}

#[test]
fn shards_add_up_also_where_one_was_killed_and_resumed() {
    let corpus = data("random-1000.txt");
    let (first, second) = corpus.split_at(82 * 400);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| directory.path().join(name);
    let run = |input: &str, name: &str| {
        quadrille("solve --unique -q").arg("--stats-out").arg(path(name)).stdin(input).prints();
    };
    run(first, "first");
    run(&corpus, "whole");
    // The run is killed half-way; the next run gets standard input from the start.
    let words = "solve --unique --from line --chunk-bytes 500 --index-offset 400";
    let case = Case::new(Way::Pipe, words, second.to_owned());
    case.clear();
    let mut child = quadrille(&case.resumed()).starts();
    let mut to = child.stdin.take().expect("it is piped");
    // The input comes in two parts, because a checkpoint is only written together with rows, and only after
    // its interval.
    for part in [0..82 * 300, 82 * 300..82 * 590] {
        to.write_all(&second.as_bytes()[part]).expect("the program reads");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    wait_for("a checkpoint behind a record", || {
        super::resume::position(&case).is_some_and(|bytes| bytes > 0)
    });
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    case.goes_on();
    let merged = quadrille("stats --json").arg(path("first")).arg(case.path("stats")).prints();
    let sum: serde_json::Value = serde_json::from_str(&merged).expect("JSON");
    let whole = fs::read_to_string(path("whole")).expect("written");
    let whole: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    for part in ["checksum", "status", "clues", "guesses", "nodes", "ended_by"] {
        assert_eq!(sum[part], whole[part], "{part}");
    }
    assert_eq!(sum["records"]["in"], 1000);
}

#[test]
fn a_cover_that_decompresses_without_end_is_an_error() {
    for (megabytes, option, said) in [(30, "--memory 20M", "1310720"), (260, "", "268435456")] {
        let line = format!("head -c {megabytes}M /dev/zero | gzip -1 | \"$Q\" solve --from dlx {option}");
        let mut command = Command::new("sh");
        let output = command.arg("-c").arg(line).env("Q", env!("CARGO_BIN_EXE_quadrille")).output();
        let output = output.expect("there is a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(said) && error.contains("--memory"), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_refuses_is_an_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("big.dlx");
    fs::write(&file, "a b\n".to_owned() + &"a b\n".repeat(15_000_000)).expect("written");
    // 60 MB of text: the limit leaves room for threads and stacks, but not for the text or its problem.
    let line = "ulimit -v 130000; MALLOC_ARENA_MAX=1 \"$Q\" count --from dlx -j1 -q \"$F\"";
    let mut command = Command::new("sh");
    let command = command.arg("-c").arg(line).env("Q", env!("CARGO_BIN_EXE_quadrille")).env("F", &file);
    let output = command.output().expect("there is a shell");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let is_told = matches!(output.status.code(), Some(1 | 6)) && said.contains("out of memory");
    assert!(is_told, "{:?} {said}", output.status);
}
