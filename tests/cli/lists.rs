//! Grids in lists of programming languages and in JSON documents.

use super::forms::{PUZZLE, SOLVED, is_the_puzzle, joined, rows};
use super::quadrille;

#[test]
fn grids_of_another_look_next_to_lists_are_invalid() {
    let list = format!("[{}]", joined("0", ",").join(","));
    let bare = joined(".", "").join("\n");
    let drawn = joined(" ", "|").join("|\n|");
    for other in [PUZZLE, bare.as_str(), drawn.as_str()] {
        for text in [format!("{list}\n{other}\n"), format!("{list}\n\nAnother\n{other}\n{list}\n")] {
            let ended = quadrille("solve --from list").stdin(text.clone()).ends();
            assert_eq!(ended.out.matches(SOLVED).count(), text.matches('[').count(), "{text}");
            assert_eq!(ended.out.matches("invalid\t").count(), 1, "{text}{}", ended.out);
        }
    }
    let list = "[[0,2,3,4],[3,4,1,2],[2,1,4,3],[4,3,2,1]]";
    let ended = quadrille("solve").stdin(format!("{list}\n{list}\n0234341221434321\n")).ends();
    let reason = "a line that is not written like the first 4x4 of the source";
    assert!(ended.out.ends_with(&format!("invalid\t{reason}\n")), "{}{}", ended.out, ended.err);
}

#[test]
fn strings_are_rows() {
    for (before, after) in
        [("\"", "\""), ("'", "',"), ("    \"", "\" +"), ("+ \"", "\""), ("\"", "\\n\" \\"), ("row = '", "';")]
    {
        let strings: Vec<String> =
            joined(".", "").iter().map(|row| format!("{before}{row}{after}\n")).collect();
        let text = strings.concat();
        is_the_puzzle("sheet", &text);
        let grids = format!("String[] a = {{\n{text}}};\nString[] b = {{\n{text}}};\n");
        assert_eq!(quadrille("solve").stdin(grids).prints(), format!("{SOLVED}\n").repeat(2));
    }
    // Sixteen keys are not the rows of a 16x16.
    let keys: String = (0..16).map(|key| format!("\"{key:X}0123456789ABCDE\",\n")).collect();
    assert_eq!(quadrille("solve").stdin(keys).ends().code, Some(6));
}

#[test]
fn cells_and_rows_of_a_value_may_be_separated() {
    let answer = format!("{SOLVED}\n");
    for between in [" ", ",", ", ", ";", "/", " / ", "|", "\n", "\r\n"] {
        let cells = joined("0", between).join(between);
        let rows = joined("0", "").join(between);
        let spaced = joined(".", " ").join(between);
        let solution =
            SOLVED.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row)).collect::<Vec<_>>();
        for value in [&cells, &rows, &spaced] {
            let named = format!("id,board,easy\n7,\"{value}\",0\n8,\"{value}\",1\n");
            assert_eq!(quadrille("solve").stdin(named).prints(), answer.repeat(2), "{value}");
            let solved = format!("puzzle,solution\n\"{value}\",\"{}\"\n", solution.join(between));
            assert_eq!(quadrille("check").stdin(solved).ends().code, Some(0), "{value}");
            let object = format!("{{\"id\":7,\"board\":\"{}\"}}\n", value.escape_default());
            assert_eq!(quadrille("solve").stdin(object).prints(), answer, "{value}");
        }
        if !between.contains('\n') {
            let lines = format!("{rows}\n{rows}\n");
            assert_eq!(quadrille("solve").stdin(lines).prints(), answer.repeat(2), "{rows}");
        }
    }
    let ruler = ["-"; 81].join(" ");
    let ended = quadrille("solve").stdin(format!("{PUZZLE}\n{ruler}\n{PUZZLE}\n")).ends();
    assert_eq!(ended.out.lines().filter(|row| row.starts_with("invalid\t")).count(), 1, "{}", ended.out);
    // From 6x6 on, and with numbers above 9.
    let six = ["123456", "456123", "231564", "564231", "312645", "645312"];
    let open = format!("0{}", &six.join("/")[1..]);
    assert_eq!(
        quadrille("solve").stdin(format!("id,grid\n1,{open}\n")).prints(),
        format!("{}\n", six.concat())
    );
    let sixteen: Vec<String> =
        (0..256).map(|at| (1 + (at % 16 + 4 * (at / 16) + at / 64) % 16).to_string()).collect();
    let answer_16 =
        quadrille("solve --fields status").stdin(format!("id,grid\n1,0 {}\n", sixteen[1..].join(" ")));
    assert_eq!(answer_16.prints(), "solved\n");
    // Smaller grids may be keys, and other values stay what they are.
    for other in ["1 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0", "1234 0000 0000 0000", "2026/11/27 2026/11/28"] {
        let table = format!("key,puzzle\n{other},{PUZZLE}\n{other},{PUZZLE}\n");
        assert_eq!(quadrille("solve").stdin(table).prints(), answer.repeat(2), "{other}");
    }
}

