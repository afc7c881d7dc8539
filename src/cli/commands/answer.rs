//! The commands `solve`, `count`, `best` and `check`. They compute different answers, but all of them answer
//! their input record by record.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result};

use super::graph::{self, Question};
use super::report::rendered;
use super::split;
use crate::bench::Machine;
use crate::cli::args::{
    BestArgs, CanonArgs, CheckArgs, CountArgs, OutputArgs, RateArgs, ReportArgs, RunArgs, SolveArgs,
    WriteArgs,
};
use crate::cli::files::{self, Destination, FileUses, Opened, OutputFile, Target};
use crate::cli::messages::{self, say};
use crate::cli::progress::{self, Display};
use crate::cli::screen::{columns_of, folded};
use crate::cli::signals::Signals;
use crate::cli::tables::{self, TableRows};
use crate::cli::{config, conversion_warnings, exit, status_of, unreadable_input};
use crate::report::{self, Run};
use quadrille_batch::compare::RowFilter;
use quadrille_batch::stats::{Statistics, grouped, number_of};
use quadrille_batch::{BatchOptions, Checkpoint, Outputs, Progress, Query, Report, RunFiles, run};
use quadrille_engine::scales::Scale;
use quadrille_files::fault_injection;
use quadrille_formats::input::{Format, InputOptions};
use quadrille_formats::output::{Field, OutputFormat};
use quadrille_model::{Direction, EndedBy, Error, ErrorKind, Purpose, Status, TopK, shown, usage};
use quadrille_rating::{Rater, StepFilter};

/// Names of the columns that may hold the transform of each grid.
pub(super) const MAP_NAMES: &[&str] = &["transform", "q_transform", "map", "q_map"];

pub(super) fn solve(args: &SolveArgs) -> Result<u8> {
    if let Some(number) = args.sample {
        return graph::run(&args.run, Question::Sample { number, seed: args.seed });
    }
    let ask = match (args.unique, args.all, args.limit) {
        (true, _, _) => Query::Unique,
        (_, true, _) => Query::Every,
        (_, _, Some(limit)) if limit > 1 => Query::Several(limit),
        _ if args.first.is_some() => Query::Least,
        _ => Query::Solve,
    };
    check_conflicts(&args.run, FileUses::default().reads("--cubes", &args.cubes))?;
    let options = config::batch_options(&args.run, ask)?;
    answer_cubes(&args.run, options, args.cubes.as_deref(), Purpose::Every)
}

pub(super) fn count(args: &CountArgs) -> Result<u8> {
    if let Some(path) = &args.certificate {
        return graph::run(&args.run, Question::Certificate(path));
    }
    if args.marginals {
        return graph::run(&args.run, Question::Marginals);
    }
    check_conflicts(&args.run, FileUses::default().reads("--cubes", &args.cubes))?;
    let options = config::batch_options(&args.run, Query::Count { limit: args.limit })?;
    answer_cubes(&args.run, options, args.cubes.as_deref(), Purpose::Count)
}

pub(super) fn best(args: &BestArgs) -> Result<u8> {
    let others = FileUses::default()
        .reads("--cubes", &args.cubes)
        .reads("--weights", config::weights_file(&args.weights));
    check_conflicts(&args.run, others)?;
    let direction = if args.minimize { Direction::Minimize } else { Direction::Maximize };
    let top = TopK { direction, limit: args.limit };
    let mut options = config::batch_options(&args.run, Query::Best(top))?;
    options.input.weights = Some(config::weights(&args.weights)?);
    options.input.cost_each = args.cost_each;
    answer_cubes(&args.run, options, args.cubes.as_deref(), Purpose::Best(direction))
}

/// The fields of `check --redundant`.
const REDUNDANT: [Field; 6] = [
    Field::Status,
    Field::Redundant,
    Field::RedundantMask,
    Field::Smallest,
    Field::SmallestClues,
    Field::SmallestBound,
];

