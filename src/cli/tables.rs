//! Writes rows to Parquet and Arrow files. Without the feature `parquet`, returns an error instead.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::files;
#[cfg(feature = "parquet")]
use quadrille_batch::Query;
use quadrille_batch::stats::Statistics;
use quadrille_batch::{BatchOptions, CommitRows};
#[cfg(feature = "parquet")]
use quadrille_formats::input::PassthroughColumns;
use quadrille_formats::input::Source;
use quadrille_formats::output::OutputFormat;
#[cfg(feature = "parquet")]
use quadrille_formats::output::{
    ArrowFile, BatchSink, OutputOptions, ParquetFile, ParquetParts, TableOutput,
};
use quadrille_model::{Result, shown, usage};

/// Returns true if a name asks for a directory of parts, which needs the feature `parquet`.
pub(super) fn is_directory(path: &Path) -> bool {
    cfg!(feature = "parquet") && path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// A table that receives the rows of a run.
pub(super) struct TableRows {
    #[cfg(feature = "parquet")]
    output: TableOutput,
    /// The opened input, if both the run and the table read it.
    source: Option<Source>,
    /// True if the input is a table whose columns are copied to the output.
    is_passthrough: bool,
    /// True if the input is a table in a pipe, which can be read only once.
    is_piped: bool,
}

/// The table, if that is the output format, and the writer of rows.
pub(super) type Rows = (Option<TableRows>, Box<dyn Write + Send>);

/// Returns the writer of a run's rows. If the output is a table, the writer fills one whose bytes go to `out`. `next`
/// is the 1-based input number of the first record to come.
///
/// # Errors
/// Returns an error for a table on a terminal, for a build without tables, or for inputs that do not fit into one table.
pub(super) fn rows(
    out: Box<dyn Write + Send>,
    to: Option<&Path>,
    inputs: &[PathBuf],
    options: &BatchOptions,
    next: u64,
) -> Result<Rows> {
    if !options.output.format.is_table() {
        return Ok((None, out));
    }
    if let Some(packing) = files::named(to).and_then(files::packing_of) {
        let (name, ending) = (options.output.format.name(), packing.ending());
        return Err(usage!("{name} is always compressed: leave .{ending} out"));
    }
    let is_stream = files::named(to).is_none_or(|path| path.metadata().is_ok_and(|about| !about.is_file()));
    if files::named(to).is_none() && std::io::stdout().is_terminal() {
        let name = options.output.format.name();
        return Err(usage!("{name} is binary and not written to a terminal: use -o FILE"));
    }
    #[cfg(not(feature = "parquet"))]
    return unsupported(options, (is_stream, inputs, next));
    #[cfg(feature = "parquet")]
    open(inputs, options, next, To::File(out, is_stream))
}

/// Returns the writer of rows to the parts of a directory. `known` is the number of rows that an earlier run wrote there.
///
/// # Errors
/// Returns an error as [`rows`] does, for another format than Parquet, or if there are parts already.
pub(super) fn parts(
    directory: &Path,
    inputs: &[PathBuf],
    options: &BatchOptions,
    known: Option<u64>,
    next: u64,
) -> Result<Rows> {
    if options.output.format != OutputFormat::Parquet {
        let (path, name) = (shown::path(directory), options.output.format.name());
        return Err(usage!("{path} is a directory: parts are Parquet files, not {name}"));
    }
    #[cfg(not(feature = "parquet"))]
    return unsupported(options, (inputs, known, next));
    #[cfg(feature = "parquet")]
    open(inputs, options, next, To::Parts(directory, known))
}

/// Destination of a table.
#[cfg(feature = "parquet")]
enum To<'a> {
    /// A file or a stream; the flag is true for a stream.
    File(Box<dyn Write + Send>, bool),
    /// The parts of a directory, with the number of rows already written.
    Parts(&'a Path, Option<u64>),
}

/// Returns the error of a build without tables.
#[cfg(not(feature = "parquet"))]
fn unsupported<U>(options: &BatchOptions, _unused: U) -> Result<Rows> {
    let name = options.output.format.name();
    Err(usage!(
        "this build cannot write {name}: cargo install --path . --features parquet, or pip install ./python"
    ))
}

#[cfg(feature = "parquet")]
fn open(inputs: &[PathBuf], options: &BatchOptions, next: u64, to: To<'_>) -> Result<Rows> {
    let is_stdin = match inputs {
        [] => true,
        [one] => files::is_stream(one),
        _ => false,
    };
    let (source, passthrough) = if matches!(options.ask, Query::Augment(_)) {
        // Each record has several rows, each with another puzzle.
        (None, None)
    } else if is_stdin {
        let (source, passthrough) = PassthroughColumns::of_stream(Source::Stdin)?;
        (Some(source), passthrough)
    } else {
        (None, PassthroughColumns::of_files(inputs)?)
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
    let BatchOptions { memory, threads, .. } = *options;
    let sink: Box<dyn BatchSink> = match (to, options.output.format) {
        (To::Parts(directory, known), _) => Box::new(ParquetParts::new(directory, known, memory, threads)?),
        (To::File(out, _), OutputFormat::Parquet) => Box::new(ParquetFile::new(out, memory, threads)),
        (To::File(out, is_stream), _) => Box::new(ArrowFile::new(out, is_stream)),
    };
    let offset = options.index_offset;
    let numbers = (1 + offset, next + offset);
    let columns = OutputOptions { passthrough: is_passthrough, ..options.output_options() };
    let output = TableOutput::new(columns, about(options), passthrough, numbers, sink);
    let table =
        TableRows { output: output.clone(), source, is_passthrough, is_piped: is_stdin && is_passthrough };
    Ok((Some(table), Box::new(output)))
}

/// Returns the metadata that is known before the run.
#[cfg(feature = "parquet")]
fn about(options: &BatchOptions) -> Vec<(String, String)> {
    let words = options.words().join(" ");
    [("q_version", env!("CARGO_PKG_VERSION")), ("q_options", &words)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

impl TableRows {
    /// Returns true if columns of the input are copied to the output.
    pub(super) fn is_passthrough(&self) -> bool {
        self.is_passthrough
    }

    /// Returns true if the input is a table in a pipe.
    pub(super) fn is_piped(&self) -> bool {
        self.is_piped
    }

    /// Takes the input that is already open, if there is one.
    pub(super) fn take_source(&mut self) -> Option<Source> {
        self.source.take()
    }

    /// Returns a function that completes the rows written so far, for checkpoints.
    #[cfg(feature = "parquet")]
    pub(super) fn seal(&self) -> CommitRows {
        let output = self.output.clone();
        Box::new(move || output.seal())
    }

    #[cfg(not(feature = "parquet"))]
    pub(super) fn seal(&self) -> CommitRows {
        Box::new(|| Ok(()))
    }

    /// Ends the table and adds metadata about the run.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    #[cfg(feature = "parquet")]
    pub(super) fn finish(self, statistics: &Statistics) -> Result<()> {
        let records = statistics.totals.records_in.to_string();
        let checksum = format!("{:032x}", statistics.checksum());
        let about = [("q_records", records), ("q_checksum", checksum)];
        self.output.finish(&about.map(|(key, value)| (key.to_owned(), value)))
    }

    #[cfg(not(feature = "parquet"))]
    pub(super) fn finish(self, _: &Statistics) -> Result<()> {
        Ok(())
    }
}
