//! Formats in which people keep single grids: drawings, spreadsheets, lists, candidates, files of other programs.

use super::quadrille;

pub(super) const PUZZLE: &str =
    ".234..8..6....7......53.62...5......84.....36......1...52.96......1....7..8..521.";
pub(super) const SOLVED: &str =
    "523469871614287395987531624275613948841952736396874152152796483439128567768345219";

/// Returns the rows of the puzzle, with `empty` for empty cells.
pub(super) fn rows(empty: &str) -> Vec<Vec<String>> {
    let cell = |cell: char| if cell == '.' { empty.to_owned() } else { cell.to_string() };
    (0..9).map(|row| PUZZLE[9 * row..][..9].chars().map(cell).collect()).collect()
}

/// Returns the rows with `between` their cells.
pub(super) fn joined(empty: &str, between: &str) -> Vec<String> {
    rows(empty).iter().map(|row| row.join(between)).collect()
}

/// Checks that a text is read as the puzzle and nothing more, with and without the name of its format.
pub(super) fn is_the_puzzle(format: &str, text: &str) {
    for options in ["", &format!("--from {format}")] {
        let ended = quadrille(&format!("solve --unique {options}")).stdin(text.to_owned()).ends();
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (Some(0), format!("{SOLVED}\n").as_str()),
            "{options}\n{text}{}",
            ended.err
        );
    }
}

#[test]
fn empty_cells_may_be_blanks() {
    is_the_puzzle("drawing", &(joined("\u{a0}", "").join("\n") + "\n"));
    is_the_puzzle("drawing", &(joined(" ", "").join("\n") + "\n"));
    is_the_puzzle("drawing", &(joined(" ", " ").join("\n") + "\n"));
    for [bar, line, corner] in [["|", "-", "+"], ["│", "─", "┼"], ["║", "═", "╬"], ["!", "-", "+"]]
    {
        let table: String =
            rows(" ").iter().map(|row| format!("{bar} {} {bar}\n", row.join(&format!(" {bar} ")))).collect();
        is_the_puzzle("drawing", &table);
        let rule = format!("{corner}{}{corner}\n", vec![line.repeat(3); 9].join(corner));
        let ruled: String = table.lines().map(|row| format!("{rule}   {row}\n")).collect();
        is_the_puzzle("drawing", &(ruled + &rule));
        for between in ["", " "] {
            let boxes: Vec<String> = rows(" ")
                .iter()
                .map(|row| {
                    let parts: Vec<String> = row.chunks(3).map(|cells| cells.join(between)).collect();
                    format!("{bar}{}{bar}\n", parts.join(bar))
                })
                .collect();
            let width = if between.is_empty() { 3 } else { 5 };
            let rule = format!("{corner}{}{corner}\n", vec![line.repeat(width); 3].join(corner));
            let drawn: String = boxes.chunks(3).map(|band| rule.clone() + &band.concat()).collect();
            is_the_puzzle("drawing", &(drawn + &rule));
        }
    }
    // If a grid lacks a row, only that grid is lost.
    let drawn =
        |from: usize| joined(" ", "|")[from..].iter().map(|row| format!("|{row}|\n")).collect::<String>();
    let two = quadrille("solve").stdin(format!("{}\n{}\n{}", drawn(0), drawn(1), drawn(0))).ends();
    assert_eq!(two.out, format!("{SOLVED}\ninvalid\t8 rows, a 9x9 has 9\n{SOLVED}\n"));
}

/// Checks that a text is refused, and that no row has a solution or says that there is none.
pub(super) fn is_refused(text: &str) {
    let ended = quadrille("solve").stdin(text.to_owned()).ends();
    assert_eq!(ended.code, Some(6), "{text}{}{}", ended.out, ended.err);
    assert!(ended.out.lines().all(|row| row.starts_with("invalid\t")), "{text}{}", ended.out);
}

