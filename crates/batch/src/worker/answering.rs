//! Answering chunks: an engine for each kind of record, and what happens where one breaks down.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::client::{ChunkClient, SingleClient};
use super::jobs::OpenJobs;
use crate::chunk::state::Ticket;
use crate::shared::Shared;
use quadrille_engine::{Engine, EngineKind};
use quadrille_formats::input::Chunk;
use quadrille_model::message_of;

/// Open chunks, and the engines that answer their records: kept from chunk to chunk.
pub(crate) struct ChunkWorker {
    pub jobs: OpenJobs,
    engines: HashMap<EngineKind, Box<dyn Engine>>,
}

impl ChunkWorker {
    pub(crate) fn new(shared: &Arc<Shared>, number: usize) -> Self {
        ChunkWorker { jobs: OpenJobs::new(shared, number), engines: HashMap::new() }
    }

    /// Answers a chunk, and those that engines take meanwhile.
    pub(crate) fn answer(&mut self, chunk: Chunk) {
        self.jobs.take_in(chunk);
        self.finish();
    }

    /// Runs engines until all jobs are done, or the run is stopped.
    pub(crate) fn finish(&mut self) {
        while self.jobs.shared.control.stop().is_none() {
            let Some(kind) = self.jobs.next_engine(None) else { return };
            let control = Arc::clone(&self.jobs.shared.control);
            let run = self.run(kind, |engine, jobs| engine.run(&mut ChunkClient { jobs, kind }, &control));
            if run.is_err() {
                // Which of the records that it held broke it shows when each of them is alone with an engine.
                let held = self.jobs.take_back_held();
                held.into_iter().for_each(|ticket| self.run_alone(ticket));
            }
        }
    }

    /// Runs an engine on one of the records that another one held when it broke down.
    fn run_alone(&mut self, ticket: Ticket) {
        let (_, kind) = self.jobs.problem(ticket);
        let control = Arc::clone(&self.jobs.shared.control);
        let run =
            self.run(kind, |engine, jobs| engine.run(&mut SingleClient::new(jobs, kind, ticket), &control));
        if let Err(message) = run {
            self.jobs.give_up_alone(ticket, &message);
        }
    }

    /// Begins a large record of this number, with an engine that is gone afterwards.
    pub(crate) fn begin_large(&mut self, ticket: Ticket, record: u64) {
        let (_, kind) = self.jobs.problem(ticket);
        self.jobs.begin(ticket, record, kind);
        let kept = std::mem::take(&mut self.engines);
        self.run_alone(ticket);
        self.engines = kept;
    }

    /// Runs what is left to do for a large record, the searches for its clues, likewise.
    pub(crate) fn try_clues_of_large(&mut self) {
        let kept = std::mem::take(&mut self.engines);
        self.finish();
        self.engines = kept;
    }

    /// Runs an engine for the client of it that is made of the jobs.
    ///
    /// # Errors
    /// The message of its panic. Its arenas may be half-changed: it is thrown away.
    fn run(
        &mut self,
        kind: EngineKind,
        run: impl FnOnce(&mut dyn Engine, &mut OpenJobs),
    ) -> Result<(), String> {
        let isa = self.jobs.shared.options.preference.isa;
        let mut engine = self.engines.remove(&kind).unwrap_or_else(|| kind.info().make(isa));
        match catch_unwind(AssertUnwindSafe(|| run(engine.as_mut(), &mut self.jobs))) {
            Ok(()) => {
                self.engines.insert(kind, engine);
                Ok(())
            }
            Err(panic) if self.jobs.is_called => resume_unwind(panic),
            Err(panic) => Err(message_of(panic.as_ref())),
        }
    }
}
