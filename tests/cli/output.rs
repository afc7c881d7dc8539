//! Output formats, fields and files, and outputs that cannot be written.

use std::fs;
use std::process::Stdio;

use quadrille::output::{Field, Verb};

use super::{EMPTY_9X9, POJ, POJ_SOLVED, data, objects, quadrille};

fn mixed() -> String {
    format!("{POJ} # one\n55{}abc\n{EMPTY_9X9}", &EMPTY_9X9[2..])
}

#[test]
fn a_table_keeps_its_columns_and_gets_more() {
    let text = quadrille("solve --unique data/kaggle-1000.csv --to csv").prints();
    let input = data("kaggle-1000.csv");
    assert_eq!(text.lines().count(), 1001);
    for (number, (line, given)) in text.lines().zip(input.lines()).enumerate() {
        let ours = line.strip_prefix(given).expect("the input's columns are unchanged");
        if number == 0 {
            assert_eq!(ours, ",q_status,q_solution,q_reason,q_ended_by");
        } else {
            let solution = given.split(',').nth(1).expect("two columns");
            assert_eq!(ours, format!(",unique,{solution},,complete"));
        }
    }
}

#[test]
fn quoted_columns_are_kept_byte_for_byte() {
    // Doubled quotes; a delimiter and line ends between quotes; quotes within a field; a byte order mark
    // within the table.
    let notes =
        ["\"say \"\"no\"\"\"", "\"a;b\"", "\"two\nlines\"", "\"two\r\nlines\"", "5\" disk", "\u{feff}\"x\""];
    for (mark, end) in [("", "\n"), ("\u{feff}", "\n"), ("", "\r\n")] {
        let rows: String = notes.iter().map(|note| format!("{note};\"{POJ}\";last{end}")).collect();
        let table = format!("{mark}\"note\";puzzle;\"the \"\"last\"\"\"{end}{rows}");
        let text = quadrille("solve --to csv --fields status,puzzle").stdin(table).prints();
        let mut rest = text
            .strip_prefix(&*format!("{mark}\"note\";puzzle;\"the \"\"last\"\"\";q_status;q_puzzle{end}"))
            .expect("the header");
        for note in notes {
            let row = format!("{note};\"{POJ}\";last;solved;{POJ}{end}");
            rest = rest.strip_prefix(&row).unwrap_or_else(|| panic!("{row:?} before {rest:?}"));
        }
        assert_eq!(rest, "");
    }
    // A stray or unclosed quote costs one record, wherever it is.
    let rows =
        [format!("\"a\"b;{POJ};c"), format!("\"a;{POJ};c"), format!("d;{POJ};\"e\""), format!("f;{POJ};\"g")];
    let text = quadrille("solve --to csv --fields status,reason")
        .stdin(format!("note;puzzle;last\n{}", rows.join("\n")))
        .ends()
        .out;
    let open = "invalid;a quoted field is not closed\n";
    assert_eq!(
        text,
        format!(
            "note;puzzle;last;q_status;q_reason\n\"a\"b;{POJ};c;invalid;text after the closing quote of a field\n\
             \"\"\"a;{POJ};c\";;;{open}d;{POJ};\"e\";solved;\nf;{POJ};\"\"\"g\";{open}"
        )
    );
}

#[test]
fn csv_of_lines_has_a_header_and_quotes() {
    let text =
        quadrille("solve --to csv --fields id,status,reason").stdin(format!("{POJ} # a, \"b\"\n")).prints();
    assert_eq!(text, "id,status,reason\n\"a, \"\"b\"\"\",solved,\n");
}

#[test]
fn jsonl_is_one_object_per_line() {
    for verb in ["solve", "solve --unique", "solve --limit 2", "count --limit 9", "check"] {
        let rows = objects(&quadrille(verb).args("-q --to jsonl").stdin(mixed()).prints());
        assert!(rows.len() >= 4, "{verb}");
        for row in &rows {
            assert!(row.get("schema").is_none(), "{verb}: only files have a schema");
            assert!(row["index"].is_u64(), "{verb}");
        }
    }
    let rows = objects(&quadrille("solve -q --to jsonl").stdin(mixed()).prints());
    let words: Vec<&str> = rows.iter().filter_map(|row| row["status"].as_str()).collect();
    assert_eq!(words, ["solved", "none", "invalid", "solved"]);
    assert_eq!(rows[0]["solution"], POJ_SOLVED);
    assert_eq!(rows[1]["reason"], "two 5s in row 1");
}

