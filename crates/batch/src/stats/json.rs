//! Conversion of statistics to JSON and back.
//!
//! The file first has all values that do not depend on the clock. The other values follow in a section
//! `clock`. Two runs over the same input differ only in that section. Numbers that may exceed 2^53 are
//! decimal strings. The file also contains quantiles, fractions and rates for people and programs that read
//! it. When this module reads the file, it ignores these values and computes them again.
//!
//! Most figures have the same form in the file as in [`Statistics`]. This module defines the conversion of
//! all other figures.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_128;

use super::figure::{Checksum, ClueCounts, Derived, Figure, MAX_COUNT, Parsed};
use super::phases::NAMES;
use super::{
    Ended, Histogram, Histogram2d, Phases, Population, RatingCounts, RatingKey, RunOptions, Statistics, Stop,
    TimeBin, Timeline,
};
use quadrille_formats::input::LineCounts;
use quadrille_model::{Count, Counter, EndedBy, Error, ErrorKind, Location, Loss, MAX_SIDE, Result, Status};

/// Version of the file's layout. The version changes if a key is removed or if its meaning changes.
const SCHEMA: u32 = 1;

/// Reason why serialising the statistics cannot fail.
const WRITABLE: &str = "numbers, strings and maps with plain keys can always be written";

/// Counters that every file with this layout version contains. Older files may lack any other counter.
const IN_EVERY_FILE: [Counter; 2] = [Counter::Guesses, Counter::Nodes];

/// Returns true if a figure has its default value. Such figures are omitted from the file.
pub(super) fn is_default<T: Default + PartialEq>(figure: &T) -> bool {
    *figure == T::default()
}

/// Reads a figure in its file form, and converts it to the form in [`Statistics`].
fn read<'de, F: Deserialize<'de>, T, D: Deserializer<'de>>(
    from: D,
    convert: impl FnOnce(F) -> Parsed<T>,
) -> std::result::Result<T, D::Error> {
    convert(F::deserialize(from)?).map_err(D::Error::custom)
}

/// Implements serialisation for figures whose form in the file differs from their form in memory. Each figure
/// has one conversion to the file form and one back.
macro_rules! forms {
    ($($type:ty, $form:ty: |$figure:ident| $write:expr, |$from:ident| $read:expr;)+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, into: S) -> std::result::Result<S::Ok, S::Error> {
                let $figure = self;
                $write.serialize(into)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
                read::<$form, _, _>(from, |$from| $read)
            }
        }
    )+};
}