pub(super) fn check(args: &CheckArgs) -> Result<u8> {
    check_conflicts(&args.run, FileUses::default())?;
    let mut options = config::batch_options(&args.run, Query::Check { minimal: args.minimal })?;
    if args.redundant && options.output.fields.is_empty() {
        options.output.fields = REDUNDANT.to_vec();
    }
    let mut run = RecordRun::new(&args.run, options)?;
    let is_bad = |status: &Status| args.strict && !matches!(status, Status::Correct | Status::Unique);
    run.fail_on.extend(Status::ALL.iter().copied().filter(is_bad));
    run.answer(None)
}

pub(super) fn canon(args: &CanonArgs) -> Result<u8> {
    check_conflicts(&args.run, FileUses::default())?;
    let ask = args.apply.map_or(Query::Canon(args.form), Query::Apply);
    let mut options = config::batch_options(&args.run, ask)?;
    if ask == Query::Apply(None) {
        options.input.id_names = MAP_NAMES;
    }
    RecordRun::new(&args.run, options)?.answer(None)
}

pub(super) fn rate(args: &RateArgs) -> Result<u8> {
    check_conflicts(&args.run, FileUses::default())?;
    let max_rating = args.until.or(args.max_rating);
    let scale = args.scale.with(max_rating, args.permutations, args.seed);
    let foreign =
        |(name, scale): (&str, &str)| usage!("--{} is only for --scale {scale}", name.replace('_', "-"));
    let scale = scale.map_err(foreign)?;
    let mut options = config::batch_options(&args.run, Query::Rate(scale))?;
    options.output.explain = args.explain;
    if args.until.is_some() && options.output.fields.is_empty() {
        options.output.fields = vec![Field::After, Field::AfterClues, Field::Missing];
    }
    options.steps = StepFilter::new(args.steps.needs.clone(), args.steps.without.clone());
    options.steps.hardest = args.hardest.as_ref().map(|range| (*range.start(), *range.end()));
    options.validate()?;
    RecordRun::new(&args.run, options)?.answer(None)
}

/// Checks that the run does not overwrite its inputs, and does not use one output file for two purposes.
/// `others` are further files that the run uses.
pub(super) fn check_conflicts(args: &RunArgs, others: FileUses) -> Result<()> {
    let OutputArgs { to, rejects, keep, .. } = &args.output;
    let all = others
        .reads_records(&args.files, &args.input)
        .writes_rows(OutputFile::ROWS, to.out.as_deref(), args.output.output_format.is_some())
        .writes(OutputFile::REJECTS, rejects.as_deref())
        .writes(OutputFile::STATISTICS, args.report.stats_out.as_deref())
        .writes(OutputFile::PAGE, args.report.report.as_deref())
        .writes(OutputFile::OUTCOMES, args.report.outcomes_out.as_deref())
        .keeps(keep.checkpoint.as_deref());
    Ok(all.check_conflicts()?)
}

/// Answers the cubes (subproblems) of the only problem in the input. If `cubes` is `None`, answers the
/// records of the input instead.
fn answer_cubes(args: &RunArgs, options: BatchOptions, cubes: Option<&Path>, purpose: Purpose) -> Result<u8> {
    let mut run = RecordRun::new(args, options)?;
    let Some(cubes) = cubes else { return run.answer(None) };
    if files::is_stream(cubes) && args.files.iter().all(|file| files::is_stream(file)) {
        return Err(Error::usage("the problem and its cubes cannot both be standard input").into());
    }
    let if_stopped = " while reading the problem";
    let whole = split::whole(&args.files, &run.options.input, purpose, &run.signals, if_stopped)?;
    // The statistics show these words as the command line. The name of the only input file is added at the
    // end. This file is the file of cubes, so the words must end with `--cubes`.
    let mut words = run.options.words();
    words.extend(args.files.iter().map(|file| file.display().to_string()));
    words.push("--cubes".to_owned());
    words.extend(files::is_stream(cubes).then(|| "-".to_owned()));
    run.words = Some(words);
    run.options.input = InputOptions {
        format: Some(Format::Cubes),
        cubes: Some(Arc::new(whole)),
        max_record_bytes: run.options.input.max_record_bytes,
        ..InputOptions::default()
    };
    // If the user chose no fields, each answer includes the name of the cube.
    run.options.output.echo_id |= run.options.output.fields.is_empty();
    run.inputs = vec![cubes.to_owned()];
    run.answer(None)
}