#[test]
fn every_field_can_be_chosen() {
    let names_of =
        |verb| -> Vec<&str> { Field::all().filter(|field| field.is_of(verb)).map(Field::name).collect() };
    // Rating fields belong to verbs that look for a second solution.
    for (words, verb) in
        [("rate", Verb::Rate { by_steps: true }), ("solve --unique", Verb::Solve), ("check", Verb::Check)]
    {
        let names = names_of(verb);
        let run = quadrille(&format!("{words} --to jsonl --fields")).arg(names.join(", "));
        let rows = objects(&run.stdin(mixed()).prints());
        for name in &names {
            assert!(rows[0].as_object().is_some_and(|row| row.contains_key(*name)), "{words}: {name}");
        }
    }
    let names = names_of(Verb::Solve);
    let all = names.join(", ");
    let header = quadrille("solve --unique --to csv --fields").arg(&all).stdin("").prints();
    assert_eq!(header.trim_end(), names.join(","));
    let text = quadrille("solve --unique --fields").arg(&all).stdin(POJ).prints();
    assert_eq!(text.trim_end_matches('\n').split('\t').count(), names.len());
}

#[test]
fn grids_are_drawn() {
    let text = quadrille("solve --to grid").stdin(POJ).prints();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(digits, POJ_SOLVED, "{text}");
    assert!(text.lines().count() >= 9, "{text}");
}

#[test]
fn rows_can_be_filtered_by_status() {
    let only = |statuses: &str| {
        quadrille("solve --fields index,status --only").arg(statuses).stdin(mixed()).prints()
    };
    assert_eq!(only("none,invalid"), "2\tnone\n3\tinvalid\n");
    assert_eq!(only("solved"), "1\tsolved\n4\tsolved\n");
    assert_eq!(only("unknown"), "");
}

#[test]
fn a_status_may_fail_the_run() {
    let status = |words: &str| {
        let ended = quadrille("solve --fail-on").args(words).stdin(mixed()).ends();
        assert_eq!(ended.out.lines().count(), 4);
        ended.code
    };
    assert_eq!((status("none"), status("unknown,invalid"), status("unknown")), (Some(5), Some(5), Some(0)));
}

#[test]
fn rows_out_of_order_carry_their_number() {
    let text = quadrille("solve --unordered -j2 --chunk-bytes 200 data/random-1000.txt").prints();
    let mut rows: Vec<(usize, &str)> = text
        .lines()
        .map(|line| line.split_once('\t').expect("number and answer"))
        .map(|(number, answer)| (number.parse().expect("a number"), answer))
        .collect();
    rows.sort_unstable();
    let ordered = quadrille("solve data/random-1000.txt").prints();
    let expected: Vec<(usize, &str)> = (1..).zip(ordered.lines()).collect();
    assert_eq!(rows, expected);
}

#[test]
fn a_file_gets_its_name_when_it_is_complete() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("out.txt");
    fs::write(&file, "old\n").expect("written");
    assert_eq!(quadrille("solve data/poj2676.txt -o").arg(&file).prints(), "");
    assert_eq!(fs::read_to_string(&file).expect("there"), format!("{POJ_SOLVED}\n"));
    let names: Vec<_> = fs::read_dir(directory.path()).expect("there").flatten().collect();
    assert_eq!(names.len(), 1, "nothing else is left: {names:?}");
}

#[test]
fn an_incomplete_file_keeps_its_partial_name() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("out.txt");
    fs::write(&file, "old\n").expect("written");
    let error = quadrille("solve --on-error fail -o").arg(&file).stdin(format!("{POJ}\nbad\n")).fails(3);
    assert!(error.contains("out.txt.partial"), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("untouched"), "old\n");
    let partial = directory.path().join("out.txt.partial");
    assert!(fs::read_to_string(partial).expect("kept").starts_with(POJ_SOLVED));
}

#[test]
fn an_input_is_never_overwritten() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("puzzles.txt");
    fs::write(&file, POJ).expect("written");
    for option in ["-o", "--rejects"] {
        let error = quadrille("solve").arg(&file).arg(option).arg(&file).fails(2);
        assert!(error.contains("would be overwritten"), "{option}: {error}");
    }
    assert_eq!(fs::read_to_string(&file).expect("there"), POJ);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_clear_error() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    for (verb, input) in [("solve", "data/random-1000.txt"), ("count", "data/4x4.txt")] {
        let mut run = quadrille(verb).arg(input);
        let output = run.command.stdin(Stdio::null()).stdout(full()).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert_eq!(error.matches("No space left on device").count(), 1, "{error}");
    }
    for words in ["--version", "help", "help solve", "solve --help --all", "solve --rules list"] {
        let mut run = quadrille(words);
        let output = run.command.stdin(Stdio::null()).stdout(full()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{words}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("No space left on device"), "{words}");
    }
    let error = quadrille("solve data/random-1000.txt -o /dev/full").fails(1);
    assert_eq!(error.lines().count(), 1, "a device has no partial file: {error}");
    let error = quadrille("solve data/poj2676.txt --stats-out /dev/full").ends();
    assert_eq!(error.code, Some(1), "{}", error.err);
}

#[test]
fn a_csv_without_rows_still_has_its_header() {
    let header = quadrille("solve --to csv").stdin("puzzle,solution\n").prints();
    assert!(header.starts_with("puzzle,solution,q_"), "{header}");
    assert_eq!(header.lines().count(), 1);
}
