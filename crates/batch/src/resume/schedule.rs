//! Decides when a run writes its checkpoints: the writer's side of [`Checkpoint`].
//!
//! A run can only be resumed between two chunks, and only where everything before is as an uninterrupted run would
//! have it. A record that a signal or the deadline ended early is answered in the output, but no checkpoint covers it:
//! the last one is of the moment before its chunk.

use super::checkpoint::{Checkpoint, Moment};
use crate::chunk::output::ChunkOutput;
use crate::stats::Statistics;
use quadrille_formats::input::Position;
use quadrille_model::EndedBy;

/// Decides when a checkpoint is written, and of which moment. A moment that its methods return is to be saved at once,
/// when everything written is flushed.
pub(crate) struct CheckpointSchedule {
    pub checkpoint: Checkpoint,
    /// The last moment between two chunks, while a chunk is written in several pieces.
    before_chunk: Option<Moment>,
    /// A chunk is written in several pieces, and some of them are.
    is_within: bool,
    /// True if there is to be no further checkpoint.
    pub is_over: bool,
}

impl CheckpointSchedule {
    pub(crate) fn new(checkpoint: Checkpoint) -> Self {
        CheckpointSchedule { checkpoint, before_chunk: None, is_within: false, is_over: false }
    }

    /// Looks at a piece that is to be written next.
    pub(crate) fn before(&mut self, output: &ChunkOutput, statistics: &Statistics) -> Option<Moment> {
        self.checkpoint.has_written = true;
        let early = [EndedBy::Cancel, EndedBy::Deadline];
        if output.cut || early.iter().any(|&early| !output.statistics.first_ended_by(early).is_empty()) {
            return self.finish(statistics);
        }
        // Rows that are made complete cannot be taken back: then the last checkpoint stands.
        self.is_within = !output.is_last();
        let keeps = !self.is_over && !self.checkpoint.has_seal();
        if self.is_within && keeps && self.before_chunk.is_none() {
            self.before_chunk = Some(self.checkpoint.moment(statistics));
        }
        None
    }

    /// A piece was written well; with `end` it was the last of its chunk.
    pub(crate) fn after(&mut self, end: Option<Position>, statistics: &Statistics) -> Option<Moment> {
        let end = end.filter(|_| !self.is_over)?;
        self.before_chunk = None;
        self.checkpoint.position = end;
        self.checkpoint.is_due().then(|| self.moment(statistics))
    }

    /// The present moment, with all of its rows complete.
    fn moment(&mut self, statistics: &Statistics) -> Moment {
        self.checkpoint.seal();
        self.checkpoint.moment(statistics)
    }

    /// Returns the last moment of the run, unless that was done: no other follows.
    pub(crate) fn finish(&mut self, statistics: &Statistics) -> Option<Moment> {
        let was_over = std::mem::replace(&mut self.is_over, true);
        if was_over || self.is_within && self.checkpoint.has_seal() {
            return None;
        }
        Some(self.before_chunk.take().unwrap_or_else(|| self.moment(statistics)))
    }
}
