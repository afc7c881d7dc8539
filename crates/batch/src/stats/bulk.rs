//! Counts many records at once, for the most frequent kinds: plain 9x9 grids that were solved or counted.
//!
//! [`Statistics::record`] counts record by record. Here all are counted together: small numbers in tables on the stack,
//! which are added to the histograms at the end.

use super::figure::{Checksum, Figure};
use super::{AnsweredRecord, RatingKey, Statistics, checksum};
use quadrille_model::{Answer, Count, Counter, Counters, EndedBy, Status};
use quadrille_rating::AnyRating;

/// Result and work of a search that was not ended early.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchResult {
    /// Number of solutions found.
    pub solutions: u32,
    /// True if the search proved that there are no more solutions; false if it did not look for more.
    pub is_complete: bool,
    /// Number of search-tree nodes.
    pub nodes: u32,
    /// Number of guesses.
    pub guesses: u32,
}

impl SearchResult {
    /// The [kind](Self::kind) of records with several solutions found and possibly more.
    const SEVERAL: usize = 1;

    /// Returns 2 if there are no more solutions than found; otherwise 1 if several were found, and 0 if one was
    /// found.
    fn kind(self) -> usize {
        if self.is_complete { 2 } else { usize::from(self.solutions > 1) }
    }
}

/// Range of consecutive records, one per line, and the engine that answered them.
pub(crate) struct RecordRange<'a> {
    /// Number of the first record over the whole run, 1-based.
    pub index: u64,
    /// Name of the source.
    pub source: &'a str,
    /// Line of the first record in the source, 1-based.
    pub line: u64,
    /// Name of the engine.
    pub engine: &'static str,
    /// Reason for the choice of the engine.
    pub chosen: &'static str,
}

/// Numbers below this limit are counted in tables.
const SMALL: usize = 64;

/// Counts of small numbers.
struct Small {
    counts: [u32; SMALL],
}

impl Small {
    /// Counts a number. Returns false, without counting, if it is not small.
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

    /// Returns the numbers seen, each with its count.
    fn seen(&self) -> impl Iterator<Item = (u64, u64)> {
        (0..)
            .zip(&self.counts)
            .filter(|(_, count)| **count > 0)
            .map(|(number, &count)| (number, count.into()))
    }
}

impl Statistics {
    /// Counts the clues of consecutive records: `clues[n]` records have `n` clues.
    pub(crate) fn record_clues(&mut self, clues: &[u32]) {
        for (number, &count) in clues.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.clues.add(number, count.into());
        }
    }

    /// Counts solved records. Together with [`record_clues`](Self::record_clues), this has the effect of calling
    /// [`record`](Self::record) for each of them.
    ///
    /// - `unique`: status of the records that have no other solution.
    /// - `found`: offset from the first record, and result of the search, for each record.
    /// - `solutions`: a solution of each record, in the characters 1 to 9.
    pub(crate) fn record_solved<'a>(
        &mut self,
        origin: &RecordRange<'_>,
        unique: Status,
        found: impl Iterator<Item = (u64, SearchResult)> + Clone,
        solutions: impl Iterator<Item = &'a [u8; 81]>,
    ) {
        let statuses = [Status::Solved, Status::Multiple, unique];
        let answers = found.clone().zip(solutions);
        let answers = answers.map(|((number, found), solution)| (number, statuses[found.kind()], solution));
        let terms = checksum::terms_of_lines(origin.index, answers);
        self.record_found((origin, &[]), found, statuses, terms);
    }

    /// Counts records like [`record_solved`](Self::record_solved), if their solutions were counted and not kept.
    pub(crate) fn record_counted(
        &mut self,
        origin: &RecordRange<'_>,
        found: impl Iterator<Item = (u64, SearchResult)> + Clone,
    ) {
        let terms = found.clone().fold(0u128, |sum, (number, found)| {
            sum.wrapping_add(checksum::term_of_count(origin.index + number, found.solutions.into()))
        });
        self.record_found((origin, &[]), found, [Status::Counted; 3], terms);
    }

    /// Counts records like [`record_solved`](Self::record_solved), if they were also rated on a scale.
    pub(crate) fn record_rated(
        &mut self,
        origin: &RecordRange<'_>,
        unique: Status,
        found: impl Iterator<Item = (u64, SearchResult)> + Clone,
        (scale, rated): (&'static str, &[AnyRating]),
    ) {
        let mut text = Vec::new();
        let terms = (origin.index..).zip(rated).fold(0u128, |sum, (index, rated)| {
            sum.wrapping_add(checksum::term_of_rating(index, unique, rated, &mut text))
        });
        self.record_ratings(scale, rated);
        self.record_found((origin, rated), found, [Status::Solved, Status::Multiple, unique], terms);
    }

    /// Counts one record without a solution.
    pub(crate) fn record_refuted(&mut self, origin: &RecordRange<'_>, number: u64, answer: &Answer) {
        // A refutation by the clues alone is not credited to an engine.
        let (engine, chosen) =
            if answer.reason.is_some() { ("", "") } else { (origin.engine, origin.chosen) };
        let place = (origin.index + number, origin.source, origin.line + number);
        self.record(&AnsweredRecord { engine, chosen, ..AnsweredRecord::new(place, answer) });
    }

    /// Counts the results of searches. `statuses` are the verdicts by [kind](SearchResult::kind), `terms` is the sum of
    /// the terms of the checksum. `rated` has a rating per record, or none.
    fn record_found(
        &mut self,
        (origin, rated): (&RecordRange<'_>, &[AnyRating]),
        list: impl Iterator<Item = (u64, SearchResult)>,
        statuses: [Status; 3],
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
