//! Input as people have it: the whole head of a source decides its format.

use super::quadrille;

const PUZZLE: &str = ".234..8..6....7......53.62...5......84.....36......1...52.96......1....7..8..521.";
const SOLVED: &str = "523469871614287395987531624275613948841952736396874152152796483439128567768345219";
const JIGSAW: &str = "8...........1.....2.....4.6.....8..5...62..18.3...4.2....5..1.7..2.........8...9.";
const LAYOUT: &str = "999998888555998888555998333555111333222111333222111444222766444777766444777766666";
const JIGSAW_SOLVED: &str =
    "845279361359162784281395476467918235574623918136754829928536147792481653613847592";

/// Solves a text and returns the rows that are not `invalid`.
fn solved(options: &str, text: &str) -> Vec<String> {
    let ended = quadrille(&format!("solve --unique {options}")).stdin(text.to_owned()).ends();
    ended.out.lines().filter(|row| !row.starts_with("invalid\t")).map(str::to_owned).collect()
}

#[test]
fn rulers_and_keys_between_puzzles_are_invalid() {
    for other in ["-".repeat(16), "_".repeat(36), "-".repeat(64), "*".repeat(81), "0000000000000012".into()] {
        let text = format!("{PUZZLE}\n{other}\n{PUZZLE}\n");
        let ended = quadrille("solve --unique").stdin(text).ends();
        let rows: Vec<&str> = ended.out.lines().collect();
        assert_eq!((rows[0], rows[2], rows.len()), (SOLVED, SOLVED, 3), "{other}");
        assert!(rows[1].starts_with("invalid\t"), "{}", rows[1]);
        // The result is the same if the other line comes first: the first record does not decide alone.
        assert_eq!(solved("", &format!("{other}\n{PUZZLE}\n{PUZZLE}\n")), [SOLVED, SOLVED], "{other}");
    }
}

#[test]
fn sides_are_mixed_only_if_asked_for() {
    let text = format!("{PUZZLE}\n1...............\n{PUZZLE}\n");
    let ended = quadrille("count").stdin(text.clone()).ends();
    let reason = "a 4x4, but the source's grids are 9x9 (--side any reads other sides too)";
    assert_eq!(ended.out, format!("1\ninvalid\t{reason}\n1\n"));
    assert_eq!(quadrille("count --side any").stdin(text).prints(), "1\n72\n1\n");
    let tie = quadrille("count").stdin(format!("1...............\n{PUZZLE}\n")).ends();
    assert!(
        tie.out.is_empty() && tie.err.contains("several sides") && tie.err.contains("--side"),
        "{}",
        tie.err
    );
}

#[test]
fn a_key_or_a_uuid_before_a_puzzle_is_not_the_puzzle() {
    for key in ["0000000000000012", "550e1400-e24b-41d4-a216-446655440000", "0000183b305c"] {
        let row = format!("{key},{PUZZLE},{SOLVED}\n");
        assert_eq!(solved("", &format!("key,board,answer\n{row}{row}")), [SOLVED, SOLVED], "{key}");
        let line = format!("{key} {PUZZLE}  1.2\n");
        assert_eq!(
            solved("--echo-id", &line.repeat(2)),
            [format!("{key}\t{SOLVED}"), format!("{key}\t{SOLVED}")]
        );
    }
    let two = format!("one,other\n{PUZZLE},{}\n", PUZZLE.replace('2', "."));
    let ended = quadrille("solve").stdin(two.clone()).ends();
    assert!(ended.out.is_empty() && ended.err.contains("--column: one, other"), "{}", ended.err);
    assert_eq!(solved("--column one", &two), [SOLVED]);
}

#[test]
fn a_numbered_puzzle_is_not_a_comment() {
    let text = format!("# two puzzles\n#1 {PUZZLE}\n#2. {PUZZLE}\n");
    let ended = quadrille("solve --unique --echo-id").stdin(text).ends();
    assert_eq!((ended.code, ended.out), (Some(0), format!("1\t{SOLVED}\n2\t{SOLVED}\n")));
}

