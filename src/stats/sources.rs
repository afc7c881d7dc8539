//! The statuses of the records of each source.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Statistics;
use crate::model::Status;

/// The account of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceShare {
    pub(super) status: [u64; Status::ALL.len()],
    /// Nanoseconds of the threads that answered its records, those that helped with hard ones aside. Depends on the clock.
    pub busy_ns: u64,
}

impl SourceShare {
    /// Records of any status.
    pub fn records(&self) -> u64 {
        self.status.iter().sum()
    }

    /// Statuses that records of it have, each with their number.
    pub fn statuses(&self) -> impl Iterator<Item = (Status, u64)> {
        Status::ALL
            .iter()
            .map(|&status| (status, self.status[status as usize]))
            .filter(|(_, count)| *count > 0)
    }

    pub(super) fn add(&mut self, other: &SourceShare) {
        self.status.iter_mut().zip(other.status).for_each(|(sum, count)| *sum += count);
        self.busy_ns = self.busy_ns.saturating_add(other.busy_ns);
    }
}

/// Shares by the names of sources.
pub(super) type Sources = BTreeMap<Arc<str>, SourceShare>;

impl Statistics {
    /// Adds the account of a part of a source, which took so long; this one has been there as a whole before.
    pub(crate) fn merge_part(&mut self, part: &Statistics, source: &Arc<str>, busy_ns: u64) {
        self.merge(part);
        let share = SourceShare { status: part.status, busy_ns };
        match self.sources.get_mut(source) {
            Some(sum) => sum.add(&share),
            None => drop(self.sources.insert(Arc::clone(source), share)),
        }
    }

    /// The sources of the records, by name, each with what came of it.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = (&str, &SourceShare)> {
        self.sources.iter().map(|(name, share)| (&**name, share))
    }
}