/// One execution of a command that answers every record of its input.
pub(super) struct RecordRun<'a> {
    pub(super) args: &'a RunArgs,
    pub(super) options: BatchOptions,
    inputs: Vec<PathBuf>,
    /// The run ends with exit status 5 if any record has one of these statuses.
    fail_on: Vec<Status>,
    /// Command-line words that describe the run, or `None` if the words follow from `options`.
    pub(super) words: Option<Vec<String>>,
    /// Description of the corpus that the inputs are compared with, or `None` if there is none. A checkpoint
    /// stores it as an additional input.
    pub(super) known: Option<String>,
    /// The opened outputs of `split-corpus`.
    pub(super) parts: Option<CorpusParts>,
    /// Listener for signals. It starts when this value is created.
    pub(super) signals: Signals,
}

impl<'a> RecordRun<'a> {
    /// Creates a run over the files that the arguments name, and starts to listen for signals.
    pub(super) fn new(args: &'a RunArgs, options: BatchOptions) -> Result<Self> {
        let signals = Signals::listen(args.search.bounds.deadline)?;
        let fail_on = args.output.fail_on.iter().filter_map(|word| word.status()).collect();
        let (inputs, words, known, parts) = (args.files.clone(), None, None, None);
        Ok(RecordRun { args, options, inputs, fail_on, words, known, parts, signals })
    }

    /// Answers all records, writes the reports, and returns the exit status. The rows pass through `filter`.
    pub(super) fn answer(mut self, mut filter: Option<&mut dyn RowFilter>) -> Result<u8> {
        let parts = self.parts.take();
        let RecordRun { args, inputs, options, words, signals, .. } = &self;
        let is_typed = super::reads_terminal(inputs);
        // Opening a pipe waits until the pipe has a reader. A signal must be able to end this wait.
        let Targets { out, rows, mut table, rejects, statistics, page, outcomes, mut checkpoint } =
            signals.at_once(|| Targets::open(&self, parts))?;
        // A comparison writes its rows at the end of the run. By then, the columns of an input table that
        // came from a pipe can no longer be read.
        if filter.is_some() && table.as_ref().is_some_and(|table| table.is_piped) {
            return Err(Error::usage(
                "a comparison that writes a table cannot read a table from a pipe: save the input to a file first",
            )
            .into());
        }
        let sources = match table.as_mut().and_then(|table| table.source.take()) {
            Some(source) => vec![source],
            None => config::sources(inputs)?,
        };
        let mut options = options.clone();
        options.output.passthrough = table.as_ref().is_some_and(|table| table.is_passthrough);
        if let Some(filter) = &mut filter
            && let Some(mut own) = checkpoint.take()
        {
            if let Err(error) = own.take_journal(&mut **filter) {
                return Err(forget_new(own, error.into())?);
            }
            checkpoint = Some(own);
        }
        let (rejects, reject_lines) = rejects.unzip();
        let (traced, outcomes) = outcomes.unzip();
        let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map(|time| time.as_secs());

        let progress = Arc::new(Progress::new(config::threads(options.threads)));
        let ReportArgs { progress: when, quiet, .. } = args.report;
        // If the user types the records at a terminal, the progress line would overwrite the typed text.
        let is_printed = files::named(args.output.to.out.as_deref()).is_none();
        let is_shown = progress::is_shown(when, quiet || is_typed, is_printed);
        let display = is_shown.then(|| Display::start(&progress));
        let rows = if is_shown && is_printed { progress::above(rows) } else { rows };
        let notice = move |message: &str| {
            if is_shown || !quiet {
                Display::print(&format!("quadrille: {message}"));
            }
        };
        // The run only uses the compressor of a single output file. If the rows go to several files, their
        // common writer compresses them itself.
        let packed = if let [only] = out.as_slice() { only.packed().cloned() } else { None };
        let outputs = Outputs {
            packed,
            rejects: reject_lines,
            notice: Box::new(notice),
            filter,
            outcomes,
            checkpoint,
            ..Outputs::new(rows)
        };
        let report = run(sources, &options, outputs, signals.control(), &progress);
        drop(display);
        let mut report = report?;
        if let Some(table) = table.filter(|_| !report.output_closed)
            && let Err(error) = (table.finish)(&report.statistics)
        {
            report.error.get_or_insert(error);
        }
        let words = words.clone().unwrap_or_else(|| options.words());
        report.statistics.set_run(env!("CARGO_PKG_VERSION"), words);
        if statistics.is_some() || page.is_some() {
            let clock = &mut report.statistics.clock;
            clock.started = clock.started.or(started.ok());
            *clock.machines.entry(Machine::current().to_string()).or_default() = 1;
        }
        let targets = out.into_iter().chain(rejects).chain(traced);
        self.options = options;
        self.finish(report, targets, (statistics, page))
    }

