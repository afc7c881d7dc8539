//! Worker that answers chunks. It runs one engine for each kind of problem, and continues if an engine
//! panics.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::WorkerReport;
use super::client::ChunkClient;
use super::jobs::OpenJobs;
use crate::chunk::state::Ticket;
use crate::shared::Shared;
use quadrille_engine::{Engine, EngineKind};
use quadrille_formats::input::Chunk;
use quadrille_model::message_of;

/// Worker that answers chunks. It has the chunks that are being answered, and engines that it reuses for
/// later chunks.
pub(crate) struct ChunkWorker {
    pub jobs: OpenJobs,
    engines: HashMap<EngineKind, Box<dyn Engine>>,
}

impl ChunkWorker {
    pub(crate) fn new(shared: &Arc<Shared>, number: usize) -> Self {
        ChunkWorker { jobs: OpenJobs::new(shared, number), engines: HashMap::new() }
    }

    /// Returns the report of the worker. The report has no busy time and no lifetime.
    pub(super) fn report(self) -> WorkerReport {
        let OpenJobs { times, failure, .. } = self.jobs;
        WorkerReport { phases: times.phases, timeline: times.timeline, failure, ..WorkerReport::default() }
    }

    /// Answers a chunk. Also answers further chunks if an engine requests more records meanwhile.
    pub(crate) fn answer(&mut self, chunk: Chunk) {
        self.jobs.take_in(chunk);
        self.finish();
    }

    /// Runs engines until all records of the open chunks are answered or the run is stopped.
    pub(crate) fn finish(&mut self) {
        while self.jobs.shared.control.stop().is_none() {
            let Some(kind) = self.jobs.next_engine(None) else { return };
            if self.run(kind, None).is_err() {
                // Any of the records that the engine was working on may have caused the panic. To find the
                // cause, run each of these records alone.
                let held = self.jobs.take_back_held();
                held.into_iter().for_each(|ticket| self.run_alone(ticket));
            }
        }
    }

    /// Runs a new engine on a single record, after an engine panicked while it worked on this record and
    /// others.
    fn run_alone(&mut self, ticket: Ticket) {
        let (_, kind) = self.jobs.problem(ticket);
        if let Err(message) = self.run(kind, Some(Some(ticket))) {
            self.jobs.give_up_alone(ticket, &message);
        }
    }

    /// Begins the search for the record with number `record`, which is large (its search needs much memory).
    pub(crate) fn begin_large(&mut self, ticket: Ticket, record: u64) {
        let (_, kind) = self.jobs.problem(ticket);
        self.jobs.begin(ticket, record, kind);
        self.with_new_engines(|worker| worker.run_alone(ticket));
    }

    /// Calls `work` for a large record. Uses new engines that are dropped afterwards, to free the memory.
    pub(crate) fn with_new_engines(&mut self, work: impl FnOnce(&mut Self)) {
        let kept = std::mem::take(&mut self.engines);
        work(self);
        self.engines = kept;
    }

    /// Runs an engine on the records of the open chunks. If `alone` is given, runs the engine only on the
    /// record in `alone`.
    ///
    /// # Errors
    /// Returns the panic message if the engine panics. The engine is dropped, because its data may be
    /// inconsistent.
    fn run(&mut self, kind: EngineKind, alone: Option<Option<Ticket>>) -> Result<(), String> {
        let isa = self.jobs.shared.options.preference.isa;
        let control = Arc::clone(&self.jobs.shared.control);
        let mut client = ChunkClient { jobs: &mut self.jobs, kind, alone };
        let mut engine = self.engines.remove(&kind).unwrap_or_else(|| kind.info().make(isa));
        match catch_unwind(AssertUnwindSafe(|| engine.run(&mut client, &control))) {
            Ok(()) => {
                self.engines.insert(kind, engine);
                Ok(())
            }
            Err(panic) if self.jobs.is_called => resume_unwind(panic),
            Err(panic) => Err(message_of(panic.as_ref())),
        }
    }
}
