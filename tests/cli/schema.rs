//! The JSON Schemas in `docs/schema/` describe exactly what runs write.
//!
//! Objects of a schema refuse members that it does not name, so that a new member without an entry fails
//! here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use quadrille::engine::EngineKind;
use quadrille::output::{Field, Loss};
use quadrille::rating::Technique;
use quadrille::{EndedBy, Status};
use serde_json::{Value, json};

use super::{EMPTY_9X9, POJ, Run, data, objects, quadrille};

/// Names of the files in `docs/schema/`.
const NAMES: [&str; 8] =
    ["statistics", "rows", "marginals", "generate", "bench", "estimate", "checkpoint", "report"];

fn text(name: &str) -> Value {
    let path = format!("{}/docs/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&fs::read_to_string(path).expect("it is in the repository")).expect("JSON")
}

/// All schemas, compiled.
struct Checker {
    schemas: Schemas,
    indices: Vec<SchemaIndex>,
}

impl Checker {
    fn new() -> Self {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        let address = |name: &str| format!("urn:quadrille:schema:{name}");
        for name in NAMES {
            compiler.add_resource(&address(name), text(name)).expect("a schema");
        }
        let mut compile =
            |name| compiler.compile(&address(name), &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        let indices = NAMES.map(&mut compile).to_vec();
        Checker { schemas, indices }
    }

    fn verdict(&self, name: &str, value: &Value) -> Result<(), String> {
        let place = NAMES.iter().position(|other| *other == name).expect("a name of a schema");
        self.schemas.validate(value, self.indices[place]).map_err(|error| format!("{error:#}"))
    }

    #[track_caller]
    fn accepts(&self, name: &str, value: &Value) {
        if let Err(error) = self.verdict(name, value) {
            panic!("{error}\n{value:#}");
        }
    }
}

#[test]
fn marginals_follow_their_schema() {
    let checker = Checker::new();
    let board = quadrille("generate dominoes 12x12").prints();
    for run in [
        quadrille("count --marginals --to jsonl").stdin(board),
        quadrille("count --marginals --to jsonl data/cover/toy-multiplicities.dlx"),
        quadrille("count --marginals --to jsonl --from sets").stdin("1 2\n3\n1 2 3\n"),
        quadrille("count --marginals --to jsonl").stdin("1..............."),
    ] {
        let rows = objects(&run.prints());
        assert!(!rows.is_empty());
        rows.iter().for_each(|row| checker.accepts("marginals", row));
    }
}

fn members(value: &Value) -> BTreeSet<String> {
    value.as_object().expect("an object").keys().cloned().collect()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("written")).expect("JSON")
}

/// Returns puzzles of all kinds, and one record that is not a puzzle.
///
/// Some are easy and some hard, one has no solution, some have several, some have ids, and they have two sides.
fn mixture() -> String {
    let published = data("published.txt");
    let some: String = published.lines().skip(3).take(5).map(|line| format!("{line}\n")).collect();
    format!("{some}bad\n{}\n................\n{}", "1".repeat(81), data("4x4.txt"))
}

/// Fields that every searching verb has.
const FIELDS: &str = "--timings --fields index,line,byte,source,id,puzzle,rules,status,reason,ended_by,count,min_count,\
     clues,guesses,nodes,covers,updates,time_us,engine";

/// Fields about the digits that occur in some solution.
const POSSIBLE: &str =
    "--fields possible,possible_marks,determined,ambiguous,ambiguous_mask,digit_counts,min_digit_counts";

/// Rows as JSON lines, and the statistics, of every verb that has both.
#[test]
fn rows_and_statistics_are_as_their_schemas_say() {
    let checker = Checker::new();
    let fields = FIELDS;
    let runs = [
        (format!("solve {fields},solution,solution_index"), mixture()),
        (format!("solve --unique --audit 1/2 --engine dlx {fields},solution,solution_index"), mixture()),
        (format!("solve {POSSIBLE}"), mixture()),
        (format!("count --limit 5 {POSSIBLE}"), mixture()),
        ("solve --limit 3".to_owned(), "................\n".to_owned()),
        ("solve --all data/cover/toy.dlx".to_owned(), String::new()),
        ("solve --all data/cover/toy.sets --from sets".to_owned(), String::new()),
        (format!("count --limit 5 {fields}"), mixture()),
        (format!("count --engine bitmask --node-limit 3 {fields}"), mixture()),
        ("count data/cover/dominoes8x8.dlx".to_owned(), String::new()),
        (format!("count --rules x {fields}"), "................\n".to_owned()),
        (format!("check --minimal {fields},solution"), mixture()),
        (
            "check --fields redundant,redundant_mask,smallest,smallest_marks,smallest_clues,smallest_bound,backdoor"
                .to_owned(),
            mixture(),
        ),
        ("best --limit 2".to_owned(), "................\n".to_owned()),
        (format!("best {fields},solution,score,bound"), "................\n".to_owned()),
        ("best --node-limit 50".to_owned(), EMPTY_9X9.to_owned()),
        ("best data/cover/toy-costs.dlx".to_owned(), String::new()),
        ("canon".to_owned(), mixture()),
        (
            "canon --form solution --fields canon,transform,band,automorphisms,solution_automorphisms"
                .to_owned(),
            mixture(),
        ),
        (
            "rate --explain --fields er,ep,ed,technique,techniques,steps,rating,rating_error,scale"
                .to_owned(),
            mixture(),
        ),
        (
            "rate --scale guesses-mean --permutations 3 --fields rating,rating_error,scale".to_owned(),
            mixture(),
        ),
        ("rate --scale guesses".to_owned(), mixture()),
        ("rate --fields path,order".to_owned(), mixture()),
        ("rate --until locking --fields after,after_marks,after_clues,missing".to_owned(), mixture()),
        ("dedup --all".to_owned(), mixture() + &mixture()),
        ("overlap data/published.txt -".to_owned(), mixture()),
    ];
    let directory = tempfile::tempdir().expect("a temporary directory");
    let stats = directory.path().join("stats.json");
    let (mut of_rows, mut of_statistics) = (BTreeSet::new(), BTreeSet::new());
    for (words, input) in runs {
        let run =
            quadrille(&words).args("--side any --quiet --to jsonl --stats-out").arg(&stats).stdin(input);
        let ended = run.ends();
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
        let rows = objects(&ended.out);
        assert!(!rows.is_empty(), "{words}");
        for row in &rows {
            checker.accepts("rows", row);
            of_rows.extend(members(row));
        }
        checker.accepts("statistics", &read(&stats));
        of_statistics.extend(members(&read(&stats)));
    }
    let run = quadrille("convert data/formats/rated.csv --to line --quiet --stats-out").arg(&stats);
    assert_eq!(run.ends().code, Some(0));
    checker.accepts("statistics", &read(&stats));
    of_statistics.extend(members(&read(&stats)));
    quadrille("generate minimal --side 4 --method controlled -q --stats-out").arg(&stats).prints();
    checker.accepts("statistics", &read(&stats));
    of_statistics.extend(members(&read(&stats)));
    let out = directory.path().join("rows.txt");
    let run =
        quadrille("solve data/malformed/short-line.txt --on-error fail --quiet --stats-out").arg(&stats);
    run.arg("-o").arg(out).ends_with(3);
    checker.accepts("statistics", &read(&stats));
    of_statistics.extend(members(&read(&stats)));
    let sum = quadrille("stats --json").arg(&stats).arg(&stats).prints();
    checker.accepts("statistics", &serde_json::from_str(&sum).expect("JSON"));

    // Images are written as objects of the input, with members of `augment` under a prefix.
    let images = objects(&quadrille("augment --to jsonl --fields copy").stdin(POJ).prints());
    assert_eq!(images[1]["q_copy"], 1);
    of_rows.insert("copy".to_owned());
    // No schema names a member that runs do not write.
    assert_eq!(of_rows, members(&text("rows")["$defs"]["row"]["properties"]));
    assert_eq!(of_statistics, members(&text("statistics")["properties"]));
}

#[test]
fn estimates_are_as_their_schema_says() {
    let checker = Checker::new();
    let runs = [
        "estimate --json --probes 20 data/4x4.txt",
        "estimate --json --probes 1 data/cover/queens8.dlx",
        "estimate --json --probes 10 data/malformed/short-line.txt",
    ];
    for words in runs {
        let rows = objects(&quadrille(words).ends_with(0).out);
        assert!(!rows.is_empty());
        rows.iter().for_each(|row| checker.accepts("estimate", row));
    }
}

#[test]
fn results_of_bench_and_tables_of_reports_are_as_their_schemas_say() {
    let checker = Checker::new();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [old, stats] = ["old.json", "stats.json"].map(|name| directory.path().join(name));
    let words = "bench --rounds 1 --every 40 --engine dlx,lanes,memo data/malformed/short-line.txt data/random-1000.txt";
    quadrille(words).arg("-o").arg(&old).ends_with(0);
    checker.accepts("bench", &read(&old));
    let parse = |run: Run| serde_json::from_str::<Value>(&run.ends_with(0).out).expect("JSON");
    let compared = parse(quadrille(words).arg("--compare").arg(&old).arg("--json"));
    checker.accepts("bench", &compared);
    assert_eq!(members(&compared), members(&text("bench")["properties"]));
    checker.accepts("bench", &parse(quadrille("bench --count --rounds 1 --json data/cover/toy.dlx")));

    quadrille("solve data/random-1000.txt --quiet -o")
        .arg(directory.path().join("rows"))
        .arg("--stats-out")
        .arg(&stats)
        .prints();
    for path in [&old, &stats] {
        checker.accepts("report", &parse(quadrille("report --to json").arg(path)));
    }
}

#[test]
fn checkpoints_are_as_their_schema_says() {
    let checker = Checker::new();
    let mut of_bodies = BTreeSet::new();
    // A comparison that has not begun to write has a journal.
    for (words, code) in [
        ("solve data/malformed/short-line.txt --on-error fail", 3),
        ("dedup data/random-1000.txt --deadline 0s", 4),
    ] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let checkpoint = directory.path().join("run.checkpoint");
        let run = quadrille(words).args("--quiet --checkpoint");
        let run = run.arg(&checkpoint).arg("-o").arg(directory.path().join("rows"));
        run.arg("--rejects").arg(directory.path().join("rejects")).ends_with(code);
        let lines = objects(&fs::read_to_string(&checkpoint).expect("it stays"));
        assert_eq!(lines.len(), 2);
        lines.iter().for_each(|line| checker.accepts("checkpoint", line));
        of_bodies.extend(members(&lines[1]));
    }
    assert_eq!(of_bodies, members(&text("checkpoint")["$defs"]["body"]["properties"]));
}

