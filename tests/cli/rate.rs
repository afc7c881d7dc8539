//! `rate`: ratings on every scale, in every output format and in the statistics.

use std::fs;

use serde_json::Value;

use super::compare::Draw;
use super::{EMPTY_9X9, POJ, data, objects, quadrille};

/// Returns puzzles of `data/`, including some that need guesses.
fn corpus() -> String {
    let lines = |name: &str, count: usize| data(name).lines().take(count).collect::<Vec<_>>().join("\n");
    format!("{}\n{}\n", lines("random-1000.txt", 150), lines("hard-300.txt", 20))
}

/// Returns valid puzzles mixed with every kind of record that has no rating.
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
fn mean_guesses_are_the_same_for_isomorphic_puzzles() {
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
    // The guesses of a single search depend on the arrangement.
    let guesses = |puzzles: &[String]| quadrille("rate --scale guesses").stdin(puzzles.join("\n")).prints();
    assert_ne!(guesses(&originals), guesses(&images));
    // The mean over one arrangement has no error.
    assert!(rated("--permutations 1", &originals).lines().all(|line| line.ends_with('\t')));
}

#[test]
fn records_without_a_rating_have_their_status() {
    let text = format!("{EMPTY_9X9}no puzzle\n{}\n{POJ} id\n", POJ.replacen("103", "113", 1));
    for scale in ["ser", "ser-canonical", "qqwing", "guesses", "guesses-mean"] {
        let rows = quadrille("rate --scale").arg(scale).stdin(&*text).prints();
        let rows: Vec<&str> = rows.lines().collect();
        assert_eq!(rows.len(), 4);
        assert!(rows[0] == "multiple" && rows[1].starts_with("invalid\t") && rows[2].starts_with("none\t"));
        let expected = match scale {
            "guesses" => "0",
            "qqwing" => "1",
            "guesses-mean" => "0.000",
            _ => "1.2",
        };
        assert_eq!(rows[3], expected);
    }
    // A 4x4 has guesses, but no mean over arrangements.
    let small = "123434.2214.4.21\n";
    assert_eq!(quadrille("rate --scale guesses").stdin(small).prints(), "0\n");
    let row = quadrille("rate --scale guesses-mean").stdin(small).prints();
    assert_eq!(row, "unsupported\tmean guesses are for 9x9 grids\n");
    for scale in ["ser", "ser-canonical"] {
        let row = quadrille("rate --scale").arg(scale).stdin(small).prints();
        assert!(row.starts_with("unsupported\tratings are for 9x9 grids"), "{row}");
        let row = quadrille("rate --from dlx --scale").arg(scale).stdin("a b\na\nb\n").prints();
        assert_eq!(row, "unsupported\tthis scale rates only 9x9 grids (--scale guesses rates all sides)\n");
    }
    let marked = POJ.replacen('0', "e", 1);
    for scale in ["ser", "ser-canonical", "guesses-mean"] {
        let row = quadrille("rate --scale").arg(scale).stdin(&*marked).prints();
        assert!(row.starts_with("unsupported\tthis scale cannot rate puzzles with"), "{row}");
    }
    let row = quadrille("rate --scale guesses --from dlx").stdin("a b\na\nb\n").prints();
    assert_eq!(row, "0\n");
}

#[test]
fn rows_name_scale_and_version() {
    let rows = quadrille("rate --scale guesses-mean --permutations 10 --to csv").stdin(POJ).prints();
    let expected = "index,puzzle,status,rating,rating_error,scale,reason,ended_by\n";
    assert_eq!(rows, format!("{expected}1,{POJ},unique,0.000,0.000,guesses-mean/lanes-1,,complete\n"));
    let rows = quadrille("rate --scale guesses --to jsonl").stdin(format!("{POJ}\n{EMPTY_9X9}")).prints();
    let rows = objects(&rows);
    assert_eq!((&rows[0]["rating"], &rows[0]["scale"]), (&Value::from(0), &Value::from("guesses/lanes-1")));
    assert_eq!((&rows[1]["rating"], &rows[1]["scale"]), (&Value::Null, &Value::Null));
}

