//! Drawings of the hardest records, which are kept in the statistics.

use crate::stats::Drawing;
use quadrille_formats::output::board_of;
use quadrille_model::{CoverProblem, ProblemRef, Solution, geometry_9x9};

/// Maximum size of a board in the statistics, in bytes.
const BOARD_BYTES: usize = 4096;
/// Maximum number of items for which the board of a problem is drawn.
const BOARD_ITEMS: usize = 4096;

impl Drawing {
    /// Returns a drawing of a problem, and of its solution if one is given.
    pub fn of_problem(problem: ProblemRef<'_>, solution: Option<Solution<'_>>) -> Option<Drawing> {
        let geometry = match problem {
            ProblemRef::Packed(_) => geometry_9x9(),
            ProblemRef::Puzzle(puzzle) => puzzle.geometry(),
            ProblemRef::Cover(cover) => return Some(of_cover(cover, solution)),
        };
        let side = geometry.side();
        let clues = written(side, (0..side * side).map(|cell| problem.candidates(cell).single()));
        let solution = match solution {
            Some(Solution::Digits(digits)) => {
                Some(written(side, digits.iter().map(|&digit| Some(usize::from(digit)))))
            }
            _ => None,
        };
        let (box_rows, box_columns) = (geometry.box_rows() as u64, geometry.box_columns() as u64);
        Some(Drawing::Grid { box_rows, box_columns, clues, solution })
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
    let mut text = String::with_capacity(side * side);
    let mut number_text = itoa::Buffer::new();
    for (number, digit) in digits.enumerate() {
        if side > 9 && number > 0 {
            text.push(' ');
        }
        text.push_str(match digit {
            Some(digit) => number_text.format(digit + 1),
            None => ".",
        });
    }
    text
}
