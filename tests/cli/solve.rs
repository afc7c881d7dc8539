//! `solve`: the first solution, uniqueness, several solutions, all solutions.

use std::collections::HashSet;

use super::{EMPTY_9X9, POJ, POJ_SOLVED, data, objects, quadrille};

const EMPTY_4X4: &str = "................\n";

#[test]
fn a_puzzle_becomes_its_solution_in_its_own_symbols() {
    assert_eq!(quadrille("solve").stdin(POJ).prints(), format!("{POJ_SOLVED}\n"));
    for (file, symbols) in [
        ("4x4.txt", "1234"),
        ("6x6.txt", "123456"),
        ("12x12.txt", "123456789ABC"),
        ("16x16.txt", "123456789ABCDEFG"),
        ("16x16-hex.txt", "0123456789ABCDEF"),
        ("16x16-hex.txt --symbols 0-9A-Z", "0123456789ABCDEF"),
        ("16x16-letters.txt", "ABCDEFGHIJKLMNOP"),
        ("25x25.txt", "ABCDEFGHIJKLMNOPQRSTUVWXY"),
        ("25x25.txt --symbols A-Z", "ABCDEFGHIJKLMNOPQRSTUVWXY"),
    ] {
        let fields = "--fields status,puzzle,solution";
        let text = quadrille("solve --unique").args(fields).args(&format!("data/{file}")).prints();
        for line in text.lines() {
            let [status, puzzle, solution] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{file}: {line}");
            };
            assert_eq!(status, "unique", "{file}");
            assert_eq!(puzzle.len(), solution.len());
            assert!(solution.chars().all(|symbol| symbols.contains(symbol)), "{file}: {solution}");
            let kept = |(clue, digit): (char, char)| clue == '.' || clue == digit;
            assert!(puzzle.chars().zip(solution.chars()).all(kept), "{file}: {line}");
        }
    }
}

#[test]
fn unique_looks_for_a_second_solution() {
    let input = format!("{POJ}\n{EMPTY_9X9}55{}", &EMPTY_9X9[2..]);
    let text = quadrille("solve --unique").stdin(input.clone()).prints();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[2]), (3, POJ_SOLVED, "none\ttwo 5s in row 1"));
    assert!(lines[1].starts_with("multiple\t") && lines[1].len() == 9 + 81, "{}", lines[1]);
    let words = quadrille("solve --unique --fields status,ended_by").stdin(input).prints();
    assert_eq!(words, "unique\tcomplete\nmultiple\tlimit\nnone\tcomplete\n");
}

#[test]
fn clashing_clues_have_a_reason() {
    let line = |cells: &[(usize, u8)]| {
        let mut line = EMPTY_9X9.trim_end().as_bytes().to_vec();
        for &(cell, digit) in cells {
            line[cell] = digit;
        }
        line.push(b'\n');
        line
    };
    let input =
        [line(&[(1, b'7'), (8, b'7')]), line(&[(4, b'3'), (76, b'3')]), line(&[(0, b'2'), (10, b'2')])];
    assert_eq!(
        quadrille("solve").stdin(input.concat()).prints(),
        "none\ttwo 7s in row 1\nnone\ttwo 3s in column 5\nnone\ttwo 2s in box 1\n"
    );
    assert_eq!(
        quadrille("solve data/malformed/clash.txt --fields status,reason").prints(),
        "solved\t\nnone\ttwo 7s in row 1\nsolved\t\n"
    );
}

#[test]
fn the_first_solution_of_the_empty_grid_is_fixed() {
    let first = quadrille("solve --engine dlx").stdin(EMPTY_9X9).prints();
    assert!(first.starts_with("123456789789123456456789123312845967"), "{first}");
}

