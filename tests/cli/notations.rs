//! Notations that are read whole or refused: puzzles in sentences and links, games of other programs, own alphabets, lists.

use super::forms::{PUZZLE, SOLVED, rows};
use super::quadrille;

/// Checks that each text is read as the puzzle and nothing more.
fn are_the_puzzle(options: &str, texts: &[String]) {
    for text in texts {
        let ended = quadrille(&format!("solve --unique {options}")).stdin(text.clone()).ends();
        assert_eq!(
            (ended.out.as_str(), ended.code),
            (format!("{SOLVED}\n").as_str(), Some(0)),
            "{text}{}",
            ended.err
        );
    }
}

#[test]
fn a_line_may_have_the_puzzle_in_any_place() {
    let zeros = PUZZLE.replace('.', "0");
    let of_rows = |between: &str| rows("0").iter().map(|row| row.concat()).collect::<Vec<_>>().join(between);
    let cells = |empty: &str| rows(empty).concat().join(" ");
    are_the_puzzle(
        "",
        &[
            format!("My first text was wrong, sorry. The one that I meant to send is now: `{PUZZLE}`.\n"),
            format!("The right puzzle is {PUZZLE}.\n"),
            format!("(see \"{PUZZLE}\")\n"),
            format!("https://example.org/sudoku.htm?bd={zeros}\n"),
            format!("https://example.org/play/?a=7&s={zeros}&b=1\n"),
            format!("https://example.org/en/play/{zeros}\n"),
            format!("{}\n", of_rows(".")),
            format!("{}\n", of_rows("/")),
            format!("number 7: {}\n", of_rows("/")),
            format!("number 7: {}\n", of_rows(" ")),
            format!("number 7: {}\n", cells("0")),
            format!("{}\n", cells("-1")),
        ],
    );
    let link = format!("https://example.org/sudoku.htm?bd={zeros}");
    assert_eq!(quadrille("solve").arg(&link).prints(), format!("{SOLVED}\n"));
    assert_eq!(quadrille("").arg(&link).ends_with(0).out, format!("{SOLVED}\n"));
    let refused = quadrille("solve").arg("https://example.org/").ends_with(2).err;
    assert!(refused.contains("neither a file nor a puzzle"), "{refused}");
}

#[test]
fn damaged_puzzles_are_not_read_as_sentences_or_ids() {
    let zeros = PUZZLE.replace('.', "0");
    for line in [
        format!("7 {PUZZLE}.\n"),
        format!("7 {} {}\n", zeros.chars().map(|cell| format!("{cell} ")).collect::<String>(), 5),
        format!("{}\n", PUZZLE.replacen('2', "2@", 1)),
    ] {
        let ended = quadrille("solve").stdin(format!("{PUZZLE}\n{line}{PUZZLE}\n")).ends();
        let out: Vec<&str> = ended.out.lines().collect();
        assert!(
            out.len() == 3 && out[0] == SOLVED && out[1].starts_with("invalid\t") && out[2] == SOLVED,
            "{line}{}",
            ended.out
        );
    }
    // A decoration that begins like rules is not an empty grid.
    let ended = quadrille("solve").stdin(format!("{PUZZLE}\n..~~ easy ~~..\n{PUZZLE}\n")).ends();
    assert!(ended.out.lines().nth(1).is_some_and(|line| line.starts_with("invalid\t")), "{}", ended.out);
}

#[test]
fn ids_before_puzzles_are_read_in_bulk() {
    let lines: String = (1..=3000).map(|number| format!("{number} {PUZZLE} easy {number}\n")).collect();
    let counted = quadrille("count --fields id,count").stdin(lines.clone()).prints();
    assert!(counted.lines().enumerate().all(|(at, row)| row == format!("{}\t1", at + 1)), "{counted}");
    assert_eq!(quadrille("count").stdin(lines.clone()).prints(), "1\n".repeat(3000));
    let damaged = lines.replacen("2999 .", "2999 X.", 1).replacen("7 .234", "7 .23", 1);
    let out = quadrille("count").stdin(damaged).ends().out;
    assert_eq!((out.lines().count(), out.matches("invalid").count()), (3000, 2), "{out}");
}

