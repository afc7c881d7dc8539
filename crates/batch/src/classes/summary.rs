//! How many classes there are, and of which sizes.

use std::collections::BTreeMap;

/// Number of classes that [`Summary::largest`] names at most.
pub const LARGEST: usize = 10;

/// The number of records and classes of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Records, with a key or without.
    pub records: u64,
    /// Records with a key.
    pub keyed: u64,
    /// Classes: different keys.
    pub classes: u64,
    /// Records that are not the first of their class: `keyed - classes`.
    pub duplicates: u64,
    /// Number of classes by size.
    pub sizes: BTreeMap<u64, u64>,
    /// The largest classes of two records and more, the larger first, of equal ones the earlier; at most [`LARGEST`].
    pub largest: Vec<Largest>,
    /// The most bytes that temporary files had at one time until the last class was known; 0 where all stayed in memory.
    /// The one figure that depends on the memory.
    pub temporary_bytes: u64,
}

/// One of the largest classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Largest {
    /// Number of its records.
    pub size: u64,
    /// Number of its first record.
    pub first: u64,
}

/// Adds up classes.
#[derive(Debug, Default)]
pub(super) struct Tally {
    summary: Summary,
    /// Number of classes of each size below, which are nearly all: a map takes ten times as long.
    small: [u64; 32],
}

impl Tally {
    /// Adds a class.
    #[inline]
    pub(super) fn add(&mut self, size: u64, first: u64) {
        match self.small.get_mut(size as usize) {
            Some(small) => *small += 1,
            None => *self.summary.sizes.entry(size).or_default() += 1,
        }
        if size > 1 {
            let largest = &mut self.summary.largest;
            let place = largest.partition_point(|one| (one.size, first) > (size, one.first));
            if place < LARGEST {
                largest.truncate(LARGEST - 1);
                largest.insert(place, Largest { size, first });
            }
        }
    }

    /// The summary of all, without the number of records and bytes.
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
