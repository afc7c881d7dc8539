//! Opens output files before the work begins, and writes each file in one piece when the work is done. This
//! module also reads whole text files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Opened, Target, named, standard_output, write_opened};
use crate::cli::args::WriteArgs;
use quadrille_formats::input::Source;
use quadrille_model::{Error, Result, usage};

/// Output of a command that writes one result at its end. The file is opened before the work begins, so that
/// an unwritable directory is reported immediately.
pub(crate) enum Destination {
    Standard,
    File(PathBuf, Opened),
}

impl Destination {
    /// Opens the output file `path`, or standard output if `path` is missing or `-`.
    ///
    /// # Errors
    /// Returns an error as [`Target::create`] does.
    pub(crate) fn open(path: Option<&Path>, how: WriteArgs) -> Result<Self> {
        match named(path) {
            Some(path) => Ok(Destination::File(path.to_owned(), Target::create(path, how)?)),
            None => Ok(Destination::Standard),
        }
    }

    /// Writes the whole result, then renames the file to its final name. If the reader has closed standard
    /// output, ignores the error.
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

/// Reads a text file of at most `most` bytes. Decompresses it if needed, because this program may have
/// written it compressed.
///
/// # Errors
/// Returns an error if the file cannot be read, is not UTF-8, or is longer than `most` bytes.
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