#[test]
fn a_solution_may_follow_the_puzzle_on_its_line() {
    for (before, between, after) in [("", " ", ""), ("", ":", ""), ("", "   ", " easy"), ("7 ", " ", "")] {
        let line = |solution: &str| format!("{before}{PUZZLE}{between}{solution}{after}\n");
        let text = line(SOLVED) + &line(&SOLVED.replacen("52", "25", 1)) + &format!("{PUZZLE}\n");
        let checked = quadrille("check --to text").stdin(text.clone()).prints();
        let wrong = "wrong\tfirst wrong cell: row 1 column 1";
        assert_eq!(checked, format!("correct\n{wrong}\nmissing\tthe given solution is empty\n"), "{text}");
        assert_eq!(quadrille("count").stdin(text).prints(), "1\n1\n1\n");
    }
}

#[test]
fn removed_candidates_of_library_lines_are_read() {
    let puzzle = ".2.1......3.....95..9...2.13.1.....6....8.......4159...4.6.3.5.....4..6......9..8";
    let count =
        |removed: &str| quadrille("count").stdin(format!(":0000:x:{puzzle}:{removed}::\n")).ends().out;
    assert_eq!([count(""), count("826"), count("126 226 326 426 526 626 726 926")], ["9\n", "8\n", "1\n"]);
    assert!(count("8x6").starts_with("invalid\t'8x6' in place of a removed candidate"), "{}", count("8x6"));
}

#[test]
fn games_of_solo_are_read_or_refused_by_name() {
    let solved = |id: &str| quadrille("solve --unique").stdin(format!("{id}\n")).ends().out;
    assert_eq!(
        solved("3x3:a2a1f3c8a9_5b9c2a1_3a1e6d8g4_1_5_9c4a6a3a5e4b6f9b8"),
        "825197634134268795769534281351972846497386512286415973948623157572841369613759428\n"
    );
    assert_eq!(solved("2x2:a3_1_2b3a2c3c"), "4312123421433421\n");
    for (id, what) in
        [("3x3k:a5,b1", "with cages"), ("3x3#271828", "random numbers"), ("3x2:zj", "--box 3x2")]
    {
        assert!(solved(id).starts_with("invalid\t") && solved(id).contains(what), "{}", solved(id));
    }
}

#[test]
fn digits_from_zero_may_be_next_to_null() {
    let cell = |cell: char| match cell {
        '.' => "null".to_owned(),
        digit => (digit.to_digit(10).expect("a digit") - 1).to_string(),
    };
    let list = PUZZLE.chars().map(cell).collect::<Vec<_>>().join(", ");
    let solved: String = SOLVED.bytes().map(|digit| char::from(digit - 1)).collect();
    for text in [
        format!("[{list}]\n"),
        format!("{{\"puzzle\": [{list}]}}\n"),
        format!("[{}]\n", list.replace("null", "-1")),
    ] {
        assert_eq!(quadrille("solve --symbols from-zero").stdin(text).prints(), format!("{solved}\n"));
    }
}