#[test]
fn generated_rows_are_as_their_schema_says() {
    let checker = Checker::new();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let out = directory.path().join("rows.jsonl");
    let mut of_rows = BTreeSet::new();
    for (words, more) in [
        ("puzzles --rating 1.2..9.0", "rating"),
        ("minimal --count 2", "rating"),
        ("minimal --side 4 --method controlled", "weight,orders"),
    ] {
        let fields = format!("--fields index,puzzle,solution,clues,guesses,{more}");
        quadrille(&format!("generate {words} {fields} --quiet -o")).arg(&out).prints();
        let rows = objects(&fs::read_to_string(&out).expect("written"));
        assert!(!rows.is_empty());
        for row in &rows {
            checker.accepts("generate", row);
            of_rows.extend(members(row));
        }
    }
    assert_eq!(of_rows, members(&text("generate")["properties"]));
}

#[test]
fn rows_of_a_source_with_columns_have_its_columns() {
    let checker = Checker::new();
    let csv = format!("id,puzzle,size,count\n7,{},x,[]\n", POJ.trim());
    let json = format!("{{\"puzzle\":\"{}\",\"count\":{{}}}}\n", POJ.trim());
    for words in ["solve", "count --limit 2", "check", "rate", "overlap data/published.txt -"] {
        for input in [&csv, &json] {
            let rows = objects(&quadrille(&format!("{words} -q --to jsonl")).stdin(input.as_str()).prints());
            assert!(!rows.is_empty());
            for mut row in rows {
                checker.accepts("rows", &row);
                row["q_status"] = json!(2);
                assert!(checker.verdict("rows", &row).is_err(), "{row}");
            }
        }
    }
}

