//! Files a run writes: beside their final name first, renamed when complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file being written.
pub(super) struct Target {
    path: PathBuf,
    /// Where the bytes go until the file is complete; `None` for devices and pipes, which are written directly.
    partial: Option<PathBuf>,
}

impl Target {
    /// Opens a target for writing.
    ///
    /// # Errors
    /// A file that cannot be created, a directory, or one of the inputs.
    pub(super) fn create(path: &Path, inputs: &[PathBuf]) -> Result<(Self, Box<dyn Write + Send>)> {
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
            return Ok((Target { path: path.to_owned(), partial: None }, Box::new(BufWriter::new(file))));
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        let partial = PathBuf::from(name);
        let file = File::create(&partial).map_err(|cause| opened(&partial, cause))?;
        Ok((Target { path: path.to_owned(), partial: Some(partial) }, Box::new(BufWriter::new(file))))
    }

    /// Gives the complete file its name.
    pub(super) fn complete(self) -> Result<()> {
        let Some(partial) = self.partial else { return Ok(()) };
        fs::rename(&partial, &self.path).map_err(|cause| Error::io("renaming", partial, 0, cause))
    }

    /// Where the incomplete file stays; `None` for devices and pipes.
    pub(super) fn left_at(&self) -> Option<&Path> {
        self.partial.as_deref()
    }
}

/// Whether two names lead to one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b && fs::metadata(&a).is_ok_and(|about| about.is_file()),
        _ => false,
    }
}

/// Writes a whole file at once, beside its name first.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let (target, mut file) = Target::create(path, &[])?;
    file.write_all(bytes)
        .and_then(|()| file.flush())
        .map_err(|cause| Error::io("writing", path, 0, cause))?;
    drop(file);
    target.complete()
}

/// Standard output, buffered here and not by line.
pub(super) fn standard_output() -> Box<dyn Write + Send> {
    Box::new(BufWriter::with_capacity(64 << 10, io::stdout()))
}

/// Prints to standard output; a reader that went away is no error.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => Err(Error::io("writing", "-", 0, cause)),
        _ => Ok(()),
    }
}
