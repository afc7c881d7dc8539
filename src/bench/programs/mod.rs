//! Programs of any origin in a race: their input, their runs, and the check of their answers.
//!
//! ```text
//! Inputs: records as files --> process: one run, measured --> answers: found in the output, checked
//!                                          |
//!                                       Racer: warm-up, rounds, or the first thing that went wrong
//! ```
//!
//! Every answer of every run is checked after the run. A program that gives a wrong answer, or ends in any other way
//! than with exit status 0, is out of the race; the others go on.

mod answers;
mod folder;
mod process;
mod protocol;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_128;

use self::answers::{Fault, FaultKind, Judge, counts, grids, only_count};
use self::process::{End, Finished, RunLimits, Used, run};
use self::protocol::{FILE, Inputs, PUZZLE, words};
use super::BenchOptions;
use super::corpus::Section;
use super::report::{ProgramFigures, Row, Spread};
use super::sentences::question;
use quadrille_batch::stats::number_of;
use quadrille_model::{Error, Result, shown, usage};

#[cfg(unix)]
pub(crate) use self::process::meter;
pub(crate) use self::protocol::Protocol;

/// Number of records on which a program is run to find out whether it uses a protocol.
const TRIED: usize = 3;
/// Maximum factor by which the number of records grows from one untimed execution of a program to the next.
const GROWTH: usize = 8;
/// Number of bytes that a program may print, in addition to [`OUTPUT_PER_BYTE`] for each byte of its input.
const OUTPUT_BYTES: usize = 16 << 20;
/// Number of bytes that a program may print per byte of its input, in addition to [`OUTPUT_BYTES`].
const OUTPUT_PER_BYTE: usize = 64;
/// Maximum number of lines of standard error that a message shows.
const ERROR_LINES: usize = 3;
/// Start of the line on standard error in which a program reports its own time in nanoseconds.
const OWN_TIME: &str = "engine_ns ";

/// Ends the measured program that is running now, and removes the input files of measured programs.
///
/// Must be called when this process is about to exit.
#[cfg(unix)]
pub(crate) fn end_running() {
    process::end_running();
    folder::remove_all();
}

/// A program to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// Name of the program in tables.
    pub(crate) name: String,
    /// Command of the program. The word `self` means this program itself.
    pub(crate) command: String,
    /// Number of solutions at which the command stops searching, if the user has specified this number.
    pub(crate) limit: Option<u64>,
}

impl Program {
    fn is_self(&self) -> bool {
        self.command == "self"
    }

    /// Returns true if the race asks for counts. If this program itself takes part in the race, it then runs
    /// its command `count`.
    fn counts(options: &BenchOptions) -> bool {
        options.goal.verb() == "count" || matches!(options.protocol, Some(Protocol::Counts | Protocol::Cover))
    }

    /// Returns the words of the command. The placeholders `{}` and `{puzzle}` are not replaced yet.
    ///
    /// # Errors
    /// Returns a usage error if the command is empty, or if the path of this program's executable is unknown.
    fn words(&self, options: &BenchOptions) -> Result<Vec<OsString>> {
        if !self.is_self() {
            let words = words(&self.command);
            let is_command = words.first().is_some_and(|word| !word.is_empty());
            return if is_command {
                Ok(words.into_iter().map(OsString::from).collect())
            } else {
                Err(usage!("the command of --program {} is empty", self.name))
            };
        }
        let own = own_command();
        let (file, module) =
            own.map_err(|error| usage!("--program self: the program's own file: {error}"))?;
        let limit = options.goal.limit().map(|limit| limit.to_string());
        let question = match (options.goal.limit(), &limit) {
            (_, None) if Self::counts(options) => vec!["count"],
            (_, Some(limit)) if Self::counts(options) => vec!["count", "--limit", limit],
            (Some(1), _) => vec!["solve"],
            (Some(2), _) => vec!["solve", "--unique"],
            _ => return Err(usage!("--program self finds up to 2 solutions: add --count to ask for more")),
        };
        let rest = module.iter().copied().chain(question).chain(["-q", "-j1"]).map(OsString::from);
        Ok([file.into_os_string()].into_iter().chain(rest).collect())
    }
}

/// Returns the path of this program's executable. If Python runs this program, also returns the arguments
/// that Python needs.
fn own_command() -> io::Result<(PathBuf, &'static [&'static str])> {
    let file = std::env::current_exe()?;
    let is_python = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
    Ok((file, if is_python { &["-m", "quadrille"] } else { &[] }))
}

