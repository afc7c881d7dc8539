//! An output file that is written under a partial name and renamed when it is complete.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::endings::packing_of;
use super::is_stream;
use super::open_file::OpenFile;
use crate::cli::args::WriteArgs;
use quadrille_batch::TrackedFile;
use quadrille_files::locked_file::{LockedFile, beside, not_replaced, number};
use quadrille_files::streams::Stream;
use quadrille_formats::output::{PackedOutput, Packing};
use quadrille_model::{Error, Result, shown, usage};

/// An output file. If this value is dropped before the file is complete, the file keeps its partial name, or
/// is removed if it is empty.
pub(crate) struct Target {
    path: PathBuf,
    /// The partial file. It is `None` after completion, and for devices and pipes, which are written
    /// directly.
    partial: Option<LockedFile>,
    /// True if the final name must not replace an existing file.
    no_clobber: bool,
    /// True if this run wrote all bytes of the partial file, or resumes the run that wrote them.
    is_own: Arc<AtomicBool>,
    /// Handle of the compressor, or `None` if the file name does not ask for compression.
    packed: Option<PackedOutput>,
}

/// Writes to a partial file. The first write removes the contents that an earlier run left in the file. By
/// then, all files of the run are open. So a run that cannot start removes nothing.
struct PartialWriter {
    /// Handle of the partial file. It is used to detect whether another program changed the length of the
    /// file.
    file: File,
    /// Writes to the same file.
    out: Box<dyn Write + Send>,
    is_own: Arc<AtomicBool>,
}

impl PartialWriter {
    /// Prepares the file for a write. Before the first write, empties the file. Before each later write,
    /// checks that the file ends after the last byte that this run wrote.
    fn make_ready(&self) -> io::Result<()> {
        if self.is_own.swap(true, Ordering::Relaxed) {
            require_unchanged(&self.file)
        } else {
            self.file.set_len(0)
        }
    }
}

/// Checks that a file ends at its write position. The check only detects whether another program changed the
/// length of the file.
fn require_unchanged(mut file: &File) -> io::Result<()> {
    if file.metadata()?.len() == file.stream_position()? {
        return Ok(());
    }
    Err(io::Error::other("another program changed the file meanwhile"))
}

impl Write for PartialWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.make_ready()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A target and its writer.
pub(crate) type Opened = (Target, Box<dyn Write + Send>);

