//! The thread that reads sources ahead of the cutter.

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

/// Alignment in bytes of the address read into: one cache line.
///
/// A large allocation begins 16 bytes after a page boundary, and Zen 4 copies to such an address at a third of the
/// speed.
const READ_ALIGNMENT: usize = 64;
/// Maximum number of blocks read ahead of the cutter.
const BLOCKS_AHEAD: usize = 4;
/// Maximum total bytes of sources that are read without a thread: the capacity of a pipe.
const AT_HAND_BYTES: usize = 64 << 10;
/// Maximum number of used blocks kept for reuse.
const SPARE_BLOCKS: usize = 2 * BLOCKS_AHEAD;

/// Progress of reading; cheap to clone, and readable from any thread.
#[derive(Debug, Clone)]
pub struct ReadProgress {
    read: Arc<AtomicU64>,
    total: Option<u64>,
    counts: Arc<Counts>,
}

/// Counters of a reader other than the bytes read.
#[derive(Debug, Default)]
struct Counts {
    /// Decompressed bytes that the reading thread has sent.
    unpacked: AtomicU64,
    /// Records of an earlier run that were skipped.
    earlier_records: AtomicU64,
    /// Decompressed bytes of an earlier run that were skipped.
    earlier_bytes: AtomicU64,
}

impl ReadProgress {
    /// Returns the bytes read from all sources so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Returns the total bytes of all sources, or `None` if some source is neither a regular file nor in memory.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total
    }

    /// Returns the records and decompressed bytes skipped so far because an earlier run answered them.
    pub fn earlier(&self) -> (u64, u64) {
        let Counts { earlier_records, earlier_bytes, .. } = &*self.counts;
        (earlier_records.load(Ordering::Relaxed), earlier_bytes.load(Ordering::Relaxed))
    }

    /// Returns the number of stored bytes that hold the first `unpacked` decompressed bytes.
    ///
    /// An estimate if a source is compressed.
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

/// The reader's end of the channel to the reading thread.
pub(super) struct Feed {
    pub(super) events: Receiver<Event>,
    /// Used blocks. The most recently used is last, since it is most likely to be cached.
    spare: Arc<Mutex<Vec<Vec<u8>>>>,
    pub(super) progress: ReadProgress,
    /// True if everything has been read, so that no event has to be waited for.
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
            // Without a thread the channel closes immediately, and the reader reports that sources are missing.
            let _ = thread::Builder::new().name("quadrille-read".into()).spawn(run);
        }
        Feed { events, spare, progress, is_at_hand, unopened }
    }

    /// Returns the error of a thread that ended too early, or `None` if it read all sources. Returns it only once.
    pub(super) fn lost(&mut self) -> Option<Error> {
        let unopened = std::mem::take(&mut self.unopened);
        (unopened > 0).then(|| ErrorKind::Internal("the reading thread ended early".to_owned()).into())
    }

    /// Keeps a used block for reuse.
    pub(super) fn recycle(&self, block: Vec<u8>) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_BLOCKS {
            spare.push(block);
        }
    }
}

/// Reads sources into memory as long as that needs no waiting.
///
/// Returns true if all sources are in memory, small in total, and not compressed. Compressed data may expand to any
/// length.
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

/// Reads a source to its end. Returns `None` if the receiver was dropped.
fn read_source(
    source: Source,
    name: &Arc<str>,
    options: &InputOptions,
    read: &Arc<AtomicU64>,
    out: &BlockSender<'_>,
) -> Option<Result<(), Error>> {
    let source = match table::send(source, options, read, out) {
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
        // The system provides new blocks zeroed, so that pages which a short input does not fill are never touched.
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
                // Makes the memory longer, so that its address may change before the next block is read into it.
                let mut used = block.bytes;
                used.insert(0, b'.');
                feed.recycle(used);
            }
        }
        assert_eq!(read, bytes.len());
    }
}
