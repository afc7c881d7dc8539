//! Answering chunks: one engine for each kind of record, and recovery if an engine panics.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::client::ChunkClient;
use super::jobs::OpenJobs;
use crate::chunk::state::Ticket;
use crate::shared::Shared;
use quadrille_engine::{Engine, EngineKind};
use quadrille_formats::input::Chunk;
use quadrille_model::message_of;

/// Open chunks, and the engines that answer their records. Engines are kept from chunk to chunk.
pub(crate) struct ChunkWorker {
    pub jobs: OpenJobs,
    engines: HashMap<EngineKind, Box<dyn Engine>>,
}

impl ChunkWorker {
    pub(crate) fn new(shared: &Arc<Shared>, number: usize) -> Self {
        ChunkWorker { jobs: OpenJobs::new(shared, number), engines: HashMap::new() }
    }

    /// Answers a chunk, and the chunks that engines take meanwhile.
    pub(crate) fn answer(&mut self, chunk: Chunk) {
        self.jobs.take_in(chunk);
        self.finish();
    }

    /// Runs engines until all jobs are done or the run is stopped.
    pub(crate) fn finish(&mut self) {
        while self.jobs.shared.control.stop().is_none() {
            let Some(kind) = self.jobs.next_engine(None) else { return };
            if self.run(kind, None).is_err() {
                // Any of the records that the engine held may be the cause: each is run alone to find out.
                let held = self.jobs.take_back_held();
                held.into_iter().for_each(|ticket| self.run_alone(ticket));
            }
        }
    }

    /// Runs an engine on one of the records that another engine held when it panicked.
    fn run_alone(&mut self, ticket: Ticket) {
        let (_, kind) = self.jobs.problem(ticket);
        if let Err(message) = self.run(kind, Some(Some(ticket))) {
            self.jobs.give_up_alone(ticket, &message);
        }
    }

    /// Begins large record `record`, with a new engine that is dropped afterwards.
    pub(crate) fn begin_large(&mut self, ticket: Ticket, record: u64) {
        let (_, kind) = self.jobs.problem(ticket);
        self.jobs.begin(ticket, record, kind);
        let kept = std::mem::take(&mut self.engines);
        self.run_alone(ticket);
        self.engines = kept;
    }

    /// Runs the remaining searches that test the clues of a large record, with engines that are dropped afterwards.
    pub(crate) fn try_clues_of_large(&mut self) {
        let kept = std::mem::take(&mut self.engines);
        self.finish();
        self.engines = kept;
    }

    /// Runs an engine on the open jobs, or on the record that is `alone`.
    ///
    /// # Errors
    /// Returns the message of the engine's panic. The engine is dropped, since its arenas may be half-changed.
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
