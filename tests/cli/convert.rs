//! `convert`: nothing is lost without a message, and every format can be read back.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(feature = "parquet")]
use std::sync::Arc;

use super::resume::{Case, Way, corpus, survives_behind_checkpoints};
use super::{EMPTY_9X9, POJ, POJ_SOLVED, data, objects, quadrille};

/// Text formats that hold plain puzzles of any side.
const TEXTS: [&str; 7] = ["line", "csv", "jsonl", "grid", "framed", "integers", "iss"];

/// Returns the checksum that the program computes of a file when it converts the file to lines.
fn checksum(path: &Path) -> String {
    let statistics = path.with_extension("stats");
    quadrille("convert -q -o")
        .arg(path.with_extension("sum"))
        .arg("--stats-out")
        .arg(&statistics)
        .arg(path)
        .ends();
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&statistics).expect("written")).expect("JSON");
    json["checksum"].as_str().expect("a checksum").to_owned()
}

fn directory() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_owned();
    (directory, move |name: &str| path.join(name))
}

#[test]
fn every_format_gives_the_puzzles_back() {
    let (_directory, at) = directory();
    for (name, formats) in [
        ("random-1000.txt", &[&TEXTS[..], &["sdk", "pencilmarks"]].concat()[..]),
        ("4x4.txt", &TEXTS),
        ("6x6.txt", &TEXTS),
        ("12x12.txt", &TEXTS),
        ("16x16.txt", &TEXTS),
        ("25x25.txt", &["line", "csv", "jsonl", "grid", "framed"]),
        ("formats/pencilmarks.txt", &["csv", "jsonl", "pencilmarks", "iss"]),
    ] {
        let input = format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"));
        let plain = at("plain.txt");
        let own = if name.contains("pencilmarks") { "pencilmarks" } else { "line" };
        quadrille("convert --to").arg(own).arg(&input).arg("-o").arg(&plain).prints();
        for format in formats {
            let out = at("out");
            quadrille("convert --to").arg(format).arg(&plain).arg("-o").arg(&out).prints();
            let again = quadrille("convert --to").arg(own).arg(&out).prints();
            assert_eq!(again, fs::read_to_string(&plain).expect("written"), "{name} as {format}");
            if own == "line" {
                assert_eq!(checksum(&out), checksum(&plain), "{name} as {format}");
            }
        }
    }
}

