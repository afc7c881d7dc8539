//! The fields that `--fields` can choose: one table.

use crate::input::{Format, Span};
use crate::model::{Answer, Counter, ProblemRef, Status};

use super::Row;
use super::value::Value;

/// A column that can be shown of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// Number of the record over the whole run, from 1.
    Index,
    /// Line of its first byte in its source, from 1.
    Line,
    /// Offset of its first byte in its decompressed source, from 0.
    Byte,
    /// The source's name.
    Source,
    /// The text that followed the puzzle.
    Id,
    /// The puzzle as it stands in the input; none for exact cover problems, whose records are whole files.
    Puzzle,
    /// The verdict.
    Status,
    /// The reason for the verdict.
    Reason,
    /// The reason why the search ended.
    EndedBy,
    /// The solution.
    Solution,
    /// Number of the solution among the record's, from 1.
    SolutionIndex,
    /// The exact number of solutions.
    Count,
    /// A number of solutions that there are at least, where the exact one is not known.
    AtLeast,
    /// The value of the best solution.
    Score,
    /// A value that no solution can beat.
    Bound,
    /// Cells with one candidate only.
    Clues,
    /// Decisions that were not forced.
    Guesses,
    /// Search-tree nodes.
    Nodes,
    /// Items covered.
    Covers,
    /// Links changed.
    Updates,
    /// Wall time of the search in microseconds.
    TimeUs,
    /// The engine.
    Engine,
}

/// A field's entry in the table.
struct Info {
    field: Field,
    name: &'static str,
    about: &'static str,
    value: for<'a> fn(&Row<'a>) -> Value<'a>,
}

/// The entry of the counter of this number.
const fn counter<const NUMBER: usize>(field: Field) -> Info {
    let (name, about) = Counter::ALL[NUMBER].words();
    Info { field, name, about, value: work::<NUMBER> }
}

fn work<'a, const NUMBER: usize>(row: &Row<'a>) -> Value<'a> {
    let counters = row.answer.and_then(|answer| answer.counters);
    Value::or_missing(counters.and_then(|counters| counters.get(Counter::ALL[NUMBER])), Value::Number)
}

/// All fields, in the order of the enum.
static FIELDS: [Info; 22] = [
    Info {
        field: Field::Index,
        name: "index",
        about: "number of the record, from 1",
        value: |row| Value::Number(row.index),
    },
    Info {
        field: Field::Line,
        name: "line",
        about: "line it begins in, from 1",
        value: |row| Value::Number(row.record.line),
    },
    Info {
        field: Field::Byte,
        name: "byte",
        about: "offset of its first byte, decompressed",
        value: |row| Value::Number(row.record.byte),
    },
    Info {
        field: Field::Source,
        name: "source",
        about: "name of the file, - for standard input",
        value: |row| Value::Bytes(row.source.as_bytes()),
    },
    Info {
        field: Field::Id,
        name: "id",
        about: "what followed the puzzle, or the column id",
        value: |row| text(row, row.record.id),
    },
    Info {
        field: Field::Puzzle,
        name: "puzzle",
        about: "the puzzle as it stands in the input",
        value: |row| match row.layout.format {
            Format::Dlx | Format::Sets | Format::Matrix => Value::Missing,
            _ => text(row, row.record.puzzle),
        },
    },
    Info {
        field: Field::Status,
        name: "status",
        about: "solved, unique, multiple, none, counted, ...",
        value: |row| Value::or_missing(row.answer, |answer| Value::Word(answer.status.word())),
    },
    Info {
        field: Field::Reason,
        name: "reason",
        about: "why, in words",
        value: |row| Value::or_missing(row.answer.and_then(|answer| answer.reason.as_deref()), Value::Reason),
    },
    Info {
        field: Field::EndedBy,
        name: "ended_by",
        about: "complete, limit, nodes, time, deadline, memory, cancel",
        value: |row| Value::or_missing(row.answer, ended_by),
    },
    Info {
        field: Field::Solution,
        name: "solution",
        about: "in the input's symbols",
        value: |row| Value::solution(row),
    },
    Info {
        field: Field::SolutionIndex,
        name: "solution_index",
        about: "number of the solution of its record, from 1",
        value: |row| Value::or_missing(row.solution_index, Value::Number),
    },
    Info {
        field: Field::Count,
        name: "count",
        about: "number of solutions, where exact",
        value: |row| Value::or_missing(row.answer.and_then(Answer::exact_count), Value::Count),
    },
    Info {
        field: Field::AtLeast,
        name: "at_least",
        about: "number of solutions found, where there may be more",
        value: |row| Value::or_missing(row.answer.and_then(Answer::count_at_least), Value::Count),
    },
    Info {
        field: Field::Score,
        name: "score",
        about: "value of the best solution, or of this one of several",
        value: |row| Value::score(row),
    },
    Info {
        field: Field::Bound,
        name: "bound",
        about: "no solution is better than this",
        value: |row| {
            Value::or_missing(row.answer.and_then(|answer| answer.best), |best| Value::Signed(best.bound))
        },
    },
    Info {
        field: Field::Clues,
        name: "clues",
        about: "cells with one candidate only",
        value: |row| match row.problem {
            Some(problem @ (ProblemRef::Packed(_) | ProblemRef::Puzzle(_))) => {
                Value::Number(problem.clues().into())
            }
            _ => Value::Missing,
        },
    },
    counter::<{ Counter::Guesses as usize }>(Field::Guesses),
    counter::<{ Counter::Nodes as usize }>(Field::Nodes),
    counter::<{ Counter::Covers as usize }>(Field::Covers),
    counter::<{ Counter::Updates as usize }>(Field::Updates),
    Info {
        field: Field::TimeUs,
        name: "time_us",
        about: "time of the search in microseconds (--timings)",
        value: |row| Value::or_missing(row.time_ns, |nanoseconds| Value::Number(nanoseconds / 1000)),
    },
    Info {
        field: Field::Engine,
        name: "engine",
        about: "the engine that answered",
        value: |row| Value::or_missing(Some(row.engine).filter(|engine| !engine.is_empty()), Value::Word),
    },
];

impl Field {
    /// All of them, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Field> {
        FIELDS.iter().map(|info| info.field)
    }

    fn info(self) -> &'static Info {
        &FIELDS[self as usize]
    }

    /// Its name on the command line, in csv headers and as JSON key.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// A description in a few words.
    pub fn about(self) -> &'static str {
        self.info().about
    }

    /// Its value in a row.
    #[inline]
    pub(super) fn value<'a>(self, row: &Row<'a>) -> Value<'a> {
        (self.info().value)(row)
    }
}

/// Bytes of the record; missing where empty.
fn text<'a>(row: &Row<'a>, span: Span) -> Value<'a> {
    if span.is_empty() { Value::Missing } else { Value::Bytes(span.of(row.bytes)) }
}

/// The word for what ended the search; missing where none was tried.
fn ended_by(answer: &Answer) -> Value<'static> {
    match answer.status {
        Status::Invalid | Status::Unsupported | Status::Internal => Value::Missing,
        _ => Value::Word(answer.ended_by.word()),
    }
}
