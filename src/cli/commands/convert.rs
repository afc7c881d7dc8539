//! `convert`: records in another format, and an account of what that had no place for.

use std::path::Path;

use anyhow::Result;

use super::answer;
use crate::cli::args::{ConvertArgs, ConvertOutputArgs, ConvertRunArgs, OutputArgs, RunArgs, SearchArgs};
use crate::cli::files::{self, Files};
use crate::cli::messages::say;
use crate::cli::values::{self, Converted, Unwritten};
use crate::cli::{config, tables};
use quadrille_batch::{Ask, OnError};
use quadrille_formats::input::InputOptions;
use quadrille_formats::output::{Conversion, OutputFormat};
use quadrille_model::Error;
use quadrille_model::Geometry;

pub(super) fn convert(args: ConvertArgs) -> Result<u8> {
    let ConvertOutputArgs { empty, digits, delimiter, bare, lossy, .. } = args.output;
    let (format, text, name) = format_of(&args.output)?;
    let tab = ends_with(args.output.to.out.as_deref(), ".tsv").then_some(b'\t');
    let conversion = Conversion {
        empty: empty.unwrap_or(b'.'),
        digits,
        delimiter: delimiter.or(tab.filter(|_| format == OutputFormat::Csv)),
        marks: args.input.marks,
        bare,
        lossy,
        ..Conversion::new(name, text)
    };
    conversion.validate()?;
    let args = run_args(args, format);
    answer::require_apart(&args, Files::default())?;
    let options = config::batch_options(&args, Ask::Convert(conversion))?;
    if !args.report.quiet {
        tell_box(&options.input);
    }
    answer::answer(&args, &args.files, options, &[])
}

/// The format that is written: the one that was named, else by the name of the file, else lines.
fn format_of(args: &ConvertOutputArgs) -> Result<Converted> {
    if let Some(format) = args.output_format {
        return Ok(format);
    }
    let path = files::named(args.to.out.as_deref());
    let is_packed = [".gz", ".zst"].into_iter().any(|ending| ends_with(path, ending));
    if is_packed {
        let reason =
            "nothing is written compressed: leave -o out, and say '| gzip > FILE' or '| zstd -o FILE'";
        return Err(Error::usage(reason).into());
    }
    if let Some(format) = path.and_then(tables::format_of) {
        return Ok(values::converted_of(format.name()).unwrap_or(values::LINE));
    }
    const ENDINGS: [(&str, &str); 10] = [
        (".csv", "csv"),
        (".tsv", "csv"),
        (".jsonl", "jsonl"),
        (".ndjson", "jsonl"),
        (".sdk", "sdk"),
        (".ss", "framed"),
        (".iss", "iss"),
        (".sdm", "line"),
        (".txt", "line"),
        ("", "line"),
    ];
    let name = ENDINGS.iter().find(|(ending, _)| ends_with(path, ending) || ending.is_empty());
    Ok(name.and_then(|(_, name)| values::converted_of(name)).unwrap_or(values::LINE))
}

/// True if a file's name ends so, letters in either case.
fn ends_with(path: Option<&Path>, ending: &str) -> bool {
    let name = path.and_then(Path::file_name).map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name.ends_with(ending))
}

/// The arguments of a run that answers records, for one that writes them.
fn run_args(args: ConvertArgs, format: OutputFormat) -> RunArgs {
    let ConvertArgs { files, input, output, run, report } = args;
    let ConvertOutputArgs {
        to, no_header, ends, rejects, on_error, max_rejects, line_buffered, keep, ..
    } = output;
    let ConvertRunArgs { pool, bounds } = run;
    let on_error = match on_error {
        Unwritten::Tell => OnError::Row,
        Unwritten::Skip => OnError::Skip,
        Unwritten::Fail => OnError::Fail,
    };
    let output = OutputArgs {
        to,
        output_format: Some(format),
        fields: Vec::new(),
        no_header,
        ends,
        echo_id: false,
        only: Vec::new(),
        rejects,
        on_error,
        max_rejects,
        unordered: false,
        line_buffered,
        keep,
    };
    let search = SearchArgs {
        engine: None,
        isa: None,
        pool,
        node_limit: None,
        no_limit: false,
        time_limit: None,
        bounds,
        timings: false,
        audit: None,
    };
    RunArgs { files, input, output, search, report }
}

/// Says that no text tells the shape of boxes, where it is not the usual one of the side.
fn tell_box(input: &InputOptions) {
    if let Some((rows, columns)) = input.box_shape
        && Geometry::default_box(rows * columns) != Some((rows, columns))
    {
        say!(
            "quadrille: boxes of {rows}x{columns} stand in no format: read the output with --box {rows}x{columns}"
        );
    }
}
