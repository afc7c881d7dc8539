//! Classes of records with equal keys in one stream of records, and their numbers.

use std::path::Path;
use std::sync::Arc;

use super::ranks::Ranks;
use super::sorter::{Sorted, Sorter};
use super::summary::{Summary, Tally};
use super::table::{Full, KeyTable};
use super::{Plan, halves};
use quadrille_engine::Control;
use quadrille_model::Result;

/// Class of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Number of the class, 1-based. Classes are numbered in the order of their first records.
    pub class: u64,
    /// Number of the first record in the class.
    pub first: u64,
}

/// Immediate answer for a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// The record has no key and does not belong to a class.
    None,
    /// The class of the record.
    Known(Member),
    /// The class is not known until [`KeyGroups::finish`].
    Later,
}

/// A record whose class was only found after the whole stream was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// Number of the record.
    pub number: u64,
    /// Class of the record.
    pub member: Member,
    /// Number of records in the class, over the whole stream.
    pub size: u64,
}

/// Groups a stream of records into classes with equal keys, and numbers the classes.
///
/// Record numbers are 0-based and follow the order in which [`KeyGroups::add`] was called. If all keys fit
/// into memory and `sizes` was not requested, each call returns the class at once. Otherwise keys are sorted,
/// and [`KeyGroups::finish`] returns the classes. After an error, the results of further calls are
/// meaningless.
#[derive(Debug)]
pub struct KeyGroups {
    plan: Plan,
    records: u64,
    /// Keys of the records whose class was returned at once, or `None` after the keys were moved to the
    /// sorter.
    table: Option<KeyTable>,
    /// Set of records whose class was returned at once. It contains the first record of each class.
    ranks: Ranks,
    /// Number of the first record whose class was not returned at once.
    late_from: u64,
    /// Items with a key, a record number and a count of records.
    ///
    /// A record whose class was not returned at once has an item with the count 1. A class that was moved
    /// from the table has an item with the size of the class so far.
    late: Sorter<4>,
}

impl KeyGroups {
    /// Creates an object that groups records. It has no records yet.
    ///
    /// Keys occupy at most `memory_bytes` bytes, or [`MIN_MEMORY`](super::MIN_MEMORY) if that is more. If
    /// `sizes` is true or keys are sorted, each record takes 1 1/7 bits in addition. Temporary files are
    /// created in `directory` if they are needed.
    ///
    /// If `sizes` is true, [`add`](Self::add) never returns the class of a record at once, because the size
    /// of the class is not known before the end of the stream.
    pub fn new(memory_bytes: u64, directory: &Path, sizes: bool) -> Self {
        Self::with_plan(Plan::new(memory_bytes, directory), sizes)
    }

    pub(super) fn with_plan(plan: Plan, sizes: bool) -> Self {
        let late = Sorter::new(&plan.scratch);
        let table = (!sizes).then(|| KeyTable::new(plan.table_bytes));
        KeyGroups { plan, records: 0, table, ranks: Ranks::default(), late_from: 0, late }
    }

    /// Adds the next record. `key` is its key, or `None` if it has no key.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be created or written.
    #[inline]
    pub fn add(&mut self, key: Option<u128>) -> Result<Membership> {
        let number = self.records;
        self.records += 1;
        let Some(key) = key else { return Ok(Membership::None) };
        if let Some(table) = &mut self.table {
            match table.add(key, number) {
                Ok(place) => {
                    let first = table.entry(place).map_or(number, |entry| entry.first);
                    return Ok(Membership::Known(Member { class: place as u64 + 1, first }));
                }
                Err(Full) => self.spill(number)?,
            }
        }
        let [high, low] = halves(key);
        self.late.push([high, low, number, 1])?;
        Ok(Membership::Later)
    }

    /// Moves the classes from the table to the sorter, because the table is full.
    ///
    /// From record `number` on, the class of a record is not known before the end of the stream.
    #[cold]
    fn spill(&mut self, number: u64) -> Result<()> {
        self.late_from = number;
        for entry in self.table.take().into_iter().flat_map(KeyTable::into_entries) {
            self.ranks.extend_to(entry.first);
            self.ranks.push(true);
            let [high, low] = halves(entry.key);
            self.late.push([high, low, entry.first, entry.count])?;
        }
        Ok(())
    }

    /// Sets the control that can stop [`KeyGroups::finish`] and the iteration over its results.
    pub fn stop_by(&self, control: &Arc<Control>) {
        self.plan.scratch.stop_by(control);
    }

    /// Returns the classes that [`KeyGroups::add`] could not return at once, and the summary.
    ///
    /// If keys are on disk, this call takes about as long as all calls of [`KeyGroups::add`] together.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be created, written or read.
    /// Returns [`ErrorKind::Stopped`](quadrille_model::ErrorKind::Stopped) if the work [was
    /// stopped](Self::stop_by).
    pub fn finish(self) -> Result<Resolved> {
        let KeyGroups { plan, records, table, ranks, late_from, late } = self;
        let mut tally = Tally::default();
        table.iter().flat_map(KeyTable::entries).for_each(|entry| tally.add(entry.count, entry.first));
        let mut late = late.sorted()?;
        let mut settled = Sorter::new(&plan.scratch);
        let mut next = late.next()?;
        while let Some([high, low, first, _]) = next {
            // The size of a class is only known after its last record was read. Until then, a sorter holds
            // the records of the class, because they may not fit into memory.
            let (mut members, mut size) = (Sorter::new(&plan.scratch), 0);
            while let Some([_, _, number, count]) = next.filter(|next| next[..2] == [high, low]) {
                size += count;
                if number >= late_from {
                    members.push([number])?;
                }
                next = late.next()?;
            }
            tally.add(size, first);
            let mut members = members.sorted()?;
            while let Some([number]) = members.next()? {
                settled.push([number, first, size])?;
            }
        }
        drop(late);
        let settled = settled.sorted()?;
        let summary = Summary { records, temporary_bytes: plan.scratch.peak(), ..tally.summary() };
        Ok(Resolved { summary, members: Members { settled, ranks } })
    }
}

/// Summary of a stream, and the classes that were only found after the whole stream was read.
#[derive(Debug)]
pub struct Resolved {
    /// Counts of records and classes, and the sizes of classes.
    pub summary: Summary,
    /// Classes of all records for which [`Membership::Later`] was returned, in the order of the stream.
    pub members: Members,
}

/// Iterator over the records whose class was only found after the whole stream was read, in the order of the
/// stream.
///
/// # Errors
/// Yields an error if a temporary file cannot be read. The iterator then ends.
#[derive(Debug)]
pub struct Members {
    /// Items of record number, number of the first record in the same class, and size of the class.
    settled: Sorted<3>,
    /// Set of the records that are the first of their class. Records are added to it as `settled` is read.
    ranks: Ranks,
}

impl Iterator for Members {
    type Item = Result<Settled>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.settled.next().transpose()?;
        if next.is_err() {
            self.settled = Sorted::nothing();
        }
        Some(next.map(|[number, first, size]| {
            self.ranks.extend_to(number);
            self.ranks.push(first == number);
            Settled { number, member: Member { class: self.ranks.rank(first), first }, size }
        }))
    }
}
