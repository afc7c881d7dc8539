//! The classes of equal keys of one stream.

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
    /// Number of the class, 1-based, in the order of first appearance.
    pub class: u64,
    /// Number of the first record of the class.
    pub first: u64,
}

/// Immediate answer for a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// The record has no key and is in no class.
    None,
    /// The class of the record.
    Known(Member),
    /// The class will come from [`KeyGroups::finish`].
    Later,
}

/// A record whose class was found only after the whole stream was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// Number of the record.
    pub number: u64,
    /// Class of the record.
    pub member: Member,
    /// Number of records of the class in the whole stream.
    pub size: u64,
}

/// Numbers the classes of equal keys in a stream of records.
///
/// Records are counted from 0 in the order of [`KeyGroups::add`]. Answers are immediate while all keys fit into memory
/// and no sizes are requested. After that, keys are sorted and the answers come from [`KeyGroups::finish`]. After an
/// error the results of further calls are meaningless.
#[derive(Debug)]
pub struct KeyGroups {
    plan: Plan,
    records: u64,
    /// Keys of records that were answered immediately; `None` once keys are sorted.
    table: Option<KeyTable>,
    /// Marks which of the records that were answered immediately are the first of their class.
    ranks: Ranks,
    /// Number of the first record that is answered late.
    late_from: u64,
    /// Key, number and count: 1 for a late record, the size so far for a class of the table.
    late: Sorter<4>,
}

impl KeyGroups {
    /// Creates a stream without records.
    ///
    /// The stream's keys take up to `memory_bytes`, at least [`MIN_MEMORY`](super::MIN_MEMORY), and in addition 1 1/7
    /// bits per record if sizes are requested or keys are sorted. Temporary files are made in `directory` when they are
    /// needed. With `sizes` every record with a key is answered late, because the size of its class is not known
    /// before.
    pub fn new(memory_bytes: u64, directory: &Path, sizes: bool) -> Self {
        Self::with_plan(Plan::new(memory_bytes, directory), sizes)
    }

    pub(super) fn with_plan(plan: Plan, sizes: bool) -> Self {
        let late = Sorter::new(&plan.scratch);
        let table = (!sizes).then(|| KeyTable::new(plan.table_bytes));
        KeyGroups { plan, records: 0, table, ranks: Ranks::default(), late_from: 0, late }
    }

    /// Adds the next record, given its key.
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made or written.
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

    /// Moves the classes of the table to the sorter. Record `number` is the first that is answered late.
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

    /// Sets the control that can stop [`KeyGroups::finish`] and the reading of its members.
    pub fn stop_by(&self, control: &Arc<Control>) {
        self.plan.scratch.stop_by(control);
    }

    /// Returns the late answers and the summary.
    ///
    /// If keys are on disk, the call takes about as long as all calls of [`KeyGroups::add`].
    ///
    /// # Errors
    /// Returns an error that names the directory if a temporary file cannot be made, written or read. Returns
    /// [`ErrorKind::Stopped`](quadrille_model::ErrorKind::Stopped) if the work [was stopped](Self::stop_by).
    pub fn finish(self) -> Result<Resolved> {
        let KeyGroups { plan, records, table, ranks, late_from, late } = self;
        let mut tally = Tally::default();
        table.iter().flat_map(KeyTable::entries).for_each(|entry| tally.add(entry.count, entry.first));
        let mut late = late.sorted()?;
        let mut settled = Sorter::new(&plan.scratch);
        let mut next = late.next()?;
        while let Some([high, low, first, _]) = next {
            // The size of a class is known after its last record, and a class need not fit into memory.
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

/// Summary of a stream, and the late answers.
#[derive(Debug)]
pub struct Resolved {
    /// Numbers of records and classes, and the sizes of classes.
    pub summary: Summary,
    /// Every record for which [`Membership::Later`] was returned, in order.
    pub members: Members,
}

/// Iterator over the records that are answered late, in order.
///
/// # Errors
/// Yields an error if a temporary file cannot be read; the iterator then ends.
#[derive(Debug)]
pub struct Members {
    /// Number of the record, number of the first record of its class, and size of the class.
    settled: Sorted<3>,
    /// Marks the first records of classes; grows as `settled` is read.
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