/// Collects every schema object with named members, with the path of keys that leads to it.
fn closed_objects(schema: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    match schema {
        Value::Object(map) => {
            if map.contains_key("properties") && map["properties"].is_object() && map.contains_key("type") {
                found.push((path.to_owned(), schema.clone()));
            }
            map.iter().for_each(|(key, value)| closed_objects(value, &format!("{path}/{key}"), found));
        }
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(number, value)| closed_objects(value, &format!("{path}/{number}"), found)),
        _ => {}
    }
}

#[test]
fn a_member_without_a_schema_is_refused() {
    for name in NAMES {
        let mut found = Vec::new();
        closed_objects(&text(name), name, &mut found);
        assert!(!found.is_empty());
        for (path, object) in found {
            assert_eq!(object["additionalProperties"], json!(false), "{path}");
        }
    }
    let checker = Checker::new();
    let mut row = objects(&quadrille("solve --to jsonl").stdin(super::POJ).prints()).remove(0);
    checker.accepts("rows", &row);
    row["new"] = json!(1);
    assert!(checker.verdict("rows", &row).is_err_and(|error| error.contains("new")));
}

#[test]
fn every_field_and_every_member_of_statistics_is_described() {
    let document = |name| {
        let path = format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(path).expect("it is in the repository")
    };
    let (rows, statistics) =
        (members(&text("rows")["$defs"]["row"]["properties"]), members(&text("statistics")["properties"]));
    let fields: Vec<_> = Field::all().map(|field| field.name().to_owned()).collect();
    for name in &fields {
        assert!(rows.contains(name), "docs/schema/rows.schema.json lacks the field {name}");
    }
    let fields = fields.into_iter().collect();
    for (page, names) in [("FORMATS.md", fields), ("schema/README.md", statistics)] {
        let text = document(page);
        for name in names {
            let is_listed =
                text.lines().any(|line| line.starts_with('|') && line.contains(&format!("`{name}`")));
            assert!(is_listed, "docs/{page} has no table row for {name}");
        }
    }
}

