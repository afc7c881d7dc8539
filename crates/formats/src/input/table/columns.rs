//! Finds the columns of a table that make up a record, by name, number or type.

use arrow_schema::{DataType, Schema};

use crate::input::column_names::{
    PUZZLE_NAMES, REGION_NAMES, RULE_NAMES, SOLUTION_NAMES, doubled, last_added,
};
use crate::input::{ColumnRef, InputOptions, OtherColumns, Role, TableColumn};

/// Columns by their 0-based places in a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnPlaces {
    /// Columns of a record with their roles, in the order of a row's text. The first is the puzzle.
    of_record: Vec<(Role, usize)>,
    /// Columns that are not part of a record, if they are wanted.
    pub(super) others: Vec<usize>,
    /// True if the puzzles are lists of numbers.
    pub(super) lists: bool,
}

impl ColumnPlaces {
    /// Finds the columns of a schema.
    ///
    /// # Errors
    /// Returns the reason if there is no column of puzzles, or if a column has an unsupported type.
    pub(super) fn find(schema: &Schema, options: &InputOptions) -> Result<Self, String> {
        let fields = schema.fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&&*name.to_lowercase()));
        let place_of =
            |column: &Option<ColumnRef>| column.as_ref().map(|column| column.place_in(&names)).transpose();
        let puzzle = place_of(&options.column)?.or_else(|| find(PUZZLE_NAMES));
        // A table with a single column of a suitable type is unambiguous.
        let only = || (fields.len() == 1 && is_text(fields[0].data_type())).then_some(0);
        let Some(puzzle) = puzzle.or_else(only) else {
            return Err(format!("no column with a puzzle (name it with --column): {}", names.join(", ")));
        };
        let solution = place_of(&options.solution_column)?;
        let solution = solution.or_else(|| find(SOLUTION_NAMES)).filter(|column| *column != puzzle);
        let id = last_added(names.iter().map(String::as_str), options.id_names)
            .filter(|&column| is_id(fields[column].data_type()));
        if let Some(reason) = doubled(names.iter().map(String::as_str)) {
            return Err(reason);
        }
        let lists = is_list(fields[puzzle].data_type());
        let of_record = [
            (Role::Puzzle, Some(puzzle)),
            (Role::Solution, solution),
            (Role::Id, id),
            (Role::Rules, find(RULE_NAMES)),
            (Role::Regions, find(REGION_NAMES)),
        ];
        let of_record: Vec<(Role, usize)> =
            of_record.into_iter().filter_map(|(role, column)| Some((role, column?))).collect();
        for &(role, column) in &of_record {
            let (is_right, what): (fn(&DataType) -> bool, _) = match role {
                Role::Puzzle | Role::Solution => (is_text, "puzzles are strings or lists of integers"),
                // Rules that cannot be read must not be ignored.
                Role::Rules => (is_string, "rules and regions are strings"),
                Role::Regions => (is_text, "rules and regions are strings or lists of integers"),
                Role::Id | Role::Other => continue,
            };
            let (name, kind) = (fields[column].name(), fields[column].data_type());
            if !is_right(kind) {
                return Err(format!("column {name} is {kind}: {what}"));
            }
        }
        let mut columns = ColumnPlaces { of_record, others: Vec::new(), lists };
        if options.other_columns != OtherColumns::Unused {
            let known = columns.wanted();
            columns.others.extend((0..fields.len()).filter(|column| !known.contains(column)));
        }
        Ok(columns)
    }

    /// Returns all columns in table order, with their places in the text of a row. Needs all columns to be wanted.
    pub(super) fn in_order(&self, schema: &Schema) -> Vec<TableColumn> {
        let is_plain = |kind: &DataType| kind.is_numeric() || *kind == DataType::Boolean;
        let column = |(field, place): (usize, usize)| {
            let of = schema.field(place);
            (place, TableColumn { name: of.name().clone(), field, is_plain: is_plain(of.data_type()) })
        };
        let mut all: Vec<_> = self.in_text().enumerate().map(column).collect();
        all.sort_unstable_by_key(|&(place, _)| place);
        all.into_iter().map(|(_, column)| column).collect()
    }

    /// Returns the places of the columns in the order of a row's text.
    pub(super) fn in_text(&self) -> impl Iterator<Item = usize> {
        self.of_record.iter().map(|&(_, column)| column).chain(self.others.iter().copied())
    }

    /// Returns the roles of the columns of a record, without the puzzle.
    pub(super) fn roles(&self) -> Vec<Role> {
        self.of_record[1..].iter().map(|&(role, _)| role).collect()
    }

    /// Returns true if a record has a column of this role.
    pub(super) fn has(&self, role: Role) -> bool {
        self.of_record.iter().any(|&(other, _)| other == role)
    }

    /// Returns the places of all columns, ascending.
    pub(super) fn wanted(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.in_text().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the places of the columns in a table that has only these.
    pub(super) fn of_wanted(&self) -> Self {
        let wanted = self.wanted();
        let place = |column: usize| wanted.partition_point(|&other| other < column);
        ColumnPlaces {
            of_record: self.of_record.iter().map(|&(role, column)| (role, place(column))).collect(),
            others: self.others.iter().copied().map(place).collect(),
            lists: self.lists,
        }
    }
}

