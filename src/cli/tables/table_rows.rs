//! Writes the rows of a run to tables in Parquet and Arrow files.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::Rows;
use crate::cli::files;
use quadrille_batch::stats::Statistics;
use quadrille_batch::{BatchOptions, CommitRows, Query};
use quadrille_formats::input::{PassthroughColumns, Source};
use quadrille_formats::output::columnar::{ArrowFile, BatchSink, ParquetFile, ParquetParts, TableOutput};
use quadrille_formats::output::{OutputFormat, OutputOptions};
use quadrille_model::{Result, usage};

/// True if this build can write tables.
pub(super) const IS_SUPPORTED: bool = true;

/// A table that receives the rows of a run.
pub(in crate::cli) struct TableRows {
    output: TableOutput,
    /// The opened input source. It is only set if the run and the table both need to read it.
    source: Option<Source>,
    /// True if the input is a table whose columns are copied to the output.
    is_passthrough: bool,
    /// True if the input is a table in a pipe, which can be read only once.
    is_piped: bool,
}

/// Opens a table whose bytes go to `out`.
pub(super) fn open_file(
    inputs: &[PathBuf],
    options: &BatchOptions,
    next: u64,
    out: Box<dyn Write + Send>,
    is_stream: bool,
) -> Result<Rows> {
    open(inputs, options, next, || {
        Ok(match options.output.format {
            OutputFormat::Parquet => Box::new(ParquetFile::new(out, options.memory, options.threads)),
            _ => Box::new(ArrowFile::new(out, is_stream)),
        })
    })
}

/// Opens a table that consists of several files (parts) in a directory. `known` is the number of rows that an
/// earlier run wrote there.
pub(super) fn open_parts(
    inputs: &[PathBuf],
    options: &BatchOptions,
    next: u64,
    directory: &Path,
    known: Option<u64>,
) -> Result<Rows> {
    open(inputs, options, next, || {
        Ok(Box::new(ParquetParts::new(directory, known, options.memory, options.threads)?))
    })
}

/// Opens a table that writes its rows to a sink. The rows are about the records of `inputs`.
fn open(
    inputs: &[PathBuf],
    options: &BatchOptions,
    next: u64,
    sink: impl FnOnce() -> Result<Box<dyn BatchSink>>,
) -> Result<Rows> {
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
    let offset = options.index_offset;
    let numbers = (1 + offset, next + offset);
    let columns = OutputOptions { passthrough: is_passthrough, ..options.output_options() };
    let output = TableOutput::new(columns, about(options), passthrough, numbers, sink()?);
    let table =
        TableRows { output: output.clone(), source, is_passthrough, is_piped: is_stdin && is_passthrough };
    Ok((Some(table), Box::new(output)))
}

/// Returns the metadata that is known before the run.
fn about(options: &BatchOptions) -> Vec<(String, String)> {
    let words = options.words().join(" ");
    [("q_version", env!("CARGO_PKG_VERSION")), ("q_options", &words)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

impl TableRows {
    /// Returns true if columns of the input are copied to the output.
    pub(in crate::cli) fn is_passthrough(&self) -> bool {
        self.is_passthrough
    }

    /// Returns true if the input is a table in a pipe.
    pub(in crate::cli) fn is_piped(&self) -> bool {
        self.is_piped
    }

    /// Removes and returns the input source that is already open, if there is one.
    pub(in crate::cli) fn take_source(&mut self) -> Option<Source> {
        self.source.take()
    }

    /// Returns a function that makes the rows written so far complete on disk. Each checkpoint calls this
    /// function.
    pub(in crate::cli) fn seal(&self) -> CommitRows {
        let output = self.output.clone();
        Box::new(move || output.seal())
    }

    /// Ends the table and adds metadata about the run.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(in crate::cli) fn finish(self, statistics: &Statistics) -> Result<()> {
        let records = statistics.totals.records_in.to_string();
        let checksum = format!("{:032x}", statistics.checksum.0);
        let about = [("q_records", records), ("q_checksum", checksum)];
        self.output.finish(&about.map(|(key, value)| (key.to_owned(), value)))
    }
}
