//! Merging of statistics. This module has the trait for figures, which are parts of the statistics, and
//! implements it for basic types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use quadrille_formats::input::LineCounts;
use quadrille_model::Count;

/// Maximum count in a statistics file.
///
/// Every JSON reader represents numbers up to this value exactly, and the counts in thousands of files can be
/// added without overflow.
pub(super) const MAX_COUNT: u64 = (1 << 53) - 1;

/// Result of reading a part of a statistics file. The error is the reason why that part is invalid.
pub(super) type Parsed<T> = Result<T, String>;

/// A part of the statistics that can be merged exactly and in any order.
pub(super) trait Figure {
    /// Adds another value of the same figure. That value was collected for other records.
    fn merge_from(&mut self, other: &Self);

    /// Checks a figure that was read from a file. If the figure is a list, also sorts its entries.
    fn check(&mut self) -> Parsed<()> {
        Ok(())
    }
}

/// Appends default values to a list that has fewer than `length` entries.
#[inline]
pub(super) fn grow<T: Clone + Default>(list: &mut Vec<T>, length: usize) {
    if list.len() < length {
        list.resize(length, T::default());
    }
}

/// Inserts a value into a sorted list, and removes the last value if there are then more than `most`.
#[cold]
pub(super) fn insert_first<T: Ord>(list: &mut Vec<T>, value: T, most: usize) {
    let place = list.partition_point(|known| *known <= value);
    if place < most {
        list.insert(place, value);
        list.truncate(most);
    }
}

/// Defines a struct in which every field is a figure, and implements [`Figure`] for the struct.
macro_rules! figures {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$of:meta])* $of_vis:vis $field:ident: $type:ty,)+
    }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$of])* $of_vis $field: $type,)+ }

        impl $crate::stats::figure::Figure for $name {
            fn merge_from(&mut self, other: &Self) {
                $($crate::stats::figure::Figure::merge_from(&mut self.$field, &other.$field);)+
            }

            fn check(&mut self) -> $crate::stats::figure::Parsed<()> {
                $($crate::stats::figure::Figure::check(&mut self.$field)?;)+
                Ok(())
            }
        }
    };
}

pub(super) use figures;

impl Figure for u64 {
    fn merge_from(&mut self, other: &u64) {
        *self = self.saturating_add(*other);
    }

    /// Rejects counts above the maximum, because sums of larger counts could overflow.
    fn check(&mut self) -> Parsed<()> {
        if *self <= MAX_COUNT { Ok(()) } else { Err(format!("the count {self} is too large")) }
    }
}

impl Figure for Count {
    fn merge_from(&mut self, other: &Count) {
        *self += other;
    }
}

impl Figure for LineCounts {
    fn merge_from(&mut self, other: &LineCounts) {
        *self += *other;
    }

    fn check(&mut self) -> Parsed<()> {
        self.records.check()?;
        self.others().into_iter().try_for_each(|(mut lines, _)| lines.check())
    }
}

impl<T: Figure, const N: usize> Figure for [T; N] {
    fn merge_from(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(sum, part)| sum.merge_from(part));
    }

    fn check(&mut self) -> Parsed<()> {
        self.iter_mut().try_for_each(T::check)
    }
}

impl<K: Clone + Ord, T: Figure + Default> Figure for BTreeMap<K, T> {
    fn merge_from(&mut self, other: &Self) {
        for (key, part) in other {
            match self.get_mut(key) {
                Some(sum) => sum.merge_from(part),
                None => self.entry(key.clone()).or_default().merge_from(part),
            }
        }
    }

    fn check(&mut self) -> Parsed<()> {
        self.values_mut().try_for_each(T::check)
    }
}

/// An entry of a list that is sorted by a key.
pub(super) trait Entry: Clone {
    /// Compares the keys of two entries.
    fn cmp_key(&self, other: &Self) -> std::cmp::Ordering;

