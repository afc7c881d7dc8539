//! Results by source: statuses, clues, guesses.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Histogram, Statistics, count_at};
use quadrille_model::{Counter, Status};

/// Statistics of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceCounts {
    pub(super) status: [u64; Status::ALL.len()],
    /// Number of grids by their number of clues.
    pub(super) clues: Vec<u64>,
    pub(super) guesses: Histogram,
    /// Working time of the threads that answered the source's records, in nanoseconds.
    ///
    /// Excludes threads that helped with hard records. Depends on the clock.
    pub busy_ns: u64,
}

impl SourceCounts {
    /// Returns the number of records of any status.
    pub fn records(&self) -> u64 {
        self.status.iter().sum()
    }

    /// Returns the statuses that occur, with the number of records for each.
    pub fn statuses(&self) -> impl Iterator<Item = (Status, u64)> {
        Status::ALL
            .iter()
            .map(|&status| (status, self.status[status as usize]))
            .filter(|(_, count)| *count > 0)
    }

    /// Returns numbers of clues with the number of grids for each, ascending.
    pub fn clues(&self) -> impl Iterator<Item = (u32, u64)> {
        (0u32..).zip(self.clues.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// Returns the guesses of the records that one search answered, one value per record.
    pub fn guesses(&self) -> &Histogram {
        &self.guesses
    }

    fn add_part(&mut self, part: &Statistics, busy_ns: u64) {
        self.status.iter_mut().zip(part.status).for_each(|(sum, count)| *sum += count);
        for (clues, &count) in part.clues.iter().enumerate().filter(|(_, count)| **count > 0) {
            count_at(&mut self.clues, clues, count);
        }
        self.guesses.merge(part.work(Counter::Guesses));
        self.busy_ns = self.busy_ns.saturating_add(busy_ns);
    }

    pub(super) fn add(&mut self, other: &SourceCounts) {
        self.status.iter_mut().zip(other.status).for_each(|(sum, count)| *sum += count);
        for (clues, count) in other.clues() {
            count_at(&mut self.clues, clues as usize, count);
        }
        self.guesses.merge(&other.guesses);
        self.busy_ns = self.busy_ns.saturating_add(other.busy_ns);
    }
}

/// Statistics of sources by name.
pub(super) type Sources = BTreeMap<Arc<str>, SourceCounts>;

impl Statistics {
    /// Merges the statistics of a part of a source, both into the total and into those of the source. The part took
    /// `busy_ns` nanoseconds of work.
    pub(crate) fn merge_part(&mut self, part: &Statistics, source: &Arc<str>, busy_ns: u64) {
        self.merge(part);
        match self.sources.get_mut(source) {
            Some(share) => share.add_part(part, busy_ns),
            None => self.sources.entry(Arc::clone(source)).or_default().add_part(part, busy_ns),
        }
    }

    /// Returns the sources with their statistics, by name.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = (&str, &SourceCounts)> {
        self.sources.iter().map(|(name, share)| (&**name, share))
    }
}
