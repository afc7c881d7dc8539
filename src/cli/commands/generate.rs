//! `generate`: puzzles out of a seed, classic exact cover problems out of their parameters.

use std::io::{ErrorKind, Write};
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cli::args::GenerateArgs;
use crate::cli::files::{self, Files, Opened, Target};
use crate::cli::messages::say;
use crate::cli::progress::{self, Display};
use crate::cli::signals::Signals;
use crate::cli::values::Product;
use crate::cli::{config, exit};
use quadrille_batch::stats::grouped;
use quadrille_engine::{EnginePreference, Flow};
use quadrille_generate::cover::{self, Classic};
use quadrille_generate::sudoku::ATTEMPTS;
use quadrille_generate::{Generated, Kind, KindInfo, Options, Request, draw_weights, hardest, run};
use quadrille_model::Error;
use quadrille_model::rules::{Shape, compile};
use quadrille_model::shown;
use quadrille_model::text_file::{RULES_BYTES, read_text};
use quadrille_model::{EndedBy, Geometry, Weights};

/// Puzzles of larger sides take long to prove unique.
const PROMPT_SIDE: usize = 16;
/// Longest time that rows written wait before they are flushed, while more are made.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

pub(super) fn generate(args: &GenerateArgs) -> Result<u8> {
    // A parameter may be the name of a file that draws a shape, a pattern one that draws it.
    let named = args.parameters.iter().chain(&args.pattern).map(Path::new);
    Files::default()
        .reads("the drawing", named.filter(|path| path.is_file()))
        .reads_rules(args.regions.as_deref(), None)
        .writes_rows(args.to.out.as_deref())
        .writes("--weights-out", args.weights_out.as_deref())
        .require_apart()?;
    let request = match args.kind {
        Product::Classic(classic) => return write_classic(classic, args),
        Product::Puzzles(info) => request(info, args)?,
    };
    let range = range(args)?;
    let preference = EnginePreference { engine: args.engine, isa: args.isa, ..EnginePreference::default() };
    let options = Options { threads: config::threads(args.pool.threads), preference };
    let control = config::control(args.deadline);
    let signals = Signals::listen(&control)?;
    // Both are open before either is written: a run that is refused has written nothing.
    let open = || {
        let opened =
            args.weights_out.as_deref().map(|path| Target::create(path, args.to.write)).transpose()?;
        Ok::<_, Error>((opened, files::open_rows(args.to.out.as_deref(), args.to.write)?))
    };
    let (opened, (target, out)) = signals.at_once(open)?;
    if let (Some(range), Some(path), Some(opened)) = (&args.weights, &args.weights_out, opened) {
        write_weights(&request.geometry, range, args.seed, path, opened)?;
    }
    let side = request.geometry.side();
    if side > PROMPT_SIDE && !args.quiet && !matches!(request.kind, Kind::Grids | Kind::Sparse) {
        say!("quadrille: a puzzle of side {side} may take minutes, or for ever (--deadline ends the run)");
    }
    let wanted = args.hard.map_or(args.count, |hard| hard.min(args.count));
    let made = Arc::new(AtomicU64::new(0));
    let display =
        progress::is_shown(args.progress, args.quiet).then(|| Display::count("records", &made, args.count));
    let out = match &display {
        Some(display) if target.is_none() => display.rows(out),
        _ => out,
    };
    let mut rows = Rows::new(args, out);
    let tried = AtomicU64::new(0);
    let count = |record: &Generated| {
        made.fetch_add(1, Ordering::Relaxed);
        tried.fetch_add(record.attempts, Ordering::Relaxed);
    };
    let result = if args.hard.is_some() {
        let keep = usize::try_from(wanted).unwrap_or(usize::MAX);
        hardest(&request, range, keep, options, &control, &mut |record| count(record)).map(|kept| {
            // Which are the hardest is known only when all are there.
            if made.load(Ordering::Relaxed) == args.count {
                let _ = kept.iter().try_for_each(|record| rows.write(record));
            }
        })
    } else {
        run(&request, range, options, &control, &mut |record| {
            count(&record);
            match rows.write(&record) {
                Ok(()) => Flow::Continue,
                Err(Ended) => Flow::Stop,
            }
        })
    };
    if let Some(display) = display {
        display.end();
    }
    let written = rows.end();
    if let Some(wanted) = args.rating.as_ref().filter(|_| result.is_ok() && !args.quiet) {
        let [made, tried] = [&*made, &tried].map(|number| grouped(number.load(Ordering::Relaxed)));
        let (low, high) = (wanted.start(), wanted.end());
        say!("quadrille: {made} of {tried} attempts made a puzzle with a rating from {low} to {high}");
    }
    let complete = result.is_ok() && written.as_ref().is_ok_and(|written| written.rows == wanted);
    if let Some(target) = target {
        if complete {
            target.complete()?;
        } else if let Some(partial) = target.left_at() {
            say!("quadrille: the output is incomplete and stays in {}", shown::path(partial));
        }
    }
    result?;
    let written = written?;
    if complete || written.closed {
        return Ok(exit::OK);
    }
    let reason = control.stop().unwrap_or(EndedBy::Cancel);
    say!("quadrille: stopped ({}) after {} records", reason.word(), written.rows);
    Ok(signals.exit_status(reason))
}

