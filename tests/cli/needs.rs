//! `check --redundant` and the field `backdoor`, compared with all subsets of clues and with a plain solver by singles.

use std::collections::BTreeSet;

use serde_json::Value;

use super::neighbours::Grid;
use super::{data, objects, quadrille};

const FIELDS: &str =
    "--fields status,redundant,redundant_mask,smallest,smallest_marks,smallest_clues,smallest_bound,puzzle";

/// Returns all 4x4 grids.
fn grids() -> Vec<String> {
    let listed = quadrille("solve --all --engine naive --to csv --no-header --fields solution")
        .stdin("................\n");
    let grids: Vec<String> = listed.prints().lines().map(str::to_owned).collect();
    assert_eq!(grids.len(), 288);
    grids
}

#[test]
fn smallest_puzzles_are_those_of_all_subsets() {
    let grids = grids();
    let bytes: Vec<&[u8]> = grids.iter().map(|grid| grid.as_bytes()).collect();
    // Every tenth grid, with a part of its clues.
    let kept = |number: usize, cell: usize| !(cell * 5 + number * 3).is_multiple_of(16 / (number % 7 + 2));
    let puzzle = |(number, grid): (usize, &&[u8])| -> String {
        (0..16).map(|cell| if kept(number, cell) { char::from(grid[cell]) } else { '.' }).collect()
    };
    let puzzles: Vec<String> = bytes.iter().step_by(10).enumerate().map(puzzle).collect();
    let rows = objects(&quadrille(&format!("check --to jsonl {FIELDS}")).stdin(puzzles.join("\n")).prints());
    assert_eq!(rows.len(), puzzles.len());
    let is_proper = |puzzle: &[u8]| {
        let fits =
            |grid: &&&[u8]| grid.iter().zip(puzzle).all(|(digit, clue)| *clue == b'.' || digit == clue);
        bytes.iter().filter(fits).count() == 1
    };
    let with_several =
        rows.iter().zip(&puzzles).filter(|(row, puzzle)| is_as_of_all_subsets(row, puzzle, is_proper));
    assert!(with_several.count() > 10);
}

#[test]
fn smallest_puzzles_of_6x6_are_those_of_all_subsets() {
    let puzzles = quadrille("generate puzzles --side 6 --clues 13..14 --count 3 --seed 8").prints();
    let rows = objects(&quadrille(&format!("check --to jsonl {FIELDS}")).stdin(puzzles.as_str()).prints());
    let is_proper = |puzzle: &[u8]| Grid::new((2, 3), std::str::from_utf8(puzzle).expect("text")).is_proper();
    for (row, puzzle) in rows.iter().zip(puzzles.lines()) {
        assert!(is_as_of_all_subsets(row, puzzle, is_proper), "{row}: more than one clue can go");
    }
    assert_eq!(rows.len(), 3);
}

/// Checks a row against all subsets of the puzzle's clues. Returns true if more than one clue can go.
fn is_as_of_all_subsets(row: &Value, puzzle: &str, is_proper: impl Fn(&[u8]) -> bool) -> bool {
    let puzzle = puzzle.as_bytes();
    let clues: Vec<usize> = (0..puzzle.len()).filter(|&cell| puzzle[cell] != b'.').collect();
    let subset = |kept: u32| {
        let mut subset = vec![b'.'; puzzle.len()];
        for &cell in (0..).zip(&clues).filter(|(place, _)| kept >> place & 1 != 0).map(|(_, cell)| cell) {
            subset[cell] = puzzle[cell];
        }
        is_proper(&subset)
    };
    let all = (1u32 << clues.len()) - 1;
    if !subset(all) {
        let has_none = row["redundant"].is_null() && row["smallest"].is_null();
        assert!(row["status"] == "multiple" && has_none, "{row}");
        return false;
    }
    let mut mask = vec![b'0'; puzzle.len()];
    for (_, &cell) in (0..).zip(&clues).filter(|(place, _)| subset(all & !(1 << place))) {
        mask[cell] = b'1';
    }
    // A subset with one solution is found by taking clues away one by one: with fewer clues there are no fewer solutions.
    let mut level = BTreeSet::from([all]);
    let mut least = clues.len();
    loop {
        let one_less = level.iter().flat_map(|&kept| (0..clues.len()).map(move |place| kept & !(1 << place)));
        let one_less: BTreeSet<u32> = one_less.filter(|kept| kept.count_ones() < least as u32).collect();
        level = one_less.into_iter().filter(|&kept| subset(kept)).collect();
        if level.is_empty() {
            break;
        }
        least -= 1;
    }
    let redundant = mask.iter().filter(|&&flag| flag == b'1').count();
    assert_eq!(row["redundant_mask"].as_str().expect("a mask").as_bytes(), mask, "{row}");
    let counts = (row["redundant"].as_u64(), row["smallest_clues"].as_u64());
    assert_eq!(counts, (Some(redundant as u64), Some(least as u64)));
    assert_eq!(row["smallest_bound"], row["smallest_clues"], "{row}");
    let smallest = row["smallest"].as_str().expect("a puzzle").as_bytes();
    assert!(smallest.iter().zip(puzzle).all(|(left, clue)| left == clue || *left == b'.'), "{row}");
    assert!(is_proper(smallest), "{row}");
    assert_eq!(smallest.iter().filter(|&&cell| cell != b'.').count(), least);
    redundant > 1
}

