//! A run from its sources to its outputs.

use std::sync::Arc;
use std::time::Instant;

use super::account::{Ends, Report, account};
use super::flow::chunking;
use super::flow::writer::{Outputs, Written, write};
use super::memory::{MemoryPlan, threads_within};
use super::options::BatchOptions;
use super::progress::Progress;
use super::shared::Shared;
use super::worker::hard::SideWorkers;
use super::worker::work;
use crate::engine::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Reader, Source};
use crate::stats::{nanoseconds_since, processor_ns};

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
    let (begin, cpu_begin) = (Instant::now(), processor_ns());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads_within(options.memory, options.threads)?)
        .thread_name(|number| format!("quadrille-{number}"))
        .build()
        .map_err(|error| ErrorKind::Internal(format!("threads could not be started: {error}")))?;
    let memory = MemoryPlan::new(options.memory, pool.current_num_threads());
    let input = memory.input(&options.input);
    let reader = match &outputs.checkpoint {
        Some(checkpoint) => Reader::resume(sources, input, checkpoint.position),
        None => Reader::new(sources, input),
    };
    progress.reads_from(reader.progress());
    let shared = Shared::new(options, control, progress, memory, outputs.rejects.is_some())?;
    let side = SideWorkers::new(&shared);
    let fed = chunking::start(reader, &shared.feed, &shared.queue)?;
    let ends = std::thread::scope(|scope| {
        let writing = std::thread::Builder::new().name("quadrille-write".to_owned());
        let writing = match writing.spawn_scoped(scope, || write(&shared, outputs)) {
            Ok(writing) => writing,
            Err(cause) => {
                shared.queue.close();
                return Err(Error::io("starting", "the writing thread", 0, cause));
            }
        };
        let workers = pool.broadcast(|context| work(&shared, &side, context.index()));
        shared.queue.close();
        shared.window.close();
        // A stopped run does not wait for an input that stalls.
        let fed = if control.stop().is_some() { fed.try_recv().ok() } else { fed.recv().ok() };
        let written = writing.join().unwrap_or_else(|_| Written::broken_down());
        Ok(Ends { fed, written, workers, side: side.end() })
    })?;
    let mut report = account(&shared, ends);
    let clock = &mut report.statistics.clock;
    clock.wall_ns = clock.wall_ns.saturating_add(nanoseconds_since(begin));
    clock.cpu_ns = clock.cpu_ns.saturating_add(processor_ns().saturating_sub(cpu_begin));
    Ok(report)
}
