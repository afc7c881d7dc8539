//! Formats with grids in rows of characters whose grids have headings, or a count before the first grid.

use super::super::InputOptions;
use super::super::head::Head;
use super::super::layout::Numbers;
use super::super::lines::trim;
use super::FormatSpec;
use super::integers::head_is_integers;
use super::rows::{Heading, NumbersBefore, Shown, Style, Unit, count_of, is_name};
use super::text_rows::{ROWS, numbers_of};

/// A count T and then T grids, in any arrangement seen in practice.
pub(super) const CONTEST: FormatSpec = FormatSpec {
    name: "contest",
    about: "a count T, then T grids (POJ 2676, UVA 1461)",
    looks: |head| match numbers_of(head, Unit::Character) {
        Numbers::Count { line, bytes: bytes @ 1.., .. } => {
            let mut lines = head.numbered().skip_while(|&(number, _)| number < line).map(|(_, line)| line);
            let cells =
                lines.next().map_or(0, |line| count_of(&line[bytes..], Unit::Character, Shown::NOTHING));
            cells.is_multiple_of(9) || lines.next().is_none()
        }
        Numbers::Count { .. } => head.contents().nth(1).is_some(),
        numbers => matches!(numbers, Numbers::Order(_)),
    },
    style: Style { numbers: NumbersBefore::Any, ..Style::PLAIN },
    ..ROWS
};

/// Headings such as `Grid 01`, or the numbers 1, 2, 3 and so on instead of headings.
pub(super) const EULER: FormatSpec = FormatSpec {
    name: "euler",
    has_ids: true,
    about: "headings like 'Grid 01', or numbers 1, 2, 3, ... before the rows of each grid (Project Euler 96)",
    // A grid has fewer than 40 lines.
    looks: |head| {
        has_heading(head, 40, is_name)
            || numbers_of(head, Unit::Character) == Numbers::Ids && !head_is_integers(head)
    },
    style: Style {
        heading: |line| if is_name(line) { Heading::Name } else { Heading::Absent },
        numbers: NumbersBefore::Ids,
        ..Style::PLAIN
    },
    ..ROWS
};

/// Files with header lines `#A` to `#U`, sections in brackets, and nine rows.
///
/// If there are sections, only `[Puzzle]` is read.
pub(super) const SDK: FormatSpec = FormatSpec {
    name: "sdk",
    about: "SadMan .sdk: a [Puzzle] section or nine rows, header lines #A, #D, ...",
    // The header of a file has fewer than 100 lines.
    looks: |head| has_heading(head, 100, |line| section(line) == Heading::Puzzles),
    style: Style { heading: section, ..Style::PLAIN },
    ..ROWS
};

/// Returns the kind of section that begins on a line with a name in brackets.
///
/// `[State]` repeats the puzzle together with a player's entries, so it is not read.
fn section(line: &[u8]) -> Heading {
    match trim(line) {
        [b'[', name @ .., b']'] if name.eq_ignore_ascii_case(b"puzzle") => Heading::Puzzles,
        [b'[', .., b']'] => Heading::Other,
        _ => Heading::Absent,
    }
}

/// Returns true if there is a heading among the first `most_lines` lines.
///
/// A heading after the first line counts only if one of the next two lines is a row of a grid.
fn has_heading(head: &Head<'_>, most_lines: usize, is_heading: impl Fn(&[u8]) -> bool) -> bool {
    let lines: Vec<&[u8]> = head.contents().take(most_lines).collect();
    let is_row = |line: &&[u8]| InputOptions::is_side(count_of(line, Unit::Character, Shown::NOTHING));
    let has_rows = |at: usize| at == 0 || lines[at + 1..].iter().take(2).any(is_row);
    (0..lines.len()).any(|at| is_heading(lines[at]) && has_rows(at))
}

#[cfg(test)]
mod tests;
