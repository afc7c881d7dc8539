//! Statistics of a run: counters, histograms, the hardest records and a checksum.
//!
//! Every worker collects its own [`Statistics`], and they are merged at the end of the run. The files of
//! several runs can be merged too. Merging is exact and can be done in any order, so the total does not
//! depend on how the input was divided.

mod bulk;
mod checksum;
mod clock;
mod clue_map;
mod figure;
mod hardest;
mod histogram;
mod histogram_2d;
mod json;
mod numbers;
mod phases;
mod ratings;
mod reasons;
mod samples;
mod sources;
mod stops;
mod summary;
mod timeline;
mod unplaced;

#[cfg(test)]
mod tests;

pub(crate) use bulk::{RecordRange, SearchResult};
pub(crate) use checksum::{term_of_count, term_of_rating, terms_of_lines};
pub use clock::{Clock, ThreadTime, processor_ns};
pub use clue_map::ClueMap;
pub use hardest::{Drawing, Hard};
pub use histogram::{Histogram, quantile};
pub use histogram_2d::Histogram2d;
pub use numbers::{duration, grouped, number_of, percent, rounded, three_digits};
pub use phases::Phases;
pub(crate) use phases::{nanoseconds, nanoseconds_since};
pub use ratings::{RatingCounts, RatingKey};
pub use reasons::{ReasonCounts, RefusedRecord};
pub use samples::{Estimate, Interval, Population, Sample};
pub use sources::SourceCounts;
pub(crate) use stops::Stop;

pub(crate) use timeline::MemoryWatch;
pub use timeline::{TimeBin, Timeline, peak_bytes, resident_bytes};
pub use unplaced::UnplacedColumn;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

pub use figure::Checksum;
use figure::{ClueCounts, Derived, Entry, Figure, Parsed, figures, insert_first};
pub(crate) use hardest::Drawn;
use hardest::Hardest;
use json::{Endings, Schema, StatusCounts, Work, count_as_text, is_default, read_words};
use reasons::Reasons;
use serde::{Deserialize, Serialize};
use sources::SourceWork;
use unplaced::Unplaced;

use quadrille_formats::input::LineCounts;
use quadrille_formats::output::RecordResult;
use quadrille_model::{Answer, Clash, Count, Counter, EndedBy, Loss, ProblemRef, Reason, Solution, Status};

/// Maximum number of records that are listed for each reason why a search was stopped early.
const NAMED: usize = 10;

/// A record, its answer, and the work that was needed for the answer.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AnsweredRecord<'a> {
    /// 1-based number of the record in the corpus. If the input is a shard, the records of earlier shards are
    /// counted too.
    pub index: u64,
    /// Name of the source.
    pub source: &'a str,
    /// Line in the source, 1-based.
    pub line: u64,
    /// Problem of the record, or `None` if the record is unreadable.
    pub problem: Option<ProblemRef<'a>>,
    /// Verdict on the record.
    pub answer: &'a Answer,
    /// Solution that the output row shows. If the row shows several solutions, this is the first of them.
    ///
    /// `None` if the row shows something that was derived from a solution.
    pub solution: Option<Solution<'a>>,
    /// Requested result in addition to the answer, such as a rating. `None` if no such result was requested.
    pub result: Option<&'a RecordResult>,
    /// Present for an audited record, which a second engine answered again: the name of that engine, and true
    /// if both answers agree.
    pub audited: Option<(&'static str, bool)>,
    /// Hash of the grid. Present if the run only reads and converts grids.
    pub grid: Option<u128>,
    /// Name of the engine that answered the record, or an empty string if none was needed.
    pub engine: &'static str,
    /// Reason for choosing the engine.
    pub chosen: &'static str,
    /// Wall time of the search in nanoseconds, if the engine measures time.
    pub time_ns: Option<u64>,
}

