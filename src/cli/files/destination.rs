//! Opens output files before the work begins, and writes each file in one piece when the work is done. This
//! module also reads whole text files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Opened, Target, named, standard_output};
use crate::cli::args::WriteArgs;
use quadrille_files::text_file::REPORT_BYTES;
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
        named(path).map_or(Ok(Destination::Standard), |path| Destination::create(path, how))
    }

    /// Opens an output file.
    ///
    /// # Errors
    /// Returns an error as [`Target::create`] does.
    pub(crate) fn create(path: &Path, how: WriteArgs) -> Result<Self> {
        Ok(Destination::File(path.to_owned(), Target::create(path, how)?))
    }

    /// Writes the whole result, then renames the file to its final name. If the reader has closed standard
    /// output, ignores the error.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        match self {
            Destination::File(path, (target, mut out)) => {
                let written = write(&mut out).and_then(|()| out.flush());
                written.map_err(|cause| Error::io("writing", path, 0, cause))?;
                drop(out);
                target.complete()
            }
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

    /// Writes text as [`write`](Self::write) does.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub(crate) fn write_text(self, text: &str) -> Result<()> {
        self.write(|out| out.write_all(text.as_bytes()))
    }
}

/// Reads a file of statistics or of results of `bench`. Returns its name for messages, and its text.
///
/// # Errors
/// Returns an error as [`read_text`] does.
pub(crate) fn read_report(path: &Path) -> Result<(String, String)> {
    Ok((path.display().to_string(), read_text(path, REPORT_BYTES)?))
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
