//! Sources of bytes, and the thread that reads them ahead.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::decompress;
use crate::error::{Error, ErrorKind, Location};

/// Bytes that one read asks for.
pub(super) const BLOCK_BYTES: usize = 256 << 10;
/// Bytes kept free at the front of a block, for the end of the block before it.
pub(super) const HEADROOM: usize = 4 << 10;
/// Blocks read ahead of the cutter.
const BLOCKS_AHEAD: usize = 4;
/// Used blocks that are kept.
const SPARE_BLOCKS: usize = 2 * BLOCKS_AHEAD;

/// An input.
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file, a named pipe or a device.
    File(PathBuf),
    /// Bytes in memory.
    Bytes {
        /// Its name in messages.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Any other stream.
    Stream {
        /// Its name in messages.
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
    /// A source as a command line names it: `-` is standard input, everything else a file.
    pub fn from_argument(argument: impl Into<PathBuf>) -> Self {
        let path = argument.into();
        if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) }
    }

    /// Returns its name in messages; `-` for standard input.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => "-".to_owned(),
            Source::File(path) => path.display().to_string(),
            Source::Bytes { name, .. } | Source::Stream { name, .. } => name.clone(),
        }
    }

    /// Its size where that is known before reading: regular files and bytes in memory.
    fn size(&self) -> Option<u64> {
        match self {
            Source::File(path) => {
                path.metadata().ok().filter(|about| about.is_file()).map(|about| about.len())
            }
            Source::Bytes { bytes, .. } => Some(bytes.len() as u64),
            Source::Stdin | Source::Stream { .. } => None,
        }
    }

    fn open(self) -> Result<Box<dyn Read + Send>, Error> {
        Ok(match self {
            Source::Stdin => Box::new(io::stdin()),
            Source::File(path) => {
                let file = File::open(&path).map_err(|cause| Error::io("opening", &path, 0, cause))?;
                if file.metadata().is_ok_and(|about| about.is_dir()) {
                    let cause = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a file");
                    return Err(Error::io("reading", &path, 0, cause));
                }
                Box::new(file)
            }
            Source::Bytes { bytes, .. } => Box::new(io::Cursor::new(bytes)),
            Source::Stream { stream, .. } => stream,
        })
    }
}

/// The number of bytes read so far; cheap to copy, and readable from any thread.
#[derive(Debug, Clone)]
pub struct ReadProgress {
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl ReadProgress {
    /// Bytes read from all sources so far, as they are stored (compressed ones before decompression).
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes of all sources, where every one of them is a regular file or in memory.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total
    }
}

/// The messages of the reading thread to the reader.
pub(super) enum Event {
    /// A source begins.
    Open(Arc<str>),
    /// Some of its decompressed bytes, behind [`HEADROOM`] bytes that mean nothing.
    Block(Vec<u8>),
    /// It has ended, well or not.
    End(Result<(), Error>),
}

/// The reading thread, seen from the other side.
pub(super) struct Feed {
    pub(super) events: Receiver<Event>,
    /// Used blocks, the last one used on top: it is the one most likely to be in a cache.
    spare: Arc<Mutex<Vec<Vec<u8>>>>,
    pub(super) progress: ReadProgress,
}

impl Feed {
    /// Starts reading all sources, one after the other. The thread ends by itself when the receiver is gone.
    pub(super) fn start(sources: Vec<Source>) -> Self {
        let (to_cutter, events) = bounded(BLOCKS_AHEAD);
        let spare = Arc::new(Mutex::new(Vec::with_capacity(SPARE_BLOCKS)));
        let used = Arc::clone(&spare);
        let total = sources.iter().map(Source::size).sum();
        let progress = ReadProgress { read: Arc::default(), total };
        let read = Arc::clone(&progress.read);
        let run = move || {
            for source in sources {
                let name: Arc<str> = source.name().into();
                if to_cutter.send(Event::Open(Arc::clone(&name))).is_err() {
                    return;
                }
                let Some(result) = read_source(source, &name, &read, &to_cutter, &used) else {
                    return;
                };
                if to_cutter.send(Event::End(result)).is_err() {
                    return;
                }
            }
        };
        // Without a thread the channel closes at once, and the reader reports that reading failed.
        let _ = thread::Builder::new().name("quadrille-read".into()).spawn(run);
        Feed { events, spare, progress }
    }

    /// Takes a used block back.
    pub(super) fn recycle(&self, block: Vec<u8>) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_BLOCKS {
            spare.push(block);
        }
    }
}

/// Reads a source to its end; `None` when the receiver is gone.
fn read_source(
    source: Source,
    name: &Arc<str>,
    read: &Arc<AtomicU64>,
    to_cutter: &Sender<Event>,
    spare: &Mutex<Vec<Vec<u8>>>,
) -> Option<Result<(), Error>> {
    let raw = match source.open() {
        Ok(raw) => Counted { raw, read: Arc::clone(read) },
        Err(error) => return Some(Err(error)),
    };
    let failed = |byte: u64, cause: io::Error| match decompress::hint_of(&cause, name) {
        Some(reason) => {
            let place = Location { source: Arc::clone(name), record: 0, line: 1, byte };
            ErrorKind::Input { place, reason }.into()
        }
        None => Error::io("reading", &**name, byte, cause),
    };
    let mut stream = match decompress::open(raw) {
        Ok(stream) => stream,
        Err(cause) => return Some(Err(failed(0, cause))),
    };
    let mut done = 0;
    loop {
        let mut block = spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        block.resize(HEADROOM + BLOCK_BYTES, 0);
        match stream.read(&mut block[HEADROOM..]) {
            Ok(0) => return Some(Ok(())),
            Ok(bytes) => {
                block.truncate(HEADROOM + bytes);
                done += bytes as u64;
                to_cutter.send(Event::Block(block)).ok()?;
            }
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Some(Err(failed(done, cause))),
        }
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    raw: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.raw.read(buffer)?;
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}
