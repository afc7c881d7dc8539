//! Writes answers in the formats that online judges of programming contests expect.
//!
//! These are POJ 2676 (grids), UVA 1461 (counts) and Luogu P1074 (a score or -1).

use quadrille_model::{Alphabet, Solution, Symbols};

use super::grid::draw;
use super::verb::{ContestAnswer, write_line};
use super::{Formatter, Row, Verb};

/// The contest format.
pub(super) struct Contest(pub(super) Verb);

impl Formatter for Contest {
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        match (self.0.row().contest, row.answer) {
            (ContestAnswer::Solution, _) => return draw(row, symbols(row), out),
            (ContestAnswer::Value(write), Some(answer)) => write(answer, out),
            (ContestAnswer::Line, Some(_)) => write_line(self.0, row, true, out),
            (_, None) => {}
        }
        if out.len() > start {
            out.push(b'\n');
        }
    }
}

/// Returns the symbols in which a solution is written.
///
/// These are usually the symbols of the record. But if the record uses integers and the grid is at most 9x9,
/// the solution has single digits without blanks between them.
fn symbols(row: &Row<'_>) -> Symbols {
    match row.solution {
        Some(Solution::Digits(digits)) if row.record.symbols.alphabet == Alphabet::Integers => {
            let side = digits.len().isqrt();
            if side <= 9 { Symbols::DEFAULT } else { row.record.symbols }
        }
        _ => row.record.symbols,
    }
}
