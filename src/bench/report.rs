//! The results of a race, as written to JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BenchOptions;
use super::verdict::Estimate;
use quadrille_model::{Counter, Result, usage};

/// Identifies this kind of file among the JSON files of the program.
pub(super) const KIND: &str = "quadrille bench";
/// The version of the layout. It changes when a key is removed or changes its meaning.
pub(super) const SCHEMA: u64 = 1;
/// Suffix of a program's name in the row with the times that the program measured itself.
pub(crate) const OWN_CLOCK: &str = " (own clock)";
/// Width of a ratio's interval, divided by the ratio, below which the ratio is known well enough.
pub(super) const SETTLED_WIDTH: f64 = 0.02;

/// All results of a race.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(super) kind: String,
    pub(super) schema: u64,
    pub(crate) version: String,
    /// The commit from which the program was built, or `None` if it is unknown.
    #[serde(default)]
    pub(crate) commit: Option<String>,
    /// True if the program was built with optimisation.
    pub(crate) optimised: bool,
    /// The machine on which the race ran.
    pub(crate) machine: Machine,
    /// The corpus of the race.
    pub(crate) corpus: CorpusFacts,
    pub(crate) asked: BenchQuery,
    /// Processor time divided by wall time, of everything timed; `None` if the system does not measure it.
    pub(crate) processor_share: Option<f64>,
    /// The cost of reading the records.
    pub(crate) parsing: Parsing,
    /// The results by class of problem, in the order of the corpus.
    pub(crate) classes: Vec<ClassReport>,
    /// The comparison with an earlier report. Not read from files.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Comparison>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) cpu: String,
    /// The architecture, as the compiler calls it.
    pub(crate) architecture: String,
    /// Number of threads that can run at the same time.
    pub(crate) cores: usize,
    /// The instruction sets of this processor that have an engine.
    pub(crate) isas: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct CorpusFacts {
    /// The names of the sources.
    pub(crate) sources: Vec<String>,
    /// The sum of the hashes of the records taken: the same for any order of the records.
    pub(crate) hash: String,
    /// Number of readable records in the input.
    pub(crate) readable: usize,
    /// Number of unreadable records, which are left out.
    pub(crate) unreadable: usize,
    /// The first unreadable record, with the reason.
    pub(crate) first_unreadable: Option<String>,
    /// One of this many readable records is in the race.
    pub(crate) every: usize,
    /// Number of records left out because their clues contradict each other.
    pub(crate) contradictory: usize,
    /// Number of copies of the corpus.
    pub(crate) repeats: usize,
    /// Number of records in the race, including repetitions.
    pub(crate) taken: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BenchQuery {
    /// `solve` or `count`.
    pub(crate) verb: String,
    /// Number of solutions at which a search stops, or `None` without a limit.
    pub(crate) limit: Option<u64>,
    /// The random seed that decided the order of the records.
    pub(crate) seed: u64,
    /// Number of timed rounds.
    pub(crate) rounds: usize,
    /// The limit that ended the rounds.
    #[serde(default)]
    pub(crate) ended_by: RoundsEnd,
    /// `wall` or `processor` time.
    pub(crate) clock: String,
    /// Maximum number of seconds of a contender, or `None` without a limit.
    pub(crate) time_s: Option<f64>,
}

impl BenchQuery {
    /// Returns the question asked by the options.
    pub(super) fn new(options: &BenchOptions) -> Self {
        BenchQuery {
            verb: options.goal.verb().to_owned(),
            limit: options.goal.limit(),
            seed: options.seed,
            rounds: options.rounds.planned(),
            ended_by: RoundsEnd::default(),
            clock: if options.processor_time { "processor" } else { "wall" }.to_owned(),
            time_s: options.time.map(|time| time.as_secs_f64()),
        }
    }
}

/// The limit that ended the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoundsEnd {
    /// The number of rounds that was asked for.
    #[default]
    Number,
    /// Every ratio is known well enough.
    Settled,
    /// The time of every contender was up.
    Time,
    /// The maximum number of rounds.
    Maximum,
}

/// The cost of reading records on one thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parsing {
    /// Microseconds per record.
    pub(crate) us_each: Spread,
    pub(crate) per_second: f64,
    pub(crate) bytes_per_second: f64,
}