impl Target {
    /// Opens a target for writing.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - The file cannot be created, or the path is a directory.
    /// - Another run is writing the file.
    /// - An earlier run left the file incomplete, and `how.discard_partial` is not set.
    /// - The file exists, and `how.no_clobber` is set.
    /// - The partial name is a link, a device or a pipe.
    pub(crate) fn create(path: &Path, how: WriteArgs) -> Result<Opened> {
        let require_open = Stream::Output.require_open_as(path);
        require_open.map_err(|cause| Error::io("writing", path, 0, cause))?;
        if let Some(stream) = OpenFile::from_path(path) {
            return Ok(Target::straight(path.to_owned(), stream.duplicate(path)?, how));
        }
        let path = resolved(path)?;
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            let file = OpenOptions::new().write(true).open(&path);
            let file = file.map_err(|cause| Error::io("creating", &path, 0, cause))?;
            return Ok(Target::straight(path, file, how));
        }
        let begun = begun();
        let partial = Target::begin(&path, how)?;
        let target = Target::new(path, partial, how, begun);
        let file = target.file()?;
        let writer = target.writer(Box::new(file))?;
        Ok(target.with_packing(Box::new(BufWriter::new(writer)), how, false))
    }

    /// Opens a target without a partial file, for a device, a pipe or a file that is already open.
    fn straight(path: PathBuf, file: File, how: WriteArgs) -> Opened {
        let is_own = Arc::new(AtomicBool::new(true));
        let target = Target { path, partial: None, no_clobber: false, is_own, packed: None };
        target.with_packing(Box::new(BufWriter::new(file)), how, false)
    }

    /// Adds compression to the writer if the file's name asks for it. `is_begun` is true if the file already
    /// contains compressed data.
    fn with_packing(mut self, out: Box<dyn Write + Send>, how: WriteArgs, is_begun: bool) -> Opened {
        let Some(packing) = packing_of(&self.path) else { return (self, out) };
        // Only pipes and devices have no partial file. They are flushed, because a reader may be waiting at
        // the other end of a pipe.
        let flushes = self.partial.is_none();
        let level = how.compression_level.unwrap_or(Packing::LEVEL);
        let packed = PackedOutput::new((packing, level), out, flushes, is_begun);
        self.packed = Some(packed.clone());
        (self, Box::new(packed))
    }

    /// Returns the handle of the compressor, or `None` if the file is not compressed.
    pub(crate) fn packed(&self) -> Option<&PackedOutput> {
        self.packed.as_ref()
    }

    /// Opens and locks the partial file. The file must be empty, unless `how.discard_partial` allows
    /// discarding its contents.
    fn begin(path: &Path, how: WriteArgs) -> Result<LockedFile> {
        if how.no_clobber && path.exists() {
            return Err(not_replaced(path));
        }
        let partial = LockedFile::open(&partial_of(path))?;
        let failed = |cause| Error::io("reading", partial.path(), 0, cause);
        // A second name exists if a user linked the file, or if a run with `--no-clobber` was killed while
        // renaming it.
        require_one_name(&partial)?;
        let bytes = length(&partial).map_err(failed)?;
        if bytes > 0 && !how.discard_partial {
            let partial = shown::path(partial.path());
            return Err(usage!(
                "{partial} is left from an earlier run ({bytes} bytes): move it away, or use --discard-partial"
            ));
        }
        Ok(partial)
    }

    /// Creates the target of a partial file. `begun` is the locked set of partial files, and must have been
    /// locked before the file was opened.
    fn new(path: PathBuf, partial: LockedFile, how: WriteArgs, mut begun: Begun) -> Self {
        let is_own = Arc::new(AtomicBool::new(false));
        begun.insert(partial.path().to_owned());
        Target { path, partial: Some(partial), no_clobber: how.no_clobber, is_own, packed: None }
    }

    fn file(&self) -> Result<File> {
        let partial = self.partial.as_ref().expect("it is not complete");
        partial.file().try_clone().map_err(|cause| Error::io("opening", partial.path(), 0, cause))
    }

    fn writer(&self, out: Box<dyn Write + Send>) -> Result<PartialWriter> {
        Ok(PartialWriter { file: self.file()?, out, is_own: Arc::clone(&self.is_own) })
    }

    /// Opens and locks the output file of a run with a checkpoint. `bytes` is the length that an earlier
    /// checkpoint stored, or `None` if there is no earlier checkpoint. The file does not change until
    /// [`take`](Self::take) is called.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`create`](Self::create), and also if the path is a device or a
    /// pipe.
    pub(crate) fn keep(path: &Path, how: WriteArgs, bytes: Option<u64>) -> Result<Self> {
        let is_open = OpenFile::from_path(path).is_some();
        let path = resolved(path)?;
        if is_open || fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            let what = if is_open { "open already" } else { "a device or a pipe" };
            return Err(usage!("--checkpoint needs files, but {} is {what}", shown::path(&path)));
        }
        let partial = partial_of(&path);
        let begun = begun();
        let is_begun = fs::symlink_metadata(&partial).is_ok();
        let file = match (bytes, fs::metadata(&path)) {
            (None, _) => Target::begin(&path, how)?,
            (Some(_), _) if is_begun => LockedFile::open(&partial)?,
            // The earlier run was killed before it created its output. So if the output exists, it is from a
            // run before the earlier one.
            (Some(0), there) if !there.as_ref().is_ok_and(|there| there.len() == 0) => {
                Target::begin(&path, how)?
            }
            // The earlier run was killed after it renamed its output and before it removed the checkpoint.
            (Some(_), Ok(_)) => LockedFile::open(&path)?,
            (Some(_), Err(_)) => {
                let cause = io::Error::from(io::ErrorKind::NotFound);
                return Err(Error::io("opening", partial, 0, cause));
            }
        };
        if !has_both_names(&file, &path) {
            require_one_name(&file)?;
        }
        Ok(Target::new(path, file, how, begun))
    }

    /// Makes the file ready for writing, after [`keep`](Self::keep) has locked it. The argument `take` is a
    /// function that checks that the file contains all bytes that the checkpoint covers, and cuts off the
    /// rest. The returned writer has no buffer, so that a checkpoint covers everything written.
    ///
    /// # Errors
    /// Returns the error of the argument `take`, or an error if the file cannot be renamed.
    pub(crate) fn take(
        mut self,
        how: WriteArgs,
        take: impl FnOnce(&Path, &File) -> Result<TrackedFile>,
    ) -> Result<Opened> {
        let file = self.partial.as_mut().expect("it is not complete");
        let taken = take(file.path(), file.file())?;
        self.is_own.store(true, Ordering::Relaxed);
        let partial = partial_of(&self.path);
        if file.path() != partial {
            file.rename(&partial, false)?;
        } else if has_both_names(file, &self.path) {
            fs::remove_file(&self.path).map_err(|cause| Error::io("removing", &self.path, 0, cause))?;
        }
        let is_begun = taken.bytes() > 0;
        let writer = self.writer(Box::new(taken))?;
        Ok(self.with_packing(Box::new(writer), how, is_begun))
    }

    /// Renames the complete file to its final name.
    pub(crate) fn complete(mut self) -> Result<()> {
        if let Some(packed) = &self.packed {
            packed.finish().map_err(|cause| Error::io("writing", &self.path, 0, cause))?;
        }
        let Some(mut partial) = self.partial.take() else { return Ok(()) };
        let mut begun = begun();
        begun.remove(partial.path());
        if self.is_own.load(Ordering::Relaxed) {
            // Renaming a large file may take long. The lock is released first, so that the exit after a
            // signal does not wait for it.
            drop(begun);
            let unchanged = require_unchanged(partial.file());
            unchanged.map_err(|cause| Error::io("renaming", partial.path(), 0, cause))?;
        } else {
            // This run wrote nothing. The file may have contents from an earlier run, which are discarded.
            let emptied = partial.file().set_len(0);
            emptied.map_err(|cause| Error::io("emptying", partial.path(), 0, cause))?;
        }
        partial.rename(&self.path, self.no_clobber)
    }

    /// Returns the partial name at which an incomplete file remains. Returns `None` for devices, pipes and
    /// empty files.
    pub(crate) fn left_at(&self) -> Option<&Path> {
        // Ends the compressed data, so that everything written so far can be decompressed. An error here is
        // ignored, because the error that ended the run was already reported.
        let _ = self.packed.as_ref().filter(|packed| packed.is_begun()).map(PackedOutput::finish);
        let partial = self.partial.as_ref().filter(|partial| length(partial).is_ok_and(|bytes| bytes > 0));
        partial.map(LockedFile::path)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let is_left = self.left_at().is_some();
        if let Some(partial) = self.partial.take() {
            let mut begun = begun();
            begun.remove(partial.path());
            if !is_left && partial.path() != self.path {
                // If the empty file cannot be removed, it remains, which is harmless.
                let _ = partial.remove();
            }
        }
    }
}