/// The schemas also list values that the runs above do not produce.
#[test]
fn schemas_have_all_words() {
    let words = |list: &mut dyn Iterator<Item = &'static str>| json!(list.collect::<Vec<_>>());
    let statuses = words(&mut Status::ALL.iter().map(|status| status.word()));
    let ends = words(&mut EndedBy::ALL.iter().map(|ended_by| ended_by.word()));
    let engines = words(&mut EngineKind::all().map(EngineKind::name));
    for name in NAMES {
        let defs = &text(name)["$defs"];
        for (key, expected) in [("status", &statuses), ("ended_by", &ends), ("engine", &engines)] {
            if !defs[key].is_null() {
                assert_eq!(&defs[key]["enum"], expected, "{key} in {name}");
            }
        }
    }
    let (rows, statistics) = (text("rows"), text("statistics"));
    assert_eq!(rows["$defs"]["technique"]["enum"], words(&mut Technique::all().map(Technique::name)));
    let lost = &statistics["properties"]["lost"]["propertyNames"]["enum"];
    assert_eq!(*lost, words(&mut Loss::ALL.iter().map(|loss| loss.word())));
    let fields = quadrille::output::Field::all().map(|field| field.name().to_owned());
    assert!(fields.collect::<BTreeSet<_>>().is_subset(&members(&rows["$defs"]["row"]["properties"])));
}