#[test]
fn ratings_do_not_depend_on_the_number_of_threads() {
    for scale in ["ser", "ser-canonical --explain", "qqwing", "guesses", "guesses-mean --permutations 7"] {
        for output in ["text", "csv", "jsonl"] {
            let has_lines = !scale.contains("--explain");
            if output == "csv" && !has_lines {
                continue;
            }
            let directory = tempfile::tempdir().expect("a temporary directory");
            let run = |way: &str, name: &str| {
                let stats = directory.path().join(name);
                // `-q`: some texts after a puzzle have no column in the output, which would print a warning.
                let words = format!("rate -q --scale {scale} --to {output} {way}");
                let rows = quadrille(&words).arg("--stats-out").arg(&stats).stdin(mixture()).prints();
                let text = fs::read_to_string(stats).expect("written");
                let mut statistics: Value = serde_json::from_str(&text).expect("JSON");
                statistics.as_object_mut().expect("an object").remove("clock");
                (rows, statistics)
            };
            let one = run("-j1", "one");
            let lines = mixture().lines().count() + usize::from(output == "csv");
            assert!(one.0.lines().count() == lines || !has_lines && output == "text");
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
    // Different ratings give a different checksum, since the checksum is that of the rows.
    assert_ne!(read("first")["checksum"], whole["checksum"]);
    // Files written before there were ratings can still be read.
    let mut old = whole;
    old.as_object_mut().expect("an object").remove("ratings");
    fs::write(path("old"), old.to_string()).expect("written");
    assert!(!quadrille("stats").arg(path("old")).prints().contains("rating    "));
    old["ratings"] = serde_json::json!({"guesses/lanes-1": [["0.05", 3]]});
    fs::write(path("wrong"), old.to_string()).expect("written");
    assert!(quadrille("stats").arg(path("wrong")).fails(1).contains("0.05 is not a rating"));
}

#[test]
fn limits_end_ratings_and_say_so() {
    let hard = data("hard-300.txt").lines().next().expect("a puzzle")[..81].to_owned();
    let row = quadrille("rate --scale guesses --node-limit 2").stdin(&*hard).prints();
    assert!(row.ends_with("\tnodes\n"), "{row}");
    // The search of the puzzle itself takes fewer nodes than that of some arrangement.
    let nodes = quadrille("solve --unique --fields nodes").stdin(&*hard).prints();
    let words = format!("rate --scale guesses-mean --permutations 200 --node-limit {}", nodes.trim());
    let row = quadrille(&words).args("--fields status,ended_by,rating").stdin(&*hard).prints();
    assert_eq!(row, "unknown\tnodes\t\n");
}

/// Golden Nugget, which takes minutes to rate in a test build.
const LONGEST: &str = ".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7.....\n";

#[test]
fn a_time_limit_gives_the_bound_reached() {
    let row = quadrille("rate --time-limit 500ms --fields er,ep,ed").stdin(LONGEST).prints();
    let bounds: Vec<&str> = row.trim_end().split('\t').collect();
    // `ed` is the rating of the first step, which may be known before the limit.
    assert!(bounds.len() == 3 && bounds[..2].iter().all(|bound| bound.starts_with('>')), "{row}");
}

#[test]
fn a_deadline_ends_the_search_for_a_step() {
    let ended = quadrille("rate --deadline 500ms").stdin(LONGEST).ends();
    assert_eq!((ended.code, ended.out.as_str()), (Some(4), ""), "{}", ended.err);
    assert!(ended.err.contains("stopped (deadline) after 0 records"), "{}", ended.err);
}

/// Threads without a record of their own help with a hard record.
#[test]
fn a_hard_puzzle_is_rated_the_same_with_idle_threads() {
    let escargot = format!("{}\n", &data("published.txt").lines().nth(8).expect("a puzzle")[..81]);
    let mixed = corpus() + &escargot;
    for (words, text) in
        [("rate --explain --to jsonl", escargot), ("rate --chunk-bytes 300 --fields er,ep,ed", mixed)]
    {
        let rows = quadrille(words).arg("-j4").stdin(&*text).prints();
        assert!(rows.contains("10.5"));
        assert_eq!(rows, quadrille(words).arg("-j1").stdin(&*text).prints(), "{words}");
    }
}

#[test]
fn a_stopped_run_leaves_complete_ratings() {
    let hard: String =
        data("hard-300.txt").lines().skip(200).take(40).map(|line| format!("{line}\n")).collect();
    let rated = quadrille("rate").stdin(&*hard).prints().repeat(100);
    for words in ["rate", "rate --fields rating", "rate --fields rating --unordered -j1"] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let out = directory.path().join("out.txt");
        let run =
            quadrille(words).args("--deadline 400ms --discard-partial -o").arg(&out).stdin(hard.repeat(100));
        let ended = run.ends();
        assert!(matches!(ended.code, Some(0 | 4)), "{}", ended.err);
        let partial = directory.path().join("out.txt.partial");
        let rows = fs::read_to_string(if ended.code == Some(0) { out } else { partial }).unwrap_or_default();
        if words.contains("--unordered") {
            let known: Vec<&str> = rated.lines().collect();
            for row in rows.lines() {
                let (index, rating) = row.split_once('\t').expect("two columns");
                let whole = known[index.parse::<usize>().expect("a number") - 1];
                assert!(rating == whole || rating.is_empty(), "{row}");
            }
        } else {
            assert!(rated.starts_with(&rows), "{rows}");
        }
    }
}

#[test]
fn contradictory_options_of_rate_are_refused() {
    for (words, said) in [
        ("rate --scale nope", "[possible values: "),
        ("rate --scale guesses --permutations 5", "--permutations is only for --scale guesses-mean"),
        ("rate --scale guesses --seed 5", "--seed is only for --scale guesses-mean"),
        ("rate --scale guesses-mean --permutations 0", "0"),
        ("rate --scale guesses-mean --permutations 65537", "65537"),
        ("rate --scale guesses --to grid", "grid output is only for solutions"),
        ("rate --scale guesses --to contest", "contest output is only for solutions"),
        ("solve --fields er", "the field er is only for rate, solve --unique and check"),
        ("count --fields rating", "rating is a field of solve, check, rate"),
        ("rate --scale guesses --fields ep", "the field ep is only for the scales ser"),
        ("rate --scale guesses --explain", "only the scales ser"),
        ("rate --explain --to csv", "use text or jsonl"),
        ("rate --max-rating 12.0", "ratings are from 1.0 to 11.9"),
        ("rate --max-rating 0", "ratings are from 1.0 to 11.9"),
        ("rate --max-rating 26.0", "not a rating"),
        ("rate --max-rating 7.25", "not a rating"),
        ("rate --scale guesses --max-rating 3.0", "--max-rating is only for --scale ser"),
        ("rate --seed 3", "--seed is only for --scale guesses-mean"),
    ] {
        assert!(quadrille(words).fails(2).contains(said), "{words}");
    }
}

/// Ratings of the published puzzles, in the order of their file.
const PUBLISHED: [&str; 11] =
    ["1.2", "1.2", "1.2", "2.3", "2.6", "2.0", ">9.8", ">9.8", ">9.8", ">9.8", ">9.8"];

#[test]
fn published_puzzles_have_their_ratings() {
    let rated = quadrille("rate --max-rating 9.8 data/published.txt").prints();
    assert_eq!(rated.lines().take(11).collect::<Vec<_>>(), PUBLISHED);
    let rows = quadrille("rate --fields er,ep,ed,technique,steps,techniques,scale").stdin(POJ).prints();
    let techniques = "last cell 20; hidden single in box 31";
    assert_eq!(rows, format!("1.2\t1.2\t1.2\thidden single in box\t51\t{techniques}\tser/1.2.1\n"));
    let row = quadrille("rate --to csv").stdin(POJ).prints();
    let head = "index,puzzle,status,er,ep,ed,technique,scale,reason,ended_by\n";
    let expected = format!("{head}1,{POJ},unique,1.2,1.2,1.2,hidden single in box,ser/1.2.1,,complete\n");
    assert_eq!(row, expected);
    let rows =
        quadrille("rate --max-rating 9.4 --to jsonl --fields er,techniques data/published.txt").prints();
    let rows = objects(&rows);
    assert_eq!((&rows[0]["er"], &rows[9]["er"]), (&Value::from(1.2), &Value::from(">9.4")));
    assert_eq!(rows[0]["techniques"]["last cell"], 20);
}

/// Debian's qqwing 1.3.4 gives the same levels.
#[test]
fn levels_are_those_of_qqwing() {
    let levels = quadrille("rate --scale qqwing data/published.txt").prints();
    assert_eq!(levels.lines().collect::<String>(), "1112334444442");
    let levels = quadrille("rate --scale qqwing data/random-1000.txt").prints();
    let count = |level: &str| levels.lines().filter(|line| *line == level).count();
    assert_eq!(["1", "2", "3", "4"].map(count), [12, 390, 167, 431]);
}

#[test]
fn plain_lines_are_rated_as_other_formats() {
    for scale in ["ser", "ser-canonical", "qqwing", "ser --max-rating 2.6", "guesses"] {
        let plain = quadrille("rate --scale").args(scale).stdin(corpus()).prints();
        let columns = quadrille("rate --fields rating --scale").args(scale).stdin(corpus()).prints();
        assert_eq!(plain, columns, "{scale}");
        let directory = tempfile::tempdir().expect("a temporary directory");
        let statistics = |words: &str, name: &str| -> Value {
            let path = directory.path().join(name);
            quadrille("rate --scale")
                .args(scale)
                .args(words)
                .arg("--stats-out")
                .arg(&path)
                .stdin(corpus())
                .prints();
            let text = fs::read_to_string(path).expect("written");
            let mut statistics: Value = serde_json::from_str(&text).expect("JSON");
            let object = statistics.as_object_mut().expect("an object");
            object.retain(|key, _| !["clock", "runs", "records"].contains(&key.as_str()));
            statistics
        };
        assert_eq!(statistics("", "plain"), statistics("--fields status,rating", "columns"), "{scale}");
    }
}

#[test]
fn ratings_above_the_range_are_marked() {
    let whole = quadrille("rate").stdin(corpus()).prints();
    assert!(whole.lines().any(|rating| rating == "7.2"));
    // 1.0, 3.0 and 7.0 are minimum ratings of techniques; the other bounds are between two such ratings.
    for max_rating in [1.0, 1.4, 3.0, 4.5, 6.7, 7.1] {
        let above = format!(">{max_rating:.1}");
        let run = |words: &str| {
            quadrille(words).arg("--max-rating").arg(format!("{max_rating:.1}")).stdin(corpus())
        };
        let cut = run("rate").prints();
        for (whole, cut) in whole.lines().zip(cut.lines()) {
            let is_within = whole.parse::<f64>().is_ok_and(|rating| rating <= max_rating);
            assert_eq!(cut, if is_within { whole } else { &above });
        }
        assert!(cut.contains('>'), "{max_rating}");
        // Neither the steps nor the ratings exceed the bound.
        for row in objects(&run("rate --to jsonl --explain --fields er,ep,ed").prints()) {
            let path = row["path"].as_array().expect("steps");
            let told = ["er", "ep", "ed"].map(|name| &row[name]);
            let steps = path.iter().map(|step| &step["rating"]);
            for rating in told.into_iter().chain(steps) {
                assert!(*rating == *above || rating.as_f64().is_some_and(|told| told <= max_rating), "{row}");
            }
        }
    }
}

/// In JSON, a rating above the bound is a string; the next member holds its lower bound as a number.
#[test]
fn objects_have_the_lower_bound_of_a_rating() {
    let rows =
        quadrille("rate --max-rating 2.0 --to jsonl --fields rating,er,ep,ed").stdin(corpus()).prints();
    let rows = objects(&rows);
    for row in &rows {
        for name in ["rating", "er", "ep", "ed"] {
            let at_least = &row[format!("{name}_at_least")];
            match row[name].as_f64() {
                Some(rating) => assert!(rating <= 2.0 && at_least.is_null(), "{row}"),
                None => assert_eq!((&row[name], at_least), (&Value::from(">2.0"), &Value::from(2.1))),
            }
        }
    }
    let whole = quadrille("rate").stdin(corpus()).prints();
    let hard = whole.lines().filter(|rating| rating.parse::<f64>().is_ok_and(|rating| rating > 2.0)).count();
    let found =
        rows.iter().filter(|row| row["er_at_least"].as_f64().is_some_and(|least| least >= 2.0)).count();
    assert!(hard > 50 && found == hard, "{found} of {hard}");
    let row = quadrille("rate --to jsonl").stdin(EMPTY_9X9).prints();
    assert!(row.contains("\"er\":null,\"er_at_least\":null,\"ep\":null,"), "{row}");
    // A rating by guesses is always exact, so it has no member `rating_at_least`.
    let row = quadrille("rate --scale guesses --to jsonl").stdin(POJ).prints();
    assert!(row.contains("\"rating\":0,\"rating_error\":null,"), "{row}");
    let row = quadrille("solve --unique --to jsonl --fields er").stdin(POJ).prints();
    assert!(row.ends_with("\"er\":1.2,\"er_at_least\":null}\n"), "{row}");
}

#[test]
fn ratings_of_the_form_are_the_same_for_isomorphic_puzzles() {
    let mut draw = Draw(5);
    let originals: Vec<String> = corpus().lines().skip(130).map(|line| line[..81].to_owned()).collect();
    let images: Vec<String> = originals.iter().map(|puzzle| draw.isomorph(puzzle)).collect();
    let rated = |puzzles: &[String]| {
        let run = quadrille("rate --scale ser-canonical --fields er,ep,ed,technique,techniques,canon,scale");
        run.stdin(puzzles.join("\n")).prints()
    };
    assert_eq!(rated(&originals), rated(&images));
    let forms = quadrille("canon").stdin(originals.join("\n")).prints();
    let by_form = quadrille("rate").stdin(&*forms).prints();
    assert_eq!(quadrille("rate --scale ser-canonical").stdin(images.join("\n")).prints(), by_form);
}

#[test]
fn steps_place_the_solution() {
    let puzzle = data("random-1000.txt").lines().nth(4).expect("a puzzle").to_owned();
    let solution = quadrille("solve").stdin(&*puzzle).prints();
    let row = objects(&quadrille("rate --explain --to jsonl").stdin(&*puzzle).prints()).remove(0);
    let path = row["path"].as_array().expect("steps");
    assert_eq!(row["er"], Value::from(7.2));
    let hardest = path.iter().map(|step| step["rating"].as_f64().expect("a number")).fold(0.0, f64::max);
    assert_eq!(hardest, 7.2);
    let mut cells: Vec<u8> = puzzle.bytes().collect();
    for placed in path.iter().map(|step| &step["placed"]).filter(|placed| !placed.is_null()) {
        let name = placed["cell"].as_str().expect("a name").as_bytes();
        let cell = usize::from(name[1] - b'1') * 9 + usize::from(name[3] - b'1');
        assert_eq!(cells[cell], b'.', "placed twice");
        cells[cell] = b'0' + placed["digit"].as_u64().expect("a digit") as u8;
    }
    assert_eq!(String::from_utf8(cells).expect("digits"), solution.trim_end());
    assert!(path.iter().any(|step| step["removed"].as_array().is_some_and(|removed| !removed.is_empty())));
    // As text, each step has a line, and an empty line follows the record; other records have no steps.
    let text = quadrille("rate --explain").stdin(format!("{puzzle}\n{EMPTY_9X9}{puzzle}\n")).prints();
    let records: Vec<&str> = text.split("\n\n").collect();
    assert_eq!((records.len(), records[0].lines().count(), records[1]), (4, path.len() + 1, "multiple"));
    assert_eq!((records[0], records[3]), (records[2], ""));
    assert!(records[0].starts_with("7.2\n"), "{text}");
}

#[test]
fn other_verbs_rate_puzzles_with_one_solution() {
    let rated = quadrille("rate").stdin(mixture()).prints();
    let rated = rated.lines().map(|row| if row.starts_with(|c: char| c.is_ascii_digit()) { row } else { "" });
    let rated: Vec<&str> = rated.collect();
    for words in ["solve --unique --fields er", "solve -u -F rating", "check --fields er"] {
        let rows = quadrille(words).stdin(mixture()).prints();
        assert_eq!(rows.lines().collect::<Vec<_>>(), rated, "{words}");
    }
    let row = quadrille("check --minimal --fields status,er").stdin(POJ).prints();
    assert_eq!(row, "nonminimal\t1.2\n");
    // A rating that is found does not change the checksum of the answers.
    let sum = |words: &str| {
        let said = quadrille(words).args("--stats").stdin(corpus()).ends_with(0).err;
        said.lines().find(|line| line.starts_with("checksum")).expect("a sum").to_owned()
    };
    assert_eq!(sum("solve --unique --fields er"), sum("solve --unique"));
    assert_ne!(sum("rate"), sum("solve --unique"));
}

#[test]
fn puzzles_are_made_by_rating() {
    let words = "generate minimal --rating 3.0..4.5 --count 8 --seed 3 --fields index,rating,puzzle";
    let ended = quadrille(words).args("-j1").ends_with(0);
    assert!(
        ended.err.starts_with("quadrille: 8 of ") && ended.err.contains("a rating from 3.0 to 4.5"),
        "{}",
        ended.err
    );
    assert_eq!(quadrille(words).args("-j4").ends_with(0), ended);
    let rows: Vec<Vec<&str>> = ended.out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 8);
    let puzzles: Vec<&str> = rows.iter().map(|row| row[2]).collect();
    let rated = quadrille("rate").stdin(puzzles.join("\n")).prints();
    for (row, rated) in rows.iter().zip(rated.lines()) {
        assert_eq!(row[1], rated);
        assert!((3.0..=4.5).contains(&rated.parse::<f64>().expect("a number")));
    }
    // A shard equals a part of the full output.
    let shard = quadrille(words).args("--skip 5 -q").prints();
    assert!(
        ended.out.ends_with(shard.lines().take(3).collect::<Vec<_>>().join("\n").as_str().trim_end()) || {
            let tail: Vec<&str> = ended.out.lines().skip(5).collect();
            shard.lines().take(3).eq(tail)
        }
    );
    let none = quadrille("generate minimal --rating 9.4 --attempts 40").ends_with(1);
    assert!(none.out.is_empty() && none.err.contains("none of 40 attempts"), "{}", none.err);
    for (words, said) in [
        ("generate sparse --rating 4.0", "only for puzzles, minimal and neighbours"),
        ("generate puzzles --side 4 --rating 4.0", "of side 9"),
        ("generate minimal --rating 5.0..4.0", "below the first"),
        ("generate minimal --rating 0.9", "ratings from 1.0 to 11.9"),
        ("generate minimal --rating 30.0", "ratings from 1.0 to 11.9"),
        ("generate minimal --rating tough", "expected a range of ratings"),
        ("generate queens 8 --rating 4.0", "--rating is only for puzzles"),
        ("generate puzzles --needs fish --without fish", "--needs fish: --without excludes it"),
        (
            "generate minimal --without claiming,last-cell",
            "--without last-cell: every puzzle ends with a last cell",
        ),
        ("generate puzzles --needs x-wing --rating 1.0..3.0", "is at least 3.2, more than 3.0"),
    ] {
        assert!(quadrille(words).fails(2).contains(said), "{words}");
    }
}

