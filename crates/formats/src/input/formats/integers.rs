//! Reads grids of integers separated by blanks or commas, of any size. 0 is an empty cell (Luogu P1074).

use super::super::InputOptions;
use super::super::cells::BLANKS;
use super::super::head::Head;
use super::FormatSpec;
use super::rows::{NumbersBefore, Shown, Style, Unit, cells_of, is_small_grid, number_alone, side_of_first};
use super::text_rows::{ROWS, count_before_cells, parse_integers};
use quadrille_model::MAX_SIDE;

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "integers",
    about: "grids of integers separated by blanks or commas, 0 for empty (Luogu P1074)",
    look: "grids of integers",
    looks: head_is_integers,
    style: Style { unit: Unit::Integer, numbers: NumbersBefore::Any, ..Style::PLAIN },
    has_symbols: false,
    parse_cut: parse_integers,
    ..ROWS
};

/// Returns true if a word is an empty cell, written as one ASCII character or as -1.
fn is_empty(word: &[u8]) -> bool {
    word == b"-1" || matches!(word, [byte] if BLANKS.contains(byte))
}

/// Returns the number of integers and empty cells in a line, and whether an integer has two digits.
///
/// Returns `None` if the line contains anything else.
fn integers_in(line: &[u8]) -> Option<(usize, bool)> {
    let (mut count, mut wide) = (0, false);
    // If -1 means an empty cell, single letters may be digits above 9.
    let has_minus_one = memchr::memmem::find(line, b"-1").is_some();
    let is_letter = |word: &[u8]| has_minus_one && matches!(word, [b'A'..=b'Z']);
    for (start, end) in cells_of(line, Unit::Integer, Shown::NOTHING) {
        let word = &line[start..end];
        if !is_empty(word) && !is_letter(word) && (word.len() > 2 || !word.iter().all(u8::is_ascii_digit)) {
            return None;
        }
        count += 1;
        wide |= word.len() == 2;
    }
    Some((count, wide))
}

pub(super) fn head_is_integers(head: &Head<'_>) -> bool {
    // Up to two other lines, such as a count and a stray line, may come before the first grid.
    let lines: Vec<&[u8]> = head.contents().take(2 + 1 + MAX_SIDE).collect();
    (0..lines.len().min(3)).any(|stray| are_integers(&lines[stray..], head.options.asked_side()))
}

