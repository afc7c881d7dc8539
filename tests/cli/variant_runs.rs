//! Records with the same rules: in lanes, in chunks of any size, on any number of threads, and resumed.

use super::quadrille;
use super::resume::{Case, Way, survives_behind_checkpoints};

/// Rules of a run and rules of each record must give the same answers.
///
/// A run answers records with rules by different code: lines in column chunks, records in record chunks, and records
/// that have rules themselves.
#[test]
fn rules_of_a_run_are_equal_to_the_same_rules_of_each_record() {
    let layout = "aacccccccaaaaabccbdddabbbbbdddaebiffdeeeebiffddeeeeiffgggiiiiffgghhhiifhgggghhhhh";
    assert_eq!(layout.len(), 81);
    for (option, text) in [
        ("--rules windoku", ".Windoku".to_owned()),
        ("--rules x,anti-king", ".Diagonal~1.Diagonal~-1.AntiKing".to_owned()),
        ("--rules center-dot", String::new()),
        (&format!("--regions {layout}")[..], format!(".NoBoxes.Jigsaw~{layout}")),
    ] {
        let made = quadrille(&format!("generate minimal --count 60 --seed 3 {option}")).ends().out;
        let bare: Vec<&str> = made.lines().map(|line| line.split('\t').next().unwrap()).collect();
        let mut lines: Vec<String> = bare.iter().map(|line| line.to_string()).collect();
        // A puzzle with several solutions, one whose clues contradict each other, and one that a search finds
        // to have no solution.
        lines[7] = lines[7].replacen(|digit: char| digit != '.', ".", 3);
        lines[20] = format!("11{}", &lines[20][2..]);
        lines[33] = lines[33].replace('9', "8");
        let text = if text.is_empty() {
            made.lines().next().unwrap().split('\t').nth(1).unwrap().to_owned()
        } else {
            text
        };
        let with_rules: String = lines.iter().map(|line| format!("{line}\t{text}\n")).collect();
        let together = lines.join("\n") + "\n";
        for verb in [
            "solve --unique",
            "count --limit 2",
            "count --limit 3",
            "check",
            "solve --unique --to csv --fields index,status,count",
        ] {
            let run =
                |words: &str, input: &str| quadrille(&format!("{verb} {words}")).stdin(input).ends().out;
            // Which of several solutions comes first depends on the engine.
            let told = |rows: &str| -> Vec<String> {
                let first = |row: &str| match row.split_once('\t') {
                    Some(("multiple", _)) => "multiple".to_owned(),
                    _ => row.to_owned(),
                };
                rows.lines().map(first).collect()
            };
            let expected = run(option, &together);
            assert!(expected.lines().count() >= 60, "{verb} {option}");
            assert_eq!(told(&expected), told(&run("", &with_rules)), "{verb} {option}");
            assert_eq!(run(&format!("{option} -j1"), &together), expected, "{verb} {option}");
            assert_eq!(run(&format!("{option} --isa portable"), &together), expected, "{verb} {option}");
            // A line with an id turns its chunk into a record chunk.
            let odd = format!("{together}# a comment\n{}\tan id\n", lines[1]);
            let odd_rows = run(option, &odd);
            assert!(odd_rows.starts_with(&expected), "{verb} {option}");
            assert_eq!(odd_rows.lines().count(), expected.lines().count() + 1);
            let audited = run(&format!("{option} --audit 1/2"), &together);
            assert_eq!(audited, expected, "{verb} {option}");
        }
    }
}

/// Rules of a jigsaw.
const JIGSAW: &str =
    ".NoBoxes.Jigsaw~aacccccccaaaaabccbdddabbbbbdddaebiffdeeeebiffddeeeeiffgggiiiiffgghhhiifhgggghhhhh";

/// Returns minimal puzzles under `rules`, without the text of the rules.
///
/// Some have several solutions. Others have none: their clues contradict each other, or only a search shows
/// it.
fn puzzles_under(rules: &str, count: usize) -> Vec<String> {
    let made = quadrille(&format!("generate minimal --count {count} --seed 4 --rules {rules}")).ends().out;
    let mut lines: Vec<String> =
        made.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect();
    assert_eq!(lines.len(), count);
    lines[7] = lines[7].replacen(|digit: char| digit != '.', ".", 3);
    lines[11] = format!("11{}", &lines[11][2..]);
    lines[13] = lines[13].replace('9', "8");
    lines
}

