//! Statistics: the counts add up and do not depend on threads or chunks.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{POJ, Run, data, quadrille};

/// Runs a command and returns its statistics.
fn statistics(run: Run) -> Value {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("stats.json");
    let ended = run.arg("--stats-out").arg(&file).ends();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    read(&file)
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).expect("written")).expect("JSON")
}

#[test]
fn every_record_is_counted() {
    let input = data("random-1000.txt") + "bad\n" + &data("4x4.txt");
    let file = statistics(quadrille("solve --side any").stdin(input.clone()));
    let records = &file["records"];
    assert_eq!(
        (&records["in"], &records["answered"], &records["rejected"]),
        (&1021.into(), &1020.into(), &1.into())
    );
    assert_eq!(file["status"]["solved"], 1020);
    assert_eq!(file["status"]["invalid"], 1);
    assert_eq!(file["runs"][0]["options"][0], "solve");
    let clues: u64 = file["clues"].as_object().expect("a map").values().filter_map(Value::as_u64).sum();
    assert_eq!(clues, 1020);
    assert_eq!(file["hardest"]["records"].as_array().map(Vec::len), Some(10));
    assert!(file["clock"]["wall_ns"].as_u64().is_some_and(|time| time > 0));
}

/// Returns the options of the run as its statistics show them.
fn described(run: Run) -> Vec<String> {
    let file = statistics(run);
    serde_json::from_value(file["runs"][0]["options"].clone()).expect("a list of words")
}

#[test]
fn statistics_describe_the_run() {
    let words =
        "check --minimal --no-header --only wrong,multiple -j2 --top 3 --engine=dlx --node-limit 9000000000";
    let told = described(quadrille(words).stdin(POJ));
    let expected = "check --minimal --no-header --engine dlx --node-limit 9000000000 --only wrong,multiple";
    assert_eq!(told.join(" "), expected);
    assert_eq!(
        described(quadrille("solve --to text --limit 1 --no-node-limit").stdin(POJ)),
        ["solve", "--no-node-limit"]
    );
    assert_eq!(described(quadrille("best").stdin(POJ)), ["best"]);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let weights = directory.path().join("weights");
    fs::write(&weights, "1 ".repeat(81)).expect("written");
    let told = described(quadrille("best --minimize --limit 2 --weights").arg(&weights).stdin(POJ));
    assert_eq!(told[..5], ["best", "--minimize", "--limit", "2", "--weights"]);
    assert_eq!(told[5], format!("1{}", ",1".repeat(80)));
}

#[test]
fn words_of_a_run_are_arguments() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (weights, houses) = (directory.path().join("weights"), directory.path().join("houses"));
    fs::write(&weights, "-3 ".repeat(81)).expect("written");
    fs::write(&houses, ["x........"; 9].join("")).expect("written");
    let (weights, houses) = (weights.display(), houses.display());
    let part = directory.path().join("{}.txt");
    let part = part.display();
    for words in [
        "solve --unique --rules x,anti-knight,windoku,non-consecutive --from line --blank x --only unique"
            .to_owned(),
        format!("solve --houses {houses} --no-header --fields index,status"),
        format!("best --weights {weights}"),
        "rate --needs x-wing --without chains,loops --rating 3.2..5 --fields er".to_owned(),
        "check --minimal --where clues=20..,guesses=..3 --audit 1/3 --on-error skip".to_owned(),
        "canon --form solution --line-ends crlf".to_owned(),
        "dedup --by text --all --fields class".to_owned(),
        "augment --copies 2 --only digits,rows --distinct".to_owned(),
        format!("split-corpus --parts train=90,test=10 --seed 7 -o {part}"),
    ] {
        let told = described(quadrille(&words).stdin(POJ));
        let mut again = quadrille("");
        again.command.args(&told);
        if words.starts_with("split-corpus") {
            assert_eq!(told.join(" "), "split-corpus --parts train=90,test=10 --seed 7");
            again = again.arg("-o").arg(part.to_string());
        }
        assert_eq!(described(again.stdin(POJ)), told, "{words}");
    }
}

#[test]
fn an_audit_says_what_it_did() {
    let run = |words: &str| {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("stats.json");
        let input = data("random-1000.txt") + &data("multiple-3000.txt");
        let ended =
            quadrille(words).args("--stats --stats-out").arg(&file).stdin(input + "bad\n").ends_with(0);
        (ended.err, read(&file), quadrille("stats").arg(&file).prints())
    };
    let (said, file, shown) = run("solve --unique --audit 1/10 -j2 --chunk-bytes 4k");
    let line = "audited   400 by dlx, all agree\n";
    assert!(said.contains(line) && shown.contains(line), "{said}");
    assert!(shown.contains("  audited             400 by dlx, all agree\n"), "{shown}");
    assert_eq!(file["audited"], serde_json::json!({"dlx": {"records": 400, "disagreed": 0}}));
    let (said, file, _) = run("count --limit 3 --engine dlx --audit 1");
    assert!(said.contains("audited   4,000 by bitmask, all agree\n"), "{said}");
    assert_eq!(file["audited"]["bitmask"]["records"], 4000);
    let (said, file, _) = run("solve --unique");
    assert!(!said.contains("audited") && file.get("audited").is_none());
}

