//! Questions that the graph of all solutions answers: `count --certificate`, `count --marginals`, `solve --sample`.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::first_record::FirstRecord;
use crate::cli::args::RunArgs;
use crate::cli::files::{self, Destination, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use quadrille_engine::{Control, CountGraph};
use quadrille_formats::output::{OutputFormat, write_solution};
use quadrille_model::encode::{PuzzleCover, to_cover};
use quadrille_model::{
    Count, CoverProblem, EndedBy, Error, Limits, ProblemRef, Solution, Symbols, usage, verify,
};

/// A question that the graph answers.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    /// The number of solutions, with a certificate in this file.
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
}

/// Number of samples that a thread draws at once.
const SAMPLES: u64 = 256;
/// Number of such blocks that are held before they are written.
const BLOCKS: u64 = 64;

/// Answers a question about the first record of the input.
pub(super) fn run(args: &RunArgs, ask: Question<'_>) -> Result<u8> {
    refuse_others(args, ask)?;
    let (input, to) = (config::input_options(&args.input)?, &args.output.to);
    let certificate = if let Question::Certificate(path) = ask { Some(path) } else { None };
    if certificate.is_some_and(files::is_stream) {
        return Err(Error::usage("--certificate needs the name of a file").into());
    }
    FileUses::default()
        .reads_records(&args.files)
        .reads_rules(args.input.regions.as_deref(), args.input.houses.as_deref())
        .writes_rows(OutputFile::Rows, to.out.as_deref(), args.output.output_format.is_some())
        .writes(OutputFile::Certificate, certificate)
        .check_conflicts()?;
    super::reads_terminal(&args.files);
    let control = config::control(args.search.bounds.deadline);
    let signals = Signals::listen(&control)?;
    let pool = config::pool(args.search.pool.threads)?;
    let open = |path| Destination::open(path, to.write);
    let (out, certificate) = signals.at_once(|| {
        anyhow::Ok((open(to.out.as_deref())?, certificate.map(|path| open(Some(path))).transpose()?))
    })?;
    let stopped = |reason: EndedBy, error: &str| {
        say!("quadrille: stopped ({}): {error}", reason.word());
        Ok(signals.exit_status(reason))
    };
    let first = match FirstRecord::read(&args.files, &input, &control)? {
        Ok(first) => first,
        Err(reason) => return stopped(reason, "nothing was written"),
    };
    if first.has_more && !args.report.quiet {
        say!("quadrille: warning: answering only the first record; the input has more");
    }
    let problem = Posed::new(&first)?;
    if certificate.is_some() && problem.grid.is_some() {
        return Err(Error::usage("certificates are for exact cover problems (try encode first)").into());
    }
    let limits = Limits {
        time: args.search.time_limit,
        // The rest is for the problem and the rows.
        memory: args.search.bounds.memory.map(|bytes| bytes / 4 * 3),
        ..Limits::default()
    };
    let graph = match CountGraph::build(problem.cover(), limits, &control) {
        Ok(graph) => graph,
        Err(error) => match control.stop() {
            Some(reason) => return stopped(reason, &error.to_string()),
            None => return Err(error.into()),
        },
    };
    let answered = match ask {
        Question::Certificate(_) => {
            if let Some(file) = certificate {
                file.write(|file| graph.write_certificate(file))?;
            }
            out.write(|out| writeln!(out, "{}", graph.count()))
        }
        Question::Marginals => match graph.marginals(&control) {
            Ok(marginals) => out.write(|out| problem.write_marginals(&marginals, out)),
            Err(reason) => return stopped(reason, "nothing was written"),
        },
        Question::Sample { .. } if graph.count().is_zero() => {
            Err(Error::model("nothing to draw: the problem has no solution"))
        }
        Question::Sample { number, seed } => {
            let drawn = args.output.output_format == Some(OutputFormat::Grid);
            let draw = |sample: u64, text: &mut Vec<u8>| {
                let options = graph.sample(seed, sample).unwrap_or_default();
                problem.write_sample(&options, drawn, text)
            };
            out.write(|out| write_samples(number, &draw, &pool, &control, out))
        }
    };
    answered?;
    Ok(control.stop().map_or(exit::OK, |reason| signals.exit_status(reason)))
}

