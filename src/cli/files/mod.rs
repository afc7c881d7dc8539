//! The files of a command: checks their names, opens them, and gives an output file its final name only when
//! it is complete.

mod destination;
mod endings;
mod open_file;
mod path_conflicts;
mod target;

use std::io::{BufWriter, Write};
use std::path::Path;

pub(super) use destination::{Destination, read_report, read_text};
pub(super) use endings::{OutputFile, Said, packing_of};
pub(super) use path_conflicts::FileUses;
pub(super) use target::{Opened, Target, remove_empty};

use super::args::WriteArgs;
use quadrille_files::streams::StandardWriter;
use quadrille_model::{Error, Result};

/// Opens the file that `-o` names. Opens standard output if there is no name or the name is `-`.
///
/// # Errors
/// Returns an error as [`Target::create`] and [`standard_output`] do.
pub(super) fn open_rows(
    path: Option<&Path>,
    how: WriteArgs,
) -> Result<(Option<Target>, Box<dyn Write + Send>)> {
    match named(path) {
        Some(path) => Target::create(path, how).map(|(target, out)| (Some(target), out)),
        None => Ok((None, standard_output()?)),
    }
}

/// File name `-`. As an input, it means standard input. As an output, it means standard output.
const STREAM: &str = "-";

/// Returns true if the name means a standard stream.
pub(super) fn is_stream(path: &Path) -> bool {
    path == Path::new(STREAM)
}

/// Returns the path of an output file, or `None` if the path is missing or `-`. Both mean standard output.
pub(super) fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !is_stream(path))
}

/// Returns buffered standard output. Ends of lines do not flush the buffer.
///
/// # Errors
/// Returns an error if standard output was closed before the program began, or is open for reading only.
pub(super) fn standard_output() -> Result<Box<dyn Write + Send>> {
    let out = StandardWriter::output().map_err(|cause| Error::io("writing", "standard output", 0, cause))?;
    Ok(Box::new(BufWriter::with_capacity(64 << 10, out)))
}

/// Writes text to standard output. If the reader has closed standard output, ignores the error.
pub(super) fn print(text: &str) -> Result<()> {
    Destination::Standard.write_text(text)
}