    /// Gives complete files their final names, writes statistics, and prints warnings and the summary.
    /// Returns the exit status.
    fn finish(
        self,
        report: Report,
        targets: impl Iterator<Item = Target>,
        (counted, page): (Option<Destination>, Option<Destination>),
    ) -> Result<u8> {
        let RecordRun { args, options, fail_on, signals, .. } = &self;
        let Report {
            statistics,
            error,
            output_closed,
            stopped_by,
            first_format,
            format_hint,
            checkpoint,
            _more: (),
        } = report;
        let complete = error.is_none() && stopped_by.is_none() && !output_closed;
        for target in targets {
            if complete {
                fault_injection::reach("complete");
                target.complete()?;
                fault_injection::reach("named");
            } else if let Some(partial) = target.left_at() {
                say!("quadrille: incomplete output is left in {}", shown::path(partial));
            }
        }
        let error = error.map(anyhow::Error::from);
        if let Some(error) = &error {
            say!("quadrille: {error:#}");
        }
        let told = tell(&args.report, options, &statistics, (counted, page));
        fault_injection::reach("counted");
        // If a command failed immediately, its checkpoint is removed, so that the user can start the
        // corrected command. But if output was written, the checkpoint is needed to continue the run. This is
        // true even if the checkpoint covers no record yet.
        let is_done = complete && told.is_ok();
        let is_needed =
            |kept: &Checkpoint| !is_done && (error.is_none() || kept.records() > 0 || kept.has_written());
        let kept = match checkpoint {
            Some(unneeded) if !is_needed(&unneeded) => {
                unneeded.remove()?;
                None
            }
            kept => kept,
        };
        let stopped_by = stopped_by.filter(|_| error.is_none());
        tell_end(&statistics, stopped_by, kept.as_ref());
        told?;
        let is_told = !args.report.quiet && !output_closed;
        if let Some(error) = error {
            if is_told {
                conversion_warnings::tell_dropped(&statistics, options, first_format);
            }
            // If the error came before any record was read, there is nothing to summarize.
            if statistics.totals.records_in > 0 {
                summarize(args, &statistics, output_closed)?;
            }
            let is_unread =
                matches!(error.downcast_ref::<Error>().map(Error::kind), Some(ErrorKind::Input { .. }));
            let is_cover = first_format.or(options.input.format).is_some_and(Format::is_one_problem);
            return Ok(if is_unread && !is_cover && statistics.totals.records_in == 0 {
                exit::UNREADABLE
            } else {
                status_of(&error)
            });
        }
        summarize(args, &statistics, output_closed)?;
        if !args.report.quiet {
            hint(options, first_format, &statistics);
        }
        if is_told && options.ask.conversion().is_some() && stopped_by.is_none() {
            conversion_warnings::tell(&statistics);
        }
        if is_told {
            conversion_warnings::tell_dropped(&statistics, options, first_format);
        }
        if let Some(reason) = stopped_by {
            return Ok(signals.exit_status(reason));
        }
        if statistics.status(Status::Internal) > 0 {
            let records = number_of(statistics.status(Status::Internal), "record");
            say!("quadrille: {records} met an internal error");
            return Ok(exit::FAILED);
        }
        if output_closed {
            return Ok(exit::OK);
        }
        // Printed even with `--quiet`.
        let warning = unreadable_input::warning(&statistics, first_format, format_hint.as_deref());
        if let Some(warning) = &warning {
            say!("quadrille: {warning}");
        } else if let Some(hint) = unreadable_input::hint(&statistics).filter(|_| is_told) {
            say!("quadrille: hint: {hint}");
        }
        let failed = fail_on.iter().any(|&status| statistics.status(status) > 0);
        Ok(match warning {
            _ if failed => exit::STATUS,
            Some(_) => exit::UNREADABLE,
            None if conversion_warnings::fails(options, &statistics) => exit::REJECTS,
            None => exit::OK,
        })
    }
}

