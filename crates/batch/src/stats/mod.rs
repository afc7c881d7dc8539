//! The account of a run: counters, histograms, the hardest records and a checksum.
//!
//! Every worker has a [`Statistics`] of its own and they are merged at the end, as are the files of several runs:
//! every part merges exactly and in any order, so that the whole does not depend on how it was cut.

mod checksum;
mod clock;
mod density;
mod file;
mod fold;
mod hardest;
mod histogram;
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

pub use clock::processor_ns;
pub use clock::{Clock, ThreadTime};
pub use density::Density;
pub(crate) use fold::{Found, Origin};
pub use hardest::{Drawing, Hard};
pub use histogram::Histogram;
pub use phases::Phases;
pub(crate) use phases::{nanoseconds, nanoseconds_since};
pub use ratings::RatingCounts;
pub use reasons::{ReasonShare, Refusal};
pub use sources::SourceShare;
pub(crate) use stops::Stop;
pub use summary::{duration, grouped, number_of, percent, rounded, three_digits};

pub use timeline::resident_bytes;
pub(crate) use timeline::{MemoryWatch, peak_bytes};
pub use timeline::{TimeBin, Timeline};
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

use quadrille_engine::scales::Rated;
use quadrille_model::canonical::Image;
use quadrille_model::{Answer, Clash, Count, Counter, EndedBy, Losses, ProblemRef, Reason, Solution, Status};

/// The number of records named for each reason to end a search early.
const NAMED: usize = 10;

/// One record, its answer and its work.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// Number over the whole run, from 1.
    pub index: u64,
    /// The source's name.
    pub source: &'a str,
    /// Line in the source, from 1.
    pub line: u64,
    /// The problem; `None` for an unreadable record.
    pub problem: Option<ProblemRef<'a>>,
    /// The verdict.
    pub answer: &'a Answer,
    /// The solution shown; for several, the first. `None` where the answer is something else that it was needed for.
    pub solution: Option<Solution<'a>>,
    /// The grid under a map, where one was asked for.
    pub image: Option<&'a Image>,
    /// The rating, with its scale, where one was asked for.
    pub rated: Option<(&'static str, &'a Rated)>,
    /// A hash of the grid as it was read, where that is the answer.
    pub grid: Option<u128>,
    /// The engine that answered; empty where none was needed.
    pub engine: &'static str,
    /// The reason for that engine.
    pub chosen: &'static str,
    /// Wall time of the search, where the engine measures it.
    pub time_ns: Option<u64>,
}

impl Entry<'_> {
    /// The term of its answer in the checksum, as if it were the record of this number.
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

/// The version and the options of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The program's version.
    pub version: String,
    /// The options as words, as the command line would have them.
    pub options: Vec<String>,
    /// The number of runs of this kind that are added up here.
    pub runs: u64,
}

/// The records that an engine answered for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineShare {
    /// Its name.
    pub engine: Cow<'static, str>,
    /// The reason for it.
    pub chosen: Cow<'static, str>,
    /// The number of records.
    pub records: u64,
}

/// The account of a run, of a part of it, or of several.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Records read, as the reader counts them.
    pub records_in: u64,
    /// Bytes read, decompressed.
    pub bytes_in: u64,
    /// Rows written.
    pub rows_out: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// The part that depends on the clock.
    pub clock: Clock,
    /// Ascending, no two alike but for their number.
    runs: Vec<Run>,
    status: [u64; Status::ALL.len()],
    ended_by: [u64; EndedBy::ALL.len()],
    /// The first records that ended early, by what ended them; ascending.
    early: [Vec<u64>; EndedBy::ALL.len()],
    /// The number of grids by their number of clues.
    clues: Vec<u64>,
    /// Histograms by counter, of those that are summed.
    work: [Histogram; Counter::ALL.len()],
    /// Records that were split over threads and have no counters: ended by a limit, or the best was sought.
    split: u64,
    with_solution: u64,
    without_guess: u64,
    solutions: Count,
    /// Records refuted because a letter stands twice in a house, by letter.
    letters: BTreeMap<char, u64>,
    /// Solutions by the number of arrangements that keep them, and by the class of their best band.
    grid_automorphisms: BTreeMap<u32, u64>,
    bands: BTreeMap<u16, u64>,
    ratings: Ratings,
    /// Classes of equal records by their number of records, each run's by itself.
    class_sizes: BTreeMap<u64, u64>,
    /// Records of which a format that was written had no place for a part, by the kind of that part.
    losses: BTreeMap<&'static str, u64>,
    /// The columns of these parts.
    unplaced: Unplaced,
    /// Runs that ended before their input, by what ended them.
    stops: BTreeMap<&'static str, u64>,
    /// Ascending by engine and reason.
    engines: Vec<EngineShare>,
    reasons: Reasons,
    hardest: Hardest,
    sources: Sources,
    checksum: u128,
}

