//! `rate`: ratings on every scale, in every output, in statistics.

use std::fs;

use serde_json::Value;

use super::compare::Draw;
use super::{EMPTY_9X9, POJ, data, objects, quadrille};

/// Puzzles of `data/`, some that take guesses among them.
fn corpus() -> String {
    let lines = |name: &str, count: usize| data(name).lines().take(count).collect::<Vec<_>>().join("\n");
    format!("{}\n{}\n", lines("random-1000.txt", 150), lines("hard-300.txt", 20))
}

/// A corpus of good puzzles and all that has no rating.
fn mixture() -> String {
    let odd = format!("{EMPTY_9X9}no puzzle\n{}\n1234............\n", POJ.replacen("103", "113", 1));
    corpus().lines().enumerate().fold(String::new(), |text, (number, line)| {
        text + line + "\n" + if number % 40 == 7 { &odd } else { "" }
    })
}

#[test]
fn guesses_are_what_the_engine_counted() {
    let rated = quadrille("rate --scale guesses").stdin(corpus()).prints();
    let counted = quadrille("solve --unique --fields guesses").stdin(corpus()).prints();
    assert_eq!(rated, counted);
    assert!(rated.lines().any(|guesses| guesses != "0"));
    let rows =
        quadrille("rate --scale guesses --engine dlx --fields rating,scale,guesses").stdin(POJ).prints();
    assert_eq!(rows, "0\tguesses/dlx-1\t0\n");
}

#[test]
fn mean_guesses_are_the_same_under_arrangement() {
    let mut draw = Draw(3);
    let originals: Vec<String> =
        data("hard-300.txt").lines().take(12).map(|line| line[..81].to_owned()).collect();
    let images: Vec<String> = originals.iter().map(|puzzle| draw.isomorph(puzzle)).collect();
    let rated = |words: &str, puzzles: &[String]| {
        let run = quadrille("rate --scale guesses-mean --fields rating,rating_error").args(words);
        run.stdin(puzzles.join("\n")).prints()
    };
    let (here, there) = (rated("--permutations 30", &originals), rated("--permutations 30", &images));
    assert_eq!(here, there);
    assert_ne!(here, rated("--permutations 30 --seed 2", &originals));
    assert_ne!(here, rated("--permutations 31", &originals));
    assert!(here.lines().all(|line| line.split('\t').all(|number| number.parse::<f64>().is_ok())));
    // The guesses as they stand are another thing.
    let guesses = |puzzles: &[String]| quadrille("rate --scale guesses").stdin(puzzles.join("\n")).prints();
    assert_ne!(guesses(&originals), guesses(&images));
    // One arrangement has no error.
    assert!(rated("--permutations 1", &originals).lines().all(|line| line.ends_with('\t')));
}

#[test]
fn what_has_no_rating_is_answered_with_its_status() {
    let text = format!("{EMPTY_9X9}no puzzle\n{}\n{POJ} id\n", POJ.replacen("103", "113", 1));
    for scale in ["guesses", "guesses-mean"] {
        let rows = quadrille("rate --scale").arg(scale).stdin(&*text).prints();
        let rows: Vec<&str> = rows.lines().collect();
        assert_eq!(rows.len(), 4);
        assert!(rows[0] == "multiple" && rows[1].starts_with("invalid\t") && rows[2].starts_with("none\t"));
        assert!(rows[3].starts_with('0'), "{rows:?}");
    }
    // A 4x4 has guesses, and no mean of them.
    let small = "123434.2214.4.21\n";
    assert_eq!(quadrille("rate --scale guesses").stdin(small).prints(), "0\n");
    let row = quadrille("rate --scale guesses-mean").stdin(small).prints();
    assert_eq!(row, "unsupported\tmean guesses are for 9x9 grids\n");
    let row = quadrille("rate --scale guesses --format dlx").stdin("a b\na\nb\n").prints();
    assert_eq!(row, "0\n");
}

