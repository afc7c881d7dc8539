//! The statistics of a run: counters, histograms, the hardest records and a checksum.
//!
//! Every worker collects its own [`Statistics`]. They are merged at the end, as are the files of several runs. Every
//! part merges exactly and in any order, so the total does not depend on how the input was divided.

mod bulk;
mod checksum;
mod clock;
mod hardest;
mod histogram;
mod histogram_2d;
mod json;
mod phases;
mod ratings;
mod reasons;
mod sources;
mod stops;
mod summary;
mod timeline;
mod unplaced;

#[cfg(test)]
mod tests;

pub(crate) use bulk::{RecordRange, SearchResult};
pub use clock::{Clock, ThreadTime, processor_ns};
pub use hardest::{Drawing, Hard};
pub use histogram::Histogram;
pub use histogram_2d::Histogram2d;
pub use phases::Phases;
pub(crate) use phases::{nanoseconds, nanoseconds_since};
pub use ratings::RatingCounts;
pub use reasons::{ReasonCounts, RefusedRecord};
pub use sources::SourceCounts;
pub(crate) use stops::Stop;
pub use summary::{duration, grouped, number_of, percent, rounded, three_digits};

pub(crate) use timeline::MemoryWatch;
pub use timeline::{TimeBin, Timeline, peak_bytes, resident_bytes};
pub use unplaced::UnplacedColumn;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use hardest::Drawn;
use hardest::Hardest;
use ratings::Ratings;
use reasons::Reasons;
use serde::{Deserialize, Serialize};
use sources::Sources;
use unplaced::Unplaced;

use quadrille_engine::scales::AnyRating;
use quadrille_formats::input::LineCounts;
use quadrille_model::canonical::Transformed;
use quadrille_model::{Answer, Clash, Count, Counter, EndedBy, Losses, ProblemRef, Reason, Solution, Status};

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
    /// The transformed grid, if requested.
    pub image: Option<&'a Transformed>,
    /// Rating with its scale, if requested.
    pub rated: Option<(&'static str, &'a AnyRating)>,
    /// Hash of the grid as read, if that is the answer.
    pub grid: Option<u128>,
    /// Name of the engine that answered; empty if none was needed.
    pub engine: &'static str,
    /// Reason for the choice of the engine.
    pub chosen: &'static str,
    /// Wall time of the search in nanoseconds, if the engine measures it.
    pub time_ns: Option<u64>,
}

