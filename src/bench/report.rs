//! The results of a race, in the form that is written as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BenchOptions;
use super::verdict::Estimate;
use quadrille_model::{Counter, Result, usage};

/// Value of the key `kind` in the JSON file. It distinguishes reports from other JSON files that the program
/// writes.
pub(super) const KIND: &str = "quadrille bench";
/// Version of the file layout. It changes if a key is removed or gets another meaning.
pub(super) const SCHEMA: u64 = 1;
/// Suffix of a program's name in reports. It is added if the row has times that the program measured itself.
pub(crate) const OWN_CLOCK: &str = " (own clock)";
/// Limit for the width of a confidence interval divided by the ratio. Below this limit, the ratio is known
/// well enough.
pub(super) const SETTLED_WIDTH: f64 = 0.02;

/// All results of a race.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(super) kind: String,
    pub(super) schema: u64,
    pub(crate) version: String,
    /// Commit from which the program was built, or `None` if it is unknown.
    #[serde(default)]
    pub(crate) commit: Option<String>,
    /// True if the program was built with optimisation.
    pub(crate) optimised: bool,
    /// Machine on which the race ran.
    pub(crate) machine: Machine,
    /// The corpus of the race.
    pub(crate) corpus: CorpusFacts,
    pub(crate) asked: BenchQuery,
    /// Processor time divided by wall time, over all timed work. `None` if the system does not measure
    /// processor time.
    pub(crate) processor_share: Option<f64>,
    /// Time for reading the records.
    pub(crate) parsing: Parsing,
    /// Results for each class of problems, in the order of the corpus.
    pub(crate) classes: Vec<ClassReport>,
    /// Comparison with an earlier report. It is written to files, but ignored when a report is read from a
    /// file.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Comparison>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) cpu: String,
    /// Name of the processor's architecture, as the compiler calls it.
    pub(crate) architecture: String,
    /// Number of threads that can run at the same time.
    pub(crate) cores: usize,
    /// Instruction sets of this processor that some engine supports.
    pub(crate) isas: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct CorpusFacts {
    /// The names of the sources.
    pub(crate) sources: Vec<String>,
    /// Sum of the hashes of the records in the race. The sum does not depend on the order of the records.
    pub(crate) hash: String,
    /// Number of readable records in the input.
    pub(crate) readable: usize,
    /// Number of unreadable records in the input. They are not part of the race.
    pub(crate) unreadable: usize,
    /// The first unreadable record, with the reason why it cannot be read.
    pub(crate) first_unreadable: Option<String>,
    /// Step between the readable records that take part: 1 means every record, 2 means every second record.
    pub(crate) every: usize,
    /// Number of records that are left out because their clues contradict each other.
    pub(crate) contradictory: usize,
    /// Number of copies of the corpus in the race.
    pub(crate) repeats: usize,
    /// Number of records in the race. Repeated records are counted each time.
    pub(crate) taken: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BenchQuery {
    /// `solve` or `count`.
    pub(crate) verb: String,
    /// Number of solutions at which a search stops, or `None` for no limit.
    pub(crate) limit: Option<u64>,
    /// Random seed that determined the order of the records.
    pub(crate) seed: u64,
    /// Number of timed rounds.
    pub(crate) rounds: usize,
    /// The reason why the rounds ended.
    #[serde(default)]
    pub(crate) ended_by: RoundsEnd,
    /// `wall` or `processor` time.
    pub(crate) clock: String,
    /// Maximum time per contender in seconds, or `None` for no limit.
    pub(crate) time_s: Option<f64>,
}

impl BenchQuery {
    /// Creates the description of the question that the options define.
    pub(crate) fn new(options: &BenchOptions) -> Self {
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

/// The reason why the rounds ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoundsEnd {
    /// The requested number of rounds was reached.
    #[default]
    Number,
    /// Every ratio is known well enough.
    Settled,
    /// The time of all contenders was up.
    Time,
    /// The maximum number of rounds.
    Maximum,
}

/// Time for reading records on one thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parsing {
    /// Microseconds per record.
    pub(crate) us_each: Spread,
    pub(crate) per_second: f64,
    pub(crate) bytes_per_second: f64,
}

/// The results for one class of problems.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassReport {
    pub(crate) class: String,
    pub(crate) records: usize,
    /// Microseconds for reading a record of this class. This is the time per byte in the whole corpus, times
    /// the bytes per record of this class.
    pub(crate) parsing_us_each: f64,
    /// Name of the contender with which all others are compared, as returned by [`Row::name`]. `None` if
    /// there are no rows.
    pub(crate) baseline: Option<String>,
    /// Rows of the contenders. The engines come first, in the order of the list `ENGINES`, followed by the
    /// programs.
    pub(crate) rows: Vec<Row>,
    /// Contenders that did not take part.
    pub(crate) absent: Vec<Skipped>,
    /// Programs that failed. Each has the reason and the first record on which it failed.
    #[serde(default)]
    pub(crate) failed: Vec<Skipped>,
}

