//! The thread that reads sources ahead of the cutter, which splits their bytes into records.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, bounded, unbounded};

use super::blocks::BlockSender;
pub(super) use super::blocks::{BLOCK_BYTES, Block, Event, HEADROOM};
use super::source::{Counted, unreadable};
use super::{InputOptions, Source, decompress, table};
use quadrille_files::fault_injection;
use quadrille_model::{Error, ErrorKind, message_of};

/// Alignment of the addresses at which the bytes of a block begin, in bytes. It is the size of one cache
/// line.
///
/// Without alignment, a large allocation begins 16 bytes after a page boundary. Zen 4 copies to such an
/// address at a third of the usual speed.
const READ_ALIGNMENT: usize = 64;
/// Maximum number of blocks that are read before the cutter needs them.
const BLOCKS_AHEAD: usize = 4;
/// Maximum total size of sources that are read without a separate thread, in bytes. This is the capacity of a
/// pipe.
const AT_HAND_BYTES: usize = 64 << 10;
/// Maximum number of used blocks that are kept for reuse.
const SPARE_BLOCKS: usize = 2 * BLOCKS_AHEAD;

/// Progress of reading the sources. It is cheap to clone, and any thread can query it.
#[derive(Debug, Clone)]
pub struct ReadProgress {
    read: Arc<AtomicU64>,
    total: Option<u64>,
    counts: Arc<Counts>,
}

/// Counters of a reader, except the number of bytes read.
#[derive(Debug, Default)]
struct Counts {
    /// Number of decompressed bytes that the reading thread has sent.
    unpacked: AtomicU64,
    /// Number of records skipped because an earlier execution of the program has already answered them.
    earlier_records: AtomicU64,
    /// Number of decompressed bytes skipped because an earlier execution of the program has already answered
    /// their records.
    earlier_bytes: AtomicU64,
}

impl ReadProgress {
    /// Returns the number of bytes read from all sources so far, counted before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Returns the total size of all sources in bytes.
    ///
    /// Returns `None` if some source is neither a regular file nor in memory.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total
    }

    /// Returns the number of records and the number of decompressed bytes that were skipped so far.
    ///
    /// Records are skipped if an earlier execution of the program has already answered them.
    pub fn earlier(&self) -> (u64, u64) {
        let Counts { earlier_records, earlier_bytes, .. } = &*self.counts;
        (earlier_records.load(Ordering::Relaxed), earlier_bytes.load(Ordering::Relaxed))
    }

    /// Returns the number of stored bytes that correspond to the first `unpacked` decompressed bytes.
    ///
    /// The result is an estimate if a source is compressed.
    pub fn stored_bytes(&self, unpacked: u64) -> u64 {
        let all = self.counts.unpacked.load(Ordering::Relaxed);
        let part = u128::from(self.bytes_read()) * u128::from(unpacked.min(all));
        part.checked_div(all.into()).and_then(|part| u64::try_from(part).ok()).unwrap_or(0)
    }

    pub(super) fn passes(&self, records: u64, bytes: u64) {
        self.counts.earlier_records.store(records, Ordering::Relaxed);
        self.counts.earlier_bytes.store(bytes, Ordering::Relaxed);
    }
}

/// The receiving end of the channel through which the reading thread sends blocks and other events.
pub(super) struct Feed {
    pub(super) events: Receiver<Event>,
    /// Used blocks. The block that was used last is at the end, because it is most likely still in a cache.
    spare: Arc<Mutex<Vec<Vec<u8>>>>,
    pub(super) progress: ReadProgress,
    /// True if everything has already been read, so that the reader never waits for an event.
    pub(super) is_at_hand: bool,
    /// Number of sources whose [`Event::Open`] the reader has not received yet.
    pub(super) unopened: usize,
}

impl Feed {
    /// Starts reading all sources, one after the other.
    ///
    /// Short input that needs no waiting is read before this returns; otherwise a thread reads. The thread ends when
    /// the receiver is dropped.
    pub(super) fn start(mut sources: Vec<Source>, options: &InputOptions) -> Self {
        let options = options.clone();
        let spare = Arc::new(Mutex::new(Vec::with_capacity(SPARE_BLOCKS)));
        let used = Arc::clone(&spare);
        let total = sources.iter().map(Source::size).sum();
        let is_at_hand = fetch_all(&mut sources);
        let unopened = sources.len();
        let (to_cutter, events) = if is_at_hand { unbounded() } else { bounded(BLOCKS_AHEAD) };
        let progress = ReadProgress { read: Arc::default(), total, counts: Arc::default() };
        let (read, counts) = (Arc::clone(&progress.read), Arc::clone(&progress.counts));
        let run = move || {
            for source in sources {
                let name: Arc<str> = source.name().into();
                if to_cutter.send(Event::Open(Arc::clone(&name))).is_err() {
                    return;
                }
                let out = BlockSender { to_cutter: &to_cutter, spare: &used, unpacked: &counts.unpacked };
                let reading = || read_source(source, &name, &options, &read, &out);
                let result = match catch_unwind(AssertUnwindSafe(reading)) {
                    Ok(Some(result)) => result,
                    Ok(None) => return,
                    Err(panic) => {
                        let message = format!("reading {name} panicked: {}", message_of(panic.as_ref()));
                        Err(ErrorKind::Internal(message).into())
                    }
                };
                if to_cutter.send(Event::End(result)).is_err() {
                    return;
                }
            }
        };
        if is_at_hand {
            run();
        } else {
            // If the thread cannot be started, the channel closes immediately. The reader then reports that
            // sources are missing.
            let _ = thread::Builder::new().name("quadrille-read".into()).spawn(run);
        }
        Feed { events, spare, progress, is_at_hand, unopened }
    }

