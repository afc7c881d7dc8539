//! Converts the values in rows from text to typed columns.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int8Builder, ListBuilder, MapBuilder, StringBuilder, StructBuilder,
    UInt8Builder, UInt64Builder,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, Float64Array, StringArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Fields};

use serde::Deserialize;

use super::text::TextBuilder;
use crate::output::field::{Field, ValueKind};
use quadrille_model::{EndedBy, PLAIN_LINE, Status};
use quadrille_rating::{RatingBound, Tenths};

static STATUSES: LazyLock<StringArray> =
    LazyLock::new(|| StringArray::from_iter_values(Status::ALL.iter().map(|status| status.word())));
static ENDS: LazyLock<StringArray> =
    LazyLock::new(|| StringArray::from_iter_values(EndedBy::ALL.iter().map(|end| end.word())));

/// Suffix of the additional column for counts of more than 64 bits.
const LARGE: &str = "_large";
/// Suffix of the additional column for the lower bound of a rating if the exact rating is unknown.
const AT_LEAST: &str = "_at_least";

/// Builder for a column, or for two columns that belong together.
pub(super) enum Builder {
    /// Values that are kept as text until all of them are converted to columns of the given kind.
    Text(ValueKind, TextBuilder),
    Word(StringArray, Int8Builder),
    Techniques(Box<MapBuilder<StringBuilder, UInt64Builder>>),
    Path(Box<ListBuilder<StructBuilder>>),
    Order(ListBuilder<UInt8Builder>),
    Numbers(ListBuilder<UInt64Builder>),
}

/// The parts of a path's step that tables show.
#[derive(Deserialize)]
struct StepEntry<'a> {
    technique: &'a str,
    rating: f64,
    #[serde(borrow, default)]
    placed: Option<CandidateEntry<'a>>,
    #[serde(borrow, default)]
    removed: Vec<CandidateEntry<'a>>,
}

#[derive(Deserialize)]
struct CandidateEntry<'a> {
    cell: &'a str,
    digit: u8,
}

/// Returns the index (0 to 80) of a cell with a name such as `r1c2`, or `None` for any other text.
fn cell_of(name: &[u8]) -> Option<u8> {
    let &[b'r', row @ b'1'..=b'9', b'c', column @ b'1'..=b'9'] = name else { return None };
    Some(9 * (row - b'1') + column - b'1')
}

/// Returns the fields for a digit in a cell. Cells are numbered row by row, from 0 to 80.
fn candidate_fields() -> Fields {
    Fields::from(vec![
        ArrowField::new("cell", DataType::UInt8, true),
        ArrowField::new("digit", DataType::UInt8, true),
    ])
}

fn step_fields() -> Fields {
    let candidate = DataType::Struct(candidate_fields());
    let removed = DataType::List(Arc::new(ArrowField::new_list_field(candidate.clone(), true)));
    Fields::from(vec![
        ArrowField::new("technique", DataType::Utf8, true),
        ArrowField::new("rating", DataType::Float64, true),
        ArrowField::new("placed", candidate, true),
        ArrowField::new("removed", removed, true),
    ])
}

/// Appends a candidate, which is a digit in a cell, or a missing value.
fn push_candidate(builder: &mut StructBuilder, candidate: Option<&CandidateEntry<'_>>) {
    let values = [candidate.and_then(|of| cell_of(of.cell.as_bytes())), candidate.map(|of| of.digit)];
    for (place, value) in values.into_iter().enumerate() {
        if let Some(numbers) = builder.field_builder::<UInt8Builder>(place) {
            numbers.append_option(value);
        }
    }
    builder.append(candidate.is_some());
}

/// Appends a step.
fn push_step(builder: &mut StructBuilder, step: &StepEntry<'_>) {
    if let Some(technique) = builder.field_builder::<StringBuilder>(0) {
        technique.append_value(step.technique);
    }
    if let Some(rating) = builder.field_builder::<Float64Builder>(1) {
        rating.append_value(step.rating);
    }
    if let Some(placed) = builder.field_builder::<StructBuilder>(2) {
        push_candidate(placed, step.placed.as_ref());
    }
    if let Some(removed) = builder.field_builder::<ListBuilder<Box<dyn ArrayBuilder>>>(3) {
        if let Some(values) = removed.values().as_any_mut().downcast_mut::<StructBuilder>() {
            step.removed.iter().for_each(|candidate| push_candidate(values, Some(candidate)));
        }
        removed.append(true);
    }
    builder.append(true);
}

