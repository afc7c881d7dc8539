//! Statistics for each source: statuses, clues and guesses.

use serde::{Deserialize, Serialize};

use super::figure::{ClueCounts, Figure, figures};
use super::{Histogram, Statistics, StatusCounts};
use quadrille_model::{Counter, Status};

figures! {
    /// Work on the records of one source.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub(super) struct SourceWork {
        clues: ClueCounts,
        guesses: Histogram,
    }
}

/// Statistics of one source.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SourceCounts<'a> {
    status: &'a StatusCounts,
    work: &'a SourceWork,
    /// Working time of the threads that answered the records of the source, in nanoseconds.
    ///
    /// Threads that only helped with the search for hard records are not included. The value differs from run
    /// to run.
    pub busy_ns: u64,
}

impl<'a> SourceCounts<'a> {
    /// Returns the number of records with any status.
    pub fn records(&self) -> u64 {
        self.status.0.iter().sum()
    }

    /// Returns each status that occurs and the number of records with this status.
    pub fn statuses(&self) -> impl Iterator<Item = (Status, u64)> + use<'a> {
        Status::ALL.iter().copied().zip(self.status.0).filter(|(_, count)| *count > 0)
    }

    /// Returns each number of clues that occurs and the number of grids with this many clues, in ascending
    /// order.
    pub fn clues(&self) -> impl Iterator<Item = (u32, u64)> + use<'a> {
        self.work.clues.iter()
    }

    /// Returns the histogram of guesses. Each searched record that has counters adds one value to it.
    pub fn guesses(&self) -> &'a Histogram {
        &self.work.guesses
    }
}

impl Statistics {
    /// Adds the statistics of a part of a source to the total and to the statistics of this source.
    ///
    /// `busy_ns` is the time that threads worked on the part, in nanoseconds.
    pub(crate) fn merge_part(&mut self, part: &Statistics, source: &str, busy_ns: u64) {
        self.merge(part);
        if !self.sources.contains_key(source) {
            self.sources.insert(source.to_owned(), StatusCounts::default());
            self.complete_sources();
        }
        let of_source = (
            self.sources.get_mut(source),
            self.sources_work.get_mut(source),
            self.clock.sources_ns.get_mut(source),
        );
        if let (Some(status), Some(work), Some(sum_ns)) = of_source {
            status.merge_from(&part.status);
            work.clues.merge_from(&part.clues);
            work.guesses.merge(part.work(Counter::Guesses));
            sum_ns.merge_from(&busy_ns);
        }
    }

    /// Adds an empty entry for each source that has no entry for its work, as in older files.
    pub(super) fn complete_sources(&mut self) {
        for name in self.sources.keys() {
            self.sources_work.entry(name.clone()).or_default();
            self.clock.sources_ns.entry(name.clone()).or_default();
        }
    }

    /// Returns the sources and their statistics, sorted by name.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = (&str, SourceCounts<'_>)> {
        self.sources.iter().map(|(name, status)| {
            let (work, busy_ns) = (&self.sources_work[name], self.clock.sources_ns[name]);
            (name.as_str(), SourceCounts { status, work, busy_ns })
        })
    }
}
