//! The feed thread, which reads the input and divides it into chunks of records.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::queue::WorkQueue;
use crate::locks::lock;
use crate::stats::{Phases, Timeline, nanoseconds, nanoseconds_since};
use quadrille_files::fault_injection;
use quadrille_formats::input::{Chunk, ChunkTarget, Layout, LineCounts, Reader};
use quadrille_model::{Error, ErrorKind, Result, message_of};

/// Target for the time that one thread needs to solve a chunk, in nanoseconds of wall time.
///
/// The target is short enough that a small corpus of hard puzzles uses all cores. It is also short enough
/// that answers appear soon if the input arrives slowly.
const CHUNK_NS: u64 = 10_000_000;

/// Assumed time per record before any measurement, in nanoseconds.
///
/// A high value makes the first chunks small. Measured times soon replace it.
const FIRST_GUESS_NS: u64 = 500_000;

/// State that the feed thread shares with the other threads of a run.
///
/// The state can outlive the run, because a run may stop while the feed thread still waits for input.
#[derive(Debug)]
pub(crate) struct CutterState {
    pub(crate) began: Instant,
    chunk_bytes: usize,
    /// Maximum number of records per chunk.
    most_records: u64,
    /// Expected time per record, in nanoseconds (see [`learn`](Self::learn)).
    record_ns: AtomicU64,
    /// Layout of the first source. The text at the beginning of the output depends on this layout.
    first_layout: Mutex<Option<Arc<Layout>>>,
    has_failed: AtomicBool,
    spare: Mutex<Vec<Chunk>>,
}

/// Final report of the feed thread.
#[derive(Debug, Default)]
pub(crate) struct CutterReport {
    /// Number of records read, including those that an earlier run answered.
    pub records: u64,
    /// Number of decompressed bytes read, including those that an earlier run answered.
    pub bytes: u64,
    /// Number of lines read for each kind of line, including lines that an earlier run answered.
    pub lines: LineCounts,
    /// Time in nanoseconds that the feed thread spent reading, without the time that it waited for workers.
    pub reading_ns: u64,
    /// Reading time in each period of the run.
    pub timeline: Timeline,
    /// First error in a source. After an error in one source, reading continues with the next source.
    pub error: Option<Error>,
    /// True if every source was read to its end.
    pub ended: bool,
    /// First bytes of the first source.
    pub head: Vec<u8>,
}

impl CutterState {
    pub(crate) fn new(chunk_bytes: usize, most_records: u64) -> Self {
        CutterState {
            began: Instant::now(),
            chunk_bytes,
            most_records,
            record_ns: AtomicU64::new(FIRST_GUESS_NS),
            first_layout: Mutex::new(None),
            has_failed: AtomicBool::new(false),
            spare: Mutex::new(Vec::new()),
        }
    }

    /// Returns true if a source could not be read to its end.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Stores a finished chunk, so that the memory of the chunk can be reused.
    pub(crate) fn recycle(&self, chunk: Chunk) {
        lock(&self.spare).push(chunk);
    }

    /// Returns the layout of the first source, or `None` if it is not known yet.
    pub(crate) fn first_layout(&self) -> Option<Arc<Layout>> {
        lock(&self.first_layout).clone()
    }

    /// Adjusts the expected time per record after `records` records took `worked_ns` nanoseconds.
    pub(crate) fn learn(&self, worked_ns: u64, records: u64) {
        if let Some(seen) = worked_ns.checked_div(records) {
            let known = self.record_ns.load(Ordering::Relaxed);
            // The estimate rises to a higher value at once, but falls slowly. A chunk that is too small costs
            // little. A chunk that is too large leaves cores idle.
            let next = if seen > known { seen } else { known - (known - seen) / 2 };
            self.record_ns.store(next, Ordering::Relaxed);
        }
    }

    fn target(&self) -> ChunkTarget {
        let expected_ns = self.record_ns.load(Ordering::Relaxed).max(1);
        ChunkTarget { bytes: self.chunk_bytes, records: (CHUNK_NS / expected_ns).clamp(1, self.most_records) }
    }
}

