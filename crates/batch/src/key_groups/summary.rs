//! Numbers of classes, and their sizes.

use std::collections::BTreeMap;

/// Maximum number of classes listed in [`Summary::largest`].
pub const MAX_LISTED: usize = 10;

/// Numbers of records and classes of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of records, with or without a key.
    pub records: u64,
    /// Number of records with a key.
    pub keyed: u64,
    /// Number of classes, that is, of different keys.
    pub classes: u64,
    /// Number of records that are not the first of their class: `keyed - classes`.
    pub duplicates: u64,
    /// Number of classes by size.
    pub sizes: BTreeMap<u64, u64>,
    /// Largest classes of at least two records, largest first, ties by first record; at most [`MAX_LISTED`].
    pub largest: Vec<Largest>,
    /// Largest total size of temporary files until the last class was known, in bytes; 0 without files.
    ///
    /// This size is the only figure of the summary that depends on the memory limit.
    pub temporary_bytes: u64,
}

/// One of the largest classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Largest {
    /// Number of records of the class.
    pub size: u64,
    /// Number of the first record of the class.
    pub first: u64,
}

/// Counts classes and keeps the largest.
#[derive(Debug, Default)]
pub(super) struct Tally {
    summary: Summary,
    /// Number of classes by size, for sizes below 32: nearly all. A map takes ten times as long.
    small: [u64; 32],
}

impl Tally {
    /// Adds a class, given its size and its first record.
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

    /// Returns the summary, without the numbers of records and bytes.
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
