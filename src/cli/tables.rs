//! Writes rows to Parquet and Arrow files.

// Without the feature `parquet`, the command line differs only in this module and in the text of `--version`.
#[cfg_attr(not(feature = "parquet"), path = "tables/unsupported.rs")]
mod table_rows;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::files;
use quadrille_batch::stats::Statistics;
use quadrille_batch::{BatchOptions, CommitRows};
use quadrille_formats::input::Source;
use quadrille_formats::output::OutputFormat;
use quadrille_model::{Result, shown, usage};

type EndTable = Box<dyn FnOnce(&Statistics) -> Result<()>>;

/// A table that receives the rows of a run.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(super) struct TableRows {
    /// The opened input source. It is only set if the run and the table both need to read it.
    pub(super) source: Option<Source>,
    /// True if the input is a table whose columns are copied to the output.
    pub(super) is_passthrough: bool,
    /// True if the input is a table in a pipe, which can be read only once.
    pub(super) is_piped: bool,
    /// Makes the rows written so far complete on disk, before a checkpoint is written. `None` after a
    /// checkpoint has taken it.
    pub(super) seal: Option<CommitRows>,
    /// Ends the table and adds metadata about the run.
    pub(super) finish: EndTable,
}

/// The place of a table.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
enum Place<'p> {
    /// One file, whose bytes go to the writer. The flag is true for a pipe or a device.
    File(Box<dyn Write + Send>, bool),
    /// A directory with several files, called parts, and the number of rows that an earlier run wrote there.
    Parts(&'p Path, Option<u64>),
}

/// Returns true if a path ends with `/`. Such a path asks for a directory with several files, which are the
/// parts of a table. Without support for tables, always returns false.
pub(super) fn is_directory(path: &Path) -> bool {
    table_rows::IS_SUPPORTED && path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// The writer of rows. If the output format is a table, the first value is the table that receives the rows.
pub(super) type Rows = (Option<TableRows>, Box<dyn Write + Send>);

/// Returns the writer for the output rows of a run. If the output is a table, the writer fills a table whose
/// bytes go to `out`.
///
/// # Errors
/// Returns an error for a table on a terminal, for a build without tables, or for inputs that do not fit into
/// one table.
pub(super) fn rows(
    out: Box<dyn Write + Send>,
    to: Option<&Path>,
    inputs: &[PathBuf],
    options: &BatchOptions,
) -> Result<Rows> {
    if !options.output.format.is_table() {
        return Ok((None, out));
    }
    let (name, to) = (options.output.format.name(), files::named(to));
    if let Some(packing) = to.and_then(files::packing_of) {
        return Err(usage!("{name} is always compressed: leave .{} out", packing.ending()));
    }
    if to.is_none() && std::io::stdout().is_terminal() {
        return Err(usage!("{name} is binary and not written to a terminal: use -o FILE"));
    }
    let is_stream = to.is_none_or(|path| path.metadata().is_ok_and(|about| !about.is_file()));
    table_rows::open(inputs, options, 1, Place::File(out, is_stream))
}

/// Returns the writer of rows to a directory. The table there consists of several files, called parts.
/// `known` is the number of rows that an earlier run wrote there, and `next` the 1-based number of the first
/// input record to be answered.
///
/// # Errors
/// Returns an error in the same cases as [`rows`]. Also returns an error if the format is not Parquet, or if
/// the directory already contains parts.
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
    table_rows::open(inputs, options, next, Place::Parts(directory, known))
}
