//! The command line judged: typed words become options of the library, or a usage error.

use std::path::PathBuf;
use std::time::Duration;

use super::args::{BenchArgs, InputArgs, OnErrorArg, OutputArgs, RunArgs, SearchArgs, Switch, SymbolsArg};
use crate::batch::{Ask, BatchOptions, GUARD_NODES, OnError};
use crate::bench::BenchOptions;
use crate::engine::{ENGINES, EngineKind, EnginePreference};
use crate::error::{Error, ErrorKind, Result};
use crate::generate::KINDS;
use crate::generate::cover::CLASSICS;
use crate::input::{ColumnRef, Format, InputOptions, Source, WeightSource, read_weights};
use crate::model::{Alphabet, Goal, Limits, Status};
use crate::output::{Field, OutputFormat, OutputOptions, describe_fields};
use crate::simd::Isa;

/// The long help of `--fields`.
pub(super) fn fields_help() -> String {
    format!("Columns of text, csv and jsonl, comma-separated:\n{}", describe_fields())
}

/// The long help of `--engine`.
pub(super) fn engines_help() -> String {
    let mut help = "The engine:\n  auto      chosen by the kind of problem and what is asked".to_owned();
    for info in ENGINES {
        help.push_str(&format!("\n  {:<9} {}", info.name, info.about));
    }
    help
}

/// The long help of `--isa`.
pub(super) fn isas_help() -> String {
    let engines: Vec<_> = ENGINES.iter().filter(|info| !info.isas.is_empty()).map(|info| info.name).collect();
    let mut help = format!(
        "The instruction set of engines that are written for several ({}). Other engines do not look at it, nor does \
         the choice of the engine; answers are the same on all of them:\n  auto      the best of this machine",
        engines.join(", ")
    );
    for isa in Isa::ALL {
        let lacking = if isa.is_available() { "" } else { " (not on this machine)" };
        help.push_str(&format!("\n  {:<9} {}{lacking}", isa.name(), isa.about()));
    }
    help
}

/// The long help of the kinds of `generate`.
pub(super) fn kinds_help() -> String {
    let mut help = "What to make. Puzzles, by the seed:".to_owned();
    for info in KINDS {
        help.push_str(&format!("\n  {:<9} {}", info.name, info.about));
    }
    help.push_str(
        "\nClassic exact cover problems, one each, in Knuth's format, with their parameters (SHAPE is AxB, AxB-CxD with \
         a hole in the middle, or a file that draws it, a character a cell, '.' and blanks for none):",
    );
    for classic in CLASSICS {
        let call = format!("{} {}", classic.name, classic.parameters);
        help.push_str(&format!("\n  {call:<28} {}", classic.about));
    }
    help
}