/// The results of one contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Name of the engine or program.
    pub(crate) engine: String,
    /// Instruction set, or `None` if the engine has only one version.
    pub(crate) isa: Option<String>,
    /// Number of records on which the contender was timed. They are the first records of the shuffled corpus.
    pub(crate) records: usize,
    /// Microseconds per record, without parsing.
    pub(crate) us_each: Spread,
    /// Microseconds per record in each round, without parsing.
    pub(crate) rounds_us_each: Vec<f64>,
    /// Records per second, computed from the median of `us_each`.
    pub(crate) per_second: f64,
    /// Microseconds per record if one thread parses and then solves each record.
    pub(crate) with_parsing_us_each: f64,
    /// Records per second if one thread parses and then solves each record.
    pub(crate) with_parsing_per_second: f64,
    /// Speed divided by the speed of the baseline. It is the median over the rounds.
    pub(crate) ratio: f64,
    /// Confidence interval of `ratio`, or `None` if there are fewer than three rounds.
    ///
    /// With a probability of 95 %, all intervals of a report contain the true ratios.
    #[serde(default)]
    pub(crate) ratio_interval: Option<[f64; 2]>,
    /// Verdict on the speed compared with the baseline, or `None` for the baseline itself.
    #[serde(default)]
    pub(crate) verdict: Option<String>,
    /// Question that the contender was asked, such as `unique`. `None` for a program if neither the user nor
    /// the protocol says which question its command answers.
    #[serde(default)]
    pub(crate) asked: Option<String>,
    /// Mean of each counter per record. The keys are made by [`each`] and end in `_each`.
    #[serde(flatten)]
    pub(super) work_each: BTreeMap<String, serde_json::Value>,
    /// Share of records that were decided without a guess, from 0 to 1.
    pub(crate) without_guess: Option<f64>,
    /// Total number of solutions found, or `None` for programs.
    pub(crate) solutions: Option<String>,
    /// Figures of a program, or `None` for an engine in this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) program: Option<ProgramFigures>,
}

/// Figures that only programs have, because every execution of a program is a process of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProgramFigures {
    pub(crate) command: String,
    /// The name of the protocol.
    pub(crate) protocol: String,
    /// `process` if the row has times of whole processes, or `own` if it has times that the program measured
    /// itself.
    pub(crate) clock: String,
    /// Microseconds that the program takes for a single record, or `None` if the program always gets a single
    /// record.
    pub(crate) start_us: Option<Spread>,
    /// Microseconds per record, not counting the start of the program.
    ///
    /// To compute this figure, the time for one record is subtracted from the time for the whole sample. The
    /// rest is divided by the number of records in the sample minus 1.
    pub(crate) less_start_us_each: Option<f64>,
    /// Microseconds of processor time per record, used by the process and its children.
    pub(crate) processor_us_each: f64,
    /// Peak memory of the program in bytes, or `None` if it does not exceed the peak memory of a process that
    /// does nothing.
    pub(crate) peak_bytes: Option<u64>,
}

/// A contender that did not take part or that failed, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    /// The name, as [`Row::name`].
    pub(crate) name: String,
    /// The reason why the contender did not take part or why it failed.
    pub(crate) reason: String,
}

