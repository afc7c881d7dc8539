//! Batches of tables in memory.

/// Arrow batches, in memory or streamed.
pub(crate) type TableBatches = Box<dyn arrow_array::RecordBatchReader + Send>;