/// The files of the parts of a corpus, and their common writer.
type CorpusParts = (Vec<Target>, Box<dyn Write + Send>);

/// All outputs of a run, opened and locked before it starts.
struct Targets {
    out: Vec<Target>,
    rows: Box<dyn Write + Send>,
    /// The table that the rows are written to, or `None` if the output is not a table.
    table: Option<TableRows>,
    rejects: Option<Opened>,
    statistics: Option<Destination>,
    page: Option<Destination>,
    outcomes: Option<Opened>,
    checkpoint: Option<Checkpoint>,
}

impl Targets {
    /// Opens the files about a run: statistics, page and outcomes.
    ///
    /// A resumed run may overwrite files that an earlier run left incomplete, because these files are only
    /// written at the end of a run.
    fn about(args: &RunArgs, is_resumed: bool) -> Result<Self> {
        let how = args.output.to.write;
        let how = WriteArgs { discard_partial: how.discard_partial || is_resumed, ..how };
        let create =
            |path: &Option<PathBuf>| path.as_ref().map(|path| Destination::create(path, how)).transpose();
        let ReportArgs { stats_out, report, outcomes_out, .. } = &args.report;
        let (statistics, page) = (create(stats_out)?, create(report)?);
        let outcomes = outcomes_out.as_ref().map(|path| Target::create(path, how)).transpose()?;
        let rows = Box::new(io::sink());
        let (out, table, rejects, checkpoint) = (Vec::new(), None, None, None);
        Ok(Targets { out, rows, table, rejects, statistics, page, outcomes, checkpoint })
    }

