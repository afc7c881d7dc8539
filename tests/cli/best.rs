//! `best`: the largest and smallest weighted score.

use super::{POJ, POJ_SOLVED, quadrille};

/// Returns the score of [`POJ_SOLVED`] with the weights of `target`: 6 to 9 from the outer ring inwards, 10
/// in the centre.
fn poj_score() -> i64 {
    let weight = |cell: usize| {
        let (row, column) = (cell / 9, cell % 9);
        6 + row.min(column).min(8 - row).min(8 - column) as i64
    };
    POJ_SOLVED.bytes().enumerate().map(|(cell, digit)| weight(cell) * i64::from(digit - b'0')).sum()
}

#[test]
fn the_only_solution_is_the_best_and_the_worst() {
    let score = poj_score();
    for direction in ["", "--minimize"] {
        let text = quadrille("best").args(direction).stdin(POJ).prints();
        assert_eq!(text, format!("{score}\t{POJ_SOLVED}\n"));
    }
    assert_eq!(quadrille("best --to contest").stdin(POJ).prints(), format!("{score}\n"));
}

#[test]
fn without_a_solution_the_score_is_minus_one_for_judges() {
    let clash = format!("77{}\n", &POJ[2..]);
    assert_eq!(quadrille("best --to contest").stdin(clash.clone()).prints(), "-1\n");
    assert_eq!(quadrille("best").stdin(clash).prints(), "none\ttwo 7s in row 1\n");
}

#[test]
fn weights_come_from_a_file_too() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("weights.txt");
    let mut weights = vec!["0"; 16];
    weights[0] = "1";
    std::fs::write(&file, weights.join(" ")).expect("written");
    let score = |direction: &str| {
        let run = quadrille("best --fields score,bound,status --weights").arg(&file).args(direction);
        run.stdin("................").prints()
    };
    assert_eq!((score(""), score("--minimize")), ("4\t4\toptimal\n".into(), "1\t1\toptimal\n".into()));

    std::fs::write(&file, "1 2 three").expect("written");
    let error = quadrille("best --weights").arg(&file).stdin(POJ).fails(2);
    assert!(error.contains("line 1 column 5") && error.contains("three"), "{error}");
}

#[test]
fn weights_of_another_size_make_a_record_invalid() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("weights.txt");
    std::fs::write(&file, "1 2 3").expect("written");
    let ended = quadrille("best --weights").arg(&file).stdin(POJ).ends();
    assert!(ended.code == Some(6) && ended.out.starts_with("invalid\t"), "{ended:?}");
}

#[test]
fn the_best_solutions_have_one_row_each_best_first() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("weights.txt");
    // A corner with weight 1 and its neighbour with weight 10.
    std::fs::write(&file, format!("1 10 {}", "0 ".repeat(14))).expect("written");
    let best = |words: &str| {
        let run = quadrille("best --weights").arg(&file).args(words);
        run.stdin("................").prints()
    };
    let all = best("--limit 1000");
    let scores: Vec<i64> =
        all.lines().map(|line| line.split('\t').next().unwrap().parse().expect("a score")).collect();
    assert_eq!(scores.len(), 288);
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] == 43 && scores[287] == 12, "{scores:?}");
    let few: String = all.lines().take(5).map(|line| format!("{line}\n")).collect();
    assert_eq!(best("--limit 5"), few);
    assert_eq!(best("--limit 5 -j2"), few);
    let csv = best("--limit 2 --minimize --to csv");
    let begins: Vec<&str> = csv.lines().map(|line| line.get(..10).unwrap_or(line)).collect();
    assert_eq!(begins, ["index,solu", "1,1,,12,,2", "1,2,,12,,2"]);
    let early = best("--limit 100 --node-limit 60");
    let last: Vec<&str> = early.lines().last().unwrap().split('\t').collect();
    assert_eq!(&last[..2], ["feasible", "nodes"]);
    assert!(last[2].parse::<i64>().unwrap() >= 43, "{early}");
    quadrille("best --limit 2 --to contest").stdin(POJ).fails(2);
}