forms! {
    Schema, u32: |_schema| SCHEMA, |number| match number {
        SCHEMA => Ok(Schema),
        other => Err(format!("schema {other}, but this program reads schema {SCHEMA}")),
    };
    RunOptions, RunEntry: |run| RunEntry {
        version: run.version.clone(),
        digest: format!("{:032x}", xxh3_128(run.options.join("\0").as_bytes())),
        options: run.options.clone(),
        runs: run.runs,
    }, |run| {
        Ok(RunOptions { version: run.version, options: run.options, runs: run.runs })
    };
    StatusCounts, BTreeMap<String, u64>: |counts| by_word::<Status, _>(&counts.0), |entries| {
        let mut counts = StatusCounts::default();
        read_by_word::<Status, _>(entries, &mut counts.0)?;
        Ok(counts)
    };
    Endings, BTreeMap<String, Ended>: |endings| by_word::<EndedBy, _>(&endings.0), |entries| {
        let mut endings = Endings::default();
        read_by_word::<EndedBy, _>(entries, &mut endings.0)?;
        Ok(endings)
    };
    ClueCounts, BTreeMap<u32, u64>: |clues| clues.iter().collect::<BTreeMap<_, _>>(), |entries| {
        let mut clues = ClueCounts::default();
        for (number, grids) in entries {
            if number as usize > MAX_SIDE * MAX_SIDE {
                return Err(format!("no grid has {number} clues"));
            }
            clues.add(number as usize, grids);
        }
        Ok(clues)
    };
    Work, BTreeMap<String, WorkEntry>: |work| {
        Counter::SUMMED.map(|counter| (counter.name(), Buckets::from(&work.0[counter as usize])))
            .into_iter().collect::<BTreeMap<_, _>>()
    }, |entries| Work::from_entries(entries);
    Histogram, Buckets: |histogram| Buckets::from(histogram), |buckets| buckets.read();
    Histogram2d, Vec<(u64, u64, u64)>: |density| density.smallest().collect::<Vec<_>>(), |cells| {
        Histogram2d::from_parts(&cells, MAX_COUNT)
            .ok_or_else(|| "the density of guesses and time contradicts itself".to_owned())
    };
    RatingKey, String: |key| key.to_string(), |text| {
        RatingKey::read(&text).ok_or_else(|| format!("{text} is not a rating"))
    };
    RatingCounts, Vec<(RatingKey, u64)>: |ratings| ratings.counts().collect::<Vec<_>>(), |counts| {
        RatingCounts::read(&counts, MAX_COUNT).ok_or_else(|| "the ratings contradict themselves".to_owned())
    };
    Population, String: |population| population.to_string(), |text| {
        Population::read(&text).ok_or_else(|| format!("{text} is not a population of puzzles"))
    };
    Timeline, TimelineEntry: |timeline| TimelineEntry::from(timeline), |entry| entry.read();
    Checksum, String: |checksum| format!("{:032x}", checksum.0), |text| {
        u128::from_str_radix(&text, 16).map(Checksum).map_err(|_| "the checksum is not a number".to_owned())
    };
}

/// The version of the layout.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Schema;

impl Figure for Schema {
    fn merge_from(&mut self, _: &Self) {}
}

/// A value that the file represents by a word.
pub(super) trait Word: Copy + 'static {
    /// All values, ordered by number.
    const ALL: &'static [Self];
    /// A noun for errors.
    const NOUN: &'static str;

    fn word(self) -> &'static str;
}

/// Implements [`Word`] for enums that have words.
macro_rules! words {
    ($($type:ident: $noun:literal;)+) => {$(
        impl Word for $type {
            const ALL: &'static [Self] = $type::ALL;
            const NOUN: &'static str = $noun;

            fn word(self) -> &'static str {
                $type::word(self)
            }
        }
    )+};
}

words! {
    Status: "status";
    EndedBy: "end of a search";
    Loss: "kind of loss";
    Stop: "end of a run";
}

/// Returns a map whose keys are the words of an enum and whose values are its figures. Omits figures that
/// have their default value.
fn by_word<W: Word, T: Default + PartialEq>(figures: &[T]) -> BTreeMap<&'static str, &T> {
    let named = W::ALL.iter().map(|value| value.word()).zip(figures);
    named.filter(|(_, figure)| !is_default(*figure)).collect()
}

/// Returns the index and the static word of the enum value that is called `word`.
fn known<W: Word>(word: &str) -> Parsed<(usize, &'static str)> {
    let number = W::ALL.iter().position(|value| value.word() == word);
    let number = number.ok_or_else(|| format!("unknown {}: {word}", W::NOUN))?;
    Ok((number, W::ALL[number].word()))
}

fn read_by_word<W: Word, T>(entries: BTreeMap<String, T>, figures: &mut [T]) -> Parsed<()> {
    for (word, figure) in entries {
        figures[known::<W>(&word)?.0] = figure;
    }
    Ok(())
}

/// Reads counts by word.
pub(super) fn read_words<'de, W: Word, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<BTreeMap<&'static str, u64>, D::Error> {
    read(from, |counts: BTreeMap<String, u64>| {
        counts.into_iter().map(|(word, count)| Ok((known::<W>(&word)?.1, count))).collect()
    })
}

