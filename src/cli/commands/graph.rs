//! Questions about all solutions of a problem: `count --certificate`, `count --marginals`, `solve --sample`.
//!
//! For exact covers, the answer comes from a graph that represents all solutions. Grids, and covers with
//! multiplicities, are divided into cases. A case is the problem with one more decision, such as a digit in a
//! cell. The answer comes from the numbers of solutions of the cases.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::first_record::FirstRecord;
use super::refuse;
use crate::cli::args::RunArgs;
use crate::cli::files::{self, Destination, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use quadrille_engine::{CaseSampler, Cases, Control, CountGraph};
use quadrille_formats::output::{Delimiter, OutputFormat, OutputOptions, write_solution};
use quadrille_model::{Count, CoverProblem, Error, Limits, ProblemRef, Solution, Symbols, verify};

/// A question about all solutions.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    /// The number of solutions. A certificate of the number is written to this file.
    Certificate(&'a Path),
    /// For each option, the number of solutions that have it.
    Marginals,
    /// Random solutions.
    Sample { number: u64, seed: u64 },
}

impl Question<'_> {
    fn option(self) -> &'static str {
        match self {
            Question::Certificate(_) => "--certificate",
            Question::Marginals => "--marginals",
            Question::Sample { .. } => "--sample",
        }
    }

    /// Returns the output formats in which the answer can be written.
    fn formats(self) -> &'static [OutputFormat] {
        match self {
            Question::Certificate(_) => &[OutputFormat::Text],
            Question::Marginals => &[OutputFormat::Text, OutputFormat::Csv, OutputFormat::Jsonl],
            Question::Sample { .. } => &[OutputFormat::Text, OutputFormat::Grid],
        }
    }
}

/// Number of samples (random solutions) that a thread draws as one block.
const SAMPLES: u64 = 256;
/// Maximum number of blocks of [`SAMPLES`] samples that are in memory before they are written.
const BLOCKS: u64 = 64;

/// Answers a question about the first record of the input.
pub(super) fn run(args: &RunArgs, ask: Question<'_>) -> Result<u8> {
    let format = config::output_options(&args.output)?;
    refuse_others(args, ask, format.format)?;
    let (input, to) = (config::input_options(&args.input)?, &args.output.to);
    let certificate = if let Question::Certificate(path) = ask { Some(path) } else { None };
    if certificate.is_some_and(files::is_stream) {
        return Err(Error::usage("--certificate needs the name of a file").into());
    }
    FileUses::default()
        .reads_records(&args.files, &args.input)
        .writes_rows(OutputFile::ROWS, to.out.as_deref(), args.output.output_format.is_some())
        .writes(OutputFile::CERTIFICATE, certificate)
        .check_conflicts()?;
    super::reads_terminal(&args.files);
    let signals = Signals::listen(args.search.bounds.deadline)?;
    let control = signals.control();
    let pool = config::pool(args.search.pool.threads)?;
    let open = |path| Destination::open(path, to.write);
    let (out, certificate) = signals.at_once(|| {
        anyhow::Ok((open(to.out.as_deref())?, certificate.map(|path| open(Some(path))).transpose()?))
    })?;
    let first = FirstRecord::read(&args.files, &input, &signals, ": nothing was written")?;
    if first.has_more && !args.report.quiet {
        say!("quadrille: warning: answering only the first record; the input has more");
    }
    let posed = Posed { problem: first.problem.as_ref(), symbols: first.symbols };
    if certificate.is_some() && posed.problem.cells() > 0 {
        return Err(Error::usage("certificates are for exact cover problems (try encode first)").into());
    }
    let limits = Limits {
        time: args.search.time_limit,
        // The other quarter of the memory is for the problem and the rows.
        memory: args.search.bounds.memory.map(|bytes| bytes / 4 * 3),
        ..Limits::default()
    };
    let answer = || {
        let source = pool.install(|| Source::new(posed.problem, ask, limits, control))?;
        match (ask, &source) {
            (Question::Certificate(_), Source::Graph(graph)) => {
                if let Some(file) = certificate {
                    file.write(|file| graph.write_certificate(file))?;
                }
                out.write(|out| writeln!(out, "{}", graph.count()))?;
            }
            (Question::Sample { number, seed }, _) if !source.count().is_zero() => {
                let drawn = format.format == OutputFormat::Grid;
                let write = |solution: Solution<'_>, text: &mut Vec<u8>| {
                    verify(posed.problem, solution)
                        .map_err(|wrong| io::Error::other(format!("a sample is wrong: {wrong}")))?;
                    write_solution(posed.problem, solution, posed.symbols, drawn, text);
                    Ok(())
                };
                let samples = (&source, seed, number);
                out.write(|out| write_samples(samples, write, (&pool, control), out))?;
            }
            (Question::Sample { .. }, _) => {
                return Err(Error::model("nothing to draw: the problem has no solution").into());
            }
            (Question::Marginals | Question::Certificate(_), _) => {
                let rows = pool.install(|| posed.marginals(&source, control))?;
                out.write(|out| write_marginals(&rows, &format, out))?;
            }
        }
        anyhow::Ok(())
    };
    let answered = answer();
    match (control.stop(), answered) {
        (Some(reason), Err(error)) => Err(signals.stopped(reason, format_args!(": {error}"))),
        (reason, answered) => {
            answered?;
            Ok(reason.map_or(exit::OK, |reason| signals.exit_status(reason)))
        }
    }
}