/// Progress of reading and cutting.
struct Cutting {
    feed: Arc<CutterState>,
    reader: Reader,
    fed: CutterReport,
    /// True if reading must end, because threads accept no more chunks or because reading panicked.
    is_refused: bool,
}

impl Cutting {
    /// Returns true if nothing is left to read, or if threads accept no more chunks.
    fn is_over(&self) -> bool {
        self.fed.ended || self.is_refused
    }

    /// Passes chunks to the queue as long as `should_continue` returns true.
    ///
    /// A panic ends reading and is reported as an error.
    fn run(&mut self, queue: &WorkQueue, should_continue: impl Fn(&Self) -> bool) {
        let run = || {
            while !self.is_over() && should_continue(self) {
                self.next(queue);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            let message = format!("the cutting thread panicked: {}", message_of(panic.as_ref()));
            self.fed.error = self.fed.error.take().or(Some(ErrorKind::Internal(message).into()));
            self.is_refused = true;
        }
    }

    /// Reads the next chunk, waits until the queue has space, and adds the chunk.
    fn next(&mut self, queue: &WorkQueue) {
        let feed = &self.feed;
        let mut chunk = lock(&feed.spare).pop().unwrap_or_default();
        fault_injection::reach("cut");
        let begin = Instant::now();
        let next = self.reader.next_chunk(&mut chunk, feed.target());
        let reading_ns = nanoseconds_since(begin);
        let fed = &mut self.fed;
        fed.reading_ns += reading_ns;
        let from_ns = nanoseconds(begin.saturating_duration_since(feed.began));
        fed.timeline.add(from_ns, from_ns + reading_ns, 0, Phases { reading_ns, ..Phases::default() });
        if !matches!(next, Ok(true)) || chunk.sequence == 0 {
            // The text at the beginning of the output depends on the first source, even if that source has no
            // records.
            *lock(&feed.first_layout) = self.reader.first_layout().map(Arc::clone);
        }
        match next {
            Ok(true) => self.is_refused = !queue.push(chunk),
            Ok(false) => fed.ended = true,
            Err(error) => {
                feed.has_failed.store(true, Ordering::Release);
                fed.error = fed.error.take().or(Some(error));
            }
        }
    }

    /// Sends the report and then tells the queue that the input has ended.
    fn end(mut self, say: &Sender<CutterReport>, queue: &WorkQueue) {
        (self.fed.records, self.fed.bytes) = self.reader.passed();
        self.fed.lines = self.reader.lines();
        self.fed.head = self.reader.first_head().to_vec();
        // Send the report first, because a thread that sees the end of the input expects to find the report.
        let _ = say.send(self.fed);
        queue.end_input();
    }
}

/// Starts the feed thread and returns the channel on which its report will arrive.
///
/// The calling thread first reads the input that is available without waiting, until the queue is full. If
/// this is already the whole input, no thread is started.
///
/// # Errors
/// Returns an error if the thread cannot be started.
pub(crate) fn start(
    reader: Reader,
    feed: &Arc<CutterState>,
    queue: &Arc<WorkQueue>,
) -> Result<Receiver<CutterReport>> {
    let (say, fed) = bounded(1);
    let fed_so_far = CutterReport::default();
    let mut cutting = Cutting { feed: Arc::clone(feed), reader, fed: fed_so_far, is_refused: false };
    cutting.run(queue, |cutting| cutting.reader.is_at_hand() && queue.is_open_for_chunks());
    if cutting.is_over() {
        cutting.end(&say, queue);
        return Ok(fed);
    }
    let queue = Arc::clone(queue);
    std::thread::Builder::new()
        .name("quadrille-cut".to_owned())
        .spawn(move || {
            cutting.run(&queue, |_| true);
            cutting.end(&say, &queue);
        })
        .map_err(|cause| Error::io("starting", "the reading thread", 0, cause))?;
    Ok(fed)
}
