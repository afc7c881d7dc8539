//! Files a run writes: beside their final name first, renamed when complete.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file being written.
pub(super) struct Target {
    path: PathBuf,
    /// The name of the file until it is complete; `None` for devices and pipes, which are written directly.
    partial: Option<PathBuf>,
}

impl Target {
    /// Opens a target for writing.
    ///
    /// # Errors
    /// A file that cannot be created, a directory, or one of the inputs.
    pub(super) fn create(path: &Path, inputs: &[PathBuf]) -> Result<(Self, Box<dyn Write + Send>)> {
        let (target, file) = Target::open(path, inputs)?;
        Ok((target, Box::new(BufWriter::new(file))))
    }

    fn open(path: &Path, inputs: &[PathBuf]) -> Result<(Self, File)> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Error::usage(format!("{} is a directory", path.display())));
        }
        if let Some(input) = inputs.iter().find(|input| is_same_file(path, input)) {
            return Err(Error::usage(format!("{} is an input: it would be overwritten", input.display())));
        }
        let opened = |path: &Path, cause| Error::io("creating", path, 0, cause);
        if existing.is_some_and(|about| !about.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(|cause| opened(path, cause))?;
            return Ok((Target { path: path.to_owned(), partial: None }, file));
        }
        let partial = partial_of(path);
        let file = File::create(&partial).map_err(|cause| opened(&partial, cause))?;
        Ok((Target { path: path.to_owned(), partial: Some(partial) }, file))
    }

    /// Opens a target of a run with checkpoints: a regular file, of which `bytes` are written and known to a
    /// checkpoint, if there is one. `take` makes sure that they are.
    ///
    /// # Errors
    /// As for [`create`](Self::create); a device or pipe; a file that another run is writing; what `take` says.
    pub(super) fn keep(
        path: &Path,
        inputs: &[PathBuf],
        bytes: Option<u64>,
        take: impl FnOnce(&Path, &File) -> Result<()>,
    ) -> Result<(Self, Box<dyn Write + Send>)> {
        if fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
            let path = path.display();
            return Err(Error::usage(format!("--checkpoint needs files, and {path} is a device or a pipe")));
        }
        let partial = partial_of(path);
        let found = match bytes {
            None => None,
            // Killed between giving the output its name and removing the checkpoint.
            Some(1..) if !partial.exists() && path.exists() => Some(path),
            // Killed before the output was created.
            Some(0) if !partial.exists() => None,
            Some(_) => Some(&*partial),
        };
        let (target, file, found) = match found {
            None => {
                let (target, file) = Target::open(path, inputs)?;
                (target, file, &*partial)
            }
            Some(found) => {
                let file = OpenOptions::new().read(true).write(true).open(found);
                let file = file.map_err(|cause| Error::io("opening", found, 0, cause))?;
                (Target { path: path.to_owned(), partial: Some(partial.clone()) }, file, found)
            }
        };
        // Where files cannot be locked, nothing protects against two runs at once.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::usage(format!("another run is writing {}", found.display())));
        }
        take(found, &file)?;
        if found != partial {
            fs::rename(found, &partial).map_err(|cause| Error::io("renaming", found, 0, cause))?;
        }
        Ok((target, Box::new(BufWriter::new(file))))
    }

    /// Gives the complete file its name.
    pub(super) fn complete(self) -> Result<()> {
        let Some(partial) = self.partial else { return Ok(()) };
        fs::rename(&partial, &self.path).map_err(|cause| Error::io("renaming", partial, 0, cause))
    }

    /// The path of the incomplete file; `None` for devices and pipes.
    pub(super) fn left_at(&self) -> Option<&Path> {
        self.partial.as_deref()
    }
}

/// Returns the name that a file has until it is complete: its own with `.partial` behind it.
fn partial_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// True if both names lead to the same regular file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b && fs::metadata(&a).is_ok_and(|about| about.is_file()),
        _ => false,
    }
}

/// Writes a whole file, beside its name first; to standard output where it has no name. There a reader that went away is
/// no error.
pub(super) fn write_to(
    path: Option<&Path>,
    inputs: &[PathBuf],
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let Some(path) = path else {
        let mut out = standard_output();
        return match write(&mut out).and_then(|()| out.flush()) {
            Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::io("writing", "-", 0, cause))
            }
            _ => Ok(()),
        };
    };
    let (target, mut out) = Target::create(path, inputs)?;
    let written = write(&mut out).and_then(|()| out.flush());
    written.map_err(|cause| Error::io("writing", path, 0, cause))?;
    drop(out);
    target.complete()
}

/// As [`write_to`], for bytes of a file.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_to(Some(path), &[], |out| out.write_all(bytes))
}

/// Standard output, buffered here and not by line.
pub(super) fn standard_output() -> Box<dyn Write + Send> {
    Box::new(BufWriter::with_capacity(64 << 10, io::stdout()))
}

/// As [`write_to`], for text of standard output.
pub(super) fn print(text: &str) -> Result<()> {
    write_to(None, &[], |out| out.write_all(text.as_bytes()))
}
