//! A run from its sources to its outputs: starts the threads, joins them, and accounts for every record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::batch::chunk::state::ChunkOutput;
use crate::batch::flow::chunking::{self, ChunkFeed, FeedReport};
use crate::batch::flow::reorder::{Piece, ReorderBuffer};
use crate::batch::flow::writer::{Outputs, Written, write};
use crate::batch::options::{BatchOptions, OnError};
use crate::batch::progress::Progress;
use crate::batch::worker::jobs::nanoseconds_since;
use crate::batch::worker::seats::Seats;
use crate::batch::worker::{Worker, message_of};
use crate::engine::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Chunk, Format, Reader, Source};
use crate::model::EndedBy;
use crate::output::{Formatter, formatter};
use crate::stats::{Phases, Statistics, ThreadTime, processor_ns};

/// How a run ended.
#[derive(Debug)]
pub struct Report {
    /// Everything counted and measured.
    pub statistics: Statistics,
    /// The first thing that went wrong with the run as a whole. What was answered before it is written.
    pub error: Option<Error>,
    /// The reader of the output went away: a quiet end.
    pub output_closed: bool,
    /// What stopped the run early: a cancel or the deadline.
    pub stopped_by: Option<EndedBy>,
    /// The format of the first source; `None` where no source had a record.
    pub first_format: Option<Format>,
    /// How many records the last checkpoint speaks of; `None` for a run without checkpoints.
    pub kept: Option<u64>,
}

/// What all threads of a run share.
pub(crate) struct Shared<'r> {
    pub options: &'r BatchOptions,
    pub formatter: Box<dyn Formatter>,
    pub control: Arc<Control>,
    pub progress: &'r Progress,
    pub window: Arc<ReorderBuffer<ChunkOutput>>,
    pub chunks: Receiver<Chunk>,
    pub seats: Arc<Seats>,
    /// A word for every thread that waits, when there is a record to help with.
    pub wake: Receiver<()>,
    pub feed: Arc<ChunkFeed>,
    pub workers: usize,
    spare_pages: Mutex<Vec<ChunkOutput>>,
}

/// What a worker says at its end.
pub(crate) struct WorkerReport {
    pub phases: Phases,
    pub time: ThreadTime,
    pub failure: Option<Error>,
}

impl WorkerReport {
    /// For a worker that did not end as it should.
    fn broken_down(message: &str) -> Self {
        let failure = ErrorKind::Internal(format!("a worker broke down: {message}")).into();
        WorkerReport {
            phases: Phases::default(),
            time: ThreadTime { busy_ns: 0, wall_ns: 0 },
            failure: Some(failure),
        }
    }
}

