//! `count`: the number of solutions.

use super::{EMPTY_9X9, POJ, objects, quadrille};

#[test]
fn all_288_grids_of_4x4_are_counted() {
    for engine in ["auto", "dlx", "bitmask", "naive"] {
        let text = quadrille("count --engine").arg(engine).stdin("................").prints();
        assert_eq!(text, "288\n", "{engine}");
    }
}

#[test]
fn grids_of_6x6_with_a_first_row_are_counted() {
    // There are 28,200,960 grids; their 720 possible first rows are equivalent.
    let input = format!("123456{}", ".".repeat(30));
    assert_eq!(quadrille("count").stdin(input).prints(), "39168\n");
}

#[test]
fn a_limit_ends_counting() {
    let input = format!("{POJ}\n{EMPTY_9X9}12{}", &EMPTY_9X9[2..]);
    assert_eq!(quadrille("count --limit 10").stdin(input.clone()).prints(), "1\n>=10\n>=10\n");
    let rows = objects(&quadrille("count --limit 10 --to jsonl").stdin(input).prints());
    assert_eq!((&rows[0]["count"], rows[0]["min_count"].is_null()), (&1.into(), true));
    assert_eq!((rows[1]["count"].is_null(), &rows[1]["min_count"]), (true, &10.into()));
    assert_eq!(rows[1]["ended_by"], "limit");
    assert_eq!(quadrille("count --limit 288").stdin("................").prints(), ">=288\n");
    assert_eq!(quadrille("count --limit 289").stdin("................").prints(), "288\n");
}

#[test]
fn a_puzzle_without_solution_counts_zero() {
    assert_eq!(quadrille("count").stdin(format!("11{}", &EMPTY_9X9[2..])).prints(), "0\n");
}

#[test]
fn unreadable_records_are_not_counted() {
    assert_eq!(quadrille("count data/malformed/short-line.txt").prints().lines().count(), 3);
    let ended = quadrille("count").stdin("1.3\n").ends();
    assert!(ended.code == Some(6) && ended.out.starts_with("invalid\t"), "{}", ended.err);
}

#[test]
fn all_grids_of_each_side_are_counted() {
    let known = [(4, "288"), (6, "28200960"), (8, "29136487207403520"), (9, "6670903752021072936960")];
    for (side, grids) in known {
        let input = "0".repeat(side * side) + "\n";
        let count =
            |words: &str| quadrille("count --fields count,engine").args(words).stdin(input.clone()).prints();
        let chosen = count("");
        assert!(chosen.starts_with(&format!("{grids}\t")), "{side}: {chosen}");
        let by_bands = format!("{grids}\tbands\n");
        assert!(chosen == by_bands || count("--engine bands") == by_bands, "{side}");
    }
}

#[test]
fn a_first_band_has_the_known_number_of_grids() {
    // There are 2,612,736 first bands whose first box is in order, in 416 classes. In this band the columns
    // repeat: the same three digits in each stack.
    let input = format!("123456789456789123789123456{}\n", ".".repeat(54));
    let auto = quadrille("count").stdin(input.clone()).prints();
    assert_eq!(auto, quadrille("count --engine bands").stdin(input).prints());
    assert!(auto.len() > 10, "{auto}");
}

#[test]
fn engines_that_only_count_refuse_other_verbs() {
    let message = quadrille("solve --engine bands").stdin(EMPTY_9X9).fails(2);
    assert!(message.contains("engine bands cannot solve 9x9 grids"), "{message}");
}

#[test]
fn long_counts_need_no_flag() {
    let board = quadrille("generate dominoes 12x12").prints();
    let count = quadrille("count --to jsonl --fields count,engine").stdin(board.as_str()).prints();
    let row = &objects(&count)[0];
    // A number that JSON readers cannot hold exactly becomes a string.
    assert_eq!((&row["count"], &row["engine"]), (&"53060477521960000".into(), &"memo".into()));
    let alone = quadrille("count -j1").stdin(board.as_str()).prints();
    assert_eq!(alone, "53060477521960000\n");
    assert_eq!(quadrille("count --engine memo").stdin(board.as_str()).prints(), alone);
    // A limit on nodes selects a search instead of the counter.
    let limited = quadrille("count --node-limit 30000").stdin(board).prints();
    assert!(limited.starts_with(">="), "{limited}");
}

#[test]
fn short_counts_are_searched() {
    let board = quadrille("generate dominoes 4x4").prints();
    let row = objects(&quadrille("count --to jsonl --fields count,engine").stdin(board).prints()).remove(0);
    assert_eq!((&row["count"], &row["engine"]), (&36.into(), &"bitset".into()));
}

#[test]
fn counters_refuse_to_solve() {
    let board = quadrille("generate dominoes 4x4").prints();
    for wrong in ["solve", "solve --all", "count --limit 5"] {
        let message = quadrille(wrong).arg("--engine").arg("memo").stdin(board.as_str()).fails(2);
        assert!(message.contains("engine memo cannot"), "{wrong}: {message}");
    }
    let several = quadrille("generate domination 5 3").prints();
    let message = quadrille("count --engine memo").stdin(several).fails(2);
    assert!(
        message.contains("engine memo cannot count exact cover problems with multiplicities"),
        "{message}"
    );
    let message = quadrille("count --engine memo").stdin(EMPTY_9X9).fails(2);
    assert!(message.contains("engine memo cannot count 9x9 grids"), "{message}");
}
