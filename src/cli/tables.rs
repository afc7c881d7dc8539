//! Rows that go into Parquet and Arrow files: with the feature `parquet`, and the word about it without.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::files;
#[cfg(feature = "parquet")]
use quadrille_batch::Ask;
use quadrille_batch::stats::Statistics;
use quadrille_batch::{BatchOptions, Seal};
#[cfg(feature = "parquet")]
use quadrille_formats::input::Carried;
use quadrille_formats::input::Source;
use quadrille_formats::output::OutputFormat;
#[cfg(feature = "parquet")]
use quadrille_formats::output::{
    ArrowFile, BatchSink, OutputOptions, ParquetFile, ParquetParts, TableOutput,
};
use quadrille_model::shown;
use quadrille_model::{Error, Result};

/// True for a name that asks for a directory of parts, where a build has them.
pub(super) fn is_directory(path: &Path) -> bool {
    cfg!(feature = "parquet") && path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// A table that the rows of a run go into.
pub(super) struct TableRows {
    #[cfg(feature = "parquet")]
    output: TableOutput,
    /// The input, where it was opened for both.
    source: Option<Source>,
    /// The input is a table, whose columns go to the output as they are.
    is_carried: bool,
    /// It is one that can be read once.
    is_piped: bool,
}

/// Rows, and the table that they go into where that is their format.
pub(super) type Rows = (Option<TableRows>, Box<dyn Write + Send>);

/// Takes the rows of a run into a table, if that is their format; the bytes of the table go where those of the rows would.
/// `next` is the number of the first record whose rows come, of those in the input, from 1.
///
/// # Errors
/// A table for a terminal; a build that writes none; inputs that do not go into one table.
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
        return Err(Error::usage(format!("{name} is compressed inside: leave .{ending} out")));
    }
    let is_stream = files::named(to).is_none_or(|path| path.metadata().is_ok_and(|about| !about.is_file()));
    if files::named(to).is_none() && std::io::stdout().is_terminal() {
        let name = options.output.format.name();
        return Err(Error::usage(format!("{name} is no text for a terminal: say -o FILE")));
    }
    #[cfg(not(feature = "parquet"))]
    return unsupported(options, (is_stream, inputs, next));
    #[cfg(feature = "parquet")]
    open(inputs, options, next, To::File(out, is_stream))
}

/// Takes the rows of a run into the parts of a directory; `known` are the rows that an earlier run wrote there.
///
/// # Errors
/// As [`rows`]; another format than Parquet; parts that are there already.
pub(super) fn parts(
    directory: &Path,
    inputs: &[PathBuf],
    options: &BatchOptions,
    known: Option<u64>,
    next: u64,
) -> Result<Rows> {
    if options.output.format != OutputFormat::Parquet {
        let (path, name) = (shown::path(directory), options.output.format.name());
        return Err(Error::usage(format!("{path} is a directory: parts are Parquet files, not {name}")));
    }
    #[cfg(not(feature = "parquet"))]
    return unsupported(options, (inputs, known, next));
    #[cfg(feature = "parquet")]
    open(inputs, options, next, To::Parts(directory, known))
}

/// Where a table goes.
#[cfg(feature = "parquet")]
enum To<'a> {
    /// Into a file, or a stream.
    File(Box<dyn Write + Send>, bool),
    /// Into the parts of a directory, where so many rows are known.
    Parts(&'a Path, Option<u64>),
}

/// What a build without tables says.
#[cfg(not(feature = "parquet"))]
fn unsupported<U>(options: &BatchOptions, _unused: U) -> Result<Rows> {
    let name = options.output.format.name();
    Err(Error::usage(format!(
        "this build writes no {name}: cargo install --path . --features parquet, or pip install ./python"
    )))
}

#[cfg(feature = "parquet")]
fn open(inputs: &[PathBuf], options: &BatchOptions, next: u64, to: To<'_>) -> Result<Rows> {
    let is_stdin = match inputs {
        [] => true,
        [one] => files::is_stream(one),
        _ => false,
    };
    let (source, carried) = if is_stdin {
        let (source, carried) = Carried::of_stream(Source::Stdin)?;
        (Some(source), carried)
    } else {
        (None, Carried::of_files(inputs)?)
    };
    if let (Some(_), Ask::Convert(conversion)) = (&carried, options.ask)
        && !conversion.bare
        && (conversion.empty != b'.' || conversion.digits.is_some() || !options.input.rules.is_empty())
    {
        return Err(Error::usage(
            "columns of a table go into a table as they stand: --empty, --digits and --rules are for other formats, or with --bare",
        ));
    }
    let is_carried = carried.is_some();
    let BatchOptions { memory, threads, .. } = *options;
    let sink: Box<dyn BatchSink> = match (to, options.output.format) {
        (To::Parts(directory, known), _) => Box::new(ParquetParts::new(directory, known, memory, threads)?),
        (To::File(out, _), OutputFormat::Parquet) => Box::new(ParquetFile::new(out, memory, threads)),
        (To::File(out, is_stream), _) => Box::new(ArrowFile::new(out, is_stream)),
    };
    let offset = options.index_offset;
    let numbers = (1 + offset, next + offset);
    let columns = OutputOptions { carried: is_carried, ..options.output_options() };
    let output = TableOutput::new(columns, about(options), carried, numbers, sink);
    let table = TableRows { output: output.clone(), source, is_carried, is_piped: is_stdin && is_carried };
    Ok((Some(table), Box::new(output)))
}

/// Words about a run that are known before it.
#[cfg(feature = "parquet")]
fn about(options: &BatchOptions) -> Vec<(String, String)> {
    let words = options.words().join(" ");
    [("q_version", env!("CARGO_PKG_VERSION")), ("q_options", &words)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

impl TableRows {
    /// Returns true if columns of the input go to the output as they are.
    pub(super) fn is_carried(&self) -> bool {
        self.is_carried
    }

    /// True for a table that comes through a pipe.
    pub(super) fn is_piped(&self) -> bool {
        self.is_piped
    }

    /// The input, where it can be read once only and was opened already.
    pub(super) fn take_source(&mut self) -> Option<Source> {
        self.source.take()
    }

    /// Returns what makes the rows so far complete, for checkpoints.
    #[cfg(feature = "parquet")]
    pub(super) fn seal(&self) -> Seal {
        let output = self.output.clone();
        Box::new(move || output.seal())
    }

    #[cfg(not(feature = "parquet"))]
    pub(super) fn seal(&self) -> Seal {
        Box::new(|| Ok(()))
    }

    /// Ends the table, with what is known of the run.
    ///
    /// # Errors
    /// What goes wrong with writing.
    #[cfg(feature = "parquet")]
    pub(super) fn finish(self, statistics: &Statistics) -> Result<()> {
        let records = statistics.records_in.to_string();
        let checksum = format!("{:032x}", statistics.checksum());
        let about = [("q_records", records), ("q_checksum", checksum)];
        self.output.finish(&about.map(|(key, value)| (key.to_owned(), value)))
    }

    #[cfg(not(feature = "parquet"))]
    pub(super) fn finish(self, _: &Statistics) -> Result<()> {
        Ok(())
    }
}
