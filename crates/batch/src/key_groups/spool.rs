//! Storage for keys and numbers that are written once and read in the same order.
//!
//! A spool is in memory while small, then in a file without a name.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use quadrille_model::{Error, ErrorKind, Result};

/// Maximum number of bytes of an item: a key and two numbers of up to ten bytes, rounded up.
const MAX_ITEM_BYTES: usize = 40;

/// A function that returns true if work should stop because its result is no longer needed.
#[derive(Clone)]
pub struct StopCheck(Arc<dyn Fn() -> bool + Send + Sync>);

impl StopCheck {
    /// Creates a stop from a function, which is called once per some thousand keys.
    pub fn new(is_stopped: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        StopCheck(Arc::new(is_stopped))
    }
}

impl std::fmt::Debug for StopCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stop")
    }
}

/// Directory of temporary files, with their total size.
#[derive(Debug)]
pub(super) struct Scratch {
    directory: PathBuf,
    /// Size of a file's buffer in bytes.
    buffer: usize,
    /// Total bytes of all files.
    now: AtomicU64,
    /// Largest value of `now` so far.
    peak: AtomicU64,
    /// Called whenever a buffer is written to its file or filled from it, which happens often during all long work.
    stop: OnceLock<StopCheck>,
}

impl Scratch {
    /// Creates a directory whose files have buffers of `buffer` bytes.
    pub(super) fn new(directory: &Path, buffer: usize) -> Self {
        let (now, peak) = (AtomicU64::new(0), AtomicU64::new(0));
        Scratch { directory: directory.to_owned(), buffer, now, peak, stop: OnceLock::new() }
    }

    /// Makes all reading and writing fail with [`ErrorKind::Stopped`] once `stop` returns true.
    pub(super) fn stop_by(&self, stop: StopCheck) {
        let _ = self.stop.set(stop);
    }

    fn look_for_stop(&self) -> Result<()> {
        if self.stop.get().is_some_and(|StopCheck(is_stopped)| is_stopped()) {
            return Err(ErrorKind::Stopped.into());
        }
        Ok(())
    }

    /// Returns the size of a file's buffer in bytes.
    pub(super) fn buffer(&self) -> usize {
        self.buffer
    }

    /// Returns the largest total size of all files so far, in bytes.
    pub(super) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    fn error(&self, action: &'static str, byte: u64, cause: std::io::Error) -> Error {
        Error::io(action, &self.directory, byte, cause)
    }
}

/// A file without a name; the system frees its blocks when it is dropped or the process ends.
#[derive(Debug)]
struct TemporaryFile {
    file: File,
    bytes: u64,
    scratch: Arc<Scratch>,
}

impl TemporaryFile {
    fn new(scratch: &Arc<Scratch>) -> Result<Self> {
        let file = tempfile::tempfile_in(&scratch.directory)
            .map_err(|cause| scratch.error("creating a temporary file in", 0, cause))?;
        Ok(TemporaryFile { file, bytes: 0, scratch: scratch.clone() })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_all(bytes);
        written.map_err(|cause| self.scratch.error("writing a temporary file in", self.bytes, cause))?;
        self.bytes += bytes.len() as u64;
        let now = self.scratch.now.fetch_add(bytes.len() as u64, Relaxed) + bytes.len() as u64;
        self.scratch.peak.fetch_max(now, Relaxed);
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        self.scratch.now.fetch_sub(self.bytes, Relaxed);
    }
}

/// Writes keys, numbers and bytes. Their kinds are not stored: the reader must know the order.
#[derive(Debug)]
pub(super) struct Spool {
    scratch: Arc<Scratch>,
    buffer: Vec<u8>,
    file: Option<TemporaryFile>,
}

impl Spool {
    pub(super) fn new(scratch: &Arc<Scratch>) -> Self {
        Spool { scratch: scratch.clone(), buffer: Vec::new(), file: None }
    }

    /// Writes a key of 16 bytes.
    #[inline]
    pub(super) fn key(&mut self, key: u128) -> Result<()> {
        self.make_room()?;
        self.buffer.extend_from_slice(&key.to_le_bytes());
        Ok(())
    }

    /// Writes a number, in one byte per seven bits.
    #[inline]
    pub(super) fn number(&mut self, mut number: u64) -> Result<()> {
        self.make_room()?;
        while number >= 0x80 {
            self.buffer.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.buffer.push(number as u8);
        Ok(())
    }

    /// Writes a byte.
    #[inline]
    pub(super) fn byte(&mut self, byte: u8) -> Result<()> {
        self.make_room()?;
        self.buffer.push(byte);
        Ok(())
    }

    /// Returns a reader for everything written, from the beginning.
    ///
    /// If there is a file, the buffer is freed until the first read.
    pub(super) fn into_replay(mut self) -> Result<Replay> {
        if self.file.is_some() {
            self.flush()?;
            self.buffer = Vec::new();
        }
        self.buffer.shrink_to_fit();
        let end = self.buffer.len();
        let mut replay =
            Replay { scratch: self.scratch, buffer: self.buffer, at: 0, end, file: self.file, read: 0 };
        replay.rewind(0)?;
        Ok(replay)
    }

    #[inline]
    fn make_room(&mut self) -> Result<()> {
        if self.buffer.len() + MAX_ITEM_BYTES > self.scratch.buffer { self.flush() } else { Ok(()) }
    }

    #[cold]
    fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.scratch.look_for_stop()?;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(TemporaryFile::new(&self.scratch)?),
        };
        file.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Reads the entries that a [`Spool`] has written, in the same order, any number of times.
#[derive(Debug)]
pub(super) struct Replay {
    scratch: Arc<Scratch>,
    /// All data if there is no file; otherwise a part of it.
    buffer: Vec<u8>,
    /// Start of the unread part of the buffer.
    at: usize,
    /// End of the unread part of the buffer.
    end: usize,
    file: Option<TemporaryFile>,
    /// Number of bytes of the file that were read into the buffer.
    read: u64,
}

impl Replay {
    /// Reads the next key.
    #[inline]
    pub(super) fn key(&mut self) -> Result<u128> {
        self.look_ahead()?;
        match self.buffer[self.at..self.end].first_chunk() {
            Some(key) => {
                self.at += size_of::<u128>();
                Ok(u128::from_le_bytes(*key))
            }
            None => Err(self.cut_short()),
        }
    }