#[test]
fn lists_are_grids() {
    let numbers: Vec<String> = rows("0").iter().map(|row| format!("[{}]", row.join(", "))).collect();
    let printed: Vec<String> = rows("0").iter().map(|row| format!("[{}]", row.join(" "))).collect();
    let quoted: Vec<String> = rows(".").iter().map(|row| format!("[\"{}\"]", row.join("\",\""))).collect();
    let strings: Vec<String> = joined(".", "").iter().map(|row| format!("'{row}'")).collect();
    for list in [
        format!("[{}]", numbers.join(",")),
        format!("[{}]\n", numbers.join(",\n ")),
        format!("[{}]\n", printed.join("\n ")),
        format!("[{}]", quoted.join(",")),
        format!("[{}]", quoted.join(",\n")),
        format!("[{}]", strings.join(", ")),
        format!("board = [\n{}\n]", numbers.join(",\n")),
        format!("Puzzle 7\n\n[{}]\n", numbers.join(",\n ")),
        format!(
            "[{}]\n",
            rows("0.").iter().map(|row| format!("[{}]", row.join(" "))).collect::<Vec<_>>().join("\n ")
        ),
        format!("[{}]", joined("0", ",").join(",")),
        format!("[\"{PUZZLE}\"]"),
    ] {
        is_the_puzzle("list", &list);
    }
    // Empty lines may be between the bands of rows in brackets.
    let bands: Vec<String> = numbers.chunks(3).map(|band| band.join(",\n")).collect();
    is_the_puzzle("list", &format!("{},\n", bands.join(",\n\n")));
    // A line may be longer than the head that decides the format.
    let many = format!("[{}]", vec![format!("\"{PUZZLE}\""); 900].join(", "));
    assert_eq!(quadrille("solve").stdin(many).prints(), format!("{SOLVED}\n").repeat(900));
    let two = format!("[[{0}],\n[{0}]]\n", numbers.join(",\n"));
    assert_eq!(quadrille("solve").stdin(two).prints(), format!("{SOLVED}\n{SOLVED}\n"));
    // The list may be in a column or a member of any name.
    for list in [format!("[{}]", numbers.join(", ")), format!("[{}]", printed.join("\n "))] {
        assert_eq!(
            quadrille("solve").stdin(format!("id,puzzle\n7,\"{list}\"\n")).prints(),
            format!("{SOLVED}\n")
        );
    }
    for value in
        [format!("\"{PUZZLE}\""), format!("[{}]", quoted.join(",")), format!("[{}]", numbers.join(","))]
    {
        let object = format!("{{\"key\":\"0000000000000012\",\"initial_board\":{value}}}\n");
        assert_eq!(quadrille("solve").stdin(object).prints(), format!("{SOLVED}\n"));
    }
    let object = format!("{{\n  \"id\": 7,\n  \"puzzle\": [\n{}\n  ]\n}}", numbers.join(",\n"));
    let document = format!("[\n{object},\n{object}\n]\n");
    assert_eq!(quadrille("solve").stdin(document.clone()).prints(), format!("{SOLVED}\n{SOLVED}\n"));
    // Each row is one line of JSON.
    let kept = quadrille("dedup --by text").stdin(document.clone()).ends().out;
    assert_eq!(kept.lines().count(), 1, "{kept}");
    assert_eq!(quadrille("solve --from jsonl").stdin(kept).prints(), format!("{SOLVED}\n"));
    let rows_out = quadrille("solve --to jsonl").stdin(document).prints();
    assert_eq!(rows_out.lines().count(), 2, "{rows_out}");
    for row in rows_out.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        assert_eq!((&row["id"], &row["q_solution"]), (&7.into(), &SOLVED.into()));
    }
    let open = quadrille("solve --from list").stdin(format!("[{}", numbers.join(","))).ends();
    assert_eq!(open.out, "invalid\ta list that is not closed\n");
}