#[test]
fn an_input_may_have_the_name_of_an_engine() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("dlx"), POJ).expect("written");
    let mut run = quadrille("solve dlx --engine dlx");
    run.command.current_dir(directory.path());
    assert_eq!(described(run), ["solve", "--engine", "dlx"]);
}

/// File names are bytes on Unix; they need not be UTF-8.
#[cfg(unix)]
#[test]
fn names_of_files_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;

    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &[u8]| directory.path().join(std::ffi::OsStr::from_bytes(name));
    let names = [b"in\xff", b"ou\xff", b"st\xff", b"ck\xff", b"rj\xff"].map(|name| path(name));
    let [input, output, stats, checkpoint, rejects] = &names;
    fs::write(input, format!("{POJ}\nbad\n")).expect("written");
    let run = quadrille("solve -q").arg(input).arg("-o").arg(output).arg("--stats-out").arg(stats);
    let run = run
        .arg("--checkpoint")
        .arg(checkpoint)
        .arg("--rejects")
        .arg(rejects)
        .args("--resume --fields source,status");
    assert_eq!(run.prints(), "");
    let rows = fs::read_to_string(output).expect("complete");
    assert!(rows.contains("\tsolved\n") && rows.contains("\tinvalid\n"), "{rows}");
    assert_eq!(read(stats)["runs"][0]["options"][0], "solve");
    assert!(rejects.exists() && !checkpoint.exists());
}

#[test]
fn bytes_and_rows_are_counted() {
    let input = data("random-1000.txt") + "bad\n";
    let file = statistics(quadrille("solve --side any --on-error skip").stdin(input.clone()));
    let records = &file["records"];
    assert_eq!(records["bytes_in"].as_u64(), Some(input.len() as u64));
    assert_eq!((&records["rows_out"], &records["bytes_out"]), (&1000.into(), &82_000.into()));
}

#[test]
fn the_checksum_depends_on_the_answers_only() {
    let run = |words: &str| statistics(quadrille("solve --unique data/random-1000.txt").args(words));
    let file = run("-j1");
    for words in ["-j2", "-j4 --chunk-bytes 200", "--engine dlx", "--engine bitmask", "--to csv"] {
        assert_eq!(run(words)["checksum"], file["checksum"], "{words}");
    }
    let other = statistics(quadrille("solve --unique data/kaggle-1000.csv"));
    assert_ne!(other["checksum"], file["checksum"]);
}

#[test]
fn statistics_except_the_clock_do_not_depend_on_threads() {
    let run = |words: &str| {
        let mut file = statistics(quadrille("count --limit 3 data/random-1000.txt").args(words));
        file.as_object_mut().expect("an object").remove("clock");
        file
    };
    assert_eq!(run("-j1"), run("-j2"));
}

