//! Several sources with different columns: every value is written under its own name or reported as dropped.

use std::fs;

use super::{POJ, POJ_SOLVED, Run, quadrille};

/// Creates a directory with the sources of these tests.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sources = [
        ("a.csv", format!("quizzes,solutions\n{POJ},{POJ_SOLVED}\n")),
        ("b.csv", format!("source,question,answer,rating\nx,{POJ},{POJ_SOLVED},\"a,b\"\n")),
        ("c.csv", format!("answer;question;note\n{POJ_SOLVED};{POJ};n\n")),
        ("d.jsonl", format!("{{\"puzzle\":\"{POJ}\",\"n\":[1,\"a\"],\"solution\":\"{POJ_SOLVED}\"}}\n")),
        ("e.txt", format!("{POJ}\n")),
        ("f.csv", format!("{POJ},{POJ_SOLVED}\n")),
        (
            "g.jsonl",
            format!("{{\"puzzle\":\"{POJ}\"}}\n{{\"puzzle\":\"{POJ}\",\"late\":1,\"q_status\":\"mine\"}}\n"),
        ),
        ("h.txt", format!("{POJ}\n{POJ} tail\n")),
        ("twice.csv", format!("n,puzzle,n\n1,{POJ},2\n")),
        ("once.csv", format!("n,puzzle\n3,{POJ}\n")),
        ("swapped.csv", format!("puzzle,answer,solution\n{POJ},mine,{POJ_SOLVED}\n")),
        ("broken.csv", format!("source,question,answer\nx,{POJ}\n")),
    ];
    for (name, text) in sources {
        fs::write(directory.path().join(name), text).expect("written");
    }
    directory
}

/// Creates a run in the directory of the sources.
fn run(directory: &tempfile::TempDir, words: &str) -> Run {
    let mut run = quadrille(words);
    run.command.current_dir(directory.path());
    run
}

#[test]
fn values_of_later_sources_are_under_their_own_names() {
    let directory = directory();
    let rest = format!("{POJ},{POJ_SOLVED}");
    for (verb, ours) in [
        ("solve", "q_status,q_solution,"),
        ("rate", "q_status,q_er,"),
        ("check", "q_status,"),
        ("canon", "q_status,"),
    ] {
        let ended = run(&directory, &format!("{verb} --to csv a.csv b.csv c.csv d.jsonl f.csv")).ends_with(0);
        let mut lines = ended.out.lines();
        let header = lines.next().expect("a header");
        assert!(header.starts_with(&format!("quizzes,solutions,{ours}")), "{header}");
        let rows: Vec<&str> = lines.collect();
        assert_eq!(rows.len(), 5, "{verb}: {}", ended.out);
        assert!(rows.iter().all(|row| row.starts_with(&rest) && *row == rows[0]), "{verb}: {}", ended.out);
        let told = "quadrille: f.csv: column 1 is read as the puzzle (--column chooses another)\n\
             quadrille: f.csv: column 2 is read as the solution (--solution-column chooses another)\n\
             quadrille: warning: dropped data that the output cannot hold: columns of 3 records\n  \
             b.csv: rating (1 record), source (1 record)\n  c.csv: note (1 record)\n  d.jsonl: n (1 record)\n  \
             (--to jsonl keeps the columns of all sources)\n";
        assert_eq!(ended.err, told, "{verb}");
    }
}

#[test]
fn kept_records_have_the_form_of_the_first_source() {
    let directory = directory();
    let first = run(&directory, "dedup b.csv a.csv").ends_with(0);
    assert_eq!(first.out, fs::read_to_string(directory.path().join("b.csv")).expect("read"));
    let all = run(&directory, "dedup --all c.csv a.csv d.jsonl e.txt").ends_with(0);
    let expected = [
        "answer;question;note;q_class;q_first;q_size".to_owned(),
        format!("{POJ_SOLVED};{POJ};n;1;1;4"),
        format!("{POJ_SOLVED};{POJ};;1;1;4"),
        format!("{POJ_SOLVED};{POJ};;1;1;4"),
        format!(";{POJ};;1;1;4"),
    ];
    assert_eq!(all.out.lines().collect::<Vec<_>>(), expected);
    let all = run(&directory, "dedup --all d.jsonl b.csv e.txt").ends_with(0);
    let objects: Vec<serde_json::Value> =
        all.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(objects.len(), 3);
    assert!(objects.iter().all(|object| object["puzzle"] == POJ), "{}", all.out);
    assert_eq!((&objects[0]["n"][1], &objects[1]["rating"]), (&"a".into(), &"a,b".into()));
    assert_eq!(objects[1]["solution"], POJ_SOLVED);
}