/// The solution counts from which a question is answered. They come from a graph of all solutions or from
/// cases.
enum Source<'a> {
    Graph(Box<CountGraph>),
    Cases(Cases<'a>),
}

impl<'a> Source<'a> {
    fn new(problem: ProblemRef<'a>, ask: Question<'_>, limits: Limits, control: &'a Control) -> Result<Self> {
        Ok(match problem {
            ProblemRef::Cover(cover)
                if !cover.has_multiplicities() || matches!(ask, Question::Certificate(_)) =>
            {
                let file = tempfile::tempfile().map_err(|cause| {
                    Error::io("creating a temporary file in", std::env::temp_dir(), 0, cause)
                })?;
                Source::Graph(Box::new(CountGraph::build_with_file(cover, limits, control, file)?))
            }
            _ => Source::Cases(Cases::new(problem, limits, control)?),
        })
    }

    fn count(&self) -> &Count {
        match self {
            Source::Graph(graph) => graph.count(),
            Source::Cases(cases) => cases.count(),
        }
    }

    /// Returns a function that draws solutions, on one thread. The problem must have a solution.
    fn sampler(&self, seed: u64) -> Sampler<'_> {
        match self {
            Source::Graph(graph) => Box::new(move |number, found| {
                let options = graph.sample(seed, number).map_err(io::Error::other)?;
                found(Solution::Options(&options.unwrap_or_default()))
            }),
            Source::Cases(cases) => {
                let mut sampler = CaseSampler::new(cases);
                Box::new(move |number, found| {
                    let mut done = Ok(());
                    let sampled = sampler.sample(seed, number, &mut |solution| done = found(solution));
                    sampled.map_err(io::Error::other).and(done)
                })
            }
        }
    }
}

/// Draws the random solution with an index, and calls a function with it.
type Sampler<'a> = Box<dyn FnMut(u64, &mut dyn FnMut(Solution<'_>) -> io::Result<()>) -> io::Result<()> + 'a>;

/// Draws random solutions and writes them in order, until all are written or `control` stops the run.
fn write_samples(
    (source, seed, number): (&Source<'_>, u64, u64),
    write: impl Fn(Solution<'_>, &mut Vec<u8>) -> io::Result<()> + Sync,
    (pool, control): (&ThreadPool, &Control),
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut first = 0;
    while first < number && control.stop().is_none() {
        let end = number.min(first + SAMPLES * BLOCKS);
        let starts: Vec<u64> = (first..end).step_by(SAMPLES as usize).collect();
        let block = |sampler: &mut Sampler<'_>, &start: &u64| {
            let mut text = Vec::new();
            (start..end.min(start + SAMPLES))
                .try_for_each(|sample| sampler(sample, &mut |solution| write(solution, &mut text)))?;
            Ok(text)
        };
        let blocks = starts.par_iter().map_init(|| source.sampler(seed), block);
        let texts: io::Result<Vec<Vec<u8>>> = pool.install(|| blocks.collect());
        texts?.iter().try_for_each(|text| out.write_all(text))?;
        first = end;
    }
    Ok(())
}

/// A row in the output of `--marginals`: an option, and the number of solutions that contain it.
#[derive(Serialize)]
struct Row {
    /// The cell as text. For an exact cover problem, the items of the option.
    item: String,
    /// The digit in the cell. For an exact cover problem, the 1-based index of the option.
    option: Value,
    /// The number of solutions, as a JSON number, or as a decimal string if it is above 2^53 - 1.
    count: Value,
    /// The row as a line of text.
    #[serde(skip)]
    line: String,
}

impl Row {
    fn new(item: String, option: Value, count: &Count, shown: &str) -> Self {
        let line = format!("{count}\t{shown}");
        let number = count.to_u64().filter(|&count| count < 1 << 53);
        Row { item, option, count: number.map_or_else(|| count.to_string().into(), Value::from), line }
    }
}

/// A problem, together with the symbols that represent its digits in text.
struct Posed<'a> {
    problem: ProblemRef<'a>,
    symbols: Symbols,
}

