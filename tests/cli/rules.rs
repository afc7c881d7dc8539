//! Grids with rules: where rules stand, what is refused and how, and who declines them.

use super::{EMPTY_9X9, POJ, POJ_SOLVED, quadrille};

/// The rules of the puzzle of two givens that has one solution under them.
const CHESS: &str = ".AntiKnight.AntiKing.AntiConsecutive";
const SOLVED: &str = "483726159726159483159483726837261594261594837594837261372615948615948372948372615";

/// Its two givens.
fn miracle() -> String {
    let mut cells = vec!["."; 81];
    (cells[4 * 9 + 2], cells[5 * 9 + 6]) = ("1", "2");
    cells.concat()
}

#[test]
fn rules_are_read_wherever_they_stand() {
    let puzzle = miracle();
    let one = format!("{SOLVED}\n");
    let solve =
        |words: &str, input: String| quadrille(&format!("solve --unique {words}")).stdin(input).prints();
    assert_eq!(solve("", format!("{puzzle}\t{CHESS}\tmine\n")), one);
    assert_eq!(solve("--echo-id", format!("{puzzle}\t{CHESS}\tmine\n")), format!("mine\t{one}"));
    assert_eq!(solve("", format!("{puzzle}\t.AntiKnight .AntiKing .AntiConsecutive\n")), one);
    assert_eq!(solve("", format!("{CHESS}.~R5C3_1~R6C7_2\n")), one);
    assert_eq!(solve("--rules anti-knight,anti-king,non-consecutive", format!("{puzzle}\n")), one);
    assert_eq!(solve("--rules anti-king --rules non-consecutive", format!("{puzzle}\t.AntiKnight\n")), one);
    let rows: Vec<&str> = puzzle.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
    let words = "--format grid --rules anti-knight,anti-king,non-consecutive";
    assert_eq!(solve(words, format!("{}\n", rows.join("\n"))), one);
    let csv = format!("puzzle,rules\n{puzzle},\"anti-knight,{CHESS}\"\n{POJ},\n");
    let rows = solve("--output csv --fields solution", csv);
    assert_eq!(
        rows.lines().map(|row| row.rsplit(',').next().unwrap()).collect::<Vec<_>>()[1..],
        [SOLVED, POJ_SOLVED]
    );
    let json = format!(
        "{{\"puzzle\":\"{puzzle}\",\"rules\":\"{CHESS}\"}}\n{{\"puzzle\":\"{POJ}\",\"rules\":null}}\n"
    );
    assert_eq!(solve("", json), format!("{one}{POJ_SOLVED}\n"));
}

