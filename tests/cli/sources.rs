//! Several sources whose columns differ: every value is under its own name, or is reported.

use std::fs;

use super::{POJ, POJ_SOLVED, Run, quadrille};

/// Writes the sources of these tests into a new directory.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sources = [
        ("a.csv", format!("quizzes,solutions\n{POJ},{POJ_SOLVED}\n")),
        ("b.csv", format!("source,question,answer,rating\nx,{POJ},{POJ_SOLVED},\"a,b\"\n")),
        ("c.csv", format!("answer;question;note\n{POJ_SOLVED};{POJ};n\n")),
        ("d.jsonl", format!("{{\"puzzle\":\"{POJ}\",\"n\":[1,\"a\"],\"solution\":\"{POJ_SOLVED}\"}}\n")),
        ("e.txt", format!("{POJ}\n")),
        ("f.csv", format!("{POJ},{POJ_SOLVED}\n")),
        ("broken.csv", format!("source,question,answer\nx,{POJ}\n")),
    ];
    for (name, text) in sources {
        fs::write(directory.path().join(name), text).expect("written");
    }
    directory
}

/// A run in the directory of the sources.
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
        let ended =
            run(&directory, &format!("{verb} --output csv a.csv b.csv c.csv d.jsonl f.csv")).ends_with(0);
        let mut lines = ended.out.lines();
        let header = lines.next().expect("a header");
        assert!(header.starts_with(&format!("quizzes,solutions,{ours}")), "{header}");
        let rows: Vec<&str> = lines.collect();
        assert_eq!(rows.len(), 5, "{verb}: {}", ended.out);
        assert!(rows.iter().all(|row| row.starts_with(&rest) && *row == rows[0]), "{verb}: {}", ended.out);
        for (source, columns) in
            [("b.csv", "columns source, rating"), ("c.csv", "column note"), ("d.jsonl", "column n")]
        {
            let told = format!("{source}: not in the output: {columns},");
            assert_eq!(ended.err.matches(&told).count(), 1, "{verb}: {}", ended.err);
        }
        assert!(!ended.err.contains("f.csv") && !ended.err.contains("a.csv:"), "{}", ended.err);
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
    let ended = run(&directory, "solve --output csv a.csv broken.csv").ends_with(6);
    let row = ended.out.lines().nth(2).expect("a row");
    assert!(row.starts_with(&format!("\"x,{POJ}\",,invalid,")), "{row}");
}

#[test]
fn objects_keep_their_members_as_columns() {
    let directory = directory();
    let ended = run(&directory, "check --output csv d.jsonl a.csv").ends_with(0);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(lines[0].starts_with("puzzle,n,solution,q_status"), "{}", ended.out);
    assert!(lines[1].starts_with(&format!("{POJ},\"[1,\"\"a\"\"]\",{POJ_SOLVED},")), "{}", ended.out);
    assert!(lines[2].starts_with(&format!("{POJ},,{POJ_SOLVED},")), "{}", ended.out);
}

#[test]
fn names_of_columns_keep_their_blanks() {
    let row = format!("{POJ},1");
    let json = quadrille("convert --output jsonl").stdin(format!("puzzle, my note \n{row}\n")).prints();
    assert!(json.contains("\" my note \":\"1\""), "{json}");
}

#[test]
fn maps_after_small_puzzles_are_applied() {
    let lines = "1234............\n12..34..2.......\n";
    let forms = quadrille("canon --form puzzle").stdin(lines).prints();
    let maps = quadrille("canon --form puzzle --fields puzzle,map").stdin(lines).prints();
    assert_eq!(quadrille("canon --apply").stdin(&*maps).prints(), forms);
}