#[test]
fn marks_can_go_like_clues() {
    // Candidates after steps are far more than the puzzle needs.
    let puzzles: String = data("random-1000.txt").lines().take(4).map(|line| format!("{line}\n")).collect();
    let marks = quadrille("rate --until hidden-single-in-box --fields after_marks").stdin(puzzles).prints();
    let rows = objects(&quadrille(&format!("check --to jsonl {FIELDS}")).stdin(marks).prints());
    for row in &rows {
        let smallest = row["smallest_marks"].as_str().expect("marks");
        let is_clue = |cell: &&[u8]| cell.contains(&b'.');
        let clues: Vec<usize> =
            (0..81).filter(|&cell| is_clue(&&smallest.as_bytes()[9 * cell..9 * cell + 9])).collect();
        assert_eq!(row["smallest_clues"], clues.len());
        assert!(row["smallest_bound"].as_u64() <= row["smallest_clues"].as_u64());
        // It has one solution, and several without any of its clues.
        let mut input = format!("{smallest}\n");
        for cell in &clues {
            input += &format!("{}123456789{}\n", &smallest[..9 * cell], &smallest[9 * cell + 9..]);
        }
        let expected = format!("unique\n{}", "multiple\n".repeat(clues.len()));
        assert_eq!(quadrille("check").stdin(input).prints(), expected);
    }
    assert_eq!(rows.len(), 4);
}

#[test]
fn redundant_clues_are_the_same_for_any_threads_and_rules() {
    let puzzles = quadrille("generate puzzles --clues 34 --count 40").prints();
    let run = |words: &str| quadrille(&format!("check --redundant {words}")).stdin(puzzles.as_str()).prints();
    let lines = run("-j1");
    assert_eq!(lines, run("-j4"));
    assert_eq!(lines.lines().count(), 40);
    for line in lines.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [status, redundant, mask, smallest, left, bound] = fields[..] else { panic!("{line}") };
        assert_eq!((status, mask.len(), smallest.len()), ("unique", 81, 81));
        let number = |text: &str| text.parse::<u32>().expect("a number");
        assert!(number(bound) <= number(left) && number(left) <= 34, "{line}");
        assert_eq!(mask.matches('1').count().to_string(), redundant);
    }
    // With a rule.
    let ruled = "generate puzzles --rules x --clues 20 --count 3";
    let text = quadrille(ruled).prints();
    let rows = objects(&quadrille("check --redundant --rules x --to jsonl").stdin(text).prints());
    for row in &rows {
        let (redundant, left) = (row["redundant"].as_u64(), row["smallest_clues"].as_u64());
        assert!(
            row["status"] == "unique" && left <= Some(20) && (left < Some(20)) == (redundant > Some(0)),
            "{row}"
        );
        let smallest =
            quadrille("check --minimal --rules x").stdin(row["smallest"].as_str().expect("a puzzle"));
        assert_eq!(smallest.prints(), "unique\n");
    }
    // A given solution is checked as before, and limits leave the fields empty.
    let wrong = format!("{}\n", "1".repeat(81));
    let csv = format!("puzzle,solution\n{},{wrong}", puzzles.lines().next().expect("a puzzle"));
    let row = &objects(&quadrille("check --redundant --to jsonl").stdin(csv).prints())[0];
    assert!(row["q_status"] == "wrong" && row["q_redundant"].is_null(), "{row}");
    let row = quadrille("check --redundant --node-limit 1 --engine bitmask --to jsonl")
        .stdin(data("hard-300.txt"))
        .prints();
    assert!(objects(&row).iter().all(|row| row["redundant"].is_null()), "{row}");
    assert!(quadrille("check --redundant --minimal").fails(2).contains("cannot be used with"));
    assert!(quadrille("solve --fields backdoor").fails(2).contains("backdoor"));
}

