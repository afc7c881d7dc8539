//! Contains the table of commands, and writes the lines of their answers.

use super::field::FieldScope;
use super::value::Value;
use super::{Field, PlainOutput, Row, Verb};
use quadrille_model::{Answer, Count, Status};

/// Function that writes an answer, without the line end.
///
/// The [`Value`] is the solution. It is missing if the solution is drawn as a grid or not shown.
type WriteAnswer = fn(&Row<'_>, &Answer, Value<'_>, &mut Vec<u8>);

/// The row of a verb.
pub(super) struct VerbRow {
    /// Columns that rows have by default between the columns for the status and the reason.
    pub(super) columns: &'static [Field],
    /// Parts of the command's results that fields may show, in addition to the record and its answer.
    parts: &'static [FieldScope],
    /// Only value in most rows of the text format, or `None` if rows show more.
    pub(super) plain: Option<PlainOutput>,
    /// Function that writes an answer as a line of the text format.
    line: WriteAnswer,
    /// The answer in contests.
    pub(super) contest: ContestAnswer,
    /// True if rows show solutions. If there are several solutions, each gets its own row.
    pub(super) shows_solutions: bool,
    /// True if the formats for grids and contests support the command.
    pub(super) is_drawn: bool,
}

/// How an answer is written in the contest format.
#[derive(Clone, Copy)]
pub(super) enum ContestAnswer {
    /// The solution as a grid.
    Solution,
    /// A value, or nothing.
    Value(fn(&Answer, &mut Vec<u8>)),
    /// The answer is written as a line of the text format.
    Line,
}

impl Verb {
    pub(super) fn row(self) -> &'static VerbRow {
        match self {
            Verb::Solve => &SOLVE,
            Verb::Count => &COUNT,
            Verb::Best => &BEST,
            Verb::Check => &CHECK,
            Verb::Canon => &CANON,
            Verb::Keep => &KEEP,
            Verb::Convert(_) => &CONVERT,
            Verb::Rate { by_steps: true } => &RATE_BY_STEPS,
            Verb::Rate { by_steps: false } => &RATE,
        }
    }
}

/// Properties of a command that only returns a verdict.
const VERDICT: VerbRow = VerbRow {
    columns: &[],
    parts: &[FieldScope::Solution],
    plain: None,
    line: |_, answer, _, out| write_verdict(answer, Value::Missing, out),
    contest: ContestAnswer::Line,
    shows_solutions: false,
    is_drawn: false,
};

static SOLVE: VerbRow = VerbRow {
    columns: &[Field::Solution],
    parts: &[
        FieldScope::Solution,
        FieldScope::SeveralSolutions,
        FieldScope::Rating,
        FieldScope::Steps,
        FieldScope::Possible,
    ],
    plain: Some(PlainOutput::Solution),
    line: write_solution,
    contest: ContestAnswer::Solution,
    shows_solutions: true,
    is_drawn: true,
};

static COUNT: VerbRow = VerbRow {
    columns: &[Field::Count, Field::MinCount],
    parts: &[FieldScope::Possible],
    plain: Some(PlainOutput::Count),
    line: |_, answer, _, out| write_count(answer, out),
    contest: ContestAnswer::Value(|answer, out| {
        if let Some(count) = answer.exact_count() {
            Value::Count(count).write(out);
        }
    }),
    is_drawn: true,
    ..VERDICT
};

static BEST: VerbRow = VerbRow {
    columns: &[Field::Score, Field::Bound, Field::Solution],
    parts: &[FieldScope::Solution, FieldScope::SeveralSolutions, FieldScope::Best],
    line: write_best,
    contest: ContestAnswer::Value(|answer, out| match (answer.status, answer.best) {
        (Status::Optimal, Some(best)) => Value::Signed(best.score).write(out),
        (Status::None, _) => Value::Signed(-1).write(out),
        _ => {}
    }),
    shows_solutions: true,
    is_drawn: true,
    ..VERDICT
};

static CHECK: VerbRow = VerbRow {
    parts: &[FieldScope::Solution, FieldScope::Rating, FieldScope::Steps, FieldScope::Needs],
    plain: Some(PlainOutput::Status),
    is_drawn: true,
    ..VERDICT
};

static CANON: VerbRow = VerbRow {
    columns: &[
        Field::Canon,
        Field::SolutionAutomorphisms,
        Field::Automorphisms,
        Field::Band,
        Field::Transform,
    ],
    parts: &[FieldScope::Solution, FieldScope::Image, FieldScope::Transform],
    line: |row, answer, _, out| match row.image() {
        Some(_) => Value::image(row).write(out),
        None => write_verdict(answer, Value::Missing, out),
    },
    ..VERDICT
};

static KEEP: VerbRow = VERDICT;

