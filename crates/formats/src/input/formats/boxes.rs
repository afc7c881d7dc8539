//! Finds the shape of the boxes that the lines of a grid show with bars, blanks, frames and empty lines.

use std::collections::HashSet;

use super::super::cells::BLANKS;

/// Kinds of lines that show where boxes end.
#[derive(Clone, Copy)]
pub(super) enum BoxLine {
    /// A frame or an empty line.
    Separator,
    /// A row. Holds the number of cells between two bars or wide blanks, if this number is the same in the
    /// whole row.
    Row(Option<usize>),
}

/// Returns the numbers of rows and columns in a box, or `None` if the lines of the grid do not show boxes.
///
/// `side` is the side length of the grid.
pub(super) fn shown_box(lines: impl Iterator<Item = BoxLine>, side: usize) -> Option<(usize, usize)> {
    let (mut bands, mut widths) = (vec![0usize], Vec::new());
    for line in lines {
        match (line, bands.last_mut()) {
            (BoxLine::Row(width), Some(rows)) => {
                *rows += 1;
                widths.push(width);
            }
            (BoxLine::Separator, Some(1..)) => bands.push(0),
            _ => {}
        }
    }
    let same = |all: &[usize]| all.first().copied().filter(|first| all.iter().all(|other| other == first));
    let is_box = |length: &usize| (2..side).contains(length) && side.is_multiple_of(*length);
    bands.retain(|&rows| rows > 0);
    let rows = same(&bands).filter(is_box);
    let columns = widths.iter().copied().collect::<Option<Vec<usize>>>();
    let columns = columns.and_then(|widths| same(&widths)).filter(is_box);
    let shown = (rows.or(columns.map(|columns| side / columns))?, columns.or(rows.map(|rows| side / rows))?);
    Some(shown).filter(|(rows, columns)| rows * columns == side)
}

/// Returns the number of cells between two of the widest separators in a row.
///
/// Returns `None` if this number varies in the row, or if all separators are equally wide. `cells` are the
/// positions of the cells. `separator` returns the width of the text between two cells.
pub(super) fn width_of(cells: &[(usize, usize)], separator: impl Fn(usize, usize) -> usize) -> Option<usize> {
    let between: Vec<usize> = cells.windows(2).map(|two| separator(two[0].1, two[1].0)).collect();
    let widest = between.iter().copied().max().filter(|&most| between.iter().any(|&width| width < most))?;
    let parts: Vec<usize> = between.split(|&width| width == widest).map(|part| part.len() + 1).collect();
    parts.iter().all(|part| *part == parts[0]).then_some(parts[0])
}

/// Returns the character with which a frame is drawn, if that frame was read as cells of a grid.
///
/// `side` is the side length of the grid that the cells form. Returns `None` if no character has these
/// properties:
/// - It fills columns at equal distances, including the first and the last column.
/// - It fills at least three rows.
/// - The other columns, which are between the bars, have at most as many different digits as there are such columns.
/// - There is at least one clue per column between the bars, or two if the character is a dot or a zero.
///
/// Dots and zeros need more clues because they often mean empty cells.
pub(super) fn drawn_with(cells: &[u8], side: usize) -> Option<char> {
    let &bar = cells.first().filter(|bar| BLANKS.contains(bar))?;
    let is_filled = |column: usize| cells.iter().skip(column).step_by(side).all(|&cell| cell == bar);
    let mut distances = (2..side).filter(|distance| (side - 1).is_multiple_of(*distance));
    let distance = distances.find(|&distance| (0..side).step_by(distance).all(is_filled))?;
    let rulers = cells.chunks(side).filter(|row| row.iter().all(|&cell| cell == bar)).count();
    let inner = side - 1 - (side - 1) / distance;
    let clues = || cells.iter().filter(|cell| !BLANKS.contains(cell));
    let kinds = clues().collect::<HashSet<_>>().len();
    let fewest = if b".0".contains(&bar) { 2 * inner } else { inner };
    (rulers >= 3 && inner < side - 2 && kinds <= inner && clues().count() >= fewest)
        .then_some(char::from(bar))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_follow_from_bands_or_widths() {
        let lines = |text: &str| -> Vec<BoxLine> {
            let line = |letter| match letter {
                '-' => BoxLine::Separator,
                '.' => BoxLine::Row(None),
                digit => BoxLine::Row(digit.to_digit(10).map(|digit| digit as usize)),
            };
            text.chars().map(line).collect()
        };
        let shown = |text: &str| shown_box(lines(text).into_iter(), 6);
        assert_eq!(shown("-...-...-"), Some((3, 2)));
        assert_eq!(shown("22--22--22"), None);
        assert_eq!(shown("222222"), Some((3, 2)));
        assert_eq!(shown("33-33-33"), Some((2, 3)));
        for nothing in ["......", ".-.-.-.-.-.", "2.2222", "..-....", "222333"] {
            assert_eq!(shown(nothing), None, "{nothing}");
        }
        let width = |row: &str| {
            let cells: Vec<(usize, usize)> =
                row.char_indices().filter(|(_, letter)| *letter != ' ').map(|(at, _)| (at, at + 1)).collect();
            width_of(&cells, |end, start| start - end)
        };
        assert_eq!((width("12 34 56"), width("1 2  3 4  5 6")), (Some(2), Some(2)));
        assert_eq!((width("123456"), width("1 2 3 4 5 6"), width("12 3 456")), (None, None, None));
    }
}
