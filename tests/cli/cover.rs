//! Exact cover problems.

use super::{POJ, quadrille};

#[test]
fn a_puzzle_is_written_as_an_exact_cover_problem() {
    let text = quadrille("encode").stdin("12..............").prints();
    assert!(text.lines().count() > 30, "{text}");
    assert_eq!(text, quadrille("encode --format line").stdin("12..............").prints());
    let empty = quadrille("encode").stdin("");
    assert!(empty.fails(2).contains("no record"));
    let bad = quadrille("encode").stdin("1.3\n").fails(1);
    assert!(bad.contains("3 characters"), "{bad}");
}

#[test]
fn an_encoding_may_go_to_a_file() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("poj.dlx");
    assert_eq!(quadrille("encode -o").arg(&file).stdin(POJ).prints(), "");
    let text = std::fs::read_to_string(file).expect("complete");
    assert_eq!(text, quadrille("encode").stdin(POJ).prints());
}