/// Records with the rules of their source's first record are solved in lanes.
///
/// The output does not depend on chunks, threads, instruction sets or the records in between.
#[test]
fn records_with_the_rules_of_the_first_record_are_solved_in_lanes() {
    let jigsaws = puzzles_under(JIGSAW, 40);
    let diagonals = puzzles_under(".Diagonal~1", 20);
    let line = |puzzle: &String, rules: &str| format!("{puzzle}\t{rules}\n");
    let alike: String = jigsaws.iter().map(|puzzle| line(puzzle, JIGSAW)).collect();
    let columns: String = jigsaws.iter().map(|puzzle| format!("{puzzle},{JIGSAW}\n")).collect();
    let columns = format!("puzzle,rules\n{columns}");
    let object = |puzzle: &String| format!("{{\"puzzle\":\"{puzzle}\",\"rules\":\"{JIGSAW}\"}}\n");
    let objects: String = jigsaws.iter().map(object).collect();
    let others = diagonals.iter().cycle().enumerate().map(|(number, puzzle)| match number % 4 {
        0 => format!("{puzzle}\n"),
        1 => format!("{}x\t{JIGSAW}\n", &puzzle[..80]),
        _ => line(puzzle, ".Diagonal~1"),
    });
    let mixed: String =
        jigsaws.iter().zip(others).map(|(puzzle, other)| line(puzzle, JIGSAW) + &other).collect();
    let told = |rows: &str| -> Vec<String> {
        let first = |row: &str| match row.split_once(",multiple,") {
            // Which of several solutions comes first depends on the engine.
            Some((index, _)) => format!("{index},multiple"),
            None => row.to_owned(),
        };
        rows.lines().map(first).collect()
    };
    let all = ["solve --unique", "solve", "count --limit 2", "count --limit 9", "check", "check --minimal"];
    // The records of other formats differ from lines only in how they are read.
    let few = &all[..1];
    for (input, in_lanes, verbs) in
        [(&alike, 39, &all[..]), (&columns, 39, few), (&objects, 39, few), (&mixed, 49, &all)]
    {
        for verb in verbs {
            let asks = |fields: &str, words: &str| {
                let verb = format!("{verb} --to csv --fields {fields} {words}");
                quadrille(&verb).stdin(input.clone()).ends().out
            };
            // Rows of counts have no solution.
            let solution = if verb.starts_with("count") { "" } else { "solution," };
            let answer = format!("index,status,count,{solution}reason");
            let run = |words: &str| asks(&answer, words);
            let expected = run("-j1");
            // The variant engine does not take grids without rules, and its first solution may differ unless
            // a second is sought.
            if in_lanes == 39 && *verb != "solve" {
                assert_eq!(told(&expected), told(&run("--engine variant")), "{verb}");
            }
            for words in ["-j1 --chunk-bytes 4000", "--isa portable", "--audit 1/2"] {
                assert_eq!(run(words), expected, "{verb} {words}");
            }
            let work = |words: &str| asks(&format!("{answer},engine,guesses,nodes"), words);
            let engines = work("-j1");
            // Two records have contradictory clues; a record without solutions may need no engine.
            let lanes = engines.lines().filter(|row| row.contains(",lanes,")).count();
            assert!(lanes <= in_lanes && lanes + 4 >= in_lanes, "{verb} {lanes} of {in_lanes}: {engines}");
            assert!(!engines.lines().nth(1).unwrap().contains(",lanes,"), "{verb}");
            for words in ["-j2", "-j3 --chunk-bytes 300"] {
                assert_eq!(work(words), engines, "{verb} {words}");
            }
        }
    }
}

/// A long search among many short ones, in lanes and outside them.
#[test]
fn long_searches_among_records_with_the_same_rules_end() {
    let puzzles = puzzles_under(JIGSAW, 40);
    let empty = ".".repeat(81);
    let line = |puzzle: &str, rules: &str| format!("{puzzle}\t{rules}\n");
    let mut input = String::new();
    for number in 0..120 {
        input += &line(&puzzles[number % 40], JIGSAW);
        match number {
            3 | 119 => input += &line(&empty, JIGSAW),
            90 | 91 => input += &line(&empty, ".Diagonal~1"),
            _ => {}
        }
    }
    let run =
        |words: &str| quadrille(&format!("count --limit 18000 {words}")).stdin(input.clone()).ends().out;
    let expected = run("-j1");
    assert_eq!(expected.lines().filter(|row| row.ends_with(">=18000")).count(), 4, "{expected}");
    for words in
        ["-j2", "-j1 --chunk-bytes 3000", "-j3 --chunk-bytes 20000", "-j2 --unordered --chunk-bytes 900"]
    {
        let rows = run(words);
        if words.contains("unordered") {
            assert_eq!(rows.lines().count(), expected.lines().count());
        } else {
            assert_eq!(rows, expected, "{words}");
        }
    }
}

/// A resumed run still knows the rules of the first record. Records with the same rules share the lanes.
#[test]
fn a_resumed_run_knows_the_first_record() {
    let puzzles = puzzles_under(JIGSAW, 40);
    let input: String =
        puzzles.iter().cycle().take(12_000).map(|puzzle| format!("{puzzle}\t{JIGSAW}\n")).collect();
    let words = "solve --unique --to csv --fields index,status,engine,guesses -j1 --chunk-bytes 9000";
    for way in [Way::File, Way::Pipe] {
        survives_behind_checkpoints(&Case::new(way, words, input.clone()), 4);
    }
}