/// A classic exact cover problem.
fn write_classic(classic: &Classic, args: &GenerateArgs) -> Result<u8> {
    let of_puzzles = [
        ("--side", args.side.is_some()),
        ("--box", args.box_shape.is_some()),
        ("--clues", args.clues.is_some()),
        ("--weights", args.weights.is_some()),
        ("--rules", !args.rules.is_empty()),
        ("--regions", args.regions.is_some()),
        ("--pattern", args.pattern.is_some()),
        ("--hard", args.hard.is_some()),
        ("--rating", args.rating.is_some()),
        ("--distinct", args.distinct),
        ("--count", args.count != 1),
        ("--index-offset", args.index_offset != 0),
        ("--fields", args.fields != ["puzzle"]),
        ("--attempts", args.attempts != ATTEMPTS),
        ("--engine", args.engine.is_some()),
        ("--isa", args.isa.is_some()),
    ];
    if let Some((option, _)) = of_puzzles.iter().find(|(_, is_given)| *is_given) {
        return Err(Error::usage(format!(
            "{} is one problem, given by {}: no option of puzzles applies, such as {option}",
            classic.name, classic.parameters
        ))
        .into());
    }
    let mut cover = classic.make(&args.parameters)?;
    let mut words = args.parameters.clone();
    if let Some(range) = &args.costs {
        let costs = format!("{}..{}", range.start(), range.end());
        words.extend(["--costs".to_owned(), costs, "--seed".to_owned(), args.seed.to_string()]);
        cover::draw_costs(&mut cover, range.clone(), args.seed);
    }
    files::write_to(args.to.out.as_deref(), args.to.write, |out| {
        cover::write(classic.name, &words, &cover, out)
    })?;
    Ok(exit::OK)
}

/// Weights for the puzzles.
fn write_weights(
    geometry: &Geometry,
    range: &RangeInclusive<i64>,
    seed: u64,
    path: &Path,
    opened: Opened,
) -> Result<()> {
    let weights = draw_weights(geometry, range, seed);
    Weights::per_cell(geometry, &weights).map_err(|error| Error::usage(format!("--weights: {error}")))?;
    Ok(files::write_opened(path, opened, |out| quadrille_generate::write_weights(geometry, &weights, out))?)
}