/// A program that races over a section. A section has all records of one class.
pub(super) struct Racer {
    name: String,
    /// The command as the user wrote it.
    command: String,
    /// Question that the command answers, or `None` if only the protocol determines the question.
    asked: Option<String>,
    /// Words of the command. The placeholders `{}` and `{puzzle}` are not replaced yet.
    words: Vec<OsString>,
    protocol: Protocol,
    /// Number of records in the program's sample. The sample consists of the first records of the section.
    sample: usize,
    rounds: Vec<Used>,
    /// Time and memory that the program used for a single record, once per round. Empty if the program always
    /// gets a single record.
    starts: Vec<Used>,
    /// Outputs that were found to be right. Each entry has the index of the first record and a hash of the
    /// output.
    checked: Vec<(usize, u128)>,
    spent: Duration,
    /// The first failure of the program, or `None` if there was none.
    failure: Option<String>,
}

/// The data that all programs in a section share.
pub(super) struct Shared<'a> {
    options: &'a BenchOptions,
    inputs: Inputs<'a>,
    judge: Judge,
    /// Output of the first program under [`Protocol::Same`], and the name of this program. All other programs
    /// must print the same output.
    first_output: Option<(Vec<u8>, String)>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(section: &'a Section, options: &'a BenchOptions) -> Result<Self> {
        let inputs = Inputs::new(section).map_err(|cause| written("the input of programs", cause))?;
        Ok(Shared { options, inputs, judge: Judge::default(), first_output: None })
    }
}

fn written(what: &'static str, cause: io::Error) -> Error {
    Error::io("writing", what, 0, cause)
}

