//! External sorting, for items that may not fit into memory.
//!
//! A sorter holds a limited number of items in memory. When the limit is reached, the sorter sorts these
//! items and appends them to an unnamed file as one run. At the end, it merges the runs (Knuth, *The Art of
//! Computer Programming* 3, 5.4.1). The system deletes the file when the process ends, even after a crash.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use quadrille_engine::Control;
use quadrille_model::{Error, ErrorKind, Result};

/// Maximum size of a read or write buffer, in bytes.
const MAX_BUFFER: usize = 64 << 10;

/// Memory limits and directory that several sorters share, and the total size of their files.
#[derive(Debug)]
pub(super) struct Scratch {
    directory: PathBuf,
    /// Maximum size of the items in one sorter, in bytes. Also the maximum total size of the buffers for one
    /// merge.
    bytes: usize,
    /// Maximum number of runs that one merge combines, at least 2.
    ways: usize,
    /// Total bytes of all files.
    now: AtomicU64,
    /// Largest total size of the files so far, in bytes.
    peak: AtomicU64,
    /// Control that can stop the work.
    ///
    /// The sorters check the control whenever they write a buffer to a file or read a buffer from a file.
    control: OnceLock<Arc<Control>>,
}

impl Scratch {
    pub(super) fn new(directory: &Path, bytes: usize, ways: usize) -> Self {
        let (now, peak) = (AtomicU64::new(0), AtomicU64::new(0));
        Scratch { directory: directory.to_owned(), bytes, ways, now, peak, control: OnceLock::new() }
    }

    /// Makes all later reads and writes fail with [`ErrorKind::Stopped`] once `control` stops.
    pub(super) fn stop_by(&self, control: &Arc<Control>) {
        let _ = self.control.set(Arc::clone(control));
    }

    fn look_for_stop(&self) -> Result<()> {
        if self.control.get().is_some_and(|control| control.stop().is_some()) {
            return Err(ErrorKind::Stopped.into());
        }
        Ok(())
    }

    /// Returns the largest total size of all files at any time, in bytes.
    pub(super) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    fn error(&self, action: &'static str, byte: u64, cause: std::io::Error) -> Error {
        Error::io(action, &self.directory, byte, cause)
    }

    /// Returns the size in bytes of a buffer for items of `N` words.
    fn buffer<const N: usize>(&self) -> usize {
        let items = (self.bytes / self.ways).min(MAX_BUFFER) / size_of::<[u64; N]>();
        items.max(1) * size_of::<[u64; N]>()
    }
}

/// An unnamed temporary file that contains sorted runs.
#[derive(Debug)]
pub(super) struct RunFile {
    file: File,
    bytes: u64,
    /// End of each run, as a file offset in bytes.
    ends: Vec<u64>,
    scratch: Arc<Scratch>,
}

impl RunFile {
    fn new(scratch: &Arc<Scratch>) -> Result<Self> {
        let file = tempfile::tempfile_in(&scratch.directory)
            .map_err(|cause| scratch.error("creating a temporary file in", 0, cause))?;
        Ok(RunFile { file, bytes: 0, ends: Vec::new(), scratch: Arc::clone(scratch) })
    }

    /// Appends a run.
    fn write<const N: usize>(&mut self, items: impl Iterator<Item = Result<[u64; N]>>) -> Result<()> {
        let room = self.scratch.buffer::<N>();
        let mut buffer = Vec::with_capacity(room);
        for item in items {
            item?.iter().for_each(|word| buffer.extend_from_slice(&word.to_le_bytes()));
            if buffer.len() >= room {
                self.append(&mut buffer)?;
            }
        }
        self.append(&mut buffer)?;
        self.ends.push(self.bytes);
        Ok(())
    }

    fn append(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        self.scratch.look_for_stop()?;
        let written = self.file.write_all(bytes);
        written.map_err(|cause| self.scratch.error("writing a temporary file in", self.bytes, cause))?;
        self.bytes += bytes.len() as u64;
        let now = self.scratch.now.fetch_add(bytes.len() as u64, Relaxed) + bytes.len() as u64;
        self.scratch.peak.fetch_max(now, Relaxed);
        bytes.clear();
        Ok(())
    }