/// The results on one class of problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassReport {
    pub(crate) class: String,
    pub(crate) records: usize,
    /// Microseconds to read one record: the corpus' cost per byte, times the bytes per record of this class.
    pub(crate) parsing_us_each: f64,
    /// The contender to which the ratios refer, by [`Row::name`]; `None` without rows.
    pub(crate) baseline: Option<String>,
    /// One row per contender, in the order of the table of engines.
    pub(crate) rows: Vec<Row>,
    /// The contenders that did not take part.
    pub(crate) absent: Vec<Skipped>,
    /// The programs that failed, with the reason and the first record concerned.
    #[serde(default)]
    pub(crate) failed: Vec<Skipped>,
}

/// The results of one contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The name of the engine, or of the program.
    pub(crate) engine: String,
    /// The instruction set, or `None` if the engine has only one version.
    pub(crate) isa: Option<String>,
    /// Number of records on which the contender was timed, which are the first of the shuffled corpus.
    pub(crate) records: usize,
    /// Microseconds per record, without parsing.
    pub(crate) us_each: Spread,
    /// Microseconds per record in each round, without parsing.
    pub(crate) rounds_us_each: Vec<f64>,
    /// Records per second, by the median of `us_each`.
    pub(crate) per_second: f64,
    /// Microseconds per record if parsing and answering follow each other on one thread.
    pub(crate) with_parsing_us_each: f64,
    /// Records per second if parsing and answering follow each other on one thread.
    pub(crate) with_parsing_per_second: f64,
    /// The speed divided by the speed of the baseline: the median over the rounds.
    pub(crate) ratio: f64,
    /// The interval of `ratio`, or `None` with fewer than three rounds. All intervals of a report hold with a probability
    /// of 95 %.
    #[serde(default)]
    pub(crate) ratio_interval: Option<[f64; 2]>,
    /// The verdict on this contender compared with the baseline; `None` for the baseline.
    #[serde(default)]
    pub(crate) verdict: Option<String>,
    /// The question that the contender was asked, or `None` if only its command knows.
    #[serde(default)]
    pub(crate) asked: Option<String>,
    /// Means of counters per record, by names that end in `_each`; see [`each`].
    #[serde(flatten)]
    pub(super) work_each: BTreeMap<String, serde_json::Value>,
    /// Share of the records decided without a guess, 0 to 1.
    pub(crate) without_guess: Option<f64>,
    /// Number of solutions found in all records, or `None` for programs.
    pub(crate) solutions: Option<String>,
    /// The figures of a program, or `None` for an engine in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) program: Option<ProgramFigures>,
}

/// Figures that only programs have, because they run as whole processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProgramFigures {
    pub(crate) command: String,
    /// The name of the protocol.
    pub(crate) protocol: String,
    /// `process` if the row has the time of whole processes, `own` if it has the time that the program reported.
    pub(crate) clock: String,
    /// Microseconds of a run on one record, or `None` if every run is on one record.
    pub(crate) start_us: Option<Spread>,
    /// Microseconds per record after the first: the time of a run on one record is subtracted.
    pub(crate) less_start_us_each: Option<f64>,
    /// Microseconds of processor time per record, of the process and its children.
    pub(crate) processor_us_each: f64,
    /// Peak memory in bytes, or `None` if a process that does nothing needs more.
    pub(crate) peak_bytes: Option<u64>,
}

/// A contender that did not take part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    /// The name, as [`Row::name`].
    pub(crate) name: String,
    /// The reason why the contender did not take part.
    pub(crate) reason: String,
}

/// The comparison of a new report with an old one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// The name of the old report.
    pub(crate) old: String,
    /// Version of the program that made the old report.
    pub(crate) old_version: String,
    /// The machine of the old report, if the new report is from another machine.
    pub(crate) other_machine: Option<String>,
    /// Contenders that are in both reports.
    pub(crate) rows: Vec<Compared>,
    /// Contenders that are only in the new report, with the class first.
    pub(crate) only_new: Vec<String>,
    /// Contenders that are only in the old report, with the class first.
    pub(crate) only_old: Vec<String>,
}

/// One contender in both reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Compared {
    pub(crate) class: String,
    pub(crate) engine: String,
    /// The instruction set, or `None` if the engine has only one version.
    pub(crate) isa: Option<String>,
    /// Microseconds per record in the old report.
    pub(crate) old_us_each: Spread,
    /// Microseconds per record in the new report.
    pub(crate) new_us_each: Spread,
    /// New speed divided by old speed, by medians: above 1 if the contender became faster.
    pub(crate) ratio: f64,
    /// The interval of `ratio`, or `None` with fewer than three rounds in a report.
    pub(crate) ratio_interval: Option<[f64; 2]>,
    /// The verdict on the new report compared with the old one.
    pub(crate) verdict: String,
    /// True if the verdict is that the speeds differ.
    pub(crate) clear: bool,
    /// True if both were timed on the same records.
    pub(crate) same_records: bool,
}