#[test]
fn lists_may_have_braces_and_stand_behind_types() {
    let numbers = |open: char, close: char| {
        rows("0").iter().map(|row| format!("{open}{}{close}", row.join(", "))).collect::<Vec<_>>()
    };
    let strings: Vec<String> = joined(".", "").iter().map(|row| format!("\"{row}\"")).collect();
    for list in [
        format!("int grid[9][9] = {{{}}};\n", numbers('{', '}').join(",\n")),
        format!(
            "#define N 9\n\nprivate static final int[][] GRID = {{\n{}\n}};\n",
            numbers('{', '}').join(",\n")
        ),
        format!("let grid: [[u8; 9]; 9] = [\n    {},\n];\n", numbers('[', ']').join(",\n    ")),
        format!("grid := [9][9]int{{\n{},\n}}\n", numbers('{', '}').join(",\n")),
        format!("std::vector<std::string> rows = {{{}}};\n", strings.join(", ")),
        format!("{{{}}}\n", numbers('{', '}').join(",")),
        format!("grid = ({})\n", numbers('(', ')').join(",\n        ")),
        format!("problem(7, [{}]).\n", numbers('[', ']').join(",\n").replace('0', "_")),
        format!("grid = [|{}|];\n", joined("0", ",").join("|\n")),
    ] {
        is_the_puzzle("list", &list);
    }
    let column = format!("id,puzzle\n7,\"{{{}}}\"\n", numbers('{', '}').join(","));
    assert_eq!(quadrille("solve").stdin(column).prints(), format!("{SOLVED}\n"));
}

