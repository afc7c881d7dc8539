//! The thread that cuts the input into chunks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::queue::WorkQueue;

use crate::stats::{Phases, Timeline, nanoseconds, nanoseconds_since};
use quadrille_formats::input::{Chunk, ChunkTarget, Layout, Reader};
use quadrille_model::{Error, ErrorKind, Result, faults, message_of};

/// Wall time a chunk should take to solve: small corpora of hard puzzles then use all cores too, and answers
/// of a slow corpus come soon.
const CHUNK_NS: u64 = 10_000_000;

/// Time that a record is taken to cost before any is measured, in nanoseconds. Too much rather than too little: the
/// first chunks are then small, and measured times soon correct it.
const FIRST_GUESS_NS: u64 = 500_000;

/// The state that the feed thread shares with the run. It outlives a run that is stopped while its input stalls.
#[derive(Debug)]
pub(crate) struct ChunkFeed {
    began: Instant,
    chunk_bytes: usize,
    /// Records of a chunk at most.
    most_records: u64,
    /// Time that a record is expected to cost, in nanoseconds; see [`learn`](Self::learn).
    record_ns: AtomicU64,
    /// The layout of the first source, for the output's head.
    first_layout: Mutex<Option<Arc<Layout>>>,
    has_failed: AtomicBool,
    spare: Mutex<Vec<Chunk>>,
}

/// The report of the feed thread at its end.
#[derive(Debug)]
pub(crate) struct FeedReport {
    /// Records read, those that an earlier run answered included.
    pub records: u64,
    /// Bytes passed, decompressed, likewise.
    pub bytes: u64,
    /// Time in which the cutting thread did not wait for workers.
    pub reading_ns: u64,
    /// The same over time.
    pub timeline: Timeline,
    /// The first error of a source; reading went on with the next.
    pub error: Option<Error>,
    /// All sources were read to their ends.
    pub ended: bool,
    /// The likeness of the first source to something else.
    pub first_looks: Option<&'static str>,
}

impl ChunkFeed {
    pub(crate) fn new(chunk_bytes: usize, most_records: u64) -> Self {
        ChunkFeed {
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

    /// The moment from which timelines count.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// Takes a chunk's memory back.
    pub(crate) fn recycle(&self, chunk: Chunk) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
    }

    /// The layout of the first source that had one.
    pub(crate) fn first_layout(&self) -> Option<Arc<Layout>> {
        self.first_layout.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adjusts the expected time of a record to a measured one.
    pub(crate) fn learn(&self, worked_ns: u64, records: u64) {
        if let Some(seen) = worked_ns.checked_div(records) {
            let known = self.record_ns.load(Ordering::Relaxed);
            // Costs rise at once and fall slowly: a chunk too small costs little, one too large idles a core.
            let next = if seen > known { seen } else { known - (known - seen) / 2 };
            self.record_ns.store(next, Ordering::Relaxed);
        }
    }

    fn target(&self) -> ChunkTarget {
        let expected_ns = self.record_ns.load(Ordering::Relaxed).max(1);
        ChunkTarget { bytes: self.chunk_bytes, records: (CHUNK_NS / expected_ns).clamp(1, self.most_records) }
    }
}

/// Reading and cutting, as far as it has come.
struct Cutting {
    feed: Arc<ChunkFeed>,
    reader: Reader,
    fed: FeedReport,
    /// True if no thread takes chunks any more, or none can be cut.
    is_refused: bool,
}

impl Cutting {
    fn new(reader: Reader, feed: &Arc<ChunkFeed>) -> Self {
        let fed = FeedReport {
            records: 0,
            bytes: 0,
            reading_ns: 0,
            timeline: Timeline::default(),
            error: None,
            ended: false,
            first_looks: None,
        };
        Cutting { feed: Arc::clone(feed), reader, fed, is_refused: false }
    }

    /// Nothing is left to read, or nobody is left to read for.
    fn is_over(&self) -> bool {
        self.fed.ended || self.is_refused
    }

    /// Hands chunks to the queue while `goes_on`. A panic is an error of reading after which nothing is read.
    fn run(&mut self, queue: &WorkQueue, goes_on: impl Fn(&Self) -> bool) {
        let run = || {
            while !self.is_over() && goes_on(self) {
                self.next(queue);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            let message = format!("the cutting thread panicked: {}", message_of(panic.as_ref()));
            self.fed.error = self.fed.error.take().or(Some(ErrorKind::Internal(message).into()));
            self.is_refused = true;
        }
    }

    /// Hands the next chunk to the queue, as soon as that has space for it.
    fn next(&mut self, queue: &WorkQueue) {
        let feed = &self.feed;
        let mut chunk = feed.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        faults::reach("cut");
        let begin = Instant::now();
        let next = self.reader.next_chunk(&mut chunk, feed.target());
        let reading_ns = nanoseconds_since(begin);
        let fed = &mut self.fed;
        fed.reading_ns += reading_ns;
        let from_ns = nanoseconds(begin.saturating_duration_since(feed.began));
        fed.timeline.add(from_ns, from_ns + reading_ns, 0, Phases { reading_ns, ..Phases::default() });
        if !matches!(next, Ok(true)) || chunk.sequence == 0 {
            // A source without records still decides the head of the output.
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

    /// The last word, and the end of the chunks.
    fn end(mut self, say: &Sender<FeedReport>, queue: &WorkQueue) {
        (self.fed.records, self.fed.bytes) = self.reader.passed();
        self.fed.first_looks = self.reader.first_looks();
        // The word first, then the end: a thread that sees the end finds the word there.
        let _ = say.send(self.fed);
        queue.end_input();
    }
}

/// Starts the feed thread; its last word comes through the channel. A short input that is at hand is cut here and now, up to the
/// space that the queue has: if that is all, there is no thread.
///
/// # Errors
/// A thread that cannot be started.
pub(crate) fn start(
    reader: Reader,
    feed: &Arc<ChunkFeed>,
    queue: &Arc<WorkQueue>,
) -> Result<Receiver<FeedReport>> {
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
