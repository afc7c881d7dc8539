//! The fields that `--fields` can choose: one table.

use crate::input::Span;
use quadrille_model::{Answer, Counter, ProblemRef, Status};
use quadrille_rating::Rating;

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
    /// The rules beyond rows, columns and boxes, as items; none for plain grids.
    Rules,
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
    /// The canonical form, or the grid under the map that was given.
    Canon,
    /// Arrangements that lead the solution to itself.
    GridAutomorphisms,
    /// Arrangements that lead the clues to themselves.
    Automorphisms,
    /// The class of the best band of the solution.
    Band,
    /// The map that leads to the canonical form.
    Map,
    /// The rating.
    Rating,
    /// The standard error of a rating that is a mean.
    RatingError,
    /// The scale of the rating, with its version.
    Scale,
    /// The largest rating of a step.
    Er,
    /// The largest rating of a step until the first digit was placed.
    Ep,
    /// The rating of the first step.
    Ed,
    /// The technique of the hardest step.
    Technique,
    /// The techniques of all steps, with their numbers.
    Techniques,
    /// The number of steps.
    Steps,
}

/// A field's entry in the table.
struct Info {
    field: Field,
    name: &'static str,
    about: &'static str,
    value: ValueOf,
}

/// The value of a field in a row.
type ValueOf = for<'a> fn(&Row<'a>) -> Value<'a>;

const fn info(field: Field, name: &'static str, about: &'static str, value: ValueOf) -> Info {
    Info { field, name, about, value }
}

/// The entry of the counter of this number.
const fn counter<const NUMBER: usize>(field: Field) -> Info {
    let (name, about) = Counter::ALL[NUMBER].words();
    info(field, name, about, work::<NUMBER>)
}

fn work<'a, const NUMBER: usize>(row: &Row<'a>) -> Value<'a> {
    let counters = row.answer.and_then(|answer| answer.counters);
    Value::or_missing(counters.and_then(|counters| counters.get(Counter::ALL[NUMBER])), Value::Number)
}

/// All fields, in the order of the enum.
static FIELDS: [Info; 37] = [
    info(Field::Index, "index", "number of the record, from 1", |row| Value::Number(row.index)),
    info(Field::Line, "line", "line it begins in, from 1", |row| Value::Number(row.record.line)),
    info(Field::Byte, "byte", "offset of its first byte, decompressed", |row| Value::Number(row.record.byte)),
    info(Field::Source, "source", "name of the file, - for standard input", |row| {
        Value::Bytes(row.source.as_bytes())
    }),
    info(Field::Id, "id", "what followed the puzzle, or the column id", id),
    info(Field::Puzzle, "puzzle", "the puzzle as it stands in the input", |row| {
        if row.layout.format.is_cover() { Value::Missing } else { text(row, row.record.puzzle) }
    }),
    info(Field::Rules, "rules", "rules beyond rows, columns and boxes, as items", |row| match row.problem {
        Some(ProblemRef::Puzzle(puzzle)) => {
            Value::or_missing(puzzle.rules(), |rules| Value::Bytes(rules.text().as_bytes()))
        }
        _ => Value::Missing,
    }),
    info(Field::Status, "status", "solved, unique, multiple, none, counted, ...", |row| {
        Value::or_missing(row.answer, |answer| Value::Word(answer.status.word()))
    }),
    info(Field::Reason, "reason", "why, in words", |row| {
        Value::or_missing(row.answer.and_then(|answer| answer.reason.as_deref()), Value::Reason)
    }),
    info(Field::EndedBy, "ended_by", "complete, limit, nodes, time, deadline, memory, cancel", |row| {
        Value::or_missing(row.answer, ended_by)
    }),
    info(Field::Solution, "solution", "in the input's symbols", solution),
    info(Field::SolutionIndex, "solution_index", "number of the solution of its record, from 1", |row| {
        Value::or_missing(row.solution_index, Value::Number)
    }),
    info(Field::Count, "count", "number of solutions, where exact", |row| {
        Value::or_missing(row.answer.and_then(Answer::exact_count), Value::Count)
    }),
    info(Field::AtLeast, "at_least", "number of solutions found, where there may be more", |row| {
        Value::or_missing(row.answer.and_then(Answer::count_at_least), Value::Count)
    }),
    info(Field::Score, "score", "value of the best solution, or of this one of several", |row| {
        Value::score(row)
    }),
    info(Field::Bound, "bound", "no solution is better than this", |row| {
        Value::or_missing(row.answer.and_then(|answer| answer.best), |best| Value::Signed(best.bound))
    }),
    info(Field::Clues, "clues", "cells with one candidate only", |row| match row.problem {
        None | Some(ProblemRef::Cover(_)) => Value::Missing,
        Some(grid) => Value::Number(grid.clues().into()),
    }),
    counter::<{ Counter::Guesses as usize }>(Field::Guesses),
    counter::<{ Counter::Nodes as usize }>(Field::Nodes),
    counter::<{ Counter::Covers as usize }>(Field::Covers),
    counter::<{ Counter::Updates as usize }>(Field::Updates),
    info(Field::TimeUs, "time_us", "time of the search in microseconds (--timings)", |row| {
        Value::or_missing(row.time_ns, |nanoseconds| Value::Number(nanoseconds / 1000))
    }),
    info(Field::Engine, "engine", "the engine that answered", |row| {
        Value::or_missing(Some(row.engine).filter(|engine| !engine.is_empty()), Value::Word)
    }),
    info(Field::Canon, "canon", "canon: the canonical form", image),
    info(
        Field::GridAutomorphisms,
        "grid_automorphisms",
        "canon: arrangements that keep the solution",
        |row| Value::or_missing(row.image.and_then(|image| image.grid_automorphisms), number),
    ),
    info(Field::Automorphisms, "automorphisms", "canon: arrangements that keep the clues", |row| {
        Value::or_missing(row.image.and_then(|image| image.automorphisms), number)
    }),
    info(Field::Band, "band", "canon: the class of the best band, 1 to 416", |row| {
        Value::or_missing(row.image.and_then(|image| image.band), number)
    }),
    info(Field::Map, "map", "canon: the map that leads to the form", |row| {
        Value::or_missing(row.image, |image| Value::Map(&image.map))
    }),
    info(Field::Rating, "rating", "rate: the rating", rating),
    info(Field::RatingError, "rating_error", "rate: its standard error, of a mean", |row| {
        let error = row.rated.and_then(|(_, rated)| rated.error());
        Value::or_missing(error, Value::Thousandths)
    }),
    info(Field::Scale, "scale", "rate: the scale of the rating, with its version", |row| {
        Value::or_missing(row.rated, |(scale, _)| Value::Word(scale))
    }),
    info(Field::Er, "er", "rating of the hardest step (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.er))
    }),
    info(Field::Ep, "ep", "pearl: that of the hardest up to the first digit (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.ep))
    }),
    info(Field::Ed, "ed", "diamond: that of the first step (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.ed))
    }),
    info(Field::Technique, "technique", "technique of the hardest step (ser)", |row| {
        steps(row, |rating| Value::or_missing(rating.hardest, |technique| Value::Word(technique.name())))
    }),
    info(Field::Techniques, "techniques", "techniques with their numbers of steps (ser)", |row| {
        steps(row, Value::Techniques)
    }),
    info(Field::Steps, "steps", "number of steps (ser)", |row| steps(row, |rating| number(rating.steps))),
];

