//! Writes the rows of a run to tables in Parquet and Arrow files.

use std::path::PathBuf;

use super::{Place, Rows, TableRows};
use crate::cli::files;
use quadrille_batch::stats::Statistics;
use quadrille_batch::{BatchOptions, Query};
use quadrille_formats::input::{PassthroughColumns, Source};
use quadrille_formats::output::columnar::{ArrowFile, BatchSink, ParquetFile, ParquetParts, TableOutput};
use quadrille_formats::output::{OutputFormat, OutputOptions};
use quadrille_model::{Result, usage};

/// True if this build can write tables.
pub(super) const IS_SUPPORTED: bool = true;

/// Opens a table for rows about the records of `inputs`. `next` is the 1-based number of the first record to
/// be answered.
pub(super) fn open(inputs: &[PathBuf], options: &BatchOptions, next: u64, place: Place<'_>) -> Result<Rows> {
    let is_stdin = match inputs {
        [] => true,
        [one] => files::is_stream(one),
        _ => false,
    };
    let (source, passthrough) = if matches!(options.ask, Query::Augment(_)) {
        // Each input record produces several rows with different puzzles. So the columns of the input cannot
        // be copied to the output.
        (None, None)
    } else if is_stdin {
        let (source, passthrough) = PassthroughColumns::of_stream(Source::Stdin)?;
        (Some(source), passthrough)
    } else {
        (None, PassthroughColumns::of_files(inputs, options.memory)?)
    };
    if let (Some(_), Query::Convert(conversion)) = (&passthrough, options.ask)
        && !conversion.bare
        && (conversion.empty != b'.' || conversion.digits.is_some() || !options.input.rules.is_empty())
    {
        return Err(usage!(
            "columns are copied unchanged from table to table: use --to-blank, --to-symbols and --rules with --bare or another format",
        ));
    }
    let is_passthrough = passthrough.is_some();
    let (memory, threads, offset) = (options.memory, options.threads, options.index_offset);
    let numbers = (1 + offset, next + offset);
    let columns = OutputOptions { passthrough: is_passthrough, ..options.output_options() };
    let sink: Box<dyn BatchSink> = match place {
        Place::File(out, _) if options.output.format == OutputFormat::Parquet => {
            Box::new(ParquetFile::new(out, memory, threads))
        }
        Place::File(out, is_stream) => Box::new(ArrowFile::new(out, is_stream)),
        Place::Parts(directory, known) => Box::new(ParquetParts::new(directory, known, memory, threads)?),
    };
    let words = options.words().join(" ");
    let known = about([("q_version", env!("CARGO_PKG_VERSION")), ("q_options", &words)]);
    let output = TableOutput::new(columns, known.into(), passthrough, numbers, sink);
    let (sealed, finished) = (output.clone(), output.clone());
    let finish = move |statistics: &Statistics| {
        let records = statistics.totals.records_in.to_string();
        let checksum = format!("{:032x}", statistics.checksum.0);
        finished.finish(&about([("q_records", &records), ("q_checksum", &checksum)]))
    };
    let table = TableRows {
        source,
        is_passthrough,
        is_piped: is_stdin && is_passthrough,
        seal: Some(Box::new(move || sealed.seal())),
        finish: Box::new(finish),
    };
    Ok((Some(table), Box::new(output)))
}

/// Returns the metadata of a table.
fn about(pairs: [(&str, &str); 2]) -> [(String, String); 2] {
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned()))
}
