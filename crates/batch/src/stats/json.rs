//! Statistics as a JSON file, and back.
//!
//! The file first holds everything that does not depend on the clock, then a section `clock` with the rest. Two runs
//! over the same input differ only in that section. Numbers that may exceed 2^53 are decimal strings. Quantiles, shares
//! and rates are included for readers of the file; they are recomputed when the file is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::hardest::Hardest;
use super::phases::NAMES;
use super::{
    Clock, EngineCounts, Histogram, Histogram2d, NAMED, Phases, RatingCounts, ReasonCounts, RunOptions,
    SourceCounts, Statistics, Stop, ThreadTime, TimeBin, Timeline, Unplaced, UnplacedColumn, count_at,
};
use quadrille_formats::input::LineCounts;
use quadrille_model::{Count, Counter, EndedBy, Error, ErrorKind, Location, Loss, MAX_SIDE, Result, Status};

/// Version of the file's layout. It changes when a key changes its meaning or is removed.
const SCHEMA: u32 = 1;

/// Counters that every file of this layout has; the others may be missing in older files.
const IN_EVERY_FILE: [Counter; 2] = [Counter::Guesses, Counter::Nodes];

/// Maximum count in a file: every JSON reader keeps it exactly, and thousands of files can be added up.
const MAX_COUNT: u64 = (1 << 53) - 1;

#[derive(Serialize, Deserialize)]
struct File {
    schema: u32,
    runs: Vec<RunEntry>,
    records: Records,
    status: BTreeMap<String, u64>,
    ended_by: BTreeMap<String, Ended>,
    /// Number of records by number of clues.
    clues: BTreeMap<u32, u64>,
    /// Histograms by the names of their counters.
    #[serde(flatten)]
    work: BTreeMap<String, WorkEntry>,
    letter_clashes: BTreeMap<char, u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    solution_automorphisms: BTreeMap<u32, u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    bands: BTreeMap<u16, u64>,
    /// Ratings as text with their numbers of records, by scale.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    ratings: BTreeMap<String, Vec<(String, u64)>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    class_sizes: BTreeMap<u64, u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    lost: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "UnplacedEntry::is_empty")]
    lost_columns: UnplacedEntry,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    stopped: BTreeMap<String, u64>,
    engines: Vec<EngineCounts>,
    #[serde(default, skip_serializing_if = "ReasonsEntry::is_empty")]
    reasons: ReasonsEntry,
    hardest: Hardest,
    /// Numbers of records by source and status. Older files have none.
    #[serde(default)]
    sources: BTreeMap<String, BTreeMap<String, u64>>,
    #[serde(default)]
    sources_work: BTreeMap<String, SourceEntry>,
    checksum: String,
    clock: ClockEntry,
}

/// Work for the records of a source.
#[derive(Serialize, Deserialize)]
struct SourceEntry {
    clues: BTreeMap<u32, u64>,
    guesses: Buckets,
}

/// Records by the kinds of reasons for their statuses.
#[derive(Default, Serialize, Deserialize)]
struct ReasonsEntry {
    kinds: Vec<ReasonCounts>,
    others: u64,
}

impl ReasonsEntry {
    fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.others == 0
    }
}

/// Columns that the output could not hold.
#[derive(Default, Serialize, Deserialize)]
struct UnplacedEntry {
    columns: Vec<UnplacedColumn>,
    others: u64,
}

impl UnplacedEntry {
    fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.others == 0
    }
}

/// A run over time: each list has one number per bin.
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
        if phases.iter().any(|list| list.len() != length) {
            return Err(wrong());
        }
        if self.memory_bytes.len() != length {
            return Err(wrong());
        }
        let bin = |number: usize| {
            Ok(TimeBin {
                records: counted(self.records[number])?,
                phases: Phases::from_fn(|phase| phases[phase][number]),
                memory: self.memory_bytes[number],
            })
        };
        let bins = (0..length).map(bin).collect::<Parsed<Vec<_>>>()?;
        Timeline::from_parts(self.bin_ns, bins, self.busy_ns).ok_or_else(wrong)
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

#[derive(Serialize, Deserialize)]
struct Records {
    #[serde(rename = "in")]
    read: u64,
    #[serde(skip_deserializing)]
    answered: u64,
    #[serde(skip_deserializing)]
    rejected: u64,
    rows_out: u64,
    bytes_in: u64,
    /// Lines with text, also in files without `lines`.
    #[serde(default)]
    skipped_lines: u64,
    #[serde(default)]
    lines: Option<LineCounts>,
    bytes_out: u64,
    split: u64,
    with_solution: u64,
    without_guess: u64,
    #[serde(skip_deserializing)]
    share_without_guess: Option<f64>,
    solutions: String,
}