/// Returns the first lines of a text, each without the clues at every `step`-th place.
fn with_fewer_clues(text: &str, count: usize, step: usize) -> String {
    let open = |line: &str| -> String {
        line.chars().enumerate().map(|(at, cell)| if at % step == 0 { '.' } else { cell }).collect()
    };
    text.lines().take(count).map(|line| open(line) + "\n").collect()
}

#[test]
fn the_least_solution_is_the_least_of_all_from_every_engine() {
    let file = |name: &str, count, step| with_fewer_clues(&data(name), count, step);
    let windoku = quadrille("solve --rules windoku").stdin(EMPTY_9X9).prints();
    for (input, options, reference, engines) in [
        (file("4x4.txt", 20, 2), "", "naive", "bitmask dlx"),
        (file("6x6.txt", 20, 7), "", "naive", "bitmask dlx"),
        (file("random-1000.txt", 12, 21), "", "naive", "lanes bitmask dlx"),
        (file("16x16.txt", 4, 31), "", "dlx", "bitmask"),
        (with_fewer_clues(&windoku, 1, 2), "--rules windoku", "variant", "lanes bitset dlx"),
        (EMPTY_4X4.to_owned(), "--rules .NoBoxes", "naive", "variant bitset dlx"),
        (EMPTY_4X4.to_owned(), "--rules .Cage~9~R1C1~R1C2~R2C1", "naive", "variant"),
    ] {
        let run = |more: &str| quadrille("solve").args(options).args(more).stdin(input.clone()).prints();
        let all = run(&format!("--all --engine {reference} --fields index,solution"));
        let mut least: Vec<(&str, &str)> = Vec::new();
        for (index, solution) in all.lines().filter_map(|row| row.split_once('\t')) {
            match least.last_mut() {
                Some((known, best)) if *known == index => *best = solution.min(best),
                _ => least.push((index, solution)),
            }
        }
        assert!(all.lines().count() > least.len(), "some have several solutions");
        let wanted: String = least.iter().map(|(_, solution)| format!("{solution}\n")).collect();
        assert_eq!(run("--first least"), wanted, "{options} {input}");
        assert_eq!(run("--first least -j4"), wanted, "{options} {input}");
        for engine in engines.split(' ') {
            assert_eq!(
                run(&format!("--first least --engine {engine}")),
                wanted,
                "{engine} {options} {input}"
            );
        }
    }
}

#[test]
fn the_least_solution_of_an_empty_grid_is_known() {
    let rows = "123456789456789123789123456214365897365897214897214365531642978642978531978531642\n";
    for options in ["", "--engine bitmask", "--engine dlx", "-j4 --fields solution"] {
        assert_eq!(quadrille("solve --first least").args(options).stdin(EMPTY_9X9).prints(), rows);
    }
    let none = quadrille("solve --first least").stdin(format!("55{}", &EMPTY_9X9[2..]));
    assert_eq!(none.prints(), "none\ttwo 5s in row 1\n");
    // A solution is not printed unless it is proved to be the least.
    let cut = quadrille("solve --first least --node-limit 3").stdin(EMPTY_9X9);
    assert_eq!(cut.prints(), "unknown\tnodes\n");
    let cover = quadrille("solve --first least data/cover/toy.dlx");
    assert!(
        cover
            .prints()
            .starts_with("unsupported\tno engine can find the least solution of exact cover problems")
    );
}

#[test]
fn every_solution_has_a_row() {
    let text = quadrille("solve --all").stdin(EMPTY_4X4).prints();
    let rows: HashSet<&str> = text.lines().collect();
    assert_eq!((text.lines().count(), rows.len()), (288, 288));

    let csv = quadrille("solve --all --to csv --fields index,solution_index,solution")
        .stdin(EMPTY_4X4.repeat(2))
        .prints();
    for (number, line) in csv.lines().skip(1).enumerate() {
        let solution = text.lines().nth(number % 288).expect("288 of them");
        assert_eq!(line, format!("{},{},{solution}", number / 288 + 1, number % 288 + 1));
    }
}

