//! Counts of records and classes, and the sizes of classes.

use std::collections::BTreeMap;

/// Maximum number of classes listed in [`Summary::largest`].
pub const MAX_LISTED: usize = 10;

/// Counts of the records and classes in a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of records, including records without a key.
    pub records: u64,
    /// Number of records with a key.
    pub keyed: u64,
    /// Number of classes, which is the number of different keys.
    pub classes: u64,
    /// Number of records that are not the first record of their class. This equals `keyed - classes`.
    pub duplicates: u64,
    /// Number of classes by size.
    pub sizes: BTreeMap<u64, u64>,
    /// Largest classes of at least two records, at most [`MAX_LISTED`] of them.
    ///
    /// Classes are sorted by size, largest first. Classes of equal size are sorted by first record.
    pub largest: Vec<Largest>,
    /// Largest total size of the temporary files, in bytes, before the last class was found. 0 if there were
    /// no files.
    ///
    /// Among the values of the summary, only this value depends on the memory limit.
    pub temporary_bytes: u64,
}

/// One of the largest classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Largest {
    /// Number of records in the class.
    pub size: u64,
    /// Number of the first record in the class.
    pub first: u64,
}

/// Counter of classes by size, which also keeps the largest classes.
#[derive(Debug, Default)]
pub(super) struct Tally {
    summary: Summary,
    /// Number of classes for each size below 32. Nearly all classes are this small.
    ///
    /// Counting these classes in a map instead would take ten times as long.
    small: [u64; 32],
}

impl Tally {
    /// Adds a class with `size` records. `first` is the number of its first record.
    #[inline]
    pub(super) fn add(&mut self, size: u64, first: u64) {
        match self.small.get_mut(size as usize) {
            Some(small) => *small += 1,
            None => *self.summary.sizes.entry(size).or_default() += 1,
        }
        if size > 1 {
            let largest = &mut self.summary.largest;
            let place = largest.partition_point(|one| (one.size, first) > (size, one.first));
            if place < MAX_LISTED {
                largest.truncate(MAX_LISTED - 1);
                largest.insert(place, Largest { size, first });
            }
        }
    }

    /// Returns the summary. The caller must still set the number of records and the size of temporary files.
    pub(super) fn summary(self) -> Summary {
        let mut summary = self.summary;
        let small = (0..).zip(self.small).filter(|&(_, classes)| classes > 0);
        summary.sizes.extend(small);
        summary.classes = summary.sizes.values().sum();
        summary.keyed = summary.sizes.iter().map(|(size, classes)| size * classes).sum();
        summary.duplicates = summary.keyed - summary.classes;
        summary
    }
}