#[test]
fn rows_name_scale_and_version() {
    let rows = quadrille("rate --scale guesses-mean --permutations 10 --output csv").stdin(POJ).prints();
    let expected = "index,puzzle,status,rating,rating_error,scale,reason,ended_by\n";
    assert_eq!(rows, format!("{expected}1,{POJ},unique,0.000,0.000,guesses-mean/lanes-1,,complete\n"));
    let rows = quadrille("rate --scale guesses --output jsonl").stdin(format!("{POJ}\n{EMPTY_9X9}")).prints();
    let rows = objects(&rows);
    assert_eq!((&rows[0]["rating"], &rows[0]["scale"]), (&Value::from(0), &Value::from("guesses/lanes-1")));
    assert_eq!((&rows[1]["rating"], &rows[1]["scale"]), (&Value::Null, &Value::Null));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for scale in ["guesses", "guesses-mean --permutations 7"] {
        for output in ["text", "csv", "jsonl"] {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let run = |way: &str, name: &str| {
                let stats = directory.path().join(name);
                let words = format!("rate --scale {scale} --output {output} {way}");
                let rows = quadrille(&words).arg("--stats-out").arg(&stats).stdin(mixture()).prints();
                let text = fs::read_to_string(stats).expect("written");
                let mut statistics: Value = serde_json::from_str(&text).expect("JSON");
                statistics.as_object_mut().expect("an object").remove("clock");
                (rows, statistics)
            };
            let one = run("-j1", "one");
            assert_eq!(one.0.lines().count(), mixture().lines().count() + usize::from(output == "csv"));
            assert_eq!(run("-j4", "four"), one);
            assert_eq!(run("-j2 --chunk-bytes 300", "small"), one);
        }
    }
}

#[test]
fn statistics_have_the_distribution() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| directory.path().join(name);
    let lines: Vec<String> = corpus().lines().map(str::to_owned).collect();
    let run = |lines: &[String], name: &str, offset: usize| {
        let words = format!("rate --scale guesses --index-offset {offset} --stats-out");
        quadrille(&words).arg(path(name)).stdin(lines.join("\n")).prints()
    };
    let rows = run(&lines, "whole", 0);
    run(&lines[..100], "first", 0);
    run(&lines[100..], "second", 100);
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(path(name)).expect("written")).expect("JSON")
    };
    let whole = read("whole");
    let counts = whole["ratings"]["guesses/lanes-1"].as_array().expect("counts");
    let zeros = rows.lines().filter(|row| *row == "0").count();
    assert_eq!(counts[0], Value::from(vec![Value::from("0.0"), Value::from(zeros)]));
    let summed: u64 = counts.iter().map(|pair| pair[1].as_u64().expect("a number")).sum();
    assert_eq!(summed, lines.len() as u64);
    quadrille("stats").arg(path("first")).arg(path("second")).arg("--out").arg(path("sum")).ends_with(0);
    let sum = read("sum");
    for key in ["ratings", "checksum", "guesses"] {
        assert_eq!(sum[key], whole[key], "{key}");
    }
    let shown = quadrille("stats").arg(path("sum")).prints();
    assert!(shown.contains("rating    guesses/lanes-1: p50 1.0, "), "{shown}");
    // Other ratings, another sum; and the sum is that of the rows.
    assert_ne!(read("first")["checksum"], whole["checksum"]);
    // Files from before there were ratings are read.
    let mut old = whole;
    old.as_object_mut().expect("an object").remove("ratings");
    fs::write(path("old"), old.to_string()).expect("written");
    assert!(!quadrille("stats").arg(path("old")).prints().contains("rating "));
    old["ratings"] = serde_json::json!({"guesses/lanes-1": [["0.05", 3]]});
    fs::write(path("wrong"), old.to_string()).expect("written");
    assert!(quadrille("stats").arg(path("wrong")).fails(1).contains("ratings by guesses/lanes-1"));
}

#[test]
fn limits_end_ratings_and_say_so() {
    let hard = data("hard-300.txt").lines().next().expect("a puzzle")[..81].to_owned();
    let row = quadrille("rate --scale guesses --node-limit 2").stdin(&*hard).prints();
    assert!(row.ends_with("\tnodes\n"), "{row}");
    // The search as it stands takes fewer nodes than some arrangement.
    let nodes = quadrille("solve --unique --fields nodes").stdin(&*hard).prints();
    let words = format!("rate --scale guesses-mean --permutations 200 --node-limit {}", nodes.trim());
    let row = quadrille(&words).args("--fields status,ended_by,rating").stdin(&*hard).prints();
    assert_eq!(row, "unknown\tnodes\t\n");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (words, said) in [
        ("rate --scale nope", "[possible values: "),
        ("rate --scale guesses --permutations 5", "--permutations is for --scale guesses-mean"),
        ("rate --scale guesses --seed 5", "--seed is for --scale guesses-mean"),
        ("rate --scale guesses-mean --permutations 0", "0"),
        ("rate --scale guesses-mean --permutations 65537", "65537"),
        ("rate --scale guesses --output grid", "grid output is for solutions"),
        ("rate --scale guesses --output contest", "contest output is for solutions"),
        ("solve --fields rating_error", "rating_error"),
    ] {
        assert!(quadrille(words).fails(2).contains(said), "{words}");
    }
}