static CONVERT: VerbRow =
    VerbRow { parts: &[FieldScope::Solution, FieldScope::Transform, FieldScope::Copy], ..VERDICT };

const RATED: VerbRow = VerbRow {
    parts: &[
        FieldScope::Solution,
        FieldScope::Image,
        FieldScope::Transform,
        FieldScope::Rating,
        FieldScope::Steps,
        FieldScope::Mean,
    ],
    plain: Some(PlainOutput::Rating),
    line: |row, answer, _, out| match row.rated() {
        Some(_) => Value::rating(row).write(out),
        None => write_verdict(answer, Value::Missing, out),
    },
    ..VERDICT
};

static RATE_BY_STEPS: VerbRow =
    VerbRow { columns: &[Field::Er, Field::Ep, Field::Ed, Field::Technique, Field::Scale], ..RATED };

static RATE: VerbRow = VerbRow { columns: &[Field::Rating, Field::RatingError, Field::Scale], ..RATED };

impl Field {
    /// Returns true if rows of the command `verb` can have a value in this field.
    pub fn is_of(self, verb: Verb) -> bool {
        self.scope() == FieldScope::Record || verb.row().parts.contains(&self.scope())
    }
}

/// Returns the part of an answer that is enough to write rows with these fields.
///
/// Returns `None` if a field needs anything other than this part.
pub(super) fn row_output<'f>(verb: Verb, fields: impl IntoIterator<Item = &'f Field>) -> Option<PlainOutput> {
    // These fields need more than one part of the answer. Rules and clues need the grid, and the path and the
    // order need the stored steps.
    let is_of_record =
        |field: &Field| matches!(field, Field::Rules | Field::Clues | Field::Path | Field::Order);
    let is_shown = |field: &Field, shown| match field.scope() {
        FieldScope::Record | FieldScope::Solution => true,
        FieldScope::Rating | FieldScope::Steps => shown == PlainOutput::Rating,
        _ => false,
    };
    let shown = verb.row().plain?;
    fields.into_iter().all(|field| !is_of_record(field) && is_shown(field, shown)).then_some(shown)
}

/// Writes the line of a row, without the line end.
///
/// The solution is left out if `with_solution` is false, because it is then drawn as a grid.
pub(super) fn write_line(verb: Verb, row: &Row<'_>, with_solution: bool, out: &mut Vec<u8>) {
    let solution = if with_solution { Value::solution(row) } else { Value::Missing };
    match row.answer {
        Some(answer) => (verb.row().line)(row, answer, solution, out),
        None => {
            if row.score.is_some() {
                Value::score(row).write(out);
                out.push(b'\t');
            }
            solution.write_in_line(out);
        }
    }
}

/// Returns true if the row of `solve` consists of the solution only.
#[inline]
pub(super) fn is_plain(row: &Row<'_>, answer: &Answer) -> bool {
    row.solution.is_some()
        && match answer.status {
            Status::Unique => true,
            Status::Solved => !answer.ended_by.is_early(),
            _ => false,
        }
}

/// Appends a tab and a value.
pub(super) fn column(value: Value<'_>, out: &mut Vec<u8>) {
    out.push(b'\t');
    value.write_in_line(out);
}

fn write_solution(row: &Row<'_>, answer: &Answer, solution: Value<'_>, out: &mut Vec<u8>) {
    if is_plain(row, answer) {
        solution.write_in_line(out);
    } else if row.solution.is_none() && row.solution_index.is_some() {
        // This row ends a list of solutions, and contains their number.
        Value::Word(answer.status.word()).write(out);
        column(Value::or_missing(row.solution_index, Value::Number), out);
    } else {
        write_verdict(answer, solution, out);
    }
}

fn write_best(row: &Row<'_>, answer: &Answer, solution: Value<'_>, out: &mut Vec<u8>) {
    match answer.best {
        Some(best) if row.solution.is_none() => {
            // The solutions have their own rows. This row tells the user that there may be better solutions.
            write_verdict(answer, Value::Missing, out);
            column(Value::Signed(best.bound), out);
        }
        Some(best) => {
            Value::Signed(best.score).write(out);
            if !matches!(solution, Value::Missing) {
                column(solution, out);
            }
            if answer.status != Status::Optimal {
                column(Value::Word(answer.status.word()), out);
                column(Value::Signed(best.bound), out);
            }
        }
        None => write_verdict(answer, Value::Missing, out),
    }
}

/// Writes the status word, the solution, and the reason or the limit that ended the search early.
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

/// Writes the number of solutions. If it is not exact, `>=` comes first.
pub fn write_found(count: &Count, is_exact: bool, out: &mut Vec<u8>) {
    if !is_exact {
        out.extend_from_slice(b">=");
    }
    Value::Count(count).write(out);
}