/// Writes samples in their order, until `control` stops.
fn write_samples(
    number: u64,
    draw: &(dyn Fn(u64, &mut Vec<u8>) -> io::Result<()> + Sync),
    pool: &ThreadPool,
    control: &Control,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut first = 0;
    while first < number && control.stop().is_none() {
        let end = number.min(first + SAMPLES * BLOCKS);
        let starts: Vec<u64> = (first..end).step_by(SAMPLES as usize).collect();
        let block = |&start: &u64| {
            let mut text = Vec::new();
            (start..end.min(start + SAMPLES)).try_for_each(|sample| draw(sample, &mut text))?;
            Ok(text)
        };
        let texts: io::Result<Vec<Vec<u8>>> = pool.install(|| starts.par_iter().map(block).collect());
        texts?.iter().try_for_each(|text| out.write_all(text))?;
        first = end;
    }
    Ok(())
}

/// A problem as asked, and as an exact cover problem.
struct Posed<'a> {
    problem: ProblemRef<'a>,
    symbols: Symbols,
    /// The exact cover problem of a grid.
    grid: Option<PuzzleCover>,
}

impl<'a> Posed<'a> {
    fn new(first: &'a FirstRecord) -> Result<Self> {
        let problem = first.problem();
        let grid = match problem {
            ProblemRef::Cover(_) => None,
            _ => Some(to_cover(problem)?),
        };
        Ok(Posed { problem, symbols: first.record().symbols, grid })
    }

    fn cover(&self) -> &CoverProblem {
        match (&self.grid, self.problem) {
            (Some(grid), _) => &grid.cover,
            (None, ProblemRef::Cover(cover)) => cover,
            _ => unreachable!("a grid has been converted"),
        }
    }

    /// Writes a row for each option: the number of solutions that have it, a tab, and the option. The option of a grid
    /// is a cell and its digit.
    fn write_marginals(&self, marginals: &[Count], out: &mut dyn Write) -> io::Result<()> {
        let mut row = Vec::new();
        for (option, count) in marginals.iter().enumerate() {
            row.clear();
            write!(row, "{count}\t")?;
            match &self.grid {
                None => self.cover().write_option(option, &mut row),
                Some(grid) => {
                    let (cells, digit) = grid.placed(option as u32);
                    let side = grid.digits(&[]).len().isqrt();
                    for &cell in cells {
                        write!(row, "r{}c{} ", cell as usize / side + 1, cell as usize % side + 1)?;
                    }
                    self.symbols.write(&[digit], &mut row);
                }
            }
            row.push(b'\n');
            out.write_all(&row)?;
        }
        Ok(())
    }

    /// Writes a solution after it was verified.
    fn write_sample(&self, options: &[u32], drawn: bool, out: &mut Vec<u8>) -> io::Result<()> {
        let digits = self.grid.as_ref().map(|grid| grid.digits(options));
        let solution = digits.as_deref().map_or(Solution::Options(options), Solution::Digits);
        verify(self.problem, solution)
            .map_err(|wrong| io::Error::other(format!("a sample is wrong: {wrong}")))?;
        write_solution(self.problem, solution, self.symbols, drawn, out);
        Ok(())
    }
}

/// Returns a usage error if an option was given that has no meaning for the question.
fn refuse_others(args: &RunArgs, ask: Question<'_>) -> Result<()> {
    let RunArgs { output, search, report, .. } = args;
    let may_draw = matches!(ask, Question::Sample { .. });
    let format = output.output_format.filter(|&to| to != OutputFormat::Text);
    let others = [
        ("--to", format.is_some_and(|to| to != OutputFormat::Grid || !may_draw)),
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
    match others.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(usage!("{name} cannot be used with {}", ask.option()).into()),
        None => Ok(()),
    }
}