#[test]
fn a_bound_has_the_limit_that_ended_its_rating() {
    let text: String =
        super::data("published.txt").lines().take(12).map(|line| format!("{line}\n")).collect();
    let rated = quadrille("rate --time-limit 1ms --fields rating,ended_by").stdin(text.clone()).prints();
    for row in rated.lines() {
        assert_eq!(row.starts_with('>'), row.ends_with("\ttime"), "{rated}");
    }
    let bound =
        quadrille("rate --max-rating 1.2 --time-limit 1h --fields rating,ended_by").stdin(text).prints();
    assert!(bound.contains(">1.2\tcomplete\n") && !bound.contains("time"), "{bound}");
}

#[test]
fn a_side_without_a_rating_gets_the_scale_to_use() {
    let rated = quadrille("rate data/16x16.txt").prints();
    assert!(rated.lines().all(|row| row.contains("(--scale guesses rates all sides)")), "{rated}");
    let rated = quadrille("rate --scale guesses data/16x16.txt").prints();
    assert!(rated.lines().count() == 10 && rated.lines().all(|row| row.parse::<u64>().is_ok()), "{rated}");
}

#[test]
fn steps_are_columns_and_conditions() {
    let all = data("published.txt");
    let puzzles: String = all.lines().skip(3).take(2).map(|line| format!("{}\n", &line[..81])).collect();
    let rated = quadrille("rate --to jsonl --fields techniques,path,order").stdin(puzzles.clone()).prints();
    for object in objects(&rated) {
        let path = object["path"].as_array().expect("steps");
        let placed: Vec<_> = path.iter().filter_map(|step| step["placed"]["cell"].as_str()).collect();
        let order: Vec<_> =
            object["order"].as_array().expect("cells").iter().filter_map(|cell| cell.as_str()).collect();
        assert_eq!(order, placed);
        let steps: u64 =
            object["techniques"].as_object().expect("counts").values().filter_map(|n| n.as_u64()).sum();
        assert_eq!(steps, path.len() as u64);
    }
    let order = quadrille("rate --fields order").stdin(puzzles.clone()).prints();
    assert!(order.lines().all(|line| line.split(' ').count() > 40), "{order}");
    // The second puzzle needs a naked single, the first does not.
    let second = puzzles.lines().nth(1).expect("two");
    for (condition, kept) in [
        ("--needs naked-single", vec![second]),
        ("--without naked-single", vec![puzzles.lines().next().expect("two")]),
        ("--rating 2.0..3.0", vec![second]),
        ("--hardest 2..3", vec![second]),
        ("--rating easy", puzzles.lines().collect()),
        ("--rating expert", vec![]),
        ("--rating ..9", puzzles.lines().collect()),
        ("--rating 1..99 --without chains", puzzles.lines().collect()),
        ("--needs chains", vec![]),
        ("--without chains --rating 1.0..9.0", puzzles.lines().collect()),
        // The steps above the bound are not known.
        ("--without chains --max-rating 1.5", vec![puzzles.lines().next().expect("two")]),
        ("--max-rating 1.5", puzzles.lines().collect()),
    ] {
        let found = quadrille("rate --fields puzzle").args(condition).stdin(puzzles.clone()).prints();
        assert_eq!(found.lines().collect::<Vec<_>>(), kept, "{condition}");
    }
    let ended = quadrille("rate --scale guesses --needs x-wing").stdin(puzzles).ends_with(2);
    assert!(ended.err.contains("conditions on steps are only for rate with the scales ser"), "{}", ended.err);
    let ended = quadrille("rate --needs x-wing --without fish").ends_with(2);
    assert!(ended.err.contains("--needs x-wing: --without excludes it"), "{}", ended.err);
    for (words, said) in [
        ("--needs dragon", "unknown technique; the nearest are "),
        ("--needs x-wings", "nearest are x-wing,"),
        ("--needs hidden", "nearest are hidden-"),
        ("--rating 5..3", "the second rating is below the first"),
        ("--rating 12..13", "expected a range of ratings from 1.0 to "),
        ("--rating difficult", "such as 4.0..5.5, 8.. or ..7.5"),
        ("--rating ..", "such as 4.0..5.5, 8.. or ..7.5"),
    ] {
        let ended = quadrille("rate").args(words).ends_with(2);
        assert!(ended.err.contains(said), "{words}: {}", ended.err);
    }
}

