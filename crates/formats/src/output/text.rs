//! One line per row.

use crate::input::{Body, Layout};
use quadrille_model::{Answer, Count, Solution, Status};

use super::value::Value;
use super::{Field, Formatter, Notation, OutputOptions, PlainOutput, Row, Verb};

/// The text format.
pub(super) struct Text {
    verb: Verb,
    /// Fields before the answer, each followed by a tab.
    leading: Vec<Field>,
    /// Fields in place of the answer, if the user chose some.
    chosen: Vec<Field>,
    /// The only value of every row, if there is only one.
    plain_output: Option<PlainOutput>,
    /// True if each rating is followed by its steps.
    explain: bool,
    /// True if all columns are appended to the row later.
    is_empty: bool,
}

impl Text {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let (mut leading, mut chosen) = (options.leading(), options.fields.clone());
        if options.only_extra_columns {
            // There must be no tab between these fields and the columns appended later.
            chosen = std::mem::take(&mut leading);
        }
        let plain_output = match options.verb {
            _ if !leading.is_empty() || !chosen.is_empty() || options.explain => None,
            Verb::Solve => Some(PlainOutput::Solution),
            Verb::Count => Some(PlainOutput::Count),
            Verb::Check => Some(PlainOutput::Status),
            Verb::Rate { .. } => Some(PlainOutput::Rating),
            _ => None,
        };
        let is_empty = options.only_extra_columns && chosen.is_empty();
        Text { verb: options.verb, leading, chosen, plain_output, explain: options.explain, is_empty }
    }
}

impl Formatter for Text {
    fn plain_output(&self) -> Option<PlainOutput> {
        self.plain_output
    }

    fn notation(&self, _: &Layout, _: &[u8]) -> Notation {
        if self.is_empty { Notation::First(b'\t') } else { Notation::Tab }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        // The most frequent row by far, written in one piece.
        if self.plain_output == Some(PlainOutput::Solution)
            && row.answer.is_none_or(|answer| is_plain(row, answer))
            && let Some(Solution::Digits(digits)) = row.solution
            && let Some(line) = row.record.symbols.plain_line(digits)
        {
            return out.extend_from_slice(&line);
        }
        if !matches!(row.record.body, Body::Skipped) {
            for field in &self.leading {
                field.value(row).write_in_line(out);
                out.push(b'\t');
            }
            match self.chosen.split_first() {
                None if self.is_empty => {}
                None => write_line(self.verb, row, true, out),
                Some((first, rest)) => {
                    first.value(row).write_in_line(out);
                    for field in rest {
                        column(field.value(row), out);
                    }
                }
            }
        }
        out.push(b'\n');
        if self.explain && !matches!(row.record.body, Body::Skipped) {
            out.extend_from_slice(row.path.unwrap_or_default());
            out.push(b'\n');
        }
    }
}

/// Returns true if `solve` shows only the solution.
#[inline]
fn is_plain(row: &Row<'_>, answer: &Answer) -> bool {
    row.solution.is_some()
        && match answer.status {
            Status::Unique => true,
            Status::Solved => !answer.ended_by.is_early(),
            _ => false,
        }
}

/// Appends a tab and a value.
fn column(value: Value<'_>, out: &mut Vec<u8>) {
    out.push(b'\t');
    value.write_in_line(out);
}

/// Writes the line of a row without its end. The solution is left out unless `with_solution`, since a grid draws it.
pub(super) fn write_line(verb: Verb, row: &Row<'_>, with_solution: bool, out: &mut Vec<u8>) {
    let solution = if with_solution { Value::solution(row) } else { Value::Missing };
    let Some(answer) = row.answer else {
        if row.score.is_some() {
            Value::score(row).write(out);
            out.push(b'\t');
        }
        return solution.write_in_line(out);
    };
    match verb {
        Verb::Solve if is_plain(row, answer) => solution.write_in_line(out),
        Verb::Solve if row.solution.is_none() && row.solution_index.is_some() => {
            // This row ends a listing, with its number of solutions.
            Value::Word(answer.status.word()).write(out);
            column(Value::or_missing(row.solution_index, Value::Number), out);
        }
        Verb::Solve => write_verdict(answer, solution, out),
        Verb::Count => write_count(answer, out),
        Verb::Best => match answer.best {
            Some(_) if row.solution.is_none() => {
                // The solutions have rows of their own; this row says that there may be better solutions.
                write_verdict(answer, Value::Missing, out);
                column(Value::or_missing(answer.best, |best| Value::Signed(best.bound)), out);
            }
            Some(best) => {
                Value::Signed(best.score).write(out);
                if with_solution {
                    column(solution, out);
                }
                if answer.status != Status::Optimal {
                    column(Value::Word(answer.status.word()), out);
                    column(Value::Signed(best.bound), out);
                }
            }
            None => write_verdict(answer, Value::Missing, out),
        },
        Verb::Canon if row.image.is_some() => Value::image(row).write(out),
        Verb::Rate { .. } if row.rated.is_some() => Value::rating(row).write(out),
        _ => write_verdict(answer, Value::Missing, out),
    }
}

/// Writes the status word, the solution, and the reason or what ended the search early.
///
/// Missing parts are left out.
fn write_verdict(answer: &Answer, solution: Value<'_>, out: &mut Vec<u8>) {
    Value::Word(answer.status.word()).write(out);
    if !matches!(solution, Value::Missing) {
        column(solution, out);
    }
    if let Some(reason) = &answer.reason {
        column(Value::Reason(reason), out);
    } else if answer.ended_by.is_early() {
        column(Value::Word(answer.ended_by.word()), out);
    }
}

/// Writes the status word and the reason of a record without a solution.
pub fn write_refutation(answer: &Answer, out: &mut Vec<u8>) {
    write_verdict(answer, Value::Missing, out);
}

fn write_count(answer: &Answer, out: &mut Vec<u8>) {
    if let Some(count) = answer.exact_count() {
        write_found(count, true, out);
    } else if let Some(count) = answer.count_at_least() {
        write_found(count, false, out);
        if answer.ended_by.is_early() {
            column(Value::Word(answer.ended_by.word()), out);
        }
    } else {
        write_verdict(answer, Value::Missing, out);
    }
}

/// Writes the number of solutions, with `>=` before it unless it is exact.
pub fn write_found(count: &Count, is_exact: bool, out: &mut Vec<u8>) {
    if !is_exact {
        out.extend_from_slice(b">=");
    }
    Value::Count(count).write(out);
}