impl AnsweredRecord<'_> {
    /// Returns the term of the answer in the checksum, as if the record had number `index`.
    pub(crate) fn term(&self, index: u64) -> u128 {
        if let Some(grid) = self.grid {
            return checksum::term_of_hash(index, self.answer.status, grid);
        }
        let image = self.image.map(|image| Solution::Digits(image.cells.as_slice()));
        match (image.or(self.solution), self.rated) {
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

/// Statistics of a run, of a part of a run, or of several runs.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Number of records read, as counted by the reader.
    pub records_in: u64,
    /// Number of decompressed bytes read.
    pub bytes_in: u64,
    /// Numbers of lines read, by kind.
    pub lines: LineCounts,
    /// Number of rows written.
    pub rows_out: u64,
    /// Number of bytes written.
    pub bytes_out: u64,
    /// Measured times and other values that differ from run to run.
    pub clock: Clock,
    /// Runs, one entry per combination of version and options, ascending.
    runs: Vec<RunOptions>,
    status: [u64; Status::ALL.len()],
    ended_by: [u64; EndedBy::ALL.len()],
    /// Numbers of the first records that ended early, by the reason; ascending.
    early: [Vec<u64>; EndedBy::ALL.len()],
    /// Number of grids by their number of clues.
    clues: Vec<u64>,
    /// Histograms of the counters that are summed, by counter.
    work: [Histogram; Counter::ALL.len()],
    /// Number of split records without counters, because a limit stopped them or the best was sought.
    split: u64,
    with_solution: u64,
    without_guess: u64,
    solutions: Count,
    /// Number of records refuted because a letter occurs twice in a house, by letter.
    letters: BTreeMap<char, u64>,
    /// Number of solutions by the number of their automorphisms.
    solution_automorphisms: BTreeMap<u32, u64>,
    /// Number of solutions by the class of their best band.
    bands: BTreeMap<u16, u64>,
    ratings: Ratings,
    /// Number of classes of equal records by their size, counted per run.
    class_sizes: BTreeMap<u64, u64>,
    /// Number of records that lost a part because the output format cannot hold it, by kind of part.
    losses: BTreeMap<&'static str, u64>,
    /// Columns that the output format could not hold.
    unplaced: Unplaced,
    /// Number of runs that ended before their input, by the reason.
    stops: BTreeMap<&'static str, u64>,
    /// Records by engine, ascending by engine and reason.
    engines: Vec<EngineCounts>,
    reasons: Reasons,
    hardest: Hardest,
    sources: Sources,
    checksum: u128,
}

impl Statistics {
    /// Creates empty statistics that keep the hardest `top` records.
    pub fn new(top: usize) -> Self {
        Statistics { hardest: Hardest::new(top), ..Statistics::default() }
    }

    /// Clears everything but keeps the memory; from now on the hardest `top` records are kept.
    pub(crate) fn clear(&mut self, top: usize) {
        let old = std::mem::replace(self, Statistics::new(top));
        (self.work, self.hardest) = (old.work, old.hardest);
        self.work.iter_mut().for_each(Histogram::clear);
        self.hardest.clear(top);
        (self.clues, self.engines, self.reasons) = (old.clues, old.engines, old.reasons);
        self.clues.clear();
        self.engines.clear();
        self.reasons.clear();
    }

    /// Sets version and options of the run. To be called once per run, not once per worker.
    pub fn set_run(&mut self, version: &str, options: Vec<String>) {
        self.runs = vec![RunOptions { version: version.to_owned(), options, runs: 1 }];
    }

    /// Counts a record and its answer. To be called once per record, even if it has several rows.
    pub fn record(&mut self, entry: &AnsweredRecord<'_>) {
        let answer = entry.answer;
        self.status[answer.status as usize] += 1;
        if !matches!(answer.status, Status::Invalid | Status::Unsupported | Status::Internal) {
            self.ended_by[answer.ended_by as usize] += 1;
        }
        if answer.ended_by.is_early() {
            name_record(&mut self.early[answer.ended_by as usize], entry.index);
        } else if answer.status != Status::Internal {
            let term = entry.term(entry.index);
            self.checksum = self.checksum.wrapping_add(term);
        }
        if let Some(problem @ (ProblemRef::Packed(_) | ProblemRef::Puzzle(_))) = entry.problem {
            count_at(&mut self.clues, problem.clues() as usize, 1);
        }
        if matches!(answer.status, Status::Invalid | Status::Unsupported | Status::Internal | Status::Wrong) {
            let reason = answer.reason.as_ref().map_or_else(String::new, ToString::to_string);
            self.reasons.record(answer.status, &reason, entry.index, entry.source, entry.line);
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
        if let Some(image) = entry.image {
            if let Some(number) = image.solution_automorphisms {
                *self.solution_automorphisms.entry(number).or_default() += 1;
            }
            if let Some(class) = image.band {
                *self.bands.entry(class).or_default() += 1;
            }
        }
        if let Some((scale, rated)) = entry.rated {
            self.record_ratings(scale, std::slice::from_ref(rated));
        }
        if let Some(time) = entry.time_ns {
            self.clock.per_record.record(time);
            if let Some(work) = answer.counters {
                self.clock.guesses_by_time.record(work.guesses, time);
            }
        }
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
                    work.get(counter).into_iter().for_each(|value| self.work[counter as usize].record(value));
                }
            }
            None => self.split += 1,
        }
        if !count.is_zero() {
            self.solutions += count;
            self.with_solution += 1;
            self.without_guess += u64::from(counters.is_some_and(|work| work.guesses == 0));
        }
        self.hardest.offer(counters, entry.index, entry.source, entry.line);
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
            None => self.add_engine(&EngineCounts {
                engine: Cow::Borrowed(engine),
                chosen: Cow::Borrowed(chosen),
                records,
            }),
        }
    }

    fn add_engine(&mut self, other: &EngineCounts) {
        let key = |share: &EngineCounts| (share.engine.clone(), share.chosen.clone());
        match self.engines.binary_search_by_key(&key(other), key) {
            Ok(place) => self.engines[place].records += other.records,
            Err(place) => self.engines.insert(place, other.clone()),
        }
    }

    fn add_run(&mut self, other: &RunOptions) {
        let key = |run: &RunOptions| (run.version.clone(), run.options.clone());
        match self.runs.binary_search_by_key(&key(other), key) {
            Ok(place) => self.runs[place].runs += other.runs,
            Err(place) => self.runs.insert(place, other.clone()),
        }
    }

    /// Adds other statistics, exactly and in any order. Keeps the smaller of the two numbers of hardest records.
    pub fn merge(&mut self, other: &Statistics) {
        self.records_in += other.records_in;
        self.bytes_in += other.bytes_in;
        self.lines += other.lines;
        self.rows_out += other.rows_out;
        self.bytes_out += other.bytes_out;
        self.clock.merge(&other.clock);
        other.runs.iter().for_each(|run| self.add_run(run));
        self.status.iter_mut().zip(other.status).for_each(|(sum, count)| *sum += count);
        self.ended_by.iter_mut().zip(other.ended_by).for_each(|(sum, count)| *sum += count);
        for (named, others) in self.early.iter_mut().zip(&other.early) {
            others.iter().for_each(|index| name_record(named, *index));
        }
        for (clues, &count) in other.clues.iter().enumerate() {
            count_at(&mut self.clues, clues, count);
        }
        for (work, others) in self.work.iter_mut().zip(&other.work) {
            work.merge(others);
        }
        self.split += other.split;
        self.with_solution += other.with_solution;
        self.without_guess += other.without_guess;
        self.solutions += &other.solutions;
        add_all(&mut self.letters, &other.letters);
        add_all(&mut self.solution_automorphisms, &other.solution_automorphisms);
        add_all(&mut self.bands, &other.bands);
        add_all(&mut self.losses, &other.losses);
        add_all(&mut self.stops, &other.stops);
        add_all(&mut self.class_sizes, &other.class_sizes);
        self.merge_ratings(&other.ratings);
        self.unplaced.merge(&other.unplaced);
        other.engines.iter().for_each(|share| self.add_engine(share));
        self.reasons.merge(&other.reasons);
        self.hardest.merge(&other.hardest);
        for (name, share) in &other.sources {
            self.sources.entry(Arc::clone(name)).or_default().add(share);
        }
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }

    /// Returns the number of records with an answer of any kind except `invalid`.
    pub fn answered(&self) -> u64 {
        self.status.iter().sum::<u64>() - self.rejected()
    }

    /// Returns the number of records that could not be read.
    pub fn rejected(&self) -> u64 {
        self.status(Status::Invalid)
    }

    /// Returns true if every record read was answered or rejected exactly once.
    pub fn is_balanced(&self) -> bool {
        self.records_in == self.answered() + self.rejected()
    }

    /// Returns the number of records with this verdict.
    pub fn status(&self, status: Status) -> u64 {
        self.status[status as usize]
    }

    /// Returns the number of records whose search ended for this reason.
    pub fn ended_by(&self, ended_by: EndedBy) -> u64 {
        self.ended_by[ended_by as usize]
    }

    /// Returns the numbers of the first records, at most ten, whose search ended for this reason; ascending.
    pub fn first_ended_by(&self, ended_by: EndedBy) -> &[u64] {
        &self.early[ended_by as usize]
    }

    /// Returns numbers of clues with the number of grids for each, ascending.
    pub fn clues(&self) -> impl Iterator<Item = (u32, u64)> {
        (0u32..).zip(self.clues.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// Returns a counter's values, one per record that a single search answered; empty if the counter is not collected.
    pub fn work(&self, counter: Counter) -> &Histogram {
        &self.work[counter as usize]
    }

    /// Returns the number of records split over threads that have no counters.
    ///
    /// Such a record was stopped by a limit, or its best solution was sought.
    pub fn split(&self) -> u64 {
        self.split
    }

    /// Returns the number of solutions found in all records together.
    pub fn solutions(&self) -> &Count {
        &self.solutions
    }

    /// Returns the share, from 0 to 1, of the solved records that took no guess, or `None` if none was solved.
    pub fn share_without_guess(&self) -> Option<f64> {
        (self.with_solution > 0).then(|| self.without_guess as f64 / self.with_solution as f64)
    }

    /// Returns numbers of solutions by their number of automorphisms, if canonical forms were requested; ascending.
    pub fn solution_automorphisms(&self) -> &BTreeMap<u32, u64> {
        &self.solution_automorphisms
    }

    /// Sets the class sizes of the whole run, replacing old sizes: the last checkpoint may already have stored some.
    pub(crate) fn set_classes(&mut self, sizes: BTreeMap<u64, u64>) {
        self.class_sizes = sizes;
    }

    /// Counts a run that ended before its input.
    pub(crate) fn record_stop(&mut self, stop: Stop) {
        *self.stops.entry(stop.word()).or_default() += 1;
    }

    /// Returns the number of runs that ended before their input, by the reason.
    ///
    /// The reason is `cancel`, `deadline`, `error`, or `closed` (the reader of the output closed it). The statistics of
    /// such runs cover the records answered until then.
    pub fn stops(&self) -> &BTreeMap<&'static str, u64> {
        &self.stops
    }

    /// Counts a value of a column that the output cannot hold.
    pub(crate) fn record_unplaced(&mut self, source: &str, column: &str) {
        self.unplaced.add(source, column, 1);
    }

    /// Returns the columns that the output could not hold, and the number of values in further columns.
    ///
    /// Ascending by source and name; only the first columns are listed.
    pub fn unplaced(&self) -> (&[UnplacedColumn], u64) {
        (self.unplaced.list(), self.unplaced.others())
    }

    /// Counts the losses of a record, whose output format cannot hold all of its parts.
    pub(crate) fn record_losses(&mut self, losses: Losses) {
        for loss in losses.iter() {
            *self.losses.entry(loss.word()).or_default() += 1;
        }
    }

    /// Returns the number of records that lost a part because the output cannot hold it, by kind of part.
    ///
    /// Ascending by the word for the kind.
    pub fn losses(&self) -> &BTreeMap<&'static str, u64> {
        &self.losses
    }

    /// Returns the number of classes of equal records by their size, if records were compared; ascending.
    ///
    /// The classes of several runs are counted separately.
    pub fn class_sizes(&self) -> &BTreeMap<u64, u64> {
        &self.class_sizes
    }

    /// Returns numbers of solutions by the class of their best band, 1 to 416; ascending.
    ///
    /// Empty unless canonical forms were requested.
    pub fn bands(&self) -> &BTreeMap<u16, u64> {
        &self.bands
    }

    /// Returns versions and options of the runs that were merged.
    pub fn runs(&self) -> &[RunOptions] {
        &self.runs
    }

    /// Returns the counts of the engines that answered, ascending by name and reason.
    pub fn engines(&self) -> &[EngineCounts] {
        &self.engines
    }

    /// Returns the records that are `invalid`, `unsupported`, `wrong` or `internal`, by kind of reason.
    ///
    /// Ascending by status and kind.
    pub fn reasons(&self) -> &[ReasonCounts] {
        self.reasons.list()
    }

    /// Returns the number of records with other kinds of reasons than the 24 that [`reasons`](Self::reasons) keeps.
    pub fn other_reasons(&self) -> u64 {
        self.reasons.others()
    }

    /// Returns the hardest records, hardest first.
    ///
    /// Records split over threads come first, then more guesses, more nodes, and earlier records.
    pub fn hardest(&self) -> &[Hard] {
        self.hardest.list()
    }

    /// Returns the checksum of all complete answers, independent of their order (see FORMATS.md).
    pub fn checksum(&self) -> u128 {
        self.checksum
    }

    /// Returns the letter that occurs twice in a house, in more than half of all records, or `None`.
    ///
    /// Most likely, the corpus uses the letter for an empty cell.
    pub fn likely_blank(&self) -> Option<char> {
        let total = self.answered() + self.rejected();
        self.letters.iter().find(|(_, count)| **count > total / 2).map(|(letter, _)| *letter)
    }
}

/// Inserts an index into the list of the smallest indices.
fn name_record(named: &mut Vec<u64>, index: u64) {
    if named.len() < NAMED || named.last().is_some_and(|last| index < *last) {
        let place = named.partition_point(|other| *other <= index);
        named.insert(place, index);
        named.truncate(NAMED);
    }
}

/// Adds counts by key.
fn add_all<K: Clone + Ord>(sums: &mut BTreeMap<K, u64>, others: &BTreeMap<K, u64>) {
    for (key, count) in others {
        *sums.entry(key.clone()).or_default() += count;
    }
}

fn count_at(counts: &mut Vec<u64>, place: usize, count: u64) {
    if place >= counts.len() {
        counts.resize(place + 1, 0);
    }
    counts[place] += count;
}
