//! Files that a command writes, none of which it reads.

mod apart;
mod destination;
mod endings;
mod open_file;
mod target;

use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(super) use apart::Files;
pub(super) use destination::{Destination, read_text};
pub(super) use endings::{OutputFile, Said, packing_of};
pub(super) use target::{Opened, Target, remove_empty};

use super::args::WriteArgs;
use quadrille_model::streams::StandardWriter;
use quadrille_model::{Error, Result};

/// Writes what was opened to its end, and gives the complete file its name.
pub(super) fn write_opened(
    path: &Path,
    (target, mut out): Opened,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let written = write(&mut out).and_then(|()| out.flush());
    written.map_err(|cause| Error::io("writing", path, 0, cause))?;
    drop(out);
    target.complete()
}

/// Opens the file for `-o`, or standard output where there is none, or `-`.
///
/// # Errors
/// As for [`Target::create`] and [`standard_output`].
pub(super) fn open_rows(
    path: Option<&Path>,
    how: WriteArgs,
) -> Result<(Option<Target>, Box<dyn Write + Send>)> {
    match named(path) {
        Some(path) => Target::create(path, how).map(|(target, out)| (Some(target), out)),
        None => Ok((None, standard_output()?)),
    }
}

/// The name of standard input among inputs, and of standard output among outputs.
const STREAM: &str = "-";

/// True for the name of a standard stream.
pub(super) fn is_stream(path: &Path) -> bool {
    path == Path::new(STREAM)
}

/// Returns the path unless it stands for standard output.
pub(super) fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !is_stream(path))
}

/// Standard output, buffered here and not by line.
///
/// # Errors
/// One that was closed before the program began, or is open for reading only: what is written would be lost.
pub(super) fn standard_output() -> Result<Box<dyn Write + Send>> {
    let out = StandardWriter::output().map_err(|cause| Error::io("writing", "standard output", 0, cause))?;
    Ok(Box::new(BufWriter::with_capacity(64 << 10, out)))
}

/// Writes text to standard output. A reader that went away is no error.
pub(super) fn print(text: &str) -> Result<()> {
    Destination::Standard.write(|out| out.write_all(text.as_bytes()))
}