/// The request that the arguments make.
fn request(info: &KindInfo, args: &GenerateArgs) -> Result<Request> {
    if args.costs.is_some() {
        return Err(Error::usage(format!("{} has no options that could have --costs", info.name)).into());
    }
    if let Some(word) = args.parameters.first() {
        return Err(Error::usage(format!("{} takes options, no parameters such as {word}", info.name)).into());
    }
    let text = config::run_rules(&args.rules, args.regions.as_deref(), None)?;
    let side = args.side.unwrap_or(9);
    let shape = match args.box_shape {
        Some((rows, columns)) => Geometry::new(rows, columns),
        None if Geometry::default_box(side).is_none() && text.replace_boxes() => {
            Geometry::without_boxes(side)
        }
        None => Geometry::of_side(side),
    };
    let geometry = shape.map_err(|error| Error::usage(error.to_string()))?;
    let pattern = args.pattern.as_deref().map(pattern).transpose()?;
    let shape = Shape { box_rows: geometry.box_rows(), box_columns: geometry.box_columns() };
    let compiled = (!text.is_empty()).then(|| compile(text.text(), shape)).transpose();
    let rules =
        compiled.map_err(|error| Error::usage(error.to_string()))?.map(|rules| Arc::new(rules.of_a_run()));
    let request = Request {
        clues: args.clues.clone(),
        pattern,
        climb: args.hard.map(|_| args.steps),
        rating: args.rating.clone(),
        attempts: args.attempts,
        distinct: args.distinct,
        geometry,
        rules,
        ..Request::new(info.kind, args.seed)
    };
    request.validate()?;
    Ok(request)
}

fn range(args: &GenerateArgs) -> Result<Range<u64>> {
    let end = args.index_offset.checked_add(args.count);
    let end = end.ok_or_else(|| Error::usage("--index-offset: there are not so many records"))?;
    Ok(args.index_offset..end)
}

/// A flag a cell, from a file of that name or the text itself.
fn pattern(given: &str) -> Result<Vec<bool>> {
    let read;
    let text = if Path::new(given).is_file() {
        read = read_text(Path::new(given), RULES_BYTES)?;
        &read
    } else {
        given
    };
    Ok(text.chars().filter(|c| !c.is_whitespace()).map(|c| !matches!(c, '.' | '0' | '-' | '_')).collect())
}

/// Nothing more can be written; [`Rows::end`] returns the reason.
struct Ended;

/// Writes records as lines.
struct Rows<'a> {
    args: &'a GenerateArgs,
    out: Box<dyn Write + Send>,
    line: Vec<u8>,
    rows: u64,
    bytes: u64,
    flushed: Instant,
    failure: Option<std::io::Error>,
}

/// The result of a run's writing.
struct Written {
    rows: u64,
    /// True if the reader of the output closed it.
    closed: bool,
}

impl<'a> Rows<'a> {
    fn new(args: &'a GenerateArgs, out: Box<dyn Write + Send>) -> Self {
        Rows { args, out, line: Vec::new(), rows: 0, bytes: 0, flushed: Instant::now(), failure: None }
    }

    fn write(&mut self, record: &Generated) -> std::result::Result<(), Ended> {
        self.line.clear();
        for (place, field) in self.args.fields.iter().enumerate() {
            if place > 0 {
                self.line.push(b'\t');
            }
            write_field(field, record, &mut self.line);
        }
        self.line.push(b'\n');
        let flush = self.flushed.elapsed() >= FLUSH_AFTER;
        let mut written = self.out.write_all(&self.line);
        if flush {
            written = written.and_then(|()| self.out.flush());
            self.flushed = Instant::now();
        }
        match written {
            Ok(()) => {
                self.rows += 1;
                self.bytes += self.line.len() as u64;
                Ok(())
            }
            Err(cause) => {
                self.failure = Some(cause);
                Err(Ended)
            }
        }
    }

    /// Flushes. An error of writing is returned, unless the reader closed the output.
    fn end(mut self) -> Result<Written> {
        let failure = self.failure.take().or_else(|| self.out.flush().err());
        let closed = failure.as_ref().is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe);
        match failure {
            Some(cause) if !closed => {
                let path = self.args.to.out.as_deref().unwrap_or(Path::new("-"));
                Err(Error::io("writing", path, self.bytes, cause).into())
            }
            _ => Ok(Written { rows: self.rows, closed }),
        }
    }
}

fn write_field(field: &str, record: &Generated, out: &mut Vec<u8>) {
    let mut number = |number: u64| out.extend_from_slice(number.to_string().as_bytes());
    match field {
        "index" => number(record.index + 1),
        "clues" => number(record.clues().into()),
        "guesses" => record.guesses.into_iter().for_each(number),
        "rating" => {
            record.rating.iter().for_each(|rating| out.extend_from_slice(rating.to_string().as_bytes()))
        }
        "solution" => record.write_solution(out),
        _ => record.write_puzzle(out),
    }
}
