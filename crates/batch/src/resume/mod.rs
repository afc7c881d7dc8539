//! Resuming a run after it was killed: the content of checkpoints, and when to write them.

pub(super) mod checkpoint;
pub(super) mod schedule;
