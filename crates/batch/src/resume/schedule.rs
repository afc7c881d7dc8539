//! Times at which the writer thread saves a [`Checkpoint`].
//!
//! A run can only be resumed from a point between two chunks. All output before that point must be the same
//! as in an uninterrupted run. If a signal or the deadline stops the search for a record, the record's answer
//! is still written. But no checkpoint covers this answer. The last checkpoint then has the state before the
//! record's chunk.

use super::checkpoint::{Checkpoint, Snapshot};
use crate::chunk::output::ChunkOutput;
use crate::stats::Statistics;
use quadrille_formats::input::Position;
use quadrille_model::EndedBy;

/// Decides when to save a checkpoint, and which state of the run to save.
///
/// If a method returns a snapshot, the caller must at once flush all outputs and save the snapshot.
pub(crate) struct CheckpointSchedule {
    pub checkpoint: Checkpoint,
    /// State before the current chunk, if that chunk is written in several pieces.
    before_chunk: Option<Snapshot>,
    /// True if the current chunk is written in several pieces and is not complete yet.
    is_within: bool,
    /// True if no more checkpoints may be saved.
    pub is_over: bool,
}

impl CheckpointSchedule {
    pub(crate) fn new(checkpoint: Checkpoint) -> Self {
        CheckpointSchedule { checkpoint, before_chunk: None, is_within: false, is_over: false }
    }

    /// Prepares for writing `output`, which is a piece of a chunk. Returns a snapshot that must be saved
    /// before the piece is written, or `None`.
    pub(crate) fn before(&mut self, output: &ChunkOutput, statistics: &Statistics) -> Option<Snapshot> {
        self.checkpoint.has_written = true;
        let early = [EndedBy::Cancel, EndedBy::Deadline];
        let has = |by: EndedBy| output.parts().any(|part| !part.statistics.first_ended_by(by).is_empty());
        if output.cut || early.into_iter().any(has) {
            return self.finish(statistics);
        }
        // Store no snapshot if rows cannot be removed after they were completed. The run can then only be
        // resumed from the last saved checkpoint.
        self.is_within = !output.is_last();
        let keeps = !self.is_over && self.checkpoint.can_cut();
        if self.is_within && keeps && self.before_chunk.is_none() {
            self.before_chunk = Some(self.moment(statistics));
        }
        None
    }

    /// Notes that a piece was written. Returns a snapshot that must be saved now, or `None`.
    ///
    /// `end` is the input position after the chunk if this was the last piece of the chunk. Otherwise it is
    /// `None`.
    pub(crate) fn after(&mut self, end: Option<Position>, statistics: &Statistics) -> Option<Snapshot> {
        let end = end.filter(|_| !self.is_over)?;
        self.before_chunk = None;
        self.checkpoint.position = end;
        self.checkpoint.is_due().then(|| self.moment(statistics))
    }

    /// Completes the rows written so far and returns a snapshot.
    fn moment(&mut self, statistics: &Statistics) -> Snapshot {
        self.checkpoint.seal();
        self.checkpoint.moment(statistics)
    }

    /// Returns the last snapshot of the run, or `None` if no more checkpoints may be saved.
    pub(crate) fn finish(&mut self, statistics: &Statistics) -> Option<Snapshot> {
        let was_over = std::mem::replace(&mut self.is_over, true);
        if was_over || self.is_within && !self.checkpoint.can_cut() {
            return None;
        }
        Some(self.before_chunk.take().unwrap_or_else(|| self.moment(statistics)))
    }
}