impl Posed<'_> {
    fn marginals(&self, source: &Source<'_>, control: &Control) -> quadrille_model::Result<Vec<Row>> {
        let (cover, counts) = match (self.problem, source) {
            (ProblemRef::Cover(cover), Source::Graph(graph)) => (cover, graph.marginals(control)?),
            (ProblemRef::Cover(cover), Source::Cases(cases)) => (cover, cases.of_options()?),
            (_, Source::Cases(cases)) => return Ok(self.of_cells(cases.of_cells()?)),
            (_, Source::Graph(_)) => unreachable!("graphs are of covers"),
        };
        let text = |write: fn(&CoverProblem, usize, &mut Vec<u8>), option| {
            let mut text = Vec::new();
            write(cover, option, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        };
        let row = |(option, count)| {
            let shown = text(CoverProblem::write_option, option);
            Row::new(text(CoverProblem::write_words, option), (option + 1).into(), count, &shown)
        };
        Ok(counts.iter().enumerate().map(row).collect())
    }

    fn of_cells(&self, counts: Vec<(usize, usize, Count)>) -> Vec<Row> {
        let side = self.problem.cells().isqrt();
        let row = |(cell, digit, count): (usize, usize, Count)| {
            let item = format!("r{}c{}", cell / side + 1, cell % side + 1);
            let mut symbol = Vec::new();
            self.symbols.write(&[digit as u8], &mut symbol);
            let symbol = String::from_utf8_lossy(&symbol).into_owned();
            let shown = format!("{item} {symbol}");
            Row::new(item, symbol.into(), &count, &shown)
        };
        counts.into_iter().map(row).collect()
    }
}

fn write_marginals(rows: &[Row], format: &OutputOptions, out: &mut dyn Write) -> io::Result<()> {
    match format.format {
        OutputFormat::Csv => {
            let delimiter = if let Delimiter::Byte(byte) = format.delimiter { byte } else { b',' };
            let mut csv = csv::WriterBuilder::new();
            let mut csv = csv.has_headers(!format.no_header).delimiter(delimiter).from_writer(out);
            rows.iter().try_for_each(|row| csv.serialize(row))?;
            csv.flush()
        }
        OutputFormat::Jsonl => rows.iter().try_for_each(|row| {
            serde_json::to_writer(&mut *out, row)?;
            out.write_all(b"\n")
        }),
        _ => rows.iter().try_for_each(|row| writeln!(out, "{}", row.line)),
    }
}

/// Returns a usage error if the user gave an option that has no effect on this question.
fn refuse_others(args: &RunArgs, ask: Question<'_>, to: OutputFormat) -> Result<()> {
    let RunArgs { output, search, report, .. } = args;
    let others = [
        ("--to", !ask.formats().contains(&to)),
        ("--fields", !output.fields.is_empty()),
        ("--echo-id", output.echo_id),
        ("--only", !output.only.is_empty()),
        ("--rejects", output.rejects.is_some()),
        ("--max-rejects", output.max_rejects.is_some()),
        ("--unordered", output.unordered),
        ("--checkpoint", output.keep.checkpoint.is_some()),
        ("--engine", search.engine.is_some()),
        ("--node-limit", search.node_limit.is_some()),
        ("--timings", search.timings),
        ("--audit", search.audit.is_some()),
        ("--stats", report.stats),
        ("--stats-out", report.stats_out.is_some()),
        ("--report", report.report.is_some()),
        ("--outcomes-out", report.outcomes_out.is_some()),
    ];
    refuse(&others, |name| format!("{name} cannot be used with {}", ask.option()))
}