/// Options of a run.
pub(super) fn batch_options(args: &RunArgs, ask: Ask) -> Result<BatchOptions> {
    let RunArgs { input, output, search, report, .. } = args;
    let mut options = BatchOptions::new(ask);
    options.input = input_options(input)?;
    options.index_offset = input.index_offset;
    options.output = output_options(output)?;
    options.ordered = !output.unordered;
    options.line_buffered = output.line_buffered;
    options.on_error = match output.on_error {
        OnErrorArg::Row => OnError::Row,
        OnErrorArg::Skip => OnError::Skip,
        OnErrorArg::Fail => OnError::Fail,
    };
    options.max_rejects = output.max_rejects;
    options.only = statuses("--only", &output.only)?;
    options.preference =
        EnginePreference { engine: engine(&search.engine)?, isa: isa(&search.isa)?, timings: search.timings };
    options.limits = limits(search)?;
    options.guarded = search.node_limit.is_none();
    options.threads = search.threads;
    options.audit = search.audit.as_deref().map(audit_interval).transpose()?;
    if let Some(deadline) = &search.deadline {
        options.set_deadline(duration("--deadline", deadline)?);
    }
    if let Some(bytes) = search.chunk_bytes {
        options.chunk_bytes = bytes.max(1);
    }
    if let Some(bytes) = search.window.as_deref().map(|text| size("--window", text)).transpose()? {
        options.window_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    options.top = report.top;
    options.validate()?;
    Ok(options)
}

/// Options of reading.
pub(super) fn input_options(args: &InputArgs) -> Result<InputOptions> {
    let options = InputOptions {
        format: args.format.as_deref().map(format).transpose()?,
        blank: args.blank.map(blank).transpose()?,
        symbols: args.symbols.map(|symbols| match symbols {
            SymbolsArg::FromOne => Alphabet::FromOne,
            SymbolsArg::FromZero => Alphabet::FromZero,
            SymbolsArg::Letters => Alphabet::Letters,
            SymbolsArg::Integers => Alphabet::Integers,
        }),
        box_shape: args.box_shape.as_deref().map(box_shape).transpose()?,
        side: args.side,
        marks: args.marks.map(|marks| marks == Switch::On),
        column: args.column.as_deref().map(ColumnRef::from_text),
        solution_column: args.solution_column.as_deref().map(ColumnRef::from_text),
        keep_lines: args.keep_lines,
        max_record_bytes: args.max_record_bytes,
        ..InputOptions::default()
    };
    options.validate()?;
    Ok(options)
}

/// Weights of cells as `--weights` names them.
pub(super) fn weights(text: &str) -> Result<WeightSource> {
    if text == "target" {
        return Ok(WeightSource::Target);
    }
    let file = std::fs::read_to_string(text).map_err(|cause| Error::io("reading", text, 0, cause))?;
    Ok(WeightSource::PerCell(read_weights(&file)?))
}

/// Options of a measurement.
pub(super) fn bench_options(args: &BenchArgs) -> Result<BenchOptions> {
    let named = |names: &[String]| names.iter().any(|name| name == "auto");
    if named(&args.engine) || named(&args.isa) {
        return Err(Error::usage("bench: auto is no engine to measure; name some, or none for all"));
    }
    let (limit, time) = (args.limit, duration("--time", &args.time)?);
    Ok(BenchOptions {
        input: input_options(&args.input)?,
        goal: if args.count { Goal::Count { limit } } else { Goal::First(limit.unwrap_or(2)) },
        engines: args.engine.iter().filter_map(|name| engine(name).transpose()).collect::<Result<_>>()?,
        isas: args.isa.iter().filter_map(|name| isa(name).transpose()).collect::<Result<_>>()?,
        rounds: args.rounds.into(),
        seed: args.seed,
        every: args.every as usize,
        at_least: args.at_least as usize,
        processor_time: args.cpu_time,
        time: (!time.is_zero()).then_some(time),
        baseline: args.baseline.as_deref().map(baseline).transpose()?.flatten(),
    })
}

/// An engine, or an engine and an instruction set with a colon between.
fn baseline(text: &str) -> Result<Option<(EngineKind, Option<Isa>)>> {
    let (kind, set) = text.split_once(':').map_or((text, None), |(kind, set)| (kind, Some(set)));
    let set = set.map(isa).transpose()?.flatten();
    Ok(engine(kind)?.map(|kind| (kind, set)))
}

fn output_options(args: &OutputArgs) -> Result<OutputOptions> {
    let field = |name: &String| {
        Field::from_name(name.trim())
            .ok_or_else(|| Error::usage(format!("--fields: there is no field {name}\n{}", describe_fields())))
    };
    Ok(OutputOptions {
        format: OutputFormat::from_name(&args.output_format)
            .ok_or_else(|| Error::usage(format!("there is no output format {}", args.output_format)))?,
        fields: args.fields.iter().map(field).collect::<Result<_>>()?,
        header: !args.no_header,
        echo_id: args.echo_id,
        ..OutputOptions::default()
    })
}

fn limits(args: &SearchArgs) -> Result<Limits> {
    let guard = (!args.no_limit).then_some(GUARD_NODES);
    let time = args.time_limit.as_deref().map(|text| duration("--time-limit", text)).transpose()?;
    let memory = args.memory.as_deref().map(|text| size("--memory", text)).transpose()?;
    Ok(Limits { nodes: args.node_limit.or(guard), time, memory })
}

/// Files of the command line as sources; nothing is standard input.
pub(super) fn sources(files: &[PathBuf]) -> Vec<Source> {
    if files.is_empty() {
        return vec![Source::Stdin];
    }
    files.iter().map(Source::from_argument).collect()
}

/// Statuses by their names.
pub(super) fn statuses(option: &str, names: &[String]) -> Result<Vec<Status>> {
    let find = |name: &String| {
        Status::from_word(name.trim()).ok_or_else(|| {
            let all: Vec<_> = Status::ALL.iter().map(|status| status.word()).collect();
            Error::usage(format!("{option}: there is no status {name}; there are {}", all.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn format(name: &str) -> Result<Format> {
    Format::from_name(name).ok_or_else(|| {
        let all: Vec<_> = Format::all().map(|(format, _)| format.name()).collect();
        Error::usage(format!("--format: there is no format {name}; there are {}", all.join(", ")))
    })
}

/// An engine by its name; `None` for `auto`.
pub(super) fn engine(name: &str) -> Result<Option<EngineKind>> {
    if name == "auto" {
        return Ok(None);
    }
    EngineKind::from_name(name).map(Some).ok_or_else(|| {
        let all: Vec<_> = ENGINES.iter().map(|info| info.name).collect();
        Error::usage(format!("--engine: there is no engine {name}; there are auto, {}", all.join(", ")))
    })
}

/// An instruction set by its name; `None` for `auto`.
pub(super) fn isa(name: &str) -> Result<Option<Isa>> {
    if name == "auto" {
        return Ok(None);
    }
    name.parse().map(Some)
}

fn blank(character: char) -> Result<u8> {
    u8::try_from(character)
        .ok()
        .filter(|byte| byte.is_ascii_graphic() || *byte == b' ')
        .ok_or_else(|| Error::usage(format!("--blank: {character:?} is no printable ASCII character")))
}

/// Rows and columns of a box.
pub(super) fn box_shape(text: &str) -> Result<(usize, usize)> {
    let shape =
        text.split_once(['x', 'X']).and_then(|(rows, columns)| rows.parse().ok().zip(columns.parse().ok()));
    shape.ok_or_else(|| Error::usage(format!("--box: {text} is not rows x columns, such as 2x3")))
}

/// How often a checkpoint is written.
pub(super) fn checkpoint_every(args: &OutputArgs) -> Result<Duration> {
    duration("--checkpoint-every", &args.checkpoint_every)
}

fn audit_interval(text: &str) -> Result<u64> {
    let number = text.strip_prefix("1/").unwrap_or(text).parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Error::usage(format!("--audit: {text} is not 1/N, such as 1/1000")))
}

/// So many threads for one problem; 0 for as many as there are cores.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|cause| ErrorKind::Internal(format!("threads could not be started: {cause}")))?)
}

/// A time such as `250ms`, `10s`, `2m`, `1.5h`; a bare number is seconds.
pub(super) fn duration(option: &str, text: &str) -> Result<Duration> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, unit) =
        UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit))).unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| Error::usage(format!("{option}: {text} is no time, such as 500ms, 10s, 2m or 1h")))
}

