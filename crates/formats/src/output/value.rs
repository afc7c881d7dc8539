//! The values of fields, and their plain notation, which text and csv share.

use std::io::Write;

use quadrille_engine::scales::{Rated, Thousandths};
use quadrille_model::canonical::{Cells, Map};
use quadrille_model::{Count, Cover, ProblemRef, Reason, Solution, Symbols};
use quadrille_rating::{Grade, Rating, Tenths};

use super::Row;

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// None: not known, not measured, or without meaning for this record. Never written as 0.
    Missing,
    /// A word of ours.
    Word(&'static str),
    /// A number.
    Number(u64),
    /// A number that may be negative.
    Signed(i64),
    /// A number of solutions.
    Count(&'a Count),
    /// Bytes of the input, in no known encoding.
    Bytes(&'a [u8]),
    /// A string of JSON as it stands in the input.
    JsonText(&'a [u8]),
    /// A sentence for people.
    Reason(&'a Reason),
    /// A solution of a grid.
    Digits(&'a [u8], Symbols),
    /// A grid with empty cells.
    Cells(&'a Cells),
    /// A map of one grid to another.
    Map(&'a Map),
    /// A rating: a number.
    Rated(&'a Rated),
    /// A rating of steps.
    Grade(Grade),
    /// The techniques of a path, with their numbers of steps.
    Techniques(&'a Rating),
    /// A number with a fraction.
    Thousandths(Thousandths),
    /// A solution of an exact cover problem.
    Options(&'a [u32], &'a Cover),
}

impl<'a> Value<'a> {
    /// A value that may be missing.
    pub(super) fn or_missing<T>(value: Option<T>, make: impl FnOnce(T) -> Value<'a>) -> Self {
        value.map_or(Value::Missing, make)
    }

    /// The solution of a row.
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

    /// The image of a row.
    pub(super) fn image(row: &Row<'a>) -> Self {
        Value::or_missing(row.image, |image| Value::Cells(&image.cells))
    }

    /// The rating of a row.
    pub(super) fn rating(row: &Row<'a>) -> Self {
        Value::or_missing(row.rated, |(_, rated)| Value::Rated(rated))
    }

    /// The score of a row: the best known of its record, or that of its one solution out of several.
    pub(super) fn score(row: &Row<'a>) -> Self {
        let best = || row.answer?.best.map(|best| best.score);
        Value::or_missing(row.score.or_else(best), Value::Signed)
    }

    /// The least that a rating can be, if only that is known.
    pub(super) fn at_least(self) -> Option<Tenths> {
        match self {
            Value::Grade(grade) => grade.at_least(),
            Value::Rated(rated) => rated.steps().and_then(|rating| rating.er.at_least()),
            _ => None,
        }
    }

    /// True where there is none.
    pub(super) fn is_missing(self) -> bool {
        matches!(self, Value::Missing)
    }

    /// True if it consists of characters that need no care in any notation.
    pub(super) fn is_tame(self) -> bool {
        // The techniques of a path stand between semicolons, which can be a delimiter.
        !matches!(
            self,
            Value::Bytes(_)
                | Value::JsonText(_)
                | Value::Reason(_)
                | Value::Options(..)
                | Value::Techniques(_)
        )
    }

    /// Appends it as it is.
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
            Value::Map(map) => write_display(map, out),
            Value::Rated(rated) => rated.write(out),
            Value::Grade(grade) => write_display(&grade, out),
            Value::Techniques(rating) => {
                for (place, (technique, steps)) in rating.techniques().enumerate() {
                    if place > 0 {
                        out.extend_from_slice(b"; ");
                    }
                    out.extend_from_slice(technique.name().as_bytes());
                    out.push(b' ');
                    write_number(steps, out);
                }
            }
            Value::Thousandths(number) => write_display(&number, out),
            Value::Options(options, cover) => write_options(options, cover, out),
        }
    }

    /// Appends it without bytes that would end a column or a line: control characters become blanks.
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

/// Appends a number in decimal.
#[inline]
pub(super) fn write_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn write_display(value: &dyn std::fmt::Display, out: &mut Vec<u8>) {
    write!(out, "{value}").expect("writing to memory does not fail");
}

/// Options as written, separated by ` ; `; row numbers, separated by blanks.
fn write_options(options: &[u32], cover: &Cover, out: &mut Vec<u8>) {
    let separator: &[u8] = if cover.is_numbered() { b" " } else { b" ; " };
    for (place, &option) in options.iter().enumerate() {
        if place > 0 {
            out.extend_from_slice(separator);
        }
        cover.write_option(option as usize, out);
    }
}
