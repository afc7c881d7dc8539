//! Grids with rules: where rules may be given, which are refused and how, and which verbs decline them.

use super::{EMPTY_9X9, POJ, POJ_SOLVED, quadrille};

/// Rules under which two givens leave one solution.
const CHESS: &str = ".AntiKnight.AntiKing.AntiConsecutive";
const SOLVED: &str = "483726159726159483159483726837261594261594837594837261372615948615948372948372615";

/// Returns the puzzle with these two givens.
fn miracle() -> String {
    let mut cells = vec!["."; 81];
    (cells[4 * 9 + 2], cells[5 * 9 + 6]) = ("1", "2");
    cells.concat()
}

#[test]
fn rules_are_read_in_every_format_that_has_them() {
    let puzzle = miracle();
    let one = format!("{SOLVED}\n");
    let solve =
        |words: &str, input: String| quadrille(&format!("solve --unique {words}")).stdin(input).prints();
    assert_eq!(solve("", format!("{puzzle}\t{CHESS}\tmine\n")), one);
    assert_eq!(solve("--echo-id", format!("{puzzle}\t{CHESS}\tmine\n")), format!("mine\t{one}"));
    assert_eq!(solve("", format!("{puzzle}\t.AntiKnight .AntiKing .AntiConsecutive\n")), one);
    // Rules may follow an id or precede it.
    assert_eq!(solve("--echo-id", format!("{puzzle}\tmine\t{CHESS}\n")), format!("mine\t{one}"));
    assert_eq!(solve("--echo-id", format!("{puzzle},m .A\t {CHESS} \tx\n")), format!("m .A\t{one}"));
    assert_eq!(solve("", format!("{CHESS}.~R5C3_1~R6C7_2\n")), one);
    assert_eq!(solve("--rules anti-knight,anti-king,non-consecutive", format!("{puzzle}\n")), one);
    assert_eq!(solve("--rules anti-king --rules non-consecutive", format!("{puzzle}\t.AntiKnight\n")), one);
    let rows: Vec<&str> = puzzle.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
    let words = "--from grid --rules anti-knight,anti-king,non-consecutive";
    assert_eq!(solve(words, format!("{}\n", rows.join("\n"))), one);
    let csv = format!("puzzle,rules\n{puzzle},\"anti-knight,{CHESS}\"\n{POJ},\n");
    let rows = solve("--to csv --fields solution", csv);
    assert_eq!(
        rows.lines().map(|row| row.rsplit(',').next().unwrap()).collect::<Vec<_>>()[1..],
        [SOLVED, POJ_SOLVED]
    );
    let json = format!(
        "{{\"puzzle\":\"{puzzle}\",\"rules\":\"{CHESS}\"}}\n{{\"puzzle\":\"{POJ}\",\"rules\":null}}\n"
    );
    assert_eq!(solve("", json), format!("{one}{POJ_SOLVED}\n"));
    // A column of puzzles is read like a line.
    let csv = format!("puzzle;n\n{CHESS}.~R5C3_1~R6C7_2;1\n{puzzle} {CHESS};2\n{POJ};3\n");
    let rows = solve("--to csv --fields solution", csv);
    assert_eq!(
        rows.lines().map(|row| row.rsplit(';').next().unwrap()).collect::<Vec<_>>()[1..],
        [SOLVED, SOLVED, POJ_SOLVED]
    );
    let json = format!("{{\"puzzle\":\"{puzzle}\\t.AntiKnight\",\"rules\":\"anti-king,non-consecutive\"}}\n");
    assert_eq!(solve("", json), one);
}