/// A problem with three covers of a, b and c, which cost 6, 5 and 4.
const COSTS: &str = "| costs\na b c | x\na b x:1 |3\nc x:1 |2 |1\na c |4\nb x:2 |1\na |2\nb c x:1 |2\n";

#[test]
fn exact_covers_have_least_and_greatest_costs() {
    let best = |words: &str| quadrille("best").args(words).stdin(COSTS).prints();
    assert_eq!(best("--minimize"), "4\ta ; b c x:1\n");
    assert_eq!(best("--maximize"), "6\ta b x:1 ; c x:1\n");
    let all = "4\ta ; b c x:1\n5\ta c ; b x:2\n6\ta b x:1 ; c x:1\n";
    assert_eq!(best("--minimize --limit 10"), all);
    assert_eq!(best("--minimize --limit 2 -j2").lines().count(), 2);
    assert_eq!(best("--fields score,bound,status,engine"), "6\t6\toptimal\tbest-cover\n");
    assert_eq!(quadrille("count").stdin(COSTS).prints(), "3\n");
    assert_eq!(quadrille("solve --all").stdin(COSTS).prints().lines().count(), 3);
}

#[test]
fn costs_that_may_exceed_64_bits_are_unsupported() {
    let huge = format!("| costs\na b\na |{0}\nb |{0}\n", i64::MAX);
    let text = quadrille("best").stdin(huge.clone()).prints();
    assert!(text.starts_with("unsupported\t") && text.contains("64 bits"), "{text}");
    assert_eq!(quadrille("count").stdin(huge).prints(), "1\n");
    let fits = format!("| costs\na b\na |{}\nb |-5\n", i64::MIN + 5);
    assert_eq!(quadrille("best --minimize").stdin(fits).prints(), format!("{}\ta ; b\n", i64::MIN));
    let times = "| costs\n2|a b\na |1\na b |1\n";
    let text = quadrille("best").stdin(times).prints();
    assert!(text.starts_with("unsupported\t") && text.contains("multiplicities"), "{text}");
}

#[test]
fn long_searches_for_the_best_few_are_the_same_on_any_number_of_threads() {
    // Costs take few values, so that many solutions tie; the search is long enough to be split.
    let langford = quadrille("generate langford 8 --costs 0..3").prints();
    let same = |words: &str, input: &str| {
        let run = |threads: &str| {
            let fields = "--fields status,ended_by,score,bound,solution,nodes,engine";
            quadrille("best").args(fields).args(words).args(threads).stdin(input).prints()
        };
        let one = run("-j1");
        for threads in ["-j2", "-j3"] {
            assert_eq!(run(threads), one, "{words} {threads}");
        }
        one
    };
    assert!(same("--minimize", &langford).starts_with("optimal\tcomplete\t"));
    same("--maximize --limit 40", &langford);
    let few = same("--minimize --limit 7", &langford);
    let more = same("--minimize --limit 20", &langford);
    assert_eq!((few.lines().count(), more.lines().count()), (7, 20));
    let begins: Vec<_> = more.lines().take(7).map(|row| row.split('\t').nth(4)).collect();
    assert_eq!(few.lines().map(|row| row.split('\t').nth(4)).collect::<Vec<_>>(), begins);
    // A 9x9 with ties, and a grid that only the tree search supports.
    for (words, clues) in [("--limit 5", 12), ("--limit 3 --minimize", 16)] {
        let grid = quadrille("generate sparse -n 3 --seed 4 --clues").args(&clues.to_string()).prints();
        same(words, &grid);
    }
    same("--limit 3 --box 2x3", &".".repeat(36));
}

#[test]
fn one_thread_or_two_give_the_same_best_grid() {
    let best = |words: &str| {
        quadrille("best --fields status,score,solution --box 2x3").args(words).stdin(".".repeat(36)).prints()
    };
    let one = best("-j1");
    assert!(one.starts_with("optimal\t"), "{one}");
    assert_eq!(one, best("-j2"));
}