#[test]
fn rows_may_have_labels() {
    let header = "  1 2 3 4 5 6 7 8 9\n";
    for empty in [".", "0", "_", "·"] {
        for (between, labels) in [(" ", ["A", "1", "R1", "[1,]", "a:"]), ("", ["A:", "1.", "r1:", "1)", "A"])]
        {
            for label in labels {
                let labelled: Vec<String> = joined(empty, between)
                    .iter()
                    .zip('1'..)
                    .map(|(row, number)| {
                        let letter = char::from(number as u8 - b'1' + b'A').to_string();
                        let label = label.replace('1', &number.to_string()).replace('A', &letter);
                        format!("{} {row}\n", label.replace('a', &letter.to_lowercase()))
                    })
                    .collect();
                is_the_puzzle("sheet", &labelled.concat());
                is_the_puzzle("sheet", &(header.to_owned() + &labelled.concat()));
                let rule = "  +-------+-------+-------+\n";
                let bands: Vec<String> =
                    labelled.chunks(3).map(|band| rule.to_owned() + &band.concat()).collect();
                is_the_puzzle("sheet", &(bands.concat() + rule));
            }
        }
    }
    // Eight rows that begin with digits of the puzzle, not with 1 to 8, are not an 8x8 with labels.
    is_refused(&(joined("0", " ")[..8].join("\n") + "\n"));
}

#[test]
fn rows_may_have_bullets() {
    for bullet in ["*", "-", ">", ">>", "//", " *", "\u{a0}*\u{a0}"] {
        for (empty, between) in [(".", ""), ("0", " "), ("_", " ")] {
            let row = |row: &String| format!("{bullet} {row}\n");
            let grid: String = joined(empty, between).iter().map(row).collect();
            is_the_puzzle("sheet", &grid);
            for text in [format!("2\n{grid}{grid}"), format!("{grid}{grid}"), format!("{grid}\n{grid}")] {
                let solved = quadrille("solve").stdin(text).prints();
                assert_eq!(solved, format!("{SOLVED}\n").repeat(2), "{grid}");
            }
        }
    }
    // Nine rows with a star in front are a 9x9, not an 8x8 with bullets.
    let stars: String = joined("*", " ").iter().map(|row| format!("*{}\n", &row[1..])).collect();
    assert_eq!(quadrille("solve").stdin(stars).prints().trim_end().len(), 81);
    // A list of 16 4x4 grids is not a 16x16.
    let listed = quadrille("solve").stdin("* 1..4....2..3.1.2\n".repeat(16)).prints();
    assert_eq!(listed.lines().count(), 16, "{listed}");
}

#[test]
fn small_grids_on_lines_may_follow_a_count() {
    let grids = ["1.......4.1....2", ".3..2....1....4."];
    let solved: String = grids.iter().map(|grid| quadrille("solve").stdin(*grid).prints()).collect();
    for ruler in ["", "\n", "--------------------\n", "================\n", "****************\n"] {
        for text in
            [grids.map(|grid| format!("{grid}\n{ruler}")), grids.map(|grid| format!("{ruler}{grid}\n"))]
        {
            let text = format!("2\n{}", text.concat());
            assert_eq!(quadrille("solve").stdin(text.clone()).prints(), solved, "{text}");
        }
    }
}

#[test]
fn tables_of_markdown_and_latex_are_grids() {
    let rule = format!("|{}\n", "---|".repeat(9));
    for empty in [" ", ""] {
        let table: Vec<String> = rows(empty).iter().map(|row| format!("| {} |\n", row.join(" | "))).collect();
        let names = format!("|{}\n", " c |".repeat(9));
        let numbers = format!("| {} |\n", ["1", "2", "3", "4", "5", "6", "7", "8", "9"].join(" | "));
        for header in [format!("|{}\n", "  |".repeat(9)), names, numbers] {
            is_the_puzzle("drawing", &format!("{header}{rule}{}", table.concat()));
        }
        is_the_puzzle("drawing", &format!("{}{rule}{}", table[0], table[1..].concat()));
        let two = format!("{numbers}{rule}{0}\n{numbers}{rule}{0}", table.concat(), numbers = table[0]);
        let read = quadrille("solve").stdin(two).ends();
        assert_eq!(read.out, format!("{SOLVED}\n{SOLVED}\n"), "{}", read.err);
    }
    for empty in ["", ".", "0"] {
        for (line, end) in [("", r" \\"), ("\\hline\n", r"\\"), ("", r" \\ \hline")] {
            let rows: String = joined(empty, " & ").iter().map(|row| format!("{row}{end}\n{line}")).collect();
            is_the_puzzle(
                "sheet",
                &format!("\\begin{{tabular}}{{ccccccccc}}\n{line}{rows}\\end{{tabular}}\n"),
            );
        }
    }
}