    /// Opens all outputs except `parts`, in an order that lets a run with a checkpoint be killed at any moment
    /// and then continued.
    fn open(run: &RecordRun<'_>, parts: Option<CorpusParts>) -> Result<Self> {
        let RecordRun { args, inputs, options, .. } = run;
        let OutputArgs { rejects, to, keep, .. } = &args.output;
        let path = keep.checkpoint.as_deref();
        let is_resumed = keep.resume && path.is_some_and(Path::exists);
        let about = Targets::about(args, is_resumed)?;
        if let Some((out, rows)) = parts {
            return Ok(Targets { out, rows, rejects: create_rejects(args)?, ..about });
        }
        let out = files::named(to.out.as_deref());
        let directory = out.filter(|path| tables::is_directory(path));
        let Some(path) = path else {
            if let Some(directory) = directory {
                let rejects = create_rejects(args)?;
                let (table, rows) = tables::parts(directory, inputs, options, None, 1)?;
                return Ok(Targets { rows, table, rejects, ..about });
            }
            let ((target, rows), rejects) = (files::open_rows(out, to.write)?, create_rejects(args)?);
            let (table, rows) = tables::rows(rows, out, inputs, options)?;
            return Ok(Targets { out: target.into_iter().collect(), rows, table, rejects, ..about });
        };
        let Some(out) = out else {
            return Err(Error::usage("--checkpoint needs -o FILE").into());
        };
        if options.output.format.is_table() && directory.is_none() {
            let name = options.output.format.name();
            return Err(usage!("--checkpoint cannot save one {name} file, which cannot be continued: write parts with -o DIR/")
            .into());
        }
        let stdin = inputs.is_empty().then_some(Path::new("-"));
        let names = stdin.into_iter().chain(inputs.iter().map(PathBuf::as_path));
        let shown = |file: &Path| file.display().to_string();
        let names = RunFiles {
            inputs: run.known.iter().cloned().chain(names.map(shown)).collect(),
            output: shown(out),
            rejects: rejects.as_deref().map(shown),
            ..RunFiles::default()
        };
        let mut checkpoint = Checkpoint::open(path, keep.resume, keep.checkpoint_every, names, options)?;
        fault_injection::reach("begun");
        match continued(run, out, &mut checkpoint) {
            Ok((out, (table, rows), rejects)) => {
                Ok(Targets { out, rows, table, rejects, checkpoint: Some(checkpoint), ..about })
            }
            Err(error) => Err(forget_new(checkpoint, error)?),
        }
    }
}

/// Opens the file of rejects (unreadable records), if the arguments name one.
fn create_rejects(args: &RunArgs) -> Result<Option<Opened>> {
    let OutputArgs { rejects, to, .. } = &args.output;
    Ok(rejects.as_deref().map(|path| Target::create(path, to.write)).transpose()?)
}

/// Removes the checkpoint if it contains nothing to resume yet. Returns the error that ended the run.
fn forget_new(checkpoint: Checkpoint, error: anyhow::Error) -> Result<anyhow::Error> {
    if checkpoint.is_new() {
        checkpoint.remove()?;
    }
    Ok(error)
}

/// Opens the output of rows at `out`, and the file of rejects (unreadable records). Cuts each file to the
/// length that the checkpoint stored.
fn continued(
    run: &RecordRun<'_>,
    out: &Path,
    checkpoint: &mut Checkpoint,
) -> Result<(Vec<Target>, tables::Rows, Option<Opened>)> {
    let OutputArgs { rejects, to, .. } = &run.args.output;
    let write = to.write;
    // Both files are locked before either is changed. If one cannot be locked, the run ends and no data is
    // lost.
    let ((mut table, mut rows), mut file): (tables::Rows, _) = ((None, Box::new(io::sink())), None);
    if tables::is_directory(out) {
        let (known, next) = (checkpoint.rows_written(), checkpoint.next_record());
        (table, rows) = tables::parts(out, &run.inputs, &run.options, known, next)?;
    } else {
        file = Some(Target::keep(out, write, checkpoint.output_bytes())?);
    }
    let rejects = rejects.as_deref();
    let rejects = rejects.map(|path| Target::keep(path, write, checkpoint.rejects_bytes())).transpose()?;
    let file =
        file.map(|file| file.take(write, |path, file| checkpoint.take_output(path, file))).transpose()?;
    let rejects = rejects.map(|file| file.take(write, |path, file| checkpoint.take_rejects(path, file)));
    let rejects = rejects.transpose()?;
    // Whenever the checkpoint saves progress, it completes a block of compressed data in each file.
    for packed in file.iter().chain(&rejects).filter_map(|(target, _)| target.packed().cloned()) {
        let failed = |cause| Error::io("writing", "the output", 0, cause);
        checkpoint.add_seal(Box::new(move || packed.flush_all().map_err(failed)));
    }
    if let Some(seal) = table.as_mut().and_then(|table| table.seal.take()) {
        checkpoint.add_seal(seal);
    }
    let mut targets = Vec::new();
    if let Some((target, writer)) = file {
        targets.push(target);
        rows = writer;
    }
    Ok((targets, (table, rows), rejects))
}