#[test]
fn digits_may_be_the_letters_of_a_word() {
    let word = "RSTUVWXYZ";
    let written = |text: &str| -> String {
        let digit = |cell: char| {
            cell.to_digit(10).map_or(cell, |digit| char::from(word.as_bytes()[digit as usize - 1]))
        };
        text.chars().map(digit).collect()
    };
    let text = format!("{}\n", written(PUZZLE));
    let solved = format!("{}\n", written(SOLVED));
    assert_eq!(quadrille("solve --symbols RSTUVWXYZ").stdin(text.clone()).prints(), solved);
    assert_eq!(quadrille("solve --symbols RSTUVWXYZ").stdin(text.to_lowercase()).prints(), solved);
    let checked = format!("puzzle,solution\n{},{}\n", written(PUZZLE), written(SOLVED));
    assert_eq!(quadrille("check --to text --symbols RSTUVWXYZ").stdin(checked).prints(), "correct\n");
    assert_eq!(
        quadrille("convert --symbols RSTUVWXYZ --to-symbols 1-9A-Z").stdin(text).prints(),
        format!("{PUZZLE}\n")
    );
    // Digits in another order are not a plain 9x9.
    let turned = PUZZLE.bytes().map(|cell| if cell == b'.' { '.' } else { char::from(b'1' + b'9' - cell) });
    let turned = format!("{}\n", turned.collect::<String>());
    assert_eq!(
        quadrille("convert --symbols 987654321 --to-symbols 1-9A-Z").stdin(turned).prints(),
        format!("{PUZZLE}\n")
    );
    for bad in ["RSTUVWXYR", "RST", "RST VWXYZ"] {
        quadrille("solve --symbols").arg(bad).ends_with(2);
    }
}

#[test]
fn games_of_open_sudoku_have_any_quotes() {
    let zeros = PUZZLE.replace('.', "0");
    let text = format!(
        "<opensudoku>\n<game data=\"{zeros}\"/><game\ndata = '{zeros}' note=\"data\"/>\n<!-- <game data=\"{zeros}\"/>\n\
         <game data=\"{zeros}\"/> --><game\tdata =\"{zeros}\"/>\n<!-- x --><game data='12'/>\n</opensudoku>\n"
    );
    let out = quadrille("solve").stdin(text).ends().out;
    assert_eq!(out.lines().filter(|line| *line == SOLVED).count(), 3, "{out}");
    assert!(out.lines().count() == 4 && out.contains("invalid\t2 characters"), "{out}");
}

#[test]
fn exact_covers_may_be_lists_with_names_and_commas() {
    for (format, text) in [
        ("sets", "[[1, 4, 7], [1, 4], [4, 5, 7], [3, 5, 6], [2, 3, 6, 7], [2, 7]]\n"),
        ("sets", "A = {1, 4, 7}\nB = {1, 4}\nC = {4, 5, 7}\nD = {3, 5, 6}\nE = {2, 3, 6, 7}\nF = {2, 7}\n"),
        ("sets", "A: 1 4 7\nB: 1 4\nC: 4 5 7\nD: 3 5 6\nE: 2 3 6 7\nF: 2 7\n"),
        ("sets", "1,4,7\n1,4\n4,5,7\n3,5,6\n2,3,6,7\n2,7\n"),
        (
            "matrix",
            "[[1 0 0 1 0 0 1]\n [1 0 0 1 0 0 0]\n [0 0 0 1 1 0 1]\n [0 0 1 0 1 1 0]\n [0 1 1 0 0 1 1]\n [0 1 0 0 0 0 1]]\n",
        ),
        (
            "matrix",
            "1,0,0,1,0,0,1\n1,0,0,1,0,0,0\n0,0,0,1,1,0,1\n0,0,1,0,1,1,0\n0,1,1,0,0,1,1\n0,1,0,0,0,0,1\n",
        ),
    ] {
        assert_eq!(quadrille(&format!("solve --from {format}")).stdin(text).prints(), "2 4 6\n", "{text}");
    }
    // Rows, columns, then diagonals: four queens with the diagonals first, which are secondary.
    let row = |row: usize, column: usize| {
        let ones = [row + column, 7 + 3 + row - column, 14 + row, 18 + column];
        (0..22).map(|at| if ones.contains(&at) { "1 " } else { "0 " }).collect::<String>() + "\n"
    };
    let rows: String = (0..16).map(|cell| row(cell / 4, cell % 4)).collect();
    let count = |text: String| quadrille("count --from matrix").stdin(text).prints();
    assert_eq!(count(format!("22 14\n{rows}")), "2\n");
    assert_eq!(count(rows), "0\n");
}