fn are_integers(all: &[&[u8]], asked: Option<usize>) -> bool {
    let mut lines = all.iter().copied();
    let count = count_before_cells(all, Unit::Integer, asked);
    let Some(first) = lines.next() else { return false };
    // A grid with a count belongs to the format `contest`, unless some cells have two digits.
    let is_counted = count.is_some() || number_alone(first).is_some();
    let row = match count {
        Some((_, end)) => &first[end..],
        None if is_counted => lines.next().unwrap_or_default(),
        None => first,
    };
    let Some((count, mut wide)) = integers_in(row) else { return false };
    let Some(side) = side_of_first(count).filter(|side| asked.is_none_or(|asked| asked == *side)) else {
        return false;
    };
    if count < InputOptions::MIN_SIDE {
        return false;
    }
    // The other rows of the first grid must be as long as this row. One row may have another length if it is
    // clear that the lines are grids of integers. It is clear if cells have two digits, or if each line may
    // be a whole grid.
    let are_lines = is_small_grid(count);
    let mut others = 0;
    if count == side {
        for line in lines.take(side - 1) {
            match integers_in(line) {
                Some((other, two)) if other == count || other <= side + 1 => wide |= two,
                _ => others += 1,
            }
        }
    }
    // Rows that have single digits, and characters other than `0` for empty cells, are read as characters and
    // not as integers.
    let has_empty = || all.iter().any(|line| line.iter().any(|byte| *byte != b'0' && BLANKS.contains(byte)));
    others <= usize::from(wide || are_lines) && (wide || !is_counted && !has_empty())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{bodies, read_all};
    use super::super::super::{Format, InputOptions};

    const P1074: &str = "7 0 0 9 0 0 0 0 1\n1 0 0 0 0 5 9 0 0\n0 0 0 2 0 0 0 8 0\n0 0 5 0 2 0 0 0 3\n0 0 0 0 0 0 6 4 8\n\
                         4 1 3 0 0 0 0 0 0\n0 0 7 0 0 2 0 9 0\n2 0 1 0 6 0 8 0 4\n0 8 0 5 0 4 0 1 2\n";

    fn read(text: &str) -> Vec<String> {
        bodies(&read_all(text.as_bytes(), InputOptions::default()))
    }

    #[test]
    fn zero_is_a_digit_if_the_caller_says_so() {
        use quadrille_model::Alphabet;
        let from_zero = || InputOptions { symbols: Some(Alphabet::FromZero), ..InputOptions::default() };
        let shifted: String = P1074
            .chars()
            .map(|byte| {
                byte.to_digit(10).map_or(byte.to_string(), |digit| match digit {
                    0 => "-1".to_owned(),
                    digit => (digit - 1).to_string(),
                })
            })
            .collect();
        let expected = bodies(&read_all(P1074.as_bytes(), InputOptions::default()));
        for text in [&shifted, &shifted.replace("-1", ".")] {
            assert_eq!(bodies(&read_all(text.as_bytes(), from_zero())), expected, "{text}");
        }
        let sixteen = (0..256).map(|cell| ((cell / 16 * 4 + cell / 64 + cell % 16) % 16).to_string());
        let rows: Vec<String> = sixteen.collect::<Vec<_>>().chunks(16).map(|row| row.join(" ")).collect();
        let body = &bodies(&read_all((rows.join("\n") + "\n").as_bytes(), from_zero()))[0];
        assert!(body.starts_with("123456789ABCDEFG56789"), "{body}");
    }

    #[test]
    fn rows_and_single_lines_read_the_same() {
        let plain: String = P1074.split_whitespace().collect();
        for text in [
            P1074.to_owned(),
            P1074.replace('\n', " "),
            P1074.replace('\n', "\r\n"),
            P1074.replace(' ', ","),
            P1074.replace(' ', ", "),
            P1074.replace('\n', "\n\n"),
            format!("1 {}", P1074.replace('\n', " ")),
        ] {
            assert_eq!(read(&text), std::slice::from_ref(&plain), "{text:?}");
        }
        assert_eq!(read(&format!("{P1074}\n{P1074}{P1074}")), [plain.clone(), plain.clone(), plain]);
    }

    #[test]
    fn large_sides_are_read_with_and_without_a_count() {
        for side in [16, 25, 36] {
            let row: Vec<String> = (1..=side).map(|digit: usize| format!("{digit:2}")).collect();
            let grid =
                format!("{}\n{}", row.join(" "), format!("{}\n", vec!["0"; side].join(" ")).repeat(side - 1));
            for text in [grid.clone(), format!("1\n{grid}"), grid.replace('\n', " ")] {
                let all = read(&text);
                assert_eq!(all.len(), 1, "{text}");
                assert!(all[0].starts_with("123456789ABCDEFG"), "{}", all[0]);
                assert_eq!(all[0].len(), side * side);
            }
        }
    }

    #[test]
    fn lines_may_be_small_grids() {
        let grids = ["1 0 0 4 0 0 2 0 0 3 0 0 4 0 0 1", "1 2 0 0 0 6 ".repeat(6).as_str().trim_end()]
            .map(str::to_owned);
        for grid in grids {
            let plain = grid.replace(' ', "");
            for count in [1, 2, 4, 16, 36] {
                let text = format!("{grid}\n").repeat(count);
                assert_eq!(read(&text), vec![plain.clone(); count], "{text}");
                assert_eq!(read(&text.replace(' ', ",")), vec![plain.clone(); count], "{text}");
            }
            let counted = InputOptions { format: Some(Format::Integers), ..InputOptions::default() };
            let text = format!("2 {grid}\n{grid}\n");
            assert_eq!(bodies(&read_all(text.as_bytes(), counted)), [plain.clone(), plain.clone()], "{text}");
            // A wrong number affects only the grid on its line. A truncated line or a line of other text also
            // affects only itself.
            let lines = format!("{grid}\n").repeat(9);
            let texts = [format!("9{}", &grid[1..]), grid[..9].to_owned(), "no grid".to_owned()]
                .map(|line| format!("{lines}{line}\n{lines}"));
            for text in texts {
                let all = read(&text);
                assert_eq!(all.len(), 19, "{text}{all:?}");
                assert_eq!(all.iter().filter(|record| **record == plain).count(), 18, "{text}{all:?}");
            }
            // Lines without integers do not help to detect the side length.
            let bare = format!("{}\n", ". ".repeat(plain.len()).trim_end()).repeat(plain.len());
            let named = InputOptions { format: Some(Format::Integers), ..InputOptions::default() };
            assert_eq!(read_all(bare.as_bytes(), named).records.len(), 1);
            let large = InputOptions { side: Some(plain.len()), ..InputOptions::default() };
            let text = format!("{grid}\n").repeat(plain.len());
            assert_eq!(read_all(text.as_bytes(), large).records.len(), 1);
        }
    }

    #[test]
    fn reasons_name_row_and_column() {
        let options = || InputOptions { format: Some(Format::Integers), ..InputOptions::default() };
        let all = bodies(&read_all(P1074.replacen("5 9", "15 9", 1).as_bytes(), options()));
        assert_eq!(all, ["invalid: '15' in row 2 column 6 is not a digit of a 9x9"]);
        let all = bodies(&read_all(P1074.replacen("5 9", "9", 1).as_bytes(), options()));
        assert_eq!(all, ["invalid: row 2 has 8 cells, not 9"]);
    }
}
