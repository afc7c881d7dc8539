//! `convert` and `augment`: write records in another format, or write images of them (equivalent puzzles).
//! Both report which values the format cannot hold.

use anyhow::Result;

use super::answer::{self, RecordRun};
use super::sheet;
use crate::cli::args::{AugmentArgs, ConvertArgs, ConvertOutputArgs, OutputArgs, RunArgs, SearchArgs};
use crate::cli::files::{self, FileUses, OutputFile, Said};
use crate::cli::messages::say;
use crate::cli::value_parsers::{self, Column, Converted};
use crate::cli::{config, tables};
use crate::report::SheetFormat;
use quadrille_batch::{Augmentation, Query};
use quadrille_formats::input::InputOptions;
use quadrille_formats::output::{Conversion, OutputFormat};
use quadrille_model::canonical::Parts;
use quadrille_model::{Geometry, usage};

pub(super) fn convert(args: &ConvertArgs) -> Result<u8> {
    match format_of(&args.output, value_parsers::LINE)?.0 {
        (.., name @ "html") => return sheet::write(args, SheetFormat::Html, name),
        (.., name @ "svg") => return sheet::write(args, SheetFormat::Svg, name),
        _ => {}
    }
    rewrite(args.clone(), value_parsers::LINE, Vec::new(), Query::Convert)
}

pub(super) fn augment(args: &AugmentArgs) -> Result<u8> {
    let &AugmentArgs { copies, seed, distinct, undo, ref only, ref fields, ref rows } = args;
    let keeps_blank = rows.output.to_blank.is_none();
    let only = if only.is_empty() { Parts::ALL } else { only.iter().copied().collect() };
    rewrite(rows.clone(), value_parsers::AS_INPUT, fields.clone(), |conversion| {
        let mut images = Augmentation::new(conversion, copies);
        (images.keeps_blank, images.seed, images.only) = (keeps_blank, seed, only);
        (images.distinct, images.undo) = (distinct, undo);
        Query::Augment(images)
    })
}

/// Reads puzzles and writes them in the requested format. An option or the name of the output file requests a
/// format. If neither does, the format is `default`.
fn rewrite(
    args: ConvertArgs,
    default: Converted,
    fields: Vec<Column>,
    ask: impl FnOnce(Conversion) -> Query,
) -> Result<u8> {
    let ConvertOutputArgs { to_blank, to_symbols, delimiter, bare, lossy, .. } = args.output;
    let ((format, text, name), said) = format_of(&args.output, default)?;
    if matches!(name, "html" | "svg") {
        return Err(usage!("only convert writes sheets ({name}): convert the output of augment").into());
    }
    if args.output.per_page.is_some() {
        return Err(usage!("--per-page is only for sheets: --to html or svg, not {name}").into());
    }
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
    let args = run_args(args, format, fields);
    answer::check_conflicts(&args, FileUses::default())?;
    let mut options = config::batch_options(&args, ask(conversion))?;
    if matches!(options.ask, Query::Augment(Augmentation { undo: true, .. })) {
        options.input.id_names = answer::MAP_NAMES;
    }
    if !args.report.quiet {
        tell_box(&options.input);
    }
    RecordRun::new(&args, options)?.answer(None)
}

/// Returns the output format. This is the format that the user chose with `--to`, the one that the name of
/// the output file means, or `default`. Also returns the meaning of the file name's suffix.
fn format_of(args: &ConvertOutputArgs, default: Converted) -> Result<(Converted, Option<Said>)> {
    let path = args.to.out.as_deref();
    let said = OutputFile::CONVERTED.said(path, args.output_format.is_some())?;
    let is_directory = files::named(path).is_some_and(tables::is_directory);
    let name = match said {
        Some(Said::Lines) => "line",
        Some(Said::Framed) => "framed",
        Some(Said::Tsv) => "csv",
        Some(said) => said.ending(),
        None if is_directory => "parquet",
        None => "",
    };
    let of_name = value_parsers::converted_of(name).unwrap_or(default);
    Ok((args.output_format.unwrap_or(of_name), said))
}

/// Converts the arguments of `convert` or `augment` to the arguments of a run that answers records.
fn run_args(args: ConvertArgs, format: OutputFormat, fields: Vec<Column>) -> RunArgs {
    let ConvertArgs { files, input, output, pool, bounds, report } = args;
    let ConvertOutputArgs { to, lines, rejects, on_error, max_rejects, line_buffered, keep, .. } = output;
    let output = OutputArgs {
        to,
        output_format: Some(format),
        fields,
        lines,
        rejects,
        on_error,
        max_rejects,
        line_buffered,
        keep,
        ..OutputArgs::default()
    };
    let search = SearchArgs { pool, bounds, ..SearchArgs::default() };
    RunArgs { files, input, output, search, report }
}

/// Prints a warning if boxes have an unusual shape, because no output format can hold the shape.
fn tell_box(input: &InputOptions) {
    if let Some((rows, columns)) = input.box_shape
        && Geometry::default_box(rows * columns) != Some((rows, columns))
    {
        say!("quadrille: no format holds the shape of boxes: read the output with --box {rows}x{columns}");
    }
}
