//! Exact cover problems.

use super::{POJ, quadrille};

#[test]
fn a_puzzle_is_written_as_an_exact_cover_problem() {
    let text = quadrille("encode").stdin("12..............").prints();
    assert!(text.lines().count() > 30, "{text}");
    assert_eq!(text, quadrille("encode --from line").stdin("12..............").prints());
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

/// Knuth's example (The Art of Computer Programming 4B, section 7.2.2.1).
const TOY: &str = "a b c d e f g\nc e\na d g\nb c f\na d f\nb g\nd e g\n";

#[test]
fn knuths_format_is_solved_and_counted_with_the_items_of_the_input() {
    assert_eq!(quadrille("solve --from dlx").stdin(TOY).prints(), "c e ; a d f ; b g\n");
    assert_eq!(quadrille("count --from dlx").stdin(TOY).prints(), "1\n");
    let json = quadrille("solve --from dlx --to jsonl").stdin(TOY).prints();
    let row: serde_json::Value = serde_json::from_str(&json).expect("one object");
    let rows: Vec<_> =
        row["solution"].as_array().expect("a list of options").iter().map(|option| &option["line"]).collect();
    assert_eq!(rows, [2, 5, 6]);
}

#[test]
fn knuths_format_is_recognised_by_names_of_files_and_of_items() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for name in ["toy.dlx", "digits.dlx", "toy.txt"] {
        let file = directory.path().join(name);
        // Cells named by two digits could be read as a row of integers.
        let text = if name == "digits.dlx" { "00 01 10 11\n00 01\n10 11\n00 10\n01 11\n" } else { TOY };
        std::fs::write(&file, text).expect("room for it");
        let count = if name == "digits.dlx" { "2\n" } else { "1\n" };
        assert_eq!(quadrille("count").arg(&file).prints(), count);
    }
}

#[test]
fn sets_and_matrices_are_answered_in_row_numbers() {
    let sets = "3 5\n1 4 7\n2 3 6\n1 4 6\n2 7\n4 5 7\n";
    let one = quadrille("solve --from sets").stdin("1 4 7\n1 4\n4 5 7\n3 5 6\n2 3 6 7\n2 7\n").prints();
    assert_eq!(one, "2 4 6\n");
    assert_eq!(quadrille("count --from sets").stdin(sets).prints(), "1\n");
    let matrix = "6 7\n1001001\n1001000\n0001101\n0010110\n0110011\n0100001\n";
    assert_eq!(quadrille("solve --from matrix").stdin(matrix).prints(), "2 4 6\n");
    assert_eq!(quadrille("count --from matrix").stdin("1 1\n1 1\n").prints(), "2\n");
}

#[test]
fn a_puzzle_has_as_many_solutions_as_its_encoding() {
    let text = quadrille("encode --from line").stdin("12..............").prints();
    let count = quadrille("count --from line").stdin("12..............").prints();
    assert_eq!(quadrille("count --from dlx").stdin(text.as_str()).prints(), count);
    let solved = quadrille("solve --all --from dlx").stdin(text.as_str()).prints();
    assert_eq!(solved.lines().count().to_string(), count.trim());
}