/// The empty 4x4 has 288 solutions if a rule is ignored.
#[test]
fn no_rule_is_dropped() {
    let empty = ".".repeat(16);
    let solved = "1234341221434321";
    let first = "1234341..1.34321";
    let none = "0\n";
    let refused = |text: &str| format!("invalid\trules: `{text}` is in the wrong place");
    for (line, told) in [
        // Rules in columns without names, row by row.
        (format!("{first};{solved};\n{empty};{solved};.AntiKing"), format!("1\n{none}")),
        (format!("{first},{solved},\n{empty},\" .AntiKing\","), format!("1\n{none}")),
        (format!("{empty}\t{solved}\t.AntiKing"), none.into()),
        (format!("17,{empty},.AntiKing"), none.into()),
        (format!("17\t{empty}\t.AntiKing\n18\t{empty}\t"), format!("{none}288\n")),
        (format!("17,{empty},.Cage~5~R1C1~R1C2,.AntiKing"), none.into()),
        (format!("17,{empty},\".Cage~5~R1C1~R1C2,x\""), "16\n".into()),
        (format!("17,{empty},.dragon~1"), "unsupported\trules: item 1: `.dragon` is not supported\n".into()),
        (format!("17,{empty},see .AntiKing"), refused(".AntiKing")),
        // Rules on the line of the puzzle.
        (format!("{empty}\t.Cage~5~R1C1~R1C2\t.AntiKing"), none.into()),
        (format!("{empty}\tmine\t.Cage~5~R1C1~R1C2 \t .AntiKing\t"), none.into()),
        (".Shape~4x4\t.AntiKing\tmine".into(), none.into()),
        (format!("{empty}\t. Cage~5~R1C1~R1C2\t. AntiKing"), none.into()),
        (
            format!("{empty}\t.cage~5~R1C1~R1C2"),
            "unsupported\trules: item 1: `.cage` is not supported\n".into(),
        ),
        (format!("{empty}\t.antiking"), "unsupported\trules: item 1: `.antiking` is not supported\n".into()),
        (format!("{empty}\t.Cage~5~R1C1~R1C2\tmine\t.AntiKing"), refused(".AntiKing")),
        (format!("{empty}\t.Cage~5~R1C1~R1C2\tmine .antiking"), refused(".antiking")),
        (format!("{empty},17,.Cage~5~R1C1~R1C2"), refused(".Cage~5~R1C1~R1C2")),
        (format!("{empty},,.AntiKing\tmine"), refused(".AntiKing")),
        (format!("{empty} || .AntiKing"), refused(".AntiKing")),
        (format!("{empty}\t\".AntiKing\""), refused(".AntiKing\"")),
        (format!("{empty}\t17 (.~R1C1_5)"), refused(".~R1C1_5)")),
        // Other texts with dots are ids.
        (format!("{empty}\t.hard 7.1/1.2~3 .x. sum.cage ...Quad a.txt~ .Net . Sum"), "288\n".into()),
        // With two such columns, one would be ignored.
        (format!("puzzle,rules,Rules\n{empty},x,.AntiKing"), String::new()),
        (format!("{{\"puzzle\":\"{empty}\",\"rules\":\"x\",\"rules\":\".AntiKing\"}}"), String::new()),
        (format!("{{\"puzzle\":\"{empty}\",\"Regions\":\"\",\"regions\":\"{solved}\"}}"), String::new()),
    ] {
        let ends = quadrille("count --to text").stdin(format!("{line}\n")).ends();
        assert!(ends.out.starts_with(&told) && ends.out.is_empty() == told.is_empty(), "{line:?} {ends:?}");
    }
    let doubled = quadrille("count").stdin(format!("puzzle,rules,Rules\n{empty},x,.AntiKing\n")).ends();
    assert!(doubled.err.contains("more than one column is called rules"), "{}", doubled.err);
    let correct = format!("{solved},{solved},.AntiKing\n");
    let told = quadrille("check --from csv --column 1 --solution-column 2 --to text").stdin(correct).prints();
    assert!(told.starts_with("wrong\t") && told.contains("the rule `.AntiKing` is broken"), "{told}");
    // The fault is reported once, and not as a fault of the format.
    let faulty = quadrille("count").stdin(format!("{empty}\t.Cage~-1~R1C1\n")).ends();
    assert!(faulty.err.ends_with("the input was read as line; the rules are invalid\n"), "{}", faulty.err);
}

#[test]
fn houses_are_those_of_grids_of_one_side() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("houses");
    let refused = |code, lines: &str, reason: &str| {
        std::fs::write(&path, lines).unwrap();
        let ends = quadrille("count --houses").arg(&path).stdin(EMPTY_9X9).ends();
        assert!(ends.code == Some(code) && (ends.out + &ends.err).contains(reason), "{lines:?}");
    };
    refused(6, "1....1....1....1\n", "the house is drawn for a 4x4, but the grid is a 9x9");
    refused(6, &"1........\n".repeat(9), "the house is drawn for a 3x3, but the grid is a 9x9");
    refused(2, "1....1....1....1\n1........\n", "9 characters, but the lines before have 16");
}

#[test]
fn rules_of_a_run_are_those_of_grids() {
    let told = quadrille("count --rules .Dragon data/cover/toy.dlx").fails(2);
    assert!(told.contains("exact cover problems take no rules of grids"), "{told}");
    let told = quadrille("count --regions aabb --from sets").stdin("1 2\n").fails(2);
    assert!(told.contains("exact cover problems take no rules of grids"), "{told}");
}

#[test]
#[cfg(unix)]
fn an_endless_file_of_houses_is_refused() {
    let refused = quadrille("solve --houses /dev/zero").stdin(EMPTY_9X9).fails(2);
    assert!(refused.contains("/dev/zero has more than 16777216 bytes"), "{refused}");
}