#[test]
fn a_limit_is_the_number_of_rows() {
    let input = format!("{EMPTY_9X9}{POJ}\n11{}abc\n", &EMPTY_9X9[2..]);
    let jsonl = quadrille("solve --limit 3 --to jsonl").stdin(input.clone()).prints();
    let rows: Vec<(u64, Option<u64>, bool)> = objects(&jsonl)
        .iter()
        .map(|row| {
            let number = |name: &str| row[name].as_u64();
            (number("index").expect("always"), number("solution_index"), row["solution"].is_string())
        })
        .collect();
    let found = |record, solution| (record, Some(solution), true);
    assert_eq!(
        rows,
        [found(1, 1), found(1, 2), found(1, 3), found(2, 1), (3, None, false), (4, None, false)]
    );
    let text = quadrille("solve --limit 3").stdin(input).prints();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[3..5], [POJ_SOLVED, "none\ttwo 1s in row 1"]);
    assert!(lines[0] != lines[1] && lines[1] != lines[2]);
}

#[test]
fn many_rows_are_streamed() {
    let count = 60_000;
    let text = quadrille("solve --fields solution_index --limit").arg(count.to_string()).stdin(EMPTY_9X9);
    let text = text.prints();
    assert!(text.lines().eq((1..=count).map(|number: u32| number.to_string())));
}

#[test]
fn an_early_end_adds_a_status_row_to_the_solutions() {
    let text = quadrille("solve --all --node-limit 500 --fields solution_index,status,ended_by")
        .stdin(EMPTY_9X9)
        .prints();
    let last = text.lines().last();
    assert!(text.lines().count() > 1, "{text}");
    assert_eq!(last.map(|line| line.ends_with("\tnodes")), Some(true), "{text}");
}

#[test]
fn published_puzzles_have_one_solution_each() {
    let text = quadrille("solve --unique data/published.txt --fields status").prints();
    assert_eq!(text, "unique\n".repeat(13));
}

#[test]
fn rows_can_be_chosen_by_their_numbers() {
    let all = quadrille("solve --unique --fields index,guesses,clues data/random-1000.txt").prints();
    let numbers =
        |row: &str| -> Vec<u64> { row.split('\t').map(|word| word.parse().expect("a number")).collect() };
    for (condition, fits) in [
        ("guesses=3..", (|row: &[u64]| row[1] >= 3) as fn(&[u64]) -> bool),
        ("guesses=..2", |row| row[1] <= 2),
        ("guesses=3", |row| row[1] == 3),
        ("guesses=1..20,clues=..23", |row| (1..=20).contains(&row[1]) && row[2] <= 23),
    ] {
        let wanted: Vec<&str> = all.lines().filter(|row| fits(&numbers(row))).collect();
        let words = "solve --unique --fields index,guesses,clues data/random-1000.txt --where";
        for threads in ["-j1", "-j3"] {
            let found = quadrille(words).arg(condition).arg(threads).prints();
            assert_eq!(found.lines().collect::<Vec<_>>(), wanted, "{condition}");
        }
        assert!(!wanted.is_empty() && wanted.len() < 1000, "{condition}");
    }
    let rated = quadrille("rate --fields er --where er=7..,er=..8.5 data/hard-300.txt").prints();
    assert!(rated.lines().all(|er| (7.0..=8.5).contains(&er.parse::<f64>().expect("a rating"))), "{rated}");
    for (words, said) in [
        ("solve --where guesses", "expected FIELD=RANGE, such as guesses=5.."),
        ("solve --where guesses=many", "expected FIELD=RANGE"),
        ("solve --where guess=5", "guess is not a field of numbers: use one of index, "),
        ("solve --where solution=5", "solution is not a field of numbers"),
        ("count --where er=5..", "the field er is only for rate, solve --unique and check"),
        ("dedup --where clues=20..", "--where is only for verbs that answer records"),
    ] {
        let error = quadrille(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
}