#[test]
fn frames_of_any_characters_are_frames() {
    for [bar, line, corner] in [["|", "-", "#"], ["|", "-", "o"], ["!", "=", "+"], ["|", "-", "."]] {
        for empty in [" ", ".", "0"].into_iter().skip(usize::from(corner == ".")) {
            let rule = format!("{corner}{}{corner}\n", vec![line.repeat(3); 3].join(corner));
            if corner == "o" && empty != " " {
                continue;
            }
            let row = |row: &Vec<String>| {
                let parts: Vec<String> = row.chunks(3).map(|cells| cells.concat()).collect();
                format!("{bar}{}{bar}\n", parts.join(bar))
            };
            let bands: Vec<String> = rows(empty)
                .chunks(3)
                .map(|band| rule.clone() + &band.iter().map(row).collect::<String>())
                .collect();
            is_the_puzzle(if empty == " " { "drawing" } else { "grid" }, &(bands.concat() + &rule));
        }
    }
    // Lines of zeros next to frames of dots.
    let small = ".---...---.\n|105|320|\n|000|000|\n.---...---.\n|000|000|\n|003|050|\n.---...---.\n|000|000|\n|002|031|\n.---...---.\n";
    let puzzle = "105320000000000000003050000000002031\n";
    assert_eq!(quadrille("convert --to-blank 0").stdin(small).prints(), puzzle);
}

#[test]
fn grids_beside_each_other_and_places_of_candidates_are_refused() {
    let beside: Vec<String> = joined(".", "")
        .iter()
        .zip(SOLVED.as_bytes().chunks(9))
        .map(|(row, solution)| format!("{row}\t{}\n", String::from_utf8_lossy(solution)))
        .collect();
    // Where each ends is not known.
    is_refused(&beside.concat().repeat(2));
    is_refused(&beside.concat().replace("523469871", "532469871"));
    // Each cell has nine places, one for each digit.
    let places = |row: &Vec<String>, digits: [char; 3]| {
        let place = |cell: &String, digit: char| if cell.contains(digit) { digit } else { ' ' };
        let cell = |cell: &String| digits.map(|digit| place(cell, digit)).iter().collect::<String>();
        let parts: Vec<String> =
            row.chunks(3).map(|cells| cells.iter().map(cell).collect::<Vec<_>>().join(" ")).collect();
        format!("|{}|\n", parts.join("|"))
    };
    let rule = format!("+{}\n", "-----------+".repeat(3));
    let empty = format!("|{}\n", format!("{}|", " ".repeat(11)).repeat(3));
    let lines = |row: &Vec<String>| {
        [['1', '2', '3'], ['4', '5', '6'], ['7', '8', '9']].map(|digits| places(row, digits)).concat()
    };
    let bands: Vec<String> = rows("136")
        .chunks(3)
        .map(|band| rule.clone() + &band.iter().map(lines).collect::<Vec<_>>().join(&empty))
        .collect();
    is_refused(&(bands.concat() + &rule));
}

#[test]
fn a_grid_in_another_look_is_a_record() {
    let drawn: String = joined(" ", "|").iter().map(|row| format!("|{row}|\n")).collect();
    let escaped = quadrille("solve").stdin(format!("{drawn}\n{}\n", joined(".", "").join("\\n"))).ends();
    let wanted = "invalid\ta line that is not written like the first 9x9 of the source";
    assert_eq!(escaped.out, format!("{SOLVED}\n{wanted}\n"), "{}", escaped.err);
    for other in [joined(".", ""), joined("0", ","), joined("", ",")] {
        let read = quadrille("solve").stdin(format!("{drawn}\n{}\n\n{drawn}", other.join("\n"))).ends();
        let wanted = "invalid\t9 lines that are not written like the first 9x9 of the source";
        assert_eq!(read.out, format!("{SOLVED}\n{wanted}\n{SOLVED}\n"), "{}", read.err);
    }
    // A row without digits is a row.
    let small = "| 1 |   |   |   |\n|   |   | 4 |   |\n|   |   |   |   |\n| 4 |   | 1 |   |\n";
    let read = quadrille("solve").stdin(format!("{small}\n. . . 3\n. . . .\n. 1 . 4\n2 . 4 1\n")).ends();
    let wanted = "invalid\t4 lines that are not written like the first 4x4 of the source";
    assert_eq!(read.out, format!("1423324121344312\n{wanted}\n"), "{}", read.err);
}