#[test]
fn options_without_a_rule_are_refused() {
    for (option, value, expected) in [
        ("--rules", "", "--rules names no rule: `--rules list` shows all rules"),
        ("--rules", " ,", "--rules names no rule"),
        ("--regions", "", "0 characters do not make a square grid"),
        ("--houses", "data/malformed/empty.txt", "empty.txt has no houses"),
    ] {
        let refused = quadrille("solve").arg(option).arg(value).stdin(EMPTY_9X9).fails(2);
        assert!(refused.contains(expected), "{option} '{value}': {refused}");
    }
}

#[test]
fn regions_and_houses_belong_to_records_or_to_the_run() {
    let layout = "aaabbbaabbbcadddcceeddcceedffceeffff";
    let puzzle = "..............13255.........1..6....";
    let solved = "354162213456641325536241425613162534\n";
    assert_eq!(quadrille("solve --unique --regions").arg(layout).stdin(puzzle).prints(), solved);
    let csv = format!("regions,puzzle\n{layout},{puzzle}\n");
    assert_eq!(quadrille("solve --unique --to text").stdin(csv).prints(), solved);
    // The jigsaw replaces the boxes: together with them there is no solution.
    let both = format!("{puzzle}\t.Jigsaw~{layout}\n");
    assert_eq!(quadrille("count").stdin(both).prints(), "0\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("houses");
    std::fs::write(&path, "# both diagonals\n1....1....1....1\n...1..1..1..1...\n").unwrap();
    assert_eq!(quadrille("count --houses").arg(&path).stdin("................\n").prints(), "48\n");
    std::fs::write(&path, layout).unwrap();
    assert_eq!(quadrille("solve --regions").arg(&path).stdin(puzzle).prints(), solved);
    let lost = quadrille("solve --regions missing.txt").stdin(puzzle).fails(2);
    assert!(lost.contains("missing.txt is neither a file nor a layout: 11 characters do not"), "{lost}");
    assert!(quadrille("solve --regions aabb").stdin(puzzle).ends().out.starts_with("invalid\trules: item 2"));
}

#[test]
fn givens_alone_make_a_plain_grid() {
    let givens: String = (0..81)
        .filter(|&cell| POJ.as_bytes()[cell] != b'0')
        .map(|cell| format!("~R{}C{}_{}", cell / 9 + 1, cell % 9 + 1, &POJ[cell..=cell]))
        .collect();
    let ended = quadrille("solve --to csv --fields solution,engine").stdin(format!(".{givens}\n")).prints();
    assert!(ended.ends_with(&format!("{POJ_SOLVED},lanes\n")), "{ended}");
    let both = quadrille("canon").stdin(format!(".{givens}\n{POJ}\n")).prints();
    assert_eq!(both.lines().next(), both.lines().nth(1));
}

#[test]
fn rules_that_are_not_understood_are_never_dropped() {
    let cases = [
        ("................\t.Dragon", "unsupported\trules: item 1: `.Dragon` is not supported"),
        ("................ .AntiKing.dragon~R1C1", "unsupported\trules: item 2: `.dragon` is not supported"),
        (
            "................\t.Cage~x~R1C1",
            "invalid\trules: item 1 `.Cage~x~R1C1`: `x` is not a whole number from 0 to 1000000",
        ),
        (
            "................\t.Cage~9~R1C1~R5C1",
            "invalid\trules: item 1 `.Cage~9~R1C1~R5C1`: `R5C1` is not a cell of a 4x4",
        ),
        (
            "................\t.AntiKing-Knight",
            "unsupported\trules: item 1: `.AntiKing-Knight` is not supported",
        ),
        (
            "................\t.AntiKing\u{e9}",
            "unsupported\trules: item 1: `.AntiKing\u{e9}` is not supported",
        ),
        (
            "................\t.Shape~9x9",
            "invalid\trules: item 1 `.Shape~9x9`: not the shape of the grid, which is 4x4 with digits 1 to 4",
        ),
        (
            "................\t.AntiKing~R1C1",
            "invalid\trules: item 1 `.AntiKing~R1C1`: it takes no arguments",
        ),
        (
            "................\t.Jigsaw~9x9~0011001122332233",
            "invalid\trules: item 1 `.Jigsaw~9x9~0011001122332233`: `9x9` is not the size of the grid, 4x4",
        ),
        (
            "................\t.~R1C1_5",
            "invalid\trules: item 1 `.~R1C1_5`: `5` is not a whole number from 1 to 4",
        ),
    ];
    for (line, told) in cases {
        assert_eq!(quadrille("solve").stdin(format!("{line}\n")).ends().out, format!("{told}\n"), "{line}");
        let (puzzle, rules) = line.split_at(16);
        let csv = format!("puzzle,rules\n{puzzle},{}\n", rules.trim());
        assert_eq!(quadrille("solve --to text").stdin(csv).ends().out, format!("{told}\n"), "{line}");
    }
    let refused = quadrille("solve --rules x,dragon").stdin(EMPTY_9X9).fails(2);
    assert!(refused.contains("`dragon` is not supported"), "{refused}");
    // An id is still read as an id.
    let named = quadrille("solve --echo-id").stdin(format!("{POJ}\t~ easy ~ .5\n")).prints();
    assert_eq!(named, format!("~ easy ~ .5\t{POJ_SOLVED}\n"));
}

#[test]
fn clues_that_break_a_rule_have_a_reason_in_words() {
    for (line, told) in [
        ("1..............1\t.Diagonal~-1", "two 1s in diagonal at r1c1"),
        ("1.....1.........\t.AntiKnight", "1 at r1c1 and r2c3, which must differ"),
        ("................\t.Cage~9~R1C1~R1C2", "cage of 9 at r1c1 cannot be filled"),
        ("................\t.Cage~8~R1C1~R1C2", "cage of 8 at r1c1 cannot be filled"),
        ("4...............\t.Arrow~R1C1~R2C2~R2C3~R3C2~R3C3~R4C4", "arrow at r1c1 cannot be filled"),
        ("1..1............\t.NoBoxes.Jigsaw~0001021122132333", "two 1s in row 1"),
        ("1.....1.........\t.AllDifferent~R1C1~R2C3~R4C4", "two 1s in group at r1c1"),
        ("1.....1.........\t.AllDifferent~R1C1~R2C3", "1 at r1c1 and r2c3, which must differ"),
        (".1..1...........\t.NoBoxes.Jigsaw~0001021122132333", "two 1s in region at r1c1"),
        (".....1....1.....\t.Windoku", "two 1s in window at r2c2"),
        ("1.........1.....\t.DisjointSets", "two 1s in disjoint group at r1c1"),
        (
            "12..............\t.AntiConsecutive",
            "1 at r1c1 and 2 at r1c2 break the non-consecutive rule at r1c1",
        ),
        ("13..............\t.WhiteDot~R1C2~R1C1", "1 at r1c1 and 3 at r1c2 break the white dot at r1c1"),
        ("13..............\t.BlackDot~R1C1~R1C2", "1 at r1c1 and 3 at r1c2 break the black dot at r1c1"),
        ("12..............\t.V~R1C1~R1C2", "1 at r1c1 and 2 at r1c2 break the V at r1c1"),
        ("................\t.X~R1C1~R1C2", "X at r1c1 cannot be filled"),
        ("12..............\t.StrictKropki", "1 at r1c1 and 2 at r1c2 break the rule of missing dots at r1c1"),
        ("14..............\t.StrictXV", "1 at r1c1 and 4 at r1c2 break the rule of missing letters at r1c1"),
        (
            "12..............\t.GreaterThan~R1C1~R1C2",
            "1 at r1c1 and 2 at r1c2 break the greater sign at r1c1",
        ),
        ("2...1...........\t.Thermo~R1C1~R2C1", "2 at r1c1 and 1 at r2c1 break the thermometer at r1c1"),
        ("................\t.Whisper~R1C1~R2C1", "whisper at r1c1 cannot be filled"),
        ("1...4...........\t.Renban~R1C1~R2C1~R2C2", "1 at r1c1 and 4 at r2c1 break the renban at r1c1"),
        (
            "1...............\t.Palindrome~R1C1~R2C1~R3C2.~R3C2_2",
            "1 at r1c1 and 2 at r3c2 break the palindrome at r1c1",
        ),
        ("12..43..........\t.Quad~R1C1~1~1", "quad at r1c1 cannot be filled"),
        ("................\t.Sum~9~R1C1~R1C2", "sum of 9 at r1c1 cannot be filled"),
        (
            "................\t.DoubleArrow~R1C1~R2C2~R3C3~R4C4.~R1C1_1~R4C4_1~R2C2_3",
            "double arrow at r1c1 cannot be filled",
        ),
        ("................\t.PillArrow~2~R1C1~R1C2~R2C3", "pill at r1c1 cannot be filled"),
        ("................\t.LittleKiller~20~R1C3", "little killer of 20 at r1c3 cannot be filled"),
        ("1...............\t.~R1C1_2", "no digit is allowed in row 1 column 1"),
    ] {
        let out = quadrille("solve").stdin(format!("{line}\n")).ends().out;
        assert_eq!(out, format!("none\t{told}\n"), "{line}");
    }
}

#[test]
fn letters_may_repeat_in_a_box_that_is_not_a_house() {
    let layout = ".NoBoxes.Jigsaw~0111002102223333";
    let counted = |letters: &str| quadrille("count").stdin(format!("{letters}\t{layout}\n")).prints();
    // r1c2 and r2c1 are in one box, but in two regions.
    let (all, same) = (counted("................"), counted(".a..a..........."));
    assert_ne!(same, "0\n");
    assert!(same.trim().parse::<u64>().unwrap() < all.trim().parse().unwrap(), "{same} of {all}");
    let none = quadrille("solve").stdin(format!("a.........a.....\t{layout}.Diagonal~-1\n")).ends().out;
    assert_eq!(none, "none\tletter a twice in diagonal at r1c1\n");
}

#[test]
fn given_solutions_are_checked_against_the_rules() {
    let wrong =
        quadrille("check --to text").stdin("puzzle,rules,solution\n................,x1,1234341221434321\n");
    assert_eq!(
        wrong.prints(),
        "wrong\tfirst wrong cell: at row 1 column 4 the rule `.Diagonal~1` is broken\n"
    );
    let csv = format!("puzzle,rules,solution\n{},{CHESS},{SOLVED}\n", miracle());
    assert_eq!(quadrille("check --minimal --to text").stdin(csv).prints(), "correct\n");
}

#[test]
fn verbs_that_use_the_symmetry_of_plain_grids_refuse_rules() {
    let line = format!("{}\t{CHESS}\n", miracle());
    for (verb, why) in [
        ("canon", "unsupported\ta puzzle with candidates, letter groups or rules"),
        ("rate", "unsupported\tthis scale cannot rate puzzles with"),
        ("rate --scale guesses-mean", "unsupported\t"),
    ] {
        let out = quadrille(verb).stdin(line.clone()).ends().out;
        assert!(out.starts_with(why), "{verb}: {out}");
    }
    let ended = quadrille("encode").stdin("................\t.Cage~3~R1C1~R1C2\n").ends();
    assert!(
        ended.code != Some(0) && ended.err.contains("cannot be encoded as an exact cover problem"),
        "{}",
        ended.err
    );
    let cover = quadrille("encode").stdin("................\t.AllDifferent~R1C1~R2C3.Diagonal~1\n").prints();
    let counted = quadrille("count --rules x1,.AllDifferent~R1C1~R2C3").stdin("................\n").prints();
    assert_eq!(quadrille("count --from dlx").stdin(cover).prints(), counted);
    for engine in ["bitmask", "lanes", "memo", "bands", "best-grid"] {
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
    let run =
        |words: &str| quadrille(&format!("count --limit 5 --to jsonl {words}")).stdin(input.clone()).prints();
    assert_eq!(run("-j1"), run("-j4 --chunk-bytes 4096"));
}

#[test]
fn killers_are_read_in_both_notations() {
    // Cages of two neighbours in each row, and the last column.
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
    let behind = quadrille("solve --unique --echo-id").stdin(format!("{long}\t{CHESS}\tmine\n{long} easy\n"));
    let rows = behind.prints();
    assert_eq!(rows.lines().next(), Some(&*format!("mine\t{SOLVED}")));
    assert!(rows.lines().nth(1).unwrap().starts_with("easy\t"), "{rows}");
    let refused =
        quadrille("solve").stdin(format!("3x3::k:1:2\n{}\n,x\n", arrows.replacen("<", ">", 1))).ends().out;
    let told: Vec<&str> = refused.lines().collect();
    assert_eq!(told[0], "invalid\tkiller: 2 numbers for 81 cells");
    assert_eq!((told.len(), told[2].starts_with("invalid")), (3, true), "{refused}");
}

#[test]
fn a_cage_without_a_sum_has_different_digits_in_every_form() {
    // R1C1 and R2C4 share no row, column or box.
    let numbers: Vec<&str> = (0..81).map(|cell| if matches!(cell, 0 | 12) { "1" } else { "0" }).collect();
    let long = format!("3x3::k:{}", numbers.join(":"));
    let grid = ".".repeat(81);
    let forms = [format!("{grid}\t.Cage~0~R1C1~R2C4"), long];
    // Equal digits in both cells contradict the cage; different digits do not.
    for (second, status) in [(1, "none"), (2, "solved")] {
        let givens = format!(".~R1C1_1.~R2C4_{second}");
        for form in &forms {
            let line = match form.strip_prefix("3x3") {
                Some(_) => format!("{form}\t{givens}\n"),
                None => format!("{form}{givens}\n"),
            };
            let rows = quadrille("solve --fields status --to csv").stdin(line).prints();
            assert_eq!(rows.lines().last(), Some(status), "{form} {givens}");
        }
    }
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
    // No digit is left for the cells in between.
    let impossible = ".Cage~3~R1C1~R1C2.Cage~3~R2C1~R2C2.AntiKing";
    let refused = quadrille("generate minimal --rules").arg(impossible).fails(1);
    assert!(refused.contains("no grid fulfils these rules"), "{refused}");
    for words in ["--distinct", "--rating 1.0..2.0"] {
        let refused = quadrille(&format!("generate minimal {words} --rules x")).fails(2);
        assert!(refused.contains("puzzles with rules can be neither rated"), "{refused}");
    }
}

#[test]
fn the_list_of_rules_names_every_item() {
    let list = quadrille("solve --rules list").prints();
    assert!(list.starts_with("Short names:"), "{list}");
    for word in ["anti-knight", "girandola", ".Cage~15", ".LittleKiller", "windoku", ".Quad"] {
        assert!(list.contains(word), "{word}: {list}");
    }
}

/// A 6x6 jigsaw with 1,008 solutions, followed by its layout.
const SMALL: &str =
    "..............1.2........1..........\t.NoBoxes.Jigsaw~000111001112033322443322443552445555";

#[test]
fn the_best_of_a_grid_with_rules_is_that_of_all_its_solutions() {
    let weight =
        |cell: usize| 6 + [cell / 6, cell % 6, 5 - cell / 6, 5 - cell % 6].into_iter().min().unwrap();
    for rules in [SMALL.to_owned(), format!("{}\t.AntiKnight", ".".repeat(36))] {
        let all = quadrille("solve --all").stdin(format!("{rules}\n")).prints();
        let score = |grid: &str| {
            grid.bytes()
                .enumerate()
                .map(|(cell, digit)| weight(cell) * usize::from(digit - b'0'))
                .sum::<usize>()
        };
        let mut scores: Vec<usize> = all.lines().map(score).collect();
        scores.sort_unstable();
        assert!(scores.len() > 5, "{all}");
        let best = |words: &str| quadrille(&format!("best {words}")).stdin(format!("{rules}\n")).prints();
        let (least, most) = (best("--minimize -j1"), best("-j1"));
        assert_eq!(least.split('\t').next(), Some(&*scores[0].to_string()), "{rules}");
        assert_eq!(most.split('\t').next(), Some(&*scores[scores.len() - 1].to_string()), "{rules}");
        assert_eq!((&least, &most), (&best("--minimize -j3"), &best("-j3")), "{rules}");
        assert!(all.lines().any(|grid| most.trim_end().ends_with(grid)), "{most}");
        let several: Vec<usize> =
            best("--limit 4").lines().map(|row| row.split('\t').next().unwrap().parse().unwrap()).collect();
        assert_eq!(several, scores.iter().rev().take(4).copied().collect::<Vec<_>>(), "{rules}");
    }
}

#[test]
fn cubes_of_a_grid_with_rules_carry_them_and_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rules = "anti-knight,.Cage~7~R1C1~R1C2.Cage~5~R3C3~R3C4";
    std::fs::write(path("grid"), format!("{}\n", ".".repeat(36))).unwrap();
    let run = |words: &str, file: &str| quadrille(words).arg("--rules").arg(rules).arg(path(file)).prints();
    let count = run("count", "grid");
    let cubes = run("split-problem --target 20", "grid");
    assert!(cubes.lines().count() >= 20, "{cubes}");
    assert!(
        cubes.lines().all(|line| line.ends_with("\t.AntiKnight.Cage~7~R1C1~R1C2.Cage~5~R3C3~R3C4")),
        "{cubes}"
    );
    std::fs::write(path("cubes"), &cubes).unwrap();
    let answers =
        quadrille("count --rules").arg(rules).arg(path("grid")).arg("--cubes").arg(path("cubes")).prints();
    std::fs::write(path("answers"), &answers).unwrap();
    assert_eq!(quadrille("combine").arg(path("answers")).prints(), count);
    // A missing answer is an error.
    let (_, fewer) = answers.split_once('\n').unwrap();
    std::fs::write(path("answers"), fewer).unwrap();
    quadrille("combine").arg(path("answers")).fails(1);
    // Truncated rules, other rules, or another problem.
    for wrong in
        [cubes.replace("\t.AntiKnight", ""), cubes.replace("Cage~7", "Cage~8"), cubes.replace("~R3C4", "")]
    {
        std::fs::write(path("cubes"), wrong).unwrap();
        let ended =
            quadrille("count --rules").arg(rules).arg(path("grid")).arg("--cubes").arg(path("cubes")).ends();
        assert!(ended.out.lines().all(|row| row.contains("invalid")), "{}", ended.out);
    }
    std::fs::write(path("cubes"), &cubes).unwrap();
    let ended =
        quadrille("count --rules anti-king").arg(path("grid")).arg("--cubes").arg(path("cubes")).ends();
    assert!(ended.out.lines().all(|row| row.ends_with("a cube of another problem")), "{}", ended.out);
    // The cubes of a 9x9 are complete puzzles by themselves.
    let cubes = quadrille("split-problem --target 5").stdin(format!("{}\t{CHESS}\n", miracle())).prints();
    let alone: String = cubes.lines().map(|line| format!("{}\n", line.split_once('\t').unwrap().1)).collect();
    let counts = quadrille("count").stdin(alone).prints();
    assert_eq!(counts.lines().map(|count| count.parse::<u64>().unwrap()).sum::<u64>(), 1, "{counts}");
    let best = |purpose: &str| {
        let cubes =
            quadrille(&format!("split-problem {purpose} --target 9")).stdin(format!("{SMALL}\n")).prints();
        std::fs::write(path("cubes"), cubes).unwrap();
        std::fs::write(path("grid"), format!("{SMALL}\n")).unwrap();
        let words = purpose.replace("--maximize", "");
        let answers =
            quadrille(&format!("best {words}")).arg(path("grid")).arg("--cubes").arg(path("cubes")).prints();
        std::fs::write(path("answers"), answers).unwrap();
        let whole = quadrille(&format!("best {words}")).stdin(format!("{SMALL}\n")).prints();
        (quadrille("combine").arg(path("answers")).prints(), whole)
    };
    for purpose in ["--maximize", "--minimize"] {
        let (parts, whole) = best(purpose);
        assert_eq!(parts.split('\t').next(), whole.split('\t').next());
    }
}

#[test]
fn engines_race_and_searches_are_estimated_with_rules() {
    let puzzles = quadrille("generate minimal -n 4 --side 6 --rules x").prints();
    let table =
        quadrille("bench --engine variant,dlx,bitset,naive --rounds 1").stdin(puzzles.clone()).prints();
    for engine in ["variant", "dlx", "bitset", "naive"] {
        assert!(table.contains(engine), "{table}");
    }
    let plain: String = puzzles.lines().map(|line| format!("{}\n", &line[..36])).collect();
    let table = quadrille("bench --rules x --rounds 1").stdin(plain).prints();
    assert!(table.contains("\n  variant ") && !table.contains("\n  lanes "), "{table}");
    let sums = quadrille("bench --rounds 1").stdin("................\t.Cage~5~R1C1~R1C2\n").prints();
    assert!(
        sums.contains("\n  variant ") && sums.contains("\n  naive ") && !sums.contains("\n  dlx "),
        "{sums}"
    );
    let told = quadrille("estimate --probes 50 --rules x").stdin(format!("{}\n", ".".repeat(36))).prints();
    assert!(told.contains("solutions"), "{told}");
}

#[test]
fn sides_without_boxes_may_have_regions() {
    // A 5x5 with regions from `--regions` or from the record, and grids with rows and columns only.
    let five = "aabbbaabbcaddccdddcceeeee";
    let empty = ".".repeat(25);
    let all = quadrille("count --regions").arg(five).stdin(format!("{empty}\n")).prints();
    assert_eq!(quadrille("count").stdin(format!("{empty}\t.Jigsaw~{five}\n")).prints(), all);
    assert_eq!(quadrille("count --to text").stdin(format!("puzzle,regions\n{empty},{five}\n")).prints(), all);
    let json = format!("{{\"puzzle\":\"{empty}\",\"rules\":\".NoBoxes.Jigsaw~{five}\"}}\n");
    assert_eq!(quadrille("count").stdin(json).prints(), all);
    assert_eq!(quadrille("count").stdin(format!(".Shape~5x5.NoBoxes.Jigsaw~{five}\n")).prints(), all);
    for engine in ["naive", "dlx", "bitset"] {
        let run = format!("count --engine {engine} --regions");
        assert_eq!(quadrille(&run).arg(five).stdin(format!("{empty}\n")).prints(), all, "{engine}");
    }
    // Latin squares (OEIS A002860).
    for (side, squares) in [(4, "576\n"), (5, "161280\n")] {
        let run = |input: String| quadrille("count --rules .NoBoxes").stdin(input).prints();
        assert_eq!(run(format!("{}\n", ".".repeat(side * side))), squares);
    }
    let rows = quadrille("generate minimal -n 3 --side 7 --rules .NoBoxes,x").prints();
    assert_eq!(quadrille("check --minimal").stdin(rows.clone()).prints(), "unique\n".repeat(3), "{rows}");
    let rows: String = (0..7).map(|_| ".......\n").collect();
    let solved = quadrille("solve --from grid --side 7 --rules .NoBoxes").stdin(rows).prints();
    assert_eq!(solved.trim_end().len(), 49, "{solved}");
    // Without regions, such a grid is invalid, and so is any rule that needs boxes.
    for line in [empty.clone(), format!("{empty}\t.AntiKing"), ".Shape~5x5.AntiKing".into()] {
        let out = quadrille("count").stdin(format!("{line}\n")).ends().out;
        assert!(out.starts_with("invalid\t") && out.contains("a 5x5 has no boxes"), "{out}");
    }
    // The same holds with `--side` and rules in each record.
    let asked = |line: &str| quadrille("count --side 5").stdin(format!("{line}\n")).ends().out;
    for line in [".NoBoxes".to_owned(), format!("{empty}\t.NoBoxes")] {
        assert_eq!(asked(&line), "161280\n");
    }
    assert!(asked(".AntiKing").contains("a 5x5 has no boxes"));
    // A side that was asked for needs no `.NoBoxes`.
    assert_eq!(asked(&empty), "161280\n");
    for item in [".Windoku", ".DisjointSets"] {
        let out = quadrille("count").stdin(format!("{empty}\t.NoBoxes{item}\n")).ends().out;
        assert_eq!(out, format!("invalid\trules: item 2 `{item}`: a 5x5 has no boxes\n"));
    }
}

#[test]
fn regions_cages_and_marks_are_drawn() {
    let drawn = |line: &str| quadrille("solve --to grid").stdin(format!("{line}\n")).prints();
    let solved = "1234341221434321";
    let items = ".Cage~8~R1C3~R1C4~R2C3.Cage~0~R3C1~R3C2.WhiteDot~R1C1~R1C2.V~R2C1~R3C1.GreaterThan~R4C1~R3C1\
        .GreaterThan~R4C3~R4C4.GreaterThan~R1C4~R1C3.BlackDot~R3C1~R3C2";
    let cages = [
        "+---------+---------+",
        "|  1 o  2 |8 3 <  4 |",
        "|         |    .....+",
        "|  3    4 |  1 :  2 |",
        "+--V------+----+----+",
        "|  2 *  1 |  4    3 |",
        "+..^......+         |",
        "|  4    3 |  2 >  1 |",
        "+---------+---------+",
    ];
    assert_eq!(drawn(&format!("{solved}\t{items}")), cages.join("\n") + "\n\n");
    let regions = [
        "+-----------+---+",
        "| 1   2   3 | 4 |",
        "+---+   +---+   |",
        "| 3 | 4 | 1   2 |",
        "|   +---+---+   |",
        "| 2   1 | 4 | 3 |",
        "|   +---+   +---+",
        "| 4 | 3   2   1 |",
        "+---+-----------+",
    ];
    let layout = "0001201122312333";
    assert_eq!(drawn(&format!("{solved}\t.NoBoxes.Jigsaw~{layout}")), regions.join("\n") + "\n\n");
    let best = quadrille("best --to grid --regions").arg(layout).stdin(format!("{solved}\n")).prints();
    assert!(best.ends_with(&(regions.join("\n") + "\n\n")), "{best}");
    // A grid without anything to draw is printed plainly.
    assert_eq!(drawn(solved), "1234\n3412\n2143\n4321\n\n");
    assert_eq!(drawn(&format!("{solved}\t.DisjointSets")), "1234\n3412\n2143\n4321\n\n");
}

#[test]
fn the_puzzles_of_data_have_one_solution_and_no_needless_clue() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/variants");
    let files = std::fs::read_dir(folder).expect("it is in the repository").map(|file| file.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    assert!(files.len() > 35, "{files:?}");
    for path in &files {
        // These puzzles have more clues than they need, to keep the search short.
        let minimal = if path.ends_with("non-consecutive.txt") { "" } else { "--minimal" };
        let told = quadrille(&format!("check --to text {minimal}")).arg(path).prints();
        assert!(!told.is_empty() && told.lines().all(|row| row == "unique"), "{path:?} {told}");
    }
    let all: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let list = quadrille("solve --rules list").prints();
    let names = list
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('.'))
        .map(|word| word.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap());
    let missing: Vec<&str> = names.filter(|name| !all.contains(&format!(".{name}"))).collect();
    assert_eq!(missing, [""; 0], "no puzzle has these items");
}
