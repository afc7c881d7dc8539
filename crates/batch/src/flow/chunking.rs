//! The thread that reads the input and cuts it into chunks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::queue::WorkQueue;

use crate::stats::{Phases, Timeline, nanoseconds, nanoseconds_since};
use quadrille_files::fault_injection;
use quadrille_formats::input::{Chunk, ChunkTarget, Layout, LineCounts, Reader};
use quadrille_model::{Error, ErrorKind, Result, message_of};

/// Wall time that solving one chunk should take, in nanoseconds. Short enough that a small corpus of hard puzzles
/// uses all cores, and that the answers of a slow corpus appear soon.
const CHUNK_NS: u64 = 10_000_000;

/// Assumed cost of a record before any is measured, in nanoseconds.
///
/// A high guess makes the first chunks small; measured times soon correct it.
const FIRST_GUESS_NS: u64 = 500_000;

/// State that the feed thread shares with the run.
///
/// The state can outlive the run: a run may be stopped while its input stalls.
#[derive(Debug)]
pub(crate) struct CutterState {
    pub(crate) began: Instant,
    chunk_bytes: usize,
    /// Maximum number of records per chunk.
    most_records: u64,
    /// Expected cost of a record, in nanoseconds; see [`learn`](Self::learn).
    record_ns: AtomicU64,
    /// Layout of the first source, for the head of the output.
    first_layout: Mutex<Option<Arc<Layout>>>,
    has_failed: AtomicBool,
    spare: Mutex<Vec<Chunk>>,
}

/// Report of the feed thread when it ends.
#[derive(Debug)]
pub(crate) struct CutterReport {
    /// Number of records read, including those that an earlier run answered.
    pub records: u64,
    /// Number of decompressed bytes read, including those that an earlier run answered.
    pub bytes: u64,
    /// Numbers of lines read, including those that an earlier run answered.
    pub lines: LineCounts,
    /// Time in which the feed thread did not wait for workers, in nanoseconds.
    pub reading_ns: u64,
    /// Reading time over the course of the run.
    pub timeline: Timeline,
    /// First error of a source; reading continued with the next source.
    pub error: Option<Error>,
    /// True if all sources were read to their ends.
    pub ended: bool,
    /// The beginning of the first source.
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

    /// Takes back the memory of a chunk for reuse.
    pub(crate) fn recycle(&self, chunk: Chunk) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
    }

    /// Returns the layout of the first source, or `None` if it is not known.
    pub(crate) fn first_layout(&self) -> Option<Arc<Layout>> {
        self.first_layout.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adjusts the expected cost of a record: `records` records took `worked_ns` nanoseconds.
    pub(crate) fn learn(&self, worked_ns: u64, records: u64) {
        if let Some(seen) = worked_ns.checked_div(records) {
            let known = self.record_ns.load(Ordering::Relaxed);
            // The estimate rises immediately and falls slowly: a chunk that is too small costs little, one too large
            // idles a core.
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
    /// True if no thread takes chunks any more, or reading panicked.
    is_refused: bool,
}

impl Cutting {
    fn new(reader: Reader, feed: &Arc<CutterState>) -> Self {
        let fed = CutterReport {
            records: 0,
            bytes: 0,
            lines: LineCounts::default(),
            reading_ns: 0,
            timeline: Timeline::default(),
            error: None,
            ended: false,
            head: Vec::new(),
        };
        Cutting { feed: Arc::clone(feed), reader, fed, is_refused: false }
    }

    /// Returns true if nothing is left to read, or no thread takes chunks any more.
    fn is_over(&self) -> bool {
        self.fed.ended || self.is_refused
    }

    /// Hands chunks to the queue while `should_continue` returns true. A panic becomes an error that ends reading.
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

    /// Reads the next chunk and hands it to the queue, waiting until the queue has space.
    fn next(&mut self, queue: &WorkQueue) {
        let feed = &self.feed;
        let mut chunk = feed.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        fault_injection::reach("cut");
        let begin = Instant::now();
        let next = self.reader.next_chunk(&mut chunk, feed.target());
        let reading_ns = nanoseconds_since(begin);
        let fed = &mut self.fed;
        fed.reading_ns += reading_ns;
        let from_ns = nanoseconds(begin.saturating_duration_since(feed.began));
        fed.timeline.add(from_ns, from_ns + reading_ns, 0, Phases { reading_ns, ..Phases::default() });
        if !matches!(next, Ok(true)) || chunk.sequence == 0 {
            // The head of the output depends on the first source even if that has no records.
            let mut layout = feed.first_layout.lock().unwrap_or_else(PoisonError::into_inner);
            *layout = self.reader.first_layout().map(Arc::clone);
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

    /// Sends the report and ends the input of the queue.
    fn end(mut self, say: &Sender<CutterReport>, queue: &WorkQueue) {
        (self.fed.records, self.fed.bytes) = self.reader.passed();
        self.fed.lines = self.reader.lines();
        self.fed.head = self.reader.first_head().to_vec();
        // The report is sent first: a thread that sees the end of the input must find the report.
        let _ = say.send(self.fed);
        queue.end_input();
    }
}

/// Starts the feed thread and returns the channel that will carry its report.
///
/// Input that can be read without waiting is cut on the calling thread until the queue is full. If that is the whole
/// input, no thread is started.
///
/// # Errors
/// Returns an error if the thread cannot be started.
pub(crate) fn start(
    reader: Reader,
    feed: &Arc<CutterState>,
    queue: &Arc<WorkQueue>,
) -> Result<Receiver<CutterReport>> {
    let (say, fed) = bounded(1);
    let mut cutting = Cutting::new(reader, feed);
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