impl Builder {
    /// Creates a builder for values of the given kind. `engines` are the names of all engines.
    pub(super) fn new(kind: ValueKind, engines: &[&'static str]) -> Self {
        match kind {
            ValueKind::Status => Builder::Word(STATUSES.clone(), Int8Builder::new()),
            ValueKind::EndedBy => Builder::Word(ENDS.clone(), Int8Builder::new()),
            ValueKind::Engine => Builder::Word(StringArray::from_iter_values(engines), Int8Builder::new()),
            ValueKind::Techniques => Builder::Techniques(Box::new(MapBuilder::new(
                None,
                StringBuilder::new(),
                UInt64Builder::new(),
            ))),
            ValueKind::Path => {
                Builder::Path(Box::new(ListBuilder::new(StructBuilder::from_fields(step_fields(), 0))))
            }
            ValueKind::Order => Builder::Order(ListBuilder::new(UInt8Builder::new())),
            ValueKind::Numbers => Builder::Numbers(ListBuilder::new(UInt64Builder::new())),
            kind => Builder::Text(kind, TextBuilder::new()),
        }
    }

    /// Returns the name suffix and the type of each column that this builder creates. The builder must be
    /// empty.
    pub(super) fn columns(&mut self) -> Result<Vec<(&'static str, DataType)>, ArrowError> {
        let second = if matches!(self, Builder::Text(ValueKind::Count, _)) { LARGE } else { AT_LEAST };
        let kinds = self.finish()?.into_iter().map(|column| column.data_type().clone());
        Ok(["", second].into_iter().zip(kinds).collect())
    }

    /// Appends a value, which is missing if it is `None`.
    pub(super) fn push(&mut self, value: Option<&[u8]>) {
        let number = value.and_then(|value| std::str::from_utf8(value).ok());
        match self {
            Builder::Text(_, all) => all.push(value),
            Builder::Word(words, keys) => keys.append_option(number.and_then(|word| key_of(words, word))),
            Builder::Techniques(all) => {
                let pairs = number
                    .into_iter()
                    .flat_map(|text| text.split("; "))
                    .filter_map(|pair| pair.rsplit_once(' '));
                for (technique, steps) in pairs {
                    all.keys().append_value(technique);
                    all.values().append_option(steps.parse().ok());
                }
                // This cannot fail, because a key is appended with each value, so there are as many keys as
                // values.
                let _ = all.append(number.is_some());
            }
            Builder::Path(all) => {
                let steps: Option<Vec<StepEntry<'_>>> =
                    value.and_then(|text| serde_json::from_slice(text).ok());
                steps.iter().flatten().for_each(|step| push_step(all.values(), step));
                all.append(steps.is_some());
            }
            Builder::Order(all) => {
                let cells =
                    value.into_iter().flat_map(|text| text.split(|&byte| byte == b' ')).filter_map(cell_of);
                cells.for_each(|cell| all.values().append_value(cell));
                all.append(value.is_some());
            }
            Builder::Numbers(all) => {
                let words = number.into_iter().flat_map(str::split_ascii_whitespace);
                words.for_each(|word| all.values().append_option(word.parse().ok()));
                all.append(number.is_some());
            }
        }
    }

    /// Appends `count` missing values.
    fn push_nulls(&mut self, count: usize) {
        match self {
            Builder::Text(_, all) => all.push_nulls(count),
            Builder::Word(_, keys) => keys.append_nulls(count),
            _ => (0..count).for_each(|_| self.push(None)),
        }
    }

    /// Reserves memory for `solutions` solutions of 9x9 grids.
    pub(super) fn reserve(&mut self, solutions: usize) {
        if let Builder::Text(_, all) = self {
            all.reserve(solutions, 81 * solutions);
        }
    }

    /// Appends a field's values for plain rows, which contain only a solution and whether it is unique.
    pub(super) fn push_plain(&mut self, field: Option<Field>, rows: &[[u8; PLAIN_LINE]]) {
        match (self, field) {
            (Builder::Text(_, all), Some(Field::Solution)) => all.push_solutions(rows),
            (Builder::Word(words, keys), Some(Field::Status)) => {
                push_words(words, keys, rows, [Status::Solved.word(), Status::Unique.word()]);
            }
            (Builder::Word(words, keys), Some(Field::EndedBy)) => {
                push_words(words, keys, rows, [EndedBy::Limit.word(), EndedBy::Complete.word()]);
            }
            (builder, _) => builder.push_nulls(rows.len()),
        }
    }

    /// Returns the columns and empties the builder.
    pub(super) fn finish(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        Ok(match self {
            Builder::Text(kind, all) => columns_of(*kind, all.finish()?)?,
            Builder::Word(words, keys) => {
                let values: ArrayRef = Arc::new(words.clone());
                vec![Arc::new(DictionaryArray::try_new(keys.finish(), values)?)]
            }
            Builder::Techniques(all) => vec![Arc::new(all.finish())],
            Builder::Path(all) => vec![Arc::new(all.finish())],
            Builder::Order(all) => vec![Arc::new(all.finish())],
            Builder::Numbers(all) => vec![Arc::new(all.finish())],
        })
    }
}

/// Converts texts to the columns of a kind. A text that is not a number becomes a missing value.
fn columns_of(kind: ValueKind, texts: StringArray) -> Result<Vec<ArrayRef>, ArrowError> {
    let numbers = match kind {
        ValueKind::Unsigned | ValueKind::Count => cast(&texts, &DataType::UInt64)?,
        ValueKind::Signed => cast(&texts, &DataType::Int64)?,
        ValueKind::Real | ValueKind::Rating => cast(&texts, &DataType::Float64)?,
        _ => return Ok(vec![Arc::new(texts)]),
    };
    // The second column has the values that are not numbers of the first column's type.
    let others = texts.iter().enumerate().map(|(row, text)| text.filter(|_| numbers.is_null(row)));
    let second: Option<ArrayRef> = match kind {
        ValueKind::Count => Some(Arc::new(others.collect::<StringArray>())),
        ValueKind::Rating => {
            Some(Arc::new(others.map(|text| text.and_then(at_least_of)).collect::<Float64Array>()))
        }
        _ => None,
    };
    Ok(std::iter::once(numbers).chain(second).collect())
}

/// Returns the lower bound of a rating that is not exact, such as 7.6 for `>7.5`, or `None` for an exact
/// rating.
fn at_least_of(text: &str) -> Option<f64> {
    let above = text.strip_prefix('>')?.parse().ok()?;
    RatingBound::Above(above).at_least().map(|Tenths(tenths)| f64::from(tenths) / 10.0)
}

/// Returns the index of a word in a list, or `None` if the list does not contain it.
fn key_of(words: &StringArray, word: &str) -> Option<i8> {
    let place = words.iter().position(|known| known == Some(word));
    place.and_then(|place| i8::try_from(place).ok())
}

/// Appends the second word of `both` for each row whose solution is unique, and the first word for any other
/// row.
fn push_words(words: &StringArray, keys: &mut Int8Builder, rows: &[[u8; PLAIN_LINE]], both: [&str; 2]) {
    let both = both.map(|word| key_of(words, word));
    for same in rows.chunk_by(|one, next| one[81] == next[81]) {
        match both[usize::from(same[0][81] != b'\n')] {
            Some(key) => keys.append_value_n(key, same.len()),
            None => keys.append_nulls(same.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, UInt8Type, UInt64Type};

    const PATH: &[u8] = br#"[{"technique":"pointing","rating":2.6,"removed":[{"cell":"r1c2","digit":3},{"cell":"r9c9","digit":9}],"cells":[]},
        {"technique":"naked single","rating":2.3,"placed":{"cell":"r2c1","digit":7},"removed":[]}]"#;

    fn column(kind: ValueKind, values: &[Option<&[u8]>]) -> ArrayRef {
        let mut builder = Builder::new(kind, &[]);
        let known = builder.columns().unwrap();
        values.iter().for_each(|value| builder.push(*value));
        let columns = builder.finish().unwrap();
        assert_eq!(known, [("", columns[0].data_type().clone())]);
        ArrayRef::clone(&columns[0])
    }

    #[test]
    fn steps_are_structs() {
        let all = column(ValueKind::Path, &[Some(PATH), None, Some(b"[]")]);
        let list = all.as_list::<i32>();
        assert_eq!((list.value_length(0), list.is_null(1), list.value_length(2)), (2, true, 0));
        let steps = list.value(0);
        let steps = steps.as_struct();
        assert_eq!(steps.column(0).as_string::<i32>().value(1), "naked single");
        assert_eq!(steps.column(1).as_primitive::<Float64Type>().values(), &[2.6, 2.3]);
        let placed = steps.column(2).as_struct();
        assert!(placed.is_null(0) && placed.column(0).as_primitive::<UInt8Type>().value(1) == 9);
        let removed = steps.column(3).as_list::<i32>();
        assert_eq!((removed.value_length(0), removed.value_length(1)), (2, 0));
        assert_eq!(removed.value(0).as_struct().column(0).as_primitive::<UInt8Type>().values(), &[1, 80]);
    }

    #[test]
    fn techniques_are_a_map_and_cells_a_list() {
        let all = column(ValueKind::Techniques, &[Some(b"last cell 3; naked single 12"), Some(b""), None]);
        let map = all.as_map();
        assert_eq!((map.value_length(0), map.value_length(1), map.is_null(2)), (2, 0, true));
        assert_eq!(map.value(0).column(1).as_primitive::<UInt64Type>().values(), &[3, 12]);
        let all = column(ValueKind::Order, &[Some(b"r1c1 r9c9"), None]);
        let cells = all.as_list::<i32>();
        assert_eq!(
            (cells.value(0).as_primitive::<UInt8Type>().values().to_vec(), cells.is_null(1)),
            (vec![0, 80], true)
        );
    }
}
