//! The statistics of a run: counters, histograms, the hardest records and a checksum.
//!
//! Every worker collects its own [`Statistics`]. They are merged at the end, as are the files of several runs. Every
//! part merges exactly and in any order, so the total does not depend on how the input was divided.

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
use figure::{ClueCounts, Derived, Entry, Figure, Parsed, figures};
pub(crate) use hardest::Drawn;
use hardest::Hardest;
use json::{Endings, Schema, StatusCounts, Work, count_as_text, is_default, read_words};
use reasons::Reasons;
use serde::{Deserialize, Serialize};
use sources::SourceWork;
use unplaced::Unplaced;

use quadrille_formats::input::LineCounts;
use quadrille_formats::output::RecordResult;
use quadrille_model::{
    Answer, Clash, Count, Counter, EndedBy, Loss, Losses, ProblemRef, Reason, Solution, Status,
};

/// Maximum number of records listed for each reason to end a search early.
const NAMED: usize = 10;

/// A record with its answer and the work it took.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AnsweredRecord<'a> {
    /// Number of the record over the whole run, 1-based.
    pub index: u64,
    /// Name of the source.
    pub source: &'a str,
    /// Line in the source, 1-based.
    pub line: u64,
    /// Problem of the record; `None` if the record is unreadable.
    pub problem: Option<ProblemRef<'a>>,
    /// Verdict on the record.
    pub answer: &'a Answer,
    /// Solution shown, or the first of several solutions. `None` if the answer is something derived from a solution.
    pub solution: Option<Solution<'a>>,
    /// Result of the verb, if it has one besides the answer.
    pub result: Option<&'a RecordResult>,
    /// Name of the second engine that answered the record again, and true if it agreed.
    pub audited: Option<(&'static str, bool)>,
    /// Hash of the grid as read, if that is the answer.
    pub grid: Option<u128>,
    /// Name of the engine that answered; empty if none was needed.
    pub engine: &'static str,
    /// Reason for the choice of the engine.
    pub chosen: &'static str,
    /// Wall time of the search in nanoseconds, if the engine measures it.
    pub time_ns: Option<u64>,
}

impl<'a> AnsweredRecord<'a> {
    /// Creates the entry of a record that no engine searched.
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

    /// Returns the term of the answer in the checksum, as if the record had number `index`.
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

/// Version and options of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct RunOptions {
    /// Version of the program.
    pub version: String,
    /// Words of the options, as on the command line.
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

/// Number of records answered by one engine that was chosen for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EngineCounts {
    /// Name of the engine.
    pub engine: Cow<'static, str>,
    /// Reason for the choice of the engine.
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

/// Searches that ended for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Ended {
    records: u64,
    /// Numbers of the first records, ascending, if the search ended early.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    first: Vec<u64>,
}

impl Ended {
    /// Inserts the number of a record, unless enough smaller numbers are known.
    fn name(&mut self, index: u64) {
        if self.first.len() < NAMED || self.first.last().is_some_and(|last| index < *last) {
            let place = self.first.partition_point(|other| *other <= index);
            self.first.insert(place, index);
            self.first.truncate(NAMED);
        }
    }
}

impl Figure for Ended {
    fn merge_from(&mut self, other: &Self) {
        self.records += other.records;
        other.first.iter().for_each(|index| self.name(*index));
    }

    fn check(&mut self) -> Parsed<()> {
        self.first.sort_unstable();
        self.first.truncate(NAMED);
        self.records.check()
    }
}

figures! {
    /// Records that one engine answered again.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    struct Audited {
        records: u64,
        disagreed: u64,
    }
}