impl Racer {
    /// Creates a racer from a program.
    ///
    /// # Errors
    /// Returns a usage error if the command is empty.
    pub(super) fn new(program: &Program, options: &BenchOptions) -> Result<Self> {
        Ok(Racer {
            name: program.name.clone(),
            command: program.command.clone(),
            asked: match program.limit {
                None if program.is_self() => Some(question(options.goal.limit())),
                limit => limit.map(|limit| question(Some(limit))),
            },
            words: program.words(options)?,
            protocol: options.protocol.unwrap_or(Protocol::Lines),
            sample: 0,
            rounds: Vec::new(),
            starts: Vec::new(),
            checked: Vec::new(),
            spent: Duration::ZERO,
            failure: None,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the reason why the program is out of the race, or `None` if the program is still in the race.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Chooses the protocol. Then runs the program on more and more records, for as long as its time allows.
    ///
    /// # Errors
    /// Returns an error if the input of programs cannot be written.
    pub(super) fn warm_up(&mut self, shared: &mut Shared<'_>) -> Result<()> {
        let section = shared.inputs.section;
        let all = section.problems.len();
        let begin = Instant::now();
        let tried = match shared.options.protocol {
            Some(_) => &[self.protocol],
            None => Protocol::tried(section),
        };
        // With this protocol, the outputs of two programs are compared, so both programs must get the same
        // records.
        let records = if self.protocol == Protocol::Same { all } else { TRIED.min(all) };
        let mut first_failure = None;
        for &protocol in tried {
            self.protocol = protocol;
            self.failure = None;
            let used = self.checked_run(shared, records)?;
            if self.failure.is_none() {
                return self.find_sample(shared, records, used, begin);
            }
            first_failure = first_failure.or(self.failure.take());
        }
        self.failure = first_failure;
        Ok(())
    }

    /// Runs the program on larger and larger samples, until the sample contains all records or one execution
    /// takes the planned time.
    ///
    /// `used` is the time and memory of an earlier execution on `records` records.
    fn find_sample(
        &mut self,
        shared: &mut Shared<'_>,
        mut records: usize,
        mut used: Used,
        begin: Instant,
    ) -> Result<()> {
        let all = shared.inputs.section.problems.len();
        let share = shared.options.time_per_round();
        while records < all && self.failure.is_none() {
            let fit = share.map_or(usize::MAX, |share| {
                (records as f64 * share.as_secs_f64() / used.wall.as_secs_f64().max(1e-9)) as usize
            });
            let next = fit.min(records * GROWTH).min(all);
            if next <= records {
                break;
            }
            records = next;
            used = self.checked_run(shared, records)?;
        }
        self.sample = records;
        self.spent = begin.elapsed();
        Ok(())
    }

    /// Runs one round: executes the program once on one record, and once on its sample of records.
    ///
    /// Returns false, without running anything, if the program's time is used up.
    ///
    /// # Errors
    /// Returns an error if an input file cannot be written.
    pub(super) fn round(&mut self, shared: &mut Shared<'_>) -> Result<bool> {
        if shared.options.is_time_up(self.spent, self.rounds.last().map(|used| used.wall)) {
            return Ok(false);
        }
        let begin = Instant::now();
        if self.sample > 1 && !self.is_one_by_one() {
            let start = self.checked_run(shared, 1)?;
            self.starts.push(start);
        }
        if self.failure.is_none() {
            let used = self.checked_run(shared, self.sample)?;
            self.rounds.push(used);
        }
        self.spent += begin.elapsed();
        Ok(true)
    }

    /// Returns true if each process of the program gets only one record.
    fn is_one_by_one(&self) -> bool {
        self.protocol == Protocol::Cover || self.command.contains(PUZZLE)
    }

    /// Runs the program on the first `records` records and checks its answers. Sets `failure` if anything is
    /// wrong.
    fn checked_run(&mut self, shared: &mut Shared<'_>, records: usize) -> Result<Used> {
        let mut sum = Used { own: Some(Duration::ZERO), ..Used::default() };
        let each = if self.is_one_by_one() { 1 } else { records };
        for first in (0..records).step_by(each) {
            let file = shared.inputs.file(self.protocol, first, each);
            let file = file.map_err(|cause| written("the input of programs", cause))?;
            let puzzle = String::from_utf8_lossy(shared.inputs.text(first));
            let words: Vec<OsString> = self.words.iter().map(|word| filled(word, &puzzle, &file)).collect();
            let has_input = !self.command.contains(PUZZLE) && !self.command.contains(FILE);
            let input = has_input.then(|| File::open(&file)).transpose();
            let input = input.map_err(|cause| Error::io("opening", &file, 0, cause))?;
            let bytes = std::fs::metadata(&file).map_or(0, |about| about.len()) as usize;
            let limits = RunLimits {
                time: shared.options.program_limit,
                output_bytes: OUTPUT_BYTES + OUTPUT_PER_BYTE * bytes,
            };
            let mut finished = match run(&words, input.as_ref(), limits, shared.inputs.folder.path()) {
                Ok(finished) => finished,
                Err(error) => {
                    self.failure = Some(format!("cannot run {}: {error}", shown::path(Path::new(&words[0]))));
                    return Ok(sum);
                }
            };
            finished.used.own = own_time(&finished.errors);
            sum += finished.used;
            let wall = finished.used.wall;
            if let Some(own) = finished.used.own.filter(|own| *own > wall) {
                let (own, wall) = (own.as_nanos(), wall.as_nanos());
                self.failure = Some(format!("{OWN_TIME}{own} is above the time of its process ({wall} ns)"));
                return Ok(sum);
            }
            self.check(shared, first..first + each, bytes, &finished)?;
            if self.failure.is_some() {
                break;
            }
        }
        Ok(sum)
    }

    /// Checks how an execution over some records ended, and checks its output.
    fn check(
        &mut self,
        shared: &mut Shared<'_>,
        records: Range<usize>,
        input_bytes: usize,
        run: &Finished,
    ) -> Result<()> {
        let end = match run.end {
            End::Exit(0) => None,
            End::Exit(status) => Some(format!("exit status {status}")),
            End::Signal(signal) => Some(format!("killed by signal {signal}")),
            End::TimeLimit => {
                Some(format!("still running after {:?} (--program-limit)", shared.options.program_limit))
            }
            End::OutputLimit => Some(format!("more than {} MiB of output", run.output.len() >> 20)),
            End::OutputHeld => Some("a process that it started keeps its output open".to_owned()),
        };
        let (first, count) = (records.start, records.len());
        let hash = (first, xxh3_128(&run.output) ^ count as u128);
        if end.is_none() && self.checked.contains(&hash) {
            return Ok(());
        }
        let fault = self.fault(shared, first, count, run)?;
        if end.is_none() && fault.is_none() {
            self.checked.push(hash);
            return Ok(());
        }
        let is_unread = fault.is_some() && run.input_read.is_some_and(|read| (read as usize) < input_bytes);
        let fault = fault.map(|fault| {
            let record = first + fault.record;
            let place = &shared.inputs.section.places[record];
            let at = format!("record {} ({}:{})", record + 1, place.source, place.line);
            match fault.kind {
                FaultKind::Missing => format!("no answer to {at}"),
                FaultKind::Surplus => format!("surplus answer after {at}"),
                FaultKind::Wrong(reason) => format!("wrong answer to {at}: {reason}"),
            }
        });
        let read = is_unread.then(|| {
            format!("read {} of {}", run.input_read.unwrap_or(0), number_of(input_bytes as u64, "byte"))
        });
        let said = last_lines(&run.errors);
        let said = (!said.is_empty()).then(|| format!("it said: {said}"));
        self.failure = Some([end, fault, read, said].into_iter().flatten().collect::<Vec<_>>().join("; "));
        Ok(())
    }

    /// Returns the first fault in the program's answers to `count` records, beginning with record `first`.
    ///
    /// Returns `None` if all answers are right.
    fn fault(
        &self,
        shared: &mut Shared<'_>,
        first: usize,
        count: usize,
        run: &Finished,
    ) -> Result<Option<Fault>> {
        let Shared { options, inputs, judge, first_output } = shared;
        let problems = &inputs.section.problems[first..first + count];
        match self.protocol {
            Protocol::Lines | Protocol::Contest => {
                let cells = inputs.section.cells();
                judge.solutions(problems, &grids(&run.output, cells, inputs.symbols()))
            }
            Protocol::Counts => judge.counts(problems, &counts(&run.output), options.goal.limit()),
            Protocol::Cover => {
                let count = only_count(&run.output, &run.errors);
                let counts: Vec<&str> = count.iter().map(String::as_str).collect();
                judge.counts(problems, &counts, options.goal.limit())
            }
            Protocol::Same => {
                // Outputs of two programs are compared only if they cover all records. If this output covers
                // fewer records, only its time is used.
                if count < inputs.section.problems.len() {
                    return Ok(None);
                }
                let (text, name) =
                    first_output.get_or_insert_with(|| (run.output.clone(), self.name.clone()));
                let same = text.iter().zip(&run.output).take_while(|(one, other)| one == other).count();
                if same == text.len().max(run.output.len()) {
                    return Ok(None);
                }
                let line = text[..same].iter().filter(|&&byte| byte == b'\n').count();
                let kind = FaultKind::Wrong(format!("line {} differs from that of {name}", line + 1));
                Ok(Some(Fault { record: line.min(count - 1), kind }))
            }
        }
    }

    /// Returns the rows of the result table for this program.
    ///
    /// The first row has the times of whole processes. If the program reported its own times, a second row
    /// has these times.
    pub(super) fn rows(&self, options: &BenchOptions) -> Vec<Row> {
        if self.failure.is_some() || self.rounds.is_empty() {
            return Vec::new();
        }
        let time = |used: &Used| if options.processor_time { used.processor } else { used.wall };
        let each = |times: Vec<Duration>, records: usize| -> Vec<f64> {
            times.iter().map(|time| 1e6 * time.as_secs_f64() / records as f64).collect()
        };
        let whole = each(self.rounds.iter().map(time).collect(), self.sample);
        let start_us = Spread::of(&each(self.starts.iter().map(time).collect(), 1));
        let own: Option<Vec<Duration>> = self.rounds.iter().map(|used| used.own).collect();
        let processor = each(self.rounds.iter().map(|used| used.processor).collect(), self.sample);
        let peak_bytes = self.rounds.iter().filter_map(|used| used.peak_bytes).max();
        let is_count = matches!(self.protocol, Protocol::Counts | Protocol::Cover);
        let asked = self.asked.clone().or_else(|| is_count.then(|| question(options.goal.limit())));
        let row = |rounds_us_each: Vec<f64>, clock: &str| {
            let us_each = Spread::of(&rounds_us_each)?;
            let is_whole = clock == "process";
            let less_start = start_us.filter(|_| is_whole).map(|start| {
                (us_each.median * self.sample as f64 - start.median).max(0.0) / (self.sample - 1) as f64
            });
            Some(Row {
                program: Some(ProgramFigures {
                    command: self.command.clone(),
                    protocol: self.protocol.name().to_owned(),
                    clock: clock.to_owned(),
                    start_us: start_us.filter(|_| is_whole),
                    less_start_us_each: less_start,
                    processor_us_each: Spread::of(&processor)?.median,
                    peak_bytes,
                }),
                asked: asked.clone(),
                ..Row::new(self.name.clone(), None, self.sample, us_each, rounds_us_each)
            })
        };
        let whole = row(whole, "process");
        let own = own.and_then(|own| row(each(own, self.sample), "own"));
        whole.into_iter().chain(own).collect()
    }
}

/// Replaces the placeholders in one word of a command with the puzzle and with the name of the input file.
fn filled(word: &OsStr, puzzle: &str, file: &Path) -> OsString {
    // Every word is UTF-8, except perhaps the path of this program itself. That path has no placeholders.
    let Some(text) = word.to_str() else { return word.to_owned() };
    text.replace(PUZZLE, puzzle).split(FILE).map(OsStr::new).collect::<Vec<_>>().join(file.as_os_str())
}

/// Returns the time in the last line of `errors` (standard error) that begins with `engine_ns`, or `None` if
/// there is no such line.
fn own_time(errors: &[u8]) -> Option<Duration> {
    let text = String::from_utf8_lossy(errors);
    let line = text.lines().rfind(|line| line.starts_with(OWN_TIME))?;
    line[OWN_TIME.len()..].trim().parse().ok().map(Duration::from_nanos)
}

/// Returns the last lines of standard error, joined into one line for a message.
fn last_lines(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with(OWN_TIME);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(is_said).collect();
    let last = lines[lines.len().saturating_sub(ERROR_LINES)..].join(" | ");
    last.chars().map(|one| if one.is_control() { ' ' } else { one }).collect()
}
