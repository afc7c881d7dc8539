//! Rulers, keys, layouts and other text that must not be read as grids.

use super::forms::{PUZZLE, SOLVED, is_refused, joined};
use super::quadrille;

#[test]
fn hints_do_not_join_grids_beside_each_other_and_rows_with_lost_cells_are_no_drawing() {
    let side_by_side: String = joined(".", " ").iter().map(|row| format!("{row}  |  {row}\n")).collect();
    let refused = quadrille("solve").stdin(side_by_side.repeat(2)).ends_with(6);
    assert!(refused.err.ends_with("no format reads it\n"), "{}", refused.err);
    let large = format!("1{}C{}4", ".".repeat(70), ".".repeat(71));
    let two = format!("{large} {large}\n").repeat(2);
    let refused = quadrille("solve").stdin(two).ends_with(6);
    assert!(refused.err.contains("several columns of grids"), "{}", refused.err);
    let lost: String = joined("", " ")
        .iter()
        .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    is_refused(&lost);
}

#[test]
fn layouts_in_rows_and_samurai_are_refused() {
    let refused = |text: String, reason: &str| {
        let ended = quadrille("solve").stdin(text).ends();
        assert!(ended.err.contains(reason) && ended.out.is_empty(), "{}{}", ended.out, ended.err);
        assert_eq!(ended.code, Some(6));
    };
    let four = "1...\n..2.\n....\n..3.\n";
    for layout in ["1122\n1123\n4423\n4433\n", "1 1 2 2\n1 1 2 3\n4 4 2 3\n4 4 3 3\n"] {
        let puzzle = if layout.contains(' ') { "1 0 0 0\n0 0 2 0\n0 0 0 0\n0 0 3 0\n" } else { four };
        for text in [format!("{puzzle}\n{layout}"), format!("{puzzle}\n{layout}\n").repeat(3)] {
            refused(text, "layout of regions in rows");
        }
    }
    // A solution after each puzzle is not a layout.
    let pair = quadrille("solve").stdin(format!("{four}\n1324\n4231\n3142\n2413\n")).ends();
    assert_eq!(pair.out.lines().count(), 2, "{}", pair.out);
    // A wrong solution is not a layout, nor is a puzzle whose clues alone would be one.
    for grid in [
        "1324\n1234\n3142\n2413\n",
        "112233...\n.112233..\n....4....\n....4....\n........4\n.........\n.........\n.........\n........4\n",
    ] {
        let ended = quadrille("solve").stdin(grid).ends();
        assert!(ended.out.starts_with("none"), "{}{}", ended.out, ended.err);
    }
    let row = |clues: &str| format!("{clues}{}\n", "0".repeat(21 - clues.len()));
    let samurai = row("123456789...123456789") + &row("456").repeat(7) + &row("0").repeat(13);
    refused(samurai, "samurai");
}

#[test]
fn a_matrix_after_its_size_is_not_a_grid() {
    for text in [
        "8 4\n1 0 0 0\n0 0 0 1\n0 0 1 0\n0 1 0 0\n0 0 0 0\n0 0 0 1\n0 0 0 0\n1 0 0 0\n",
        "4 4\n1000\n0001\n0010\n0100\n",
    ] {
        let named = quadrille("solve --from matrix").stdin(text).prints();
        assert_eq!(quadrille("solve").stdin(text).prints(), named);
    }
}

#[test]
fn a_second_puzzle_on_a_line_is_not_ignored() {
    for between in [" ", "\t", ", ", ";", " # "] {
        let text = format!("{PUZZLE}{between}{SOLVED}\n{PUZZLE}{between}{PUZZLE}\n");
        let ended = quadrille("solve --from line").stdin(text.clone()).ends();
        let reason = "another puzzle follows on the line (--from csv --column 1 reads the first puzzle)";
        assert_eq!(ended.out, format!("{SOLVED}\ninvalid\t{reason}\n"), "{text}");
    }
}

