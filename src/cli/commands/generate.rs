//! `generate`: makes puzzles from a seed, and classic exact cover problems from parameters.

mod neighbourhood;
mod rows;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Result;

use self::rows::{Notation, Rows};
use super::refuse;
use crate::cli::args::GenerateArgs;
use crate::cli::files::{self, Destination, FileUses, OutputFile, Said};
use crate::cli::messages::say;
use crate::cli::progress::{self, Display};
use crate::cli::signals::Signals;
use crate::cli::value_parsers::GenerateKind;
use crate::cli::{config, exit};
use quadrille_batch::stats::{Population, Statistics, duration, grouped, number_of};
use quadrille_engine::{EnginePreference, Flow};
use quadrille_generate::cover::{self, Classic};
use quadrille_generate::sudoku::ATTEMPTS;
use quadrille_generate::{Generated, Hardest, Kind, Method, Options, Request, clue_range, draw_weights, run};
use quadrille_model::rules::{Shape, compile};
use quadrille_model::{EndedBy, Error, Geometry, Weights, shown, usage};
use quadrille_rating::{Rater, StepFilter, Technique, Tenths};

/// Largest side length of grids for which the search proves quickly that a puzzle has only one solution.
const PROMPT_SIDE: usize = 16;

pub(super) fn generate(args: &GenerateArgs) -> Result<u8> {
    // A parameter may name a file that contains a shape, and `--pattern` may name a file too.
    let named = args.parameters.iter().map(Path::new).chain(args.pattern.iter().map(Path::new));
    let output = match args.kind {
        GenerateKind::Classic(_) => OutputFile::COVER,
        GenerateKind::Puzzles(_) => OutputFile::PUZZLES,
    };
    FileUses::default()
        .reads("the file", named.filter(|path| files::is_stream(path) || path.is_file()))
        .reads("--known", &args.known)
        .reads_rules(args.regions.as_deref(), None)
        .writes_rows(output, args.to.out.as_deref(), false)
        .writes(OutputFile::WEIGHTS, args.weights_out.as_deref())
        .writes(OutputFile::STATISTICS, args.stats_out.as_deref())
        .check_conflicts()?;
    let kind = match args.kind {
        GenerateKind::Classic(classic) => return write_classic(classic, args),
        GenerateKind::Puzzles(kind) => kind,
    };
    neighbourhood::check(Some(kind), args)?;
    let mut request = request(kind, args)?;
    let end = args.skip.checked_add(args.count);
    let end = end.ok_or_else(|| Error::usage("--skip and --count exceed the largest record number"))?;
    let mut range = args.skip..end;
    let began = Instant::now();
    let preference = EnginePreference { engine: args.engine, isa: args.isa, ..EnginePreference::default() };
    let handed_out = Arc::new(AtomicU64::new(0));
    let (threads, progress) = (config::threads(args.pool.threads), Some(&*handed_out));
    let options = Options { threads, preference, progress, ..Options::default() };
    let signals = Signals::listen(args.deadline)?;
    let is_neighbours = kind == Kind::Neighbours;
    if is_neighbours {
        let neighbours = neighbourhood::read(args, &signals)?;
        range = neighbours.range();
        request = Request { geometry: Arc::clone(neighbours.geometry()), distinct: true, ..request };
        request.neighbours = Some(neighbours);
    }
    request.validate()?;
    // All files are opened before anything is written. If one cannot be opened, the run writes nothing.
    let open = || {
        let create = |path: &Option<PathBuf>| {
            path.as_ref().map(|path| Destination::create(path, args.to.write)).transpose()
        };
        let beside = (create(&args.weights_out)?, create(&args.stats_out)?);
        Ok::<_, Error>((beside, files::open_rows(args.to.out.as_deref(), args.to.write)?))
    };
    let ((weights_file, sample_file), (target, out)) = signals.at_once(open)?;
    if let Some((range, file)) = args.weights.as_ref().zip(weights_file) {
        let weights = draw_weights(&request.geometry, range, args.seed);
        Weights::per_cell(&request.geometry, &weights).map_err(|error| usage!("--weights: {error}"))?;
        file.write(|out| quadrille_generate::write_weights(&request.geometry, &weights, out))?;
    }
    let side = request.geometry.side();
    if side > PROMPT_SIDE && !args.quiet && !matches!(request.kind, Kind::Grids | Kind::Sparse) {
        say!(
            "quadrille: a puzzle of side {side} may take minutes or never be found (--deadline ends the run)"
        );
    }
    let wanted = args.keep_hardest.map_or(args.count, |hard| hard.min(args.count));
    let made = Arc::new(AtomicU64::new(0));
    let is_printed = target.is_none();
    let is_shown = progress::is_shown(args.progress, args.quiet, is_printed);
    let changes = range.end;
    let display = is_shown.then(|| match is_neighbours {
        true => Display::count("change", &handed_out, changes),
        false => Display::count("record", &made, args.count),
    });
    let out = if is_shown && is_printed { progress::above(out) } else { out };
    let notation = match output.said(args.to.out.as_deref(), false)? {
        Some(Said::Csv) => Notation::Columns(b','),
        Some(Said::Tsv) => Notation::Columns(b'\t'),
        Some(Said::Jsonl) => Notation::Objects,
        _ => Notation::Lines,
    };
    let mut rows = Rows::new(args, notation, request.rules.is_some(), out);
    let mut tried = 0;
    let mut statistics = Statistics::default();
    let population = Population::new(request.geometry.cells() as u32, clue_range(&request));
    let most = usize::try_from(wanted).unwrap_or(usize::MAX);
    let mut hardest = args.keep_hardest.map(|_| Hardest::new(most));
    let result = run(&request, range, options, signals.control(), &mut |record: Generated| {
        if let (Some(orders), Some(population)) = (record.orders, population) {
            statistics.record_sample(population, record.clues(), orders);
        }
        made.fetch_add(1, Ordering::Relaxed);
        tried += record.attempts;
        match &mut hardest {
            Some(hardest) => {
                hardest.offer(record);
                Flow::Continue
            }
            None => rows.write(&record),
        }
    });
    let made = made.load(Ordering::Relaxed);
    // Which records are hardest is only known after all records are made.
    if let Some(hardest) = hardest.filter(|_| result.is_ok() && made == args.count) {
        let _ = hardest.records().iter().all(|record| rows.write(record) == Flow::Continue);
    }
    drop(display);
    let closed = rows.end();
    if let Some(wanted) = wanted_ratings(args).filter(|_| result.is_ok() && !args.quiet && !is_neighbours) {
        let (low, high) = (wanted.start(), wanted.end());
        let asked = |(name, value): (&str, Option<String>)| value.map(|value| format!(" {name} {value}"));
        let steps: String = request.steps.settings().into_iter().filter_map(asked).collect();
        // Attempts are only counted when a record is made. So if no record was made, the number of attempts is
        // unknown.
        let attempts = match made {
            0 => "no attempt".to_owned(),
            _ => format!("{} of {} attempts", grouped(made), grouped(tried)),
        };
        say!("quadrille: {attempts} made a puzzle with a rating from {low} to {high}{steps}");
    }
    let is_whole = match is_neighbours {
        true => handed_out.load(Ordering::Relaxed) == changes,
        false => rows.rows == wanted,
    };
    let complete = result.is_ok() && is_whole && matches!(closed, Ok(false));
    if let Some(target) = target {
        if complete {
            target.complete()?;
        } else if let Some(partial) = target.left_at() {
            say!("quadrille: incomplete output is left in {}", shown::path(partial));
        }
    }
    result?;
    let closed = closed?;
    // A run that was stopped contains only those puzzles that are found early. As a sample, they would be
    // biased, so no statistics are written.
    if let Some(file) = sample_file.filter(|_| complete) {
        statistics.set_run(env!("CARGO_PKG_VERSION"), sample_words(args, clue_range(&request)));
        file.write_text(&statistics.to_json())?;
    }
    let is_seen = || std::io::stderr().is_terminal() && !closed;
    if !args.quiet && (rows.rows > 1 || args.to.out.is_some()) && is_seen() {
        let clues = rows.clues.map(|(fewest, most)| match fewest == most {
            true => format!(", {}", number_of(most.into(), "clue")),
            false => format!(", {fewest} to {most} clues"),
        });
        say!(
            "quadrille: {} of {} in {}{}",
            number_of(rows.rows, "record"),
            kind.name(),
            duration(began.elapsed().as_nanos() as u64),
            clues.unwrap_or_default()
        );
    }
    if complete || closed {
        return Ok(exit::OK);
    }
    let reason = signals.control().stop().unwrap_or(EndedBy::Cancel);
    Err(signals.stopped(reason, format_args!(" after {}", number_of(rows.rows, "record"))))
}

