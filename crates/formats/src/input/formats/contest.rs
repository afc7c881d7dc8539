//! Reads a count T and then T grids, in any arrangement seen in practice (POJ 2676, UVA 1461).

use super::super::head::Head;
use super::super::layout::Numbers;
use super::FormatSpec;
use super::rows::{NumbersBefore, Shown, Style, Unit, count_of};
use super::text_rows::{ROWS, numbers_of};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "contest",
    about: "a count T, then T grids (POJ 2676, UVA 1461)",
    looks: head_is_contest,
    style: Style { numbers: NumbersBefore::Any, ..Style::PLAIN },
    ..ROWS
};

fn head_is_contest(head: &Head<'_>) -> bool {
    match numbers_of(head, Unit::Character) {
        Numbers::Count { line, bytes: bytes @ 1.., .. } => {
            let mut lines = head.numbered().skip_while(|&(number, _)| number < line).map(|(_, line)| line);
            let cells =
                lines.next().map_or(0, |line| count_of(&line[bytes..], Unit::Character, Shown::NOTHING));
            cells.is_multiple_of(9) || lines.next().is_none()
        }
        Numbers::Count { .. } => head.contents().nth(1).is_some(),
        numbers => matches!(numbers, Numbers::Order(_)),
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
        assert_eq!(short[0], "invalid: 8 rows of 9 cells are not a grid");
        assert!(short[1].starts_with("1030"));
    }
}