/// Fills a grid by naked and hidden singles, one at a time; returns true if it becomes full.
fn solves_by_singles(mut grid: Vec<u8>) -> bool {
    let houses: Vec<Vec<usize>> = (0..9)
        .flat_map(|n| {
            let row = (0..9).map(|at| 9 * n + at).collect();
            let column = (0..9).map(|at| 9 * at + n).collect();
            let cells = (0..9).map(|at| 27 * (n / 3) + 3 * (n % 3) + 9 * (at / 3) + at % 3).collect();
            [row, column, cells]
        })
        .collect();
    let fits = |grid: &[u8], cell: usize, digit: u8| {
        grid[cell] == 0
            && !houses
                .iter()
                .any(|house| house.contains(&cell) && house.iter().any(|&other| grid[other] == digit))
    };
    loop {
        let naked = (0..81).find_map(|cell| {
            let digits: Vec<u8> = (1..=9).filter(|&digit| fits(&grid, cell, digit)).collect();
            if let [digit] = digits[..] { Some((cell, digit)) } else { None }
        });
        let hidden = || {
            houses.iter().find_map(|house| {
                (1..=9).find_map(|digit| {
                    let cells: Vec<usize> =
                        house.iter().copied().filter(|&cell| fits(&grid, cell, digit)).collect();
                    if let [cell] = cells[..] { Some((cell, digit)) } else { None }
                })
            })
        };
        match naked.or_else(hidden) {
            Some((cell, digit)) => grid[cell] = digit,
            None => return !grid.contains(&0),
        }
    }
}

#[test]
fn backdoors_are_those_of_a_plain_solver() {
    let easy: Vec<String> = data("random-1000.txt").lines().take(6).map(str::to_owned).collect();
    let hard: Vec<String> = data("hard-300.txt").lines().take(2).map(str::to_owned).collect();
    let input = [easy, hard].concat().join("\n");
    let rows =
        objects(&quadrille("check --fields backdoor,solution,puzzle --to jsonl").stdin(input).prints());
    let text = |row: &Value, field: &str| row[field].as_str().expect("text").to_owned();
    let mut seen = std::collections::BTreeSet::new();
    for row in &rows {
        let digits = |text: String| {
            text.bytes().map(|byte| if byte.is_ascii_digit() { byte - b'0' } else { 0 }).collect()
        };
        let (puzzle, solution): (Vec<u8>, Vec<u8>) =
            (digits(text(row, "puzzle")), digits(text(row, "solution")));
        let with = |cells: &[usize]| {
            let mut grid = puzzle.clone();
            cells.iter().for_each(|&cell| grid[cell] = solution[cell]);
            solves_by_singles(grid)
        };
        let is_pair_enough =
            || (0..81).any(|a| (0..a).any(|b| puzzle[a] == 0 && puzzle[b] == 0 && with(&[a, b])));
        let expected = if with(&[]) {
            "0"
        } else if (0..81).any(|cell| with(&[cell])) {
            "1"
        } else if is_pair_enough() {
            "2"
        } else {
            ">2"
        };
        assert_eq!(row["backdoor"], expected, "{row}");
        seen.insert(expected);
    }
    assert!(seen.len() > 1, "{seen:?}");
}
