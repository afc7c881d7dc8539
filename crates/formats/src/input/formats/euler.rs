//! Reads grids that have headings such as `Grid 01` (Project Euler 96), or numbers 1, 2, 3 and so on instead
//! of headings.

use super::super::layout::Numbers;
use super::FormatSpec;
use super::integers::head_is_integers;
use super::rows::{Heading, NumbersBefore, Style, Unit, has_heading, is_name};
use super::text_rows::{ROWS, numbers_of};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "euler",
    has_ids: true,
    about: "headings like 'Grid 01', or numbers 1, 2, 3, ... before the rows of each grid (Project Euler 96)",
    looks: |head| {
        has_heading(head, SNIFFED_LINES, is_name)
            || numbers_of(head, Unit::Character) == Numbers::Ids && !head_is_integers(head)
    },
    style: Style {
        heading: |line| if is_name(line) { Heading::Name } else { Heading::Absent },
        numbers: NumbersBefore::Ids,
        ..Style::PLAIN
    },
    ..ROWS
};

/// Maximum number of lines read, which is more than a grid has.
const SNIFFED_LINES: usize = 40;

#[cfg(test)]
mod tests {
    use super::super::super::ChunkTarget;
    use super::super::super::testing::{read_all, read_in_chunks};

    const ROWS: &str =
        "103000509\n002109400\n000704000\n300502006\n060000050\n700803004\n000401000\n009205800\n804000107\n";

    #[test]
    fn headings_are_the_ids() {
        let text = format!("Grid 01\n{ROWS}Grid 02\n{}\ngrid 3\r\n{ROWS}", &ROWS[10..]);
        let all = read_all(text.as_bytes(), Default::default()).records;
        let told: Vec<_> = all
            .iter()
            .map(|read| (std::str::from_utf8(&read.id).unwrap(), read.line, &read.body[..7]))
            .collect();
        assert_eq!(told, [("Grid 01", 1, "1030005"), ("Grid 02", 11, "invalid"), ("grid 3", 21, "1030005")]);
        assert_eq!(all[1].body, "invalid: 8 rows of 9 cells are not a grid");
    }

    #[test]
    fn a_heading_without_a_grid_is_one_record() {
        let (most, last) = ROWS.split_at(80);
        let text = format!("Grid 01\n{most} Grid 7010\n{last}Grid 02\n{ROWS}Grid 03\nabc\n\n12\nGrid 04\n");
        let all = read_all(text.as_bytes(), Default::default()).records;
        let told: Vec<_> = all.iter().map(|read| (read.line, &read.body[..])).collect();
        let none = "invalid: no grid after this heading";
        assert_eq!(told[..2], [(1, "invalid: 8 rows of 9 cells are not a grid"), (10, none)]);
        assert!(told[2].0 == 12 && told[2].1.starts_with("1030005"), "{told:?}");
        assert_eq!(told[3..], [(22, none), (26, "invalid: 0 cells: no grid has this many cells")]);
    }

    #[test]
    fn a_stray_line_after_a_heading_goes_into_the_chunk_of_the_grid() {
        let stray = "0030 and 0\n";
        let text =
            format!("Grid 01\n{stray}{ROWS}Grid 02\n{stray}{stray}{ROWS}Grid 03\n{ROWS}Grid 04\n{stray}");
        let whole = read_all(text.as_bytes(), Default::default()).records;
        assert!(whole.iter().any(|read| read.body.contains("outside of any grid")), "{whole:?}");
        assert!(whole.iter().any(|read| read.id == b"Grid 03" && !read.body.starts_with("invalid")));
        for (bytes, records) in [(1, 1), (1, 100), (40, 2), (1 << 20, 1)] {
            let cut = read_in_chunks(text.as_bytes(), Default::default(), ChunkTarget { bytes, records });
            assert_eq!(cut.records, whole);
        }
    }
}
