//! Finds the columns of a table that make up a record, and their order in the text form of a row.

use arrow_schema::{DataType, Field, Schema};

use crate::input::columns::{Columns, ROLES};
use crate::input::roles::{Chosen, Offer, no_puzzle};
use crate::input::{Column, InputOptions, OtherColumns, Role};

/// Maximum number of rows that are read to decide the columns.
pub(super) const HEAD_ROWS: usize = 1000;

/// Chooses the columns of a table based on its schema and its first rows.
///
/// Returns the 0-based schema indices of the columns to read, ascending, and these columns in the same
/// order, with messages about the choice. The place of a column is the index of its value in the text of
/// a row. The puzzle comes first, then the other columns of a record, then all remaining columns.
///
/// # Errors
/// Returns the reason if the table has no column of puzzles, or if a column has an unsupported type.
pub(super) fn choose(
    schema: &Schema,
    options: &InputOptions,
    first: Option<Vec<Vec<Vec<u8>>>>,
) -> Result<(Vec<usize>, Chosen), String> {
    let fields = schema.fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let offer = Offer { names: names.clone(), has_names: true, noun: "column", options };
    let named = offer.named()?;
    let is_known = |(place, field): (usize, &std::sync::Arc<Field>)| {
        named.role(place) != Role::Other || !is_text(field.data_type())
    };
    let are_known = named[Role::Puzzle].is_some() && fields.iter().enumerate().all(is_known);
    let (mut places, notes) = match first.filter(|_| !are_known) {
        Some(rows) => {
            let (columns, mut notes) = offer.by_values(&rows)?;
            let mut places = columns.places;
            // Unreadable rules must not be ignored. So a column named `rules` counts as rules even if its
            // values look like prose.
            if named[Role::Rules].is_some() && places[Role::Rules].is_none() {
                places[Role::Rules] = named[Role::Rules];
                notes.retain(|note| !note.ends_with("is text, not rules, and is left out"));
            }
            (places, notes)
        }
        None => (named, Vec::new()),
    };
    // If a table has only one column and its type is suitable, that column is the puzzle.
    let only = || (fields.len() == 1 && is_text(fields[0].data_type())).then_some(0);
    places[Role::Puzzle] = places[Role::Puzzle].or_else(only);
    places[Role::Id] = places[Role::Id].filter(|&column| is_id(fields[column].data_type()));
    if places[Role::Puzzle].is_none() {
        return Err(no_puzzle("column", names.iter().map(String::as_str)));
    }
    let of_role = |(role, column): (Role, Option<usize>)| Some((column?, role));
    // A column that the caller names may have a second role by its name, which it then loses.
    let of_record = ROLES.into_iter().zip(places.0).filter_map(of_role);
    let of_record = of_record.filter(|&(column, role)| places.role(column) == role);
    for (column, role) in of_record.clone() {
        let (is_right, what): (fn(&DataType) -> bool, _) = match role {
            Role::Puzzle | Role::Solution => (is_text, "puzzles are strings or lists of integers"),
            // Unreadable rules must not be ignored, so a column of rules with another type is an error.
            Role::Rules => (is_string, "rules and regions are strings"),
            Role::Regions => (is_text, "rules and regions are strings or lists of integers"),
            Role::Id | Role::Other => continue,
        };
        let (name, kind) = (fields[column].name(), fields[column].data_type());
        if !is_right(kind) {
            return Err(format!("column {name} is {kind}: {what}"));
        }
        if is_permuted(&fields[column]) {
            return Err(format!(
                "column {name} is a tensor with permuted dimensions: write it without a permutation"
            ));
        }
    }
    let are_others_used = options.other_columns != OtherColumns::Unused;
    let is_other = |column: &usize| are_others_used && places.role(*column) == Role::Other;
    let in_text = of_record.map(|(column, _)| column).chain((0..fields.len()).filter(is_other));
    let mut in_text: Vec<(usize, usize)> = in_text.zip(0..).collect();
    in_text.sort_unstable();
    let column = |&(column, place): &(usize, usize)| {
        let kind = fields[column].data_type();
        let is_plain = kind.is_numeric() || *kind == DataType::Boolean;
        Column { name: names[column].clone(), role: places.role(column), place: Some(place), is_plain }
    };
    let columns = Columns::of_list(in_text.iter().map(column).collect());
    Ok((in_text.into_iter().map(|(column, _)| column).collect(), (columns, notes)))
}

/// Returns true for all types of strings and bytes.
pub(super) fn is_string(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_string(values),
        DataType::FixedSizeBinary(_) | DataType::Null => true,
        _ => kind.is_string() || kind.is_binary(),
    }
}

/// Returns true for lists of integers, and for lists that contain such lists.
pub(super) fn is_list(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            item.data_type().is_integer() || is_list(item.data_type())
        }
        _ => false,
    }
}

