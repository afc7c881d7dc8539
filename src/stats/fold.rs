//! Many records at once of the kinds that are by far the most frequent: plain 9x9 grids of which one solution was found,
//! or whose solutions were counted.
//!
//! [`Statistics::record`] goes record by record; here all are counted together: small numbers in tables on the stack, which
//! are added to histograms at the end.

use super::{Statistics, checksum, count_at};
use crate::model::{Count, Counter, Counters, EndedBy, Status};
use crate::scales::Rated;

/// The result and the work of a search that found a solution and was not ended early.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// Solutions; at least one.
    pub solutions: u32,
    /// There are no others; else no others were looked for.
    pub is_complete: bool,
    /// Search-tree nodes.
    pub nodes: u32,
    /// Guesses.
    pub guesses: u32,
}

/// The place of records that follow each other, a line each, and the engine that answered them.
pub(crate) struct Origin<'a> {
    /// Number of the first over the whole run, from 1.
    pub index: u64,
    /// The source's name.
    pub source: &'a str,
    /// Line of the first in the source, from 1.
    pub line: u64,
    /// The engine.
    pub engine: &'static str,
    /// The reason for that engine.
    pub chosen: &'static str,
}

/// Numbers below this are counted in tables.
const SMALL: usize = 64;

/// Counts of the small numbers seen.
struct Small {
    counts: [u32; SMALL],
}

impl Small {
    /// Counts a number; `false` if it is not small.
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

    /// The numbers seen, each with the times that it was.
    fn seen(&self) -> impl Iterator<Item = (u64, u64)> {
        (0..)
            .zip(&self.counts)
            .filter(|(_, count)| **count > 0)
            .map(|(number, &count)| (number, count.into()))
    }
}

impl Statistics {
    /// Counts records that follow each other, of which one solution each was found: their numbers by clues, what each
    /// search took, and the solutions in the characters 1 to 9. The same as to [`record`](Self::record) each. `unique`
    /// is the status of those that have no other solution.
    pub(crate) fn record_solved<'a>(
        &mut self,
        origin: &Origin<'_>,
        clues: &[u32],
        unique: Status,
        found: impl Iterator<Item = Found> + Clone,
        solutions: impl Iterator<Item = &'a [u8; 81]>,
    ) {
        let statuses = [Status::Solved, unique];
        let of = |found: Found| statuses[usize::from(found.is_complete)];
        let terms = checksum::terms_of_lines(origin.index, found.clone().map(of).zip(solutions));
        self.record_found(origin, clues, found, statuses, terms);
    }

    /// The same for records whose solutions were counted.
    pub(crate) fn record_counted(
        &mut self,
        origin: &Origin<'_>,
        clues: &[u32],
        found: impl Iterator<Item = Found> + Clone,
    ) {
        let counts = (origin.index..).zip(found.clone());
        let terms = counts.fold(0u128, |sum, (index, found)| {
            sum.wrapping_add(checksum::term_of_count(index, found.solutions.into()))
        });
        self.record_found(origin, clues, found, [Status::Counted; 2], terms);
    }

    /// The same for records that were rated on a scale.
    pub(crate) fn record_rated(
        &mut self,
        origin: &Origin<'_>,
        clues: &[u32],
        unique: Status,
        found: impl Iterator<Item = Found> + Clone,
        scale: &'static str,
        rated: &[Rated],
    ) {
        let mut text = Vec::new();
        let terms = (origin.index..).zip(rated).fold(0u128, |sum, (index, rated)| {
            sum.wrapping_add(checksum::term_of_rating(index, unique, rated, &mut text))
        });
        self.record_ratings(scale, rated);
        self.record_found(origin, clues, found, [Status::Solved, unique], terms);
    }

    /// All but the answers themselves: of these the statuses, where others were not looked for and where there are none, and
    /// the sum of the checksum's `terms`.
    fn record_found(
        &mut self,
        origin: &Origin<'_>,
        clues: &[u32],
        list: impl Iterator<Item = Found>,
        [limited, whole]: [Status; 2],
        terms: u128,
    ) {
        let (mut guesses, mut nodes) = (Small { counts: [0; SMALL] }, Small { counts: [0; SMALL] });
        let (mut records, mut complete, mut solutions) = (0u64, 0u64, 0u64);
        for found in list {
            if !guesses.count(found.guesses) {
                self.work[Counter::Guesses as usize].record(found.guesses.into());
            }
            if !nodes.count(found.nodes) {
                self.work[Counter::Nodes as usize].record(found.nodes.into());
            }
            complete += u64::from(found.is_complete);
            solutions += u64::from(found.solutions);
            if self.hardest.may_admit(found.guesses.into()) {
                let (nodes, guesses) = (found.nodes.into(), found.guesses.into());
                let counters = Counters { nodes, guesses, ..Counters::default() };
                let (index, line) = (origin.index + records, origin.line + records);
                self.hardest.offer(Some(counters), index, origin.source, line);
            }
            records += 1;
        }
        if records == 0 {
            return;
        }
        self.checksum = self.checksum.wrapping_add(terms);
        self.status[whole as usize] += complete;
        self.status[limited as usize] += records - complete;
        self.ended_by[EndedBy::Complete as usize] += complete;
        self.ended_by[EndedBy::Limit as usize] += records - complete;
        for (number, &count) in clues.iter().enumerate().filter(|(_, count)| **count > 0) {
            count_at(&mut self.clues, number, count.into());
        }
        for (counter, small) in [(Counter::Guesses, &guesses), (Counter::Nodes, &nodes)] {
            let work = &mut self.work[counter as usize];
            small.seen().for_each(|(number, count)| work.record_times(number, count));
        }
        self.solutions += &Count::from(solutions);
        self.with_solution += records;
        self.without_guess += u64::from(guesses.counts[0]);
        self.record_engine(origin.engine, origin.chosen, records);
    }
}
