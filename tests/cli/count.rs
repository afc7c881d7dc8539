//! `count`: how many solutions.

use super::{EMPTY_9X9, POJ, objects, quadrille};

#[test]
fn all_grids_of_4x4() {
    for engine in ["auto", "dlx", "bitmask", "naive"] {
        let text = quadrille("count --engine").arg(engine).stdin("................").prints();
        assert_eq!(text, "288\n", "{engine}");
    }
}

#[test]
fn grids_of_6x6_with_a_first_row() {
    // 28,200,960 in all, 720 first rows of equal right.
    let input = format!("123456{}", ".".repeat(30));
    assert_eq!(quadrille("count").stdin(input).prints(), "39168\n");
}

#[test]
fn a_limit_ends_counting() {
    let input = format!("{POJ}\n{EMPTY_9X9}12{}", &EMPTY_9X9[2..]);
    assert_eq!(quadrille("count --limit 10").stdin(input.clone()).prints(), "1\n>=10\n>=10\n");
    let rows = objects(&quadrille("count --limit 10 --output jsonl").stdin(input).prints());
    assert_eq!((&rows[0]["count"], rows[0]["at_least"].is_null()), (&1.into(), true));
    assert_eq!((rows[1]["count"].is_null(), &rows[1]["at_least"]), (true, &10.into()));
    assert_eq!(rows[1]["ended_by"], "limit");
    assert_eq!(quadrille("count --limit 288").stdin("................").prints(), ">=288\n");
    assert_eq!(quadrille("count --limit 289").stdin("................").prints(), "288\n");
}

#[test]
fn no_solution_is_counted_as_none() {
    assert_eq!(quadrille("count").stdin(format!("11{}", &EMPTY_9X9[2..])).prints(), "0\n");
}

#[test]
fn unreadable_records_are_not_counted() {
    assert_eq!(quadrille("count data/malformed/short-line.txt").prints().lines().count(), 3);
    assert!(quadrille("count").stdin("1.3\n").prints().starts_with("invalid\t"));
}
