//! The results of a race, as they stand in JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BenchOptions;
use quadrille_model::Counter;
use quadrille_model::{Error, Result};

/// The name of this kind of file, so that other files of the program are not taken for one.
pub(super) const KIND: &str = "quadrille bench";
/// The version of the layout; changes when a key changes its meaning or is removed.
pub(super) const SCHEMA: u64 = 1;

/// All results of a race.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(super) kind: String,
    pub(super) schema: u64,
    /// Version of the program.
    pub(crate) version: String,
    /// True if the program was built with optimisation.
    pub(crate) optimised: bool,
    /// The machine it ran on.
    pub(crate) machine: Machine,
    /// The corpus it ran over.
    pub(crate) corpus: CorpusFacts,
    /// The question.
    pub(crate) asked: Asked,
    /// Processor time through wall time of all that was timed; `None` where the system does not measure it.
    pub(crate) processor_share: Option<f64>,
    /// The cost of reading the records.
    pub(crate) parsing: Parsing,
    /// Results by class of problem, in the order the corpus brings them.
    pub(crate) classes: Vec<ClassReport>,
    /// The comparison with an earlier report; not read back.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Comparison>,
}

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) cpu: String,
    /// Its architecture, as the compiler calls it.
    pub(crate) architecture: String,
    /// Threads that run at the same time.
    pub(crate) cores: usize,
    /// The instruction sets it has that engines are written for.
    pub(crate) isas: Vec<String>,
}

/// A corpus.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct CorpusFacts {
    /// The names of its sources.
    pub(crate) sources: Vec<String>,
    /// A sum over hashes of the records taken: the same for any order of the same records.
    pub(crate) hash: String,
    /// Records in the input that can be read.
    pub(crate) readable: usize,
    /// Records that cannot, and are left out.
    pub(crate) unreadable: usize,
    /// The first of them, with the reason.
    pub(crate) first_unreadable: Option<String>,
    /// Step from one readable record that is taken to the next.
    pub(crate) every: usize,
    /// Records left out of these because their clues contradict each other.
    pub(crate) contradictory: usize,
    /// The number of times the corpus is gone through.
    pub(crate) repeats: usize,
    /// Records raced on, repetitions included.
    pub(crate) taken: usize,
}

/// The question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// `solve` or `count`.
    pub(crate) verb: String,
    /// Solutions after which a search ends.
    pub(crate) limit: Option<u64>,
    /// Decides the order of the records.
    pub(crate) seed: u64,
    /// Timed rounds.
    pub(crate) rounds: usize,
    /// `wall` or `processor` time.
    pub(crate) clock: String,
    /// Seconds a contender may take; `None` without a limit.
    pub(crate) time_s: Option<f64>,
}

impl Asked {
    /// Returns the question that the options ask.
    pub(super) fn of(options: &BenchOptions) -> Self {
        Asked {
            verb: options.goal.verb().to_owned(),
            limit: options.goal.limit(),
            seed: options.seed,
            rounds: options.rounds,
            clock: if options.processor_time { "processor" } else { "wall" }.to_owned(),
            time_s: options.time.map(|time| time.as_secs_f64()),
        }
    }
}

/// The cost of reading records on one thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parsing {
    /// Microseconds a record.
    pub(crate) us_each: Spread,
    /// Records a second.
    pub(crate) per_second: f64,
    /// Bytes a second.
    pub(crate) bytes_per_second: f64,
}

/// The results on one class of problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassReport {
    /// The class's name.
    pub(crate) class: String,
    /// The number of records.
    pub(crate) records: usize,
    /// Microseconds that reading one of them costs: the corpus' cost a byte, times the bytes of this class.
    pub(crate) parsing_us_each: f64,
    /// The contender that each row's ratio is to, as [`Row::name`]; absent without rows.
    pub(crate) baseline: Option<String>,
    /// One a contender, in the order of the table of engines.
    pub(crate) rows: Vec<Row>,
    /// The contenders that did not take part.
    pub(crate) absent: Vec<Absent>,
}