/// The comparison of a new report with an old report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// Name of the old report.
    pub(crate) old: String,
    /// Version of the program that made the old report.
    pub(crate) old_version: String,
    /// Machine of the old report, or `None` if the new report is from the same machine.
    pub(crate) other_machine: Option<String>,
    /// Contenders in both reports.
    pub(crate) rows: Vec<Compared>,
    /// Contenders that are only in the new report. Each name begins with the name of the class.
    pub(crate) only_new: Vec<String>,
    /// Contenders that are only in the old report. Each name begins with the name of the class.
    pub(crate) only_old: Vec<String>,
}

/// One contender in both reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Compared {
    pub(crate) class: String,
    pub(crate) engine: String,
    /// Instruction set, or `None` if the engine has only one version.
    pub(crate) isa: Option<String>,
    /// Microseconds per record in the old report.
    pub(crate) old_us_each: Spread,
    /// Microseconds per record in the new report.
    pub(crate) new_us_each: Spread,
    /// New speed divided by old speed, computed from the medians of the times. It is above 1 if the contender
    /// became faster.
    pub(crate) ratio: f64,
    /// Confidence interval of `ratio`, or `None` if one of the reports has fewer than three rounds.
    pub(crate) ratio_interval: Option<[f64; 2]>,
    /// Verdict on the new speed compared with the old speed.
    pub(crate) verdict: String,
    /// True if the verdict says that one of the two speeds is higher.
    pub(crate) clear: bool,
    /// True if both reports timed the contender on the same records.
    pub(crate) same_records: bool,
}

/// Median, minimum and maximum of a list of figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    /// Middle figure, or the mean of the two middle figures.
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Returns the median, minimum and maximum of some figures, or `None` if there are no figures.
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
    /// Creates a row with the figures that every contender has.
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

    /// Compares the speed of this row with the baseline: sets `ratio`, `ratio_interval` and `verdict`.
    ///
    /// The times of this row and of the baseline must be from the same rounds. `compared` is the number of
    /// ratios in the report.
    pub(super) fn compare(&mut self, baseline_us_each: &[f64], compared: usize) {
        let pairs = baseline_us_each.iter().zip(&self.rounds_us_each);
        let ratios: Vec<f64> = pairs.map(|(baseline, own)| baseline / own).collect();
        self.ratio = Spread::of(&ratios).map_or(1.0, |ratios| ratios.median);
        let estimate = Estimate::paired(baseline_us_each, &self.rounds_us_each);
        self.ratio_interval = estimate.map(|estimate| estimate.interval(compared));
        self.verdict = Some(Estimate::said(estimate.map(|estimate| estimate.verdict(compared))));
    }

    /// Returns the contender's name, such as `dlx` or `lanes avx2`.
    ///
    /// If a program measured the times of the row itself, the name has a suffix, as in `mine (own clock)`.
    pub(crate) fn name(&self) -> String {
        match &self.program {
            Some(program) if program.clock == "own" => format!("{}{OWN_CLOCK}", self.engine),
            _ => contender_name(&self.engine, self.isa.as_deref()),
        }
    }

    /// Returns the width of the ratio's interval divided by the ratio, or `None` if there is no interval.
    ///
    /// The width is 0 for the baseline.
    pub(super) fn ratio_width(&self) -> Option<f64> {
        self.ratio_interval.map(|[low, high]| (high - low) / self.ratio)
    }
}

/// Returns the key in the report for the mean of a counter per record. It ends in `_each`.
pub(super) fn each(counter: Counter) -> String {
    format!("{}_each", counter.name())
}

pub(crate) fn contender_name(engine: &str, isa: Option<&str>) -> String {
    isa.map_or_else(|| engine.to_owned(), |isa| format!("{engine} {isa}"))
}

impl Report {
    /// Returns the report as JSON text that ends with a line feed.
    pub(crate) fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("numbers, strings and lists can always be written");
        text.push('\n');
        text
    }

    /// Returns true if programs took part and every program failed in every class.
    pub(crate) fn is_without_right_program(&self) -> bool {
        self.classes.iter().any(|class| !class.failed.is_empty())
            && self.classes.iter().flat_map(|class| &class.rows).all(|row| row.program.is_none())
    }

    /// Returns true if the text is JSON and its key `kind` has the value [`KIND`]. Checks nothing else.
    pub(crate) fn is_kind(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value["kind"] == KIND)
    }

    /// Reads a report that [`to_json`](Self::to_json) has written.
    ///
    /// `source` is the file's name in error messages.
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
