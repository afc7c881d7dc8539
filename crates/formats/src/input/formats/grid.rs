//! Reads grids with one row per line. Frames, and empty lines between rows or grids, are optional.

use super::super::InputOptions;
use super::super::cells::characters;
use super::super::characters::has_frame;
use super::super::head::Head;
use super::super::lines::words;
use super::super::shapes::has_a_digit_twice;
use super::FormatSpec;
use super::rows::{Shown, Unit, count_of, is_prose, is_text};
use super::text_rows::{ROWS, are_small_grids, describe_rows};
use quadrille_model::canonical::Transform;

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "grid",
    about: "one row of the grid per line, with or without frames (also .ss)",
    look: "rows of grids",
    offer: |head, complete, layout| {
        let is_open = complete && head.options.format.is_none();
        match if is_open { head_is_grid(head) } else { HeadMatch::Rows } {
            found if !head.fits(complete, |head| !has_map(head) && found != HeadMatch::Other) => Ok(false),
            HeadMatch::Both => Err(BOTH.into()),
            _ => describe_rows(head, complete, layout),
        }
    },
    ..ROWS
};

/// Maximum number of rows read.
const SNIFFED_ROWS: usize = 36;
/// Maximum number of lines between two frames: the rows of the largest band and a few extra lines.
const ROWS_BETWEEN_FRAMES: usize = 8;

/// Result of checking whether the first part of a source consists of rows of grids.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadMatch {
    Rows,
    /// The lines may be rows of large grids, or each line may be a whole small grid.
    Both,
    Other,
}

const BOTH: &str = "its lines may be 4x4 grids with letters or rows of a 16x16 (or 6x6 grids or rows of a 36x36): choose with --side";

fn head_is_grid(head: &Head<'_>) -> HeadMatch {
    let shown = Shown::by_head(head);
    let mut frames = 0;
    let mut rows = Vec::new();
    for line in
        head.contents().filter(|line| !(is_text(line) || is_prose(line)) || head.options.marks.is_some())
    {
        let count = count_of(line, Unit::Character, shown);
        frames += usize::from(count == 0 || memchr::memchr2(b'|', b'!', line).is_some() || has_frame(line));
        if count > 0 {
            rows.push((line, count));
        }
        if rows.len() == SNIFFED_ROWS {
            break;
        }
    }
    let sides = rows.iter().map(|&(_, count)| count);
    let Some(side) =
        sides.clone().take(4).max_by_key(|&count| sides.clone().filter(|&other| other == count).count())
    else {
        return HeadMatch::Other;
    };
    let same = sides.take(side).filter(|&count| count == side).count();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() && byte != b'0';
    let lines = || rows.iter().filter(|(_, count)| *count == side).map(|(line, _)| *line);
    let no_rows = lines().filter(|line| has_a_digit_twice(line, is_digit)).count();
    if !InputOptions::is_side(side) || 2 * same < rows.len().min(side) || same < 2 {
        return HeadMatch::Other;
    }
    // Lines of equal length may also be keys or dates. Most keys and dates repeat a digit, which a row of a
    // grid never does.
    let has_twice = |line: &&[u8]| has_a_digit_twice(line, |byte| matches!(byte, b'1'..=b'9'));
    if !matches!(side, 16 | 36) && 2 * lines().filter(has_twice).count() > lines().count() {
        return HeadMatch::Other;
    }
    // If only one line among many looks like a frame, that line may be damaged. So at least two frames are
    // needed to decide that the source has grids in rows.
    if frames > 1 && frames * ROWS_BETWEEN_FRAMES >= rows.len() {
        return HeadMatch::Rows;
    }
    // Commas and semicolons separate columns; they are not cells.
    let is_delimited = |line: &[u8]| line.iter().any(|byte| matches!(byte, b',' | b';'));
    // In a row of a grid, blanks separate parts of equal length, such as cells or boxes. In a line with a
    // puzzle and other text, the words have different lengths.
    let is_uneven = |line: &[u8]| {
        let mut words = words(line).map(characters);
        let first = words.next();
        words.any(|len| Some(len) != first)
    };
    let is_other = |line: &[u8]| is_delimited(line) || is_uneven(line);
    if 2 * lines().filter(|line| is_other(line)).count() > lines().count() {
        return HeadMatch::Other;
    }
    match head.options.asked_side() {
        Some(asked) if asked == side => HeadMatch::Rows,
        Some(_) => HeadMatch::Other,
        // A row of a 16x16 grid is as long as a whole 4x4 grid, and a row of a 36x36 grid is as long as a
        // whole 6x6 grid. The digits decide which of the two it is.
        None if matches!(side, 16 | 36) => {
            let root = side.isqrt() as u8;
            let with = |is: &dyn Fn(u8) -> bool| {
                lines()
                    .filter(|line| line.iter().any(|&byte| byte.is_ascii_alphanumeric() && is(byte)))
                    .count()
            };
            let is_small = |letters: std::ops::RangeInclusive<u8>| {
                let others = with(&|byte| !letters.contains(&byte) && !(b'0'..=b'0' + root).contains(&byte));
                are_small_grids(others, no_rows)
            };
            // If a letter marks cells with the same digit, the letter occurs more than once. The letters for
            // even and odd cells (`e` and `o`) are ignored.
            let is_mark = |byte: u8| byte.is_ascii_lowercase() && !matches!(byte, b'e' | b'o');
            let has_marks = |line: &&[u8]| has_a_digit_twice(line, is_mark);
            let letters = with(&is_mark);
            // The letters may be marks, or they may be digits of a small grid.
            match with(&|byte| is_beyond(byte, root)) {
                beyond if are_small_grids(beyond, no_rows) => HeadMatch::Other,
                _ if 2 * letters > lines().count() && lines().filter(has_marks).count() == 0 => {
                    HeadMatch::Rows
                }
                _ if !is_small(b'a'..=b'z') && !is_small(b'A'..=b'A' + root - 1) => HeadMatch::Rows,
                _ if head.whole && !lines().count().is_multiple_of(side) => HeadMatch::Other,
                _ => HeadMatch::Both,
            }
        }
        None => HeadMatch::Rows,
    }
}