/// Numbers of records by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StatusCounts(pub(super) [u64; Status::ALL.len()]);

/// Counts of searches for each reason why searches end.
#[derive(Debug, Clone, Default)]
pub(super) struct Endings(pub(super) [Ended; EndedBy::ALL.len()]);

/// Histograms of the counters in [`Counter::SUMMED`], indexed by counter.
#[derive(Debug, Clone, Default)]
pub(super) struct Work(pub(super) [Histogram; Counter::ALL.len()]);

/// Implements [`Figure`] for structs that wrap a figure.
macro_rules! wrappers {
    ($($type:ident),+) => {$(
        impl Figure for $type {
            fn merge_from(&mut self, other: &Self) {
                self.0.merge_from(&other.0);
            }

            fn check(&mut self) -> Parsed<()> {
                self.0.check()
            }
        }
    )+};
}

wrappers!(StatusCounts, Endings, Work, ClueCounts, RatingCounts);

/// Value in the map of histograms. If the counter is unknown, the value may have any form and is ignored.
#[derive(Deserialize)]
#[serde(untagged)]
enum WorkEntry {
    Histogram(Buckets),
    Unknown(IgnoredAny),
}

impl Work {
    fn from_entries(mut entries: BTreeMap<String, WorkEntry>) -> Parsed<Self> {
        let mut work = Work::default();
        for counter in Counter::SUMMED {
            let name = counter.name();
            match entries.remove(name) {
                Some(WorkEntry::Histogram(buckets)) => {
                    work.0[counter as usize] =
                        buckets.read().map_err(|reason| format!("{name}: {reason}"))?;
                }
                None if !IN_EVERY_FILE.contains(&counter) => {}
                _ => return Err(format!("unknown histogram: {name}")),
            }
        }
        Ok(work)
    }
}

/// Course of a run over time. Each list has one number per time bin.
#[derive(Serialize, Deserialize)]
struct TimelineEntry {
    bin_ns: u64,
    records: Vec<u64>,
    #[serde(flatten)]
    phases_ns: BTreeMap<String, Vec<u64>>,
    memory_bytes: Vec<u64>,
    /// Busy time by thread.
    busy_ns: Vec<Vec<u64>>,
}

impl From<&Timeline> for TimelineEntry {
    fn from(timeline: &Timeline) -> Self {
        let bins = timeline.bins();
        let of_phase = |number: usize| bins.iter().map(|bin| bin.phases.each()[number].1).collect();
        TimelineEntry {
            bin_ns: timeline.bin_ns(),
            records: bins.iter().map(|bin| bin.records).collect(),
            phases_ns: (0..)
                .zip(NAMES)
                .map(|(phase, name)| (format!("{name}_ns"), of_phase(phase)))
                .collect(),
            memory_bytes: bins.iter().map(|bin| bin.memory).collect(),
            busy_ns: timeline.threads().to_vec(),
        }
    }
}

impl TimelineEntry {
    fn read(mut self) -> Parsed<Timeline> {
        let wrong = || "the timeline contradicts itself".to_owned();
        let length = self.records.len();
        let mut list = |name: &str| self.phases_ns.remove(&format!("{name}_ns")).ok_or_else(wrong);
        let phases = NAMES.into_iter().map(&mut list).collect::<Parsed<Vec<_>>>()?;
        if phases.iter().chain([&self.memory_bytes]).any(|list| list.len() != length) {
            return Err(wrong());
        }
        let bin = |number: usize| TimeBin {
            records: self.records[number],
            phases: Phases::from_fn(|phase| phases[phase][number]),
            memory: self.memory_bytes[number],
        };
        Timeline::from_parts(self.bin_ns, (0..length).map(bin).collect(), self.busy_ns).ok_or_else(wrong)
    }
}

#[derive(Serialize, Deserialize)]
struct RunEntry {
    version: String,
    /// Hash of the options alone.
    #[serde(skip_deserializing)]
    digest: String,
    options: Vec<String>,
    runs: u64,
}

