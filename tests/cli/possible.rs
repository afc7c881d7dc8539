//! The digits that occur in some solution, compared with all solutions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{EMPTY_9X9, POJ, objects, quadrille};

/// Fields of possible digits.
const FIELDS: &str = "--fields index,possible,possible_marks,determined,ambiguous,ambiguous_mask,digit_counts,min_digit_counts";

/// Compares the fields of each record with all its solutions, which another engine lists.
fn compare(words: &str, input: &str) {
    let listing = format!("solve --all --engine naive --to csv --no-header --fields index,solution {words}");
    let mut solutions: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    for line in quadrille(&listing).stdin(input).prints().lines() {
        let (index, solution) = line.split_once(',').expect("two columns");
        if !solution.is_empty() {
            let digits = solution.bytes().map(|byte| byte - b'1').collect();
            solutions.entry(index.parse().expect("a number")).or_default().push(digits);
        }
    }
    for verb in ["solve", "solve --unique", "count"] {
        let rows = objects(&quadrille(&format!("{verb} --to jsonl {FIELDS} {words}")).stdin(input).prints());
        assert!(rows.len() >= solutions.len());
        for row in rows {
            match solutions.get(&row["index"].as_u64().expect("a number")) {
                None => assert!(row["possible"].is_null() && row["digit_counts"].is_null(), "{row}"),
                Some(all) => compare_row(&row, all),
            }
        }
    }
}

fn compare_row(row: &Value, all: &[Vec<u8>]) {
    let cells = all[0].len();
    let side = cells.isqrt();
    let mut counts = vec![0u64; cells * side];
    for solution in all {
        for (cell, &digit) in solution.iter().enumerate() {
            counts[side * cell + usize::from(digit)] += 1;
        }
    }
    assert_eq!(row["digit_counts"], serde_json::json!(counts));
    assert!(row["min_digit_counts"].is_null());
    let character = |digit: usize| char::from(b'1' + digit as u8);
    let digits_of =
        |cell: usize| -> Vec<usize> { (0..side).filter(|digit| counts[side * cell + digit] > 0).collect() };
    let (mut groups, mut marks, mut determined, mut mask) =
        (Vec::new(), String::new(), String::new(), String::new());
    for cell in 0..cells {
        let digits = digits_of(cell);
        groups.push(digits.iter().copied().map(character).collect::<String>());
        marks.extend((0..side).map(|digit| if digits.contains(&digit) { character(digit) } else { '.' }));
        determined.push(if let [digit] = digits[..] { character(digit) } else { '.' });
        mask.push(if digits.len() > 1 { '1' } else { '0' });
    }
    assert_eq!(row["possible"], groups.join(" "));
    assert_eq!(row["possible_marks"], marks);
    assert_eq!(row["determined"], determined);
    assert_eq!(row["ambiguous"], mask.matches('1').count());
    assert_eq!(row["ambiguous_mask"], mask);
}

#[test]
fn possible_digits_are_those_of_all_solutions() {
    let small = quadrille("generate grids --side 4 --count 40 --seed 5").prints();
    // The first grids with fewer and fewer clues, down to the empty grid.
    let mut input = String::new();
    for (number, grid) in small.lines().enumerate() {
        let keep =
            |(cell, digit): (usize, char)| if (cell * 7 + number) % 16 < number % 9 { digit } else { '.' };
        input.extend(grid.chars().enumerate().map(keep));
        input.push('\n');
    }
    compare("", &input);
    compare("--rules x", &input);
    let six = quadrille("generate grids --side 6 --count 12 --seed 5").prints();
    let six: String = six.lines().map(|grid| format!("{}{}\n", &grid[..14], ".".repeat(22))).collect();
    compare("", &six);
    let nine = quadrille("generate grids --count 30 --seed 5").prints();
    let nine: String = nine.lines().map(|grid| format!("{}{}\n", &grid[..52], ".".repeat(29))).collect();
    // Clues anywhere, and candidates instead of clues.
    let sparse = quadrille("generate sparse --count 30 --clues 40 --seed 4").prints();
    compare("", &sparse);
    let marks = |(place, cell): (usize, char)| -> String {
        let is_left =
            |digit: &char| if cell == '.' { *digit != '9' || place % 7 > 0 } else { *digit == cell };
        ('1'..='9').map(|digit| if is_left(&digit) { digit } else { '.' }).collect()
    };
    let marks = |line: &str| line.chars().enumerate().map(marks).chain(["\n".to_owned()]).collect::<String>();
    compare("", &sparse.lines().map(marks).collect::<String>());
    compare("", &(nine + POJ + "\n" + "11" + &EMPTY_9X9[2..]));
}

#[test]
fn possible_digits_are_the_same_for_any_threads_and_forms() {
    let grids = quadrille("generate grids --count 300 --seed 9").prints();
    let input: String = grids.lines().map(|grid| format!("{}{}\n", &grid[..36], ".".repeat(45))).collect();
    let run = |words: &str| quadrille(&format!("solve {words}")).stdin(input.as_str()).prints();
    let plain = run("-j1 --fields possible_marks,ambiguous");
    assert_eq!(plain, run("-j4 --fields possible_marks,ambiguous"));
    assert_eq!(plain, run("--engine bitmask --fields possible_marks,ambiguous"));
    // What is written is read as candidates with the same possible digits.
    let marks: String = plain.lines().map(|line| format!("{}\n", &line[..729])).collect();
    let again = quadrille("solve --fields possible_marks,ambiguous").stdin(marks).prints();
    assert_eq!(plain, again);
}

#[test]
fn limits_leave_possible_digits_unknown() {
    let input = format!("{EMPTY_9X9}\n");
    let row = |words: &str| {
        objects(&quadrille(&format!("{words} --to jsonl {FIELDS},ended_by")).stdin(input.as_str()).prints())
            .remove(0)
    };
    let counted = row("count --limit 50");
    let numbers: u64 =
        counted["min_digit_counts"].as_array().expect("numbers").iter().filter_map(Value::as_u64).sum();
    assert_eq!((numbers, counted["digit_counts"].is_null()), (81 * 50, true));
    assert_eq!(
        (&counted["ambiguous"], counted["determined"].as_str()),
        (&81.into(), Some(EMPTY_9X9.trim_end()))
    );
    let stopped = row("solve --node-limit 1 --engine bitmask");
    assert!(stopped["possible"].is_null() && stopped["ended_by"] == "nodes", "{stopped}");
    let refused = quadrille("check --fields possible").stdin(input.as_str()).ends();
    assert!(refused.code == Some(2) && refused.err.contains("possible"), "{}", refused.err);
    let cover = objects(&quadrille("solve data/cover/toy.dlx --to jsonl --fields status,possible").prints());
    assert!(cover[0]["possible"].is_null() && cover[0]["status"] == "solved", "{}", cover[0]);
}