#[test]
fn each_row_may_be_a_list_of_its_own() {
    let block = rows("0").iter().map(|row| format!("[{}]\n", row.join(", "))).collect::<Vec<_>>();
    let grid = block.concat();
    is_the_puzzle("list", &grid);
    let two = format!("Puzzle 1\n{grid}\n{grid}");
    assert_eq!(quadrille("solve").stdin(two).prints(), format!("{SOLVED}\n{SOLVED}\n"));
    // A lost row, or one that is cut off, makes one grid invalid.
    for damaged in [
        format!("{}\n{grid}\n{grid}", block[1..].concat()),
        format!("{grid}{}[5, 3]\n\n{grid}", block[1..].concat()),
    ] {
        let ended = quadrille("solve --from list").stdin(damaged.clone()).ends();
        let (grids, others): (Vec<_>, Vec<_>) = ended.out.lines().partition(|row| *row == SOLVED);
        assert_eq!(grids.len(), 2, "{damaged}");
        assert!(others.len() == 1 && others[0].starts_with("invalid\t"), "{others:?}");
    }
    // Numbers above 4 show that lists of 16 are rows.
    let row = |number: usize| format!("{:?}\n", [number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let rows: String = (1..=16).map(row).collect();
    let small: String = (1..=4).map(row).collect();
    assert_eq!(quadrille("convert --to line").stdin(rows).prints().trim_end().len(), 256);
    assert_eq!(quadrille("count --limit 100").stdin(small).prints(), "72\n".repeat(4));
}

#[test]
fn documents_without_puzzles_are_refused() {
    for text in ["{\n\"name\": \"x\"\n}\n", "[{\"board\": \"none\"}]", "{\n1,2\n}\n"] {
        assert!(quadrille("solve").stdin(text).ends_with(6).err.contains("no format reads it"), "{text}");
    }
}

#[test]
fn minus_one_and_null_are_empty_cells_in_which_zeros_may_be_digits() {
    for empty in ["-1", "null"] {
        let list: Vec<String> = rows(empty).iter().map(|row| format!("[{}]", row.join(", "))).collect();
        is_the_puzzle("list", &format!("[{}]\n", list.join(",\n")));
    }
    let wide: Vec<String> =
        rows("-1").iter().map(|row| row.iter().map(|cell| format!("{cell:>3}")).collect()).collect();
    is_the_puzzle("integers", &(wide.join("\n") + "\n"));
    let lower = |cell: char| cell.to_digit(10).map_or("null".to_owned(), |digit| (digit - 1).to_string());
    let list = format!("[{}]\n", PUZZLE.chars().map(lower).collect::<Vec<_>>().join(", "));
    let asked = quadrille("solve --from list").stdin(list.clone()).ends_with(6);
    assert!(asked.out.contains("--symbols from-zero"), "{}", asked.out);
    let solved = quadrille("solve --symbols from-zero").stdin(list).prints();
    let wanted: String = SOLVED.bytes().map(|digit| char::from(digit - 1)).collect();
    assert_eq!(solved, format!("{wanted}\n"));
}

#[test]
fn lists_of_a_side_without_boxes_are_latin_squares() {
    let row = |row: usize| (0..7).map(|at| if at < 3 { 0 } else { (row + at) % 7 + 1 }).collect::<Vec<_>>();
    let list: Vec<Vec<usize>> = (0..7).map(row).collect();
    for text in [format!("{list:?}\n"), format!("{:?}\n", list.concat())] {
        let solved = quadrille("solve --side 7").stdin(text.clone()).prints();
        assert_eq!(solved.trim_end().len(), 49, "{text}{solved}");
        assert_eq!(quadrille("solve").stdin(text).ends().code, Some(6));
    }
}

#[test]
fn matrices_that_are_filled_by_columns_are_refused() {
    let cells = rows("0").concat().join(", ");
    let refused = quadrille("solve").stdin(format!("m = matrix(c({cells}), nrow = 9)\n")).ends_with(6);
    assert!(refused.err.contains("byrow"), "{}", refused.err);
    let by_rows = format!("m = matrix(c({cells}), nrow = 9, byrow = TRUE)\n");
    assert_eq!(quadrille("solve").stdin(by_rows).prints(), format!("{SOLVED}\n"));
}

#[test]
fn a_list_after_its_puzzle_is_its_solution() {
    let list = |text: &str, open: &str, between: &str| {
        let rows: Vec<String> = text
            .as_bytes()
            .chunks(9)
            .map(|row| {
                row.iter().map(|&cell| char::from(cell).to_string().replace('.', "0")).collect::<Vec<_>>()
            })
            .map(|row| format!("[{}]", row.join(between)))
            .collect();
        format!("{open}{}]\n", rows.join(if between == " " { "\n " } else { ",\n " }))
    };
    for between in [", ", " "] {
        let [puzzle, solution] = [PUZZLE, SOLVED].map(|text| list(text, "[", between));
        for heading in ["", "\n", "Solution:\n", "Solution 1\n"] {
            let text = format!("{puzzle}{heading}{solution}\n").repeat(2);
            assert_eq!(quadrille("check").stdin(text.clone()).prints(), "correct\ncorrect\n", "{text}");
        }
        // A wrong solution is one, too, and a finished grid elsewhere is none.
        let wrong = solution.replacen(&format!("5{between}2"), &format!("2{between}5"), 1);
        let text = format!("{puzzle}Solution\n{wrong}\n{puzzle}Solution\n{solution}");
        assert!(quadrille("check").stdin(text).ends().out.starts_with("wrong"));
        let section = format!("{puzzle}\n{puzzle}\nSolutions\n{solution}\n{solution}");
        let out = quadrille("solve").stdin(section).ends().out;
        assert_eq!(
            (out.matches(SOLVED).count(), out.matches("invalid\ta finished grid").count()),
            (2, 1),
            "{out}"
        );
    }
    let open = format!("('a', '{PUZZLE}', '{SOLVED}')\n('b', '{PUZZLE}', '')\n");
    assert_eq!(quadrille("check").stdin(open).ends().out, "correct\nmissing\tthe given solution is empty\n");
    let strings = format!("pairs = [\n  '{PUZZLE}', '{SOLVED}',\n  '{PUZZLE}', '{SOLVED}',\n]\n");
    assert_eq!(quadrille("check").stdin(strings).prints(), "correct\ncorrect\n");
}

#[test]
fn rows_of_sql_are_puzzles_with_their_solutions() {
    let spaced = joined(".", " ").join(" ");
    for puzzle in [PUZZLE.to_owned(), joined(".", "").join("/"), joined(".", "").join(" "), spaced] {
        let rows = format!("(1, '{puzzle}', '{SOLVED}'),\n(2, '{puzzle}', '{SOLVED}');\n");
        let text = format!("INSERT INTO puzzles VALUES {rows}");
        assert_eq!(quadrille("check").stdin(text.clone()).prints(), "correct\ncorrect\n", "{text}");
        // A value that lost a cell is invalid in its place, and its solution is not a puzzle.
        let damaged = text.replacen(&puzzle, &puzzle[1..], 1);
        let out = quadrille("check").stdin(damaged).ends().out;
        assert!(out.starts_with("invalid\t") && out.ends_with("correct\n"), "{puzzle}: {out}");
    }
}

#[test]
fn an_item_in_place_of_a_grid_is_invalid() {
    for item in [&format!("'{}'", &PUZZLE[1..]), "null", "None"] {
        let text = format!("[\n '{PUZZLE}',\n {item},\n '{PUZZLE}'\n]\n");
        let rows: Vec<String> =
            quadrille("solve").stdin(text).ends().out.lines().map(str::to_owned).collect();
        assert!(rows.len() == 3 && rows[1].starts_with("invalid\t"), "{item}: {rows:?}");
        assert_eq!([&*rows[0], &*rows[2]], [SOLVED; 2]);
    }
}
