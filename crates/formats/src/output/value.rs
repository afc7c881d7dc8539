//! Defines the values of fields, and how text and CSV write them.

use std::io::Write;

use quadrille_model::canonical::{Cells, Transform};
use quadrille_model::{Count, CoverProblem, DigitSet, ProblemRef, Reason, Solution, Symbols};
use quadrille_rating::{AnyRating, Rating, RatingBound, Tenths, Thousandths};

use super::Row;
use super::cell_sets::{self, CellNotation, write_list};

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// No value, because it is unknown, not measured, or has no meaning for this record. Never written as 0.
    Missing,
    /// One of this program's fixed words.
    Word(&'static str),
    /// A number.
    Number(u64),
    /// A number that may be negative.
    Signed(i64),
    /// A number of solutions.
    Count(&'a Count),
    /// Bytes of the input in an unknown encoding.
    Bytes(&'a [u8]),
    /// A JSON string as written in the input, with its quotes.
    JsonText(&'a [u8]),
    /// A sentence for the user.
    Reason(&'a Reason),
    /// A solution of a grid.
    Digits(&'a [u8], Symbols),
    /// A grid with empty cells.
    Cells(&'a Cells),
    /// The transform of one grid to another.
    Transform(&'a Transform),
    /// A rating: a number.
    Rated(&'a AnyRating),
    /// A rating by steps.
    Grade(RatingBound),
    /// The techniques of a solving path, with the number of steps per technique.
    Techniques(&'a Rating),
    /// JSON text.
    Json(&'a [u8]),
    /// The cells in which the steps of a solving path place digits, in order. The bytes are the path as JSON.
    Order(&'a [u8]),
    /// A number with a fraction.
    Thousandths(Thousandths),
    /// A set of digits for each cell.
    CellSets(&'a [DigitSet], Symbols, CellNotation),
    /// One character per flag: `1` if it is true, `0` if it is false.
    Flags(&'a [bool]),
    /// Numbers in order.
    Numbers(&'a [u64]),
    /// A solution of an exact cover problem.
    Options(&'a [u32], &'a CoverProblem),
}

impl<'a> Value<'a> {
    /// Returns the value that `make` creates from `value`, or a missing value for `None`.
    pub(super) fn or_missing<T>(value: Option<T>, make: impl FnOnce(T) -> Value<'a>) -> Self {
        value.map_or(Value::Missing, make)
    }

    #[inline]
    pub(super) fn solution(row: &Row<'a>) -> Self {
        match (row.solution, row.problem) {
            (Some(Solution::Digits(digits)), _) => Value::Digits(digits, row.record.symbols),
            (Some(Solution::Options(options)), Some(ProblemRef::Cover(cover))) => {
                Value::Options(options, cover)
            }
            _ => Value::Missing,
        }
    }

    pub(super) fn image(row: &Row<'a>) -> Self {
        Value::or_missing(row.image(), |image| Value::Cells(&image.cells))
    }

    pub(super) fn rating(row: &Row<'a>) -> Self {
        Value::or_missing(row.rated(), |(_, rated)| Value::Rated(rated))
    }

    /// Returns the score that a row shows.
    ///
    /// This is the score of the solution if the row shows one of several solutions, otherwise the best score
    /// of the record.
    pub(super) fn score(row: &Row<'a>) -> Self {
        let best = || row.answer?.best.map(|best| best.score);
        Value::or_missing(row.score.or_else(best), Value::Signed)
    }

    /// Returns the lower bound of a rating, or `None` if the exact rating is known or the value is not a
    /// rating.
    pub(super) fn at_least(self) -> Option<Tenths> {
        match self {
            Value::Grade(grade) => grade.at_least(),
            Value::Rated(rated) => rated.steps().and_then(|rating| rating.er.at_least()),
            _ => None,
        }
    }

    pub(super) fn is_missing(self) -> bool {
        matches!(self, Value::Missing)
    }

    /// Returns true if the text of the value never needs quotes or escapes.
    pub(super) fn is_tame(self) -> bool {
        // The text of a path's techniques contains semicolons, and a semicolon may be the delimiter of the
        // output.
        !matches!(
            self,
            Value::Bytes(_)
                | Value::JsonText(_)
                | Value::Reason(_)
                | Value::Options(..)
                | Value::Techniques(_)
                | Value::Json(_)
        )
    }

    /// Appends the value as text.
    #[inline]
    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self {
            Value::Missing => {}
            Value::Word(word) => out.extend_from_slice(word.as_bytes()),
            Value::Number(number) => write_number(number, out),
            Value::Signed(number) => write_number(number, out),
            Value::Count(count) => match count.to_u64() {
                Some(number) => write_number(number, out),
                None => write_display(count, out),
            },
            Value::Bytes(bytes) => out.extend_from_slice(bytes),
            Value::JsonText(text) => {
                let text: String = serde_json::from_slice(text).unwrap_or_default();
                out.extend_from_slice(text.as_bytes());
            }
            Value::Reason(reason) => write_display(reason, out),
            Value::Digits(digits, symbols) => symbols.write(digits, out),
            Value::Cells(cells) => {
                out.extend(
                    cells.as_slice().iter().map(|&digit| if digit == 0 { b'.' } else { b'0' + digit }),
                );
            }
            Value::Transform(map) => write_display(map, out),
            Value::Rated(rated) => rated.write(out),
            Value::Grade(grade) => write_display(&grade, out),
            Value::Techniques(rating) => {
                write_list(rating.techniques(), b"; ", out, |(technique, steps), out| {
                    out.extend_from_slice(technique.name().as_bytes());
                    out.push(b' ');
                    write_number(steps, out);
                });
            }
            Value::Json(text) => out.extend_from_slice(text),
            Value::Order(path) => {
                write_list(placed_cells(path), b" ", out, |cell, out| out.extend_from_slice(cell));
            }
            Value::Thousandths(number) => write_display(&number, out),
            Value::Flags(flags) => out.extend(flags.iter().map(|&flag| b'0' + u8::from(flag))),
            Value::CellSets(cells, symbols, notation) => cell_sets::write(cells, symbols, notation, out),
            Value::Numbers(numbers) => {
                write_list(numbers, b" ", out, |&number, out| write_number(number, out))
            }
            Value::Options(options, cover) => {
                let separator: &[u8] = if cover.is_numbered() { b" " } else { b" ; " };
                let write = |&option: &u32, out: &mut Vec<u8>| cover.write_option(option as usize, out);
                write_list(options, separator, out, write);
            }
        }
    }

    /// Appends the value as text. Blanks replace control characters, which could end the column or the line.
    #[inline]
    pub(super) fn write_in_line(self, out: &mut Vec<u8>) {
        let start = out.len();
        self.write(out);
        if !self.is_tame() {
            for byte in &mut out[start..] {
                if *byte < b' ' {
                    *byte = b' ';
                }
            }
        }
    }
}

/// Text that comes before the cell's name in the JSON of a step that places a digit.
const PLACED: &[u8] = b"\"placed\":{\"cell\":\"";

/// Returns the cells in which the steps of a path place digits, in order.
///
/// `path` is JSON. Cells have names such as `r1c2`.
pub(super) fn placed_cells(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memmem::find_iter(path, PLACED).filter_map(|at| path.get(at + PLACED.len()..)?.get(..4))
}

/// Appends a number in decimal.
#[inline]
pub(super) fn write_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn write_display(value: &dyn std::fmt::Display, out: &mut Vec<u8>) {
    write!(out, "{value}").expect("writing to memory does not fail");
}
