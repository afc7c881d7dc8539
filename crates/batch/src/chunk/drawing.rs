//! Drawings of the hardest records, which are kept in the statistics.

use std::fmt::Write;

use crate::stats::Drawing;
use quadrille_formats::output::board_of;
use quadrille_model::{CoverProblem, ProblemRef, Solution};

/// Maximum size of a board in the statistics, in bytes.
const BOARD_BYTES: usize = 4096;
/// Maximum number of items for which the board of a problem is drawn.
const BOARD_ITEMS: usize = 4096;

/// Returns a drawing of a plain line (a 9x9 puzzle), and of its solution if that is known.
pub(super) fn of_line(puzzle: &[u8; 81], solution: Option<&[u8; 81]>) -> Option<Drawing> {
    // Some lines of every column chunk are drawn. So this copies whole arrays of bytes, which is fast.
    let written = |line: &[u8; 81]| {
        let plain = line.map(|byte| if byte.is_ascii_digit() && byte != b'0' { byte } else { b'.' });
        String::from_utf8_lossy(&plain).into_owned()
    };
    let solution = solution.filter(|row| row[0] != b'\n').map(written);
    Some(Drawing::Grid { box_rows: 3, box_columns: 3, clues: written(puzzle), solution })
}

impl Drawing {
    /// Returns a drawing of a problem, and of its solution if one is given.
    pub fn of_problem(problem: ProblemRef<'_>, solution: Option<Solution<'_>>) -> Option<Drawing> {
        let digits = match solution {
            Some(Solution::Digits(digits)) => Some(digits),
            _ => None,
        };
        let of_grid = |side: usize,
                       box_rows: usize,
                       box_columns: usize,
                       clues: &mut dyn Iterator<Item = Option<usize>>| {
            let solution =
                digits.map(|digits| written(side, digits.iter().map(|&digit| Some(usize::from(digit)))));
            let (box_rows, box_columns) = (box_rows as u64, box_columns as u64);
            Some(Drawing::Grid { box_rows, box_columns, clues: written(side, clues), solution })
        };
        match problem {
            ProblemRef::Packed(packed) => {
                let cells = packed.to_cells();
                let single = |&set: &u16| set.is_power_of_two().then(|| set.ilog2() as usize);
                of_grid(9, 3, 3, &mut cells.iter().map(single))
            }
            ProblemRef::Puzzle(puzzle) => {
                let geometry = puzzle.geometry();
                let clues = puzzle.candidates().iter().map(|set| set.single());
                of_grid(geometry.side(), geometry.box_rows(), geometry.box_columns(), &mut { clues })
            }
            ProblemRef::Cover(cover) => Some(of_cover(cover, solution)),
        }
    }
}

fn of_cover(cover: &CoverProblem, solution: Option<Solution<'_>>) -> Drawing {
    let options = match solution {
        Some(Solution::Options(options)) if cover.items() <= BOARD_ITEMS => Some(options),
        _ => None,
    };
    let board =
        options.and_then(|options| board_of(cover, options)).filter(|board| board.len() <= BOARD_BYTES);
    Drawing::Cover { items: cover.items() as u64, options: cover.options() as u64, board }
}

/// Formats 0-based digits as numbers from 1, with a dot for `None`.
///
/// If `side` (the side length) exceeds 9, a blank separates the cells.
fn written(side: usize, digits: impl Iterator<Item = Option<usize>>) -> String {
    let mut text = String::new();
    for (number, digit) in digits.enumerate() {
        if side > 9 && number > 0 {
            text.push(' ');
        }
        match digit {
            Some(digit) => write!(text, "{}", digit + 1).expect("writing to memory does not fail"),
            None => text.push('.'),
        }
    }
    text
}
