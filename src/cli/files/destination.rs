//! Files that are opened before the work and written as a whole after it, and text that is read as a whole.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Opened, Target, named, standard_output, write_opened};
use crate::cli::args::WriteArgs;
use quadrille_formats::input::Source;
use quadrille_model::{Error, Result};

/// Where a verb writes its one result: a file that is open already, so that a folder that cannot be written is told before the work.
pub(crate) enum Destination {
    Standard,
    File(PathBuf, Opened),
}

impl Destination {
    /// Opens a file; standard output if there is no name, or `-`.
    ///
    /// # Errors
    /// As for [`Target::create`].
    pub(crate) fn open(path: Option<&Path>, how: WriteArgs) -> Result<Self> {
        match named(path) {
            Some(path) => Ok(Destination::File(path.to_owned(), Target::create(path, how)?)),
            None => Ok(Destination::Standard),
        }
    }

    /// Writes the whole, and gives a file its name. A reader of standard output that went away is no error.
    ///
    /// # Errors
    /// What goes wrong with writing.
    pub(crate) fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        match self {
            Destination::File(path, opened) => write_opened(&path, opened, write),
            Destination::Standard => {
                let mut out = standard_output()?;
                match write(&mut out).and_then(|()| out.flush()) {
                    Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
                        Err(Error::io("writing", "-", 0, cause))
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Reads a text file of `most` bytes at most, unpacked where it is compressed, as outputs may be.
///
/// # Errors
/// What the system says, text that is no UTF-8 among it; a longer file.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String> {
    let failed = |cause| Error::io("reading", path, 0, cause);
    let mut text = String::new();
    let stream = Box::new(File::open(path).map_err(failed)?);
    let file = Source::Stream { name: path.display().to_string(), stream }.open_unpacked()?;
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(Error::usage(format!("{} has more than {most} bytes", path.display())));
    }
    Ok(text)
}