/// Median, minimum and maximum of some figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    /// The middle figure, or the mean of the two middle figures.
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Returns the summary of some figures, or `None` if there are none.
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
}

impl Row {
    /// Returns a row with the figures that all contenders have.
    pub(super) fn new(
        engine: String,
        isa: Option<String>,
        records: usize,
        us_each: Spread,
        rounds_us_each: Vec<f64>,
    ) -> Self {
        let per_second = 1e6 / us_each.median;
        Row {
            engine,
            isa,
            records,
            us_each,
            rounds_us_each,
            per_second,
            with_parsing_us_each: us_each.median,
            with_parsing_per_second: per_second,
            ratio: 1.0,
            ratio_interval: None,
            verdict: None,
            asked: None,
            work_each: Counter::SUMMED.map(|counter| (each(counter), serde_json::Value::Null)).into(),
            without_guess: None,
            solutions: None,
            program: None,
        }
    }

    /// Sets the ratio to the baseline, its interval and the verdict, from the times of both in the same rounds.
    /// `compared` is the number of ratios in the report.
    pub(super) fn compare(&mut self, baseline_us_each: &[f64], compared: usize) {
        let pairs = baseline_us_each.iter().zip(&self.rounds_us_each);
        let ratios: Vec<f64> = pairs.map(|(baseline, own)| baseline / own).collect();
        self.ratio = Spread::of(&ratios).map_or(1.0, |ratios| ratios.median);
        let estimate = Estimate::paired(baseline_us_each, &self.rounds_us_each);
        self.ratio_interval = estimate.map(|estimate| estimate.interval(compared));
        self.verdict = Some(Estimate::said(estimate.map(|estimate| estimate.verdict(compared))));
    }

    /// Returns the contender's name, such as `dlx` or `lanes avx2`. A program that measured itself is `mine (own
    /// clock)`.
    pub(crate) fn name(&self) -> String {
        match &self.program {
            Some(program) if program.clock == "own" => format!("{}{OWN_CLOCK}", self.engine),
            _ => contender_name(&self.engine, self.isa.as_deref()),
        }
    }

    /// Returns the width of the ratio's interval divided by the ratio; 0 for the baseline, `None` without an interval.
    pub(super) fn ratio_width(&self) -> Option<f64> {
        self.ratio_interval.map(|[low, high]| (high - low) / self.ratio)
    }
}

/// Returns the key of a counter's mean.
pub(super) fn each(counter: Counter) -> String {
    format!("{}_each", counter.name())
}

pub(crate) fn contender_name(engine: &str, isa: Option<&str>) -> String {
    isa.map_or_else(|| engine.to_owned(), |isa| format!("{engine} {isa}"))
}

impl Report {
    /// Returns the report as JSON, with a line feed at the end.
    pub(crate) fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("numbers, strings and lists can always be written");
        text.push('\n');
        text
    }

    /// Returns true if programs took part and each of them failed in every class.
    pub(crate) fn is_without_right_program(&self) -> bool {
        self.classes.iter().any(|class| !class.failed.is_empty())
            && self.classes.iter().flat_map(|class| &class.rows).all(|row| row.program.is_none())
    }

    /// Returns true if the text is a file of this kind, whatever its contents.
    pub(crate) fn is_kind(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value["kind"] == KIND)
    }

    /// Reads a report written by [`to_json`](Self::to_json); `source` is the file's name, for the error.
    ///
    /// # Errors
    /// Returns a usage error if the text is not a report or has another schema.
    pub(crate) fn from_json(source: &str, text: &str) -> Result<Self> {
        let refuse = |reason: String| usage!("{source}: not results of bench: {reason}");
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
        if value["kind"] != KIND {
            return Err(refuse(format!("its \"kind\" is not \"{KIND}\"")));
        }
        if value["schema"] != SCHEMA {
            return Err(refuse(format!(
                "schema {}, but this program reads schema {SCHEMA}",
                value["schema"]
            )));
        }
        serde_json::from_value(value).map_err(|error| refuse(error.to_string()))
    }
}