#[test]
fn a_layout_after_a_puzzle_is_read_and_reported() {
    for text in
        [format!("{JIGSAW}\t{LAYOUT}\n"), format!("{JIGSAW}{LAYOUT}\n"), format!("{JIGSAW} {LAYOUT} seven\n")]
    {
        let ended = quadrille("solve --unique").stdin(text).ends();
        assert_eq!(ended.out, format!("{JIGSAW_SOLVED}\n"));
        assert!(ended.err.contains("is a layout of regions"), "{}", ended.err);
    }
    let columns = quadrille("solve --unique").stdin(format!("board,shape\n{JIGSAW},{LAYOUT}\n")).ends();
    assert_eq!(columns.out, format!("{JIGSAW_SOLVED}\n"));
    assert!(columns.err.contains("column shape is a layout of regions"), "{}", columns.err);
    // A layout in a later record contradicts the first record.
    let later = quadrille("solve --unique").stdin(format!("{PUZZLE}\n{JIGSAW}\t{LAYOUT}\n")).ends();
    assert!(
        later.out.starts_with(&format!("{SOLVED}\ninvalid\ta layout of regions follows")),
        "{}",
        later.out
    );
    // A solution has as many different characters as a layout.
    assert_eq!(solved("", &format!("{PUZZLE} {SOLVED}\n")), [SOLVED]);
}

#[test]
fn a_line_that_begins_with_the_name_of_a_column_is_a_puzzle() {
    for between in [" ", ",", "\t"] {
        let row = ["puzzle", "7", PUZZLE, "1.2"].join(between) + "\n";
        assert_eq!(solved("--from csv --column 3", &row.repeat(3)), [SOLVED, SOLVED, SOLVED], "{row}");
        assert_eq!(solved("", &row.repeat(3)), [SOLVED, SOLVED, SOLVED], "{row}");
    }
    for (key, puzzle) in [
        ("0000000000000012", "1....2....3....4"),
        ("550e1400-e24b-41d4-a216-446655440000", "1....2..3.4..5..6.2..1....6..3..4..."),
    ] {
        let both = format!("{key} {puzzle} 1.2\n").repeat(2);
        let one = quadrille("convert --to line --bare").stdin(both).prints();
        assert_eq!(one, format!("{puzzle}\n").repeat(2));
    }
    // A puzzle whose empty cells are zeros is still taken for the puzzle.
    assert_eq!(
        quadrille("convert --to line --bare").stdin("1000020000300004 0.5\n").prints(),
        "1....2....3....4\n"
    );
}

#[test]
fn escapes_in_members_do_not_hide_a_puzzle() {
    let cells: String = PUZZLE.replace('.', "\\u00b7");
    let rows: Vec<String> =
        (0..9).map(|row| format!("\"{}\"", &PUZZLE[9 * row..][..9].replace('.', "\\u25cb"))).collect();
    for value in [format!("\"{cells}\""), format!("[{}]", rows.join(", "))] {
        let object = format!("{{\"key\":\"0000000000000012\",\"board\":{value}}}\n");
        assert_eq!(solved("", &object), [SOLVED], "{object}");
    }
}

#[test]
fn members_and_later_rows_with_layouts_are_read_or_refused() {
    let object = |puzzle: &str, shape: &str| format!("{{\"puzzle\":\"{puzzle}\",\"shape\":\"{shape}\"}}\n");
    let ended = quadrille("solve --unique").stdin(object(JIGSAW, LAYOUT)).ends();
    assert_eq!(ended.out, format!("{JIGSAW_SOLVED}\n"));
    assert!(ended.err.contains("member shape is a layout of regions"), "{}", ended.err);
    let reason = "invalid\ta layout of regions follows the puzzle, but none follows the first puzzle";
    // The layout comes far after the part of the source that decides its format.
    let rows = |row: &dyn Fn(&str, &str) -> String| row(PUZZLE, "").repeat(900) + &row(JIGSAW, LAYOUT);
    for text in [
        rows(&object),
        "puzzle,shape\n".to_owned() + &rows(&|puzzle, shape| format!("{puzzle},{shape}\n")),
        "shape,puzzle,solution\n".to_owned() + &rows(&|puzzle, shape| format!("{shape},{puzzle},\n")),
    ] {
        let ended = quadrille("solve").stdin(text).ends();
        let rows: Vec<&str> = ended.out.lines().collect();
        assert_eq!((rows.len(), rows[899]), (901, SOLVED));
        assert!(rows[900].starts_with(reason), "{}", rows[900]);
    }
}

#[test]
fn members_with_prose_about_rules_are_left_out() {
    let object = |rules: &str| format!("{{\"puzzle\":\"{PUZZLE}\",\"rules\":{rules}}}\n");
    let ended = quadrille("solve").stdin(object("\"Normal sudoku rules apply.\"").repeat(2)).ends();
    assert_eq!(ended.out, format!("{SOLVED}\n").repeat(2));
    assert!(ended.err.contains("member rules is text, not rules, and is left out"), "{}", ended.err);
    for rules in ["null", "\"\""] {
        let ended = quadrille("solve").stdin(object(rules)).ends();
        assert_eq!((ended.out, ended.err.as_str()), (format!("{SOLVED}\n"), ""));
    }
    assert_eq!(quadrille("count").stdin(object("\".Diagonal~1\"")).prints(), "0\n");
}

