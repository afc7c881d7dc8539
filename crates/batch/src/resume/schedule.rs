//! Decides when a run writes its checkpoints: the writer's side of [`Checkpoint`].
//!
//! A run can only be resumed between two chunks, and only if everything before is what an uninterrupted run would have
//! written. If a signal or the deadline ends a record early, its answer is written, but no checkpoint covers it. The
//! last checkpoint is then that of the state before its chunk.

use super::checkpoint::{Checkpoint, Snapshot};
use crate::chunk::output::ChunkOutput;
use crate::stats::Statistics;
use quadrille_formats::input::Position;
use quadrille_model::EndedBy;

/// Decides when a checkpoint is written, and for which state of the run.
///
/// A snapshot that a method returns must be saved immediately, after all outputs are flushed.
pub(crate) struct CheckpointSchedule {
    pub checkpoint: Checkpoint,
    /// State before the current chunk, while that is written in several pieces.
    before_chunk: Option<Snapshot>,
    /// True while a chunk is written in several pieces and not yet complete.
    is_within: bool,
    /// True if no further checkpoint is written.
    pub is_over: bool,
}

impl CheckpointSchedule {
    pub(crate) fn new(checkpoint: Checkpoint) -> Self {
        CheckpointSchedule { checkpoint, before_chunk: None, is_within: false, is_over: false }
    }

    /// Takes note of the piece that is written next. Returns a snapshot to save before it, or `None`.
    pub(crate) fn before(&mut self, output: &ChunkOutput, statistics: &Statistics) -> Option<Snapshot> {
        self.checkpoint.has_written = true;
        let early = [EndedBy::Cancel, EndedBy::Deadline];
        let has = |by: EndedBy| output.parts().any(|part| !part.statistics.first_ended_by(by).is_empty());
        if output.cut || early.into_iter().any(has) {
            return self.finish(statistics);
        }
        // If completed rows cannot be cut off again, no snapshot is kept here, and the last checkpoint remains the one to
        // resume from.
        self.is_within = !output.is_last();
        let keeps = !self.is_over && self.checkpoint.can_cut();
        if self.is_within && keeps && self.before_chunk.is_none() {
            self.before_chunk = Some(self.moment(statistics));
        }
        None
    }

    /// Takes note of a written piece. Returns a snapshot to save after it, or `None`.
    ///
    /// `end` is the input position after the chunk if the piece was its last.
    pub(crate) fn after(&mut self, end: Option<Position>, statistics: &Statistics) -> Option<Snapshot> {
        let end = end.filter(|_| !self.is_over)?;
        self.before_chunk = None;
        self.checkpoint.position = end;
        self.checkpoint.is_due().then(|| self.moment(statistics))
    }

    /// Completes the rows so far and returns a snapshot.
    fn moment(&mut self, statistics: &Statistics) -> Snapshot {
        self.checkpoint.seal();
        self.checkpoint.moment(statistics)
    }

    /// Returns the last snapshot of the run, or `None` if no further checkpoint may be written.
    pub(crate) fn finish(&mut self, statistics: &Statistics) -> Option<Snapshot> {
        let was_over = std::mem::replace(&mut self.is_over, true);
        if was_over || self.is_within && !self.checkpoint.can_cut() {
            return None;
        }
        Some(self.before_chunk.take().unwrap_or_else(|| self.moment(statistics)))
    }
}
