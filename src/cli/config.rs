//! Converts parsed arguments to the options of the library.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::args::{BenchArgs, InputArgs, OutputArgs, RunArgs};
use super::files::{OutputFile, Said};
use super::value_parsers::Column;
use super::{files, tables};
use crate::bench::{BenchOptions, OWN_CLOCK, Program};
use quadrille_batch::{BatchOptions, NodeLimit, Query};
use quadrille_engine::{ENGINES, EnginePreference};
use quadrille_files::text_file::RULES_BYTES;
use quadrille_formats::input::{FromText, InputOptions, Source, WeightSource, read_weights};
use quadrille_formats::output::{Delimiter, Field, OutputFormat, OutputOptions};
use quadrille_model::rules::{RuleError, RunRules, items};
use quadrille_model::simd::Isa;
use quadrille_model::{Error, ErrorKind, Goal, Puzzle, Result, shown, usage};

pub(super) fn batch_options(args: &RunArgs, ask: Query) -> Result<BatchOptions> {
    let RunArgs { input, output, search, report, .. } = args;
    let defaults = BatchOptions::new(ask);
    let options = BatchOptions {
        input: input_options(input)?,
        index_offset: input.index_offset,
        output: output_options(output)?,
        ordered: !output.unordered,
        line_buffered: output.line_buffered,
        on_error: output.on_error,
        max_rejects: output.max_rejects,
        only: output.only.iter().filter_map(|word| word.status()).collect(),
        only_relations: output.only.iter().filter_map(|word| word.relation()).collect(),
        conditions: output.conditions.clone(),
        preference: EnginePreference {
            engine: search.engine,
            isa: search.isa,
            timings: search.timings,
            ..EnginePreference::default()
        },
        node_limit: match search.node_limit {
            Some(nodes) => NodeLimit::Asked(nodes),
            None if search.no_node_limit => NodeLimit::None,
            None => NodeLimit::Guard,
        },
        time_limit: search.time_limit,
        memory: search.bounds.memory,
        threads: search.pool.threads,
        audit: search.audit,
        // `augment` writes many rows per record. A larger chunk than the default would therefore become too
        // much output.
        chunk_bytes: match (search.bounds.chunk_bytes, ask) {
            (Some(asked), Query::Augment(_)) => asked.min(defaults.chunk_bytes),
            (asked, _) => asked.unwrap_or(defaults.chunk_bytes),
        },
        window_bytes: search.bounds.window.unwrap_or(defaults.window_bytes),
        top: report.top,
        outcomes: report.outcomes_out.is_some(),
        // Computing clue maps takes time, so they are only computed if an output needs them. A later run that
        // resumes from the checkpoint may need them.
        clue_maps: report.stats_out.is_some()
            || report.report.is_some()
            || args.output.keep.checkpoint.is_some(),
        ..defaults
    };
    options.validate()?;
    Ok(options)
}

pub(super) fn input_options(args: &InputArgs) -> Result<InputOptions> {
    let options = InputOptions {
        format: args.format,
        blank: args.blank.and_then(|blank| u8::try_from(blank).ok()).filter(u8::is_ascii),
        wide_blank: args.blank.filter(|blank| !blank.is_ascii()),
        symbols: args.symbols,
        box_shape: args.box_shape,
        side: args.side.flatten(),
        any_side: args.side == Some(None),
        marks: args.marks,
        counted_rows: args.counted_rows,
        keep_clues: args.keep.unwrap_or(false),
        no_rules: args.no_rules,
        column: args.column.clone(),
        solution_column: args.solution_column.clone(),
        keep_lines: args.keep_lines,
        max_record_bytes: args.max_record_bytes,
        rules: run_rules(&args.rules, args.regions.as_deref(), args.houses.as_deref())?,
        ..InputOptions::default()
    };
    options.validate()?;
    Ok(options)
}