#[derive(Serialize, Deserialize)]
struct Ended {
    records: u64,
    /// Numbers of the first records, if the search was stopped early.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    first: Vec<u64>,
}

/// Value under the name of a counter, or under an unknown key.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WorkEntry {
    Histogram(Buckets),
    #[serde(skip_serializing)]
    Unknown(IgnoredAny),
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
    /// Smallest value of each bucket, with the number of records.
    buckets: Vec<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct ClockEntry {
    wall_ns: u64,
    cpu_ns: u64,
    #[serde(skip_deserializing)]
    records_per_second: Option<f64>,
    #[serde(skip_deserializing)]
    busy: Option<f64>,
    phases: Phases,
    threads: Vec<ThreadTime>,
    time_ns: Buckets,
    /// Working time by source.
    #[serde(default)]
    sources_ns: BTreeMap<String, u64>,
    /// Smallest guesses and nanoseconds of each cell, with the number of records.
    #[serde(default)]
    guesses_by_time: Vec<(u64, u64, u64)>,
    #[serde(default)]
    timeline: Option<TimelineEntry>,
    #[serde(default)]
    machines: BTreeMap<String, u64>,
    #[serde(default)]
    started: Option<u64>,
    #[serde(default)]
    peak_memory_bytes: Option<u64>,
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
    fn read(self, name: &str) -> Parsed<Histogram> {
        let sum = self.sum.parse().map_err(|_| format!("the sum of {name} is not a number"))?;
        Histogram::from_parts(&self.buckets, sum, self.min.zip(self.max), MAX_COUNT)
            .ok_or_else(|| format!("the histogram of {name} contradicts itself"))
    }
}

impl From<&Statistics> for File {
    fn from(statistics: &Statistics) -> Self {
        let clock = &statistics.clock;
        File {
            schema: SCHEMA,
            runs: statistics.runs.iter().map(RunEntry::from).collect(),
            records: Records {
                read: statistics.records_in,
                answered: statistics.answered(),
                rejected: statistics.rejected(),
                rows_out: statistics.rows_out,
                bytes_in: statistics.bytes_in,
                skipped_lines: statistics.lines.text(),
                lines: Some(statistics.lines),
                bytes_out: statistics.bytes_out,
                split: statistics.split,
                with_solution: statistics.with_solution,
                without_guess: statistics.without_guess,
                share_without_guess: statistics.share_without_guess(),
                solutions: statistics.solutions.to_string(),
            },
            status: by_word(Status::ALL.iter().map(|&status| (status, statistics.status(status)))),
            ended_by: EndedBy::ALL
                .iter()
                .map(|&ended_by| {
                    let first = statistics.first_ended_by(ended_by).to_vec();
                    (ended_by.word().to_owned(), Ended { records: statistics.ended_by(ended_by), first })
                })
                .filter(|(_, ended)| ended.records > 0)
                .collect(),
            clues: statistics.clues().collect(),
            work: Counter::SUMMED
                .map(|counter| {
                    (counter.name().to_owned(), WorkEntry::Histogram(statistics.work(counter).into()))
                })
                .into(),
            letter_clashes: statistics.letters.clone(),
            solution_automorphisms: statistics.solution_automorphisms.clone(),
            bands: statistics.bands.clone(),
            ratings: statistics
                .ratings()
                .map(|(scale, counts)| (scale.to_owned(), counts.counts().collect()))
                .collect(),
            class_sizes: statistics.class_sizes.clone(),
            lost: statistics.losses.iter().map(|(word, &records)| ((*word).to_owned(), records)).collect(),
            lost_columns: UnplacedEntry {
                columns: statistics.unplaced.list().to_vec(),
                others: statistics.unplaced.others(),
            },
            stopped: statistics.stops.iter().map(|(word, &runs)| ((*word).to_owned(), runs)).collect(),
            engines: statistics.engines.clone(),
            reasons: ReasonsEntry {
                kinds: statistics.reasons().to_vec(),
                others: statistics.other_reasons(),
            },
            hardest: statistics.hardest.clone(),
            sources: statistics
                .sources()
                .map(|(name, share)| (name.to_owned(), by_word(share.statuses())))
                .collect(),
            sources_work: statistics
                .sources()
                .map(|(name, share)| {
                    let entry =
                        SourceEntry { clues: share.clues().collect(), guesses: share.guesses().into() };
                    (name.to_owned(), entry)
                })
                .collect(),
            checksum: format!("{:032x}", statistics.checksum),
            clock: ClockEntry {
                wall_ns: clock.wall_ns,
                cpu_ns: clock.cpu_ns,
                records_per_second: clock.per_second(statistics.records_in),
                busy: clock.busy(),
                phases: clock.phases,
                threads: clock.threads.clone(),
                time_ns: (&clock.per_record).into(),
                sources_ns: statistics
                    .sources()
                    .map(|(name, share)| (name.to_owned(), share.busy_ns))
                    .collect(),
                guesses_by_time: clock.guesses_by_time.smallest().collect(),
                timeline: Some((&clock.timeline).into()),
                machines: clock.machines.clone(),
                started: clock.started,
                peak_memory_bytes: clock.peak_memory,
            },
        }
    }
}

