//! Resuming after a kill: the contents of checkpoints, and the moments at which they are written.

pub(super) mod checkpoint;
pub(super) mod schedule;