#[test]
fn a_page_draws_each_step() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("steps.html");
    let hard: String = super::data("hard-300.txt").lines().take(2).map(|line| format!("{line}\n")).collect();
    let steps = quadrille("rate --explain --report").arg(&file).stdin(hard.clone()).prints();
    let page = std::fs::read_to_string(&file).expect("written");
    let mut removed = 0;
    for step in steps.lines().filter(|line| line.contains(';')) {
        assert!(page.contains(&step.replace('<', "&#60;").replace('>', "&#62;")), "{step}");
        removed += step.rsplit(';').next().map_or(0, |effect| effect.matches("<>").count());
    }
    // Each removed candidate is crossed out.
    assert_eq!(page.matches("range cross").count(), removed, "{steps}");
    assert!(page.contains("<h2>Record 1: rated ") && page.contains("class=\"pencil\""));
    // Without --explain the page has no steps.
    quadrille("rate --report").arg(&file).stdin(hard).prints();
    assert!(!std::fs::read_to_string(&file).expect("written").contains("range cross"));
}

/// Removes a placed digit from the cells that see it. Candidates are one bit per digit; a filled cell has one.
fn place(candidates: &mut [u16; 81], cell: usize, digit: u16) {
    let (row, column) = (cell / 9, cell % 9);
    for (peer, set) in candidates.iter_mut().enumerate() {
        let sees =
            peer / 9 == row || peer % 9 == column || (peer / 27, peer % 9 / 3) == (row / 3, column / 3);
        if sees {
            *set &= !(1 << digit);
        }
    }
    candidates[cell] = 1 << digit;
}