#[test]
fn letters_that_are_no_marks_are_refused() {
    let letters: String = PUZZLE
        .chars()
        .map(|cell| cell.to_digit(10).map_or('.', |digit| char::from(b'`' + digit as u8)))
        .collect();
    let empty = PUZZLE.replace('.', "o");
    let key = "ea81a963b6f77ab4fad8c19852e178aa4d5192d6a7f3536674a6ca083dcecedf128236a442c7da18b";
    for text in [letters, empty.clone(), key.to_owned()] {
        is_refused(&format!("{text}\n"));
        let rows: Vec<&str> =
            text.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
        is_refused(&(rows.join("\n") + "\n"));
    }
    assert_eq!(quadrille("solve --blank o").stdin(empty).prints(), format!("{SOLVED}\n"));
}

#[test]
fn one_letter_in_all_other_cells_is_no_digit() {
    let large = |empty: char| -> String {
        let cell = |at: usize| match (at / 16 + at) % 3 {
            0 => char::from(b"123456789ABCDEFG"[(at / 16 % 4 * 4 + at / 64 + at) % 16]),
            _ => empty,
        };
        (0..16).map(|row| (0..16).map(|column| cell(16 * row + column)).collect::<String>() + "\n").collect()
    };
    let solved = quadrille("solve").stdin(large('.')).prints();
    let small =
        |empty: char| ["1xx4", "x4xx", "xxxx", "4xx2"].join("\n").replace('x', &empty.to_string()) + "\n";
    for (text, letters, is_capital) in [(large as fn(char) -> String, "eonxOX★", false), (large, "EC", true)]
    {
        for letter in letters.chars() {
            let refused = quadrille("solve").stdin(text(letter)).ends_with(6);
            let advice = format!("looks like grids with another empty cell: --blank '{letter}'");
            assert_eq!(refused.err.contains(&advice), !is_capital, "{}", refused.err);
            if !is_capital {
                let named = quadrille(&format!("solve --blank {letter}")).stdin(text(letter)).prints();
                assert_eq!(named, solved, "{letter}");
            }
        }
    }
    for letter in "xXeon★≈".chars() {
        let refused = quadrille("solve").stdin(small(letter)).ends_with(6);
        assert!(refused.err.contains(&format!("--blank '{letter}'")), "{}", refused.err);
    }
}

#[test]
fn a_line_of_dashes_among_rows_with_dashes_is_no_grid() {
    let grid = "+--+--+\n|1-|--|\n|--|4-|\n+--+--+\n|--|--|\n|4-|1-|\n+--+--+\n";
    for text in [format!("{grid}----------------\n{grid}"), format!("----------------\n\n{grid}\n{grid}")] {
        let printed = quadrille("solve").stdin(text.clone()).ends().out;
        let solved = printed.lines().filter(|line| !line.contains("a ruler")).collect::<Vec<_>>();
        assert_eq!(solved, ["1423324121344312"; 2], "{text}");
    }
}

#[test]
fn empty_grids_among_text_are_rulers() {
    for ruler in [".".repeat(36), "0".repeat(100), "- ".repeat(16), "·".repeat(81)] {
        is_refused(&format!("Puzzles of the week\n{ruler}\nNone today\n"));
    }
    assert_eq!(quadrille("count").stdin(format!("{}\n", ".".repeat(16))).prints(), "288\n");
}

#[test]
fn lines_of_dots_between_small_grids_are_rulers() {
    let grid = "1.....1.........";
    for ruler in [36, 81, 256].map(|cells| ".".repeat(cells)) {
        for text in [
            format!("3\n{}", format!("{grid}\n{ruler}\n").repeat(3)),
            format!("{}{grid}\n", format!("{grid}\n{ruler}\n").repeat(2)),
            format!("3\n{}", format!("{ruler}\n{grid}\n").repeat(3)),
        ] {
            let printed = quadrille("solve").stdin(text.clone()).ends().out;
            let solved: Vec<&str> = printed.lines().filter(|row| !row.starts_with("invalid\t")).collect();
            assert_eq!(solved.len(), 3, "{text}{printed}");
            assert!(solved.iter().all(|row| row.len() == grid.len()), "{text}{printed}");
        }
    }
    // As many dots as a grid has cells, between grids in rows.
    let ruled = format!("1...\n..1.\n....\n....\n{}\n", ".".repeat(16)).repeat(3);
    let printed = quadrille("solve").stdin(ruled).ends().out;
    let reason = "invalid\ta line outside of any grid: a ruler, or an empty grid unlike the others";
    assert_eq!(printed.lines().filter(|row| *row == reason).count(), 3, "{printed}");
    // More rulers than grids: neither side is clear.
    let ruler = ".".repeat(81);
    is_refused(&format!("{grid}\n{ruler}\n{ruler}\n{grid}\n{ruler}\n"));
}

