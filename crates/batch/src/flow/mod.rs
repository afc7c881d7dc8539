//! The queues between the threads of a run: chunks to the workers, rows to the writer.

pub(super) mod chunking;
pub(super) mod queue;
pub(super) mod reorder;
pub(super) mod writer;
