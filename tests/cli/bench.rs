//! `bench`: its table, its JSON, comparisons and refusals. The measured times are not checked.

use super::{POJ, data, quadrille};

/// Options of a run that is short enough for a test.
const SHORT: &str = "bench --rounds 2 --every 40";

#[test]
fn the_table_has_a_row_for_every_engine_and_instruction_set() {
    let text = quadrille(SHORT).arg("data/random-1000.txt").prints();
    let lines: Vec<&str> = text.lines().collect();
    for (line, label) in lines.iter().zip(["machine", "program", "corpus", "query", "parsing"]) {
        assert!(line.starts_with(label), "{text}");
    }
    assert!(lines[2].contains("data/random-1000.txt: 25 records, one in 40 of 1,000"), "{text}");
    let head = lines.iter().position(|line| line.starts_with("  engine")).expect("a table");
    assert_eq!(lines[head - 1], "9x9 grids: 25; speed relative to naive");
    for column in [
        "per second",
        "speed",
        "from",
        "verdict",
        "asked",
        "median",
        "per second with parsing",
        "guesses",
        "nodes",
        "without a guess",
    ] {
        assert!(lines[head].contains(column), "{text}");
    }
    let first: Vec<_> = lines[head + 1..].iter().map_while(|line| line.split_whitespace().next()).collect();
    for engine in ["dlx", "bitmask", "naive", "lanes"] {
        assert!(first.contains(&engine), "{text}");
    }
    for isa in quadrille::engine::Isa::available() {
        assert!(lines[head..].iter().any(|line| line.contains(&format!("lanes {}", isa.name()))), "{text}");
    }
    let absent = lines.iter().find(|line| line.starts_with("absent ")).expect("best is not asked for");
    assert!(absent.contains("best-grid") && absent.ends_with("(cannot solve 9x9 grids)"), "{text}");
    assert!(lines.iter().all(|line| line.trim_end() == *line), "no blanks at the end: {text}");
}

#[test]
fn the_json_describes_the_measurement() {
    let text =
        quadrille(SHORT).args("--json --engine lanes,dlx --isa portable data/random-1000.txt").prints();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["kind"], &report["schema"]), (&"quadrille bench".into(), &1.into()));
    assert_eq!((&report["corpus"]["taken"], &report["asked"]["limit"]), (&25.into(), &2.into()));
    assert_eq!(report["asked"]["clock"], "wall");
    assert!(report["machine"]["cores"].as_u64() > Some(0));
    let class = &report["classes"][0];
    let rows = class["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| (row["engine"].as_str(), row["isa"].as_str())).collect();
    assert_eq!(names, [(Some("dlx"), None), (Some("lanes"), Some("portable"))]);
    for row in rows {
        assert_eq!((&row["records"], &row["solutions"]), (&25.into(), &"25".into()));
        assert_eq!(row["rounds_us_each"].as_array().unwrap().len(), 2);
        let number =
            |pointer: &str| row.pointer(pointer).and_then(serde_json::Value::as_f64).expect("a number");
        let median = number("/us_each/median");
        assert!(number("/us_each/min") <= median && median <= number("/us_each/max"));
        assert!(number("/with_parsing_us_each") > median);
        assert!(number("/guesses_each") >= 0.0 && number("/nodes_each") >= 1.0);
        assert!((0.0..=1.0).contains(&number("/without_guess")));
    }
    assert!(report.get("comparison").is_none());
}

#[test]
fn results_are_kept_and_compared() {
    let directory = tempfile::tempdir().unwrap();
    let old = directory.path().join("old.json");
    let run = |engines: &str| quadrille(SHORT).args("data/random-1000.txt --engine").arg(engines);
    let table = run("bitmask,dlx").arg("-o").arg(&old).prints();
    assert!(table.contains("9x9 grids: 25"), "the table is printed all the same");
    let text = run("bitmask,lanes").arg("--compare").arg(&old).prints();
    let at = text.find("Compared with").expect("a comparison");
    let lines: Vec<&str> = text[at..].lines().collect();
    assert!(lines[1].contains("engine") && lines[1].contains("speed now / before"), "{text}");
    assert!(lines[2].contains("bitmask"), "{text}");
    assert!(text.contains("not in the old results: 9x9 grids: lanes portable"), "{text}");
    assert!(text.contains("only in the old results: 9x9 grids: dlx"), "{text}");
    let json = run("bitmask").arg("--json").arg("--compare").arg(&old).prints();
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["comparison"]["rows"][0]["engine"], "bitmask");

    let refused = |run: super::Run| run.arg("--compare").arg(&old).fails(2);
    let error = refused(quadrille("bench data/published.txt"));
    assert!(error.contains("has results for another corpus: 25 records of hash "), "{error}");
    let error = refused(run("bitmask").args("--limit 1"));
    assert!(error.contains("has results for another query: solve up to 2, wall time there"), "{error}");
    let stats = directory.path().join("stats.json");
    quadrille("solve data/published.txt --stats-out").arg(&stats).prints();
    let error = run("bitmask").arg("--compare").arg(&stats).fails(2);
    assert!(error.contains("not results of bench"), "{error}");
    let error = run("bitmask").args("--compare nowhere.json").fails(1);
    assert!(error.contains("reading nowhere.json"), "{error}");
}

