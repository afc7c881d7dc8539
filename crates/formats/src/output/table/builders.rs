//! Converts the values of rows from text to typed columns.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::{Float64Builder, Int8Builder, Int64Builder, UInt64Builder};
use arrow_array::{ArrayRef, DictionaryArray, StringArray};
use arrow_schema::{ArrowError, DataType, Field as ArrowField};

use super::text::TextBuilder;
use crate::output::field::{Field, Kind};
use quadrille_engine::ENGINES;
use quadrille_model::{EndedBy, PLAIN_LINE, Status};
use quadrille_rating::{RatingBound, Tenths};

static STATUSES: LazyLock<StringArray> =
    LazyLock::new(|| StringArray::from_iter_values(Status::ALL.iter().map(|status| status.word())));
static ENDS: LazyLock<StringArray> =
    LazyLock::new(|| StringArray::from_iter_values(EndedBy::ALL.iter().map(|end| end.word())));
static ENGINE_NAMES: LazyLock<StringArray> =
    LazyLock::new(|| StringArray::from_iter_values(ENGINES.iter().map(|engine| engine.name)));

/// Suffix of the extra column for counts above 64 bits.
const LARGE: &str = "_large";
/// Suffix of the extra column for the minimum of a rating, if only that is known.
const AT_LEAST: &str = "_at_least";

impl Kind {
    /// Returns the kind of a column that a filter appends to rows.
    pub(super) fn of_extra(name: &str) -> Self {
        if name == "relation" { Kind::Text } else { Kind::Unsigned }
    }
}