#[test]
fn shards_add_up_to_the_whole() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| directory.path().join(name);
    let corpus = data("random-1000.txt");
    let (first, second) = corpus.split_at(82 * 400);
    let run = |input: &str, words: &str, name: &str| {
        let run =
            quadrille("solve -q --side any").args(words).arg("--stats-out").arg(path(name)).stdin(input);
        assert_eq!(run.prints().len(), input.len());
        read(&path(name))
    };
    run(first, "", "a.json");
    run(second, "--index-offset 400", "b.json");
    let whole = run(&corpus, "", "whole.json");
    let merged = || quadrille("stats").arg(path("a.json")).arg(path("b.json"));
    let shown = merged().prints();
    assert!(shown.starts_with("records"), "{shown}");
    assert!(shown.contains("1,000") && shown.contains("solved 1,000"), "{shown}");
    let sum: Value = serde_json::from_str(&merged().args("--json").prints()).expect("JSON");
    for part in ["checksum", "status", "clues", "guesses", "nodes", "ended_by"] {
        assert_eq!(sum[part], whole[part], "{part}");
    }
    let hardest = |file: &Value| {
        let list = file["hardest"]["records"].as_array().expect("a list");
        list.iter().map(|record| record["index"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(hardest(&sum), hardest(&whole));
    assert_eq!(sum["records"]["in"], 1000);
    merged().arg("--out").arg(path("sum.json")).prints();
    assert_eq!(read(&path("sum.json")), sum);
}

#[test]
fn one_file_is_shown_and_others_are_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("no.json");
    fs::write(&file, "{}").expect("written");
    let error = quadrille("stats").arg(&file).fails(1);
    assert!(error.contains("no.json") && error.contains("not a statistics file"), "{error}");
    assert!(quadrille("stats nowhere.json").fails(1).contains("nowhere.json"));
    quadrille("stats").fails(2);
}

#[test]
fn a_summary_is_printed_to_standard_error_if_asked_for() {
    let ended = quadrille("solve --stats data/published.txt").ends();
    assert_eq!(ended.out.lines().count(), 13);
    for part in [
        "records   13",
        "solved 13",
        "clues     17 to 32",
        "guesses",
        "nodes",
        "engine",
        "hardest",
        "checksum",
    ] {
        assert!(ended.err.contains(part), "{part}: {}", ended.err);
    }
    assert_eq!(quadrille("solve -q --stats data/published.txt").ends().err, "");
}

#[test]
fn the_hardest_records_are_listed() {
    let file = statistics(quadrille("solve --unique --top 3 --engine dlx data/published.txt"));
    let hardest = file["hardest"]["records"].as_array().expect("a list").clone();
    assert_eq!(hardest.len(), 3);
    let guesses: Vec<u64> = hardest.iter().filter_map(|record| record["guesses"].as_u64()).collect();
    assert!(guesses.windows(2).all(|pair| pair[0] >= pair[1]), "{guesses:?}");
}

#[test]
fn a_statistics_file_among_puzzles_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("run.json");
    quadrille("solve data/random-1000.txt -q -o")
        .arg(directory.path().join("out.txt"))
        .arg("--stats-out")
        .arg(&file)
        .ends_with(0);
    let ended = quadrille("solve").arg(&file).ends_with(6);
    assert!(ended.err.contains("a statistics file: quadrille stats FILE"), "{}", ended.err);
}

#[test]
fn the_words_of_a_run_are_a_command() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let (statistics, out) = (folder.path().join("run.json"), folder.path().join("x.csv"));
    for words in [
        "solve --unique -F index,status --to csv",
        "solve --limit 3 --to jsonl",
        "solve --where guesses=1.. --only unique,solved --audit 1/10",
        "solve --rules x -F index,status --time-limit 1.5s",
        "count --limit 2 --no-header --to csv --memory 1G --node-limit 500",
        "best --minimize",
        "check --minimal --on-error skip --max-rejects 5",
        "canon --form puzzle --echo-id",
        "rate --rating 2..3 --without chains --explain",
        "rate --scale guesses-mean --permutations 3 --seed 5",
        "convert --to csv --delimiter ; --on-error skip",
        "convert --to framed --bare",
        "augment -n 2 --seed 3 --only digits,rows --distinct",
        "dedup --all --by solution",
    ] {
        let run = |run: super::Run| run.arg("data/kaggle-1000.csv").arg("-j1").ends_with(0).out;
        let first = run(quadrille(words).arg("--stats-out").arg(&statistics));
        let text = std::fs::read_to_string(&statistics).expect("written");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let options = json["runs"][0]["options"].as_array().expect("words");
        let again = options.iter().fold(quadrille(""), |run, word| run.arg(word.as_str().expect("a word")));
        assert_eq!(run(again), first, "{words}: {options:?}");
    }
    // The name of the output is not among the words, and neither is what follows from it.
    quadrille("solve data/kaggle-1000.csv -o").arg(&out).arg("--stats-out").arg(&statistics).prints();
    let text = std::fs::read_to_string(&statistics).expect("written");
    assert!(text.contains("\"--to\"") && !text.contains("--delimiter"), "{text}");
    // The problem that was cut into cubes is among the words, and the file of cubes follows them.
    let (problem, cubes) = (folder.path().join("problem"), folder.path().join("cubes"));
    std::fs::write(&problem, ".".repeat(36)).expect("written");
    quadrille("split-problem --side 6 --target 8").arg(&problem).arg("-o").arg(&cubes).ends_with(0);
    let page = folder.path().join("cubes.md");
    let first = quadrille("count --side 6 -F id,count").arg(&problem).arg("--cubes").arg(&cubes);
    let first = first.arg("--report").arg(&page).prints();
    let page = std::fs::read_to_string(page).expect("written");
    let command = page.lines().find(|line| line.contains("--cubes")).expect("a command").to_owned();
    let (_, command) = command.split_once("quadrille ").expect("a command of quadrille");
    let command = command.split('`').next().expect("words").trim_end_matches(['|', ' ']);
    assert_eq!(quadrille(command).prints(), first, "{command}");
    // The command of a page is quoted for a shell.
    let page = quadrille("convert --to csv --delimiter ; data/kaggle-1000.csv --report")
        .arg(folder.path().join("x.md"));
    page.ends_with(0);
    let page = std::fs::read_to_string(folder.path().join("x.md")).expect("written");
    assert!(page.contains("--delimiter ';'") && page.contains("data/kaggle-1000.csv"), "{page}");
}
