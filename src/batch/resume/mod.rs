//! Going on after a kill: what a checkpoint says, and when one is written.

pub(super) mod checkpoint;
pub(super) mod schedule;
