//! Sources of bytes.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::decompress;
use super::table::batches::TableBatches;
use quadrille_files::streams::{StandardInput, Stream};
use quadrille_model::{Error, ErrorKind, Location};

/// A source from which records are read.
#[non_exhaustive]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, a named pipe or a device.
    File(PathBuf),
    /// Bytes in memory.
    Bytes {
        /// Name shown in messages.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Arrow batches, in memory or streamed. All batches must have the schema of the reader.
    Batches {
        /// Name shown in messages.
        name: String,
        /// The batches.
        batches: TableBatches,
    },
    /// Grids as bytes. Each cell is one byte, with 0 for an empty cell. The grids follow each other without a
    /// gap.
    Numbers {
        /// Name shown in messages.
        name: String,
        /// Side of the grids.
        side: usize,
        /// The numbers.
        numbers: Box<dyn Read + Send>,
    },
    /// Any other stream.
    Stream {
        /// Name shown in messages.
        name: String,
        /// The stream.
        stream: Box<dyn Read + Send>,
    },
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.name())
    }
}

impl Source {
    /// Returns the source that a command-line argument names.
    ///
    /// `-` is standard input, and anything else is a path.
    pub fn from_argument(argument: impl Into<PathBuf>) -> Self {
        let path = argument.into();
        if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) }
    }

    /// Returns the name shown in messages, which is `-` for standard input.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => "-".to_owned(),
            Source::File(path) => path.display().to_string(),
            Source::Bytes { name, .. } | Source::Stream { name, .. } => name.clone(),
            Source::Batches { name, .. } | Source::Numbers { name, .. } => name.clone(),
        }
    }

    /// Returns the size in bytes, or `None` if it is not known before reading.
    ///
    /// The size is known for regular files and for bytes in memory.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Source::File(path) => {
                path.metadata().ok().filter(|about| about.is_file()).map(|about| about.len())
            }
            Source::Bytes { bytes, .. } => Some(bytes.len() as u64),
            _ => None,
        }
    }

    /// Reads the source into memory if it has at most `most` bytes and all of them can be read without
    /// waiting.
    ///
    /// Regular files can be read without waiting. Standard input can be if it is a regular file, or a pipe
    /// that no process writes to any more. Any other source is returned unchanged.
    pub(super) fn fetch(self, most: usize) -> Self {
        match &self {
            // System files such as those in /proc report size 0, and reading them may block.
            Source::File(path) if self.size().is_some_and(|size| size > 0 && size <= most as u64) => {
                let mut bytes = Vec::new();
                let read =
                    File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
                match read {
                    Ok(_) if bytes.len() <= most => Source::Bytes { name: self.name(), bytes },
                    _ => self,
                }
            }
            Source::Stdin if is_input_at_hand(most) => {
                let (name, mut bytes) = (self.name(), Vec::new());
                let Ok(mut input) = StandardInput::open() else { return self };
                match input.by_ref().take(most as u64 + 1).read_to_end(&mut bytes) {
                    // Longer or compressed input stays a stream, because its text may have any length.
                    Ok(_) if bytes.len() <= most && decompress::is_plain(&bytes) => {
                        Source::Bytes { name, bytes }
                    }
                    _ => Source::Stream { name, stream: Box::new(io::Cursor::new(bytes).chain(input)) },
                }
            }
            _ => self,
        }
    }

    /// Opens the source and decompresses it if it is compressed.
    ///
    /// # Errors
    /// Returns an error if the source cannot be opened or read. Also returns an error if the source must be
    /// converted first, because it is an archive or text in another encoding.
    pub fn open_unpacked(self) -> Result<Box<dyn Read + Send>, Error> {
        let name = self.name();
        decompress::open(self.open()?).map_err(|cause| {
            let cause = decompress::hint_of(&cause, &name).map_or(cause, io::Error::other);
            Error::io("reading", name, 0, cause)
        })
    }

    pub(super) fn open(self) -> Result<Box<dyn Read + Send>, Error> {
        Ok(match self {
            Source::Stdin => match StandardInput::open() {
                Ok(input) => Box::new(input),
                Err(cause) => return Err(Error::io("reading", "standard input", 0, cause)),
            },
            Source::File(path) => {
                let require_open = Stream::Input.require_open_as(&path);
                require_open.map_err(|cause| Error::io("reading", &path, 0, cause))?;
                let file = File::open(&path).map_err(|cause| Error::io("opening", &path, 0, cause))?;
                if file.metadata().is_ok_and(|about| about.is_dir()) {
                    let cause = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a file");
                    return Err(Error::io("reading", &path, 0, cause));
                }
                Box::new(file)
            }
            Source::Bytes { bytes, .. } => Box::new(io::Cursor::new(bytes)),
            Source::Stream { stream, .. } => stream,
            Source::Batches { .. } | Source::Numbers { .. } => unreachable!("read as a table"),
        })
    }
}

/// Stream that counts the bytes read through it.
pub(super) struct Counted<R> {
    pub(super) raw: R,
    pub(super) read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.raw.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.raw.seek(to)
    }
}

/// Returns the error for a source that cannot be read any further.
///
/// The error gives the position as a record number, a line number and an offset in bytes.
pub(super) fn unreadable(
    source: &Arc<str>,
    (record, line, byte): (u64, u64, u64),
    reason: impl Into<String>,
) -> Error {
    let place = Location { source: Arc::clone(source), record, line, byte };
    ErrorKind::Input { place, reason: reason.into() }.into()
}

/// Returns true if standard input has at most `most` bytes left and all can be read without waiting.
#[cfg(unix)]
fn is_input_at_hand(most: usize) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FileType, fstat, tell};
    let input = rustix::stdio::stdin();
    let Ok(about) = fstat(input) else { return false };
    match FileType::from_raw_mode(about.st_mode) {
        FileType::RegularFile => {
            let size = u64::try_from(about.st_size).unwrap_or_default();
            tell(input).is_ok_and(|passed| size > passed && size - passed <= most as u64)
        }
        FileType::Fifo => {
            let mut polled = [PollFd::new(&input, PollFlags::IN)];
            poll(&mut polled, Some(&Timespec::default())).is_ok()
                && polled[0].revents().contains(PollFlags::HUP)
                && rustix::io::ioctl_fionread(input).is_ok_and(|bytes| bytes <= most as u64)
        }
        _ => false,
    }
}

/// Returns false, because this system cannot report how many bytes are available.
#[cfg(not(unix))]
fn is_input_at_hand(_most: usize) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_existing_files_are_fetched() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("short"), "12345").unwrap();
        std::fs::write(path("empty"), "").unwrap();
        let is_fetched = |name: &str, most| match Source::File(path(name)).fetch(most) {
            Source::Bytes { name: known, bytes } => {
                assert_eq!((known, &bytes[..]), (path(name).display().to_string(), &b"12345"[..]));
                true
            }
            Source::File(same) => {
                assert_eq!(same, path(name));
                false
            }
            other => panic!("{other:?}"),
        };
        assert!(is_fetched("short", 5));
        assert!(!is_fetched("short", 4));
        assert!(!is_fetched("empty", 5) && !is_fetched("none", 5) && !is_fetched("", 1 << 20));
    }
}
