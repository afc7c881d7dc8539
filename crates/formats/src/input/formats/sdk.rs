//! Reads SadMan Sudoku `.sdk` files: header lines `#A` to `#U`, sections in brackets, and nine rows.
//!
//! If there are sections, only `[Puzzle]` is read.

use super::super::lines::trim;
use super::FormatSpec;
use super::rows::{Heading, Style, has_heading};
use super::text_rows::ROWS;

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "sdk",
    about: "SadMan .sdk: a [Puzzle] section or nine rows, header lines #A, #D, ...",
    looks: |head| has_heading(head, SNIFFED_LINES, |line| heading(line) == Heading::Puzzles),
    style: Style { heading, ..Style::PLAIN },
    ..ROWS
};

/// Maximum number of lines read. The header of a file has fewer lines.
const SNIFFED_LINES: usize = 100;

/// Returns the kind of section that begins on a line with a name in brackets.
///
/// `[State]` repeats the puzzle together with a player's entries, so it is not read.
fn heading(line: &[u8]) -> Heading {
    match trim(line) {
        [b'[', name @ .., b']'] if name.eq_ignore_ascii_case(b"puzzle") => Heading::Puzzles,
        [b'[', .., b']'] => Heading::Other,
        _ => Heading::Absent,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{bodies, read_all};
    use super::super::super::{Format, InputOptions};

    const ROWS: &str =
        "1.3...5.9\n..21.94..\n...7.4...\n3..5.2..6\n.6.....5.\n7..8.3..4\n...4.1...\n..92.58..\n8.4...1.7\n";

    #[test]
    fn only_the_puzzle_section_counts() {
        let sections = format!("#Anobody\n#D one\n[Puzzle]\n{ROWS}[State]\n{}\n", ROWS.replace('.', "1"));
        let all = read_all(sections.as_bytes(), InputOptions::default());
        assert_eq!(bodies(&all).len(), 1);
        assert!(bodies(&all)[0].starts_with("103000509002109400"));
        assert_eq!((all.records[0].line, all.records[0].text.len()), (4, 89));
        let named = InputOptions { format: Some(Format::Sdk), ..InputOptions::default() };
        assert_eq!(bodies(&read_all(format!("#A me\r\n{ROWS}").as_bytes(), named)), bodies(&all));
    }
}