/// The results of one contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The engine.
    pub(crate) engine: String,
    /// Its instruction set, where it has several.
    pub(crate) isa: Option<String>,
    /// The records it was timed on: these and no others, the first of the shuffled corpus.
    pub(crate) records: usize,
    /// Microseconds a record, parsing excluded.
    pub(crate) us_each: Spread,
    /// The same of every round.
    pub(crate) rounds_us_each: Vec<f64>,
    /// Records a second at the median.
    pub(crate) per_second: f64,
    /// Microseconds a record with parsing, one after the other on one thread.
    pub(crate) with_parsing_us_each: f64,
    /// Records a second likewise.
    pub(crate) with_parsing_per_second: f64,
    /// Its speed divided by the baseline's, by medians.
    pub(crate) ratio: f64,
    /// Means of counters a record, by names with `_each`; see [`each`](Self::each).
    #[serde(flatten)]
    pub(super) work_each: BTreeMap<String, serde_json::Value>,
    /// Share of the records that was decided without a guess, 0 to 1.
    pub(crate) without_guess: Option<f64>,
    /// Solutions found, all records together.
    pub(crate) solutions: String,
}

/// A contender that did not take part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Absent {
    /// Its name, as [`Row::name`].
    pub(crate) name: String,
    /// The reason for its absence.
    pub(crate) reason: String,
}

/// A new report beside an old one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// The name of the old report.
    pub(crate) old: String,
    /// Version of the program that made it.
    pub(crate) old_version: String,
    /// The machine it was made on, where that is another.
    pub(crate) other_machine: Option<String>,
    /// Contenders that both have.
    pub(crate) rows: Vec<Compared>,
    /// Contenders of the new report alone, class first.
    pub(crate) only_new: Vec<String>,
    /// Contenders of the old report alone.
    pub(crate) only_old: Vec<String>,
}

/// One contender in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Compared {
    /// The class of problem.
    pub(crate) class: String,
    /// The engine.
    pub(crate) engine: String,
    /// Its instruction set, where it has several.
    pub(crate) isa: Option<String>,
    /// Microseconds a record, before.
    pub(crate) old_us_each: Spread,
    /// Microseconds a record, now.
    pub(crate) new_us_each: Spread,
    /// Speed now through speed before, by medians: above 1 it became faster.
    pub(crate) ratio: f64,
    /// True if no round of one took as long as any of the other.
    pub(crate) clear: bool,
    /// True if both were timed on the same records.
    pub(crate) same_records: bool,
}

/// Median, least and greatest of some figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    /// The middle one; between two middle ones, half-way.
    pub(crate) median: f64,
    /// The least.
    pub(crate) min: f64,
    /// The greatest.
    pub(crate) max: f64,
}

impl Spread {
    /// Returns the summary of at least one figure; `None` of none.
    pub(crate) fn of(figures: &[f64]) -> Option<Self> {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = if sorted.len().is_multiple_of(2) {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        } else {
            sorted[middle]
        };
        Some(Spread { median, min, max })
    }

    /// True if some figure lies within both.
    pub(crate) fn overlaps(self, other: Spread) -> bool {
        self.min <= other.max && other.min <= self.max
    }
}

impl Row {
    /// The contender's name: `dlx`, `lanes avx2`.
    pub(crate) fn name(&self) -> String {
        contender_name(&self.engine, self.isa.as_deref())
    }

    /// The mean of a counter a record; `None` where the engine does not count.
    pub(crate) fn each(&self, counter: Counter) -> Option<f64> {
        self.work_each.get(&each(counter))?.as_f64()
    }
}

/// The key of a counter's mean.
pub(super) fn each(counter: Counter) -> String {
    format!("{}_each", counter.name())
}

pub(crate) fn contender_name(engine: &str, isa: Option<&str>) -> String {
    isa.map_or_else(|| engine.to_owned(), |isa| format!("{engine} {isa}"))
}

impl Report {
    /// The report as JSON, with a line feed at the end.
    pub(crate) fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("numbers, strings and lists can always be written");
        text.push('\n');
        text
    }

    /// True for the text of such a file, whatever it holds.
    pub(crate) fn is_kind(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value["kind"] == KIND)
    }

    /// Reads what [`to_json`](Self::to_json) wrote. `source` is the file's name, for the error.
    ///
    /// # Errors
    /// Usage errors: something else, or another schema.
    pub(crate) fn from_json(source: &str, text: &str) -> Result<Self> {
        let refuse = |reason: String| Error::usage(format!("{source}: no results of bench: {reason}"));
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
        if value["kind"] != KIND {
            return Err(refuse(format!("its \"kind\" is not \"{KIND}\"")));
        }
        if value["schema"] != SCHEMA {
            return Err(refuse(format!("schema {}, this program reads schema {SCHEMA}", value["schema"])));
        }
        serde_json::from_value(value).map_err(|error| refuse(error.to_string()))
    }
}
