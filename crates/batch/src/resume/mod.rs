//! Going on after a kill: the content of a checkpoint, and the moments at which one is written.

pub(super) mod checkpoint;
pub(super) mod schedule;