#[test]
fn a_number_before_every_grid_may_be_its_side() {
    let rows: String = (0..9).map(|row| format!("{}\n", &PUZZLE[9 * row..][..9])).collect();
    for (text, grids) in [(format!("9\n{rows}"), 1), (format!("9\n{rows}"), 3), (format!("9\n{rows}\n"), 2)] {
        for text in [text.repeat(grids), text.repeat(grids).replace('.', "0")] {
            let ended = quadrille("solve").stdin(text.clone()).ends();
            assert_eq!((ended.out, ended.err.as_str()), (format!("{SOLVED}\n").repeat(grids), ""), "{text}");
        }
    }
    // If the format is named, the number is a count.
    let named = quadrille("solve --from contest").stdin(format!("9\n{rows}")).ends();
    assert!(named.out.ends_with("invalid\tT is 9, but only 1 grid was found\n"), "{}", named.out);
}

#[test]
fn columns_may_be_between_blanks() {
    let table =
        format!("hash   grid {}  score\na7f3   {PUZZLE}  1.2\nb9      {PUZZLE}  13 \n", " ".repeat(76));
    let ended = quadrille("solve --column grid").stdin(table.clone()).ends();
    assert_eq!((ended.out, ended.err.as_str()), (format!("{SOLVED}\n{SOLVED}\n"), ""));
    assert_eq!(
        quadrille("solve").stdin(table.replace("grid  ", "puzzle")).prints(),
        format!("{SOLVED}\n{SOLVED}\n")
    );
    let rows = quadrille("solve --column 2 --to csv --fields status").stdin(table).prints();
    let wanted = format!("hash,grid,score,q_status\na7f3,{PUZZLE},1.2,solved\nb9,{PUZZLE},13,solved\n");
    assert_eq!(rows, wanted);
}

#[test]
fn words_are_not_grids_with_marks() {
    let ended = quadrille("solve").stdin("foo bar\n".repeat(100)).ends();
    assert_eq!(ended.code, Some(6));
    assert!(ended.out.lines().all(|row| row.starts_with("invalid\t")), "{}", ended.out);
}

#[test]
fn rows_of_sets_may_begin_with_their_number_of_elements() {
    let sample = "6 7\n3 1 4 7\n2 1 4\n3 4 5 7\n3 3 5 6\n4 2 3 6 7\n2 2 7\n";
    assert_eq!(quadrille("solve --from sets").stdin(sample).prints(), "2 4 6\n");
    // Both readings fit.
    let small = "3 4\n2 1 4\n1 2\n1 3\n";
    let ended = quadrille("solve --from sets").stdin(small).ends();
    assert!(ended.out.contains("--counted-rows"), "{}", ended.out);
    assert_eq!(quadrille("solve --from sets --counted-rows on").stdin(small).prints(), "1 2 3\n");
    assert_eq!(quadrille("solve --from sets --counted-rows off").stdin(small).ends().out, "none\n");
    let wrong = quadrille("solve --from sets --counted-rows on").stdin("2 1\n").ends();
    assert!(wrong.out.contains("2 elements were announced, but 1 follow"), "{}", wrong.out);
}

#[test]
fn best_without_costs_warns() {
    let plain = "a b c d\na b\nc d\na b c d\na\nb\n";
    let ended = quadrille("best --minimize --from dlx").stdin(plain).ends();
    assert!(
        ended.err.contains("no option has a cost") && ended.err.contains("--cost-each 1"),
        "{}",
        ended.err
    );
    let fewest = quadrille("best --minimize --cost-each 1 --from dlx").stdin(plain).ends();
    assert_eq!((fewest.out.as_str(), fewest.err.as_str()), ("1\ta b c d\n", ""));
}

#[test]
fn the_exit_status_does_not_depend_on_naming_the_format() {
    let text = format!("3\n{}", POJ_ROWS);
    let sniffed = quadrille("solve").stdin(text.clone()).ends();
    let named = quadrille("solve --from contest").stdin(text).ends();
    assert_eq!((sniffed.code, sniffed.out), (named.code, named.out));
}

const POJ_ROWS: &str =
    "103000509\n002109400\n000704000\n300502006\n060000050\n700803004\n000401000\n009205800\n804000107\n";