#[test]
fn bars_of_empty_cells_are_refused() {
    for (side, rows, columns) in [(6, 2, 3), (12, 3, 4), (16, 4, 4)] {
        for empty in ['.', '-'] {
            let digits = "123456789ABCDEFG";
            let row = |row: usize| -> String {
                let digit = |column: usize| (row * columns + row / rows + column) % side;
                let cell = |column: usize| match column % 2 {
                    0 => char::from(digits.as_bytes()[digit(column)]),
                    _ => empty,
                };
                let parts: Vec<String> =
                    (0..side).step_by(columns).map(|at| (at..at + columns).map(cell).collect()).collect();
                format!("-{}-\n", parts.join("-"))
            };
            let ruler = format!("{}\n", "-".repeat(side + side / columns + 1));
            let bands =
                (0..side).step_by(rows).map(|at| (at..at + rows).map(row).collect::<String>() + &ruler);
            let dashes = ruler.clone() + &bands.collect::<String>();
            for text in ["-", "*", "."].map(|bar| dashes.replace('-', bar)) {
                let ended = quadrille("solve --from grid").stdin(text.clone()).ends();
                let answers = ended.out.lines().filter(|row| !row.starts_with("invalid\t")).count();
                assert_eq!(answers, 0, "{text}{}", ended.out);
                assert!(ended.out.contains("draw bars with '|'"), "{text}{}", ended.out);
            }
        }
    }
}

#[test]
fn numbers_that_are_no_counts_do_not_join_grids() {
    let cells = |empty: &str| joined(empty, "\t").join("\t");
    let solution: Vec<&[u8]> = SOLVED.as_bytes().chunks(9).collect();
    let line_of = |row: (&String, &&[u8])| format!("{}    {}\n", row.0, String::from_utf8_lossy(row.1));
    let with_another: String = joined(".", "").iter().zip(solution.iter().rev()).map(line_of).collect();
    for text in [
        // The first column is a number, not a count of the grids.
        format!("6\t{}\n0\t{}\n7\t{}\n8\t{}\n", cells("0"), cells("0"), cells("0"), cells("0")),
        // The key is too large to count the grids of a short source.
        format!("123456789\n{with_another}\n{with_another}"),
    ] {
        is_refused(&text);
    }
}

#[test]
fn a_ruler_above_rows_in_a_frame_of_hashes_is_not_the_puzzle() {
    let rows = "#- 2#3 -#\n#4 3#2 1#\n#===#===#\n#- 1#4 2#\n#- -#1 -#\n";
    let ended = quadrille("solve").stdin(format!("{}\n#===#===#\n{rows}", ".".repeat(100))).ends();
    assert_eq!((ended.code, ended.out.matches("invalid\t").count()), (Some(6), 1), "{}", ended.out);
    // One comment with a date leaves the empty grid.
    let ended = quadrille("solve").stdin(format!("# 2026-11-27\n{}\n", ".".repeat(81))).ends();
    assert_eq!(ended.code, Some(0), "{}", ended.out);
}

#[test]
fn colours_of_a_terminal_are_not_lists() {
    let row = "\x1b[1;34m1\x1b[0m . . 2 . . . . .\n";
    let ended = quadrille("solve").stdin(row.repeat(9)).ends();
    assert_eq!(ended.code, Some(6), "{}", ended.out);
    assert!(!ended.err.contains("--from list"), "{}", ended.err);
}

#[test]
fn what_the_first_choice_does_not_read_is_read_by_another_format() {
    let rows: Vec<String> = joined("0", ", ").iter().map(|row| format!("[{row}]")).collect();
    let list = format!("[{}]\n", rows.join(",\n"));
    let notes: String = "abcdefg".chars().map(|day| format!("note {day} of the day\n")).collect();
    let ended = quadrille("solve").stdin(format!("{notes}{list}")).ends();
    assert_eq!((ended.code, ended.out), (Some(0), format!("{SOLVED}\n")), "{}", ended.err);
    // For puzzles that cannot be read, the advice is not a column of solutions.
    let text = format!("puzzle,solution\n{0},{SOLVED}\n{0},{SOLVED}\n{PUZZLE},{SOLVED}\n", &PUZZLE[..70]);
    let ended = quadrille("check").stdin(text).ends_with(6);
    assert!(!ended.err.contains("--column") && !ended.err.contains("no format"), "{}", ended.err);
}

