//! `generate`: makes puzzles from a seed, and classic exact cover problems from parameters.

mod neighbourhood;
mod rows;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Result;

use self::rows::{Ended, Notation, Rows};
use crate::cli::args::GenerateArgs;
use crate::cli::files::{self, Destination, FileUses, Opened, OutputFile, Said, Target};
use crate::cli::messages::say;
use crate::cli::progress::{self, Display};
use crate::cli::signals::Signals;
use crate::cli::value_parsers::GenerateKind;
use crate::cli::{config, exit};
use quadrille_batch::stats::{Population, Statistics, duration, grouped, number_of};
use quadrille_engine::{EnginePreference, Flow};
use quadrille_files::text_file::RULES_BYTES;
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
        GenerateKind::Classic(_) => OutputFile::Cover,
        GenerateKind::Puzzles(_) => OutputFile::Puzzles,
    };
    FileUses::default()
        .reads("the file", named.filter(|path| files::is_stream(path) || path.is_file()))
        .reads("--known", args.known.iter().map(|path| &**path))
        .reads_rules(args.regions.as_deref(), None)
        .writes_rows(output, args.to.out.as_deref(), false)
        .writes(OutputFile::Weights, args.weights_out.as_deref())
        .writes(OutputFile::Statistics, args.stats_out.as_deref())
        .check_conflicts()?;
    let kind = match args.kind {
        GenerateKind::Classic(classic) => return write_classic(classic, args),
        GenerateKind::Puzzles(kind) => kind,
    };
    neighbourhood::check(Some(kind), args)?;
    let mut request = request(kind, args)?;
    let mut range = range(args)?;
    let began = Instant::now();
    let preference = EnginePreference { engine: args.engine, isa: args.isa, ..EnginePreference::default() };
    let handed_out = Arc::new(AtomicU64::new(0));
    let (threads, progress) = (config::threads(args.pool.threads), Some(&*handed_out));
    let options = Options { threads, preference, progress, ..Options::default() };
    let control = config::control(args.deadline);
    let signals = Signals::listen(&control)?;
    let is_neighbours = kind == Kind::Neighbours;
    if is_neighbours {
        let neighbours = match neighbourhood::read(args, &control)? {
            Ok(neighbours) => neighbours,
            Err(reason) => {
                say!("quadrille: stopped ({}) while reading", reason.word());
                return Ok(signals.exit_status(reason));
            }
        };
        range = neighbours.range();
        request = Request { geometry: Arc::clone(neighbours.geometry()), distinct: true, ..request };
        request.neighbours = Some(neighbours);
    }
    request.validate()?;
    // All files are opened before anything is written. If one cannot be opened, the run writes nothing.
    let open = || {
        let create = |path: Option<&Path>| path.map(|path| Target::create(path, args.to.write)).transpose();
        let beside = (create(args.weights_out.as_deref())?, create(args.stats_out.as_deref())?);
        Ok::<_, Error>((beside, files::open_rows(args.to.out.as_deref(), args.to.write)?))
    };
    let ((opened, sampled), (target, out)) = signals.at_once(open)?;
    if let (Some(range), Some(path), Some(opened)) = (&args.weights, &args.weights_out, opened) {
        write_weights(&request.geometry, range, args.seed, path, opened)?;
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
    let tried = AtomicU64::new(0);
    let mut statistics = Statistics::default();
    let population = Population::new(request.geometry.cells() as u32, clue_range(&request));
    let mut count = |record: &Generated| {
        if let (Some(orders), Some(population)) = (record.orders, population) {
            statistics.record_sample(population, record.clues(), orders);
        }
        made.fetch_add(1, Ordering::Relaxed);
        tried.fetch_add(record.attempts, Ordering::Relaxed);
    };
    let result = if args.keep_hardest.is_some() {
        let mut hardest = Hardest::new(usize::try_from(wanted).unwrap_or(usize::MAX));
        let result = run(&request, range, options, &control, &mut |record| {
            count(&record);
            hardest.offer(record);
            Flow::Continue
        });
        // Which records are hardest is only known after all records are made.
        if result.is_ok() && made.load(Ordering::Relaxed) == args.count {
            let _ = hardest.records().iter().try_for_each(|record| rows.write(record));
        }
        result
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
    if let Some(wanted) = wanted_ratings(args).filter(|_| result.is_ok() && !args.quiet && !is_neighbours) {
        let (low, high) = (wanted.start(), wanted.end());
        let asked = |(name, value): (&str, Option<String>)| value.map(|value| format!(" {name} {value}"));
        let steps: String = request.steps.settings().into_iter().filter_map(asked).collect();
        match [&*made, &tried].map(|number| number.load(Ordering::Relaxed)) {
            // Attempts are only counted when a record is made. So if no record was made, the number of
            // attempts is unknown.
            [0, _] => say!("quadrille: no attempt made a puzzle with a rating from {low} to {high}{steps}"),
            numbers => {
                let [made, tried] = numbers.map(grouped);
                say!(
                    "quadrille: {made} of {tried} attempts made a puzzle with a rating from {low} to {high}{steps}"
                );
            }
        }
    }
    let is_whole = |rows| match is_neighbours {
        true => handed_out.load(Ordering::Relaxed) == changes,
        false => rows == wanted,
    };
    let complete =
        result.is_ok() && written.as_ref().is_ok_and(|written| !written.closed && is_whole(written.rows));
    if let Some(target) = target {
        if complete {
            target.complete()?;
        } else if let Some(partial) = target.left_at() {
            say!("quadrille: incomplete output is left in {}", shown::path(partial));
        }
    }
    result?;
    let written = written?;
    // A run that was stopped contains only those puzzles that are found early. As a sample, they would be
    // biased, so no statistics are written.
    if let (Some(path), Some(opened), true) = (&args.stats_out, sampled, complete) {
        statistics.set_run(env!("CARGO_PKG_VERSION"), sample_words(args, clue_range(&request)));
        files::write_opened(path, opened, |out| out.write_all(statistics.to_json().as_bytes()))?;
    }
    let is_seen = || std::io::stderr().is_terminal() && !written.closed;
    if !args.quiet && (written.rows > 1 || args.to.out.is_some()) && is_seen() {
        let clues = written.clues.map(|(fewest, most)| match fewest == most {
            true => format!(", {}", number_of(most.into(), "clue")),
            false => format!(", {fewest} to {most} clues"),
        });
        say!(
            "quadrille: {} of {} in {}{}",
            number_of(written.rows, "record"),
            kind.name(),
            duration(began.elapsed().as_nanos() as u64),
            clues.unwrap_or_default()
        );
    }
    if complete || written.closed {
        return Ok(exit::OK);
    }
    let reason = control.stop().unwrap_or(EndedBy::Cancel);
    say!("quadrille: stopped ({}) after {}", reason.word(), number_of(written.rows, "record"));
    Ok(signals.exit_status(reason))
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
    if let Some((option, _)) = of_puzzles.iter().find(|(_, is_given)| *is_given) {
        return Err(usage!(
            "{} is one problem with the parameters {}: {option} is only for puzzles",
            classic.name,
            classic.parameters
        )
        .into());
    }
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

/// Draws random weights and writes them to `path`.
fn write_weights(
    geometry: &Geometry,
    range: &RangeInclusive<i64>,
    seed: u64,
    path: &Path,
    opened: Opened,
) -> Result<()> {
    let weights = draw_weights(geometry, range, seed);
    Weights::per_cell(geometry, &weights).map_err(|error| usage!("--weights: {error}"))?;
    Ok(files::write_opened(path, opened, |out| quadrille_generate::write_weights(geometry, &weights, out))?)
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
    let request = Request {
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
    };
    Ok(request)
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

fn range(args: &GenerateArgs) -> Result<Range<u64>> {
    let end = args.skip.checked_add(args.count);
    let end = end.ok_or_else(|| Error::usage("--skip and --count exceed the largest record number"))?;
    Ok(args.skip..end)
}

/// Returns one flag per cell, which is true if the cell has a clue. `given` is the name of a file, or the
/// pattern itself.
fn pattern(given: &str) -> Result<Vec<bool>> {
    let read;
    let text = if Path::new(given).is_file() {
        read = files::read_text(Path::new(given), RULES_BYTES)?;
        &read
    } else {
        given
    };
    Ok(text.chars().filter(|c| !c.is_whitespace()).map(|c| !matches!(c, '.' | '0' | '-' | '_')).collect())
}
