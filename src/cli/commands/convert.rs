//! `convert`: writes records in another format and reports what that format cannot hold.

use anyhow::Result;

use super::answer;
use crate::cli::args::{ConvertArgs, ConvertOutputArgs, ConvertRunArgs, OutputArgs, RunArgs, SearchArgs};
use crate::cli::files::{self, FileUses, OutputFile, Said};
use crate::cli::messages::say;
use crate::cli::value_parsers::{self, Converted, OnUnwritten};
use crate::cli::{config, tables};
use quadrille_batch::{OnError, Query};
use quadrille_formats::input::InputOptions;
use quadrille_formats::output::{Conversion, OutputFormat};
use quadrille_model::Geometry;

pub(super) fn convert(args: ConvertArgs) -> Result<u8> {
    let ConvertOutputArgs { to_blank, to_symbols, delimiter, bare, lossy, .. } = args.output;
    let ((format, text, name), said) = format_of(&args.output)?;
    let tab = (said == Some(Said::Tsv)).then_some(b'\t');
    let conversion = Conversion {
        empty: to_blank.unwrap_or(b'.'),
        digits: to_symbols,
        delimiter: delimiter.or(tab.filter(|_| format == OutputFormat::Csv)),
        marks: args.input.marks,
        bare,
        lossy,
        ..Conversion::new(name, text)
    };
    conversion.validate()?;
    let args = run_args(args, format);
    answer::check_conflicts(&args, FileUses::default())?;
    let options = config::batch_options(&args, Query::Convert(conversion))?;
    if !args.report.quiet {
        tell_box(&options.input);
    }
    answer::answer(&args, &args.files, options, &[])
}

/// Returns the output format: the named one, or the one of the file's ending, or lines.
fn format_of(args: &ConvertOutputArgs) -> Result<(Converted, Option<Said>)> {
    let path = args.to.out.as_deref();
    let said = OutputFile::Converted.said(path, args.output_format.is_some())?;
    let is_directory = files::named(path).is_some_and(tables::is_directory);
    let name = match said {
        Some(Said::Sdk) => "sdk",
        Some(Said::Framed) => "framed",
        Some(Said::Iss) => "iss",
        Some(Said::Csv | Said::Tsv) => "csv",
        Some(Said::Jsonl) => "jsonl",
        Some(Said::Parquet) => "parquet",
        Some(Said::Arrow) => "arrow",
        None if is_directory => "parquet",
        _ => "line",
    };
    let of_name = value_parsers::converted_of(name).unwrap_or(value_parsers::LINE);
    Ok((args.output_format.unwrap_or(of_name), said))
}

/// Returns the arguments of `convert` as those of a run that answers records.
fn run_args(args: ConvertArgs, format: OutputFormat) -> RunArgs {
    let ConvertArgs { files, input, output, run, report } = args;
    let ConvertOutputArgs {
        to, no_header, ends, rejects, on_error, max_rejects, line_buffered, keep, ..
    } = output;
    let ConvertRunArgs { pool, bounds } = run;
    let on_error = match on_error {
        OnUnwritten::Tell => OnError::Row,
        OnUnwritten::Skip => OnError::Skip,
        OnUnwritten::Fail => OnError::Fail,
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
        no_node_limit: false,
        time_limit: None,
        bounds,
        timings: false,
        audit: None,
    };
    RunArgs { files, input, output, search, report }
}

/// Prints a warning if boxes have an unusual shape, which no output format can hold.
fn tell_box(input: &InputOptions) {
    if let Some((rows, columns)) = input.box_shape
        && Geometry::default_box(rows * columns) != Some((rows, columns))
    {
        say!("quadrille: no format holds the shape of boxes: read the output with --box {rows}x{columns}");
    }
}