/// A histogram in the file.
#[derive(Serialize, Deserialize)]
struct Buckets {
    #[serde(skip_deserializing)]
    records: u64,
    #[serde(skip_deserializing)]
    mean: Option<f64>,
    min: Option<u64>,
    #[serde(skip_deserializing)]
    p50: Option<u64>,
    #[serde(skip_deserializing)]
    p90: Option<u64>,
    #[serde(skip_deserializing)]
    p99: Option<u64>,
    max: Option<u64>,
    sum: String,
    /// For each bucket, its smallest possible value and its number of records.
    buckets: Vec<(u64, u64)>,
}

impl From<&Histogram> for Buckets {
    fn from(histogram: &Histogram) -> Self {
        Buckets {
            records: histogram.total(),
            mean: histogram.mean(),
            min: histogram.min(),
            p50: histogram.quantile(500),
            p90: histogram.quantile(900),
            p99: histogram.quantile(990),
            max: histogram.max(),
            sum: histogram.sum().to_string(),
            buckets: histogram.buckets().collect(),
        }
    }
}

impl Buckets {
    fn read(self) -> Parsed<Histogram> {
        let sum = self.sum.parse().map_err(|_| "the sum is not a number".to_owned())?;
        Histogram::from_parts(&self.buckets, sum, self.min.zip(self.max), MAX_COUNT)
            .ok_or_else(|| "the histogram contradicts itself".to_owned())
    }
}

/// Serialisation of a number of any size as decimal digits.
pub(super) mod count_as_text {
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(
        count: &Count,
        into: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        into.collect_str(count)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> std::result::Result<Count, D::Error> {
        read(from, |text: String| {
            let number = text.parse::<num_bigint::BigUint>();
            number.map(Count::from).map_err(|_| "the number of solutions is not a number".to_owned())
        })
    }
}

impl Statistics {
    /// Returns the statistics as JSON text with a line feed at the end.
    ///
    /// Two runs with the same input and options give the same text, except for the section `clock`.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.completed()).expect(WRITABLE);
        text.push('\n');
        text
    }

    /// Returns the contents of [`to_json`](Self::to_json).
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self.completed()).expect(WRITABLE)
    }

    /// Returns a copy of the statistics in which derived values are set.
    fn completed(&self) -> Statistics {
        let mut all = self.clone();
        all.totals.answered = Derived(self.answered());
        all.totals.rejected = Derived(self.rejected());
        all.totals.skipped_lines = Derived(self.totals.lines.text());
        all.totals.share_without_guess = Derived(self.share_without_guess());
        all.clock.records_per_second = Derived(self.clock.per_second(self.totals.records_in));
        all.clock.busy = Derived(self.clock.busy());
        all
    }

    /// Parses the output of [`to_json`](Self::to_json). `source` is the name of the file, which appears in
    /// error messages.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON, has another schema version, or contradicts itself.
    pub fn from_json(source: &str, text: &str) -> Result<Self> {
        let refuse = |line: usize, byte: usize, reason: String| {
            let place =
                Location { source: Arc::from(source), record: 1, line: line as u64, byte: byte as u64 };
            Error::from(ErrorKind::Input { place, reason: format!("not a statistics file: {reason}") })
        };
        let mut statistics: Statistics = serde_json::from_str(text).map_err(|error| {
            let before: usize = text.split_inclusive('\n').take(error.line().max(1) - 1).map(str::len).sum();
            refuse(error.line(), before + error.column().max(1) - 1, error.to_string())
        })?;
        statistics.check().map_err(|reason| refuse(1, 0, reason))?;
        if statistics.totals.lines == LineCounts::default() {
            statistics.totals.lines.other = statistics.totals.skipped_lines.0;
        }
        statistics.complete_sources();
        Ok(statistics)
    }
}
