//! Headings such as `Grid 01`, each followed by nine rows (Project Euler 96).

use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::{is_blank, trim};
use super::super::{Chunk, Format, Record, Span};
use super::FormatSpec;
use super::row_machine::{Heading, ROWS, RowMachine, Style};
use super::rows::{Unit, has_heading, parse_characters};
use quadrille_model::Reason;

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::Euler,
    name: "euler",
    has_ids: true,
    about: "headings like 'Grid 01', nine rows each (Project Euler 96)",
    sniff: |head: &Head<'_>| has_heading(head, SNIFFED_LINES, |line| heading(line) == Heading::Name),
    cutter: |layout, options| RowMachine::cutter(STYLE, layout, options),
    parse_cut,
    ..ROWS
};

/// Maximum number of lines read; more than a grid has.
const SNIFFED_LINES: usize = 40;

const STYLE: Style = Style { counted: false, unit: Unit::Character, heading };

/// Words that headings begin with.
const WORDS: &[&[u8]] = &[b"grid", b"puzzle", b"sudoku", b"solution", b"game", b"board", b"problem"];

/// Returns whether a line is a heading: a word of [`WORDS`], a blank and a number, with or without `#` and colon.
fn heading(line: &[u8]) -> Heading {
    let line = trim(line);
    let end = line.iter().position(|&byte| is_blank(byte)).unwrap_or(line.len());
    let (word, number) = line.split_at(end);
    let number = trim(number).strip_prefix(b"#").unwrap_or(trim(number));
    let number = number.strip_suffix(b":").unwrap_or(number);
    let is_heading = WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
        && end < line.len()
        && number.iter().all(u8::is_ascii_digit);
    if is_heading { Heading::Name } else { Heading::Absent }
}

/// Parses a record whose id is its heading.
fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let text = record.text.slice(&chunk.bytes);
    let end = memchr::memchr(chunk.layout.line_end, text).unwrap_or(text.len());
    if heading(&text[..end]) == Heading::Name {
        let start = record.text.start;
        record.id =
            Span { start, end: start + super::super::lines::without_returns(&text[..end]).len() as u32 };
        record.puzzle.start = (start + end as u32 + 1).min(record.text.end);
    }
    parse_characters(grids, chunk, record)
}

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
        assert_eq!(all[1].body, "invalid: 72 cells: no grid has this many cells");
    }

    #[test]
    fn a_heading_without_a_grid_is_one_record() {
        let (most, last) = ROWS.split_at(80);
        let text = format!("Grid 01\n{most} Grid 7010\n{last}Grid 02\n{ROWS}Grid 03\nabc\n\n12\nGrid 04\n");
        let all = read_all(text.as_bytes(), Default::default()).records;
        let told: Vec<_> = all.iter().map(|read| (read.line, &read.body[..])).collect();
        let none = "invalid: no grid after this heading";
        assert_eq!(told[..2], [(1, "invalid: 72 cells: no grid has this many cells"), (10, none)]);
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