    /// Returns a reference to the number of records or runs that this entry counts.
    fn count(&mut self) -> &mut u64;

    /// Checks an entry that was read from a file.
    fn check(&mut self) -> Parsed<()> {
        self.count().check()
    }

    /// Adds the counts of an entry with the same key.
    fn add(&mut self, mut other: Self) {
        self.count().merge_from(other.count());
    }
}

impl<T: Entry> Figure for Vec<T> {
    fn merge_from(&mut self, other: &Self) {
        for entry in other {
            match self.binary_search_by(|known| known.cmp_key(entry)) {
                Ok(place) => self[place].add(entry.clone()),
                Err(place) => self.insert(place, entry.clone()),
            }
        }
    }

    fn check(&mut self) -> Parsed<()> {
        self.iter_mut().try_for_each(Entry::check)?;
        for entry in std::mem::take(self) {
            self.merge_from(&vec![entry]);
        }
        Ok(())
    }
}

/// Defines a sorted list that keeps only its first entries. For the other entries, it keeps only the total
/// number of records.
///
/// If an entry is among the first entries for a whole corpus, it is also among the first entries for every
/// part of the corpus in which it occurs. Therefore lists of parts of a corpus can be merged exactly.
macro_rules! first_entries {
    ($(#[$meta:meta])* $name:ident, $key:literal: $entry:ty; $most:expr) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
        pub(super) struct $name {
            #[serde(rename = $key)]
            pub(super) list: Vec<$entry>,
            /// Number of records whose entries were not kept.
            pub(super) others: u64,
        }

        impl $crate::stats::figure::Figure for $name {
            fn merge_from(&mut self, other: &Self) {
                self.list.merge_from(&other.list);
                self.others += other.others;
                while self.list.len() > $most {
                    self.others += self.list.pop().map_or(0, |last| last.records);
                }
            }

            fn check(&mut self) -> $crate::stats::figure::Parsed<()> {
                self.list.check()?;
                self.others.check()?;
                self.merge_from(&Self::default());
                Ok(())
            }
        }

        impl $name {
            /// Adds an entry.
            pub(super) fn add(&mut self, entry: $entry) {
                self.merge_from(&$name { list: vec![entry], others: 0 });
            }
        }
    };
}

pub(super) use first_entries;

/// A value that is computed from other statistics when the file is written. It only serves the readers of the
/// file.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Derived<T>(pub(super) T);

impl<T> Figure for Derived<T> {
    fn merge_from(&mut self, _: &Self) {}
}

/// Derived values follow from other values, so comparisons ignore them.
impl<T> PartialEq for Derived<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Derived<T> {}

/// Checksum of all complete answers: the sum of one term per answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checksum(pub u128);

impl Figure for Checksum {
    fn merge_from(&mut self, other: &Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

/// List of counts. It is as long as the largest index so far requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Tally(pub(super) Vec<u64>);

impl Tally {
    /// Extends the list to at least `length` counts, and returns it.
    pub(super) fn of_length(&mut self, length: usize) -> &mut [u64] {
        grow(&mut self.0, length);
        &mut self.0
    }
}

impl Figure for Tally {
    fn merge_from(&mut self, other: &Self) {
        let counts = self.of_length(other.0.len());
        counts.iter_mut().zip(&other.0).for_each(|(sum, part)| sum.merge_from(part));
    }

    fn check(&mut self) -> Parsed<()> {
        self.0.iter_mut().try_for_each(u64::check)
    }
}

/// Number of grids for each number of clues per grid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClueCounts(pub(super) Tally);

impl ClueCounts {
    pub(super) fn add(&mut self, clues: usize, grids: u64) {
        self.0.of_length(clues + 1)[clues] += grids;
    }

    /// Returns each number of clues that occurs and the number of grids with this many clues, in ascending
    /// order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u64)> + Clone {
        (0u32..).zip(self.0.0.iter().copied()).filter(|(_, count)| *count > 0)
    }
}