impl<'a> AnsweredRecord<'a> {
    /// Creates the entry of a record for which no engine was needed.
    pub(crate) fn new((index, source, line): (u64, &'a str, u64), answer: &'a Answer) -> Self {
        AnsweredRecord {
            index,
            source,
            line,
            problem: None,
            answer,
            solution: None,
            result: None,
            audited: None,
            grid: None,
            engine: "",
            chosen: "",
            time_ns: None,
        }
    }

    /// Returns the term that the answer adds to the checksum. `index` is the number of the record.
    pub(crate) fn term(&self, index: u64) -> u128 {
        if let Some(grid) = self.grid {
            return checksum::term_of_hash(index, self.answer.status, grid);
        }
        let image = match self.result {
            Some(RecordResult::Image(image)) => Some(Solution::Digits(image.cells.as_slice())),
            _ => None,
        };
        match (image.or(self.solution), self.result.and_then(RecordResult::rated)) {
            (None, Some((_, rated))) => {
                checksum::term_of_rating(index, self.answer.status, rated, &mut Vec::new())
            }
            (solution, _) => checksum::term(index, self.answer, solution),
        }
    }
}

/// Version of the program and options of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct RunOptions {
    /// Version of the program.
    pub version: String,
    /// Options, as separate words of a command line.
    pub options: Vec<String>,
    /// Number of runs with this version and these options.
    pub runs: u64,
}

impl Entry for RunOptions {
    fn cmp_key(&self, other: &Self) -> Ordering {
        (&self.version, &self.options).cmp(&(&other.version, &other.options))
    }

    fn count(&mut self) -> &mut u64 {
        &mut self.runs
    }
}

/// Number of records that one engine answered. Counted separately for each reason why the engine was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EngineCounts {
    /// Name of the engine.
    pub engine: Cow<'static, str>,
    /// Reason for choosing the engine.
    pub chosen: Cow<'static, str>,
    /// Number of records.
    pub records: u64,
}

impl Entry for EngineCounts {
    fn cmp_key(&self, other: &Self) -> Ordering {
        (&self.engine, &self.chosen).cmp(&(&other.engine, &other.chosen))
    }

    fn count(&mut self) -> &mut u64 {
        &mut self.records
    }
}

/// Number of searches that ended for one particular reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Ended {
    records: u64,
    /// Numbers of the first records whose searches ended for this reason, in ascending order. Empty if this
    /// reason does not mean that the search was stopped early.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    first: Vec<u64>,
}

impl Figure for Ended {
    fn merge_from(&mut self, other: &Self) {
        self.records += other.records;
        other.first.iter().for_each(|index| insert_first(&mut self.first, *index, NAMED));
    }

    fn check(&mut self) -> Parsed<()> {
        self.first.sort_unstable();
        self.first.truncate(NAMED);
        self.records.check()
    }
}

figures! {
    /// Number of records that one engine answered again for an audit.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    struct Audited {
        records: u64,
        disagreed: u64,
    }
}

figures! {
    /// Totals over all records of a run.
    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    #[non_exhaustive]
    pub struct Totals {
        /// Number of records in the input, as counted by the reader.
        #[serde(rename = "in")]
        pub records_in: u64,
        #[serde(skip_deserializing)]
        answered: Derived<u64>,
        #[serde(skip_deserializing)]
        rejected: Derived<u64>,
        /// Number of rows written.
        pub rows_out: u64,
        /// Number of decompressed bytes read.
        pub bytes_in: u64,
        /// Number of lines that contain text but do not belong to a record. Older files have this count
        /// instead of counts by kind of line.
        #[serde(default)]
        skipped_lines: Derived<u64>,
        /// Number of lines read, for each kind of line.
        #[serde(default)]
        pub lines: LineCounts,
        /// Number of bytes written.
        pub bytes_out: u64,
        /// Number of records that several threads searched and for which there are no counters.
        ///
        /// Such a record has no counters if a limit stopped its search, or if the best solution was
        /// requested.
        split: u64,
        with_solution: u64,
        without_guess: u64,
        #[serde(skip_deserializing)]
        share_without_guess: Derived<Option<f64>>,
        #[serde(with = "count_as_text")]
        solutions: Count,
    }
}

