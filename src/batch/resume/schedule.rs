//! Decides when a run writes its checkpoints: the writer's side of [`Checkpoint`].
//!
//! A run can only be resumed between two chunks, and only where everything before is as an uninterrupted run would
//! have it. A record that a signal or the deadline ended early is answered in the output, but no checkpoint covers it:
//! the last one is of the moment before its chunk.

use super::checkpoint::{Checkpoint, Moment};
use crate::batch::chunk::output::ChunkOutput;
use crate::error::Result;
use crate::input::Position;
use crate::model::EndedBy;
use crate::stats::Statistics;

/// Decides when a checkpoint is written, and of which moment.
pub(crate) struct CheckpointSchedule {
    pub checkpoint: Checkpoint,
    /// The last moment between two chunks.
    position: Position,
    headed: bool,
    /// That moment, while a chunk is written in several pieces.
    before_chunk: Option<Moment>,
    /// True if there is to be no further checkpoint.
    is_over: bool,
}

/// The step to take about a piece before it is written.
pub(crate) enum Before {
    Nothing,
    /// Flush, then save this.
    Save(Box<Moment>),
}

impl CheckpointSchedule {
    pub(crate) fn new(checkpoint: Checkpoint) -> Self {
        let (position, headed) = (checkpoint.position, checkpoint.headed);
        CheckpointSchedule { checkpoint, position, headed, before_chunk: None, is_over: false }
    }

    /// The head of the output is written.
    pub(crate) fn head_is_written(&mut self) {
        self.headed = true;
    }

    fn now(&self, statistics: &Statistics) -> Moment {
        self.checkpoint.moment(self.position, self.headed, statistics)
    }

    /// Looks at a piece that is to be written next, `last` of its chunk or not.
    pub(crate) fn before(&mut self, output: &ChunkOutput, last: bool, statistics: &Statistics) -> Before {
        if self.is_over {
            return Before::Nothing;
        }
        let early = [EndedBy::Cancel, EndedBy::Deadline];
        if output.cut || early.iter().any(|&early| !output.statistics.first_ended_by(early).is_empty()) {
            self.is_over = true;
            let moment = self.before_chunk.take().unwrap_or_else(|| self.now(statistics));
            return Before::Save(Box::new(moment));
        }
        if !last && self.before_chunk.is_none() {
            self.before_chunk = Some(self.now(statistics));
        }
        Before::Nothing
    }

    /// A piece was written well; with `end` it was the last of its chunk. Returns true if the caller is to flush and
    /// [`save`](Self::save).
    pub(crate) fn after(&mut self, end: Option<Position>) -> bool {
        let Some(end) = end.filter(|_| !self.is_over) else { return false };
        self.before_chunk = None;
        self.position = end;
        self.checkpoint.is_due()
    }

    /// Saves the present moment, which is one between two chunks.
    ///
    /// # Errors
    /// As [`Checkpoint::save`].
    pub(crate) fn save(&mut self, statistics: &Statistics) -> Result<()> {
        let now = self.now(statistics);
        self.checkpoint.save(&now)
    }

    /// Saves the last moment of the run, unless that was done.
    ///
    /// # Errors
    /// As [`Checkpoint::save`].
    pub(crate) fn finish(&mut self, statistics: &Statistics) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        self.is_over = true;
        let moment = self.before_chunk.take().unwrap_or_else(|| self.now(statistics));
        self.checkpoint.save(&moment)
    }
}
