//! Lists the columns of a source with their names, and the values of these columns in a record.

use std::borrow::Cow;

use super::columns::{Column, Role};
use super::dialect::unquoted;
use super::formats::{self, json_members};
use super::row_text::{FIELD_END, INVALID, ROW_END};
use super::{Layout, Record};

/// The value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ColumnValue<'a> {
    /// There is no value.
    Missing,
    /// Bytes of the input in an unknown encoding, without quotes.
    Text(Cow<'a, [u8]>),
    /// A JSON value as written in the input.
    Json(&'a str),
}

/// The value of one column in a record, with the name and the role of the column.
#[derive(Debug, Clone)]
pub(crate) struct ColumnField<'a> {
    /// Name of the column.
    pub(crate) name: Cow<'a, str>,
    pub(crate) role: Role,
    /// Value in the column. A source without columns has the value [`ColumnValue::Missing`] for the puzzle.
    pub(crate) value: ColumnValue<'a>,
}

impl<'a> ColumnValue<'a> {
    /// Returns the value as text, or `None` if there is no value.
    ///
    /// A JSON string is decoded; any other JSON value stays as written.
    pub(crate) fn text(&self) -> Option<Cow<'a, [u8]>> {
        match self {
            ColumnValue::Missing | ColumnValue::Json("null") => None,
            ColumnValue::Text(text) => Some(text.clone()),
            ColumnValue::Json(json) if json.starts_with('"') => Some(json_members::text_of(json)),
            ColumnValue::Json(json) => Some(Cow::Borrowed(json.as_bytes())),
        }
    }

    /// Returns true if there is no value or its text is empty.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            ColumnValue::Missing | ColumnValue::Json("null" | "\"\"") => true,
            ColumnValue::Text(text) => text.is_empty(),
            ColumnValue::Json(_) => false,
        }
    }
}

/// Returns the columns of a source in order, as far as its layout defines them.
///
/// For JSON lines, these are the members of the first object. If a source has no columns, the list consists
/// of `puzzle` and perhaps `id`. If CSV has no header, the puzzle and solution columns get the names `puzzle`
/// and `solution`. Every other column gets its 1-based position as a name, as in `column_3`.
pub(crate) fn columns_of(layout: &Layout) -> Vec<Column> {
    if !layout.has_columns() {
        let id = formats::row(layout.format).has_ids.then(|| Column::new("id", Role::Id));
        return std::iter::once(Column::new("puzzle", Role::Puzzle)).chain(id).collect();
    }
    let mut list: Vec<Column> =
        layout.columns.list.iter().filter(|column| column.place.is_some()).cloned().collect();
    if layout.csv.as_ref().is_some_and(|csv| csv.header.is_none()) {
        for (number, column) in (1..).zip(&mut list) {
            column.name = match column.role {
                Role::Puzzle => "puzzle".to_owned(),
                Role::Solution => "solution".to_owned(),
                _ => format!("column_{number}"),
            };
        }
    }
    list
}

/// Checks that the columns of a later source can be matched by name with those of the first source.
///
/// # Errors
/// Returns the reason if a column name occurs in both sources, and twice in one of them.
pub(super) fn require_clear_names(first: &Layout, layout: &Layout) -> Result<(), String> {
    if !first.has_columns() || !layout.has_columns() || first.is_alike_without_names(layout) {
        return Ok(());
    }
    let [of_first, names] = [first, layout].map(|layout| {
        let all = columns_of(layout).into_iter();
        all.filter(|column| column.role == Role::Other).map(|column| column.name).collect::<Vec<_>>()
    });
    if of_first == names {
        return Ok(());
    }
    let count = |names: &[String], wanted: &str| names.iter().filter(|name| name.trim() == wanted).count();
    for name in names.iter().map(|name| name.trim()) {
        let which = match (count(&of_first, name), count(&names, name)) {
            (0, _) | (1, 1) => continue,
            (1, _) => "this source",
            _ => "the first source",
        };
        return Err(format!(
            "ambiguous column {name:?}: {which} has it twice (give each column its own name, or read this source alone)"
        ));
    }
    Ok(())
}

/// Returns the column names of a CSV source, or `None` if it has no header.
pub(crate) fn header_of(layout: &Layout) -> Option<Vec<Cow<'_, [u8]>>> {
    let header = layout.csv.as_ref()?.header.as_ref()?;
    Some(fields(header, layout).collect())
}

