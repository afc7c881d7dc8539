//! Recognises names such as `/dev/stdout`, which lead to files that this process already has open. These
//! files must not be replaced.

use std::fs::{self, File};
use std::path::Path;

use quadrille_files::streams::{Descriptor, Stream, descriptor_of};
use quadrille_model::{Error, Result, shown, usage};

/// A regular file that the process already has open, reached under a name such as `/dev/stdout`. Other
/// programs may write to the same file before and after the run. Replacing the file would lose what they
/// wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenFile {
    Output,
    Error,
    /// An open file other than standard output and standard error. It cannot be used as an output.
    Other,
}

impl OpenFile {
    /// Returns the open file that a name such as `/dev/stdout` leads to. Returns `None` for other names and
    /// for files that are not regular.
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

    /// Duplicates the file descriptor. The duplicate shares its write position with other programs that have
    /// the same descriptor, so writes continue where those programs stopped.
    ///
    /// # Errors
    /// Returns an error if the file is not standard output or standard error, or if it cannot be duplicated.
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
