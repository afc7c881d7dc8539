//! Files that are opened before the work and written as a whole after it, and text that is read as a whole.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Opened, Target, named, standard_output, write_opened};
use crate::cli::args::WriteArgs;
use quadrille_formats::input::Source;
use quadrille_model::{Error, Result, usage};

/// Output of a verb with one result. Its file is opened before the work, so that an unwritable directory is reported
/// immediately.
pub(crate) enum Destination {
    Standard,
    File(PathBuf, Opened),
}

impl Destination {
    /// Opens a file, or standard output if there is no name or `-`.
    ///
    /// # Errors
    /// Returns an error as [`Target::create`] does.
    pub(crate) fn open(path: Option<&Path>, how: WriteArgs) -> Result<Self> {
        match named(path) {
            Some(path) => Ok(Destination::File(path.to_owned(), Target::create(path, how)?)),
            None => Ok(Destination::Standard),
        }
    }

    /// Writes the whole result and gives the file its name. Ignores a closed standard output.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        match self {
            Destination::File(path, opened) => write_opened(&path, opened, write),
            Destination::Standard => {
                let mut out = standard_output()?;
                match write(&mut out).and_then(|()| out.flush()) {
                    Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
                        Err(Error::io("writing", "standard output", 0, cause))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Reads a text file of at most `most` bytes. Decompresses it if needed, because outputs may be compressed.
///
/// # Errors
/// Returns an error if the file cannot be read, is not UTF-8, or is longer.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String> {
    let failed = |cause| Error::io("reading", path, 0, cause);
    let mut text = String::new();
    let stream = Box::new(File::open(path).map_err(failed)?);
    let file = Source::Stream { name: path.display().to_string(), stream }.open_unpacked()?;
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(usage!("{} has more than {most} bytes", path.display()));
    }
    Ok(text)
}