impl Statistics {
    /// Nothing seen yet; the hardest `top` records will be kept.
    pub fn new(top: usize) -> Self {
        Statistics { hardest: Hardest::new(top), ..Statistics::default() }
    }

    /// Forgets everything, keeping memory; the hardest `top` records will be kept from now on.
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

    /// Sets the version and the options of the run; once a run, not once a worker.
    pub fn set_run(&mut self, version: &str, options: Vec<String>) {
        self.runs = vec![Run { version: version.to_owned(), options, runs: 1 }];
    }

    /// Counts a record and its answer; once a record, also where it has several rows.
    pub fn record(&mut self, entry: &Entry<'_>) {
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
            // Refuted by its clues: nothing was searched.
            (Some(Reason::Clash(_)), _) | (_, None) => {}
            (_, Some(count)) => self.record_search(entry, count),
        }
        if !entry.engine.is_empty() {
            self.record_engine(entry.engine, entry.chosen, 1);
        }
        if let Some(image) = entry.image {
            if let Some(number) = image.grid_automorphisms {
                *self.grid_automorphisms.entry(number).or_default() += 1;
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

    /// Gives the hardest records of a part of a run their drawings, where there is one for a record of a number; those behind
    /// the hardest in `drawn` need none.
    pub(crate) fn draw_hardest(&mut self, drawn: &mut Drawn, drawing: impl FnMut(u64) -> Option<Drawing>) {
        self.hardest.draw(drawn, drawing);
    }

    /// The same for the record that was counted last, where it is among them.
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
    fn record_search(&mut self, entry: &Entry<'_>, count: &Count) {
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
        // Names of ours are the same bytes at the same place, mostly: no need to look at them.
        let same = |known: &Cow<'static, str>, name: &'static str| {
            std::ptr::eq::<str>(&**known, name) || *known == name
        };
        let share =
            self.engines.iter_mut().find(|share| same(&share.engine, engine) && same(&share.chosen, chosen));
        match share {
            Some(share) => share.records += records,
            None => self.add_engine(&EngineShare {
                engine: Cow::Borrowed(engine),
                chosen: Cow::Borrowed(chosen),
                records,
            }),
        }
    }

    fn add_engine(&mut self, other: &EngineShare) {
        let key = |share: &EngineShare| (share.engine.clone(), share.chosen.clone());
        match self.engines.binary_search_by_key(&key(other), key) {
            Ok(place) => self.engines[place].records += other.records,
            Err(place) => self.engines.insert(place, other.clone()),
        }
    }

    fn add_run(&mut self, other: &Run) {
        let key = |run: &Run| (run.version.clone(), run.options.clone());
        match self.runs.binary_search_by_key(&key(other), key) {
            Ok(place) => self.runs[place].runs += other.runs,
            Err(place) => self.runs.insert(place, other.clone()),
        }
    }

    /// Adds all of another: exact, in any order. Of the hardest records as many are kept as both keep.
    pub fn merge(&mut self, other: &Statistics) {
        self.records_in += other.records_in;
        self.bytes_in += other.bytes_in;
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
        add_all(&mut self.grid_automorphisms, &other.grid_automorphisms);
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

    /// Records that got an answer, of whatever kind, but for `invalid`.
    pub fn answered(&self) -> u64 {
        self.status.iter().sum::<u64>() - self.rejected()
    }

    /// Records that could not be read.
    pub fn rejected(&self) -> u64 {
        self.status(Status::Invalid)
    }

    /// True if every record that was read was answered or rejected, exactly once.
    pub fn is_balanced(&self) -> bool {
        self.records_in == self.answered() + self.rejected()
    }

    /// Records with this verdict.
    pub fn status(&self, status: Status) -> u64 {
        self.status[status as usize]
    }

    /// Records whose search ended like this.
    pub fn ended_by(&self, ended_by: EndedBy) -> u64 {
        self.ended_by[ended_by as usize]
    }

    /// The first records, at most ten, whose search this ended early; ascending.
    pub fn first_ended_by(&self, ended_by: EndedBy) -> &[u64] {
        &self.early[ended_by as usize]
    }

    /// Numbers of clues, each with the number of grids that have so many, ascending.
    pub fn clues(&self) -> impl Iterator<Item = (u32, u64)> {
        (0u32..).zip(self.clues.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// A counter's values, one a record, of those that one search answered; empty for one that is not summed.
    pub fn work(&self, counter: Counter) -> &Histogram {
        &self.work[counter as usize]
    }

    /// Records split over threads and without counters: ended by a limit, or the best was sought.
    pub fn split(&self) -> u64 {
        self.split
    }

    /// Solutions found in all records together.
    pub fn solutions(&self) -> &Count {
        &self.solutions
    }

    /// Returns the share of the records with a solution that took no guess, 0 to 1; `None` where none has a solution.
    pub fn share_without_guess(&self) -> Option<f64> {
        (self.with_solution > 0).then(|| self.without_guess as f64 / self.with_solution as f64)
    }

    /// Solutions by the number of arrangements that keep them, where canonical forms were asked for; ascending.
    pub fn grid_automorphisms(&self) -> &BTreeMap<u32, u64> {
        &self.grid_automorphisms
    }

    /// Sets the classes of the whole run, by their number of records. Not added: the last checkpoint may have them.
    pub(crate) fn set_classes(&mut self, sizes: BTreeMap<u64, u64>) {
        self.class_sizes = sizes;
    }

    /// Counts a run that ended before its input.
    pub(crate) fn record_stop(&mut self, stop: Stop) {
        *self.stops.entry(stop.word()).or_default() += 1;
    }

    /// The number of runs that ended before their input, by what ended them: `cancel`, `deadline`, `error`, or `closed`, a reader of
    /// the output that went away. Their records are those that were answered until then.
    pub fn stops(&self) -> &BTreeMap<&'static str, u64> {
        &self.stops
    }

    /// Counts a value of a column that the output has no place for.
    pub(crate) fn record_unplaced(&mut self, source: &str, column: &str) {
        self.unplaced.add(source, column, 1);
    }

    /// The columns that the output had no place for, ascending by source and name, and the number of values in others: only some
    /// are named.
    pub fn unplaced(&self) -> (&[UnplacedColumn], u64) {
        (self.unplaced.list(), self.unplaced.others())
    }

    /// Counts what was lost of a record that the output has no place for.
    pub(crate) fn record_losses(&mut self, losses: Losses) {
        for loss in losses.iter() {
            *self.losses.entry(loss.word()).or_default() += 1;
        }
    }

    /// The number of records that lost a part because the output has no place for it, by the kind of the part; ascending by
    /// its word.
    pub fn losses(&self) -> &BTreeMap<&'static str, u64> {
        &self.losses
    }

    /// Classes of equal records by their number of records, where records were compared; of several runs each run's classes
    /// by themselves. Ascending.
    pub fn class_sizes(&self) -> &BTreeMap<u64, u64> {
        &self.class_sizes
    }

    /// Solutions by the class of their best band, 1 to 416, where canonical forms were asked for; ascending.
    pub fn bands(&self) -> &BTreeMap<u16, u64> {
        &self.bands
    }

    /// The runs that are added up here: their versions and options.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Returns the engines that answered, with the reasons for them; ascending by name.
    pub fn engines(&self) -> &[EngineShare] {
        &self.engines
    }

    /// Records that are `invalid`, `unsupported`, `wrong` or `internal`, by the kind of reason for that; ascending by status and kind.
    pub fn reasons(&self) -> &[ReasonShare] {
        self.reasons.list()
    }

    /// The number of records with reasons of other kinds than those of [`reasons`](Self::reasons), which keeps 24.
    pub fn other_reasons(&self) -> u64 {
        self.reasons.others()
    }

    /// The hardest records: those split over threads, then by guesses, by nodes, by their place; hardest first.
    pub fn hardest(&self) -> &[Hard] {
        self.hardest.list()
    }

    /// The checksum of all complete answers, independent of their order (see FORMATS.md).
    pub fn checksum(&self) -> u128 {
        self.checksum
    }

    /// The letter that stands twice in a house in more than half of all records, if there is one: most likely
    /// what the corpus writes for an empty cell.
    pub fn likely_blank(&self) -> Option<char> {
        let total = self.answered() + self.rejected();
        self.letters.iter().find(|(_, count)| **count > total / 2).map(|(letter, _)| *letter)
    }
}

/// Adds to the smallest indices seen.
fn name_record(named: &mut Vec<u64>, index: u64) {
    if named.len() < NAMED || named.last().is_some_and(|last| index < *last) {
        let place = named.partition_point(|other| *other <= index);
        named.insert(place, index);
        named.truncate(NAMED);
    }
}

/// Adds counts by a key.
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