/// Returns the rules that apply to all grids. The arguments are the values of `--rules`, `--regions` and
/// `--houses`.
pub(super) fn run_rules(words: &[String], regions: Option<&str>, houses: Option<&Path>) -> Result<RunRules> {
    let mut rules = RunRules::default();
    let invalid = |error: RuleError| Error::usage(error.to_string());
    for words in words {
        rules.add(words).map_err(invalid)?;
    }
    if let Some(regions) = regions {
        rules.add_regions(&layout(regions)?).map_err(invalid)?;
    }
    if let Some(path) = houses {
        let before = rules.text().len();
        rules.add_houses(&files::read_text(path, RULES_BYTES)?).map_err(invalid)?;
        if rules.text().len() == before {
            return Err(usage!("{} has no houses", shown::path(path)));
        }
    }
    if !rules.is_empty() {
        items(rules.text()).map_err(invalid)?;
    }
    Ok(rules)
}

/// Returns the text of the file that `word` names, or `word` itself if it is a layout of regions and not a
/// file.
fn layout(word: &str) -> Result<String> {
    let cells = word.chars().filter(|letter| !letter.is_whitespace()).count();
    if !Path::new(word).is_file() && (cells == 0 || cells.isqrt().pow(2) != cells) {
        let about =
            format!("{word} is neither a file nor a layout: {cells} characters do not make a square grid");
        return Err(Error::usage(about));
    }
    file_or_text(word)
}

/// Returns the text of the file that `word` names, or `word` itself if it does not name a file.
pub(super) fn file_or_text(word: &str) -> Result<String> {
    let path = Path::new(word);
    if path.is_file() { files::read_text(path, RULES_BYTES) } else { Ok(word.to_owned()) }
}

/// Returns the source of the cell weights. The value of `--weights` is the word `target`, a list of weights,
/// or the name of a file.
pub(super) fn weights(path: &Path) -> Result<WeightSource> {
    let Some(path) = weights_file(path) else { return Ok(WeightSource::Target) };
    let list = path.to_str().filter(|list| list.contains(',') && !path.exists()).map(str::to_owned);
    let text = list.map_or_else(|| files::read_text(path, RULES_BYTES), Ok)?;
    Ok(WeightSource::PerCell(read_weights(&text)?))
}

/// Returns the file that `--weights` names, or `None` if its value is the word `target`.
pub(super) fn weights_file(path: &Path) -> Option<&Path> {
    Some(path).filter(|path| *path != Path::new("target"))
}

pub(super) fn bench_options(args: &BenchArgs) -> Result<BenchOptions> {
    let limit = args.limit;
    Ok(BenchOptions {
        input: input_options(&args.input)?,
        goal: if args.count { Goal::Count { limit } } else { Goal::First(limit.unwrap_or(2)) },
        engines: args.engine.clone(),
        isas: args.isa.clone(),
        programs: args.program.clone(),
        protocol: args.protocol,
        program_limit: args.program_limit,
        per_file: args.per_file,
        rounds: args.rounds,
        seed: args.seed,
        every: args.every as usize,
        min_records: args.min_records as usize,
        processor_time: args.cpu_time,
        time: (!args.time.is_zero()).then_some(args.time),
        baseline: args.baseline.as_deref().map(|name| baseline(name, &args.program)).transpose()?,
    })
}

/// Returns the name of the baseline in the form that reports use.
///
/// `text` is the value of `--baseline`: the name of a program, or an engine as `ENGINE` or `ENGINE:ISA`.
fn baseline(text: &str, programs: &[Program]) -> Result<String> {
    let (engine, isa) = text.split_once(':').map_or((text, None), |(engine, isa)| (engine, Some(isa)));
    let has_isa = isa.is_none_or(|isa| Isa::ALL.iter().any(|known| known.name() == isa));
    let is_engine = ENGINES.iter().any(|info| info.name == engine) && has_isa;
    let name = text.strip_suffix(OWN_CLOCK).unwrap_or(text);
    if is_engine || programs.iter().any(|program| program.name == name) {
        return Ok(if is_engine { text.replacen(':', " ", 1) } else { text.to_owned() });
    }
    let names = ENGINES.iter().map(|info| info.name).chain(programs.iter().map(|program| &*program.name));
    let names = names.collect::<Vec<_>>().join(", ");
    Err(usage!("--baseline {text}: not in this benchmark [possible values: {names}]"))
}

