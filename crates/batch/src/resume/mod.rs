//! Resuming after a kill: the contents of checkpoints, and when they are written.

pub(super) mod checkpoint;
pub(super) mod schedule;