    /// Reads the next number.
    #[inline]
    pub(super) fn number(&mut self) -> Result<u64> {
        self.look_ahead()?;
        let (mut number, mut shift) = (0, 0);
        for (read, &byte) in self.buffer[self.at..self.end].iter().enumerate() {
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                self.at += read + 1;
                return Ok(number);
            }
            shift = (shift + 7) & 63;
        }
        Err(self.cut_short())
    }

    /// Reads the next byte. Returns `None` at the end.
    #[inline]
    pub(super) fn byte(&mut self) -> Result<Option<u8>> {
        self.look_ahead()?;
        let byte = self.buffer[self.at..self.end].first().copied();
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }

    /// Returns the number of bytes before the next item.
    pub(super) fn offset(&self) -> u64 {
        let ahead = if self.file.is_some() { self.end } else { 0 };
        self.read + self.at as u64 - ahead as u64
    }

    /// Returns to an offset that [`Replay::offset`] returned.
    pub(super) fn rewind(&mut self, offset: u64) -> Result<()> {
        match &mut self.file {
            Some(TemporaryFile { file, .. }) => {
                let sought = file.seek(SeekFrom::Start(offset));
                sought.map_err(|cause| self.scratch.error("reading a temporary file in", offset, cause))?;
                (self.read, self.at, self.end) = (offset, 0, 0);
            }
            None => self.at = offset as usize,
        }
        Ok(())
    }

    /// Ensures that the next item is in the buffer, if there is one.
    #[inline]
    fn look_ahead(&mut self) -> Result<()> {
        if self.end - self.at < MAX_ITEM_BYTES && self.file.is_some() { self.refill() } else { Ok(()) }
    }

    #[cold]
    fn refill(&mut self) -> Result<()> {
        let Some(TemporaryFile { file, bytes, .. }) = &mut self.file else { return Ok(()) };
        if self.read == *bytes {
            return Ok(());
        }
        self.scratch.look_for_stop()?;
        self.buffer.resize(self.scratch.buffer, 0);
        self.buffer.copy_within(self.at..self.end, 0);
        (self.at, self.end) = (0, self.end - self.at);
        // Never reads past what was written, so that a truncated file is an error.
        let wanted = (*bytes - self.read).min((self.buffer.len() - self.end) as u64) as usize;
        let got = file.read_exact(&mut self.buffer[self.end..self.end + wanted]);
        got.map_err(|cause| self.scratch.error("reading a temporary file in", self.read, cause))?;
        self.end += wanted;
        self.read += wanted as u64;
        Ok(())
    }

    #[cold]
    fn cut_short(&self) -> Error {
        let cause = std::io::ErrorKind::UnexpectedEof.into();
        self.scratch.error("reading a temporary file in", self.offset(), cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a spool of a thousand keys, which needs a file.
    fn spool(scratch: &Arc<Scratch>) -> Result<Spool> {
        let mut spool = Spool::new(scratch);
        (0..1000).try_for_each(|key| spool.key(key)).map(|()| spool)
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error_that_names_the_folder() -> Result<()> {
        let scratch = Arc::new(Scratch::new(&std::env::temp_dir(), 4096));
        let mut spool = spool(&scratch)?;
        let bytes = spool.file.as_ref().map_or(0, |file| file.bytes);
        spool.file.as_mut().unwrap().file = File::options().write(true).open("/dev/full").unwrap();
        let failed = (0..1000).find_map(|key| spool.key(key).err()).unwrap().to_string();
        let folder = std::env::temp_dir();
        let message = format!("writing a temporary file in {}: No space left on device", folder.display());
        assert!(
            failed.starts_with(&message) && failed.ends_with(&format!("(after {bytes} bytes)")),
            "{failed}"
        );
        Ok(())
    }

    #[test]
    fn a_truncated_file_is_an_error() -> Result<()> {
        let scratch = Arc::new(Scratch::new(&std::env::temp_dir(), 4096));
        let mut replay = spool(&scratch)?.into_replay()?;
        replay.file.as_ref().unwrap().file.set_len(5000).unwrap();
        let (read, failed) =
            (0..1000).map(|key| (key, replay.key())).find(|(_, read)| read.is_err()).unwrap();
        assert!(read <= 5000 / 16, "{read} keys of 5000 bytes");
        assert!(failed.unwrap_err().to_string().starts_with("reading a temporary file in "));
        drop(replay);
        assert_eq!((scratch.now.load(Relaxed), scratch.peak()), (0, 16_000));
        Ok(())
    }
}