#[test]
fn marks_of_cells_are_kept_or_refused() {
    let (_directory, at) = directory();
    let marked = quadrille("convert data/uva1461-variants.txt").prints();
    assert!(marked.contains('e') && marked.contains('o') && marked.contains('a'), "{marked}");
    fs::write(at("marked.txt"), &marked).expect("written");
    for format in ["csv", "jsonl", "grid", "framed", "sdk"] {
        let other = quadrille("convert --to").arg(format).arg(at("marked.txt")).prints();
        assert_eq!(quadrille("convert").stdin(other).prints(), marked, "{format}");
    }
    // Integers can hold none of these marks; a list of candidates cannot hold letters.
    let even = format!("e{}", &EMPTY_9X9[1..]);
    for (format, text, word, filled) in [
        ("integers", &*even, "parities", "0 0 0"),
        ("integers", &*marked, "letters", "0 4"),
        ("pencilmarks", &*marked, "letters", "1"),
        ("iss", &*marked, "letters", "~"),
    ] {
        let ended = quadrille("convert --to").arg(format).stdin(text).ends_with(3);
        let said = format!("{format} cannot hold");
        assert!(ended.err.contains(&said) && ended.err.contains(word), "{}", ended.err);
        assert!(ended.err.contains("were not written") || ended.err.contains("was not written"));
        let ended = quadrille("convert --lossy --to").arg(format).stdin(text).ends_with(0);
        assert!(
            ended.err.contains("dropped data that the output cannot hold: ") && ended.err.contains(word),
            "{}",
            ended.err
        );
        assert_eq!(ended.out.lines().count(), text.lines().count());
        assert!(ended.out.contains(filled), "{}", ended.out);
    }
    let rules = ".~R1C1_8.Cage~9~R1C1~R1C2\n.AntiKnight.~R1C1_8\n.~R1C1_8\n";
    let ended = quadrille("convert --to grid").stdin(rules).ends_with(3);
    assert_eq!(ended.out.lines().count(), 10);
    assert!(ended.err.contains("grid cannot hold rules (2 records: "), "{}", ended.err);
    let kept = quadrille("convert --to iss").stdin(rules).prints();
    assert_eq!(quadrille("convert --to iss").stdin(&*kept).prints(), kept);
    assert_eq!(kept.lines().nth(1), Some(".~R1C1_8.AntiKnight"));
    // Rule strings as long as rows of grids are not taken for rows.
    for strings in [".Shape~9x9\n.Shape~9x9\n", ".~R1C8_1\n.~R7C1_4\n", "# one\n.~R1C1_2~R9C9_1\n"] {
        let lines = quadrille("convert").stdin(strings).prints();
        let given = strings.lines().filter(|line| !line.starts_with('#'));
        let again = quadrille("convert --to iss").stdin(lines).prints();
        assert!(again.lines().eq(given), "{again}");
    }
    let iss = quadrille("convert --to iss").stdin(&*even).prints();
    assert_eq!(iss, ".~R1C1_2_4_6_8\n");
    assert_eq!(quadrille("convert --to pencilmarks").stdin(&*even).prints()[..10], *".2.4.6.8.1");
}