/// Paths of the partial files that this process has not completed yet. The set is locked whenever an empty
/// file is created or removed.
static BEGUN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

type Begun = MutexGuard<'static, BTreeSet<PathBuf>>;

fn begun() -> Begun {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes empty partial files when the program exits without dropping its targets. Another thread that then
/// tries to create a partial file waits until the program has exited.
pub(crate) fn remove_empty() {
    let is_empty =
        |path: &&PathBuf| fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && about.len() == 0);
    let begun = begun();
    for path in begun.iter().filter(is_empty) {
        // If the file cannot be removed, it stays as an empty file.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(begun);
}

/// Returns true if a file has both its partial and its final name. This happens if a run with `--no-clobber`
/// was killed while it renamed the file.
fn has_both_names(file: &LockedFile, path: &Path) -> bool {
    let numbers = [file.file().metadata(), fs::symlink_metadata(path)].map(|about| number(&about.ok()?));
    file.path() != path && numbers[0].is_some() && numbers[0] == numbers[1]
}

/// Checks that a file has no second name (hard link). Writing to the file would also change the contents
/// under that name.
fn require_one_name(file: &LockedFile) -> Result<()> {
    let failed = |cause| Error::io("reading", file.path(), 0, cause);
    if !file.has_second_name().map_err(failed)? {
        return Ok(());
    }
    let name = shown::path(file.path());
    Err(usage!("{name} has a second name (hard link) and would change under both: remove one of them"))
}

/// Returns the length of a file in bytes.
fn length(file: &LockedFile) -> io::Result<u64> {
    file.file().metadata().map(|about| about.len())
}

/// Returns the name under which a file is written until it is complete.
pub(super) fn partial_of(path: &Path) -> PathBuf {
    beside(path, ".partial")
}

/// Returns the path of the file to write. If `path` is a symbolic link, this is the path of the link's
/// target. So the target is replaced and the link remains.
///
/// # Errors
/// Returns an error for `-`, a directory, or a link to a missing file.
pub(super) fn resolved(path: &Path) -> Result<PathBuf> {
    if is_stream(path) {
        return Err(Error::usage(
            "- is standard output, which has the rows: name a file (./- for a file of that name)",
        ));
    }
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(usage!("{} is a directory", shown::path(path))),
        Ok(about) if about.is_file() && fs::symlink_metadata(path).is_ok_and(|own| own.is_symlink()) => {
            fs::canonicalize(path).map_err(|cause| Error::io("opening", path, 0, cause))
        }
        Err(_) if fs::symlink_metadata(path).is_ok() => {
            Err(usage!("{} is a link to a file that does not exist", shown::path(path)))
        }
        _ => Ok(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_begins_during_an_exit() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("out");
        let partial = partial_of(&path);
        // Holds the lock that an exit after a signal would hold while it removes files.
        let exit = begun();
        std::thread::scope(|scope| {
            let opened =
                scope.spawn(|| Target::create(&path, WriteArgs::default()).map(|(target, _)| target));
            std::thread::sleep(std::time::Duration::from_millis(100));
            assert!(!partial.exists());
            drop(exit);
            let target = opened.join().expect("no panic").expect("opened");
            assert!(partial.exists() && begun().contains(&partial));
            drop(target);
        });
        assert!(!partial.exists() && !begun().contains(&partial));
    }
}