    /// Returns the runs for reading.
    fn runs<const N: usize>(&self) -> Vec<Run<N>> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let run = |(at, &end)| Run { at, end, buffer: Vec::new(), next: 0 };
        starts.zip(&self.ends).map(run).collect()
    }
}

impl Drop for RunFile {
    fn drop(&mut self) {
        self.scratch.now.fetch_sub(self.bytes, Relaxed);
    }
}

/// A run that is read.
#[derive(Debug)]
struct Run<const N: usize> {
    /// File offset of the next bytes to read into the buffer.
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    /// Start of the next item within the buffer.
    next: usize,
}

impl<const N: usize> Run<N> {
    fn next(&mut self, from: &RunFile) -> Result<Option<[u64; N]>> {
        if self.next == self.buffer.len() && !self.fill(from)? {
            return Ok(None);
        }
        let item = &self.buffer[self.next..self.next + size_of::<[u64; N]>()];
        self.next += item.len();
        let (words, _) = item.as_chunks();
        Ok(Some(std::array::from_fn(|word| u64::from_le_bytes(words[word]))))
    }

    /// Reads the next items into the buffer. Returns false at the end of the run.
    #[cold]
    fn fill(&mut self, from: &RunFile) -> Result<bool> {
        let RunFile { file, scratch, .. } = from;
        scratch.look_for_stop()?;
        let wanted = (self.end - self.at).min(scratch.buffer::<N>() as u64);
        self.buffer.resize(wanted as usize, 0);
        let mut file: &File = file;
        let read = file.seek(SeekFrom::Start(self.at)).and_then(|_| file.read_exact(&mut self.buffer));
        read.map_err(|cause| scratch.error("reading a temporary file in", self.at, cause))?;
        (self.at, self.next) = (self.at + wanted, 0);
        Ok(wanted > 0)
    }
}

/// Sorter for items of `N` 64-bit words. Items are compared like arrays.
#[derive(Debug)]
pub(super) struct Sorter<const N: usize> {
    scratch: Arc<Scratch>,
    items: Vec<[u64; N]>,
    file: Option<RunFile>,
}

impl<const N: usize> Sorter<N> {
    pub(super) fn new(scratch: &Arc<Scratch>) -> Self {
        Sorter { scratch: Arc::clone(scratch), items: Vec::new(), file: None }
    }

    #[inline]
    pub(super) fn push(&mut self, item: [u64; N]) -> Result<()> {
        if self.items.len() == self.items.capacity() {
            self.make_room()?;
        }
        self.items.push(item);
        Ok(())
    }

    /// Makes room for one more item.
    ///
    /// Writes the items to disk if the limit is reached or the system refuses memory.
    #[cold]
    fn make_room(&mut self) -> Result<()> {
        let held = self.items.len();
        let most = (self.scratch.bytes / size_of::<[u64; N]>()).max(1);
        let more = most.saturating_sub(held).min(held.max(64));
        if more > 0 && self.items.try_reserve_exact(more).is_ok() {
            return Ok(());
        }
        self.spill()
    }

    fn spill(&mut self) -> Result<()> {
        self.items.sort_unstable();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(RunFile::new(&self.scratch)?),
        };
        file.write(self.items.drain(..).map(Ok))
    }

    /// Returns the items in order.
    pub(super) fn sorted(mut self) -> Result<Sorted<N>> {
        if self.file.is_some() {
            self.spill()?;
        }
        let Sorter { scratch, mut items, file } = self;
        let Some(mut file) = file else {
            items.sort_unstable();
            return Ok(Sorted::Memory(items.into_iter()));
        };
        drop(items);
        while file.ends.len() > scratch.ways {
            let mut merged = RunFile::new(&scratch)?;
            let mut runs = file.runs::<N>();
            while !runs.is_empty() {
                let rest = runs.split_off(runs.len().min(scratch.ways));
                let mut merge = Merge::new(runs, &file)?;
                merged.write(std::iter::from_fn(|| merge.next(&file).transpose()))?;
                runs = rest;
            }
            file = merged;
        }
        Ok(Sorted::Disk(Merge::new(file.runs(), &file)?, file))
    }
}