#[test]
fn grids_of_a_source_may_be_written_with_and_without_blanks() {
    let solved: Vec<&str> =
        SOLVED.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).unwrap()).collect();
    let spaced = |rows: &[&str]| {
        rows.iter()
            .map(|row| row.chars().map(|cell| format!("{cell} ")).collect::<String>() + "\n")
            .collect::<String>()
    };
    // The first rows of the puzzle are nearly full.
    let puzzle = [
        "52346987.",
        "61428739.",
        "987531624",
        ".7561394.",
        "8.19...36",
        "3.....15.",
        ".52.964.3",
        "43.12.567",
        "7683..21.",
    ];
    let bare = |rows: &[&str]| rows.join("\n") + "\n";
    let (one, other) = (
        format!("{}=>\n{}", bare(&puzzle), bare(&solved)),
        format!("{}=>\n{}", spaced(&puzzle), spaced(&solved)),
    );
    let ended = quadrille("check").stdin(format!("{other}\n\n{one}\n\n{other}\n\n{other}\n\n{one}")).ends();
    assert_eq!(ended.out, "correct\n".repeat(5), "{}", ended.err);
}

#[test]
fn a_spreadsheet_may_hold_one_grid() {
    for delimiter in [",", ";", "\t"] {
        for empty in ["", ".", "0", "?", "\"\"", "None", "x"] {
            let bare = joined(empty, delimiter).join("\n") + "\n";
            is_the_puzzle(if empty == "0" { "integers" } else { "sheet" }, &bare);
            // A delimiter after each cell.
            is_the_puzzle(
                if empty == "0" { "integers" } else { "sheet" },
                &bare.replace('\n', &format!("{delimiter}\n")),
            );
            let named: String = joined(empty, delimiter)
                .iter()
                .enumerate()
                .map(|(row, cells)| format!("{row}{delimiter}{cells}\n"))
                .collect();
            let header: Vec<String> = (0..9).map(|column| column.to_string()).collect();
            is_the_puzzle("sheet", &format!("{delimiter}{}\n{named}", header.join(delimiter)));
            let letters: Vec<String> = ('A'..='I').map(String::from).collect();
            is_the_puzzle("sheet", &format!("{}\n{bare}", letters.join(delimiter)));
        }
        for (quote, blank) in [("\"", ""), ("\"", " "), ("'", ""), ("'", " ")] {
            let between = format!("{quote}{delimiter}{blank}{quote}");
            let quoted: String =
                rows("0").iter().map(|row| format!("{quote}{}{quote}\n", row.join(&between))).collect();
            is_the_puzzle("sheet", &quoted);
        }
        let beside: String = joined("", delimiter)
            .iter()
            .zip(SOLVED.as_bytes().chunks(9))
            .map(|(row, solution)| {
                let solution: Vec<String> =
                    solution.iter().map(|&digit| char::from(digit).to_string()).collect();
                format!("{row}{delimiter}{delimiter}{}\n", solution.join(delimiter))
            })
            .collect();
        assert_eq!(quadrille("check").stdin(beside).prints(), "correct\n");
    }
}

#[test]
fn the_solution_of_a_drawn_puzzle_may_be_next_to_it() {
    let solved: Vec<String> =
        SOLVED.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    let spaced = |row: &String| row.chars().map(String::from).collect::<Vec<_>>().join(" ");
    let pairs = |empty: &str, between: &str| -> String {
        joined(empty, "")
            .iter()
            .zip(&solved)
            .map(|(row, solution)| format!("{row}{between}{solution}\n"))
            .collect()
    };
    let wide: String = joined("0", " ")
        .iter()
        .zip(&solved)
        .map(|(row, solution)| format!("{row}  |  {}\n", spaced(solution)))
        .collect();
    for text in [pairs(".", "   "), pairs("0", "\t"), pairs("_", " | "), wide] {
        assert_eq!(quadrille("check").stdin(text.clone()).prints(), "correct\n", "{text}");
        assert_eq!(quadrille("check").stdin(format!("1\n{text}\n2\n{text}")).prints(), "correct\ncorrect\n");
        assert_eq!(quadrille("check --from sheet").stdin(text.clone()).prints(), "correct\n", "{text}");
        let lost = text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap();
        is_refused(&lost);
    }
    // A digit that contradicts a clue, and a solution with an empty cell: two other grids.
    for row in ["532469871", "52346987."] {
        is_refused(&pairs(".", "   ").replace("523469871", row));
    }
}