/// A value of a rating of steps.
fn steps<'a>(row: &Row<'a>, value: impl FnOnce(&'a Rating) -> Value<'a>) -> Value<'a> {
    Value::or_missing(row.rated.and_then(|(_, rated)| rated.steps()), value)
}

/// The rating of a row.
fn rating<'a>(row: &Row<'a>) -> Value<'a> {
    Value::rating(row)
}

/// The image of a row.
fn image<'a>(row: &Row<'a>) -> Value<'a> {
    Value::image(row)
}

fn number<'a>(number: impl Into<u64>) -> Value<'a> {
    Value::Number(number.into())
}

impl Field {
    /// All of them, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Field> {
        FIELDS.iter().map(|info| info.field)
    }

    /// Its name on the command line, in csv headers and as JSON key.
    pub fn name(self) -> &'static str {
        FIELDS[self as usize].name
    }

    /// A description in a few words.
    pub fn about(self) -> &'static str {
        FIELDS[self as usize].about
    }

    /// True if it is of a grid under a map.
    pub fn is_of_image(self) -> bool {
        use Field::{Automorphisms, Band, Canon, GridAutomorphisms, Map};
        matches!(self, Canon | Map | GridAutomorphisms | Automorphisms | Band)
    }

    /// True if it is of a rating.
    pub fn is_rating(self) -> bool {
        matches!(self, Field::Rating | Field::RatingError | Field::Scale) || self.is_of_steps()
    }

    /// True if it is of a rating of steps.
    pub fn is_of_steps(self) -> bool {
        use Field::{Ed, Ep, Er, Steps, Technique, Techniques};
        matches!(self, Er | Ep | Ed | Technique | Techniques | Steps)
    }

    /// Its value in a row.
    #[inline]
    pub(super) fn value<'a>(self, row: &Row<'a>) -> Value<'a> {
        (FIELDS[self as usize].value)(row)
    }
}

/// The solution of a row.
fn solution<'a>(row: &Row<'a>) -> Value<'a> {
    Value::solution(row)
}

/// The id of the record. A string with escapes stands in JSON lines with its quotes.
fn id<'a>(row: &Row<'a>) -> Value<'a> {
    match text(row, row.record.id) {
        Value::Bytes(json) if row.layout.members.is_some() && json.starts_with(b"\"") => {
            Value::JsonText(json)
        }
        value => value,
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