/// Writes a classic exact cover problem.
fn write_classic(classic: &Classic, args: &GenerateArgs) -> Result<u8> {
    let of_puzzles = [
        ("--side", args.side.is_some()),
        ("--box", args.box_shape.is_some()),
        ("--clues", args.clues.is_some()),
        ("--weights", args.weights.is_some()),
        ("--rules", !args.rules.is_empty()),
        ("--regions", args.regions.is_some()),
        ("--pattern", args.pattern.is_some()),
        ("--symmetry", args.symmetry.is_some()),
        ("--keep-hardest", args.keep_hardest.is_some()),
        ("--rating", args.rating.is_some()),
        ("--difficulty", args.difficulty.is_some()),
        ("--needs", !args.path.needs.is_empty()),
        ("--without", !args.path.without.is_empty()),
        ("--distinct", args.distinct),
        ("--count", args.count != 1),
        ("--skip", args.skip != 0),
        ("--fields", args.fields != ["puzzle"]),
        ("--attempts", args.attempts != ATTEMPTS),
        ("--method", args.method != Method::default()),
        ("--stats-out", args.stats_out.is_some()),
        ("--engine", args.engine.is_some()),
        ("--isa", args.isa.is_some()),
    ];
    let (name, parameters) = (classic.name, classic.parameters);
    refuse(&of_puzzles, |option| {
        format!("{name} is one problem with the parameters {parameters}: {option} is only for puzzles")
    })?;
    if classic.name == "sudoku" && args.parameters.is_empty() {
        let about =
            "sudoku takes RxC, the boxes of an exact cover problem: for puzzles use 'generate puzzles'";
        return Err(Error::usage(about).into());
    }
    neighbourhood::check(None, args)?;
    let _signals = Signals::end_at_once()?;
    let out = Destination::open(args.to.out.as_deref(), args.to.write)?;
    let word = |word: &OsString| {
        word.to_str().map(str::to_owned).ok_or_else(|| usage!("{} is not UTF-8", word.display()))
    };
    let mut words = args.parameters.iter().map(word).collect::<Result<Vec<_>, _>>()?;
    let mut cover = classic.make(&words)?;
    if let Some(range) = &args.costs {
        let costs = format!("{}..{}", range.start(), range.end());
        words.extend(["--costs".to_owned(), costs, "--seed".to_owned(), args.seed.to_string()]);
        cover::draw_costs(&mut cover, range.clone(), args.seed);
    }
    out.write(|out| cover::write(classic.name, &words, &cover, out))?;
    Ok(exit::OK)
}