#[test]
fn a_first_column_that_does_not_count_is_no_index() {
    // No number above 8 is in the last eight rows.
    let rows = [
        "009017508",
        "025004010",
        "010520004",
        "001040600",
        "006003200",
        "002670000",
        "607000000",
        "000000000",
        "150402036",
    ];
    for delimiter in ["\t", ",", ";"] {
        let text: String = rows
            .iter()
            .map(|row| {
                row.split("").filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(delimiter) + "\n"
            })
            .collect();
        let read = quadrille("convert --to-blank 0").stdin(format!("No. 7\n{text}")).ends();
        assert!(read.out.contains(&rows.concat()), "{}{}", read.out, read.err);
    }
}

#[test]
fn candidate_grids_keep_candidates_or_clues() {
    // Every open cell has all digits except those in its row.
    let row = |row: &Vec<String>| {
        let open: String = ('1'..='9').filter(|digit| !row.contains(&digit.to_string())).collect();
        row.iter().map(|cell| if cell == "." { open.clone() } else { cell.clone() }).collect::<Vec<_>>()
    };
    let words: Vec<Vec<String>> = rows(".").iter().map(row).collect();
    let bare: String = words.iter().map(|row| row.join("  ") + "\n").collect();
    let rule = ".-----------.-----------.-----------.\n";
    let framed: String = words
        .chunks(3)
        .map(|band| {
            rule.to_owned()
                + &band
                    .iter()
                    .map(|row| {
                        format!(
                            "| {} | {} | {} |\n",
                            row[..3].join(" "),
                            row[3..6].join(" "),
                            row[6..].join(" ")
                        )
                    })
                    .collect::<String>()
        })
        .collect();
    for text in
        [bare.clone(), framed.clone() + rule, framed + rule + "     Some Program\n     Version 4.2n\n"]
    {
        is_the_puzzle("candidates", &text);
    }
    let kept = |options: &str| {
        quadrille(&format!("convert --to pencilmarks {options}")).stdin(bare.clone()).prints()
    };
    assert_ne!(kept(""), kept("--keep clues"));
    let clues = quadrille("convert --keep clues --to line").stdin(bare.clone()).prints();
    assert_eq!(clues, format!("{PUZZLE}\n"));
}

#[test]
fn files_of_other_programs_are_read() {
    let library = format!(":0100:5:{}:911 912:::note\n", PUZZLE.replacen('2', "+2", 1));
    let ended = quadrille("solve --echo-id").stdin(library.repeat(2)).prints();
    assert_eq!(ended, format!("0100\t{SOLVED}\n").repeat(2));
    let digits = PUZZLE.replace('.', "0");
    let game = format!("<game created=\"1\" state=\"0\" data=\"{digits}\" note=\"\"/>");
    let xml = format!(
        "<?xml version=\"1.0\"?>\n<opensudoku version=\"1\">\n<folder>\n{game}\n{game}{game}\n</folder></opensudoku>\n"
    );
    for options in ["", "--from opensudoku"] {
        assert_eq!(
            quadrille(&format!("solve {options}")).stdin(xml.clone()).prints(),
            format!("{SOLVED}\n").repeat(3)
        );
    }
}

#[test]
fn a_line_with_a_puzzle_is_no_header() {
    let small = "1..4....4.....1.";
    for puzzle in [PUZZLE, small] {
        let log = format!("7 INFO puzzle {puzzle} solved\n");
        assert_eq!(quadrille("solve").stdin(log.repeat(3)).prints().lines().count(), 3, "{log}");
        let insert = format!("INSERT INTO puzzles (id, puzzle, level) VALUES (7, '{puzzle}', 'easy');\n");
        assert_eq!(quadrille("solve").stdin(insert).ends_with(0).out.lines().count(), 1);
    }
    let quoted = format!("\"{PUZZLE}\",\"easy\"\n\"{PUZZLE}\",\"hard, or not\"\n");
    assert_eq!(quadrille("solve").stdin(quoted).ends_with(0).out, format!("{SOLVED}\n{SOLVED}\n"));
}

#[test]
fn a_column_of_prose_about_rules_is_dropped_and_reported() {
    let text = format!("puzzle,rules\n{PUZZLE},Normal sudoku rules apply\n{PUZZLE},\n");
    let ended = quadrille("solve").stdin(text).ends();
    assert_eq!(ended.out, format!("{SOLVED}\n{SOLVED}\n"));
    assert!(ended.err.contains("column rules is text, not rules"), "{}", ended.err);
    let mixed = format!("puzzle,rules\n{PUZZLE},Normal rules\n{PUZZLE},.AntiKing\n");
    assert!(quadrille("count").stdin(mixed.clone()).ends().out.starts_with("unsupported\t"));
    assert_eq!(quadrille("count --no-rules").stdin(mixed).prints(), "1\n1\n");
}