/// Returns true for a tensor whose values are not stored in the order of its dimensions.
fn is_permuted(field: &Field) -> bool {
    let of_tensor = |name: &str| field.metadata().get(name).map_or("", String::as_str);
    let about: serde_json::Value =
        serde_json::from_str(of_tensor("ARROW:extension:metadata")).unwrap_or_default();
    let order = about["permutation"].as_array().into_iter().flatten();
    of_tensor("ARROW:extension:name") == "arrow.fixed_shape_tensor"
        && order.zip(0u64..).any(|(dimension, place)| dimension.as_u64() != Some(place))
}

/// Returns true for types that can hold grids.
pub(super) fn is_text(kind: &DataType) -> bool {
    is_string(kind) || is_list(kind)
}

fn is_id(kind: &DataType) -> bool {
    is_string(kind) || kind.is_integer()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::input::ColumnRef;

    type Found = Result<Vec<(Role, usize)>, String>;

    /// Returns the roles of the columns of a record and their indices in the schema.
    fn find(fields: &[(&str, DataType)], options: InputOptions) -> Found {
        let fields: Vec<Field> =
            fields.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true)).collect();
        let (wanted, (columns, _)) = choose(&Schema::new(fields), &options, None)?;
        assert_eq!(wanted.len(), columns.list.len());
        let mut in_text: Vec<_> = wanted.into_iter().zip(&*columns.list).collect();
        in_text.sort_by_key(|(_, column)| column.place);
        let role = |(text, (column, _))| (columns.places.role(text), column);
        Ok(in_text.into_iter().enumerate().map(role).collect())
    }

    #[test]
    fn tensors_with_permuted_dimensions_are_refused() {
        let cells = DataType::FixedSizeList(Field::new_list_field(DataType::Int8, true).into(), 81);
        let read = |about: &str| {
            let extension = [("name", "arrow.fixed_shape_tensor"), ("metadata", about)];
            let metadata =
                extension.map(|(name, value)| (format!("ARROW:extension:{name}"), value.to_owned()));
            let field = Field::new("puzzle", cells.clone(), true).with_metadata(HashMap::from(metadata));
            choose(&Schema::new(vec![field]), &InputOptions::default(), None).map(|_| ())
        };
        for about in ["{\"shape\":[9,9]}", "{\"shape\":[9,9],\"permutation\":[0,1]}", ""] {
            assert_eq!(read(about), Ok(()), "{about}");
        }
        let reason = read("{\"shape\":[9,9],\"permutation\":[1,0]}").unwrap_err();
        assert!(reason.starts_with("column puzzle is a tensor with permuted dimensions"), "{reason}");
    }

    #[test]
    fn columns_are_found_by_name_or_number_or_as_the_only_one() {
        let named =
            |name: &str| InputOptions { column: Some(ColumnRef::from(name)), ..InputOptions::default() };
        let all = [("id", DataType::Int64), ("Quizzes", DataType::Utf8), ("solutions", DataType::LargeUtf8)];
        let found = find(&all, InputOptions::default()).unwrap();
        assert_eq!(found, [(Role::Puzzle, 1), (Role::Solution, 2), (Role::Id, 0)]);
        assert_eq!(find(&all, named("3")).unwrap()[0], (Role::Puzzle, 2));
        assert_eq!(find(&all, named("4")).unwrap_err(), "no column 4: there are 3");
        let two = [("id", DataType::Utf8), ("puzzle", DataType::Utf8)];
        assert_eq!(find(&two, named("id")).unwrap()[0], (Role::Puzzle, 0));
        let solutions = InputOptions { solution_column: named("id").column, ..InputOptions::default() };
        assert_eq!(find(&two, solutions).unwrap(), [(Role::Puzzle, 1), (Role::Solution, 0)]);
        assert_eq!(find(&all, named("x")).unwrap_err(), "no column \"x\": there are id, Quizzes, solutions");
        let reason = find(&all, named("id")).unwrap_err();
        assert_eq!(reason, "column id is Int64: puzzles are strings or lists of integers");
        let only = find(&[("x", DataType::Utf8View)], InputOptions::default()).unwrap();
        assert_eq!(only, [(Role::Puzzle, 0)]);
        let rules =
            |kind: DataType| find(&[("puzzle", DataType::Utf8), ("Rules", kind)], InputOptions::default());
        assert_eq!(rules(DataType::Utf8View).unwrap()[1], (Role::Rules, 1));
        let reason = rules(DataType::Int8).unwrap_err();
        assert_eq!(reason, "column Rules is Int8: rules and regions are strings");
        let reason = find(&[("x", DataType::Utf8), ("y", DataType::Utf8)], InputOptions::default());
        assert_eq!(reason.unwrap_err(), "no column with a puzzle (name it with --column): x, y");
        let twice = ["puzzle", "rules", "Rules"].map(|name| (name, DataType::Utf8));
        let reason = find(&twice, InputOptions::default()).unwrap_err();
        assert_eq!(reason, "rules: more than one column is called rules");
    }
}
