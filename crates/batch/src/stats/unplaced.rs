//! Columns of the input that the output format cannot hold, and the number of records with a value in each
//! column.
//!
//! Columns are ordered by source and name, and only the first ones are listed.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::figure::{Entry, Figure, first_entries};

/// Maximum number of listed columns.
const COLUMNS: usize = 64;
/// Maximum length of a stored column name, in characters.
const LENGTH: usize = 100;

/// A column in a source for which the output format has no place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnplacedColumn {
    /// Name of the source.
    pub source: String,
    /// Name of the column, shortened if it is very long.
    pub column: String,
    /// Number of records with a value in the column.
    pub records: u64,
}

impl UnplacedColumn {
    /// Creates an entry for a column in which `records` records have a value.
    pub(super) fn new(source: &str, column: &str, records: u64) -> Self {
        UnplacedColumn { source: source.to_owned(), column: column.chars().take(LENGTH).collect(), records }
    }
}

impl Entry for UnplacedColumn {
    fn cmp_key(&self, other: &Self) -> Ordering {
        (&self.source, &self.column).cmp(&(&other.source, &other.column))
    }

    fn count(&mut self) -> &mut u64 {
        &mut self.records
    }
}

first_entries! {
    /// Columns that the output format cannot hold, sorted by source and name.
    Unplaced, "columns": UnplacedColumn; COLUMNS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(list: &[(u8, u8)]) -> Unplaced {
        let mut all = Unplaced::default();
        for (source, column) in list {
            all.add(UnplacedColumn::new(&format!("{source}.csv"), &format!("column {column}"), 1));
        }
        all
    }

    proptest! {
        #[test]
        fn parts_add_up_in_any_order(list in proptest::collection::vec((0..4u8, 0..60u8), 0..300), cut in 0..300usize) {
            let (left, right) = list.split_at(cut.min(list.len()));
            let (mut forth, mut back) = (of(left), of(right));
            forth.merge_from(&of(right));
            back.merge_from(&of(left));
            prop_assert_eq!(&forth, &of(&list));
            prop_assert_eq!(&back, &forth);
            let named: u64 = forth.list.iter().map(|column| column.records).sum();
            prop_assert_eq!(named + forth.others, list.len() as u64);
            prop_assert!(forth.list.len() <= COLUMNS);
        }
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let mut all = Unplaced::default();
        all.add(UnplacedColumn::new("a", &"ä".repeat(150), 2));
        all.add(UnplacedColumn::new("a", &"ä".repeat(151), 1));
        assert_eq!(all.list, [UnplacedColumn { source: "a".into(), column: "ä".repeat(100), records: 3 }]);
    }
}
