//! `check`: given solutions, uniqueness and minimality.

use super::{EMPTY_9X9, POJ, POJ_SOLVED, quadrille};

/// Returns a corpus whose given solutions are right, wrong in a cell, one of many solutions, and too short.
fn corpus() -> String {
    let wrong = format!("{}8", &POJ_SOLVED[..80]);
    let open = EMPTY_9X9.trim_end();
    format!("id,puzzle,solution\n1,{POJ},{POJ_SOLVED}\n2,{POJ},{wrong}\n3,{open},{POJ_SOLVED}\n4,{POJ},12\n")
}

#[test]
fn the_first_wrong_cell_is_the_first_that_differs_from_the_only_solution() {
    let puzzle = "..4.71.....59....7.218.4...9..4...6.3...9.8...4.28.........917.15...7..24.3.2.9..";
    let swapped = "964371528835962417721854639987415263312796845546283791268539174159647382473128956";
    let csv = |puzzle: &str| format!("puzzle,solution\n{puzzle},{swapped}\n");
    let told = |puzzle: &str| quadrille("check --to text").stdin(csv(puzzle)).prints();
    // The solution begins with 694, and row 4 column 1 is a clue.
    assert_eq!(told(puzzle), "wrong\tfirst wrong cell: row 1 column 1\n");
    // Without a single solution, it is the first cell that breaks a rule.
    let open = format!(".......{}", &puzzle[7..]).replacen("59", "..", 1);
    assert!(told(&open).starts_with("wrong\tfirst wrong cell: row "), "{}", told(&open));
    assert_eq!(quadrille("check --to text -j2 --engine dlx").stdin(csv(puzzle)).prints(), told(puzzle));
}

#[test]
fn given_solutions_are_checked() {
    let text = quadrille("check").stdin(corpus()).prints();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, "correct"));
    assert!(lines[1].starts_with("wrong\t") && lines[1].contains("row 9 column 9"), "{}", lines[1]);
    assert_eq!(lines[2].split('\t').next(), Some("multiple"));
    assert!(lines[3].starts_with("wrong\t"), "{}", lines[3]);
}

#[test]
fn a_correct_corpus_passes_strictly() {
    let text = quadrille("check data/kaggle-1000.csv --strict").prints();
    assert_eq!(text, "correct\n".repeat(1000));
}

#[test]
fn failed_strict_runs_say_so_at_their_end() {
    let ended = quadrille("check --strict").stdin(corpus()).ends();
    assert_eq!((ended.code, ended.out.lines().count()), (Some(5), 4));
    assert_eq!(quadrille("check --fail-on wrong").stdin(corpus()).ends().code, Some(5));
    assert_eq!(quadrille("check --fail-on none,unknown").stdin(corpus()).ends().code, Some(0));
    assert_eq!(quadrille("check").stdin(corpus()).ends().code, Some(0));
}

#[test]
fn without_a_given_solution_uniqueness_is_checked() {
    let input = format!("{POJ}\n{EMPTY_9X9}44{}", &EMPTY_9X9[2..]);
    assert_eq!(quadrille("check").stdin(input).prints(), "unique\nmultiple\nnone\ttwo 4s in row 1\n");
}

#[test]
fn minimal_puzzles_need_every_clue() {
    let text = quadrille("check --minimal data/random-1000.txt --fields status").prints();
    assert_eq!(text, "unique\n".repeat(1000));
    let solved = format!("{POJ_SOLVED}\n");
    assert_eq!(
        quadrille("check --minimal").stdin(solved).prints(),
        "nonminimal\tthe clue in row 1 column 1 is not needed\n"
    );
}

#[test]
fn the_solution_column_may_be_named() {
    let table = format!("a;b\n{POJ_SOLVED};{POJ}\n");
    let run = quadrille("check --from csv --column b --solution-column 1").stdin(table);
    assert_eq!(run.prints(), "correct\n");
}

#[test]
fn an_empty_solution_is_missing_and_fails_a_strict_run() {
    let table = format!("puzzle,solution\n{POJ},{POJ_SOLVED}\n{POJ},\n{EMPTY_9X9}");
    let table = table.trim_end().to_owned() + ",\n";
    let run = |words: &str| quadrille(words).stdin(table.clone()).ends();
    let plain = run("check");
    assert_eq!(
        (plain.code, plain.out.as_str()),
        (Some(0), "correct\nmissing\tthe given solution is empty\nmultiple\n")
    );
    assert_eq!(run("check --strict --only correct").code, Some(5));
    assert_eq!(run("check --fail-on missing").code, Some(5));
    assert_eq!(run("check --minimal --fields status").out.lines().nth(1), Some("nonminimal"));
    // The guide lists the statuses that are not correct.
    let guide = std::fs::read_to_string("docs/GUIDE.md").expect("it is there");
    let only = guide.lines().find_map(|line| line.split_once("--only wrong,")).expect("an example").1;
    let only = format!("wrong,{}", only.split(' ').next().unwrap_or_default());
    let bad = run(&format!("check --fields index,status --only {only}"));
    assert_eq!(bad.out, "2\tmissing\n3\tmultiple\n");
    // The line format has no column for a given solution.
    assert_eq!(quadrille("check").stdin(format!("{POJ}\n")).prints(), "unique\n");
}
