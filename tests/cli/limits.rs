//! Runs stopped early: by nodes, time, a deadline or a signal.

use super::{EMPTY_9X9, POJ, POJ_SOLVED, Run, objects, quadrille};

#[test]
fn a_node_limit_ends_a_search() {
    let input = format!("{EMPTY_9X9}{POJ}\n");
    for threads in ["-j1", "-j2"] {
        let text = quadrille("count --node-limit 1000").args(threads).stdin(input.clone()).prints();
        let lines: Vec<&str> = text.lines().collect();
        let found = lines[0].strip_prefix(">=").and_then(|rest| rest.strip_suffix("\tnodes"));
        assert!(found.is_some_and(|count| count.parse::<u64>().is_ok()), "{text}");
        assert_eq!(lines[1], "1");
    }
    let row = &objects(&quadrille("count --node-limit 1000 --to jsonl").stdin(EMPTY_9X9).prints())[0];
    assert_eq!((row["status"].as_str(), row["ended_by"].as_str()), (Some("counted"), Some("nodes")));
    assert!(row["count"].is_null() && row["min_count"].is_u64(), "{row}");
}

#[test]
fn a_search_that_found_nothing_is_unknown() {
    for engine in ["dlx", "bitmask", "lanes"] {
        let run = quadrille("solve --node-limit 1 --engine").arg(engine).stdin(EMPTY_9X9);
        assert_eq!(run.prints(), "unknown\tnodes\n", "{engine}");
    }
    let unsettled = quadrille("solve --unique --node-limit 82 --engine dlx --fields status,ended_by");
    assert_eq!(unsettled.stdin(EMPTY_9X9).prints(), "solved\tnodes\n");
}

#[test]
fn records_that_hit_the_limit_are_named() {
    let input = format!("{POJ}\n{EMPTY_9X9}{POJ}\n{EMPTY_9X9}");
    let ended = quadrille("count --node-limit 500 --stats").stdin(input).ends();
    assert!(ended.err.contains("nodes 2 (records 2, 4)"), "{}", ended.err);
}

#[test]
fn a_limit_does_not_affect_easy_records() {
    let text = quadrille("solve --no-node-limit").stdin(POJ).prints();
    assert_eq!(text, format!("{POJ_SOLVED}\n"));
    let text = quadrille("solve --time-limit 10m --node-limit 100000").stdin(POJ).prints();
    assert_eq!(text, format!("{POJ_SOLVED}\n"));
}

#[test]
fn a_time_limit_ends_a_search_and_the_run_goes_on() {
    for threads in ["-j1", "-j2"] {
        let input = format!("{EMPTY_9X9}{POJ}\n");
        let ended = quadrille("count --engine dlx --time-limit 500ms").args(threads).stdin(input).ends();
        let lines: Vec<&str> = ended.out.lines().collect();
        assert_eq!((ended.code, lines.len(), lines[1]), (Some(0), 2, "1"), "{}", ended.out);
        assert!(lines[0].starts_with(">=") && lines[0].ends_with("\ttime"), "{}", lines[0]);
    }
}

#[test]
fn a_record_size_above_2_gib_is_refused() {
    for size in ["2147483649", "4G", "5G", "1T"] {
        for verb in ["solve", "count", "check", "dedup", "convert --to csv"] {
            let ended = quadrille(verb).args(&format!("--max-record-bytes {size}")).stdin(POJ).ends();
            assert_eq!(ended.code, Some(2), "{verb} {size}: {}", ended.err);
            assert!(ended.err.contains("maximum: 2147483648"), "{verb} {size}: {}", ended.err);
            assert!(ended.out.is_empty(), "{verb} {size}: {}", ended.out);
        }
    }
    let largest = quadrille("solve --max-record-bytes 2G --chunk-bytes 9G").stdin(POJ);
    assert_eq!(largest.prints(), format!("{POJ_SOLVED}\n"));
}

#[test]
#[ignore = "4 GiB through a pipe take a minute"]
fn an_id_of_more_than_4_gib_is_refused() {
    use std::io::Write;
    let mut child = quadrille("solve --echo-id -").starts();
    let mut pipe = child.stdin.take().expect("it is piped");
    let feed = std::thread::spawn(move || {
        let block = vec![b'a'; 1 << 20];
        let mut left = (1_usize << 32) + 103;
        write!(pipe, "{POJ} ").expect("it reads");
        while left > 0 {
            let length = left.min(block.len());
            pipe.write_all(&block[..length]).expect("it reads");
            left -= length;
        }
        writeln!(pipe, "\n{POJ} b").expect("it reads");
    });
    let output = child.wait_with_output().expect("it ends");
    feed.join().expect("all is written");
    let rows = String::from_utf8_lossy(&output.stdout);
    assert_eq!(rows, format!("\tinvalid\ta record of more than 16777216 bytes\nb\t{POJ_SOLVED}\n"));
}