/// Converts the arguments to a request for the puzzle generator.
fn request(kind: Kind, args: &GenerateArgs) -> Result<Request> {
    if args.costs.is_some() {
        return Err(usage!("--costs is only for exact cover problems, not for {}", kind.name()).into());
    }
    if let Some(word) = args.parameters.first().filter(|_| kind != Kind::Neighbours) {
        let word = word.to_string_lossy();
        let tip = match word.parse::<u64>() {
            Ok(number) => format!(" (for {} use --count {number})", number_of(number, "record")),
            Err(_) => " (--side, --box and --clues describe puzzles)".to_owned(),
        };
        return Err(usage!("{} takes no parameters such as {word}{tip}", kind.name()).into());
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
    let rules = compiled
        .map_err(|error| Error::usage(error.to_string()))?
        .map(|rules| Arc::new(rules.into_run_wide()));
    let writes = |name: &str| args.fields.iter().any(|field| field == name);
    if kind == Kind::Altered && writes("solution") {
        return Err(usage!("--fields solution: altered puzzles may have none (use `solve`)").into());
    }
    let is_controlled = args.method == Method::Controlled;
    let sampled = args.fields.iter().find(|field| matches!(field.as_str(), "weight" | "orders"));
    let sampled = sampled.map(|field| format!("--fields {field}"));
    let sampled = sampled.or_else(|| args.stats_out.as_ref().map(|_| "--stats-out".to_owned()));
    if let Some(option) = sampled.filter(|_| !is_controlled) {
        return Err(usage!("{option} is only for minimal --method controlled").into());
    }
    // The generator only computes ratings if a range of ratings is requested. So this requests the full range
    // if the column `rating` is written.
    let any_rating = || writes("rating").then(|| Technique::LastCell.least()..=Rater::MAX_RATING);
    Ok(Request {
        // If the range has no upper end, it ends at the number of cells.
        clues: args.clues.as_ref().map(|clues| match *clues.end() {
            u32::MAX => *clues.start()..=geometry.cells() as u32,
            end => *clues.start()..=end,
        }),
        pattern,
        symmetry: args.symmetry,
        climb: args.keep_hardest.map(|_| args.steps),
        method: args.method,
        counts_guesses: writes("guesses"),
        rating: wanted_ratings(args).or_else(any_rating),
        steps: StepFilter::new(args.path.needs.clone(), args.path.without.clone()),
        attempts: args.attempts,
        distinct: args.distinct,
        geometry,
        rules,
        ..Request::new(kind, args.seed)
    })
}

/// Returns the command-line words of the run that drew a sample of puzzles, for the statistics file.
fn sample_words(args: &GenerateArgs, (fewest, most): (u32, u32)) -> Vec<String> {
    let side = args.side.map(|side| format!(" --side {side}"));
    let shape = args.box_shape.map(|(rows, columns)| format!(" --box {rows}x{columns}"));
    let words = format!(
        "generate minimal --method controlled --seed {} --skip {} --count {} --clues {fewest}..{most}{}",
        args.seed,
        args.skip,
        args.count,
        side.or(shape).unwrap_or_default()
    );
    words.split(' ').map(str::to_owned).collect()
}

/// Returns the range of ratings that the arguments ask for, or `None` if they allow any rating.
///
/// If `--needs` is given without a range of ratings, steps may not be rated above the named techniques.
/// Techniques that exist in several sizes are an exception: they are rated by size, and all their sizes are
/// allowed.
fn wanted_ratings(args: &GenerateArgs) -> Option<RangeInclusive<Tenths>> {
    let path = &args.path;
    let hardest = path.needs.iter().map(|(_, set)| set.least()).max();
    let is_sized = |least: Tenths| least > Technique::XyzWing.least();
    let most = hardest.filter(|least| !is_sized(*least)).unwrap_or(Rater::MAX_RATING);
    let is_asked = !(path.needs.is_empty() && path.without.is_empty());
    let named = args.rating.clone().or_else(|| args.difficulty.clone());
    named.or_else(|| is_asked.then(|| Technique::LastCell.least()..=most))
}

/// Returns one flag per cell, which is true if the cell has a clue. `given` is the name of a file, or the
/// pattern itself.
fn pattern(given: &str) -> Result<Vec<bool>> {
    let text = config::file_or_text(given)?;
    Ok(text.chars().filter(|c| !c.is_whitespace()).map(|c| !matches!(c, '.' | '0' | '-' | '_')).collect())
}