impl Shared<'_> {
    pub(crate) fn spare_pages(&self) -> ChunkOutput {
        lock(&self.spare_pages).pop().unwrap_or_else(|| self.new_pages())
    }

    pub(crate) fn new_pages(&self) -> ChunkOutput {
        ChunkOutput::new(self.options.top)
    }

    /// Takes pages back after they were written.
    pub(crate) fn recycle_pages(&self, mut pages: ChunkOutput) {
        pages.clear(self.options.top);
        lock(&self.spare_pages).push(pages);
    }

    /// The next chunk, if one is there and this thread may go on taking them.
    pub(crate) fn try_chunk(&self) -> Option<Chunk> {
        if self.seats.are_wanted() { None } else { self.chunks.try_recv().ok() }
    }

    /// What stands before all rows.
    pub(crate) fn head(&self) -> Vec<u8> {
        let layout = self.feed.first_layout().unwrap_or_default();
        let mut head = Vec::new();
        self.formatter.begin(&layout, &mut head);
        head
    }

    pub(crate) fn submit(&self, sequence: u64, last: bool, pages: ChunkOutput) {
        let bytes = pages.output.len() + pages.rejects.len();
        self.window.submit(Piece { sequence, last, bytes, content: pages });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads all sources, answers every record, writes the answers in order.
///
/// `control` stops the run early: what is answered by then is written up to the first record that is not.
/// Answers do not depend on the number of threads or the size of chunks.
///
/// # Errors
/// Options that contradict each other, or threads that cannot be started. What goes wrong later stands in the
/// [`Report`], beside what was done before it.
pub fn run(
    sources: Vec<Source>,
    options: &BatchOptions,
    outputs: Outputs<'_>,
    control: &Arc<Control>,
    progress: &Progress,
) -> Result<Report> {
    options.validate()?;
    let begin = Instant::now();
    let cpu_begin = processor_ns();
    let formatter = formatter(options.output_options())?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .thread_name(|number| format!("quadrille-{number}"))
        .build()
        .map_err(|error| ErrorKind::Internal(format!("threads could not be started: {error}")))?;
    let workers = pool.current_num_threads();
    let reader = match &outputs.checkpoint {
        Some(checkpoint) => Reader::resume(sources, options.input.clone(), checkpoint.position),
        None => Reader::new(sources, options.input.clone()),
    };
    progress.reads_from(reader.progress());
    let (to_workers, chunks) = bounded(2 * workers);
    let (waker, wake) = unbounded();
    let window = Arc::new(ReorderBuffer::new(options.ordered, options.window_bytes));
    let has_chunk = {
        let (chunks, window) = (chunks.clone(), Arc::clone(&window));
        move || !chunks.is_empty() && window.has_room()
    };
    let shared = Shared {
        options,
        formatter,
        control: Arc::clone(control),
        progress,
        window,
        chunks,
        seats: Seats::new(workers, options.ordered, waker, has_chunk),
        wake,
        feed: Arc::new(ChunkFeed::new(options.chunk_bytes, Arc::clone(control))),
        workers,
        spare_pages: Mutex::new(Vec::new()),
    };
    let ends = run_threads(&shared, &pool, reader, outputs, to_workers)?;
    let mut report = account(&shared, ends);
    let clock = &mut report.statistics.clock;
    clock.wall_ns = clock.wall_ns.saturating_add(nanoseconds_since(begin));
    clock.cpu_ns = clock.cpu_ns.saturating_add(processor_ns().saturating_sub(cpu_begin));
    Ok(report)
}

/// What the threads of a run say at their ends.
struct Ends {
    /// `None` where the run was stopped while its input stalled.
    fed: Option<FeedReport>,
    written: Written,
    workers: Vec<WorkerReport>,
}

fn run_threads(
    shared: &Shared<'_>,
    pool: &rayon::ThreadPool,
    reader: Reader,
    outputs: Outputs<'_>,
    to_workers: Sender<Chunk>,
) -> Result<Ends> {
    let fed = chunking::start(reader, Arc::clone(&shared.feed), to_workers)?;
    Ok(std::thread::scope(|scope| {
        let writing = scope.spawn(|| write(shared, outputs));
        let spares = scope.spawn(move || start_spares(shared, scope));
        let mut workers = pool.broadcast(|context| work(shared, context.index()));
        shared.seats.close();
        workers.extend(spares.join().unwrap_or_else(|panic| vec![break_down(shared, panic.as_ref())]));
        shared.window.close();
        // A stopped run does not wait for an input that stalls.
        let fed = if shared.control.stop().is_some() { fed.try_recv().ok() } else { fed.recv().ok() };
        let written = writing.join().unwrap_or_else(|_| Written::broken_down());
        Ends { fed, written, workers }
    }))
}

/// The life of a worker.
fn work(shared: &Shared<'_>, number: usize) -> WorkerReport {
    catch_unwind(AssertUnwindSafe(|| Worker::new(shared, number).run()))
        .unwrap_or_else(|panic| break_down(shared, panic.as_ref()))
}

/// Ends a run one of whose workers broke down: what it held never comes, and nobody may wait for it.
fn break_down(shared: &Shared<'_>, panic: &(dyn std::any::Any + Send)) -> WorkerReport {
    shared.control.cancel();
    shared.window.abandon();
    WorkerReport::broken_down(&message_of(panic))
}

/// Starts spares when they are wanted, and gives what they say at their ends.
fn start_spares<'s, 'e>(shared: &'s Shared<'_>, scope: &'s Scope<'s, 'e>) -> Vec<WorkerReport> {
    let mut spares = Vec::new();
    while shared.seats.next_spare() {
        let number = shared.workers + spares.len();
        let name = format!("quadrille-{number}");
        // A pool of its own: what a spare spreads over its pool must not be done by threads beyond those of the run.
        let thread_name = name.clone();
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(move |_| thread_name.clone()).build();
        let start = |pool: rayon::ThreadPool| {
            let spare = Builder::new().name(name);
            spare.spawn_scoped(scope, move || pool.install(|| work(shared, number))).ok()
        };
        match pool.ok().and_then(start) {
            Some(spare) => spares.push(spare),
            None => shared.seats.spare_is_missing(),
        }
    }
    let ends = spares.into_iter().map(ScopedJoinHandle::join);
    ends.map(|end| end.unwrap_or_else(|panic| break_down(shared, panic.as_ref()))).collect()
}

/// Puts the ends together, and checks that no record was lost or doubled.
fn account(shared: &Shared<'_>, ends: Ends) -> Report {
    let Ends { fed, written, workers } = ends;
    let mut statistics = written.statistics;
    let mut failure = None;
    let mut threads: Vec<ThreadTime> = Vec::with_capacity(shared.workers);
    for (number, worker) in workers.into_iter().enumerate() {
        statistics.clock.phases += worker.phases;
        if number < shared.workers {
            threads.push(worker.time);
        } else {
            // A spare worked while another waited: no more computed at a time.
            threads[number % shared.workers].busy_ns += worker.time.busy_ns;
        }
        failure = failure.or(worker.failure);
    }
    statistics.clock.threads.append(&mut threads);
    statistics.clock.phases.writing_ns += written.writing_ns;
    let mut fed_error = None;
    let (mut read, mut read_all) = (None, false);
    if let Some(fed) = fed {
        statistics.clock.phases.reading_ns += fed.reading_ns;
        (fed_error, read, read_all) = (fed.error, Some(fed.records), fed.ended);
        statistics.bytes_in = fed.bytes;
    }
    let cut_short = |ended_by| statistics.ended_by(ended_by) > 0;
    let unfinished = !read_all || cut_short(EndedBy::Cancel) || cut_short(EndedBy::Deadline);
    // Whoever cannot write stops the run too, for a reason of its own.
    let stopped_by = match written.cut {
        _ if written.closed || written.error.is_some() => None,
        None if unfinished => shared.control.stop(),
        cut => cut,
    };
    let whole = stopped_by.is_none() && written.error.is_none() && !written.closed && failure.is_none();
    let accounted = statistics.answered() + statistics.rejected();
    // In a run that was stopped, what was read and not answered is no loss: the output says how far it goes.
    statistics.records_in = read.filter(|_| whole).unwrap_or(accounted);
    let row_each = !shared.options.ask.is_several()
        && shared.options.only.is_empty()
        && shared.options.on_error == OnError::Row;
    let rows_fit = !whole || !row_each || statistics.rows_out == accounted;
    let lost = (!statistics.is_balanced() || !rows_fit).then(|| {
        let (read, rows) = (statistics.records_in, statistics.rows_out);
        let message = format!("{read} records were read, {accounted} accounted for, {rows} rows written");
        Error::from(ErrorKind::Internal(message))
    });
    Report {
        statistics,
        error: failure.or(written.error).or(fed_error).or(lost),
        output_closed: written.closed,
        stopped_by,
        kept: written.kept,
        first_format: shared.feed.first_layout().map(|layout| layout.format),
    }
}