figures! {
    /// Sums over all records of a run.
    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    #[non_exhaustive]
    pub struct Totals {
        /// Number of records read, as counted by the reader.
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
        /// Number of lines with text that are not part of a record; all that older files have.
        #[serde(default)]
        skipped_lines: Derived<u64>,
        /// Numbers of lines read, by kind.
        #[serde(default)]
        pub lines: LineCounts,
        /// Number of bytes written.
        pub bytes_out: u64,
        /// Number of split records without counters, because a limit stopped them or the best was sought.
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
    /// Each figure is one row: its name, its type, which has the rule of merging, and its key in the file.
    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    pub struct Statistics {
        schema: Schema,
        /// Runs, one entry per combination of version and options, ascending.
        pub runs: Vec<RunOptions>,
        /// Sums over all records.
        #[serde(rename = "records")]
        pub totals: Totals,
        status: StatusCounts,
        ended_by: Endings,
        clues: ClueCounts,
        /// Clues by the side of the grids. Older files have none.
        #[serde(default, skip_serializing_if = "is_default")]
        clue_maps: BTreeMap<u32, ClueMap>,
        /// Histograms of the counters that are summed, by counter.
        #[serde(flatten)]
        work: Work,
        /// Number of records refuted because a letter occurs twice in a house, by letter.
        #[serde(rename = "letter_clashes")]
        letters: BTreeMap<char, u64>,
        /// Number of solutions by the number of their automorphisms, if canonical forms were requested.
        #[serde(default, skip_serializing_if = "is_default")]
        pub solution_automorphisms: BTreeMap<u32, u64>,
        /// Number of solutions by the class of their best band, 1 to 416, if canonical forms were requested.
        #[serde(default, skip_serializing_if = "is_default")]
        pub bands: BTreeMap<u16, u64>,
        /// Counts by scale; the name of a scale contains its version.
        #[serde(default, skip_serializing_if = "is_default")]
        ratings: BTreeMap<Cow<'static, str>, RatingCounts>,
        /// Weighted samples of minimal puzzles, by population.
        #[serde(default, skip_serializing_if = "is_default")]
        samples: BTreeMap<Population, Sample>,
        /// Records that a second engine answered again, by that engine.
        #[serde(default, skip_serializing_if = "is_default")]
        audited: BTreeMap<Cow<'static, str>, Audited>,
        /// Number of classes of equal records by their size, counted per run.
        #[serde(default, skip_serializing_if = "is_default")]
        pub class_sizes: BTreeMap<u64, u64>,
        /// Number of records that lost a part because the output format cannot hold it, by kind of part.
        #[serde(default, skip_serializing_if = "is_default", rename = "lost", deserialize_with = "read_words::<Loss, _>")]
        pub losses: BTreeMap<&'static str, u64>,
        /// Columns that the output format could not hold.
        #[serde(default, skip_serializing_if = "is_default", rename = "lost_columns")]
        unplaced: Unplaced,
        /// Number of runs that ended before their input, by the reason: `cancel`, `deadline`, `error`, or `closed` (the
        /// reader of the output closed it). The statistics of such runs cover the records answered until then.
        #[serde(default, skip_serializing_if = "is_default", rename = "stopped", deserialize_with = "read_words::<Stop, _>")]
        pub stops: BTreeMap<&'static str, u64>,
        /// Records by engine, ascending by engine and reason.
        pub engines: Vec<EngineCounts>,
        #[serde(default, skip_serializing_if = "is_default")]
        reasons: Reasons,
        hardest: Hardest,
        /// Verdicts by source. Older files have none.
        #[serde(default)]
        sources: BTreeMap<String, StatusCounts>,
        /// Work for the records of a source.
        #[serde(default)]
        sources_work: BTreeMap<String, SourceWork>,
        /// Sum over all complete answers, independent of their order (see FORMATS.md).
        pub checksum: Checksum,
        /// Measured times and other values that differ from run to run.
        pub clock: Clock,
    }
}

impl Statistics {
    /// Creates empty statistics that keep the hardest `top` records.
    pub fn new(top: usize) -> Self {
        Statistics { hardest: Hardest::new(top), ..Statistics::default() }
    }

    /// Returns empty statistics that reuse the memory of the hardest records.
    pub(crate) fn renewed(self, top: usize) -> Self {
        Statistics { hardest: self.hardest.renewed(top), ..Statistics::default() }
    }

    /// Sets version and options of the run. To be called once per run, not once per worker.
    pub fn set_run(&mut self, version: &str, options: Vec<String>) {
        self.runs = vec![RunOptions { version: version.to_owned(), options, runs: 1 }];
    }

    /// Counts a record and its answer. To be called once per record, even if it has several rows.
    pub fn record(&mut self, entry: &AnsweredRecord<'_>) {
        let answer = entry.answer;
        self.status.0[answer.status as usize] += 1;
        if !matches!(answer.status, Status::Invalid | Status::Unsupported | Status::Internal) {
            self.ended_by.0[answer.ended_by as usize].records += 1;
        }
        if answer.ended_by.is_early() {
            self.ended_by.0[answer.ended_by as usize].name(entry.index);
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
            // Refuted by its clues: there was no search.
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

    /// Counts a record of a source that was read outside of a run, with its answer.
    pub fn record_read(&mut self, place: (u64, &str, u64), answer: &Answer) {
        let mut part = Statistics::new(0);
        part.record(&AnsweredRecord::new(place, answer));
        self.merge_part(&part, place.1, 0);
    }

    /// Adds drawings to the hardest records, if `drawing` returns one for the number of the record.
    ///
    /// A record gets none if `drawn` is full and the record ranks below all of its entries.
    pub(crate) fn draw_hardest(&mut self, drawn: &mut Drawn, drawing: impl FnMut(u64) -> Option<Drawing>) {
        self.hardest.draw(drawn, drawing);
    }

    /// Adds a drawing to the record counted last, if it is among the hardest.
    pub(crate) fn draw_newest(
        &mut self,
        drawn: &mut Drawn,
        index: u64,
        drawing: impl FnOnce() -> Option<Drawing>,
    ) {
        self.hardest.draw_newest(drawn, index, drawing);
    }

    /// Counts the work of a search.
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
        // The names are static, so usually the pointers are equal and the bytes need not be compared.
        let same = |known: &Cow<'static, str>, name: &'static str| {
            std::ptr::eq::<str>(&**known, name) || *known == name
        };
        let share =
            self.engines.iter_mut().find(|share| same(&share.engine, engine) && same(&share.chosen, chosen));
        match share {
            Some(share) => share.records += records,
            None => {
                let (engine, chosen) = (Cow::Borrowed(engine), Cow::Borrowed(chosen));
                self.engines.merge_from(&vec![EngineCounts { engine, chosen, records }]);
            }
        }
    }

    /// Counts a puzzle of a weighted sample, and the orders of removal that it took.
    pub fn record_sample(&mut self, population: Population, clues: u32, orders: u64) {
        self.totals.records_in += 1;
        self.totals.rows_out += 1;
        self.status.0[Status::Unique as usize] += 1;
        self.clues.add(clues as usize, 1);
        self.samples.entry(population).or_default().add(clues, orders);
    }

    /// Returns weighted samples of minimal puzzles by their population, ascending.
    pub fn samples(&self) -> impl Iterator<Item = (Population, &Sample)> {
        self.samples.iter().map(|(population, sample)| (*population, sample))
    }

    /// Adds other statistics, exactly and in any order. Keeps the smaller of the two numbers of hardest records.
    pub fn merge(&mut self, other: &Statistics) {
        self.merge_from(other);
    }

    /// Returns the number of records with an answer of any kind except `invalid`.
    pub fn answered(&self) -> u64 {
        self.status.0.iter().sum::<u64>() - self.rejected()
    }

    /// Returns the number of records that could not be read.
    pub fn rejected(&self) -> u64 {
        self.status(Status::Invalid)
    }

    /// Returns true if every record read was answered or rejected exactly once.
    pub fn is_balanced(&self) -> bool {
        self.totals.records_in == self.answered() + self.rejected()
    }

    /// Returns the number of records with this verdict.
    pub fn status(&self, status: Status) -> u64 {
        self.status.0[status as usize]
    }

    /// Returns the number of records whose search ended for this reason.
    pub fn ended_by(&self, ended_by: EndedBy) -> u64 {
        self.ended_by.0[ended_by as usize].records
    }

    /// Returns the numbers of the first records, at most ten, whose search ended for this reason; ascending.
    pub fn first_ended_by(&self, ended_by: EndedBy) -> &[u64] {
        &self.ended_by.0[ended_by as usize].first
    }

    /// Returns numbers of clues with the number of grids for each, ascending.
    pub fn clues(&self) -> impl Iterator<Item = (u32, u64)> {
        self.clues.iter()
    }

    /// Returns a counter's values, one per record that a single search answered; empty if the counter is not collected.
    pub fn work(&self, counter: Counter) -> &Histogram {
        &self.work.0[counter as usize]
    }

    /// Returns the number of records split over threads that have no counters.
    ///
    /// Such a record was stopped by a limit, or its best solution was sought.
    pub fn split(&self) -> u64 {
        self.totals.split
    }

    /// Returns the number of solutions found in all records together.
    pub fn solutions(&self) -> &Count {
        &self.totals.solutions
    }

    /// Returns the share, from 0 to 1, of the solved records that took no guess, or `None` if none was solved.
    pub fn share_without_guess(&self) -> Option<f64> {
        let Totals { with_solution, without_guess, .. } = self.totals;
        (with_solution > 0).then(|| without_guess as f64 / with_solution as f64)
    }

    /// Sets the class sizes of the whole run, replacing old sizes: the last checkpoint may already have stored some.
    pub(crate) fn set_classes(&mut self, sizes: BTreeMap<u64, u64>) {
        self.class_sizes = sizes;
    }

    /// Counts a run that ended before its input.
    pub(crate) fn record_stop(&mut self, stop: Stop) {
        *self.stops.entry(stop.word()).or_default() += 1;
    }

    /// Counts a value of a column that the output cannot hold.
    pub(crate) fn record_unplaced(&mut self, source: &str, column: &str) {
        let mut list = self.unplaced.list.iter_mut();
        match list.find(|known| known.column == column && known.source == source) {
            Some(known) => known.records += 1,
            None => self.unplaced.add(UnplacedColumn::new(source, column, 1)),
        }
    }

    /// Returns the columns that the output could not hold, and the number of values in further columns.
    ///
    /// Ascending by source and name; only the first columns are listed.
    pub fn unplaced(&self) -> (&[UnplacedColumn], u64) {
        (&self.unplaced.list, self.unplaced.others)
    }

    /// Counts the losses of a record, whose output format cannot hold all of its parts.
    pub(crate) fn record_losses(&mut self, losses: Losses) {
        for loss in losses.iter() {
            *self.losses.entry(loss.word()).or_default() += 1;
        }
    }

    /// Returns the records that are `invalid`, `unsupported`, `wrong` or `internal`, by kind of reason.
    ///
    /// Ascending by status and kind.
    pub fn reasons(&self) -> &[ReasonCounts] {
        &self.reasons.list
    }

    /// Returns the number of records with other kinds of reasons than the 24 that [`reasons`](Self::reasons) keeps.
    pub fn other_reasons(&self) -> u64 {
        self.reasons.others
    }

    /// Returns the hardest records, hardest first.
    ///
    /// Higher ratings come first, then records split over threads, more guesses, more nodes, and earlier records.
    pub fn hardest(&self) -> &[Hard] {
        &self.hardest.list
    }

    /// Returns the letter that occurs twice in a house, in more than half of all records, or `None`.
    ///
    /// Most likely, the corpus uses the letter for an empty cell.
    pub fn likely_blank(&self) -> Option<char> {
        let total = self.answered() + self.rejected();
        self.letters.iter().find(|(_, count)| **count > total / 2).map(|(letter, _)| *letter)
    }
}