#[test]
fn every_format_and_class_is_measured() {
    let text = quadrille(
        "bench --rounds 1 --engine dlx,bitmask,lanes data/16x16.txt data/cover/toy.dlx data/poj2676.txt",
    )
    .prints();
    for said in [
        "16x16 grids: 10; speed",
        "exact cover problems: 1; speed",
        "9x9 grids: 1; speed",
        "absent    16x16 grids: lanes (cannot solve 16x16 grids)\n",
        "absent    exact cover problems: bitmask, lanes (cannot solve exact cover problems)\n",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let piped = quadrille("bench --rounds 1 --engine dlx --count").stdin(data("cover/queens8.dlx")).prints();
    assert!(piped.contains("standard input: 1 record\n") && piped.contains("count all solutions"), "{piped}");
}

#[test]
fn tables_are_printed_for_other_tools() {
    let run = |to: &str| {
        quadrille("bench --rounds 3 --engine dlx,bitmask --baseline dlx data/16x16.txt data/poj2676.txt --to")
            .arg(to)
    };
    let text = run("csv").prints();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("class,engine,per second,speed,from,to,verdict,asked,median,"), "{text}");
    assert_eq!(lines.len(), 5, "a line for each engine and class: {text}");
    assert!(lines[1].starts_with("16x16 grids,dlx,") && lines[4].starts_with("9x9 grids,bitmask,"), "{text}");
    assert!(lines[1].contains(",,unique,"), "the baseline has no verdict: {text}");
    let text = run("markdown").prints();
    assert!(text.contains("### 16x16 grids: 10; speed relative to dlx\n"), "{text}");
    assert!(run("json").fails(2).contains("[possible values: csv, markdown]"));
}

#[test]
fn rounds_without_a_number_name_the_limit_that_ended_them() {
    let run = |time: &str| {
        let run = quadrille("bench --rounds auto --engine bitmask,dlx data/poj2676.txt --time").arg(time);
        run.prints()
    };
    // The time is up after the first round, before any ratio can be known.
    let text = run("0.001ms");
    assert!(
        text.contains(": the time of every contender was up; --time (now 0.000001 s) gives more."),
        "{text}"
    );
}

#[test]
fn unreadable_records_are_left_out_and_reported() {
    let text = quadrille("bench --rounds 1 --engine bitmask data/malformed/short-line.txt").prints();
    assert!(
        text.contains("left out  1 record that cannot be read; the first: data/malformed/short-line.txt:2: 80 characters"),
        "{text}"
    );
    let text =
        quadrille("bench --rounds 1 --engine bitmask --min-records 7 data/malformed/short-line.txt").prints();
    assert!(text.contains("8 records, repeated 4 times"), "{text}");
    let unsupported = format!("{POJ}\t.Nobody\n{POJ}\n");
    let text = quadrille("bench --rounds 1 --engine bitmask").stdin(unsupported).prints();
    assert!(text.contains("left out  1 record that cannot be read"), "{text}");
    assert!(text.contains("-:1: rules: item 1: `.Nobody` is not supported"), "{text}");
}

#[test]
fn measurements_that_are_impossible_are_usage_errors() {
    let lacking =
        quadrille::engine::Isa::ALL.iter().find(|isa| !isa.is_available()).expect("no machine has all");
    let lacking = format!("bench --isa {lacking} data/published.txt");
    for (words, said) in [
        ("bench /dev/null", "nothing to measure in /dev/null: no records"),
        ("bench --marks on data/malformed/blank-x.txt", "clues contradict each other in all 3 records taken"),
        (
            "bench --engine lanes data/16x16.txt",
            "no engine can run this benchmark: lanes (cannot solve 16x16 grids)",
        ),
        ("bench --engine nope data/16x16.txt", "[possible values: dlx, "),
        ("bench --engine auto data/16x16.txt", "invalid value 'auto'"),
        ("bench --isa nope data/16x16.txt", "[possible values: portable, "),
        ("bench --rounds 0 data/16x16.txt", "0"),
        ("bench --baseline nope data/16x16.txt", "[possible values: dlx, "),
        ("bench --time soon data/16x16.txt", "expected a time"),
        ("bench --min-records 4294967295 data/random-1000.txt", "would take more than 1073741824 bytes"),
        (&lacking, "this processor lacks"),
    ] {
        let error = quadrille(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
    assert!(quadrille("bench nowhere.txt").fails(1).contains("nowhere.txt"));
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_races() {
    for option in ["-o", "--report"] {
        let path = "nowhere/results";
        // Reading the empty input first would give another error: there is nothing to measure.
        let error = quadrille(&format!("bench {option} {path} /dev/null")).fails(1);
        assert!(error.contains(path) && !error.contains("nothing to measure"), "{option}: {error}");
    }
    let page = quadrille(SHORT).args("--engine dlx --report - data/random-1000.txt").prints();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("9x9 grids: 25"), "{page}");
    // A refused benchmark leaves no file.
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("results.json");
    let error = quadrille("bench /dev/null -o").arg(path.to_str().expect("text")).fails(2);
    assert!(error.contains("nothing to measure"), "{error}");
    assert_eq!(std::fs::read_dir(directory.path()).expect("there").count(), 0);
}