#[test]
fn marks_around_candidates_and_placed_digits_are_ignored() {
    let cells = |given: &str, other: &str| -> String {
        let cell = |cell: &String| if cell == "." { other.to_owned() } else { given.replace('1', cell) };
        rows(".").iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("  ") + "\n").collect()
    };
    for (given, other) in
        [("<1>", "123456789"), ("*1*", "123456789"), ("(1)", "*123456789"), ("1#", "123456789a")]
    {
        is_the_puzzle("candidates", &cells(given, other));
    }
    // Digits with a plus are placed, not given.
    let placed = PUZZLE.replace('3', "+3");
    let solved = quadrille("solve --echo-id").stdin(format!("{placed}:123 456\n{placed}\n")).prints();
    assert_eq!(solved, format!("\t{SOLVED}\n").repeat(2));
}

#[test]
fn integers_may_have_other_empty_cells() {
    for empty in ["_", ".", "*", "?"] {
        let row = |at: usize| {
            (0..16).map(|cell| if cell == at { "16" } else { empty }).collect::<Vec<_>>().join(" ")
        };
        let grid: String = (0..16).map(|at| row(5 * at % 16) + "\n").collect();
        for text in [grid.clone(), format!("16\n{grid}")] {
            let solved = quadrille("solve").stdin(text).prints();
            assert!(solved.starts_with("16 ") && solved.split(' ').count() == 256, "{solved}");
        }
    }
}

#[test]
fn all_lines_are_counted_by_kind() {
    let comments = quadrille("solve").stdin("# 1 2\n# 3 4\n").ends();
    assert!(comments.err.contains("no record, but 2 lines of other text"), "{}", comments.err);
    let number = quadrille("solve").stdin("0\n").ends();
    assert!(number.code == Some(0) && number.err.ends_with("no puzzle follows it\n"), "{}", number.err);

    let text = format!("# two puzzles\n#\n\n{PUZZLE}\n# the last\n{PUZZLE}\n");
    let ended = quadrille("solve --stats").stdin(text.clone()).ends();
    let lines = "lines     2 of records, 1 blank line, 3 comments\n";
    assert!(ended.err.contains(lines), "{}", ended.err);
    let converted = quadrille("convert --stats").stdin(text).ends();
    assert!(converted.err.contains(lines), "{}", converted.err);
    assert!(!quadrille("solve --stats").stdin(format!("{PUZZLE}\n")).ends().err.contains("lines"));
    // POJ 3074.
    let ended = quadrille("solve --stats").stdin(format!("{PUZZLE}\n{PUZZLE}\nend\n")).ends();
    assert_eq!(ended.out, format!("{SOLVED}\n{SOLVED}\n"));
    assert!(ended.err.contains("lines     2 of records, 1 other line\n"), "{}", ended.err);
    let words = quadrille("check").stdin("end\nend\nand\n").ends();
    assert_eq!(words.out, "invalid\t3 characters: no grid has this many cells\n");
}

#[test]
fn tables_with_and_without_a_header_may_follow_each_other() {
    let rule = format!("|{}\n", "---|".repeat(9));
    let table = |empty: &str| -> Vec<String> {
        rows(empty).iter().map(|row| format!("| {} |\n", row.join(" | "))).collect()
    };
    let bare = |empty: &str| format!("{}{rule}{}\n", table(empty)[0], table(empty)[1..].concat());
    let headed = |header: &str, empty: &str| {
        format!("|{}\n{rule}{}\n", format!(" {header} |").repeat(9), table(empty).concat())
    };
    for [first, second] in [
        [bare(" "), headed(" ", " ")],
        [headed("c", " "), bare("")],
        [bare(""), headed("1", ".")],
        [headed(" ", ""), bare("0")],
    ] {
        let text = [&*first, &second, &first].concat();
        let ended = quadrille("solve --unique").stdin(text.clone()).ends();
        assert_eq!(ended.out, format!("{SOLVED}\n").repeat(3), "{text}{}", ended.err);
    }
}

