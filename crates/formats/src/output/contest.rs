//! The format of online judges: POJ 2676 (grids), UVA 1461 (counts), Luogu P1074 (a score or -1).

use quadrille_model::{Alphabet, Solution, Status, Symbols};

use super::grid::draw;
use super::text::write_line;
use super::value::Value;
use super::{Formatter, Row, Verb};

/// The contest format.
pub(super) struct Contest(pub(super) Verb);

impl Formatter for Contest {
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        match (self.0, row.answer) {
            (Verb::Solve, _) => return draw(row, symbols(row), out),
            (_, None) => {}
            (Verb::Count, Some(answer)) => {
                if let Some(count) = answer.exact_count() {
                    Value::Count(count).write(out);
                }
            }
            (Verb::Best, Some(answer)) => match (answer.status, answer.best) {
                (Status::Optimal, Some(best)) => Value::Signed(best.score).write(out),
                (Status::None, _) => Value::Signed(-1).write(out),
                _ => {}
            },
            // Judges know no other questions.
            (_, Some(_)) => write_line(self.0, row, true, out),
        }
        if out.len() > start {
            out.push(b'\n');
        }
    }
}

/// Returns the record's symbols; up to side 9 without blanks between digits.
fn symbols(row: &Row<'_>) -> Symbols {
    match row.solution {
        Some(Solution::Digits(digits)) if row.record.symbols.alphabet == Alphabet::Integers => {
            let side = digits.len().isqrt();
            if side <= 9 { Symbols::DEFAULT } else { row.record.symbols }
        }
        _ => row.record.symbols,
    }
}