/// Returns cell and digit (from 0) of a candidate in a path.
fn candidate(value: &Value) -> (usize, u16) {
    let name = value["cell"].as_str().expect("a cell").as_bytes();
    (
        9 * usize::from(name[1] - b'1') + usize::from(name[3] - b'1'),
        value["digit"].as_u64().expect("a digit") as u16 - 1,
    )
}

/// Follows the path of each puzzle step by step, and compares the grid before the first step above the bound.
#[test]
fn a_bound_leaves_the_grid_before_the_first_step_above_it() {
    let input = corpus();
    let paths = objects(&quadrille("rate --to jsonl --fields puzzle,path").stdin(input.as_str()).prints());
    for (until, bound) in [
        ("1.0", 1.0),
        ("1.2", 1.2),
        ("hidden-single-in-line", 1.5),
        ("singles", 2.3),
        ("locking", 2.8),
        ("x-wing", 3.2),
        ("4.5", 4.5),
        ("7.2", 7.2),
    ] {
        let words =
            format!("rate --to jsonl --until {until} --fields after,after_marks,after_clues,missing,er");
        let rows = objects(&quadrille(&words).stdin(input.as_str()).prints());
        let counted = format!("{words},techniques");
        for (row, path) in rows.iter().zip(&paths) {
            let mut candidates = [0x1ff; 81];
            for (cell, clue) in path["puzzle"].as_str().expect("a puzzle").bytes().enumerate() {
                if let digit @ b'1'..=b'9' = clue {
                    place(&mut candidates, cell, u16::from(digit - b'1'));
                }
            }
            let mut missing = Value::Null;
            for step in path["path"].as_array().expect("steps") {
                if step["rating"].as_f64().expect("a rating") > bound + 0.01 {
                    missing = step["technique"].clone();
                    break;
                }
                for (cell, digit) in step["removed"].as_array().expect("removed").iter().map(candidate) {
                    candidates[cell] &= !(1 << digit);
                }
                if step["placed"].is_object() {
                    let (cell, digit) = candidate(&step["placed"]);
                    place(&mut candidates, cell, digit);
                }
            }
            let mark = |set: u16, digit: u16| {
                if set >> digit & 1 == 1 { char::from(b'1' + digit as u8) } else { '.' }
            };
            let marks: String =
                candidates.iter().flat_map(|&set| (0..9).map(move |digit| mark(set, digit))).collect();
            assert_eq!(row["after_marks"], marks, "{until}: {row}");
            assert_eq!(row["missing"], missing, "{until}: {row}");
            assert_eq!(row["er"].is_string(), !missing.is_null(), "{until}: {row}");
            let after = row["after"].as_str().expect("a grid");
            let filled = after.bytes().filter(|&cell| cell != b'.').count();
            assert_eq!(row["after_clues"], filled);
            assert_eq!(filled, candidates.iter().filter(|set| set.is_power_of_two()).count());
        }
        // Singles that are placed one by one lead to the same grid.
        let one_by_one = objects(&quadrille(&counted).stdin(input.as_str()).prints());
        assert!(rows.iter().zip(&one_by_one).all(|(row, other)| row["after_marks"] == other["after_marks"]));
    }
}

#[test]
fn until_chooses_its_fields_and_is_only_for_ser() {
    let text = quadrille("rate --until singles").stdin(POJ).prints();
    let fields: Vec<&str> = text.trim_end_matches('\n').split('\t').collect();
    assert_eq!((fields.len(), fields[0].len()), (3, 81), "{text}");
    for (words, hint) in [
        ("--until singels", "singles"),
        ("--until 0.5", "ratings are from"),
        ("--until singles --max-rating 3", "cannot be used with"),
        ("--until singles --scale guesses", "max-rating"),
        ("--scale ser-canonical --fields after", "only for the scale ser"),
    ] {
        let refused = quadrille(&format!("rate {words}")).stdin(POJ).ends();
        assert!(refused.code == Some(2) && refused.err.contains(hint), "{words}: {}", refused.err);
    }
    // What is written is read as candidates: the rest of the path has the same rating.
    let marks = quadrille("rate --until singles --fields after_marks").stdin(POJ).prints();
    assert_eq!(
        quadrille("solve --fields solution").stdin(marks).prints(),
        quadrille("solve").stdin(POJ).prints()
    );
}