figures! {
    /// Statistics of a run, of a part of a run, or of several runs.
    ///
    /// Each field is a figure. Its type determines how the figure is merged.
    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    pub struct Statistics {
        schema: Schema,
        /// Program versions and options of the runs. There is one entry per combination of version and
        /// options, in ascending order.
        pub runs: Vec<RunOptions>,
        /// Sums over all records.
        #[serde(rename = "records")]
        pub totals: Totals,
        status: StatusCounts,
        ended_by: Endings,
        clues: ClueCounts,
        /// Statistics about clues. The key is the side length of the grids. Empty in older files.
        #[serde(default, skip_serializing_if = "is_default")]
        clue_maps: BTreeMap<u32, ClueMap>,
        /// Histograms of the counters in [`Counter::SUMMED`]. The index is the counter.
        #[serde(flatten)]
        work: Work,
        /// For each letter, the number of records that were refuted because this letter occurs twice in a
        /// house.
        #[serde(rename = "letter_clashes")]
        letters: BTreeMap<char, u64>,
        /// Number of solutions for each number of automorphisms. Only filled if canonical forms were
        /// requested.
        #[serde(default, skip_serializing_if = "is_default")]
        pub solution_automorphisms: BTreeMap<u32, u64>,
        /// Number of solutions for each band class, from 1 to 416. Each solution is counted once, in the
        /// lowest class of its bands and stacks. Only filled if canonical forms were requested.
        #[serde(default, skip_serializing_if = "is_default")]
        pub bands: BTreeMap<u16, u64>,
        /// Number of records for each rating, separately for each scale. The name of a scale contains the
        /// version of the scale.
        #[serde(default, skip_serializing_if = "is_default")]
        ratings: BTreeMap<Cow<'static, str>, RatingCounts>,
        /// Weighted samples of minimal puzzles. The key is the population from which the sample was drawn.
        #[serde(default, skip_serializing_if = "is_default")]
        samples: BTreeMap<Population, Sample>,
        /// Counts of audited records. The key is the name of the second engine, which answered the records
        /// again.
        #[serde(default, skip_serializing_if = "is_default")]
        audited: BTreeMap<Cow<'static, str>, Audited>,
        /// Number of classes of equal records for each class size. Merging adds these numbers, so records of
        /// different runs are never in the same class.
        #[serde(default, skip_serializing_if = "is_default")]
        pub class_sizes: BTreeMap<u64, u64>,
        /// Number of records that lost some data, because the output format cannot hold it. The key is the
        /// kind of data.
        #[serde(default, skip_serializing_if = "is_default", rename = "lost", deserialize_with = "read_words::<Loss, _>")]
        pub losses: BTreeMap<&'static str, u64>,
        /// Columns of the input that the output format cannot hold.
        #[serde(default, skip_serializing_if = "is_default", rename = "lost_columns")]
        unplaced: Unplaced,
        /// Number of runs that stopped before the end of their input, for each reason.
        ///
        /// The reasons are `cancel`, `deadline`, `error`, and `closed` (the program that reads the output
        /// closed the pipe). The statistics of such a run cover the records that were answered before the
        /// stop.
        #[serde(default, skip_serializing_if = "is_default", rename = "stopped", deserialize_with = "read_words::<Stop, _>")]
        pub stops: BTreeMap<&'static str, u64>,
        /// Number of records for each engine and each reason why the engine was chosen. Entries are in
        /// ascending order of engine, then of reason.
        pub engines: Vec<EngineCounts>,
        #[serde(default, skip_serializing_if = "is_default")]
        reasons: Reasons,
        pub(crate) hardest: Hardest,
        /// Number of records for each source and status. Empty in older files.
        #[serde(default)]
        sources: BTreeMap<String, StatusCounts>,
        /// Work on the records of each source.
        #[serde(default)]
        sources_work: BTreeMap<String, SourceWork>,
        /// Checksum of all complete answers. It does not depend on the order of the answers (see FORMATS.md).
        pub checksum: Checksum,
        /// Times and other values that differ between runs on the same input.
        pub clock: Clock,
    }
}

impl Statistics {
    /// Creates empty statistics. The list of hardest records will contain at most `top` records.
    pub fn new(top: usize) -> Self {
        Statistics { hardest: Hardest::new(top), ..Statistics::default() }
    }

    /// Returns empty statistics that reuse the memory of the list of hardest records.
    pub(crate) fn renewed(self, top: usize) -> Self {
        Statistics { hardest: self.hardest.renewed(top), ..Statistics::default() }
    }

    /// Sets the version and the options of the run. Must be called once per run, not once per worker.
    pub fn set_run(&mut self, version: &str, options: Vec<String>) {
        self.runs = vec![RunOptions { version: version.to_owned(), options, runs: 1 }];
    }

