//! `--rejects`: records that cannot be read.

use super::{POJ, POJ_SOLVED, quadrille};

fn input() -> String {
    format!("{POJ}\nab\tc\n{POJ}\n1234\n{POJ}\n")
}

fn solved(times: usize) -> String {
    format!("{POJ_SOLVED}\n").repeat(times)
}

#[test]
fn rejects_have_a_file_of_their_own() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("rejects.tsv");
    let text = quadrille("solve --rejects").arg(&file).stdin(input()).prints();
    assert_eq!(text.lines().count(), 5, "rows stay where they are");
    let rejects = std::fs::read_to_string(&file).expect("complete");
    let lines: Vec<Vec<&str>> = rejects.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2, "{rejects}");
    assert_eq!((&lines[0][..2], lines[0][3]), (["2", "82"].as_slice(), "ab c"));
    assert_eq!((&lines[1][..2], lines[1][3]), (["4", "169"].as_slice(), "1234"));
}

#[test]
fn skipping_leaves_their_rows_out() {
    assert_eq!(quadrille("solve --on-error skip").stdin(input()).prints(), solved(3));
}

#[test]
fn failing_stops_at_the_first() {
    let ended = quadrille("solve --on-error fail").stdin(input()).ends();
    assert_eq!((ended.code, ended.out), (Some(3), solved(1)));
    assert!(ended.err.contains("-:2 (byte 82)"), "{}", ended.err);
}

#[test]
fn the_allowed_number_of_rejects_is_exact() {
    assert_eq!(quadrille("solve --max-rejects 2").stdin(input()).ends().code, Some(0));
    for threads in ["-j1", "-j2", "-j1 --chunk-bytes 90"] {
        let ended = quadrille("solve --max-rejects 1").args(threads).stdin(input()).ends();
        assert_eq!(ended.code, Some(3), "{threads}");
        assert_eq!(ended.out.lines().count(), 4, "{threads}: {}", ended.out);
        assert!(ended.err.contains("2 in all, 1 allowed"), "{}", ended.err);
    }
}

/// The rest of the chunk is answered as well, but not written.
#[test]
fn counts_are_of_the_records_before_the_limit() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| directory.path().join(name);
    let lines: Vec<String> = super::data("random-1000.txt").lines().take(300).map(str::to_owned).collect();
    let input = format!(
        "{}\nbad\n{}\n12\n{}\n",
        lines[..5].join("\n"),
        lines[5..9].join("\n"),
        lines[9..].join("\n")
    );
    for (verb, rows_of_rejects) in [
        ("solve", 1),
        ("solve --all", 1),
        ("count --to jsonl", 1),
        ("rate", 1),
        ("dedup", 1),
        ("convert --to line --on-error report", 0),
    ] {
        for (limit, threads, answered, rejected) in
            [("0", "-j1", 5, 1), ("0", "-j4", 5, 1), ("1", "-j1", 9, 2), ("1", "-j4", 9, 2)]
        {
            let run = quadrille(verb).args("--side 9 --stats --max-rejects").arg(limit).args(threads);
            let run = run
                .arg("--stats-out")
                .arg(path("stats"))
                .arg("--rejects")
                .arg(path("rejects"))
                .arg("--discard-partial");
            let ended = run.stdin(input.clone()).ends_with(3);
            let said = format!("{verb} {limit} {threads}: {}", ended.err);
            let text = std::fs::read_to_string(path("stats")).expect("written");
            let counts: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let records = &counts["records"];
            assert_eq!(
                (&records["in"], &records["answered"], &records["rejected"]),
                (&(answered + rejected).into(), &answered.into(), &rejected.into()),
                "{said}"
            );
            let statuses = counts["status"].as_object().expect("a map").values().filter_map(|n| n.as_u64());
            assert_eq!(statuses.sum::<u64>(), answered + rejected, "{said}");
            let rows = answered + rows_of_rejects * rejected;
            assert_eq!(records["rows_out"], rows, "{said}");
            assert_eq!(records["bytes_out"], ended.out.len(), "{said}");
            assert_eq!(ended.out.lines().count() as u64, rows, "{said}");
            let rejects = std::fs::read_to_string(path("rejects.partial")).expect("written");
            assert_eq!(rejects.lines().count() as u64, rejected, "{said}");
            assert!(said.contains(&format!("records   {} in ", answered + rejected)), "{said}");
        }
    }
}

#[test]
fn a_table_keeps_the_columns_of_bad_rows() {
    let table = format!("id,puzzle,note\n1,{POJ},\"a, b\"\n2,12,x\n3\n4,{POJ},a,b\n");
    let text = quadrille("solve --to csv --fields status").stdin(table).ends().out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "id,puzzle,note,q_status");
    assert_eq!(lines[1], format!("1,{POJ},\"a, b\",solved"));
    assert_eq!(lines[2], "2,12,x,invalid");
    assert_eq!(lines[3], "3,,,invalid");
    assert!(lines[4].starts_with(&format!("4,{POJ},\"a,b\",")), "{}", lines[4]);
}