#[test]
fn a_very_large_time_limit_is_no_limit() {
    for verb in ["solve", "count", "check", "canon -F status", "dedup -q"] {
        let run = quadrille(verb).args("--time-limit 9223372036854775807").stdin(POJ).ends();
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{verb}: {}", run.out);
        assert!(!run.out.contains("internal"), "{verb}: {}", run.out);
    }
}

#[test]
fn the_deadline_ends_the_run() {
    for threads in ["-j1", "-j2"] {
        let input = format!("{POJ}\n{EMPTY_9X9}{POJ}\n");
        let ended = quadrille("count --deadline 200ms").args(threads).stdin(input).ends();
        assert_eq!(ended.code, Some(4), "{threads}: {}", ended.err);
        assert!(ended.err.contains("deadline"), "{}", ended.err);
        let lines: Vec<&str> = ended.out.lines().collect();
        // On a busy machine, the deadline may pass before the first answer.
        assert!(lines.first().is_none_or(|line| *line == "1"), "what was known is written: {}", ended.out);
        assert!(lines.get(1).is_none_or(|line| line.ends_with("\tdeadline")), "{}", ended.out);
    }
}

#[test]
fn the_deadline_ends_a_run_with_one_record() {
    let ended = quadrille("count --deadline 200ms").stdin(EMPTY_9X9).ends();
    assert_eq!(ended.code, Some(4), "{} {}", ended.out, ended.err);
}

/// The first check of the clock in a search of a large grid comes after milliseconds, so records that begin after the
/// deadline would take 9 s in a build that is not optimised.
#[test]
fn no_record_of_a_chunk_begins_after_the_deadline() {
    let input = format!("{}\n", ".".repeat(625)).repeat(400);
    for words in ["solve -j1", "check -j1"] {
        let begin = std::time::Instant::now();
        let run = quadrille(words).args("--from line --side any --deadline 300ms");
        let ended = run.stdin(input.clone()).ends();
        assert_eq!(ended.code, Some(4), "{words}: {}", ended.err);
        assert!(begin.elapsed().as_secs() < 6, "{words}: {:?}", begin.elapsed());
    }
}

/// Returns the engine that answered, read from the statistics of a run over one problem.
fn engine_of(run: Run) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("stats.json");
    run.arg("--stats-out").arg(&file).prints();
    let text = std::fs::read_to_string(&file).expect("written");
    let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    statistics["engines"][0]["engine"].as_str().expect("one engine").to_owned()
}