/// Returns true for strings of any representation.
fn is_string(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_string(values),
        DataType::FixedSizeBinary(_) | DataType::Null => true,
        _ => kind.is_string() || kind.is_binary(),
    }
}

/// Returns true for lists of integers, and lists of such lists.
fn is_list(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            item.data_type().is_integer() || is_list(item.data_type())
        }
        _ => false,
    }
}

fn is_text(kind: &DataType) -> bool {
    is_string(kind) || is_list(kind)
}

fn is_id(kind: &DataType) -> bool {
    is_string(kind) || kind.is_integer()
}

#[cfg(test)]
mod tests {
    use arrow_schema::Field;

    use super::*;

    fn find(fields: &[(&str, DataType)], options: InputOptions) -> Result<ColumnPlaces, String> {
        let fields: Vec<Field> =
            fields.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true)).collect();
        ColumnPlaces::find(&Schema::new(fields), &options)
    }

    #[test]
    fn columns_are_found_by_name_or_number_or_as_the_only_one() {
        let named =
            |name: &str| InputOptions { column: Some(ColumnRef::from_text(name)), ..InputOptions::default() };
        let all = [("id", DataType::Int64), ("Quizzes", DataType::Utf8), ("solutions", DataType::LargeUtf8)];
        let found = find(&all, InputOptions::default()).unwrap();
        assert_eq!(found.of_record, [(Role::Puzzle, 1), (Role::Solution, 2), (Role::Id, 0)]);
        assert_eq!((found.wanted(), found.of_wanted()), (vec![0, 1, 2], found));
        assert_eq!(find(&all, named("3")).unwrap().of_record[0], (Role::Puzzle, 2));
        assert_eq!(find(&all, named("4")).unwrap_err(), "no column 4: there are 3");
        assert_eq!(find(&all, named("x")).unwrap_err(), "no column \"x\": there are id, Quizzes, solutions");
        let reason = find(&all, named("id")).unwrap_err();
        assert_eq!(reason, "column id is Int64: puzzles are strings or lists of integers");
        let only = find(&[("x", DataType::Utf8View)], InputOptions::default()).unwrap();
        assert_eq!(only.of_record, [(Role::Puzzle, 0)]);
        let rules =
            |kind: DataType| find(&[("puzzle", DataType::Utf8), ("Rules", kind)], InputOptions::default());
        assert_eq!(rules(DataType::Utf8View).unwrap().of_record[1], (Role::Rules, 1));
        let reason = rules(DataType::Int8).unwrap_err();
        assert_eq!(reason, "column Rules is Int8: rules and regions are strings");
        let reason = find(&[("x", DataType::Utf8), ("y", DataType::Utf8)], InputOptions::default());
        assert_eq!(reason.unwrap_err(), "no column with a puzzle (name it with --column): x, y");
        let twice = ["puzzle", "rules", "Rules"].map(|name| (name, DataType::Utf8));
        let reason = find(&twice, InputOptions::default()).unwrap_err();
        assert_eq!(reason, "rules: more than one column is called rules");
    }
}