#[test]
fn an_unreadable_row_of_a_later_source_stays_whole() {
    let directory = directory();
    let ended = run(&directory, "solve --to csv a.csv broken.csv").ends_with(6);
    let row = ended.out.lines().nth(2).expect("a row");
    assert!(row.starts_with(&format!("\"x,{POJ}\",,invalid,")), "{row}");
}

#[test]
fn objects_keep_their_members_as_columns() {
    let directory = directory();
    let ended = run(&directory, "check --to csv d.jsonl a.csv").ends_with(0);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(lines[0].starts_with("puzzle,n,solution,q_status"), "{}", ended.out);
    assert!(lines[1].starts_with(&format!("{POJ},\"[1,\"\"a\"\"]\",{POJ_SOLVED},")), "{}", ended.out);
    assert!(lines[2].starts_with(&format!("{POJ},,{POJ_SOLVED},")), "{}", ended.out);
}

/// Parses JSON rows.
fn objects(rows: &str) -> Vec<serde_json::Value> {
    rows.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn objects_keep_members_and_columns_in_every_verb() {
    let directory = directory();
    for verb in ["solve", "count", "check", "rate", "canon", "dedup", "dedup --all", "overlap g.jsonl"] {
        let ended = run(&directory, &format!("{verb} --to jsonl d.jsonl b.csv")).ends_with(0);
        let objects = objects(&ended.out);
        assert_eq!(objects[0]["n"], serde_json::json!([1, "a"]), "{verb}: {}", ended.out);
        assert_eq!(objects[0]["puzzle"], POJ, "{verb}");
        assert!(objects[0].get("status").is_none() && objects[0]["q_status"].is_string(), "{verb}");
        if verb != "dedup" {
            assert_eq!(
                (&objects[1]["rating"], &objects[1]["puzzle"]),
                (&"a,b".into(), &POJ.into()),
                "{verb}"
            );
            assert_eq!((&objects[1]["solution"], &objects[1]["source"]), (&POJ_SOLVED.into(), &"x".into()));
        }
        assert!(!ended.err.contains("dropped"), "{verb}: {}", ended.err);
    }
    // A row that cannot be split is kept whole in the puzzle's member; several solutions repeat the columns.
    let ended = run(&directory, "solve --to jsonl b.csv broken.csv").ends_with(6);
    assert_eq!(objects(&ended.out)[1]["question"], format!("x,{POJ}"), "{}", ended.out);
    let rows = quadrille("solve --limit 2 --to jsonl").stdin(format!("puzzle,n\n{},7\n", ".".repeat(16)));
    let objects = objects(&rows.prints());
    assert_eq!(objects.len(), 2);
    assert!(objects.iter().all(|object| object["n"] == "7"));
    assert_eq!(objects[1]["q_solution_index"], 2);
}

#[test]
fn our_columns_never_have_names_of_the_input() {
    let directory = directory();
    // A second run over the output of the first.
    for format in ["csv", "jsonl"] {
        let once = run(&directory, &format!("check --to {format} b.csv")).prints();
        let again = quadrille(&format!("check --to {format}")).stdin(once).prints();
        if format == "csv" {
            let header = again.lines().next().expect("a header");
            assert!(
                header.ends_with(",q_status,q_reason,q_ended_by,q_status_2,q_reason_2,q_ended_by_2"),
                "{header}"
            );
        } else {
            let object = &objects(&again)[0];
            assert_eq!((&object["q_status"], &object["q_status_2"]), (&"correct".into(), &"correct".into()));
        }
        let classes = run(&directory, &format!("dedup --all -q --to {format} b.csv")).prints();
        let again = quadrille("dedup --all -q").stdin(classes).prints();
        assert!(again.contains("q_class") && again.contains("q_class_2"), "{again}");
    }
    // A member of a later object has the same name as a member that the program adds.
    let ended = run(&directory, "check --to jsonl g.jsonl").ends_with(0);
    let objects = objects(&ended.out);
    assert_eq!((&objects[1]["late"], &objects[1]["q_status"]), (&1.into(), &"unique".into()));
    assert!(ended.err.contains("columns of 1 record\n  g.jsonl: q_status (1 record)"), "{}", ended.err);
}

#[test]
fn members_of_later_objects_without_a_column_are_reported() {
    let directory = directory();
    for verb in ["check", "convert", "dedup --all", "solve"] {
        let ended = run(&directory, &format!("{verb} --to csv g.jsonl")).ends_with(0);
        assert!(ended.out.starts_with("puzzle"), "{verb}: {}", ended.out);
        let told = "dropped data that the output cannot hold: columns of 1 record\n  \
                    g.jsonl: late (1 record), q_status (1 record)\n";
        assert_eq!(ended.err.matches(told).count(), 1, "{verb}: {}", ended.err);
    }
    // Several threads report the same counts, and so do the statistics.
    let object = |number: u32| format!("{{\"puzzle\":\"{POJ}\",\"m{}\":{number}}}\n", number % 3);
    let text: String = (0..300).map(object).collect();
    let words = "check --to csv --chunk-bytes 1k";
    let [one, four] = ["-j1", "-j4"].map(|threads| quadrille(words).arg(threads).stdin(&*text).ends_with(0));
    assert_eq!((&one.out, &one.err), (&four.out, &four.err));
    assert!(
        one.err.contains("columns of 200 records\n  -: m1 (100 records), m2 (100 records)\n"),
        "{}",
        one.err
    );
}

#[test]
fn lines_as_the_first_source_can_hold_only_puzzles() {
    let directory = directory();
    for (format, hint) in [("csv", "csv"), ("jsonl", "jsonl")] {
        let ended = run(&directory, &format!("check --to {format} e.txt b.csv h.txt")).ends_with(0);
        assert_eq!(ended.out.matches(POJ).count(), 4, "{hint}: {}", ended.out);
        for told in [
            "columns of 1 record, ids of 1 record, solutions of 1 record\n",
            "b.csv: answer (1 record), rating (1 record), source (1 record)\n",
            "(columns of later sources are kept if the first source has columns)\n",
            "(--echo-id keeps ids)\n",
        ] {
            assert!(ended.err.contains(told), "{}", ended.err);
        }
        let kept = run(&directory, &format!("check --echo-id --to {format} h.txt")).ends_with(0);
        assert!(kept.out.contains("tail") && kept.err.is_empty(), "{} {}", kept.out, kept.err);
    }
    // The first text after a puzzle comes after the first chunk.
    let text = format!("{POJ}\n").repeat(50) + &format!("{POJ} tail\n");
    fs::write(directory.path().join("late.txt"), text).expect("written");
    let ended = run(&directory, "check --to csv --chunk-bytes 200 a.csv late.txt").ends_with(0);
    assert!(ended.err.contains("ids of 1 record\n"), "{}", ended.err);
    let ended = run(&directory, "dedup --all e.txt b.csv").ends_with(0);
    assert_eq!(ended.out, format!("{POJ}\t1\t1\t2\n").repeat(2));
    assert!(
        ended.err.contains("b.csv: answer (1 record), rating (1 record), source (1 record)\n"),
        "{}",
        ended.err
    );
    // With `--fields`, columns are left out without a warning.
    let ended = run(&directory, "check --to csv --fields status h.txt").ends_with(0);
    assert_eq!(ended.err, "");
}

#[test]
fn ambiguous_names_of_columns_are_refused() {
    let directory = directory();
    for verb in ["solve --to csv", "convert --to csv", "dedup"] {
        for (first, second, which) in
            [("once.csv", "twice.csv", "this source"), ("twice.csv", "once.csv", "the first source")]
        {
            let ended = run(&directory, &format!("{verb} {first} {second} a.csv")).ends_with(1);
            let told = format!("{second}:1 (byte 0): ambiguous column \"n\": {which}");
            assert!(ended.err.contains(&told), "{verb}: {}", ended.err);
            // The other sources are still answered.
            assert!(verb == "dedup" || ended.out.lines().count() == 3, "{verb}: {}", ended.out);
        }
        run(&directory, &format!("{verb} twice.csv twice.csv")).ends_with(0);
    }
    let ended = run(&directory, "convert --to jsonl once.csv twice.csv").ends_with(0);
    assert!(ended.out.contains("\"n\":\"1\"") && ended.out.contains("\"n_2\":\"2\""), "{}", ended.out);
}

#[test]
fn a_name_takes_precedence_over_a_role() {
    let directory = directory();
    // The given solution is in the column `answer` here and in `solution` in the other source.
    fs::write(directory.path().join("s.csv"), format!("puzzle,solution\n{POJ},{POJ_SOLVED}\n"))
        .expect("written");
    let rows = |words: &str| run(&directory, words).ends().out;
    let out = rows("solve --to csv --fields index swapped.csv s.csv");
    assert!(out.ends_with(&format!("{POJ},,{POJ_SOLVED},2\n")), "{out}");
    let out = rows("solve --to csv --fields index s.csv swapped.csv");
    assert!(out.ends_with(&format!("{POJ},{POJ_SOLVED},2\n")), "{out}");
}

#[test]
fn overlap_and_split_corpus_map_columns_too() {
    let directory = directory();
    let all = run(&directory, "overlap e.txt c.csv b.csv d.jsonl h.txt").ends_with(0);
    let expected = [
        "answer;question;note;q_relation;q_first".to_owned(),
        format!("{POJ_SOLVED};{POJ};n;same puzzle;1"),
        format!("{POJ_SOLVED};{POJ};;same puzzle;1"),
        format!("{POJ_SOLVED};{POJ};;same puzzle;1"),
        format!(";{POJ};;same puzzle;1"),
        format!(";{POJ};;same puzzle;1"),
    ];
    let lines: Vec<&str> = all.out.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{}", all.out);
    let relation = |line: &str| line.rsplit(';').nth(1).map(str::to_owned);
    for (line, expected) in lines.iter().zip(&expected) {
        let values = |line: &str| line.split(';').take(3).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(values(line), values(expected), "{}", all.out);
        assert!(relation(line).is_some());
    }
    assert!(all.err.contains("b.csv: rating (1 record), source (1 record)\n"), "{}", all.err);
    assert!(
        all.err.contains("d.jsonl: n (1 record)\n") && all.err.contains("ids of 1 record"),
        "{}",
        all.err
    );
    let words = "split-corpus --parts all=1 -o part-{}.csv c.csv b.csv d.jsonl";
    let ended = run(&directory, words).ends_with(0);
    let part = fs::read_to_string(directory.path().join("part-all.csv")).expect("a part");
    let expected =
        ["answer;question;note".to_owned(), format!("{POJ_SOLVED};{POJ};n"), format!("{POJ_SOLVED};{POJ};")];
    assert_eq!(part.lines().take(3).collect::<Vec<_>>(), expected, "{}", ended.err);
    assert!(ended.err.contains("b.csv: rating (1 record), source (1 record)\n"), "{}", ended.err);
}

#[test]
fn names_of_columns_keep_their_spaces() {
    let row = format!("{POJ},1");
    let json = quadrille("convert --to jsonl").stdin(format!("puzzle, my note \n{row}\n")).prints();
    assert!(json.contains("\" my note \":\"1\""), "{json}");
}

#[test]
fn maps_after_small_puzzles_are_applied() {
    let lines = "1234............\n12..34..2.......\n";
    let forms = quadrille("canon --form puzzle").stdin(lines).prints();
    let maps = quadrille("canon --form puzzle --fields puzzle,transform").stdin(lines).prints();
    assert_eq!(quadrille("canon --apply").stdin(&*maps).prints(), forms);
}

/// A source of one record.
struct One {
    file: &'static str,
    text: String,
    /// Name, role and value of each field: `p` is the puzzle, `s` the solution, `i` the id, `o` any other.
    fields: Vec<(&'static str, char, &'static str)>,
}

/// Returns a source of each kind, with columns of its own.
fn sources_of_all_kinds() -> Vec<One> {
    let one = |file, text, fields: &[(&'static str, char, &'static str)]| One {
        file,
        text,
        fields: fields.to_vec(),
    };
    vec![
        one(
            "one.csv",
            format!("quizzes,solutions\n{POJ},{POJ_SOLVED}\n"),
            &[("quizzes", 'p', POJ), ("solutions", 's', POJ_SOLVED)],
        ),
        one(
            "two.csv",
            format!("source;question;answer;level\nx;{POJ};{POJ_SOLVED};9\n"),
            &[("source", 'o', "x"), ("question", 'p', POJ), ("answer", 's', POJ_SOLVED), ("level", 'o', "9")],
        ),
        one(
            "three.tsv",
            format!("note\tpuzzle\tlevel\nt\t{POJ}\t8\n"),
            &[("note", 'o', "t"), ("puzzle", 'p', POJ), ("level", 'o', "8")],
        ),
        one(
            "bare.csv",
            format!("{POJ},{POJ_SOLVED}\n"),
            &[("puzzle", 'p', POJ), ("solution", 's', POJ_SOLVED)],
        ),
        one(
            "four.jsonl",
            format!("{{\"n\":\"7\",\"puzzle\":\"{POJ}\",\"solution\":\"{POJ_SOLVED}\"}}\n"),
            &[("n", 'o', "7"), ("puzzle", 'p', POJ), ("solution", 's', POJ_SOLVED)],
        ),
        one("five.txt", format!("{POJ} tail\n"), &[("puzzle", 'p', POJ), ("id", 'i', "tail")]),
    ]
}

/// Each value of the later source is under the first source's name for it, under its own name, or reported as dropped.
#[test]
fn every_pair_of_kinds_of_sources_keeps_or_names_each_value() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut all = sources_of_all_kinds();
    for one in &all {
        fs::write(directory.path().join(one.file), &one.text).expect("written");
    }
    if cfg!(feature = "parquet") {
        for (place, file) in [(1, "two.parquet"), (2, "three.arrow")] {
            let One { file: text, fields, .. } = &all[place];
            run(&directory, &format!("convert {text} -o {file}")).prints();
            all.push(One { file, text: String::new(), fields: fields.clone() });
        }
    }
    let pairs = all.iter().flat_map(|first| all.iter().map(move |later| (first, later)));
    for (first, later) in pairs.filter(|(first, later)| first.file != later.file) {
        let is_table = [".parquet", ".arrow"].iter().any(|ending| first.file.ends_with(ending));
        for verb in
            ["check --to csv", "solve --to csv", "check --to jsonl", "dedup --all", "convert --to csv"]
        {
            // `dedup` writes the kept rows of a table as lines.
            let is_of_lines = first.file.ends_with(".txt") || is_table && verb == "dedup --all";
            let words = format!("{verb} {} {}", first.file, later.file);
            let ended = run(&directory, &words).ends_with(0);
            let row = ended.out.lines().last().expect("a row");
            let is_object = row.starts_with('{');
            let delimiter = [';', '\t'].into_iter().find(|&one| row.contains(one)).unwrap_or(',');
            let header = ended.out.lines().next().unwrap_or_default();
            for (name, role, value) in &later.fields {
                let place = first.fields.iter().position(|(_, of_first, _)| *role != 'o' && of_first == role);
                let place = place.or_else(|| first.fields.iter().position(|(of_first, ..)| of_first == name));
                let found = if is_object {
                    let object: serde_json::Value = serde_json::from_str(row).expect("an object");
                    let name = place.map_or(*name, |place| first.fields[place].0);
                    object[name].as_str().map(str::to_owned)
                } else if is_of_lines {
                    // A kept line begins with its puzzle, and its id may follow; other rows have a column for it.
                    let column = header.split(delimiter).position(|of_header| of_header == "puzzle");
                    let mut words = row.split(delimiter).nth(column.unwrap_or(0)).unwrap_or("").split(' ');
                    match role {
                        'p' => words.next().map(str::to_owned),
                        'i' => words.nth(1).map(str::to_owned),
                        _ => None,
                    }
                } else {
                    place.and_then(|place| row.split(delimiter).nth(place)).map(str::to_owned)
                };
                let is_named = match role {
                    'i' => ended.err.contains("ids of 1 record"),
                    _ => ended.err.contains(&format!("{name} (1 record)")),
                };
                // `convert` writes empty cells as `.`.
                let is_kept = found.is_some_and(|found| found.replace('.', "0") == value.replace('.', "0"));
                assert!(is_kept != is_named, "{words}: {name}: {row}\n{}", ended.err);
                assert!(is_kept || *role != 'p', "{words}: {row}");
                // Objects have a place for everything, unless the first source has no columns.
                assert!(is_kept || !is_object || is_of_lines, "{words}: {name}: {row}");
            }
        }
    }
}