#[test]
fn an_empty_item_of_rules_is_ignored() {
    for rules in [
        ".Diagonal~1.Diagonal~-1",
        ".Diagonal~1..Diagonal~-1",
        "..Diagonal~1.Diagonal~-1",
        ".Diagonal~1.Diagonal~-1.",
    ] {
        for text in [format!("................\t{rules}\n"), format!("{}.Shape~4x4\n", rules)] {
            assert_eq!(quadrille("count").stdin(text).prints(), "48\n", "{rules}");
        }
    }
}

#[test]
fn other_forms_of_characters_are_read() {
    let dots: String = PUZZLE.chars().map(|cell| if cell == '.' { '·' } else { cell }).collect();
    let rows: String = (0..9)
        .map(|row| {
            dots.chars().skip(9 * row).take(9).map(|cell| format!("{cell} ")).collect::<String>() + "\n"
        })
        .collect();
    let wide: String = PUZZLE
        .chars()
        .map(|cell| cell.to_digit(10).and_then(|digit| char::from_u32(0xff10 + digit)).unwrap_or('．'))
        .collect();
    let hidden = format!("{}\u{200b}{}\u{feff}", &PUZZLE[..40], &PUZZLE[40..]);
    for text in [dots, rows, wide, hidden, format!("{PUZZLE}\u{a0}comment"), format!("\u{a0}{PUZZLE}")] {
        assert_eq!(solved("", &format!("{text}\n")), [SOLVED], "{text}");
    }
    let blank = PUZZLE.replace('.', "é");
    assert_eq!(solved("--blank é", &format!("{blank}\n")), [SOLVED]);
    for big in [false, true] {
        let units = format!("\u{feff}{PUZZLE}\n{PUZZLE}\n");
        let bytes: Vec<u8> = units
            .encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect();
        assert_eq!(quadrille("solve").stdin(bytes).prints(), format!("{SOLVED}\n").repeat(2));
    }
    for (unseen, name) in [('\u{7}', "U+0007 (BEL)"), ('\u{1d}', "U+001D (GS)"), ('\u{7f}', "U+007F (DEL)")] {
        let named = quadrille("solve").stdin(format!("{PUZZLE}\n{unseen}{}\n", &PUZZLE[1..])).ends();
        let reason = format!("invalid\t{name} in column 1 is not a digit of a 9x9\n");
        assert_eq!(named.out, format!("{SOLVED}\n{reason}"));
    }
    // Control characters of a line, which could move the cursor, are not printed as they are.
    let moving = quadrille("solve").stdin(format!("{PUZZLE}\t.Cage~\u{1b}[2J~R1C1\n")).ends();
    assert!(moving.out.starts_with("invalid\t") && !moving.out.contains('\u{1b}'), "{}", moving.out);
}

/// Returns the verdicts of `check` on a text, and the messages.
fn checked(options: &str, text: String) -> (String, String) {
    let ended = quadrille(&format!("check {options}")).stdin(text).ends();
    (
        ended.out.lines().map(|row| row.split('\t').next().unwrap_or(row)).collect::<Vec<_>>().join(" "),
        ended.err,
    )
}

