//! Names that lead to a file which the process has open already.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Links that are followed from a name.
const MOST_LINKS: usize = 8;

/// A regular file that the process has open, under a name such as `/dev/stdout`. To replace it would lose what others write to
/// it, before and after the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenFile {
    Output,
    Error,
    /// Any other, which cannot be told what it was opened for.
    Other,
}

impl OpenFile {
    /// The one that a name leads to; `None` for other names, and for what is no regular file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        if !fs::metadata(path).is_ok_and(|about| about.is_file()) {
            return None;
        }
        // Standard streams are such links too: /dev/stdout, /proc/self/fd/1.
        let own = fs::canonicalize("/proc/self/fd").ok()?;
        let mut name = path.to_owned();
        for _ in 0..MOST_LINKS {
            let directory = directory_of(&name)?;
            if directory.starts_with("/proc") && directory.ends_with("fd") {
                return Some(match name.file_name()?.to_str()? {
                    "1" if directory == own => OpenFile::Output,
                    "2" if directory == own => OpenFile::Error,
                    _ => OpenFile::Other,
                });
            }
            name = directory.join(fs::read_link(&name).ok()?);
        }
        None
    }

    /// Opens it once more, to write where others do.
    ///
    /// # Errors
    /// A file that is none of the standard streams; what the system says.
    pub(super) fn duplicate(self, path: &Path) -> Result<File> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let file = match self {
                OpenFile::Output => std::io::stdout().as_fd().try_clone_to_owned(),
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
    Error::usage(format!("{} is a file that is open already: give its own name", path.display()))
}

/// The one true name of the directory of a file.
fn directory_of(name: &Path) -> Option<PathBuf> {
    let directory = name.parent().filter(|directory| !directory.as_os_str().is_empty());
    fs::canonicalize(directory.unwrap_or(Path::new("."))).ok()
}
