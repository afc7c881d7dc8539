//! A count T, then T grids in any arrangement seen in practice (POJ 2676, UVA 1461).

use super::super::head::Head;
use super::super::lines::words;
use super::super::{Format, InputOptions};
use super::resync::{NOT_A_CELL, ZERO};
use super::row_machine::{ROWS, RowMachine, Style, no_heading};
use super::rows::{
    Shown, Unit, cells_of, count_before_cells, describe_count, digit_of, number_alone, side_of_first,
    side_of_small_grids,
};
use super::{FormatSpec, count_of};

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::Contest,
    name: "contest",
    about: "a count T, then T grids (POJ 2676, UVA 1461)",
    sniff: head_is_contest,
    describe: |head, complete, layout| {
        layout.side_on_lines = small_side(head);
        Ok(describe_count(head, Unit::Character, complete, layout))
    },
    cutter: |layout, options| RowMachine::cutter(STYLE, layout, options),
    ..ROWS
};

const STYLE: Style = Style { counted: true, unit: Unit::Character, heading: no_heading };

/// From this value on, a number is not a count of the grids of a short source: it has as many digits as a row of a 9x9.
const LEAST_KEY: u64 = 100_000_000;

/// Maximum number of lines read.
const SNIFFED_LINES: usize = 4;

fn head_is_contest(head: &Head<'_>) -> bool {
    let lines: Vec<&[u8]> = head.contents().filter(|line| count_of(line) > 0).take(SNIFFED_LINES).collect();
    // One stray line may come before the count.
    begins_with_count(&lines, head)
        || matches!(lines.as_slice(), [first, rest @ ..]
            if rest.len() > 1
                && count_of(first) != count_of(rest[1])
                && begins_with_count(rest, head))
}

/// Returns the side of the grids after a count if they are on one line each, and such a line could also be a row of a
/// larger grid; otherwise `None`.
fn small_side(head: &Head<'_>) -> Option<usize> {
    let shown = Shown::by_head(head);
    let digits = |line: &[u8]| -> Vec<u8> {
        let cells = cells_of(line, Unit::Character, shown);
        let digits = cells.map(|(start, end)| digit_of(&line[start..end], shown));
        digits.map(|digit| if matches!(digit, ZERO | NOT_A_CELL) { 0 } else { digit }).collect()
    };
    let lines = head.contents().skip(1).map(digits).filter(|digits| !digits.is_empty());
    side_of_small_grids(lines).filter(|_| head.options.asked_side().is_none())
}

fn begins_with_count(lines: &[&[u8]], head: &Head<'_>) -> bool {
    let [first, rest @ ..] = lines else { return false };
    let second = rest.first();
    let asked = head.options.asked_side();
    let shared = count_before_cells(lines.iter().copied(), Unit::Character, asked, true);
    match (shared.flatten(), number_alone(first)) {
        (None, None) => false,
        (Some((_, end)), _) => count_of(&first[end..]).is_multiple_of(9) || second.is_none(),
        // A line with just a number is a count if rows of another length follow, or lines with blanks between the
        // cells.
        (None, Some(number)) => second.is_some_and(|second| {
            let count = count_of(second);
            let words = words(second).count();
            // A number with as many digits as a grid has cells is a grid.
            count != count_of(first)
                && (number < LEAST_KEY || !head.whole)
                && !matches!(count_of(first), 16 | 36)
                && (InputOptions::is_side(count) && !matches!(count, 16 | 36)
                    || (words >= count && side_of_first(count).is_some())
                    || (matches!(count, 16 | 36)
                        && (rest.get(1).is_some_and(|third| count_of(third) == count)
                            || small_side(head).is_some())))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{bodies, read_all};
    use super::super::super::{Format, InputOptions};

    const POJ: &str =
        "103000509\n002109400\n000704000\n300502006\n060000050\n700803004\n000401000\n009205800\n804000107";

    fn read(text: &str) -> Vec<String> {
        bodies(&read_all(
            text.as_bytes(),
            InputOptions { format: Some(Format::Contest), ..Default::default() },
        ))
    }

    #[test]
    fn every_arrangement_reads_as_the_same_grid() {
        let plain = read(&format!("1\n{POJ}\n"));
        assert_eq!(plain.len(), 1);
        assert!(plain[0].starts_with("103000509002109400"), "{plain:?}");
        let spaced: String = POJ.replace('\n', "").chars().map(|c| format!("{c} ")).collect();
        let bands = POJ.replace("000704000\n", "000704000\n\n");
        for text in [
            format!("1 {POJ}"),
            format!("1 \n{POJ}"),
            format!("1\r\n{}\r\n", POJ.replace('\n', "\r\n")),
            format!("1\n{}", POJ.replace('\n', "  \n")),
            format!("1\n\n{}\n\n", POJ.replace('\n', "\n\n")),
            format!("1\n{bands}"),
            format!("1 {}", POJ.replace('\n', "")),
            format!("1\n{}", POJ.replace('\n', "")),
            format!("1 {spaced}"),
            spaced.clone(),
            POJ.to_owned(),
            POJ.replace('\n', " "),
        ] {
            assert_eq!(read(&text), plain, "{text:?}");
        }
        let two = [plain.clone(), plain.clone()].concat();
        for text in
            [format!("2\n{POJ}\n\n{POJ}"), format!("2\n{POJ}\n{POJ}\n"), format!("2 {spaced}{spaced}")]
        {
            assert_eq!(read(&text), two, "{text:?}");
        }
    }

    #[test]
    fn a_count_of_grids_that_is_wrong_is_reported() {
        let few = read_all(format!("1\n{POJ}\n{POJ}\n{POJ}").as_bytes(), Default::default());
        assert_eq!(few.records.len(), 1);
        assert_eq!(few.warnings, ["T is 1, and 3 grids were found: 2 grids are ignored"]);
        let many = read(&format!("3\n{POJ}\n"));
        assert_eq!(many[1..], ["invalid: T is 3, but only 1 grid was found"; 2]);
    }

    #[test]
    fn a_bad_row_costs_one_grid() {
        for (bad, reason) in [
            (POJ.replace("002109400", "00210940"), "invalid: row 2 has 8 cells, not 9"),
            (POJ.replace("002109400", "0021094000"), "invalid: row 2 has 10 cells, not 9"),
            (POJ.replace("002109400", "0021x9400").replace("060000050", "06000y050"), "x"),
            (
                POJ.replace("002109400", "0021X9400"),
                "invalid: character 'X' in row 2 column 5 is not a digit of a 9x9",
            ),
        ] {
            let all = read(&format!("3\n{POJ}\n{bad}\n{POJ}"));
            assert_eq!(all.len(), 3);
            assert_eq!(all[0], all[2]);
            if reason != "x" {
                assert_eq!(all[1], reason);
            }
        }
        let short = read(&format!("2\n{}\n\n{POJ}", POJ.replace("\n002109400", "")));
        assert_eq!(short[0], "invalid: 72 cells: no grid has this many cells");
        assert!(short[1].starts_with("1030"));
    }
}