/// Returns a grid as rows of characters with blanks between them.
fn rows_of(grid: &str) -> String {
    let row = |row: &[u8]| row.iter().map(|&cell| char::from(cell).to_string()).collect::<Vec<_>>().join(" ");
    grid.as_bytes().chunks(9).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn finished_grids_next_to_other_columns_are_solutions_or_nothing() {
    for (name, told) in [("target", false), ("solved_grid", false), ("x", true)] {
        let (verdicts, said) = checked("", format!("puzzle,{name}\n{PUZZLE},{SOLVED}\n"));
        assert_eq!((&*verdicts, said.contains("--solution-column")), ("correct", told), "{name}: {said}");
        let object = format!("{{\"puzzle\":\"{PUZZLE}\",\"{name}\":\"{SOLVED}\"}}\n");
        assert_eq!(checked("", object.repeat(2)).0, "correct correct", "{name}");
    }
    // Puzzles that cannot be read are invalid, and their solutions are not read in their place.
    let lost = "312003020003000,4312123421433421\n102000003201004,3142241343211234\n";
    for names in ["Puzzle,Solution", "a,b"] {
        let ended = quadrille("check").stdin(format!("{names}\n{lost}")).ends();
        assert_eq!(ended.out.matches("leading zeros were lost").count(), 2, "{}", ended.out);
    }
    let refused = quadrille("check --from csv").stdin(format!("name,grid\nx,{SOLVED}\n")).ends();
    assert!(
        refused.err.contains("no column with a puzzle (name it with --column): name, grid"),
        "{}",
        refused.err
    );
    assert_eq!(checked("--column grid", format!("name,grid\nx,{SOLVED}\n")).0, "unique");
}

#[test]
fn solutions_are_read_like_puzzles() {
    let commas = |grid: &str| grid.replace('.', "0").chars().map(String::from).collect::<Vec<_>>().join(",");
    for look in [&commas as &dyn Fn(&str) -> String, &rows_of, &|grid| format!("[{}]", commas(grid))] {
        let text = format!("puzzle,solution\n\"{}\",\"{}\"\n", look(PUZZLE), look(SOLVED));
        assert_eq!(checked("", text.clone()).0, "correct", "{text}");
    }
    let prose = format!("Solve this puzzle:\n{}\n\nThank you.", rows_of(&PUZZLE.replace('.', "_")));
    let object = format!(
        "{{\"question\":{prose:?},\"answer\":{:?},\"metadata\":{{\"puzzle\":{PUZZLE:?},\"done\":[1]}}}}\n",
        rows_of(SOLVED)
    );
    assert_eq!(checked("", object.clone()).0, "correct");
    assert_eq!(checked("--column metadata.puzzle", object).0, "correct");
    let two = format!("{{\"question\":{:?}}}\n", format!("{prose}\n{prose}"));
    assert_eq!(checked("", two).0, "invalid");
}

#[test]
fn tables_by_columns_and_cells_as_objects_are_read() {
    for text in [
        format!(
            "{{\"puzzle\":{{\"0\":\"{PUZZLE}\",\"1\":\"{PUZZLE}\"}},\"solution\":{{\"0\":\"{SOLVED}\",\"1\":\"{SOLVED}\"}}}}"
        ),
        format!("{{\"puzzle\":[\"{PUZZLE}\",\"{PUZZLE}\"],\"solution\":[\"{SOLVED}\",\"{SOLVED}\"]}}\n"),
        format!(
            "{{\"columns\":[\"puzzle\",\"solution\"],\"data\":[[\"{PUZZLE}\",\"{SOLVED}\"],[\"{PUZZLE}\",\"{SOLVED}\"]]}}"
        ),
    ] {
        assert_eq!(checked("", text.clone()).0, "correct correct", "{text}");
    }
    // Each row keeps its columns.
    for text in [
        format!(
            "{{\"id\":{{\"3\":\"a,b\",\"7\":null}},\"puzzle\":{{\"3\":\"{PUZZLE}\",\"7\":\"{SOLVED}\"}}}}"
        ),
        format!("{{\"id\":[\"a,b\",null],\n\"puzzle\":[\"{PUZZLE}\",\n\"{SOLVED}\"]}}\n"),
        format!("{{\"columns\":[\"id\",\"puzzle\"],\"data\":[[\"a,b\",\"{PUZZLE}\"],[null,\"{SOLVED}\"]]}}"),
    ] {
        let rows = quadrille("check --to csv --fields status").stdin(text.as_str()).prints();
        assert_eq!(
            rows,
            format!("id,puzzle,q_status\n\"a,b\",{PUZZLE},unique\n,{SOLVED},unique\n"),
            "{text}"
        );
        let rows = quadrille("check --to jsonl --fields status").stdin(text.as_str()).prints();
        assert!(rows.starts_with("{\"id\":\"a,b\",\"puzzle\":"), "{rows}");
    }
    let cell = |cell: char| {
        cell.to_digit(10).map_or("{\"val\":null}".to_owned(), |digit| format!("{{\"val\":{digit}}}"))
    };
    let cells: Vec<String> = PUZZLE.chars().map(cell).collect();
    assert_eq!(solved("", &format!("[{}]", cells.join(", "))), [SOLVED]);
    // Digits that a player filled in are not given.
    let given = cells.join(",").replace("},", ",\"given\":true},").replacen(
        "{\"val\":null,\"given\":true}",
        "{\"val\":9}",
        1,
    );
    assert_eq!(solved("", &format!("{{\"size\":9,\"grid\":[{given}]}}\n")), [SOLVED]);
    let zeros = PUZZLE
        .chars()
        .map(|cell| cell.to_digit(10).map_or("null".to_owned(), |digit| (digit - 1).to_string()));
    let zeros = format!("{{\"puzzle\":[{}]}}\n", zeros.collect::<Vec<_>>().join(","));
    assert!(quadrille("solve").stdin(zeros.clone()).ends().err.contains("--symbols from-zero"));
    let from_zero: String = SOLVED.bytes().map(|digit| char::from(digit - 1)).collect();
    assert_eq!(solved("--symbols from-zero", &zeros), [from_zero]);
}
