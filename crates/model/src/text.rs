//! Puzzles and exact cover problems as text.
//!
//! [`FromText`](https://docs.rs/quadrille) can read the text that this module writes.

use std::fmt::{self, Write};

use crate::encode::write_dlx;
use crate::grid::Grid;
use crate::{Alphabet, Constraint, CoverProblem, DigitSet, Geometry, Packed9x9, Puzzle, Symbols};

/// Smallest side length at which lower-case letters may be digits.
///
/// In grids of this or a larger side length, the marks `e` and `o` cannot be written.
const MARKS_END: usize = 10;

impl fmt::Display for Packed9x9 {
    /// Writes the grid in the same form as a [`Puzzle`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Puzzle::from(*self).fmt(f)
    }
}

impl fmt::Display for Puzzle {
    /// Writes the line from which this puzzle is read, or with `{:#}` the grid as a drawing.
    ///
    /// Cells are digits, `.` for any digit, `e` and `o` for even and odd digits, and equal letters for equal cells. A
    /// 9x9 with other candidates is a line of pencilmarks. Other grids have such candidates in braces, which no
    /// reader accepts. Rules follow the line after a tab.
    ///
    /// ```
    /// use quadrille::{FromText, Puzzle};
    /// let puzzle = Puzzle::from_text("1....e2..3.....4")?;
    /// assert_eq!(puzzle.to_string(), "1....e2..3.....4");
    /// assert_eq!(format!("{puzzle:#}"), "1 . | . .\n. e | 2 .\n----+----\n. 3 | . .\n. . | . 4");
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = cells_of(self);
        let is_candidates = self.geometry().is_9x9() && self.is_plain();
        if f.alternate() || !is_candidates || cells.iter().all(|cell| cell.len() == 1) {
            write_cells(self.geometry(), &cells, f)?;
            return match self.rules() {
                Some(rules) if !f.alternate() => write!(f, "\t{}", rules.text()),
                _ => Ok(()),
            };
        }
        for set in self.candidates() {
            for (digit, character) in ('1'..='9').enumerate() {
                f.write_char(if set.contains(digit) { character } else { '.' })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Grid {
    /// Writes the digits on one line, or as a drawing for `{:#}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.geometry().side();
        let cells: Vec<String> = self.digits().iter().map(|&digit| digit_text(digit.into(), side)).collect();
        write_cells(self.geometry(), &cells, f)
    }
}

impl fmt::Display for CoverProblem {
    /// Writes the problem in Knuth's format. Reading this text gives the problem again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        write_dlx(self, &mut text).map_err(|_| fmt::Error)?;
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// Returns true if some digits of a grid with this side length need more than one character.
fn is_wide(side: usize) -> bool {
    Symbols::for_side(side).alphabet == Alphabet::Integers
}

fn digit_text(digit: usize, side: usize) -> String {
    let mut text = Vec::new();
    Symbols::for_side(side).write(&[digit as u8], &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns the text of each cell of a puzzle.
fn cells_of(puzzle: &Puzzle) -> Vec<String> {
    let side = puzzle.geometry().side();
    let mut letters = vec![String::new(); puzzle.geometry().cells()];
    for Constraint::SameDigit { letter, cells } in puzzle.constraints() {
        cells.iter().for_each(|&cell| letters[usize::from(cell)].push(*letter));
    }
    let has_marks = side < MARKS_END;
    // Candidates that the rules exclude directly need not be written, because the rules already say so.
    let mut all = vec![DigitSet::all(side); letters.len()];
    for &(cell, mask) in puzzle.rules().map_or(&[][..], |rules| rules.masks()) {
        all[usize::from(cell)] = DigitSet(mask);
    }
    let cell = |((&set, letter), all): ((&DigitSet, String), DigitSet)| match set.single() {
        Some(digit) if letter.is_empty() => digit_text(digit, side),
        _ if set == all && letter.is_empty() => if is_wide(side) { "0" } else { "." }.into(),
        _ if set == all && has_marks && letter.len() == 1 => letter,
        _ if set == DigitSet::even(side) && has_marks && letter.is_empty() => "e".into(),
        _ if set == DigitSet::odd(side) && has_marks && letter.is_empty() => "o".into(),
        _ => {
            let digits: Vec<String> = set.iter().map(|digit| digit_text(digit, side)).collect();
            format!("{{{letter}{}}}", digits.join(if is_wide(side) { "," } else { "" }))
        }
    };
    puzzle.candidates().iter().zip(letters).zip(all).map(cell).collect()
}

/// Writes the texts of all cells, on one line or as a drawing.
fn write_cells(geometry: &Geometry, cells: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let side = geometry.side();
    if !f.alternate() {
        return f.write_str(&cells.join(if is_wide(side) { " " } else { "" }));
    }
    let width = cells.iter().map(String::len).max().unwrap_or(1);
    // There is a blank before and after each bar, and between two cells.
    let bar = vec!["-".repeat((width + 1) * geometry.box_columns()); geometry.box_rows()].join("+-");
    for (row, cells) in cells.chunks(side).enumerate() {
        match row {
            0 => {}
            _ if geometry.has_boxes() && row % geometry.box_rows() == 0 => {
                write!(f, "\n{}\n", &bar[..bar.len() - 1])?
            }
            _ => f.write_char('\n')?,
        }
        for (column, cell) in cells.iter().enumerate() {
            match column {
                0 => {}
                _ if column % geometry.box_columns() == 0 => f.write_str(" | ")?,
                _ => f.write_char(' ')?,
            }
            write!(f, "{cell:>width$}")?;
        }
    }
    Ok(())
}