#[test]
fn places_on_the_line_are_the_same_in_all_rows() {
    // Without blanks at its end, a row with a blank after each cell may have nine characters.
    let cut = |row: String| row.trim_end().to_owned() + "\n";
    is_the_puzzle("drawing", &joined(" ", " ").into_iter().map(cut).collect::<String>());
    is_the_puzzle("drawing", &joined(" ", "").into_iter().map(cut).collect::<String>());
    let puzzle = "1.2.3.....5.6.7..97..8..4..2.1.6.......4.1..39..7.......5.9..2.4....8..16.7.2....";
    let spaced = |line: &[u8]| line.iter().map(|&cell| format!("{} ", char::from(cell))).collect::<String>();
    let rows = puzzle.as_bytes().chunks(9).map(spaced).map(|row| cut(row.replace('.', " ")));
    let read = quadrille("convert --to line --bare").stdin(rows.collect::<String>()).ends();
    assert_eq!(read.out, format!("{puzzle}\n"), "{}", read.err);
}

#[test]
fn drawn_boxes_must_be_those_of_the_side() {
    let (puzzle, solved) = (TALL[0].as_bytes(), TALL[1]);
    let rows = |between: &str| -> Vec<String> {
        let row = |row: &[u8]| {
            row.chunks(2)
                .map(|part| String::from_utf8_lossy(part).into_owned())
                .collect::<Vec<_>>()
                .join(between)
        };
        puzzle.chunks(6).map(row).map(|row| row + "\n").collect()
    };
    let banded = |rows: &[String], rule: &str| format!("{}{rule}{}", rows[..3].concat(), rows[3..].concat());
    let numbers: Vec<String> = rows("|")
        .iter()
        .map(|row| {
            row.replace('.', "0").replace('\n', "").chars().map(|cell| format!("{cell} ")).collect::<String>()
        })
        .map(|row| row + "\n")
        .collect();
    for text in [
        rows(" ").concat(),
        rows("|").concat(),
        banded(&rows(" "), "\n"),
        banded(&rows(""), "\n"),
        banded(&rows(" | "), "---+----+---\n"),
        banded(&numbers, "----+----+----\n"),
    ] {
        let refused = quadrille("solve").stdin(text.clone()).ends();
        let reason = "invalid\tits boxes are drawn with 3 rows and 2 columns (--box 3x2 reads them";
        assert!(refused.out.starts_with(reason), "{text}{}", refused.out);
        assert_eq!(quadrille("solve --box 3x2").stdin(text).prints(), format!("{solved}\n"));
    }
}

/// A 6x6 with boxes of 3 rows and 2 columns, and its solution.
const TALL: [&str; 2] = ["4.5..325.6.1......12.5.45.4.12...156", "415263253641631425126534564312342156"];

#[test]
fn zeros_next_to_other_empty_cells_may_be_digits() {
    let lower = |cell: char| cell.to_digit(10).map_or(cell, |digit| char::from(b'0' + digit as u8 - 1));
    let puzzle: String = PUZZLE.chars().map(lower).collect();
    let solved: String = SOLVED.chars().map(lower).collect();
    for text in [format!("{puzzle}\n"), format!("{puzzle}\n{puzzle}\n"), format!("id,board\n7,{puzzle}\n")] {
        let refused = quadrille("solve").stdin(text.clone()).ends();
        assert!(refused.code != Some(0) && refused.out.is_empty(), "{text}{}", refused.out);
        assert!(refused.err.contains("--symbols from-zero if zeros are digits"), "{}", refused.err);
        assert!(quadrille("solve --symbols from-zero").stdin(text.clone()).prints().contains(&solved));
        assert_eq!(quadrille("count --limit 2 --blank 0").stdin(text).ends().code, Some(0));
    }
    // Lines that are not puzzles have no say.
    let refused = quadrille("solve").stdin(format!("from the newspaper of Friday\n{puzzle}\n")).ends();
    assert!(
        refused.out.is_empty() && refused.err.contains("--symbols from-zero"),
        "{}{}",
        refused.out,
        refused.err
    );
    // A 9 shows that zeros are empty cells.
    let mixed = PUZZLE.replacen("..", "00", 1);
    assert_eq!(quadrille("solve").stdin(mixed).prints(), format!("{SOLVED}\n"));
}

#[test]
fn rows_that_are_drawn_with_several_lines_are_refused() {
    for height in [3, 5] {
        let rule = format!("+{}\n", "-------+".repeat(9));
        let blank = format!("|{}\n", "       |".repeat(9)).repeat(height / 2);
        let row = |row: &Vec<String>| format!("{rule}{blank}|   {}   |\n{blank}", row.join("   |   "));
        let text = rows(" ").iter().map(row).collect::<String>() + &rule;
        let ended = quadrille("solve").stdin(text.clone()).ends();
        assert!(ended.code != Some(0) && ended.out.is_empty(), "{text}{}", ended.out);
        assert!(ended.err.contains("several lines for each row"), "{}", ended.err);
    }
}