/// A column, or a pair of columns, under construction.
pub(super) enum Builder {
    Text(TextBuilder),
    Word(&'static LazyLock<StringArray>, Int8Builder),
    Unsigned(UInt64Builder),
    Signed(Int64Builder),
    Real(Float64Builder),
    Rating(Float64Builder, Float64Builder),
    Count(UInt64Builder, TextBuilder),
}

impl Builder {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Builder::Text(TextBuilder::new()),
            Kind::Status => Builder::Word(&STATUSES, Int8Builder::new()),
            Kind::EndedBy => Builder::Word(&ENDS, Int8Builder::new()),
            Kind::Engine => Builder::Word(&ENGINE_NAMES, Int8Builder::new()),
            Kind::Unsigned => Builder::Unsigned(UInt64Builder::new()),
            Kind::Signed => Builder::Signed(Int64Builder::new()),
            Kind::Real => Builder::Real(Float64Builder::new()),
            Kind::Rating => Builder::Rating(Float64Builder::new(), Float64Builder::new()),
            Kind::Count => Builder::Count(UInt64Builder::new(), TextBuilder::new()),
        }
    }

    /// Returns the Arrow fields of its columns.
    pub(super) fn fields(&self, name: &str) -> Vec<ArrowField> {
        let field = |name: &str, kind: DataType| ArrowField::new(name, kind, true);
        match self {
            Builder::Text(_) => vec![field(name, DataType::Utf8)],
            Builder::Word(..) => {
                let kind = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
                vec![field(name, kind)]
            }
            Builder::Unsigned(_) => vec![field(name, DataType::UInt64)],
            Builder::Signed(_) => vec![field(name, DataType::Int64)],
            Builder::Real(_) => vec![field(name, DataType::Float64)],
            Builder::Rating(..) => {
                vec![field(name, DataType::Float64), field(&format!("{name}{AT_LEAST}"), DataType::Float64)]
            }
            Builder::Count(..) => {
                vec![field(name, DataType::UInt64), field(&format!("{name}{LARGE}"), DataType::Utf8)]
            }
        }
    }

    /// Appends a value; `None` is a missing one.
    pub(super) fn push(&mut self, value: Option<&[u8]>) {
        let number = value.and_then(|value| std::str::from_utf8(value).ok());
        match self {
            Builder::Text(all) => all.push(value),
            Builder::Word(words, keys) => keys.append_option(number.and_then(|word| key_of(words, word))),
            Builder::Unsigned(all) => all.append_option(number.and_then(|number| number.parse().ok())),
            Builder::Signed(all) => all.append_option(number.and_then(|number| number.parse().ok())),
            Builder::Real(all) => all.append_option(number.and_then(|number| number.parse().ok())),
            Builder::Rating(all, at_least) => {
                all.append_option(number.and_then(|number| number.parse().ok()));
                at_least.append_option(number.and_then(at_least_of));
            }
            Builder::Count(all, large) => {
                let parsed = number.and_then(|number| number.parse().ok());
                all.append_option(parsed);
                large.push(number.filter(|_| parsed.is_none()).map(str::as_bytes));
            }
        }
    }

    /// Appends `count` missing values.
    fn push_nulls(&mut self, count: usize) {
        match self {
            Builder::Text(all) => all.push_nulls(count),
            Builder::Word(_, keys) => keys.append_nulls(count),
            Builder::Unsigned(all) => all.append_nulls(count),
            Builder::Signed(all) => all.append_nulls(count),
            Builder::Real(all) => all.append_nulls(count),
            Builder::Rating(all, at_least) => {
                all.append_nulls(count);
                at_least.append_nulls(count);
            }
            Builder::Count(all, large) => {
                all.append_nulls(count);
                large.push_nulls(count);
            }
        }
    }

    /// Makes room for `solutions` solutions of 9x9 grids.
    pub(super) fn reserve(&mut self, solutions: usize) {
        if let Builder::Text(all) = self {
            all.reserve(solutions, 81 * solutions);
        }
    }

    /// Appends the values of a field for plain rows.
    pub(super) fn push_plain(&mut self, field: Option<Field>, rows: &[[u8; PLAIN_LINE]]) {
        match (self, field) {
            (Builder::Text(all), Some(Field::Solution)) => all.push_solutions(rows),
            (Builder::Word(words, keys), Some(Field::Status)) => {
                push_words(words, keys, rows, [Status::Solved.word(), Status::Unique.word()]);
            }
            (Builder::Word(words, keys), Some(Field::EndedBy)) => {
                push_words(words, keys, rows, [EndedBy::Limit.word(), EndedBy::Complete.word()]);
            }
            (builder, _) => builder.push_nulls(rows.len()),
        }
    }

    /// Returns the columns built so far, and empties the builder.
    pub(super) fn finish(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        Ok(match self {
            Builder::Text(all) => vec![Arc::new(all.finish()?)],
            Builder::Word(words, keys) => {
                let values: ArrayRef = Arc::new((**words).clone());
                vec![Arc::new(DictionaryArray::try_new(keys.finish(), values)?)]
            }
            Builder::Unsigned(all) => vec![Arc::new(all.finish())],
            Builder::Signed(all) => vec![Arc::new(all.finish())],
            Builder::Real(all) => vec![Arc::new(all.finish())],
            Builder::Rating(all, at_least) => vec![Arc::new(all.finish()), Arc::new(at_least.finish())],
            Builder::Count(all, large) => vec![Arc::new(all.finish()), Arc::new(large.finish()?)],
        })
    }
}

/// Returns the minimum of an inexact rating, such as 7.6 for `>7.5`; otherwise `None`.
fn at_least_of(text: &str) -> Option<f64> {
    let above = text.strip_prefix('>')?.parse().ok()?;
    RatingBound::Above(above).at_least().map(|Tenths(tenths)| f64::from(tenths) / 10.0)
}

/// Returns the index of a word in a list, or `None` if it is not there.
fn key_of(words: &StringArray, word: &str) -> Option<i8> {
    let place = words.iter().position(|known| known == Some(word));
    place.and_then(|place| i8::try_from(place).ok())
}

/// Appends the second word for rows with a unique solution, otherwise the first word.
fn push_words(words: &StringArray, keys: &mut Int8Builder, rows: &[[u8; PLAIN_LINE]], both: [&str; 2]) {
    let both = both.map(|word| key_of(words, word));
    for same in rows.chunk_by(|one, next| one[81] == next[81]) {
        match both[usize::from(same[0][81] != b'\n')] {
            Some(key) => keys.append_value_n(key, same.len()),
            None => keys.append_nulls(same.len()),
        }
    }
}