/// Prints the number of records after which the run was stopped, if it was stopped. Also prints which records
/// the checkpoint covers, if there is one.
fn tell_end(statistics: &Statistics, stopped_by: Option<EndedBy>, checkpoint: Option<&Checkpoint>) {
    let early: u64 =
        [EndedBy::Cancel, EndedBy::Deadline].map(|early| statistics.ended_by(early)).iter().sum();
    let complete = (statistics.answered() + statistics.rejected()).saturating_sub(early);
    if let Some(reason) = stopped_by {
        let cut = match early {
            0 => String::new(),
            early => format!(" and during the search of {early} more"),
        };
        say!("quadrille: stopped ({}) after {}{cut}", reason.word(), number_of(complete, "record"));
    }
    if let Some(checkpoint) = checkpoint {
        let (path, records) = (shown::path(checkpoint.path()), checkpoint.records());
        let first = match records {
            1 => "the first record".to_owned(),
            records => format!("the first {} records", grouped(records)),
        };
        let only = if stopped_by.is_some() && records < complete { "only " } else { "" };
        match records {
            0 => say!("quadrille: {path} holds no records yet; --resume answers all of them"),
            _ => say!("quadrille: {path} holds {only}{first}; --resume answers the others"),
        }
    }
}

/// Writes the statistics of the run to a file, and the page about the run.
fn tell(
    args: &ReportArgs,
    options: &BatchOptions,
    statistics: &Statistics,
    (counted, page): (Option<Destination>, Option<Destination>),
) -> Result<()> {
    if let Some(file) = counted {
        file.write_text(&statistics.to_json()).context("writing statistics")?;
    }
    if let Some((path, file)) = args.report.as_ref().zip(page) {
        let run = Run::new("this run", 0, statistics.clone());
        let mut page = report::page(&[run], &[]);
        if options.output.explain {
            let max_rating = match options.ask {
                Query::Rate(Scale::Ser { max_rating } | Scale::SerCanonical { max_rating }) => max_rating,
                _ => Rater::MAX_RATING,
            };
            page.sections.splice(0..0, report::step_sections(statistics, max_rating));
        }
        file.write_text(&rendered(&page, OutputFile::PAGE, path)?).context("writing the page")?;
    }
    Ok(())
}

/// Prints nothing with `--quiet`, and the whole summary with `--stats`.
///
/// Without these options, prints three lines of the summary on a terminal. It omits them if there was only
/// one record, if the user typed the records, or if the reader closed the output early, as `head` does.
fn summarize(args: &RunArgs, statistics: &Statistics, output_closed: bool) -> Result<()> {
    let RunArgs { report, files, .. } = args;
    let is_seen = || {
        statistics.totals.records_in > 1
            && !output_closed
            && std::io::stderr().is_terminal()
            && !super::is_typed(files)
    };
    let mut text = String::new();
    match report.stats {
        _ if report.quiet => {}
        true => statistics.write_summary(&mut text)?,
        false if is_seen() => statistics.write_brief_summary(&mut text)?,
        false => {}
    }
    if let Some(columns) = columns_of(std::io::stderr()) {
        text = folded(&text, Statistics::SUMMARY_LABEL, columns);
    }
    messages::text(&text);
    Ok(())
}

/// Prints hints about frequent mistakes: a letter that probably means an empty cell, and a contest input without `--to
/// contest`.
fn hint(options: &BatchOptions, first_format: Option<Format>, statistics: &Statistics) {
    if let Some(letter) = statistics.likely_blank() {
        say!(
            "quadrille: hint: most records have the letter {letter} twice in a house; if it is an empty \
             cell, use --blank {letter}"
        );
    }
    let for_people = options.output.format == OutputFormat::Text && std::io::stdout().is_terminal();
    if first_format == Some(Format::Contest) && for_people {
        say!("quadrille: hint: the input is a contest file; --to contest prints what its judge expects");
    }
}