#[test]
fn items_may_be_covered_several_times() {
    let bounded = quadrille("count --from dlx").stdin("2|a b\na\na b\n").prints();
    assert_eq!(bounded, "1\n");
    let all = quadrille("solve --all --from dlx").stdin("1:2|a b | x\na\na x:1\nb x:2\nb\na b\n").prints();
    let expected = ["a b ; a", "a b ; a x:1", "a b", "b x:2 ; a", "b ; a ; a x:1", "b ; a", "b ; a x:1"];
    let sorted = |lines: Vec<&str>| {
        let mut lines: Vec<String> = lines
            .iter()
            .map(|line| {
                let mut options: Vec<&str> = line.split(" ; ").collect();
                options.sort_unstable();
                options.join(" ; ")
            })
            .collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(sorted(all.lines().collect()), sorted(expected.to_vec()));
}

#[test]
fn a_bad_file_is_one_invalid_record_with_line_and_column() {
    let bad = "a b\na\nb c\n";
    let said = "quadrille: the record could not be read\n";
    let ended = quadrille("solve -q --from dlx").stdin(bad).ends_with(6);
    assert_eq!(
        (ended.out.as_str(), ended.err.as_str()),
        ("invalid\tline 3 column 3: unknown item c\n", said)
    );
    assert_eq!(quadrille("count --on-error skip --from dlx").stdin(bad).fails(6), said);
    let ended = quadrille("estimate --from dlx").stdin(bad).ends_with(6);
    assert!(ended.out.starts_with("invalid\t") && ended.err == said, "{ended:?}");
    let ended = quadrille("estimate").stdin("abc\n").ends_with(6);
    assert!(ended.err.contains("the record could not be read; the input was read as line"), "{ended:?}");
    let warned = quadrille("solve --from dlx").stdin("a | x\nx\na\n").ends();
    assert!(warned.err.contains("an option without a primary item is ignored"), "{}", warned.err);
}

#[test]
fn a_cost_before_its_items_is_reported() {
    let said = |text: &str| quadrille("count --from dlx").stdin(text).ends().err;
    let warned = said("a b\n|4 a b\na |4\n|-5 b\nb\n");
    let line = "line 2: a line that begins with | is a comment; a cost follows the items of its option (1 more like it)";
    assert!(warned.contains(line), "{warned}");
    for comment in ["| 4 a", "|4", "|4 a c", "|four a", "|99999999999999999999 a", "|4 \u{e9}"] {
        assert_eq!(said(&format!("a b\n{comment}\na\nb\n")), "", "{comment}");
    }
    assert_eq!(said("|4 a\na b\na b\n"), "", "a comment before the items");
}

#[test]
fn estimates_come_before_long_counts() {
    let matchings = quadrille("generate matchings 8").prints();
    let line = quadrille("estimate --probes 3 --engine dlx").stdin(matchings.as_str()).prints();
    assert_eq!(
        line,
        "solutions 105 (105 to 105), nodes 253 (253 to 253) (3 probes of dlx, seed 1; in brackets 95 %)\n"
    );
    let queens = quadrille("generate queens 8").prints();
    let json =
        |options: &str| quadrille(&format!("estimate --json {options}")).stdin(queens.as_str()).prints();
    let text = json("--probes 2000 -j1");
    assert_eq!(text, json("--probes 2000 -j3"));
    assert_ne!(text, json("--probes 2000 --seed 2"));
    let row: serde_json::Value = serde_json::from_str(&text).expect("one object");
    let solutions = &row["solutions"];
    let off = solutions["mean"].as_f64().expect("a number") - 92.0;
    assert!(off.abs() < 4.0 * solutions["error"].as_f64().expect("a number"), "{text}");
    for (narrow, wide) in [("interval_68", "interval_95"), ("log10_interval_68", "log10_interval_95")] {
        let at = |name: &str, end: usize| solutions[name][end].as_f64().expect("a number");
        assert!(at(wide, 0) < at(narrow, 0) && at(narrow, 0) < at(narrow, 1), "{text}");
        assert!(at(narrow, 1) < at(wide, 1), "{text}");
    }
    let bounds = &solutions["interval_95"];
    assert!(bounds[0].as_f64() < Some(92.0) && bounds[1].as_f64() > Some(92.0), "{text}");
    let grids = quadrille("estimate").stdin("................\n12\n1...............\n").prints();
    let lines: Vec<&str> = grids.lines().collect();
    assert_eq!(lines.len(), 3, "{grids}");
    assert!(lines[0].starts_with("solutions 2") && lines[1].starts_with("invalid\t"), "{grids}");
    let none = quadrille("estimate --from dlx").stdin("a b\na\n").prints();
    assert!(none.starts_with("solutions 0"), "its search ends at once: {none}");
    // Langford pairs of 1 to 5 do not exist, but only a search shows it.
    let pairs = quadrille("generate langford 5").prints();
    let none = quadrille("estimate --engine dlx").stdin(pairs.as_str()).prints();
    assert!(
        none.starts_with("no probe found a solution; there are at most as many solutions as nodes, about "),
        "{none}"
    );
    let row: serde_json::Value =
        serde_json::from_str(&quadrille("estimate --engine dlx --json").stdin(pairs).prints())
            .expect("one object");
    assert!(row["solutions"].is_null() && row["solutions_at_most"]["mean"].as_f64() > Some(1.0), "{row}");
}

/// Splits the row of a stopped count, such as `>=507`, into its lower bound and the reason.
fn at_least(row: &str) -> (u64, &str) {
    let (count, reason) = row.trim_end().split_once('\t').expect("a count and a reason");
    let count = count.strip_prefix(">=").expect("a lower bound");
    (count.parse().expect("a number"), reason)
}

#[test]
fn limits_leave_true_partial_answers_with_any_engine_and_threads() {
    let latin = quadrille("generate latin 6").prints();
    let queens = quadrille("generate domination 8 5").prints();
    for (problem, engines, all) in
        [(&latin, ["dlx", "bitset"], 812_851_200), (&queens, ["dlx", "bitset"], 4860)]
    {
        for engine in engines {
            let mut rows = Vec::new();
            for threads in ["-j1", "-j2"] {
                for nodes in ["5000", "60000"] {
                    let words = format!("count {threads} --from dlx --engine {engine} --node-limit {nodes}");
                    rows.push(quadrille(&words).stdin(problem.as_str()).prints());
                    let (count, reason) = at_least(rows.last().expect("just pushed"));
                    assert!(count < all && reason == "nodes", "{engine}: {rows:?}");
                }
                let words = format!("count {threads} --from dlx --engine {engine} --time-limit 100ms");
                let row = quadrille(&words).stdin(problem.as_str()).prints();
                // A fast machine may finish the smaller problems within the limit.
                if all > 5000 || row.starts_with(">=") {
                    let (count, reason) = at_least(&row);
                    assert!(count < all && reason == "time", "{engine}: {row}");
                }
            }
            assert_eq!(rows[..2], rows[2..], "{engine}: not the same on two threads");
        }
    }
    let ended = |threads: &str, nodes: &str| {
        let words = format!("solve --all {threads} --from dlx --to jsonl --node-limit {nodes}");
        quadrille(&words).args("--fields status,ended_by,solution").stdin(latin.as_str()).prints()
    };
    for nodes in ["5000", "60000"] {
        let text = ended("-j2", nodes);
        let last = text.lines().last().expect("a row");
        assert!(last.contains("\"nodes\""), "{last}");
        assert_eq!(text, ended("-j1", nodes));
    }
}

#[test]
fn packings_are_drawn() {
    let drawn = |words: &str| {
        let problem = quadrille(&format!("generate {words}")).prints();
        quadrille("solve --to grid -j1").stdin(problem).prints()
    };
    let pieces = drawn("pentominoes 6x10 distinct");
    let rows: Vec<&str> = pieces.lines().take(6).collect();
    assert!(rows.iter().all(|row| row.len() == 10), "{pieces}");
    for letter in "FILPNTUVWXYZ".chars() {
        assert_eq!(pieces.matches(letter).count(), 5, "{letter} in\n{pieces}");
    }
    let hole = drawn("pentominoes 8x8-2x2 distinct");
    let lines: Vec<&str> = hole.lines().collect();
    assert!([3, 4].iter().all(|&row| &lines[row][3..5] == "  "), "{hole}");
    assert_eq!(drawn("dominoes 2x2"), "AA\nBB\n\n");
    assert_eq!(drawn("soma distinct").split("\n\n").count(), 4, "three layers, and the end of the record");
    let queens = drawn("queens 6");
    let columns: Vec<usize> =
        queens.lines().take(6).map(|row| row.find('*').expect("a queen a row")).collect();
    assert_eq!(columns.len(), columns.iter().collect::<std::collections::BTreeSet<_>>().len(), "{queens}");
    assert_eq!(queens.matches(['*', '.']).count(), 36, "{queens}");
    // Items numbered in another way are not the cells of a board.
    assert_eq!(drawn("langford 3").lines().count(), 4);
    assert!(drawn("latin 3").starts_with("p00 "));
    // Two queens attack the same cell: a drawing would show only one of them.
    let queens = drawn("domination 4 2");
    assert_eq!(queens.lines().filter(|line| line.starts_with("# ")).count(), 2, "{queens}");
    // Coordinates with commas, 1-based; a cell that no option covers; an option without cells.
    let text = "k 1,1 1,2 a | 2,1 2,2\na 1,1 1,2 2,1\nk\n";
    let board = quadrille("solve --from dlx --to grid").stdin(text).prints();
    assert_eq!(board, "aa\na.\nk\n\n");
}