#[test]
fn searches_that_need_more_memory_are_not_started() {
    let squares = |order: u32| quadrille("generate latin").args(&order.to_string()).prints();
    let (small, large) = (squares(12), squares(30));
    let count =
        |words: &str| quadrille("count --limit 2 --node-limit 20000").args(words).stdin(small.clone());
    assert_eq!(count("--memory 64M").prints(), ">=2\n");
    assert_eq!(engine_of(count("--memory 64M")), "bitset");
    // Tables of bit sets are larger than linked lists: only the lists fit into a quarter of 8M.
    assert_eq!(count("--memory 8M").prints(), ">=2\n");
    assert_eq!(engine_of(count("--memory 8M")), "dlx");
    assert_eq!(count("--memory 8M --engine bitset").prints(), ">=0\tmemory\n");
    for words in ["-j1", "-j2", "--engine dlx"] {
        let count = quadrille("count --memory 8M").args(words).stdin(large.clone());
        assert_eq!(count.prints(), ">=0\tmemory\n");
    }
    let solve = quadrille("solve --memory 8M --fields status,ended_by").stdin(large.clone());
    assert_eq!(solve.prints(), "unknown\tmemory\n");
    let mixed = format!("{POJ}\n1{}\n{POJ}\n", ".".repeat(35 * 35 - 1));
    let links = quadrille("solve --side any --memory 8M --engine dlx").stdin(mixed);
    assert_eq!(links.prints(), format!("{POJ_SOLVED}\nunknown\tmemory\n{POJ_SOLVED}\n"));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long: for optimised builds")]
fn a_search_takes_over_if_the_counter_has_no_memory() {
    // The counter has room for 45,000 states and would need far more.
    let tiles = quadrille("generate pentominoes 6x10").prints();
    let count = |words: &str| quadrille("count --memory 9M -j1").args(words).stdin(tiles.clone()).prints();
    assert_eq!(count("--engine memo --fields min_count,ended_by"), "0\tmemory\n");
    assert_eq!(count("--fields count,engine"), "9356\tbitset\n");
}

/// Sends a signal, named without `SIG`, to a run.
#[cfg(unix)]
pub(super) fn signal(child: &std::process::Child, name: &str) {
    let mut kill = std::process::Command::new("kill");
    let status = kill.arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(status.is_ok_and(|status| status.success()));
}

#[cfg(unix)]
mod signals {
    use std::fs;
    use std::io::{BufRead, BufReader, Write};
    use std::process::Child;

    use super::super::wait_for;
    use super::*;

    /// Starts a run with an open input and feeds one line until its row arrives. Returns the process and its
    /// pipes.
    fn started(words: &str) -> (Child, impl Write, impl BufRead) {
        let mut child = quadrille(words).starts();
        let mut to = child.stdin.take().expect("it is piped");
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        writeln!(to, "{POJ}").expect("the program reads");
        (child, to, from)
    }

    #[test]
    fn an_interrupt_ends_a_run_while_the_input_stalls() {
        for (name, code) in [("INT", 130), ("TERM", 143)] {
            let (child, to, mut from) = started("solve --from line");
            let mut answer = String::new();
            from.read_line(&mut answer).expect("the program writes");
            assert_eq!(answer.trim_end(), POJ_SOLVED);
            signal(&child, name);
            let output = child.wait_with_output().expect("the program ends");
            drop(to);
            assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }

    #[test]
    fn an_estimate_does_not_wait_for_input() {
        for (name, code) in [("INT", 130), ("TERM", 143)] {
            let (child, to, mut from) = started("estimate --from line --probes 3");
            let mut answer = String::new();
            from.read_line(&mut answer).expect("the program writes");
            assert!(answer.starts_with("solutions"), "{answer}");
            signal(&child, name);
            let output = child.wait_with_output().expect("the program ends");
            drop(to);
            assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let (child, to, _from) = started("estimate --from line --probes 3 --deadline 0.3s");
        let output = child.wait_with_output().expect("the program ends");
        drop(to);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("stopped (deadline) while reading, after record 1"), "{said}");
    }

    #[test]
    fn the_deadline_ends_reading_the_problem_of_cubes() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cubes = directory.path().join("cubes");
        std::fs::write(&cubes, "").expect("written");
        for verb in ["count", "best", "solve --all"] {
            // The input does not end.
            let words = format!("{verb} --from dlx --deadline 0.3s --cubes {}", cubes.display());
            let (child, to, _from) = started(&words);
            let output = child.wait_with_output().expect("the program ends");
            drop(to);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(4), "{verb}: {said}");
            assert!(said.contains("stopped (deadline) while reading the problem"), "{verb}: {said}");
        }
    }

    /// Returns a cover of 400 items in which each branching has hundreds of children.
    ///
    /// A search that creates all children takes minutes to descend once.
    fn large_cover() -> String {
        let mut text = "| large\n".to_owned();
        (0..400).for_each(|item| text += &format!("i{item} "));
        let mut state = 1u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        for _ in 0..40_000 {
            let mut items: Vec<u64> = (0..2 + below(4)).map(|_| below(400)).collect();
            items.sort_unstable();
            items.dedup();
            text.push('\n');
            items.iter().for_each(|item| text += &format!("i{item} "));
        }
        text + "\n"
    }

    #[test]
    fn a_large_cover_is_estimated_before_the_deadline() {
        let began = std::time::Instant::now();
        let ended =
            quadrille("estimate --probes 100000000 --deadline 3s -j2").stdin(large_cover()).ends_with(4);
        assert!(began.elapsed() < std::time::Duration::from_secs(30));
        assert!(ended.out.contains(" probes of "), "{ended:?}");
        let ended = quadrille("estimate --deadline 0.01s").stdin(large_cover()).ends_with(4);
        assert!(ended.err.starts_with("quadrille: stopped (deadline)"), "{ended:?}");
    }

    #[test]
    fn a_signal_ends_a_cut_without_cubes() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (problem, cubes) = (directory.path().join("problem"), directory.path().join("cubes"));
        fs::write(&problem, large_cover()).expect("written");
        for (name, code) in [("INT", 130), ("TERM", 143)] {
            let mut run =
                quadrille("split-problem --target 100000 --progress always -o").arg(&cubes).arg(&problem);
            let mut child = run.starts();
            // The progress line appears once the problem is read.
            let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
            let mut line = String::new();
            said.read_line(&mut line).expect("the program writes");
            assert!(line.contains(" cubes"), "{line}");
            std::thread::sleep(std::time::Duration::from_millis(300));
            let began = std::time::Instant::now();
            signal(&child, name);
            let output = child.wait_with_output().expect("the program ends");
            assert!(began.elapsed() < std::time::Duration::from_secs(20));
            assert_eq!(output.status.code(), Some(code));
            assert!(!cubes.exists() && output.stdout.is_empty());
        }
    }

    #[test]
    fn an_interrupt_in_a_search_leaves_a_valid_prefix() {
        for threads in ["-j1", "-j2"] {
            let words = format!("count --no-node-limit --from line {threads}");
            let (child, mut to, mut from) = started(&words);
            let mut answers = String::new();
            from.read_line(&mut answers).expect("the program writes");
            assert_eq!(answers, "1\n");
            write!(to, "{EMPTY_9X9}").expect("the program reads");
            std::thread::sleep(std::time::Duration::from_millis(300));
            signal(&child, "INT");
            let output = child.wait_with_output().expect("the program ends");
            drop(to);
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(130), "{threads}: {error}");
            assert!(error.contains("stopped"), "{threads}: {error}");
        }
    }

    #[test]
    fn an_interrupt_leaves_no_row_after_the_interrupted_one() {
        let easy = format!("{POJ}\n").repeat(300);
        let input = [&*easy, EMPTY_9X9, &easy, EMPTY_9X9, &easy].concat();
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("out.txt");
        let partial = directory.path().join("out.txt.partial");
        for (order, threads) in [("", "-j1"), ("", "-j2"), ("--unordered", "-j1"), ("--unordered", "-j2")] {
            let words = format!(
                "count --no-node-limit --engine dlx --chunk-bytes 4k --discard-partial --fields index,count,ended_by \
                 {order} {threads} -o"
            );
            // A partial file of the previous run must not be mistaken for a partial file of this run.
            let _ = fs::remove_file(&partial);
            let mut child = quadrille(&words).arg(&file).starts();
            child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("the program reads");
            let rows = || fs::read_to_string(&partial).unwrap_or_default();
            let before = if order.is_empty() { 250 } else { 800 };
            wait_for("rows", || rows().lines().count() >= before);
            std::thread::sleep(std::time::Duration::from_millis(100));
            signal(&child, "INT");
            assert_eq!(child.wait_with_output().expect("the program ends").status.code(), Some(130));
            let rows = rows();
            let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split('\t').collect()).collect();
            let case = format!("{order} {threads}: {:?}", rows.last());
            let ended = rows.iter().position(|row| row[2] == "cancel");
            assert!(ended.is_none_or(|place| place + 1 == rows.len()), "{case}");
            assert!(rows.iter().all(|row| row[2] == "cancel" || row[1] == "1"), "{case}");
            if order.is_empty() {
                let indices = rows.iter().map(|row| row[0].parse::<usize>().expect("a number"));
                assert!(indices.eq(1..=rows.len()), "{case}");
                assert!(matches!(rows.len(), 300 | 301), "{case}");
            }
        }
    }

    #[test]
    fn an_interrupted_file_keeps_its_partial_name() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("out.txt");
        let mut child = quadrille("solve --all --no-node-limit -o").arg(&file).starts();
        let mut to = child.stdin.take().expect("it is piped");
        write!(to, "{EMPTY_9X9}").expect("the program reads");
        drop(to);
        let partial = directory.path().join("out.txt.partial");
        wait_for("output", || fs::metadata(&partial).is_ok_and(|about| about.len() > 0));
        signal(&child, "INT");
        let output = child.wait_with_output().expect("the program ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{error}");
        assert!(error.contains("out.txt.partial"), "{error}");
        assert!(!file.exists());
        let text = fs::read_to_string(&partial).expect("kept");
        assert!(text.ends_with('\n'));
        let whole = |line: &str| line.len() == 81 || line.ends_with("\tcancel");
        assert!(text.lines().all(whole), "every row is whole");
    }
}