#[test]
fn rules_are_kept_by_every_format_that_can_hold_them() {
    let (_directory, at) = directory();
    let mut kinds = 0;
    for entry in fs::read_dir("data/variants").expect("listed") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        kinds += 1;
        // Rules may be in a column, in an object, alone on a line or in an older notation. They are written
        // alike.
        let iss = quadrille("convert --to iss").arg(&path).prints();
        for format in ["line", "csv", "jsonl"] {
            let written = quadrille("convert --to").arg(format).arg(&path).prints();
            let again = quadrille("convert --to iss").stdin(&*written).prints();
            assert_eq!(again, iss, "{} as {format}", path.display());
            let twice = quadrille("convert --to").arg(format).stdin(&*written).prints();
            assert_eq!(twice, written, "{} as {format}", path.display());
        }
    }
    assert!(kinds > 30);
    // A column of the input stays a column, and regions become an item in the column of rules.
    let empty = EMPTY_9X9.trim_end();
    let layout = "aabbaabbccddccdd";
    let csv = format!(
        "n,rules,puzzle\n1,windoku,{empty}\n2,,{empty}\n3,.~R1C1_5,{empty}\n4,,.~R1C1_5.AntiKnight\n5,x,\"{empty} .AntiKing\"\n"
    );
    fs::write(at("rules.csv"), csv).expect("written");
    let knights = ".AntiKnight";
    let rows = format!(
        "n,rules,puzzle\n1,.Windoku,{empty}\n2,,{empty}\n3,,5{rest}\n4,{knights},5{rest}\n5,.AntiKing.Diagonal~1.Diagonal~-1,{empty}\n",
        rest = &empty[1..]
    );
    assert_eq!(quadrille("convert --to csv").arg(at("rules.csv")).prints(), rows);
    let regions = format!("puzzle;regions\n{};{layout}\n", ".".repeat(16));
    let rows = format!("puzzle,regions,rules\n{},,.NoBoxes.Jigsaw~0011001122332233\n", ".".repeat(16));
    assert_eq!(quadrille("convert --to csv").stdin(&*regions).prints(), rows);
    let objects = format!("{{\"a\":1,\"puzzle\":\"{empty}\",\"rules\":\"x1\",\"b\":2}}\n");
    let written = format!("{{\"a\":1,\"puzzle\":\"{empty}\",\"rules\":\".Diagonal~1\",\"b\":2}}\n");
    assert_eq!(quadrille("convert --to jsonl").stdin(&*objects).prints(), written);
    // Rules given on the command line are written too, even if only the puzzle column is written.
    let run = quadrille("convert --bare --to csv --rules x1").arg(at("rules.csv")).prints();
    assert!(run.starts_with(&format!("puzzle\n{empty}\t.Diagonal~1.Windoku\n")), "{run}");
    let solved = |text: &str| quadrille("solve --to csv --fields solution").stdin(text).prints();
    let solutions = |text: &str| {
        let rows = solved(text);
        rows.lines()
            .skip(1)
            .map(|row| row.rsplit(',').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let original = fs::read_to_string(at("rules.csv")).expect("read");
    let lines = quadrille("convert").arg(at("rules.csv")).ends_with(0).out;
    assert_eq!(solutions(&lines), solutions(&original));
}

#[test]
fn dropped_data_is_reported_with_its_place() {
    let (_directory, at) = directory();
    let ended = quadrille("convert data/malformed/short-line.txt").ends_with(3);
    assert_eq!(ended.out.lines().count(), 2);
    assert_eq!(
        ended.err,
        "quadrille: 1 record was not written:\n  invalid: # characters: no grid has this many cells \
         (1 record: data/malformed/short-line.txt:2)\n"
    );
    let rejects = at("rejects");
    let run = || quadrille("convert data/malformed/short-line.txt --discard-partial --rejects").arg(&rejects);
    let ended = run().args("--on-error skip").ends_with(0);
    assert!(ended.err.contains("1 record was not written"), "{}", ended.err);
    let lines = fs::read_to_string(&rejects).expect("written");
    assert!(lines.starts_with("2\t82\t80 characters"), "{lines}");
    assert!(run().args("--on-error fail").ends_with(3).err.contains("80 characters"));
    assert_eq!(run().args("--max-rejects 1").ends_with(0).out.lines().count(), 2);
    assert_eq!(run().args("--max-rejects 0").ends_with(3).out.lines().count(), 1);
    assert_eq!(run().args("-q").ends_with(3).err, "");
    // Records that the output format cannot hold go to the rejects too.
    let mixed = format!("{POJ}\n1..............4\n{POJ}\n");
    let ended = quadrille("convert --side any --to pencilmarks --discard-partial --rejects")
        .arg(&rejects)
        .stdin(&*mixed)
        .ends_with(3);
    assert_eq!(ended.out.lines().count(), 2);
    assert!(
        fs::read_to_string(&rejects).expect("written").starts_with("2\t82\tpencilmarks are only for 9x9")
    );
    let ended = quadrille("convert --side any --to pencilmarks --max-rejects 0").stdin(mixed).ends_with(3);
    assert_eq!(ended.out.lines().count(), 1);
    // The exit status shows that no record, or only some, could be converted, as for every verb.
    assert!(
        quadrille("convert").stdin("nothing\n").ends_with(6).err.contains("the record could not be read")
    );
    let ended = quadrille("convert data/cover/toy.dlx").ends_with(3);
    assert!(ended.err.contains("an exact cover problem is not a grid"), "{}", ended.err);
}

#[test]
fn data_next_to_puzzles_is_kept_by_formats_that_can_hold_it() {
    let (_directory, at) = directory();
    let rows = format!(
        "name;id;Quizzes;solutions;n\n\"a; \"\"b\"\"\nc\";7;{POJ};{POJ_SOLVED};1\n;\"x\n\"\"y\"\"\";{POJ};;\nz;;{POJ};{};2\n",
        "9".repeat(81)
    );
    let input = at("in.csv");
    fs::write(&input, &rows).expect("written");
    let dotted = POJ.replace('0', ".");
    // To lines: ids follow a tab if they can be read there.
    let ended = quadrille("convert").arg(&input).ends_with(0);
    assert_eq!(ended.out, format!("{dotted}\t7\n{dotted}\n{dotted}\n"));
    assert_eq!(
        ended.err,
        format!(
            "quadrille: warning: dropped data that the output cannot hold: columns of 2 records, ids of 1 record, \
             solutions of 2 records\n  {}: id (1 record), n (2 records), name (2 records)\n",
            input.display()
        )
    );
    assert_eq!(quadrille("convert --bare").arg(&input).prints(), format!("{dotted}\n").repeat(3));
    // To CSV: the same columns, also with another delimiter.
    let csv = quadrille("convert --to csv --to-blank 0").arg(&input).prints();
    let mut reader = csv::ReaderBuilder::new().from_reader(csv.as_bytes());
    assert_eq!(reader.headers().expect("a header"), vec!["name", "id", "Quizzes", "solutions", "n"]);
    let mut given = csv::ReaderBuilder::new().delimiter(b';').from_reader(rows.as_bytes());
    assert!(given.records().map(Result::unwrap).eq(reader.records().map(Result::unwrap)), "{csv}");
    let again = quadrille("convert --to csv --to-blank 0 --delimiter ;").stdin(&*csv).prints();
    assert_eq!(again, rows);
    // To JSON: columns become members, and back.
    let json = quadrille("convert --to jsonl").arg(&input).prints();
    let all = objects(&json);
    assert_eq!(
        (&all[0]["name"], &all[0]["id"], &all[0]["solutions"]),
        (&"a; \"b\"\nc".into(), &"7".into(), &POJ_SOLVED.into())
    );
    assert_eq!((&all[1]["id"], &all[1]["Quizzes"]), (&"x\n\"y\"".into(), &(&*dotted).into()));
    assert_eq!(quadrille("convert --to csv --to-blank 0 --delimiter ;").stdin(&*json).prints(), rows);
    // Formats without columns get columns of their own.
    let line = format!("{dotted} # Platinum, Blonde\n{dotted}\n");
    let csv = quadrille("convert --to csv").stdin(&*line).prints();
    assert_eq!(csv, format!("puzzle,id\n{dotted},\"Platinum, Blonde\"\n{dotted},\n"));
    let json = quadrille("convert --to jsonl").stdin(&*line).prints();
    assert_eq!(
        json,
        format!("{{\"puzzle\":\"{dotted}\",\"id\":\"Platinum, Blonde\"}}\n{{\"puzzle\":\"{dotted}\"}}\n")
    );
    assert_eq!(quadrille("convert").stdin(csv).prints(), format!("{dotted}\tPlatinum, Blonde\n{dotted}\n"));
}

#[test]
fn members_of_objects_are_kept_byte_for_byte() {
    let first = r#"{"n":1.50,"puzzle":"1...............","x":{"a":[1,null]},"id":"q\u0031"}"#;
    let second = r#"{"puzzle":"2...............","solution":null,"big":12345678901234567890}"#;
    let input = format!("{first}\n\n{second}\n");
    let json = quadrille("convert --to jsonl").stdin(&*input).prints();
    assert_eq!(json, format!("{first}\n{second}\n"));
    // The CSV columns are those of the first object.
    let ended = quadrille("convert --to csv").stdin(&*input).ends_with(0);
    assert_eq!(
        ended.out,
        "n,puzzle,x,id\n1.50,1...............,\"{\"\"a\"\":[1,null]}\",q1\n,2...............,,\n"
    );
    assert!(ended.err.contains("columns of 1 record"), "{}", ended.err);
    let ended = quadrille("convert").stdin(&*input).ends_with(0);
    assert_eq!(ended.out, "1...............\tq1\n2...............\n");
    assert!(ended.err.contains("columns of 2 records"), "{}", ended.err);
}

#[test]
fn several_sources_go_into_the_columns_of_the_first() {
    let (_directory, at) = directory();
    fs::write(at("a.csv"), "id,puzzle,n\n1,1...............,x\n").expect("written");
    fs::write(at("b.csv"), "n;puzzle;more;id\ny;2...............;lost;2\n").expect("written");
    fs::write(at("c.txt"), "3............... third\n").expect("written");
    let all = || quadrille("convert").arg(at("a.csv")).arg(at("b.csv")).arg(at("c.txt"));
    let ended = all().args("--to csv").ends_with(0);
    assert_eq!(
        ended.out,
        "id,puzzle,n\n1,1...............,x\n2,2...............,y\nthird,3...............,\n"
    );
    assert_eq!(
        ended.err,
        format!(
            "quadrille: warning: dropped data that the output cannot hold: columns of 1 record\n  {}: more (1 record)\n  \
             (--to jsonl keeps the columns of all sources)\n",
            at("b.csv").display()
        )
    );
    let json = all().args("--to jsonl").prints();
    assert_eq!(objects(&json)[1]["more"], "lost");
    let ended = all().args("--to csv --no-header -j1").ends_with(0);
    assert!(ended.out.starts_with("1,1....") && ended.err.contains("columns of 1 record"));
}

#[test]
fn output_does_not_depend_on_threads_or_on_how_bytes_arrive() {
    let mut text = corpus(3);
    text.push_str("12.............. # id\n");
    let plain = |threads: &str, chunk: &str, format: &str| {
        let run = quadrille("convert --on-error skip")
            .args(&format!("{threads} --chunk-bytes {chunk} --to {format}"));
        let ended = run.stdin(&*text).ends_with(0);
        (ended.out, ended.err)
    };
    for format in TEXTS {
        let one = plain("-j1", "256k", format);
        for (threads, chunk) in [("-j2", "1k"), ("-j4", "100"), ("-j8", "64k")] {
            assert!(one == plain(threads, chunk, format), "{format} {threads}");
        }
    }
}

#[test]
fn conversions_survive_kills() {
    for (way, words) in [
        (Way::Gzip, "convert --to csv --on-error skip --chunk-bytes 4k"),
        (Way::Pipe, "convert --to framed --on-error skip -j4 --chunk-bytes 2k"),
    ] {
        survives_behind_checkpoints(&Case::new(way, words, corpus(60)), 4);
    }
}

#[test]
fn formats_follow_from_names() {
    let (_directory, at) = directory();
    for (name, begins) in [
        ("x.csv", "quizzes,solutions\n"),
        ("x.TSV", "quizzes\tsolutions\n"),
        ("x.jsonl", "{\"quizzes\":\""),
        ("x.sdk", "[Puzzle]\n6....."),
        ("x.ss", "+-------+"),
        ("x.iss", ".~R1C1_6~"),
        ("x.txt", "6....."),
        ("x", "6....."),
    ] {
        quadrille("convert -q data/kaggle-1000.csv -o").arg(at(name)).prints();
        let text = fs::read_to_string(at(name)).expect("written");
        assert!(text.starts_with(begins), "{name}: {}", &text[..100]);
    }
    for name in ["x.csv.xz", "x.pdf"] {
        assert!(quadrille("convert data/4x4.txt -o").arg(at(name)).fails(2).contains("cannot write "));
        assert!(!at(name).exists());
    }
    // The `--to` option takes precedence over the file name.
    quadrille("convert data/4x4.txt --to grid -o").arg(at("y.csv")).prints();
    assert!(fs::read_to_string(at("y.csv")).expect("written").starts_with("....\n"));
}

#[test]
fn contradictory_options_of_convert_are_refused() {
    let cases = [
        ("--to-blank x", "expected one of . 0 * _ - ?"),
        ("--to-blank", "a value is required"),
        ("--to grid --to-blank -", "a row of - would be read as a frame"),
        ("--to integers --to-blank 0", "integers has its own digits"),
        ("--to iss --to-symbols A-Z", "iss has its own digits"),
        ("--to-symbols integers", "--to integers"),
        ("--delimiter ;", "line has no delimiter"),
        ("--to csv --delimiter blank", "cannot be the delimiter of csv"),
        ("--to csv --delimiter ab", "expected one of , ; | tab blank"),
        (
            "--to contest",
            "[possible values: line, csv, jsonl, grid, framed, sdk, pencilmarks, candidates, hodoku, opensudoku, integers, iss, parquet, arrow, html, svg]",
        ),
        ("--to-symbols 0-9A-Z --to-blank 0", "0 is a digit of 0-9A-Z"),
        ("--on-error row", "[possible values: report, skip, fail]"),
        ("--box 2x3 --side 9", "do not make a side"),
        ("-j 1025", "expected a whole number from 0 to 1,024"),
    ];
    for (words, said) in cases {
        let error = quadrille("convert data/random-1000.txt").args(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
    let (_directory, at) = directory();
    fs::write(at("same.csv"), data("kaggle-1000.csv")).expect("written");
    let error = quadrille("convert").arg(at("same.csv")).arg("-o").arg(at("same.csv")).fails(2);
    assert!(error.contains("same.csv"), "{error}");
    assert_eq!(fs::read_to_string(at("same.csv")).expect("it is there"), data("kaggle-1000.csv"));
    assert!(quadrille("convert no-such-file").fails(1).contains("no-such-file"));
    let said = quadrille("convert --box 3x2 data/6x6.txt -o").arg(at("six.txt")).ends_with(0).err;
    assert!(said.contains("no format holds the shape of boxes"), "{said}");
}

#[test]
fn bytes_that_are_not_utf8_are_reported_or_kept() {
    // A column that is not UTF-8.
    let rows = [&b"name,puzzle\n"[..], b"caf\xe9,1...............\n", b"ok,2...............\n"].concat();
    let ended = quadrille("convert --to jsonl").stdin(rows.clone()).ends_with(0);
    assert!(
        ended.err.contains("dropped data that the output cannot hold: bytes of 1 record"),
        "{}",
        ended.err
    );
    // Column names that are not UTF-8, and two equal names, which become distinct members.
    let rows = [&b"caf\xe9,a,a,puzzle\n"[..], b"x,y,z,1...............\n"].concat();
    let ended = quadrille("convert --to jsonl").stdin(rows.clone()).ends_with(0);
    assert!(ended.out.contains("\"a\":\"y\",\"a_2\":\"z\","), "{}", ended.out);
    assert!(ended.err.contains("bytes of 1 record"), "{}", ended.err);
    let mut run = quadrille("convert --to csv");
    run.stdin = rows.clone();
    let mut child = run.starts();
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), &rows).expect("taken");
    assert_eq!(child.wait_with_output().expect("it ends").stdout, rows);
    // Comments and empty lines are not records; `--keep-lines` keeps the line numbers aligned.
    let text = format!("# a comment\n\n{POJ}\n");
    assert_eq!(quadrille("convert --to-blank 0").stdin(&*text).prints(), format!("{POJ}\n"));
    assert_eq!(quadrille("convert --to-blank 0 --keep-lines").stdin(&*text).prints(), format!("\n\n{POJ}\n"));
    assert_eq!(quadrille("convert --to csv").stdin("").ends().out, "puzzle,id\n");
    // Even if every row is invalid, only a few messages are printed.
    let all_wrong = "1\n".repeat(3) + &"12345\n".repeat(5000);
    let ended = quadrille("convert").stdin(all_wrong).ends_with(6);
    assert_eq!(ended.out, "");
    assert!(ended.err.lines().count() < 10, "{}", ended.err);
}

/// Writes a table with a puzzle column and columns of several types.
#[cfg(feature = "parquet")]
fn typed_table(path: &Path) {
    use arrow_array::types::Int64Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Float64Array, ListArray, RecordBatch, StringArray,
    };
    let list = ListArray::from_iter_primitive::<Int64Type, _, _>([Some([Some(1), Some(2)]), None]);
    let columns: [(&str, ArrayRef); 6] = [
        ("stars", Arc::new(Float64Array::from(vec![1.5, f64::NAN]))),
        ("Quizzes", Arc::new(StringArray::from(vec![POJ, POJ]))),
        ("ok", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        // Days since 1970-01-01.
        ("on", Arc::new(Date32Array::from(vec![Some(20_780), None]))),
        ("list", Arc::new(list)),
        ("rules", Arc::new(StringArray::from(vec![None, Some("windoku")]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a table");
    let file = fs::File::create(path).expect("created");
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).expect("a Parquet file");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

#[cfg(feature = "parquet")]
#[test]
fn tables_take_columns_and_give_them_back() {
    let (_directory, at) = directory();
    let rows = format!("name,id,puzzle,n\n\"a, b\",7,{POJ},1\n,,{POJ},\n");
    fs::write(at("in.csv"), &rows).expect("written");
    for name in ["out.parquet", "out.arrow"] {
        let ended = quadrille("convert --to-blank 0").arg(at("in.csv")).arg("-o").arg(at(name)).ends_with(0);
        assert_eq!(ended.err, "");
        // Converted back to columns, the rows are unchanged.
        assert_eq!(quadrille("convert --to csv --to-blank 0").arg(at(name)).prints(), rows);
        // Lines can only hold ids.
        let ended = quadrille("convert --to-blank 0").arg(at(name)).ends_with(0);
        assert_eq!(ended.out, format!("{POJ}\t7\n{POJ}\n"));
        assert!(ended.err.contains("columns of 2 records"), "{}", ended.err);
        assert_eq!(checksum(&at(name)), checksum(&at("in.csv")));
    }
    // Numbers stay numbers in JSON objects; values of other types become text.
    typed_table(&at("typed.parquet"));
    let csv = quadrille("convert --to csv --to-blank 0").arg(at("typed.parquet")).prints();
    let dates = ["2026-11-23", ""];
    assert_eq!(
        csv,
        format!(
            "stars,Quizzes,ok,on,list,rules\n1.5,{POJ},true,{},\"[1, 2]\",\nNaN,{POJ},,{},,.Windoku\n",
            dates[0], dates[1]
        )
    );
    let objects = quadrille("convert --to jsonl --to-blank 0").arg(at("typed.parquet")).prints();
    assert_eq!(
        objects,
        format!(
            "{{\"stars\":1.5,\"Quizzes\":\"{POJ}\",\"ok\":true,\"on\":\"2026-11-23\",\"list\":\"[1, 2]\"}}\n\
             {{\"stars\":\"NaN\",\"Quizzes\":\"{POJ}\",\"rules\":\".Windoku\"}}\n"
        )
    );
    // From table to table, all columns are passed on.
    quadrille("convert").arg(at("out.parquet")).arg("-o").arg(at("again.arrow")).prints();
    let reader =
        arrow_ipc::reader::FileReader::try_new(fs::File::open(at("again.arrow")).expect("open"), None);
    let reader = reader.expect("an Arrow file");
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["name", "id", "puzzle", "n"]);
    let batch = reader.into_iter().next().expect("a batch").expect("rows");
    assert_eq!(batch.num_rows(), 2);
    let refused = quadrille("convert --to-blank 0").arg(at("out.parquet")).arg("-o").arg(at("x.arrow"));
    assert!(refused.fails(2).contains("copied unchanged from table to table"));
    let bare =
        quadrille("convert --bare --to-blank 0").arg(at("out.parquet")).arg("-o").arg(at("bare.parquet"));
    bare.prints();
    let csv = quadrille("convert --to csv --to-blank 0").arg(at("bare.parquet")).prints();
    assert_eq!(csv, format!("puzzle\n{POJ}\n{POJ}\n"));
    // Bad rows are left out and reported in input order, also if a directory of parts is written.
    let bad = format!("{POJ}\n{}\n{POJ}\n", &POJ[1..]);
    let out = format!("{}/", at("parts").display());
    let ended = quadrille("convert -o").arg(&out).stdin(bad).ends_with(3);
    assert!(ended.err.contains("1 record was not written"), "{}", ended.err);
    let csv = quadrille("convert --to csv --to-blank 0").arg(at("parts/part-00000.parquet")).prints();
    assert_eq!(csv, format!("puzzle,id\n{POJ},\n{POJ},\n"));
}

#[test]
fn a_sheet_has_puzzles_and_their_solutions() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let puzzles = quadrille("generate puzzles -n 5 --fields puzzle,clues").prints();
    let file = directory.path().join("sheet.html");
    assert_eq!(quadrille("convert --per-page 2 -o").arg(&file).arg("-").stdin(puzzles.clone()).prints(), "");
    let page = std::fs::read_to_string(&file).expect("written");
    // Three pages of puzzles and one of solutions; each grid has a caption.
    assert_eq!(page.matches("<section class=\"page\"").count(), 4, "{page}");
    assert_eq!((page.matches("<figure>").count(), page.matches("· 30</figcaption>").count()), (10, 10));
    assert!(!page.contains("http") && !page.contains("<script"), "the page is complete in one file");
    let first = puzzles.chars().next().filter(|cell| *cell != '.');
    assert!(first.is_none_or(|digit| page.contains(&format!("class=\"clue\">{digit}</text>"))), "{page}");
    let solved = |page: &str| page.matches("class=\"found\"").count();
    assert_eq!(solved(&page), 5 * (81 - 30), "each solution shows its other digits");
    let bare = quadrille("convert --to html --bare").stdin(puzzles.clone()).prints();
    assert_eq!((solved(&bare), bare.matches("<figure>").count()), (0, 5));
    let picture = quadrille("convert --to svg").stdin(puzzles).prints();
    assert!(picture.starts_with("<svg xmlns=") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert_eq!((solved(&picture), picture.matches("class=\"caption\"").count()), (5 * 51, 10));
    let large =
        quadrille("convert --to html").stdin(quadrille("generate puzzles --side 16 --clues 150").prints());
    assert!(large.prints().contains("class=\"clue mid\">16</text>"));
}

#[test]
fn a_sheet_says_what_is_not_on_it() {
    let ended = quadrille("convert --to html data/malformed/short-line.txt").ends_with(3);
    assert!(ended.err.contains("1 record not on the sheet:\n  record 2: 80 characters"), "{}", ended.err);
    assert_eq!(ended.out.matches("<figure>").count(), 4);
    let several = quadrille("convert --to html").stdin(super::EMPTY_9X9).ends_with(0);
    assert!(several.err.contains("1 puzzle without exactly one solution"), "{}", several.err);
    assert!(several.out.contains("<figcaption>1 · multiple</figcaption>"), "{}", several.out);
    let ruled = quadrille("convert --to html --rules x").stdin(format!("{}\n", super::POJ)).fails(3);
    assert!(ruled.contains("html cannot hold rules"), "{ruled}");
    for (words, said) in [
        ("convert --to html /dev/null", "no puzzle for the sheet"),
        ("convert --to svg --rejects r.txt data/ratings.csv", "--rejects is not for sheets (--to svg)"),
        (
            "convert --per-page 4 data/ratings.csv",
            "--per-page is only for sheets: --to html or svg, not line",
        ),
        ("augment --to html data/ratings.csv", "only convert writes sheets"),
        ("convert --to html --per-page 99 data/ratings.csv", "expected a whole number from 1 to 30"),
    ] {
        let error = quadrille(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
}
