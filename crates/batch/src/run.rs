//! A run of the batch engine, which reads sources and writes outputs.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Receiver;

use super::finish::{Report, ThreadReports, finish};
use super::flow::chunking::{self, CutterReport};
use super::flow::queue::WorkQueue;
use super::flow::writer::{Outputs, write};
use super::memory::{MemoryPlan, threads_within};
use super::options::BatchOptions;
use super::progress::Progress;
use super::shared::Shared;
use super::worker::hard::NestedWorkers;
use super::worker::{WorkerReport, work};
use crate::stats::{nanoseconds_since, processor_ns};
use quadrille_engine::Control;
use quadrille_formats::input::{InputOptions, Reader, Source};
use quadrille_model::{Error, Result};

/// Reads all sources, answers every record, and writes the answers in order.
///
/// `control` can stop the run early. Answers are then written up to the first unanswered record. Answers do
/// not depend on the number of threads or the size of chunks.
///
/// # Errors
/// Returns an error if options contradict each other or threads cannot be started. Later errors are part of
/// the [`Report`], together with the results up to the error.
pub fn run(
    sources: Vec<Source>,
    options: &BatchOptions,
    outputs: Outputs<'_>,
    control: &Arc<Control>,
    progress: &Progress,
) -> Result<Report> {
    options.validate()?;
    let (begin, cpu_begin) = (Instant::now(), processor_ns());
    let memory = MemoryPlan::new(options.memory, threads_within(options.memory, options.threads)?);
    let input = InputOptions { other_columns: options.other_columns(), ..memory.input(&options.input) };
    let reader = match &outputs.checkpoint {
        Some(checkpoint) => Reader::resume(sources, input, checkpoint.position),
        None => Reader::new(sources, input),
    };
    progress.reads_from(reader.progress());
    let about_outputs = (outputs.rejects.is_some(), outputs.packed.clone());
    let shared = Shared::new(options, control, progress, memory, about_outputs)?;
    let side = NestedWorkers::new(&shared);
    let fed = chunking::start(reader, &shared.feed, &shared.queue)?;
    // One thread is enough for a short input, unless it has hard records.
    let is_short = shared.queue.has_one_chunk() && !options.ask.is_several();
    // `next_chunk` never waits, and hard records stay in the queue.
    let first = is_short.then(|| work(&shared, &side, 0, WorkQueue::next_chunk));
    let ends = if shared.queue.is_over() {
        shared.window.close();
        let written = write(&shared, outputs);
        let wall_ns = first.as_ref().map_or(0, |first| first.time.wall_ns);
        let idle = std::iter::repeat_with(|| WorkerReport::idle(wall_ns));
        let workers = first.into_iter().chain(idle).take(memory.threads()).collect();
        ThreadReports { fed: fed.try_recv().ok(), written, workers, side: side.end() }
    } else {
        spread(&shared, &side, &fed, outputs, first)?
    };
    let mut report = finish(&shared, ends);
    let clock = &mut report.statistics.clock;
    clock.wall_ns = clock.wall_ns.saturating_add(nanoseconds_since(begin));
    clock.cpu_ns = clock.cpu_ns.saturating_add(processor_ns().saturating_sub(cpu_begin));
    Ok(report)
}

/// Answers the remaining records on all threads of the run. Meanwhile, a further thread writes rows.
///
/// If this thread has already answered records alone, `first` is its report. That report is merged into the
/// report of the first thread.
///
/// # Errors
/// Returns an error if threads cannot be started.
fn spread(
    shared: &Arc<Shared>,
    side: &Arc<NestedWorkers>,
    fed: &Receiver<CutterReport>,
    outputs: Outputs<'_>,
    first: Option<WorkerReport>,
) -> Result<ThreadReports> {
    let pool = shared.pool().inspect_err(|_| shared.queue.close())?;
    std::thread::scope(|scope| {
        let writing = std::thread::Builder::new().name("quadrille-write".to_owned());
        let writing = match writing.spawn_scoped(scope, || write(shared, outputs)) {
            Ok(writing) => writing,
            Err(cause) => {
                shared.queue.close();
                return Err(Error::io("starting", "the writing thread", 0, cause));
            }
        };
        let mut workers = pool.broadcast(|context| work(shared, side, context.index(), WorkQueue::next));
        if let (Some(worker), Some(first)) = (workers.first_mut(), first) {
            let later = std::mem::replace(worker, first);
            worker.add(later);
        }
        shared.queue.close();
        shared.window.close();
        // The input may stall, and a stopped run must not wait for it.
        let fed = if shared.control.stop().is_some() { fed.try_recv().ok() } else { fed.recv().ok() };
        let written = writing.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(ThreadReports { fed, written, workers, side: side.end() })
    })
}
