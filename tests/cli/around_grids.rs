//! Text around grids: headings, sentences, names, numbers and sides before them.

use super::forms::{PUZZLE, SOLVED, is_the_puzzle, joined};
use super::quadrille;

#[test]
fn a_number_before_grids_may_be_their_box_size() {
    let grid = joined("0", " ").join("\n");
    for times in [1, 2, 4] {
        let ended = quadrille("solve").stdin(format!("3\n{grid}\n").repeat(times)).ends();
        assert_eq!(
            (ended.code, ended.out),
            (Some(0), format!("{SOLVED}\n").repeat(times)),
            "{times}: {}",
            ended.err
        );
    }
}

#[test]
fn words_between_grids_are_text() {
    let grid = joined("0", "").join("\n") + "\n";
    let spaced = joined("0", " ").join("\n") + "\n";
    for text in [
        "Case 1:",
        "case #1",
        "Order: 3",
        "N=3",
        "n = 9",
        "size 9",
        "Level 123",
        "Can anybody solve this puzzle?",
        "easy ones, 17 clues",
        "grid = \"\"\"",
        "Sudoku f\u{fc}r Anf\u{e4}nger",
    ] {
        for grid in [&grid, &spaced] {
            let ended = quadrille("solve --stats").stdin(format!("{text}\n{grid}\n{text}\n{grid}")).ends();
            assert_eq!(ended.out, format!("{SOLVED}\n{SOLVED}\n"), "{text}\n{grid}");
            assert!(
                ended.err.contains("lines     18 of records, ") && ended.err.contains("2 headings\n"),
                "{}",
                ended.err
            );
        }
    }
    // A 0 ends an input that has an order before each grid.
    let ended = quadrille("solve").stdin(format!("3\n{spaced}3\n{spaced}0\n")).ends();
    assert_eq!(ended.out, format!("{SOLVED}\n{SOLVED}\n"), "{}", ended.err);
    // Rows of letters are not text.
    let large: String = (0..16)
        .map(|row| {
            let row: String = (0..16)
                .map(|column| char::from(b'A' + ((row % 4 * 4 + row / 4 + column) % 16) as u8))
                .collect();
            format!("{} {} {} {}\n", &row[..4], &row[4..8], &row[8..12], &row[12..])
        })
        .collect();
    assert_eq!(quadrille("check").stdin(large).prints(), "unique\n");
}

#[test]
fn puzzles_in_quotes_and_behind_names_are_read() {
    let zeros = PUZZLE.replace('.', "0");
    for text in [
        format!("grid1  = '{PUZZLE}'\ngrid2  = '{PUZZLE}'\n"),
        format!("grid={zeros}\ngrid={zeros}\n"),
        format!("'{PUZZLE}',\n'{PUZZLE}'\n"),
        format!("char *a = \"{zeros}\";\nchar *b = \"{PUZZLE}\";\n"),
        format!("https://example.org/solve?board={PUZZLE}\nhttps://example.org/solve?board={PUZZLE}\n"),
    ] {
        assert_eq!(
            quadrille("solve").stdin(text.clone()).prints(),
            format!("{SOLVED}\n{SOLVED}\n"),
            "{text}"
        );
    }
    let ids = quadrille("solve --echo-id").stdin(format!("grid1 = '{PUZZLE}'\n")).prints();
    assert_eq!(ids, format!("grid1\t{SOLVED}\n"));
}

