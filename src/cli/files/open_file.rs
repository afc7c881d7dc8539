//! Names of files that the process already has open, such as `/dev/stdout`.

use std::fs::{self, File};
use std::path::Path;

use quadrille_files::streams::{Descriptor, Stream, descriptor_of};
use quadrille_model::{Error, Result, shown, usage};

/// A regular file that the process already has open, under a name such as `/dev/stdout`. Replacing the file would lose
/// what others write to it before and after the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenFile {
    Output,
    Error,
    /// Another open file; it is unknown whether it can be written.
    Other,
}

impl OpenFile {
    /// Returns the open file that a name leads to, or `None` for other names and for files that are not regular.
    pub(super) fn from_path(path: &Path) -> Option<Self> {
        if !fs::metadata(path).is_ok_and(|about| about.is_file()) {
            return None;
        }
        Some(match descriptor_of(path)? {
            Descriptor::Own(1) => OpenFile::Output,
            Descriptor::Own(2) => OpenFile::Error,
            _ => OpenFile::Other,
        })
    }

    /// Duplicates the descriptor, to write at the position that others share.
    ///
    /// # Errors
    /// Returns an error if the file is not a standard output stream or cannot be duplicated.
    pub(super) fn duplicate(self, path: &Path) -> Result<File> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let file = match self {
                OpenFile::Output => {
                    let usable = Stream::Output.require_usable();
                    usable.map_err(|cause| Error::io("writing", path, 0, cause))?;
                    std::io::stdout().as_fd().try_clone_to_owned()
                }
                OpenFile::Error => std::io::stderr().as_fd().try_clone_to_owned(),
                OpenFile::Other => return Err(refused(path)),
            };
            file.map(File::from).map_err(|cause| Error::io("opening", path, 0, cause))
        }
        #[cfg(not(unix))]
        Err(refused(path))
    }
}

fn refused(path: &Path) -> Error {
    usage!("{} is another name of an open file: use the file's own name", shown::path(path))
}
