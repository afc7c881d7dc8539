//! Writes solutions as grids, including those of the contest format.

use crate::input::Body;
use quadrille_model::rules::Drawing;
use quadrille_model::{ProblemRef, Solution, Symbols};

use super::convert::write_framed;
use super::value::Value;
use super::verb::write_line;
use super::{Formatter, Row, Verb, board, variant};

/// The formats grid and framed.
pub(super) struct Grid {
    pub(super) verb: Verb,
    /// True if boxes have frames.
    pub(super) is_framed: bool,
}

impl Formatter for Grid {
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        if matches!(row.record.body, Body::Skipped) {
            out.push(b'\n');
            return;
        }
        let start = out.len();
        write_line(self.verb, row, false, out);
        if out.len() > start {
            out.push(b'\n');
        }
        if self.verb.row().shows_solutions {
            match (row.solution, drawing(row)) {
                (Some(Solution::Digits(digits)), Some(drawing)) => {
                    variant::draw(digits, &drawing, row.record.symbols, out);
                }
                (Some(Solution::Digits(digits)), None) if self.is_framed => {
                    write_framed(digits, boxes_of(row.problem), row.record.symbols, out);
                }
                _ => draw(row, row.record.symbols, out),
            }
            out.push(b'\n');
        }
    }
}

/// Returns the numbers of rows and columns in a box.
fn boxes_of(problem: Option<ProblemRef<'_>>) -> (usize, usize) {
    match problem {
        Some(ProblemRef::Puzzle(puzzle)) => (puzzle.geometry().box_rows(), puzzle.geometry().box_columns()),
        _ => (3, 3),
    }
}

/// Returns a drawing of the rules of a row's puzzle, or `None` if no rules would be visible.
fn drawing(row: &Row<'_>) -> Option<Drawing> {
    let ProblemRef::Puzzle(puzzle) = row.problem? else { return None };
    puzzle.rules().map(|rules| rules.drawing()).filter(Drawing::shows_rules)
}

/// Draws the solution of a row if there is one.
///
/// A grid is drawn row by row, and a packing as a board. Any other exact cover is written with one option per
/// line.
pub(super) fn draw(row: &Row<'_>, symbols: Symbols, out: &mut Vec<u8>) {
    if let Some(solution) = row.solution {
        draw_solution(row.problem, solution, symbols, out);
    }
}

fn draw_solution(
    problem: Option<ProblemRef<'_>>,
    solution: Solution<'_>,
    symbols: Symbols,
    out: &mut Vec<u8>,
) {
    match (solution, problem) {
        (Solution::Digits(digits), _) => {
            let side = digits.len().isqrt().max(1);
            for line in digits.chunks(side) {
                symbols.write_row(line, side, out);
                out.push(b'\n');
            }
        }
        (Solution::Options(options), Some(ProblemRef::Cover(cover))) => {
            if board::draw(cover, options, out) {
                return;
            }
            for &option in options {
                cover.write_option(option as usize, out);
                out.push(b'\n');
            }
        }
        _ => {}
    }
}

/// Writes a solution as a row of [`OutputFormat::Text`](super::OutputFormat::Text), or of
/// [`OutputFormat::Grid`](super::OutputFormat::Grid) if `is_drawn` is true.
pub fn write_solution(
    problem: ProblemRef<'_>,
    solution: Solution<'_>,
    symbols: Symbols,
    is_drawn: bool,
    out: &mut Vec<u8>,
) {
    match (solution, problem) {
        _ if is_drawn => draw_solution(Some(problem), solution, symbols, out),
        (Solution::Options(options), ProblemRef::Cover(cover)) => {
            Value::Options(options, cover).write_in_line(out);
        }
        (Solution::Digits(digits), _) => symbols.write(digits, out),
        _ => {}
    }
    out.push(b'\n');
}
