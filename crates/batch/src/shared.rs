//! The state that all threads of a run share.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::chunk::output::ChunkOutput;
use crate::flow::chunking::ChunkFeed;
use crate::flow::queue::WorkQueue;
use crate::flow::reorder::{Piece, ReorderBuffer};
use crate::memory::MemoryPlan;
use crate::options::BatchOptions;
use crate::progress::Progress;
use quadrille_engine::Control;
use quadrille_formats::output::{Formatter, formatter};
use quadrille_model::{Error, ErrorKind, Result, message_of};

/// Records of a chunk whose ratings are explained: the steps of one take some 15 KB in JSON.
const RECORDS_EXPLAINED: u64 = 256;

/// The state that all threads of a run share; gates of searches own it too.
pub(crate) struct Shared {
    pub options: BatchOptions,
    pub formatter: Box<dyn Formatter>,
    pub control: Arc<Control>,
    /// The moment from which the run's timeline counts.
    pub began: Instant,
    pub progress: Progress,
    pub window: Arc<ReorderBuffer>,
    pub queue: Arc<WorkQueue>,
    pub feed: Arc<ChunkFeed>,
    pub memory: MemoryPlan,
    /// Held by the audit that needs more memory than a thread may keep.
    pub audits: Arc<Mutex<()>>,
    /// True if lines about rejected records are to be written.
    pub wants_rejects: bool,
    spare_outputs: Mutex<Vec<ChunkOutput>>,
}

impl Shared {
    /// For a run on the threads of this plan.
    ///
    /// # Errors
    /// Options of output that contradict each other.
    pub(crate) fn new(
        options: &BatchOptions,
        control: &Arc<Control>,
        progress: &Progress,
        memory: MemoryPlan,
        wants_rejects: bool,
    ) -> Result<Arc<Self>> {
        let window = ReorderBuffer::new(options.ordered, memory.window_bytes(options.window_bytes));
        let window = Arc::new(window);
        let most_records = match (options.ask.is_several(), options.output.explain) {
            (true, _) => memory.records_listed(),
            (_, true) => memory.records_listed().min(RECORDS_EXPLAINED),
            _ => u64::MAX,
        };
        let feed = ChunkFeed::new(memory.chunk_bytes(options.chunk_bytes), most_records);
        Ok(Arc::new(Shared {
            began: feed.began(),
            formatter: formatter(options.output_options())?,
            control: Arc::clone(control),
            progress: progress.clone(),
            queue: WorkQueue::new(&memory, options.ordered, control, &window),
            window,
            feed: Arc::new(feed),
            memory,
            audits: Arc::default(),
            wants_rejects,
            spare_outputs: Mutex::default(),
            options: options.clone(),
        }))
    }

    fn lock_spare(&self) -> MutexGuard<'_, Vec<ChunkOutput>> {
        self.spare_outputs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty output for a chunk.
    pub(crate) fn empty_output(&self) -> ChunkOutput {
        self.lock_spare().pop().unwrap_or_else(|| ChunkOutput::new(self.options.top))
    }

    /// Takes an output back after it was written.
    pub(crate) fn recycle(&self, mut output: ChunkOutput) {
        let is_kept = self.memory.may_recycle(output.rows.capacity() / 4);
        output.clear(self.options.top);
        let mut spare = self.lock_spare();
        if is_kept && (!self.memory.is_limited() || spare.len() < 4 * self.memory.threads()) {
            spare.push(output);
        }
    }

    /// Returns the text that stands before all rows, such as a header.
    pub(crate) fn head(&self) -> Vec<u8> {
        let layout = self.feed.first_layout().unwrap_or_default();
        let mut head = Vec::new();
        self.formatter.begin(&layout, &mut head);
        head
    }

    /// Ends a run one of whose threads panicked, and returns the error that says so. What that thread held never comes, so that no
    /// other thread may wait for it: all leave the queue and the window.
    pub(crate) fn panicked(&self, thread: &str, panic: &(dyn Any + Send)) -> Error {
        self.control.cancel();
        self.window.abandon();
        self.queue.close();
        ErrorKind::Internal(format!("{thread} panicked: {}", message_of(panic))).into()
    }

    /// Hands a chunk's output, or the next piece of it, to the writer.
    pub(crate) fn submit(&self, sequence: u64, output: ChunkOutput) {
        self.window.submit(Piece { sequence, content: output });
    }
}