    /// Counts a record and its answer. Must be called once per record, even if the record has several rows.
    pub fn record(&mut self, entry: &AnsweredRecord<'_>) {
        let answer = entry.answer;
        self.status.0[answer.status as usize] += 1;
        if !matches!(answer.status, Status::Invalid | Status::Unsupported | Status::Internal) {
            self.ended_by.0[answer.ended_by as usize].records += 1;
        }
        if answer.ended_by.is_early() {
            insert_first(&mut self.ended_by.0[answer.ended_by as usize].first, entry.index, NAMED);
        } else if answer.status != Status::Internal {
            self.checksum.merge_from(&Checksum(entry.term(entry.index)));
        }
        if let Some(problem @ (ProblemRef::Packed(_) | ProblemRef::Puzzle(_))) = entry.problem {
            self.clues.add(problem.clues() as usize, 1);
        }
        if matches!(answer.status, Status::Invalid | Status::Unsupported | Status::Internal | Status::Wrong) {
            let reason = answer.reason.as_ref().map_or_else(String::new, ToString::to_string);
            let place = (entry.index, entry.source, entry.line);
            self.reasons.record(answer.status, &reason, place);
        }
        match (answer.reason.as_deref(), &answer.count) {
            (Some(Reason::Clash(Clash::LetterTwiceInHouse { letter, .. })), _) => {
                *self.letters.entry(*letter).or_default() += 1;
            }
            // The clues alone refuted the puzzle, so there was no search.
            (Some(Reason::Clash(_)), _) | (_, None) => {}
            (_, Some(count)) => self.record_search(entry, count),
        }
        if !entry.engine.is_empty() {
            self.record_engine(entry.engine, entry.chosen, 1);
        }
        if let Some(RecordResult::Image(image)) = entry.result {
            if let Some(number) = image.solution_automorphisms {
                *self.solution_automorphisms.entry(number).or_default() += 1;
            }
            if let Some(class) = image.band {
                *self.bands.entry(class).or_default() += 1;
            }
        }
        if let Some((scale, rated)) = entry.result.and_then(RecordResult::rated) {
            self.record_ratings(scale, std::slice::from_ref(rated));
        }
        if let Some((engine, agrees)) = entry.audited {
            let audited = self.audited.entry(Cow::Borrowed(engine)).or_default();
            audited.records += 1;
            audited.disagreed += u64::from(!agrees);
        }
        if let Some(time) = entry.time_ns {
            self.clock.per_record.record(time);
            if let Some(work) = answer.counters {
                self.clock.guesses_by_time.record(work.guesses, time);
            }
        }
    }

    /// Counts a record that was read outside of a run, and its answer.
    pub fn record_read(&mut self, place: (u64, &str, u64), answer: &Answer) {
        let mut part = Statistics::new(0);
        part.record(&AnsweredRecord::new(place, answer));
        self.merge_part(&part, place.1, 0);
    }

    /// Counts the work and the solutions of a search.
    #[inline]
    fn record_search(&mut self, entry: &AnsweredRecord<'_>, count: &Count) {
        let counters = entry.answer.counters;
        match counters {
            Some(work) => {
                for counter in Counter::SUMMED {
                    work.get(counter)
                        .into_iter()
                        .for_each(|value| self.work.0[counter as usize].record(value));
                }
            }
            None => self.totals.split += 1,
        }
        if !count.is_zero() {
            self.totals.solutions += count;
            self.totals.with_solution += 1;
            self.totals.without_guess += u64::from(counters.is_some_and(|work| work.guesses == 0));
        }
        let rating = entry.result.and_then(RecordResult::rated).map(|(_, rated)| RatingKey::of(rated));
        self.hardest.offer(rating, counters, (entry.index, entry.source, entry.line));
    }

    fn record_engine(&mut self, engine: &'static str, chosen: &'static str, records: u64) {
        let mut list = self.engines.iter_mut();
        let share = list.find(|share| share.engine == engine && share.chosen == chosen);
        match share {
            Some(share) => share.records += records,
            None => {
                let (engine, chosen) = (Cow::Borrowed(engine), Cow::Borrowed(chosen));
                self.engines.merge_from(&vec![EngineCounts { engine, chosen, records }]);
            }
        }
    }

    /// Counts a puzzle of a weighted sample. Before this puzzle was found, `orders` random orders for
    /// removing clues were tried, including the successful order.
    pub fn record_sample(&mut self, population: Population, clues: u32, orders: u64) {
        self.totals.records_in += 1;
        self.totals.rows_out += 1;
        self.status.0[Status::Unique as usize] += 1;
        self.clues.add(clues as usize, 1);
        self.samples.entry(population).or_default().add(clues, orders);
    }

    /// Returns the weighted samples of minimal puzzles, in ascending order of their populations.
    pub fn samples(&self) -> impl Iterator<Item = (Population, &Sample)> {
        self.samples.iter().map(|(population, sample)| (*population, sample))
    }