/// A number of bytes such as `100k`, `64M`, `2GiB`, in powers of 1024; a bare number is bytes.
pub(super) fn size(option: &str, text: &str) -> Result<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let power = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(1),
        "m" | "mb" | "mib" => Some(2),
        "g" | "gb" | "gib" => Some(3),
        "t" | "tb" | "tib" => Some(4),
        _ => None,
    };
    let bytes = power
        .and_then(|power| number.parse::<u64>().ok()?.checked_mul(1u64 << (10 * power)))
        .filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| Error::usage(format!("{option}: {text} is no size, such as 500k, 64M or 2G")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let read = |text| duration("--time-limit", text).map(|time| time.as_millis()).ok();
        assert_eq!(
            [read("250ms"), read("10s"), read("2m"), read("3")],
            [Some(250), Some(10_000), Some(120_000), Some(3000)]
        );
        assert_eq!([read("-1s"), read("soon"), read(""), read("inf")], [None; 4]);
    }

    #[test]
    fn sizes_have_units() {
        let read = |text| size("--memory", text).ok();
        assert_eq!(
            [read("700"), read("3k"), read("64M"), read("2GiB"), read("1 tb"), read("9b")],
            [Some(700), Some(3 << 10), Some(64 << 20), Some(2 << 30), Some(1 << 40), Some(9)]
        );
        for wrong in ["", "0", "k", "-1", "1.5G", "7x", "7kk", "7ib", "99999999999999999999", "99999999999T"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn boxes_and_audits_are_read_strictly() {
        assert_eq!(box_shape("2x3").unwrap(), (2, 3));
        assert!(box_shape("6").is_err() && box_shape("2x").is_err());
        assert_eq!((audit_interval("1/50").unwrap(), audit_interval("7").unwrap()), (50, 7));
        assert!(audit_interval("2/3").is_err() && audit_interval("1/0").is_err());
    }
}