/// Runs that are merged.
#[derive(Debug)]
pub(super) struct Merge<const N: usize> {
    runs: Vec<Run<N>>,
    /// For each run, its next item and the index of the run.
    heads: BinaryHeap<Reverse<([u64; N], usize)>>,
}

impl<const N: usize> Merge<N> {
    fn new(mut runs: Vec<Run<N>>, from: &RunFile) -> Result<Self> {
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for (place, run) in runs.iter_mut().enumerate() {
            heads.extend(run.next(from)?.map(|item| Reverse((item, place))));
        }
        Ok(Merge { runs, heads })
    }

    fn next(&mut self, from: &RunFile) -> Result<Option<[u64; N]>> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((item, place)) = *head;
        match self.runs[place].next(from)? {
            Some(next) => *head = Reverse((next, place)),
            None => drop(PeekMut::pop(head)),
        }
        Ok(Some(item))
    }
}

/// Iterator over the sorted items.
#[derive(Debug)]
pub(super) enum Sorted<const N: usize> {
    Memory(std::vec::IntoIter<[u64; N]>),
    Disk(Merge<N>, RunFile),
}

impl<const N: usize> Sorted<N> {
    /// Returns no items.
    pub(super) fn nothing() -> Self {
        Sorted::Memory(Vec::new().into_iter())
    }

    pub(super) fn next(&mut self) -> Result<Option<[u64; N]>> {
        match self {
            Sorted::Memory(items) => Ok(items.next()),
            Sorted::Disk(merge, file) => merge.next(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn items_come_back_in_order_and_release_their_bytes(
            mut items in prop::collection::vec(any::<[u64; 2]>(), 0..300), bytes in 1..3000usize, ways in 2..9usize,
        ) {
            let scratch = Arc::new(Scratch::new(&std::env::temp_dir(), bytes, ways));
            let mut sorter = Sorter::new(&scratch);
            items.iter().try_for_each(|item| sorter.push(*item)).unwrap();
            let mut sorted = sorter.sorted().unwrap();
            items.sort_unstable();
            let read: Vec<_> = std::iter::from_fn(|| sorted.next().unwrap()).collect();
            prop_assert_eq!(&read, &items);
            prop_assert_eq!(scratch.peak() > 0, items.len() > (bytes / 16).max(1));
            drop(sorted);
            prop_assert_eq!(scratch.now.load(Relaxed), 0);
        }
    }

    /// Creates a sorter with a thousand items, which exceed its memory limit.
    fn sorter(scratch: &Arc<Scratch>) -> Result<Sorter<2>> {
        let mut sorter = Sorter::new(scratch);
        (0..1000).try_for_each(|item| sorter.push([item, 0])).map(|()| sorter)
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error_that_names_the_folder() -> Result<()> {
        let scratch = Arc::new(Scratch::new(&std::env::temp_dir(), 4096, 4));
        let mut sorter = sorter(&scratch)?;
        let bytes = sorter.file.as_ref().map_or(0, |file| file.bytes);
        sorter.file.as_mut().unwrap().file = File::options().write(true).open("/dev/full").unwrap();
        let failed = (0..1000).find_map(|item| sorter.push([item, 0]).err()).unwrap().to_string();
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
        let scratch = Arc::new(Scratch::new(&std::env::temp_dir(), 4096, 4));
        let mut sorted = sorter(&scratch)?.sorted()?;
        let Sorted::Disk(_, file) = &sorted else { panic!("the items are on disk") };
        // Each run has 256 items, and 64 items are read at a time. This call truncates the file within the
        // first 64 items of the second run. These items were already read, so reading the next 64 items
        // fails.
        file.file.set_len(5000).unwrap();
        let (read, failed) =
            (0..1000).map(|item| (item, sorted.next())).find(|(_, read)| read.is_err()).unwrap();
        assert_eq!(read, 256 + 63);
        assert!(failed.unwrap_err().to_string().starts_with("reading a temporary file in "));
        drop(sorted);
        assert_eq!((scratch.now.load(Relaxed), scratch.peak()), (0, 16_000));
        Ok(())
    }
}