#[test]
fn grids_that_contradict_the_rules_are_refused_if_nothing_named_them() {
    let numbers = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let numbered = numbers.iter().zip(joined("0", " ")).map(|(number, row)| format!("{number} | {row}\n"));
    // Without empty lines between them, ten grids with numbers before their rows are as long as nine 10x10.
    let ended = quadrille("count").stdin(numbered.collect::<String>().repeat(10)).ends();
    assert!(ended.code == Some(0) || ended.err.contains("--side"), "{}{}", ended.out, ended.err);
    assert!(!ended.out.contains('0'), "{}", ended.out);
    let row = |at: usize| (0..16).map(|cell| (1 + (cell + 3 * at) % 8).to_string() + " ").collect::<String>();
    let beside = (0..16).map(|at| row(at) + "\n").collect::<String>();
    let ended = quadrille("count").stdin(beside).ends_with(6);
    assert!(ended.err.contains("several grids next to each other"), "{}", ended.err);
}

#[test]
fn a_line_with_half_the_cells_of_a_grid_is_a_record() {
    let grid = joined("0", "").join("\n");
    let list = format!("[[{}]]\n", joined("0", ",").join("],["));
    let text = format!("{list}\"{}\"\n{list}", &PUZZLE[..70]);
    let ended = quadrille("solve").stdin(text).ends();
    let rows: Vec<&str> = ended.out.lines().collect();
    assert_eq!((rows[0], rows[2], rows.len()), (SOLVED, SOLVED, 3), "{}", ended.out);
    assert!(rows[1].starts_with("invalid\ta line that is not written like"), "{}", ended.out);
    // A comment is none, whatever it holds.
    let text = format!("{grid}\n\n# {PUZZLE}\n\n{grid}\n");
    assert_eq!(quadrille("solve").stdin(text).prints(), format!("{SOLVED}\n{SOLVED}\n"));
}

#[test]
fn notations_that_are_not_cells_are_refused() {
    let futoshiki =
        "0 0 0 0\n0 2 0 0\n0 0 0 0\n1 0 0 0\n\n0 < 0\n0 0 0\n> 0 0\n0 0 0\n\n0 v 0 0\n0 0 0 ^\n0 0 0 0\n";
    let cages = ".... aabb\n.... cdde\n.... cffe\n.... gggh\na=7 b=3 c=3 d=5 e=7 f=5 g=9 h=1\n";
    for (text, reason) in [(futoshiki, ".GreaterThan"), (cages, ".Cage")] {
        let refused = quadrille("count").stdin(text).ends_with(6);
        assert!(refused.out.is_empty() && refused.err.contains(reason), "{}{}", refused.out, refused.err);
    }
    // Row, column and digit of each clue.
    let triples: String =
        (0..27).map(|at| format!("{} {} {}\n", at / 3 + 1, at % 9 + 1, at % 8 + 1)).collect();
    is_refused(&triples);
    // Four 8x8 in one sheet, two next to two.
    let row = |row: usize| {
        let cell = |column: usize| char::from(b'1' + ((row * 2 + row / 4 + column) % 8) as u8);
        let cells: String = (0..16).map(|at| if at % 3 == 0 { '_' } else { cell(at % 8) }).collect();
        format!("{}|{}|{}|{}\n", &cells[..4], &cells[4..8], &cells[8..12], &cells[12..])
    };
    let half: String = (0..8).map(row).collect();
    is_refused(&format!("{half}\n{half}"));
}

#[test]
fn rows_of_large_grids_next_to_each_other_are_not_small_grids() {
    let row = format!("1{}G", ".".repeat(14));
    for gap in ["   ", "\t", " | "] {
        let text = format!("{row}{gap}{row}\n").repeat(16);
        let ended = quadrille("solve").stdin(text).ends_with(6);
        assert!(ended.out.is_empty() && ended.err.contains("grids next to each other"), "{}", ended.err);
    }
}
