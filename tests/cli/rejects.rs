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