/// Returns true if a character is a digit only in grids whose side length is greater than `side`.
fn is_beyond(byte: u8, side: u8) -> bool {
    byte.is_ascii_alphanumeric() && byte > b'0' + side
}

/// Returns true if a transform follows the first puzzle on the same line. A transform is a text that gives
/// permutations of rows, columns and digits.
///
/// The puzzle and the transform together may be as long as a row of a larger grid.
fn has_map(head: &Head<'_>) -> bool {
    let first = head.contents().next().and_then(|line| std::str::from_utf8(line).ok());
    first.is_some_and(|line| {
        line.split_ascii_whitespace().skip(1).any(|word| word.parse::<Transform>().is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{bodies, read_all};
    use super::super::super::{Format, InputOptions};

    const ROWS: [&str; 9] = [
        "1.3...5.9",
        "..21.94..",
        "...7.4...",
        "3..5.2..6",
        ".6.....5.",
        "7..8.3..4",
        "...4.1...",
        "..92.58..",
        "8.4...1.7",
    ];

    fn read(text: &str) -> Vec<String> {
        bodies(&read_all(text.as_bytes(), InputOptions::default()))
    }

    fn framed(frame: &str, bar: &str, end: &str) -> String {
        let mut text = String::new();
        for (place, row) in ROWS.iter().enumerate() {
            if place % 3 == 0 {
                text += frame;
            }
            text += &format!("{end}{}{bar}{}{bar}{}{end}\n", &row[..3], &row[3..6], &row[6..]);
        }
        text + frame
    }

    #[test]
    fn every_frame_reads_the_same() {
        let plain = ROWS.concat().replace('.', "0");
        let bare = ROWS.join("\n") + "\n";
        let spaced = bare.replace(['.', '\n'], " x").replace('x', "");
        assert!(!spaced.is_empty());
        for text in [
            bare.clone(),
            bare.replace('\n', "\r\n"),
            bare.replace('.', "0"),
            bare.replace('.', "-"),
            bare.replace('.', "_"),
            framed("", " ", ""),
            framed("\n", " ", ""),
            framed("-----------\n", "|", ""),
            framed("---------\n", "|", ""),
            framed("+---+---+---+\n", "|", "|"),
            framed("*-----------*\n", "|", "|"),
            framed("------+-------+------\n", " | ", ""),
            framed("===========\n", "||", ""),
            framed("+---+---+---+\n", "|", "|").replace('.', "-"),
            framed("├───┼───┼───┤\n", "│", "│"),
            format!("# a comment\n\n{bare}# another\n"),
        ] {
            assert_eq!(read(&text), std::slice::from_ref(&plain), "{text}");
            let two = [plain.clone(), plain.clone()];
            assert_eq!(read(&format!("{text}\n{text}")), two, "{text}");
            assert_eq!(read(&format!("{text}{text}")), two, "{text}");
        }
    }

    #[test]
    fn a_row_of_dashes_is_a_row_where_dashes_are_cells() {
        let text = "1--------\n---------\n".to_owned() + &"---------\n".repeat(7);
        assert_eq!(read(&text), [format!("1{}", "0".repeat(80))]);
    }

    #[test]
    fn a_short_grid_costs_one_record() {
        let bare = ROWS.join("\n");
        let short = ROWS[..6].join("\n");
        let all = read(&format!("{bare}\n\n{short}\n\n{bare}\n"));
        assert_eq!(all.len(), 3);
        assert_eq!(all[1], "invalid: 6 rows of 9 cells are not a grid");
        assert_eq!(all[0], all[2]);
    }

    #[test]
    fn a_bad_first_row_costs_one_grid() {
        let bare = ROWS.join("\n");
        for with in ["1.3...5.", "1.3...5.99"] {
            let all = read(&format!("{bare}\n{}\n{bare}", bare.replacen("1.3...5.9", with, 1)));
            assert_eq!(all.len(), 3);
            assert_eq!(all[1], format!("invalid: row 1 has {} cells, not 9", with.len()));
            assert_eq!(all[0], all[2]);
        }
    }

    #[test]
    fn rows_of_large_grids_are_distinguished_from_lines_of_small_grids() {
        let row = "123456789ABCDEFG";
        let grid = format!("{row}\n{}", "................\n".repeat(15));
        let all = read(&format!("{grid}\n{grid}"));
        assert_eq!(all.len(), 2);
        assert!(all[0].starts_with(row));
        assert_eq!(read(&"1234341221434321\n".repeat(16)).len(), 16);
        let asked = InputOptions { side: Some(16), ..InputOptions::default() };
        assert_eq!(bodies(&read_all("................\n".repeat(16).as_bytes(), asked)).len(), 1);
        assert_eq!(read("1...\n.2..\n..3.\n...4\n"), ["1000020000300004"]);
        // A wrong digit in one line affects only that line.
        let lines = format!(
            "{}1..6............\n{}",
            "1...2...3...1...\n".repeat(9),
            "1...2...3...1...\n".repeat(10)
        );
        let read = read(&lines);
        assert_eq!(read.len(), 20);
        assert_eq!(read.iter().filter(|record| record.starts_with("invalid")).count(), 1, "{read:?}");
    }

    #[test]
    fn one_line_with_a_bar_does_not_make_a_drawing() {
        for (line, cells) in [("1..4....4.....1.", 16), (&*"1....6".repeat(6).replacen("6", ".", 5), 36)] {
            for stray in [format!(".|{}", ".".repeat(cells - 2)), "-----------".to_owned(), "|".to_owned()] {
                let lines = [&*format!("{line}\n").repeat(12), &stray, "\n", line].concat();
                let read = read(&lines);
                assert_eq!(read.len(), 14, "{stray}: {read:?}");
                assert_eq!(read.iter().filter(|record| record.starts_with("invalid")).count(), 1, "{stray}");
            }
        }
    }

    #[test]
    fn puzzles_followed_by_columns_are_not_rows_of_a_grid() {
        for behind in [",easy", ";easy", ",1234341221434321"] {
            let read = read(&format!("1..4.4...1.2...1{behind}\n").repeat(20));
            assert_eq!(read, vec!["1004040001020001"; 20], "{behind}");
        }
    }

    #[test]
    fn a_named_layout_is_not_sniffed() {
        let options = InputOptions { format: Some(Format::Grid), ..InputOptions::default() };
        assert_eq!(bodies(&read_all(ROWS.concat().as_bytes(), options)).len(), 1);
    }
}
