//! The state that all threads of a run share.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::chunk::output::ChunkOutput;
use crate::flow::chunking::CutterState;
use crate::flow::queue::WorkQueue;
use crate::flow::reorder::ReorderBuffer;
use crate::locks::lock;
use crate::memory::MemoryPlan;
use crate::options::BatchOptions;
use crate::progress::Progress;
use quadrille_engine::Control;
use quadrille_formats::output::{Formatter, PackedOutput, formatter};
use quadrille_model::{Error, ErrorKind, Result, message_of};

/// Maximum number of records per chunk if rows show the solving steps of ratings. The steps of one rating
/// need about 15 KB of JSON.
const RECORDS_EXPLAINED: u64 = 256;

/// State shared by all threads of a run and by the callbacks of searches.
pub(crate) struct Shared {
    pub options: BatchOptions,
    pub formatter: Box<dyn Formatter>,
    pub control: Arc<Control>,
    /// Start of the run's timeline.
    pub began: Instant,
    pub progress: Progress,
    pub window: Arc<ReorderBuffer>,
    pub queue: Arc<WorkQueue>,
    pub feed: Arc<CutterState>,
    pub memory: MemoryPlan,
    /// Lock that a thread holds during an audit that needs more memory than the thread's share.
    pub audits: Mutex<()>,
    /// True if the run writes a line for each rejected record.
    pub wants_rejects: bool,
    /// Handle of the compressor, or `None` if rows are not compressed.
    pub packed: Option<PackedOutput>,
    has_failed: AtomicBool,
    spare_outputs: Mutex<Vec<ChunkOutput>>,
    /// Thread pool, or the reason why it could not be started.
    pool: OnceLock<std::result::Result<ThreadPool, String>>,
}

impl Shared {
    /// Creates the state of a run. `memory` determines the number of threads.
    ///
    /// # Errors
    /// Returns an error if output options contradict each other.
    pub(crate) fn new(
        options: &BatchOptions,
        control: &Arc<Control>,
        progress: &Progress,
        memory: MemoryPlan,
        (wants_rejects, packed): (bool, Option<PackedOutput>),
    ) -> Result<Arc<Self>> {
        let window_bytes = memory.window_bytes(options.window_bytes);
        let window = Arc::new(ReorderBuffer::new(options.ordered, window_bytes));
        if let Some(packed) = &packed {
            packed.expect_help(memory.threads(), window_bytes);
        }
        let most_records = match (options.ask.is_several(), options.shows_steps()) {
            (true, _) => memory.records_listed(),
            (_, true) => memory.records_listed().min(RECORDS_EXPLAINED),
            _ => u64::MAX,
        };
        let feed = CutterState::new(memory.chunk_bytes(options.chunk_bytes), most_records);
        Ok(Arc::new(Shared {
            began: feed.began,
            formatter: formatter(options.output_options())?,
            control: Arc::clone(control),
            progress: progress.clone(),
            queue: WorkQueue::new(&memory, options.ordered, control, &window),
            window,
            feed: Arc::new(feed),
            memory,
            audits: Mutex::default(),
            wants_rejects,
            packed,
            has_failed: AtomicBool::new(false),
            spare_outputs: Mutex::default(),
            pool: OnceLock::new(),
            options: options.clone(),
        }))
    }

    pub(crate) fn empty_output(&self) -> ChunkOutput {
        lock(&self.spare_outputs).pop().unwrap_or_else(|| ChunkOutput::new(self.options.top))
    }

    /// Accepts an output that was already written, so that its memory can be reused.
    pub(crate) fn recycle(&self, mut output: ChunkOutput) {
        let is_kept = self.memory.may_recycle(output.rows.capacity() / 4);
        output.clear(self.options.top);
        let mut spare = lock(&self.spare_outputs);
        if is_kept && (!self.memory.is_limited() || spare.len() < 4 * self.memory.threads()) {
            spare.push(output);
        }
    }

    /// Stops the run because of an error.
    pub(crate) fn fail(&self) {
        self.has_failed.store(true, Ordering::Release);
        self.control.cancel();
    }

    /// Returns true if an error stopped the run.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Ends the run after a thread panicked. Returns an error with the panic's message.
    ///
    /// The work of that thread is lost, so no other thread may wait for it. Therefore all threads stop using
    /// the queue and the reorder buffer.
    pub(crate) fn panicked(&self, thread: &str, panic: &(dyn Any + Send)) -> Error {
        self.fail();
        self.window.abandon();
        self.queue.close();
        ErrorKind::Internal(format!("{thread} panicked: {}", message_of(panic))).into()
    }

    /// Returns the thread pool of the run. The first call starts the pool.
    ///
    /// # Errors
    /// Returns the reason if the threads cannot be started.
    pub(crate) fn pool(&self) -> Result<&ThreadPool> {
        let start = || {
            let pool = ThreadPoolBuilder::new().num_threads(self.memory.threads());
            pool.thread_name(|number| format!("quadrille-{number}"))
                .build()
                .map_err(|error| error.to_string())
        };
        self.pool.get_or_init(start).as_ref().map_err(Error::threads)
    }

    /// Calls `lead` on this thread. Idle threads call `help` at the same time.
    ///
    /// An idle thread calls `help` again until `help` returns false or a chunk is available.
    pub(crate) fn share(&self, lead: &mut dyn FnMut(), help: &(dyn Fn() -> bool + Sync)) {
        let others = self.memory.threads() - 1;
        let pool = if others > 0 { self.pool().ok() } else { None };
        let Some(pool) = pool else { return lead() };
        pool.in_place_scope(|scope| {
            for _ in 0..others {
                scope.spawn(|_| while help() && !self.queue.has_chunk() {});
            }
            self.queue.offer_tasks(others);
            lead();
        });
    }
}