#[test]
fn the_side_may_come_before_each_grid() {
    for (file, are_integers) in [("16x16", false), ("16x16", true), ("random-1000", false)] {
        let lines = std::fs::read_to_string(format!("data/{file}.txt")).unwrap();
        let grids: Vec<(usize, String)> = lines
            .lines()
            .filter(|line| !line.starts_with('#'))
            .take(4)
            .map(|line| {
                let number = |cell: char| format!("{} ", cell.to_digit(36).unwrap_or(0));
                let cell = |cell: char| if are_integers { number(cell) } else { cell.to_string() };
                let cells: Vec<String> = line.chars().map(cell).collect();
                let side = cells.len().isqrt();
                (side, cells.chunks(side).map(|row| row.concat() + "\n").collect())
            })
            .collect();
        let plain: String = grids.iter().map(|(_, rows)| format!("{rows}\n")).collect();
        let text: String = grids.iter().map(|(side, rows)| format!("{side}\n{rows}")).collect();
        let ended = quadrille("solve").stdin(text.clone()).ends();
        let wanted = quadrille("solve").stdin(plain).prints();
        assert_eq!((ended.code, ended.out), (Some(0), wanted), "{text}{}", ended.err);
    }
}

#[test]
fn each_of_several_matrices_follows_its_size() {
    let both = "3 3\n0 1 0\n0 0 1\n1 0 0\n4 4\n0 0 0 1\n1 0 0 0\n1 1 0 1\n0 1 0 0\n";
    assert_eq!(quadrille("solve --from matrix").stdin(both).ends().out, "1 2 3\nnone\n");
    let cut = quadrille("solve --from matrix").stdin("2 2\n0 1\n1 0\n2 2\n0 1\n").ends();
    assert!(cut.out.starts_with("invalid\t"), "{}", cut.out);
}

#[test]
fn words_with_a_number_are_headings() {
    for heading in ["Puzzle 1", "Sudoku #12", "solution 3:", "Board 04", "Game 5"] {
        for rows in [joined("0", ""), joined(".", " ")] {
            let text = format!("{heading}\n{}\n", rows.join("\n")).repeat(2);
            let solved = quadrille("solve --echo-id").stdin(text).prints();
            assert_eq!(solved, format!("{heading}\t{SOLVED}\n").repeat(2));
        }
    }
    // Grids in formats of their own follow headings, too.
    is_the_puzzle("drawing", &format!("Puzzle 1\n{}\n", joined(" ", "|").join("\n")));
}

#[test]
fn sentences_around_grids_of_rows_are_text() {
    let framed: String =
        joined(".", "").iter().map(|row| format!("|{}|{}|{}|\n", &row[..3], &row[3..6], &row[6..])).collect();
    for grid in [framed, joined("0", "").join("\n") + "\n", joined(".", " ").join("\n") + "\n"] {
        let text = format!("Start of the puzzle:\n{grid}From a book, page 7\n\n- my second try:\n{grid}");
        let ended = quadrille("solve --stats").stdin(text).ends();
        assert_eq!((ended.code, ended.out), (Some(0), format!("{SOLVED}\n{SOLVED}\n")), "{grid}");
        assert!(ended.err.contains("lines     18 of records, 1 blank line, 3 headings\n"), "{}", ended.err);
        // A title and a puzzle on one line are not a sentence.
        let titled = quadrille("solve")
            .stdin(format!("{grid}My first puzzle from a small book: 1..4....2..3.1.2\n{grid}"))
            .ends();
        assert_eq!(titled.out.lines().count(), 3, "{}", titled.out);
        // A row that lost its blanks and dots is not a sentence.
        let lost = quadrille("solve").stdin(format!("{grid}51x 2ab\n{grid}")).ends();
        assert_eq!(lost.out.lines().filter(|row| row.starts_with("invalid")).count(), 1, "{}", lost.out);
    }
}

#[test]
fn numbers_before_grids_are_their_ids() {
    for between in ["", "\n"] {
        for empty in [".", "0"] {
            let grid = joined(empty, "").join("\n");
            let text: String = (1..=3).map(|number| format!("{number}\n{grid}\n{between}")).collect();
            let solved: String = (1..=3).map(|number| format!("{number}\t{SOLVED}\n")).collect();
            assert_eq!(quadrille("solve --echo-id").stdin(text.clone()).prints(), solved, "{text}");
        }
    }
}