    /// Adds other statistics. The result is exact and does not depend on the order of merging.
    ///
    /// If the two lists of hardest records have different maximum lengths, the smaller maximum applies to the
    /// result.
    pub fn merge(&mut self, other: &Statistics) {
        self.merge_from(other);
    }

    /// Returns the number of records with any status except `invalid`.
    pub fn answered(&self) -> u64 {
        self.status.0.iter().sum::<u64>() - self.rejected()
    }

    /// Returns the number of records that could not be read.
    pub fn rejected(&self) -> u64 {
        self.status(Status::Invalid)
    }

    /// Returns true if every record that was read was also answered or rejected.
    pub fn is_balanced(&self) -> bool {
        self.totals.records_in == self.answered() + self.rejected()
    }

    /// Returns the number of records that have the given status.
    pub fn status(&self, status: Status) -> u64 {
        self.status.0[status as usize]
    }

    /// Returns the number of records whose search ended for the given reason.
    pub fn ended_by(&self, ended_by: EndedBy) -> u64 {
        self.ended_by.0[ended_by as usize].records
    }

    /// Returns the numbers of the first ten records whose search ended for the given reason, in ascending
    /// order.
    pub fn first_ended_by(&self, ended_by: EndedBy) -> &[u64] {
        &self.ended_by.0[ended_by as usize].first
    }

    /// Returns each number of clues that occurs and the number of grids with this many clues, in ascending
    /// order.
    pub fn clues(&self) -> impl Iterator<Item = (u32, u64)> + Clone {
        self.clues.iter()
    }

    /// Returns the histogram of a counter. Each searched record that has counters adds one value to it.
    ///
    /// [`split`](Self::split) returns the number of records without counters. The histogram is empty if the
    /// run does not collect this counter.
    pub fn work(&self, counter: Counter) -> &Histogram {
        &self.work.0[counter as usize]
    }

    /// Returns the number of records that several threads searched and for which there are no counters.
    ///
    /// Such a record has no counters if a limit stopped its search, or if the best solution was requested.
    pub fn split(&self) -> u64 {
        self.totals.split
    }

    /// Returns the total number of solutions found in all records.
    pub fn solutions(&self) -> &Count {
        &self.totals.solutions
    }

    /// Returns the fraction of solved records that were solved without a guess, from 0 to 1.
    ///
    /// Returns `None` if no record was solved.
    pub fn share_without_guess(&self) -> Option<f64> {
        let Totals { with_solution, without_guess, .. } = self.totals;
        (with_solution > 0).then(|| without_guess as f64 / with_solution as f64)
    }

    /// Counts a value in a column that the output format cannot hold.
    pub(crate) fn record_unplaced(&mut self, source: &str, column: &str) {
        let mut list = self.unplaced.list.iter_mut();
        match list.find(|known| known.column == column && known.source == source) {
            Some(known) => known.records += 1,
            None => self.unplaced.add(UnplacedColumn::new(source, column, 1)),
        }
    }

    /// Returns the columns that the output format cannot hold, in ascending order of source and name.
    ///
    /// Only the first columns are listed. The second value is the number of values in all other columns.
    pub fn unplaced(&self) -> (&[UnplacedColumn], u64) {
        (&self.unplaced.list, self.unplaced.others)
    }

    /// Returns counts of records whose status is `invalid`, `unsupported`, `wrong` or `internal`. There is
    /// one count for each status and kind of reason.
    ///
    /// The list is in ascending order of status and kind.
    pub fn reasons(&self) -> &[ReasonCounts] {
        &self.reasons.list
    }

    /// Returns the number of records whose kind of reason is not listed. [`reasons`](Self::reasons) lists
    /// only 24 kinds.
    pub fn other_reasons(&self) -> u64 {
        self.reasons.others
    }

    /// Returns the hardest records, hardest first.
    ///
    /// Records are compared by these criteria: higher rating first, then records without counters (because
    /// several threads searched them), more guesses, more nodes, and lower number.
    pub fn hardest(&self) -> &[Hard] {
        &self.hardest.list
    }

    /// Returns the letter that occurs twice in a house in more than half of all records. Returns `None` if
    /// there is no such letter.
    ///
    /// If there is such a letter, it most likely represents empty cells in the corpus.
    pub fn likely_blank(&self) -> Option<char> {
        let total = self.answered() + self.rejected();
        self.letters.iter().find(|(_, count)| **count > total / 2).map(|(letter, _)| *letter)
    }
}
