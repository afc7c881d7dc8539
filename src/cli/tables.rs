//! Writes rows to Parquet and Arrow files.

// Without the feature `parquet`, the command line differs only in this module and in the text of `--version`.
#[cfg_attr(not(feature = "parquet"), path = "tables/unsupported.rs")]
mod table_rows;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::files;
use quadrille_batch::BatchOptions;
use quadrille_formats::output::OutputFormat;
use quadrille_model::{Result, shown, usage};
pub(super) use table_rows::TableRows;

/// Returns true if a path ends with `/`. Such a path asks for a directory with several files, which are the
/// parts of a table. Without support for tables, always returns false.
pub(super) fn is_directory(path: &Path) -> bool {
    table_rows::IS_SUPPORTED && path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// The writer of rows. If the output format is a table, the first value is the table that receives the rows.
pub(super) type Rows = (Option<TableRows>, Box<dyn Write + Send>);

/// Returns the writer for the output rows of a run. If the output is a table, the writer fills a table whose
/// bytes go to `out`. `next` is the 1-based number of the first input record to be answered.
///
/// # Errors
/// Returns an error for a table on a terminal, for a build without tables, or for inputs that do not fit into
/// one table.
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
    table_rows::open_file(inputs, options, next, out, is_stream)
}

/// Returns the writer of rows to a directory. The table there consists of several files, called parts.
/// `known` is the number of rows that an earlier run wrote there.
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
    table_rows::open_parts(inputs, options, next, directory, known)
}