impl From<&RunOptions> for RunEntry {
    fn from(run: &RunOptions) -> Self {
        RunEntry {
            version: run.version.clone(),
            digest: format!("{:032x}", xxh3_128(run.options.join("\0").as_bytes())),
            options: run.options.clone(),
            runs: run.runs,
        }
    }
}

/// Result of reading a part of a file, or the reason why it is invalid.
type Parsed<T> = std::result::Result<T, String>;

impl File {
    fn read(mut self) -> Parsed<Statistics> {
        if self.schema != SCHEMA {
            return Err(format!("schema {}, but this program reads schema {SCHEMA}", self.schema));
        }
        let mut statistics = Statistics { hardest: self.hardest.sorted(), ..Statistics::default() };
        statistics.records_in = counted(self.records.read)?;
        statistics.bytes_in = counted(self.records.bytes_in)?;
        let other = self.records.skipped_lines;
        statistics.lines = self.records.lines.unwrap_or(LineCounts { other, ..LineCounts::default() });
        counted(statistics.lines.records)?;
        statistics.lines.others().iter().try_for_each(|(lines, _)| counted(*lines).map(drop))?;
        statistics.rows_out = counted(self.records.rows_out)?;
        statistics.bytes_out = counted(self.records.bytes_out)?;
        statistics.split = counted(self.records.split)?;
        statistics.with_solution = counted(self.records.with_solution)?;
        statistics.without_guess = counted(self.records.without_guess)?;
        statistics.solutions = read_count(&self.records.solutions)?;
        for run in self.runs {
            statistics.add_run(&RunOptions {
                version: run.version,
                options: run.options,
                runs: counted(run.runs)?,
            });
        }
        read_statuses(self.status, &mut statistics.status)?;
        for (name, statuses) in self.sources {
            let mut share = SourceCounts {
                busy_ns: self.clock.sources_ns.get(&name).copied().unwrap_or(0),
                ..SourceCounts::default()
            };
            read_statuses(statuses, &mut share.status)?;
            if let Some(work) = self.sources_work.remove(&name) {
                read_clues(work.clues, &mut share.clues)?;
                share.guesses = work.guesses.read("guesses of a source")?;
            }
            statistics.sources.insert(name.into(), share);
        }
        for (word, mut ended) in self.ended_by {
            let by = EndedBy::from_word(&word).ok_or_else(|| format!("unknown end of a search: {word}"))?;
            ended.first.sort_unstable();
            ended.first.truncate(NAMED);
            statistics.ended_by[by as usize] = counted(ended.records)?;
            statistics.early[by as usize] = ended.first;
        }
        read_clues(self.clues, &mut statistics.clues)?;
        for share in self.reasons.kinds {
            counted(share.records)?;
            statistics.reasons.add(&share);
        }
        statistics.reasons.set_others(counted(self.reasons.others)?);
        for counter in Counter::SUMMED {
            let name = counter.name();
            match self.work.remove(name) {
                Some(WorkEntry::Histogram(work)) => statistics.work[counter as usize] = work.read(name)?,
                None if !IN_EVERY_FILE.contains(&counter) => {}
                _ => return Err(format!("unknown histogram: {name}")),
            }
        }
        statistics.solution_automorphisms = all_counted(self.solution_automorphisms)?;
        statistics.bands = all_counted(self.bands)?;
        for (scale, counts) in self.ratings {
            let read = RatingCounts::read(&counts, MAX_COUNT);
            let read = read.ok_or_else(|| format!("the ratings by {scale} contradict themselves"))?;
            statistics.ratings.insert(scale.into(), read);
        }
        statistics.class_sizes = all_counted(self.class_sizes)?;
        for (word, records) in self.lost {
            let loss = Loss::from_word(&word).ok_or_else(|| format!("unknown kind of loss: {word}"))?;
            statistics.losses.insert(loss.word(), counted(records)?);
        }
        let UnplacedEntry { mut columns, others } = self.lost_columns;
        for column in &mut columns {
            column.records = counted(column.records)?;
        }
        statistics.unplaced = Unplaced::new(columns, counted(others)?);
        for (word, runs) in self.stopped {
            let stop = Stop::from_word(&word).ok_or_else(|| format!("unknown end of a run: {word}"))?;
            statistics.stops.insert(stop.word(), counted(runs)?);
        }
        statistics.letters = all_counted(self.letter_clashes)?;
        for share in self.engines {
            counted(share.records)?;
            statistics.add_engine(&share);
        }
        statistics.checksum = u128::from_str_radix(&self.checksum, 16)
            .map_err(|_| "the checksum is not a number".to_owned())?;
        statistics.clock = Clock {
            wall_ns: self.clock.wall_ns,
            cpu_ns: self.clock.cpu_ns,
            phases: self.clock.phases,
            threads: self.clock.threads,
            per_record: self.clock.time_ns.read("time")?,
            guesses_by_time: Histogram2d::from_parts(&self.clock.guesses_by_time, MAX_COUNT)
                .ok_or_else(|| "the density of guesses and time contradicts itself".to_owned())?,
            timeline: self.clock.timeline.map(TimelineEntry::read).transpose()?.unwrap_or_default(),
            machines: self.clock.machines,
            started: self.clock.started,
            peak_memory: self.clock.peak_memory_bytes,
        };
        Ok(statistics)
    }
}

