//! Fast statistics for many records at once. The records are plain 9x9 grids that were solved or counted.
//!
//! Such records are the most frequent. [`Statistics::record`] counts one record at a time. This module is
//! faster: it counts small numbers in tables on the stack, and adds the tables to the histograms at the end.

use super::figure::{Checksum, Figure};
use super::{AnsweredRecord, RatingKey, Statistics};
use quadrille_model::{Answer, Count, Counter, Counters, EndedBy, Status};
use quadrille_rating::AnyRating;

/// Result of a complete search, or of a search that ended at its solution limit. Includes the numbers of
/// nodes and guesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchResult {
    /// Number of solutions found.
    pub solutions: u32,
    /// True if the search proved that there are no solutions other than those found. False if the search did
    /// not look for more solutions.
    pub is_complete: bool,
    /// Number of search-tree nodes.
    pub nodes: u32,
    /// Number of guesses.
    pub guesses: u32,
}

impl SearchResult {
    /// [Kind](Self::kind) of a result with several solutions and possibly more.
    const SEVERAL: usize = 1;

    /// Returns the kind of the result.
    ///
    /// - 0: one solution was found, and there may be more.
    /// - 1: several solutions were found, and there may be more.
    /// - 2: all solutions were found.
    pub(crate) fn kind(self) -> usize {
        if self.is_complete { 2 } else { usize::from(self.solutions > 1) }
    }
}

/// A range of consecutive records in a format with one record per line, and the engine that answered these
/// records.
pub(crate) struct RecordRange<'a> {
    /// 1-based number of the first record in the corpus. If the input is a shard, the records of earlier
    /// shards are counted too.
    pub index: u64,
    /// Name of the source.
    pub source: &'a str,
    /// 1-based line number of the first record in its source.
    pub line: u64,
    /// Name of the engine.
    pub engine: &'static str,
    /// Reason for choosing the engine.
    pub chosen: &'static str,
}

/// Exclusive upper limit for the values that are counted in tables.
const SMALL: usize = 64;

/// Counts of small numbers.
struct Small {
    counts: [u32; SMALL],
}

impl Small {
    /// Counts a value if it is below the limit. Returns false if it is not.
    #[inline]
    fn count(&mut self, number: u32) -> bool {
        match self.counts.get_mut(number as usize) {
            Some(count) => {
                *count += 1;
                true
            }
            None => false,
        }
    }

    /// Returns each value that occurs and the number of its occurrences, in ascending order of values.
    fn seen(&self) -> impl Iterator<Item = (u64, u64)> {
        (0..)
            .zip(&self.counts)
            .filter(|(_, count)| **count > 0)
            .map(|(number, &count)| (number, count.into()))
    }
}

impl Statistics {
    /// Counts the clues of consecutive records. `clues[n]` is the number of records with `n` clues.
    pub(crate) fn record_clues(&mut self, clues: &[u32]) {
        for (number, &count) in clues.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.clues.add(number, count.into());
        }
    }

    /// Counts a record that has no solution.
    pub(crate) fn record_refuted(&mut self, origin: &RecordRange<'_>, number: u64, answer: &Answer) {
        // If the clues already contradict each other, no engine was needed to refute the record.
        let (engine, chosen) =
            if answer.reason.is_some() { ("", "") } else { (origin.engine, origin.chosen) };
        let place = (origin.index + number, origin.source, origin.line + number);
        self.record(&AnsweredRecord { engine, chosen, ..AnsweredRecord::new(place, answer) });
    }

    /// Counts records that have a solution.
    ///
    /// Together with [`record_clues`](Self::record_clues) and [`record_ratings`](Self::record_ratings), this
    /// is equivalent to a call of [`record`](Self::record) for each record.
    ///
    /// - `rated`: one rating per record, or an empty slice.
    /// - `statuses`: status for each [kind](SearchResult::kind) of result.
    /// - `list`: for each record, its offset from the first record and its search result.
    /// - `terms`: sum of the terms that the records add to the checksum.
    pub(crate) fn record_found(
        &mut self,
        (origin, rated): (&RecordRange<'_>, &[AnyRating]),
        statuses: [Status; 3],
        list: impl Iterator<Item = (u64, SearchResult)>,
        terms: u128,
    ) {
        let (mut guesses, mut nodes) = (Small { counts: [0; SMALL] }, Small { counts: [0; SMALL] });
        let (mut records, mut complete, mut several, mut solutions) = (0u64, 0u64, 0u64, 0u64);
        for (number, found) in list {
            if !guesses.count(found.guesses) {
                self.work.0[Counter::Guesses as usize].record(found.guesses.into());
            }
            if !nodes.count(found.nodes) {
                self.work.0[Counter::Nodes as usize].record(found.nodes.into());
            }
            complete += u64::from(found.is_complete);
            several += u64::from(found.kind() == SearchResult::SEVERAL);
            solutions += u64::from(found.solutions);
            let rating = rated.get(number as usize).map(RatingKey::of);
            if self.hardest.may_admit(rating, found.guesses.into()) {
                let (nodes, guesses) = (found.nodes.into(), found.guesses.into());
                let counters = Counters { nodes, guesses, ..Counters::default() };
                let place = (origin.index + number, origin.source, origin.line + number);
                self.hardest.offer(rating, Some(counters), place);
            }
            records += 1;
        }
        if records == 0 {
            return;
        }
        self.checksum.merge_from(&Checksum(terms));
        for (status, count) in statuses.into_iter().zip([records - complete - several, several, complete]) {
            self.status.0[status as usize] += count;
        }
        self.ended_by.0[EndedBy::Complete as usize].records += complete;
        self.ended_by.0[EndedBy::Limit as usize].records += records - complete;
        for (counter, small) in [(Counter::Guesses, &guesses), (Counter::Nodes, &nodes)] {
            let work = &mut self.work.0[counter as usize];
            small.seen().for_each(|(number, count)| work.record_times(number, count));
        }
        self.totals.solutions += &Count::from(solutions);
        self.totals.with_solution += records;
        self.totals.without_guess += u64::from(guesses.counts[0]);
        self.record_engine(origin.engine, origin.chosen, records);
    }
}
