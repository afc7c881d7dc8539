//! Columns of sources whose values the output could not hold, with their numbers of records.
//!
//! Only the first columns by source and name are kept; values in the others are counted together. A column that is
//! among the first of a whole corpus is also among the first of each part with it, so parts add up exactly.

use serde::{Deserialize, Serialize};

use super::figure::{Figure, Parsed};

/// Maximum number of columns that are named.
const COLUMNS: usize = 64;
/// Maximum number of characters kept of a name.
const LENGTH: usize = 100;

/// A column of a source that the output could not hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnplacedColumn {
    /// Name of the source.
    pub source: String,
    /// Name of the column, or the beginning of a long name.
    pub column: String,
    /// Number of records with a value in the column.
    pub records: u64,
}

/// Columns that the output could not hold, ascending by source and name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Unplaced {
    #[serde(rename = "columns")]
    list: Vec<UnplacedColumn>,
    /// Number of values in other columns.
    others: u64,
}

impl Figure for Unplaced {
    fn merge_from(&mut self, other: &Unplaced) {
        self.others += other.others;
        other.list.iter().for_each(|of| self.add(&of.source, &of.column, of.records));
    }

    fn clear(&mut self) {
        self.list.clear();
        self.others = 0;
    }

    fn check(&mut self) -> Parsed<()> {
        self.others.check()?;
        for mut of in std::mem::take(&mut self.list) {
            of.records.check()?;
            self.add(&of.source, &of.column, of.records);
        }
        Ok(())
    }
}

impl Unplaced {
    pub(super) fn list(&self) -> &[UnplacedColumn] {
        &self.list
    }

    pub(super) fn others(&self) -> u64 {
        self.others
    }

    /// Counts records with a value in a column.
    pub(super) fn add(&mut self, source: &str, column: &str, records: u64) {
        let end = column.char_indices().nth(LENGTH).map_or(column.len(), |(end, _)| end);
        let column = &column[..end];
        let key = |of: &UnplacedColumn| (of.source.as_str(), of.column.as_str()).cmp(&(source, column));
        match self.list.binary_search_by(key) {
            Ok(place) => self.list[place].records += records,
            Err(COLUMNS..) => self.others += records,
            Err(place) => {
                self.list.insert(
                    place,
                    UnplacedColumn { source: source.to_owned(), column: column.to_owned(), records },
                );
                if self.list.len() > COLUMNS {
                    self.others += self.list.pop().map_or(0, |last| last.records);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(list: &[(u8, u8)]) -> Unplaced {
        let mut all = Unplaced::default();
        for (source, column) in list {
            all.add(&format!("{source}.csv"), &format!("column {column}"), 1);
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
            let named: u64 = forth.list().iter().map(|column| column.records).sum();
            prop_assert_eq!(named + forth.others(), list.len() as u64);
            prop_assert!(forth.list().len() <= COLUMNS);
        }
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let mut all = Unplaced::default();
        all.add("a", &"ä".repeat(150), 2);
        all.add("a", &"ä".repeat(151), 1);
        assert_eq!(all.list(), [UnplacedColumn { source: "a".into(), column: "ä".repeat(100), records: 3 }]);
    }
}
