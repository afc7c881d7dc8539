//! A file that a run writes: beside its final name first, renamed when complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::is_stream;
use crate::cli::args::WriteArgs;
use crate::error::{Error, Result};
use crate::locked::{LockedFile, beside, not_replaced};

/// A file being written. One that is dropped before it is complete stays under its partial name, unless it is empty.
pub(in crate::cli) struct Target {
    path: PathBuf,
    /// The file that holds the bytes until it is complete; `None` for devices and pipes, which are written directly.
    partial: Option<LockedFile>,
    /// An existing file of the name is kept.
    no_clobber: bool,
}

/// A target and what writes to it.
pub(in crate::cli) type Opened = (Target, Box<dyn Write + Send>);

impl Target {
    /// Opens a target for writing.
    ///
    /// # Errors
    /// A file that cannot be created, that another run is writing or has left incomplete, or that is to be kept; a
    /// directory; a partial name that is a link, a device or a pipe.
    pub(in crate::cli) fn create(path: &Path, how: WriteArgs) -> Result<Opened> {
        let path = resolved(path)?;
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            let file = OpenOptions::new().write(true).open(&path);
            let file = file.map_err(|cause| Error::io("creating", &path, 0, cause))?;
            let target = Target { path, partial: None, no_clobber: false };
            return Ok((target, Box::new(BufWriter::new(file))));
        }
        let partial = Target::begin(&path, how)?;
        Target::opened(path, partial, how)
    }

    /// Locks a partial file that holds nothing.
    fn begin(path: &Path, how: WriteArgs) -> Result<LockedFile> {
        if how.no_clobber && path.exists() {
            return Err(not_replaced(path));
        }
        let partial = LockedFile::open(&partial_of(path))?;
        let bytes = length(&partial).map_err(|cause| Error::io("reading", partial.path(), 0, cause))?;
        if bytes > 0 && !how.discard_partial {
            let partial = partial.path().display();
            return Err(Error::usage(format!(
                "{partial} is what an earlier run left ({bytes} bytes): move it away, or say --discard-partial"
            )));
        }
        partial.file().set_len(0).map_err(|cause| Error::io("emptying", partial.path(), 0, cause))?;
        Ok(partial)
    }

    fn opened(path: PathBuf, partial: LockedFile, how: WriteArgs) -> Result<Opened> {
        let file = partial.file().try_clone();
        let file = file.map_err(|cause| Error::io("opening", partial.path(), 0, cause))?;
        let target = Target { path, partial: Some(partial), no_clobber: how.no_clobber };
        Ok((target, Box::new(BufWriter::new(file))))
    }

    /// Opens a target of a run with checkpoints: a regular file, of which `bytes` are written and known to a
    /// checkpoint, if there is one. `take` makes sure that they are.
    ///
    /// # Errors
    /// As for [`create`](Self::create); a device or pipe; what `take` says.
    pub(in crate::cli) fn keep(
        path: &Path,
        how: WriteArgs,
        bytes: Option<u64>,
        take: impl FnOnce(&Path, &File) -> Result<()>,
    ) -> Result<Opened> {
        let path = resolved(path)?;
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            let path = path.display();
            return Err(Error::usage(format!("--checkpoint needs files, and {path} is a device or a pipe")));
        }
        let partial = partial_of(&path);
        let is_begun = partial.exists();
        let mut file = match bytes {
            None => Target::begin(&path, how)?,
            // Killed before the output was created.
            Some(0) if !is_begun => Target::begin(&path, how)?,
            // Killed between giving the output its name and removing the checkpoint.
            Some(_) if !is_begun && path.exists() => LockedFile::open(&path)?,
            Some(_) if !is_begun => {
                let cause = io::Error::from(io::ErrorKind::NotFound);
                return Err(Error::io("opening", partial, 0, cause));
            }
            Some(_) => LockedFile::open(&partial)?,
        };
        take(file.path(), file.file())?;
        if file.path() != partial {
            file.rename(&partial, false)?;
        }
        Target::opened(path, file, how)
    }

    /// Gives the complete file its name.
    pub(in crate::cli) fn complete(mut self) -> Result<()> {
        let Some(mut partial) = self.partial.take() else { return Ok(()) };
        partial.rename(&self.path, self.no_clobber)
    }

    /// Returns the name under which an incomplete file stays; `None` for devices and pipes, and where nothing was written.
    pub(in crate::cli) fn left_at(&self) -> Option<&Path> {
        let partial = self.partial.as_ref().filter(|partial| length(partial).is_ok_and(|bytes| bytes > 0));
        partial.map(LockedFile::path)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.left_at().is_none()
            && let Some(partial) = self.partial.take()
        {
            // What cannot be removed is an empty file too many.
            let _ = partial.remove();
        }
    }
}

/// Returns the bytes of a file.
fn length(file: &LockedFile) -> io::Result<u64> {
    file.file().metadata().map(|about| about.len())
}

/// Returns the name under which a file is written until it is complete.
pub(super) fn partial_of(path: &Path) -> PathBuf {
    beside(path, ".partial")
}

/// Returns the file that a name leads to: a link is followed, so that what it leads to is replaced and the link stays.
///
/// # Errors
/// `-`, which is no file; a directory; a link that leads nowhere.
pub(super) fn resolved(path: &Path) -> Result<PathBuf> {
    if is_stream(path) {
        return Err(Error::usage(
            "- is standard output, and has the rows: name a file (./- for one of that name)",
        ));
    }
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(Error::usage(format!("{} is a directory", path.display()))),
        Ok(about) if about.is_file() && fs::symlink_metadata(path).is_ok_and(|own| own.is_symlink()) => {
            fs::canonicalize(path).map_err(|cause| Error::io("opening", path, 0, cause))
        }
        Err(_) if fs::symlink_metadata(path).is_ok() => {
            Err(Error::usage(format!("{} is a link that leads nowhere", path.display())))
        }
        _ => Ok(path.to_owned()),
    }
}