/// Returns the options for output rows. The row format is the one that `--to` names, or else the one of the
/// output file's extension, or else text.
pub(super) fn output_options(args: &OutputArgs) -> Result<OutputOptions> {
    let path = args.to.out.as_deref();
    let said = OutputFile::ROWS.said(path, args.output_format.is_some())?;
    let of_name = match said {
        Some(said) => said.output_format(),
        None => files::named(path).filter(|path| tables::is_directory(path)).map(|_| OutputFormat::Parquet),
    };
    let format = args.output_format.or(of_name).unwrap_or_default();
    let delimiter = match said {
        Some(Said::Tsv) if format == OutputFormat::Csv => Delimiter::Byte(b'\t'),
        Some(Said::Csv) => Delimiter::KeepUnlessTab,
        _ => Delimiter::Keep,
    };
    let field = |column: &Column| if let Column::Field(field) = column { Some(*field) } else { None };
    let fields: Vec<Field> = args.fields.iter().filter_map(field).collect();
    Ok(OutputOptions {
        format,
        only_extra_columns: fields.is_empty() && !args.fields.is_empty(),
        fields,
        no_header: args.lines.no_header,
        echo_id: args.echo_id,
        line_ends: args.lines.line_ends,
        delimiter,
        ..OutputOptions::default()
    })
}

/// Returns the files named on the command line as sources, or standard input if there are none. An argument
/// that is a puzzle and not a file name also becomes a source.
///
/// # Errors
/// Returns a usage error for an argument that looks like a puzzle but is neither a puzzle nor a file.
pub(super) fn sources(files: &[PathBuf]) -> Result<Vec<Source>> {
    if files.is_empty() {
        return Ok(vec![Source::Stdin]);
    }
    let source = |file: &PathBuf| Ok(typed_puzzle(file)?.unwrap_or_else(|| Source::from_argument(file)));
    files.iter().map(source).collect()
}

/// Returns the text of an argument that must be meant as a puzzle, or `None` for any other argument.
///
/// Such an argument is a link, a part of a link (`?bd=`), or a text of at least nine characters. At least 7
/// in 8 characters of the text must be digits or signs for blank cells. So a mistyped file name is not
/// treated as a puzzle.
pub(super) fn puzzle_text(argument: &OsStr) -> Option<&str> {
    let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'_' | b'*' | b' ' | b'\n');
    let plain = |text: &str| text.as_bytes().iter().filter(|byte| is_plain(byte)).count();
    let is_link =
        |text: &str| text.contains("bd=") || text.starts_with("http://") || text.starts_with("https://");
    argument.to_str().filter(|text| is_link(text) || text.len() >= 9 && plain(text) * 8 >= text.len() * 7)
}

/// Returns an argument as a source if it is a puzzle and not a file.
fn typed_puzzle(argument: &Path) -> Result<Option<Source>> {
    let Some(text) = puzzle_text(argument.as_os_str()).filter(|_| !argument.exists()) else {
        return Ok(None);
    };
    match Puzzle::from_text(text) {
        Ok(_) => {
            let bytes = format!("{text}\n").into_bytes();
            Ok(Some(Source::Bytes { name: "the argument".to_owned(), bytes }))
        }
        Err(error) => {
            let reason = match error.kind() {
                ErrorKind::Input { reason, .. } => reason.clone(),
                _ => error.to_string(),
            };
            Err(usage!("{text} is neither a file nor a puzzle: {reason}"))
        }
    }
}

/// Creates a pool of `threads` threads for one problem, with one thread per core if `threads` is 0.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(Error::threads)
}

/// Returns the number of threads, which is `asked`, or the number of cores if `asked` is 0.
pub(super) fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { std::thread::available_parallelism().map_or(1, usize::from) }
}