#[test]
fn regions_and_houses_stand_beside_puzzles_or_are_those_of_the_run() {
    let layout = "aaabbbaabbbcadddcceeddcceedffceeffff";
    let puzzle = "..............13255.........1..6....";
    let solved = "354162213456641325536241425613162534\n";
    assert_eq!(quadrille("solve --unique --regions").arg(layout).stdin(puzzle).prints(), solved);
    let csv = format!("regions,puzzle\n{layout},{puzzle}\n");
    assert_eq!(quadrille("solve --unique --output text").stdin(csv).prints(), solved);
    // The boxes go: with them there is no solution.
    let both = format!("{puzzle}\t.Jigsaw~{layout}\n");
    assert_eq!(quadrille("count").stdin(both).prints(), "0\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("houses");
    std::fs::write(&path, "# both diagonals\n1....1....1....1\n...1..1..1..1...\n").unwrap();
    assert_eq!(quadrille("count --houses").arg(&path).stdin("................\n").prints(), "48\n");
    std::fs::write(&path, layout).unwrap();
    assert_eq!(quadrille("solve --regions").arg(&path).stdin(puzzle).prints(), solved);
    assert!(quadrille("solve --regions aabb").stdin(puzzle).ends().out.starts_with("invalid\trules: item 2"));
}

#[test]
fn givens_alone_make_a_plain_grid() {
    let givens: String = (0..81)
        .filter(|&cell| POJ.as_bytes()[cell] != b'0')
        .map(|cell| format!("~R{}C{}_{}", cell / 9 + 1, cell % 9 + 1, &POJ[cell..=cell]))
        .collect();
    let ended =
        quadrille("solve --output csv --fields solution,engine").stdin(format!(".{givens}\n")).prints();
    assert!(ended.ends_with(&format!("{POJ_SOLVED},lanes\n")), "{ended}");
    let both = quadrille("canon").stdin(format!(".{givens}\n{POJ}\n")).prints();
    assert_eq!(both.lines().next(), both.lines().nth(1));
}

#[test]
fn nothing_that_is_not_understood_is_left_out() {
    let cases = [
        ("................\t.Dragon", "unsupported\trules: item 1: `.Dragon` is not supported"),
        ("................ .AntiKing.dragon~R1C1", "unsupported\trules: item 2: `.dragon` is not supported"),
        (
            "................\t.Cage~x~R1C1",
            "invalid\trules: item 1 `.Cage~x~R1C1`: `x` is no whole number from 0 to 1000000",
        ),
        (
            "................\t.Cage~9~R1C1~R5C1",
            "invalid\trules: item 1 `.Cage~9~R1C1~R5C1`: `R5C1` is no cell of a 4x4",
        ),
        (
            "................\t.Shape~9x9",
            "invalid\trules: item 1 `.Shape~9x9`: the grid is 4x4 with digits 1 to 4",
        ),
        (
            "................\t.AntiKing~R1C1",
            "invalid\trules: item 1 `.AntiKing~R1C1`: it takes no arguments",
        ),
        (
            "................\t.~R1C1_5",
            "invalid\trules: item 1 `.~R1C1_5`: `5` is no whole number from 1 to 4",
        ),
    ];
    for (line, told) in cases {
        assert_eq!(quadrille("solve").stdin(format!("{line}\n")).ends().out, format!("{told}\n"), "{line}");
        let (puzzle, rules) = line.split_at(16);
        let csv = format!("puzzle,rules\n{puzzle},{}\n", rules.trim());
        assert_eq!(quadrille("solve --output text").stdin(csv).ends().out, format!("{told}\n"), "{line}");
    }
    let refused = quadrille("solve --rules x,dragon").stdin(EMPTY_9X9).fails(2);
    assert!(refused.contains("`dragon` is not supported"), "{refused}");
    // An id is one as ever.
    let named = quadrille("solve --echo-id").stdin(format!("{POJ}\t~ easy ~ .5\n")).prints();
    assert_eq!(named, format!("~ easy ~ .5\t{POJ_SOLVED}\n"));
}

#[test]
fn clues_that_break_a_rule_are_told_in_words() {
    for (line, told) in [
        ("1..............1\t.Diagonal~-1", "two 1s in diagonal at r1c1"),
        ("1.....1.........\t.AntiKnight", "1 at r1c1 and r2c3, which are to differ"),
        ("................\t.Cage~9~R1C1~R1C2", "cage of 9 at r1c1 cannot be filled"),
        ("................\t.Cage~8~R1C1~R1C2", "cage of 8 at r1c1 cannot be filled"),
        ("4...............\t.Arrow~R1C1~R2C2~R2C3~R3C2~R3C3~R4C4", "arrow at r1c1 cannot be filled"),
    ] {
        let out = quadrille("solve").stdin(format!("{line}\n")).ends().out;
        assert_eq!(out, format!("none\t{told}\n"), "{line}");
    }
}

#[test]
fn given_solutions_are_held_to_the_rules() {
    let wrong = quadrille("check --output text")
        .stdin("puzzle,rules,solution\n................,x1,1234341221434321\n");
    assert_eq!(
        wrong.prints(),
        "wrong\tfirst wrong cell: at row 1 column 4 the rule `.Diagonal~1` is broken\n"
    );
    let csv = format!("puzzle,rules,solution\n{},{CHESS},{SOLVED}\n", miracle());
    assert_eq!(quadrille("check --minimal --output text").stdin(csv).prints(), "correct\n");
}

#[test]
fn what_uses_the_symmetry_of_plain_grids_declines() {
    let line = format!("{}\t{CHESS}\n", miracle());
    for (verb, why) in [
        ("canon", "unsupported\ta puzzle of more than clues"),
        ("rate", "unsupported\tsuch ratings are for puzzles of clues alone"),
        ("rate --scale guesses-mean", "unsupported\t"),
        ("best", "unsupported\tno engine can find the best solution of 9x9 grids with weights and rules yet"),
    ] {
        let out = quadrille(verb).stdin(line.clone()).ends().out;
        assert!(out.starts_with(why), "{verb}: {out}");
    }
    let ended = quadrille("split").stdin(line.clone()).ends();
    assert!(ended.code != Some(0) && ended.err.contains("a grid with rules cannot be cut"), "{}", ended.err);
    let ended = quadrille("encode").stdin("................\t.Cage~3~R1C1~R1C2\n").ends();
    assert!(ended.code != Some(0) && ended.err.contains("is no exact cover problem"), "{}", ended.err);
    let cover = quadrille("encode").stdin("................\t.AllDifferent~R1C1~R2C3.Diagonal~1\n").prints();
    let counted = quadrille("count --rules x1,.AllDifferent~R1C1~R2C3").stdin("................\n").prints();
    assert_eq!(quadrille("count --format dlx").stdin(cover).prints(), counted);
    for engine in ["bitmask", "lanes", "memo", "bands", "bound"] {
        let refused = quadrille("solve --engine").arg(engine).stdin(line.clone()).fails(2);
        assert!(refused.contains("9x9 grids with rules"), "{engine}: {refused}");
    }
}

#[test]
fn rows_are_the_same_on_any_number_of_threads() {
    let mut input = String::new();
    for number in 0..90 {
        let clue = number % 81;
        let grid: String = (0..81).map(|cell| if cell == clue { '5' } else { '.' }).collect();
        let rules =
            [".Diagonal~1.AntiKnight", ".Diagonal~1.Windoku", ".Windoku.Cage~15~R1C1~R1C2~R1C3"][number % 3];
        input.push_str(&format!("{grid}\t{rules}\n"));
    }
    let run = |words: &str| {
        quadrille(&format!("count --limit 5 --output jsonl {words}")).stdin(input.clone()).prints()
    };
    assert_eq!(run("-j1"), run("-j4 --chunk-bytes 4096"));
}

#[test]
fn killers_are_read_in_both_forms() {
    // Cages of two beside each other in each row, and the last column by itself.
    let row = |row: usize| {
        (0..4)
            .map(|pair| {
                u32::from(SOLVED.as_bytes()[9 * row + 2 * pair] - b'0')
                    + u32::from(SOLVED.as_bytes()[9 * row + 2 * pair + 1] - b'0')
            })
            .collect::<Vec<u32>>()
    };
    let (mut arrows, mut long) = (String::new(), "3x3::k:".to_owned());
    for r in 0..9 {
        for (pair, sum) in row(r).into_iter().enumerate() {
            arrows.push(char::from_digit(sum, 36).unwrap().to_ascii_uppercase());
            arrows.push('<');
            let number = 256 * sum + (4 * r + pair) as u32 + 1;
            long.push_str(&format!("{number}:{number}:"));
        }
        arrows.push('0');
        long.push_str("0:");
    }
    let rules = "anti-knight,anti-king,non-consecutive";
    let solve = |line: String| quadrille("solve --unique --rules").arg(rules).stdin(line).prints();
    let one = format!("{SOLVED}\n");
    assert_eq!(solve(format!("{arrows}\n")), one);
    assert_eq!(solve(format!("{long}\n")), one);
    let behind =
        quadrille("solve --unique --echo-id").stdin(format!("{arrows}\t{CHESS}\tmine\n{arrows}\teasy\n"));
    let rows = behind.prints();
    assert_eq!(rows.lines().next(), Some(&*format!("mine\t{SOLVED}")));
    assert!(rows.lines().nth(1).unwrap().starts_with("easy\t"));
    let refused =
        quadrille("solve").stdin(format!("3x3::k:1:2\n{}\n,x\n", arrows.replacen("<", ">", 1))).ends().out;
    let told: Vec<&str> = refused.lines().collect();
    assert_eq!(told[0], "invalid\tkiller: 2 numbers, and 81 cells");
    assert_eq!((told.len(), told[2].starts_with("invalid")), (3, true), "{refused}");
}

#[test]
fn puzzles_are_generated_with_rules_and_minimal() {
    for rules in ["x", ".Thermo~R1C1~R1C2~R1C3~R1C4.Cage~7~R2C1~R3C1", "anti-king"] {
        let side = if rules == "anti-king" { "9" } else { "6" };
        let make = |words: &str| {
            quadrille(&format!("generate minimal -n 3 --side {side} {words} --rules")).arg(rules).prints()
        };
        let rows = make("-j1");
        assert_eq!(rows, make("-j3"), "{rules}");
        let checked = quadrille("check --minimal").stdin(rows.clone()).prints();
        assert_eq!(checked, "unique\nunique\nunique\n", "{rows}");
    }
    let layout = "aaabbbaabbbcadddcceeddcceedffceeffff";
    let rows = quadrille("generate puzzles -n 2 --side 6 --regions").arg(layout).prints();
    assert!(rows.contains("\t.NoBoxes.Jigsaw~000111001112033322443322443552445555"), "{rows}");
    assert_eq!(quadrille("check").stdin(rows).prints(), "unique\nunique\n");
    for words in ["--distinct", "--rating 1.0..2.0"] {
        let refused = quadrille(&format!("generate minimal {words} --rules x")).fails(2);
        assert!(refused.contains("puzzles with rules have no rating"), "{refused}");
    }
}

#[test]
fn the_list_names_everything() {
    let list = quadrille("solve --rules list").prints();
    assert!(list.starts_with("Short names:"), "{list}");
    for word in ["anti-knight", "girandola", ".Cage~15", ".LittleKiller", "windoku", ".Quad"] {
        assert!(list.contains(word), "{word}: {list}");
    }
}
