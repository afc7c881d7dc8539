//! Queues between the threads of a run. One queue passes chunks to the workers, another passes rows to the
//! writer.

pub(super) mod chunking;
pub(super) mod queue;
pub(super) mod reorder;
pub(super) mod writer;