/// Returns counts by the words of statuses, without those that are 0.
fn by_word(counts: impl Iterator<Item = (Status, u64)>) -> BTreeMap<String, u64> {
    counts
        .filter(|(_, records)| *records > 0)
        .map(|(status, records)| (status.word().to_owned(), records))
        .collect()
}

/// Reads counts that [`by_word`] returned.
fn read_statuses(counts: BTreeMap<String, u64>, into: &mut [u64; Status::ALL.len()]) -> Parsed<()> {
    for (word, records) in counts {
        let status = Status::from_word(&word).ok_or_else(|| format!("unknown status: {word}"))?;
        into[status as usize] = counted(records)?;
    }
    Ok(())
}

/// Reads numbers of records by number of clues.
fn read_clues(list: BTreeMap<u32, u64>, into: &mut Vec<u64>) -> Parsed<()> {
    for (clues, records) in list {
        if clues as usize > MAX_SIDE * MAX_SIDE {
            return Err(format!("no grid has {clues} clues"));
        }
        count_at(into, clues as usize, counted(records)?);
    }
    Ok(())
}

/// Returns a count, or an error if it is absurdly large: sums of counts must not overflow.
fn counted(count: u64) -> Parsed<u64> {
    if count <= MAX_COUNT { Ok(count) } else { Err(format!("the count {count} is too large")) }
}

/// Returns counts by key, or an error if one is absurdly large.
fn all_counted<K>(counts: BTreeMap<K, u64>) -> Parsed<BTreeMap<K, u64>> {
    counts.values().try_for_each(|count| counted(*count).map(drop))?;
    Ok(counts)
}

fn read_count(text: &str) -> Parsed<Count> {
    text.parse::<num_bigint::BigUint>()
        .map(Count::from)
        .map_err(|_| "the number of solutions is not a number".to_owned())
}

impl Statistics {
    /// Returns the statistics as JSON, ending in a line feed.
    ///
    /// Apart from the section `clock`, the text is the same for every run over the same input with the same options.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&File::from(self))
            .expect("numbers, strings and maps with plain keys can always be written");
        text.push('\n');
        text
    }

    /// Reads the result of [`to_json`](Self::to_json). `source` is the name of the file, for errors.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON, has another schema, or contradicts itself.
    pub fn from_json(source: &str, text: &str) -> Result<Self> {
        let refuse = |line: usize, byte: usize, reason: String| {
            let place =
                Location { source: Arc::from(source), record: 1, line: line as u64, byte: byte as u64 };
            Error::from(ErrorKind::Input { place, reason: format!("not a statistics file: {reason}") })
        };
        let file: File = serde_json::from_str(text).map_err(|error| {
            let before: usize = text.split_inclusive('\n').take(error.line().max(1) - 1).map(str::len).sum();
            refuse(error.line(), before + error.column().max(1) - 1, error.to_string())
        })?;
        file.read().map_err(|reason| refuse(1, 0, reason))
    }
}