#[test]
fn frames_may_follow_every_row_after_a_stray_line() {
    let rule = format!("+{}\n", "---+".repeat(9));
    let grid: String = rows("0").iter().map(|row| format!("{rule}| {} |\n", row.join(" | "))).collect();
    let text = format!("foo\n12\n{}", format!("{grid}{rule}\n\n").repeat(4));
    let ended = quadrille("solve --from grid").stdin(text).ends();
    let answers: Vec<&str> = ended.out.lines().filter(|row| !row.starts_with("invalid\t")).collect();
    assert_eq!(answers, [SOLVED; 4], "{}", ended.out);
}

#[test]
fn row_labels_and_empty_first_cells_are_no_clues() {
    // Grids may follow each other without an empty line.
    let row = |(row, cells): (usize, &String)| {
        format!("{} | {cells}\n{}", row + 1, if row % 3 == 2 && row < 8 { "-----\n" } else { "" })
    };
    let grid: String = joined("0", " ").iter().enumerate().map(row).collect();
    let ended = quadrille("solve").stdin(grid.repeat(10)).ends();
    assert_eq!(ended.out, format!("{SOLVED}\n").repeat(10), "{}", ended.err);
    // The label shares the first field with an empty cell.
    let fields = |(row, cells): (usize, &Vec<String>)| {
        format!(
            "{}  {}\n",
            row + 1,
            cells.iter().map(|cell| format!("{cell:>2}")).collect::<Vec<_>>().join(",")
        )
    };
    let open: String = rows(" ").iter().enumerate().map(fields).collect();
    is_the_puzzle("sheet", &open);
}

#[test]
fn blank_fields_at_the_end_of_rows_are_cells() {
    let drawn = " , ,4,3, ,5\n , , , , , \n-----------\n , , , , , \n , , , , , \n-----------\n , , , , , \n ,2,3, , , \n";
    let cells = format!("..43.5{}.23...\n", ".".repeat(24));
    assert_eq!(quadrille("convert --to line --bare").stdin(drawn).prints(), cells);
}

#[test]
fn a_solution_after_its_puzzle_is_not_a_puzzle() {
    let solution: Vec<String> =
        SOLVED.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    let spaced = |row: &String| row.chars().map(String::from).collect::<Vec<_>>().join(" ");
    let integers: Vec<String> = solution.iter().map(spaced).collect();
    let labelled = |rows: &[String]| -> String {
        rows.iter().zip(1..).map(|(row, number)| format!("{number} | {row}\n")).collect()
    };
    for (puzzle, solution) in [
        (joined(".", "").join("\n"), solution.join("\n")),
        (joined("0", " ").join("\n"), integers.join("\n")),
        (labelled(&joined("_", " ")), labelled(&integers)),
    ] {
        for (before, between) in
            [("", "\n"), ("", "\nSolution:\n"), ("Puzzle 7\n", "\nSolution 7\n"), ("", "\n=>\n")]
        {
            let text = format!("{before}{puzzle}\n{between}{solution}\n\n").repeat(2);
            let ended = quadrille("check").stdin(text.clone()).ends();
            assert_eq!(ended.out, "correct\n".repeat(2), "{text}{}", ended.err);
        }
    }
    // A puzzle without a solution may follow.
    let grid = joined(".", "").join("\n");
    let text = format!("{grid}\n\n{}\n\n{grid}\n", solution.join("\n"));
    assert_eq!(quadrille("check").stdin(text).prints(), "correct\nmissing\tthe given solution is empty\n");
    // Finished grids alone are puzzles.
    let finished = format!("{0}\n\n{0}\n", solution.join("\n"));
    assert_eq!(quadrille("check").stdin(finished).prints(), "unique\nunique\n");
}

#[test]
fn dots_may_be_between_cells() {
    let row = |row: &String| format!("\t{} |\n", [&row[..5], &row[6..11], &row[12..]].join("|"));
    let grid: String = joined("0", ".").iter().map(row).collect();
    let ended = quadrille("solve").stdin(format!("=====\n{grid}=====\n\n\n{grid}")).ends();
    assert_eq!(ended.out, format!("{SOLVED}\n").repeat(2), "{}", ended.err);
}