/// Returns the values of a record in the order of its source's columns.
///
/// `columns` must be the columns of the record's layout, and `bytes` the bytes of the record's chunk.
pub(crate) fn beside<'a>(
    layout: &'a Layout,
    columns: &'a [Column],
    record: &Record,
    bytes: &'a [u8],
) -> Vec<ColumnField<'a>> {
    let named = |column: &'a Column, value| ColumnField {
        name: Cow::Borrowed(column.name.as_str()),
        role: column.role,
        value,
    };
    if layout.csv.is_some() {
        let values = fields(record.text.slice(bytes), layout).map(ColumnValue::Text);
        return columns.iter().zip(values).map(|(column, value)| named(column, value)).collect();
    }
    if layout.members.is_some() {
        let Ok(all) = json_members::raw_members(record.text.slice(bytes)) else { return Vec::new() };
        let places = layout.columns.places_among(all.iter().map(|(name, _)| &**name));
        return (0..)
            .zip(all)
            .map(|(place, (name, json))| ColumnField {
                name,
                role: places.role(place),
                value: ColumnValue::Json(json),
            })
            .collect();
    }
    if layout.format.is_table() {
        let row = &bytes[record.text.start as usize..];
        let row = &row[..memchr::memchr(ROW_END, row).unwrap_or(row.len())];
        let values: Vec<&[u8]> = row.split(|&byte| byte == FIELD_END).collect();
        let value = |column: &Column| match column.place.and_then(|place| values.get(place)) {
            Some([] | [INVALID, ..]) | None => ColumnValue::Missing,
            Some(value) => match std::str::from_utf8(value) {
                Ok(text) if column.is_plain && is_json(value) => ColumnValue::Json(text),
                _ => ColumnValue::Text(Cow::Borrowed(value)),
            },
        };
        return columns.iter().map(|column| named(column, value(column))).collect();
    }
    let value = |column: &Column| match column.role {
        Role::Id if !record.id.is_empty() => ColumnValue::Text(Cow::Borrowed(record.id.slice(bytes))),
        _ => ColumnValue::Missing,
    };
    columns.iter().map(|column| named(column, value(column))).collect()
}

/// Returns true if the text of a record has a value for each column.
///
/// If so, values can be assigned to columns even if the record is invalid.
pub(crate) fn has_all_columns(layout: &Layout, record: &Record, bytes: &[u8]) -> bool {
    let text = record.text.slice(bytes);
    if layout.csv.is_some() {
        let dialect = layout.dialect();
        // A field whose quotes are not closed is the last one that is found.
        let last = (1..).zip(dialect.fields(text)).last();
        return last.is_some_and(|(number, field)| {
            number == layout.column_count() && dialect.field_end(field, 0).is_some()
        });
    }
    layout.members.is_none() || json_members::raw_members(text).is_ok()
}

/// Returns true if the text of a number or a boolean in a table is also JSON.
fn is_json(value: &[u8]) -> bool {
    let number = value.strip_prefix(b"-").unwrap_or(value);
    // Numbers such as `NaN` and `inf` cannot be written in JSON.
    matches!(value, b"true" | b"false") || number.first().is_some_and(u8::is_ascii_digit)
}

/// Returns the fields of a row, with their quotes removed.
fn fields<'a>(row: &'a [u8], layout: &Layout) -> impl Iterator<Item = Cow<'a, [u8]>> {
    layout.dialect().fields(row).map(unquoted)
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::super::columns::{Columns, Places};
    use super::super::{CsvLayout, Format};
    use super::*;

    #[test]
    fn fields_come_without_quotes() {
        let csv = CsvLayout { delimiter: b';', header: Some(b"\"a;b\";Puzzle; x ".to_vec()) };
        let dialect = Dialect { delimiter: b';', line_end: b'\n' };
        let names = dialect
            .fields(b"\"a;b\";Puzzle; x ")
            .map(unquoted)
            .map(|name| String::from_utf8_lossy(&name).into_owned())
            .collect();
        let columns = Columns::new(names, Places::of_puzzle(1));
        let layout = Layout { format: Format::Csv, csv: Some(csv), columns, ..Layout::default() };
        let names: Vec<_> =
            columns_of(&layout).into_iter().map(|column| (column.name, column.role)).collect();
        let expected = [("a;b", Role::Other), ("Puzzle", Role::Puzzle), (" x ", Role::Other)];
        assert_eq!(names, expected.map(|(name, role)| (name.to_owned(), role)));
        let values: Vec<_> = fields(b"\"\"\"a\"\" b\nc\";;\"\"", &layout).collect();
        assert_eq!(values, [&b"\"a\" b\nc"[..], b"", b""]);
        assert_eq!(fields(b"", &layout).count(), 1);
        assert_eq!(fields(b"a;", &layout).count(), 2);
    }
}