    /// Returns the error if the reading thread ended before it had read all sources, or `None` otherwise.
    ///
    /// The error is returned only once.
    pub(super) fn lost(&mut self) -> Option<Error> {
        let unopened = std::mem::take(&mut self.unopened);
        (unopened > 0).then(|| ErrorKind::Internal("the reading thread ended early".to_owned()).into())
    }

    /// Keeps a used block so that it can be filled again.
    pub(super) fn recycle(&self, block: Vec<u8>) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_BLOCKS {
            spare.push(block);
        }
    }
}

/// Reads sources into memory, as long as this can be done without waiting.
///
/// Returns true if all sources are now in memory, small in total, and not compressed. Returns false if a
/// source is compressed, because it may expand to any length.
fn fetch_all(sources: &mut [Source]) -> bool {
    let mut left = AT_HAND_BYTES;
    for source in sources {
        let fetched = std::mem::replace(source, Source::Stdin).fetch(left);
        *source = fetched;
        match source {
            Source::Bytes { bytes, .. } if bytes.len() <= left && decompress::is_plain(bytes) => {
                left -= bytes.len();
            }
            _ => return false,
        }
    }
    true
}

/// Reads a source to its end and sends its blocks. Returns `None` if the receiver was dropped.
fn read_source(
    source: Source,
    name: &Arc<str>,
    options: &InputOptions,
    read: &Arc<AtomicU64>,
    out: &BlockSender<'_>,
) -> Option<Result<(), Error>> {
    let source = match table::send(source, name, options, read, out) {
        ControlFlow::Continue(source) => source,
        ControlFlow::Break(sent) => return sent,
    };
    let raw = match source.open() {
        Ok(raw) => Counted { raw, read: Arc::clone(read) },
        Err(error) => return Some(Err(error)),
    };
    let failed = |byte: u64, cause: io::Error| match decompress::hint_of(&cause, name) {
        Some(reason) => unreadable(name, (0, 1, byte), reason),
        None => Error::io("reading", &**name, byte, cause),
    };
    let mut stream = match decompress::open(raw) {
        Ok(stream) => stream,
        Err(cause) => return Some(Err(failed(0, cause))),
    };
    let mut done = 0;
    loop {
        fault_injection::reach("read");
        let used = out.used();
        // New blocks come from the system and are already zero. So memory pages that a short input does not
        // fill are never touched.
        let mut bytes = used.unwrap_or_else(|| vec![0; HEADROOM + READ_ALIGNMENT + BLOCK_BYTES]);
        bytes.resize(HEADROOM + READ_ALIGNMENT + BLOCK_BYTES, 0);
        let begin = HEADROOM + bytes[HEADROOM..].as_ptr().align_offset(READ_ALIGNMENT).min(READ_ALIGNMENT);
        match stream.read(&mut bytes[begin..][..BLOCK_BYTES]) {
            Ok(0) => return Some(Ok(())),
            Ok(read) => {
                bytes.truncate(begin + read);
                done += read as u64;
                out.send(Event::Block(Block { bytes, begin }))?;
            }
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Some(Err(failed(done, cause))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> Source {
        Source::Bytes { name: "some".into(), bytes: bytes.to_vec() }
    }

    #[test]
    fn long_or_unbounded_sources_are_read_by_a_thread() {
        let is_at_hand = |mut sources: Vec<Source>| fetch_all(&mut sources);
        let half = vec![b'.'; AT_HAND_BYTES / 2];
        assert!(is_at_hand(vec![]) && is_at_hand(vec![source(b"")]));
        assert!(is_at_hand(vec![source(&half), source(&half)]));
        assert!(!is_at_hand(vec![source(&half), source(&half), source(b".")]));
        for start in [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"PAR1", b"ARROW1", b"PK\x03\x04"] {
            assert!(!is_at_hand(vec![source(b"1..."), source(start)]), "{start:?}");
        }
        let stream = Source::Stream { name: "stream".into(), stream: Box::new(io::empty()) };
        assert!(!is_at_hand(vec![stream]));
    }

    #[test]
    fn blocks_are_read_to_aligned_addresses() {
        let bytes = vec![b'.'; 3 * BLOCK_BYTES];
        let feed = Feed::start(vec![source(&bytes)], &InputOptions::default());
        let mut read = 0;
        for event in &feed.events {
            if let Event::Block(block) = event {
                assert!(block.begin >= HEADROOM && block.read().len() <= BLOCK_BYTES);
                assert_eq!(block.read().as_ptr().addr() % READ_ALIGNMENT, 0);
                read += block.read().len();
                // Make the memory one byte longer, so that it may move to another address before the next
                // block is read into it.
                let mut used = block.bytes;
                used.insert(0, b'.');
                feed.recycle(used);
            }
        }
        assert_eq!(read, bytes.len());
    }
}
