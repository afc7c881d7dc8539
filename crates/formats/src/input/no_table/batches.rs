//! In place of batches of tables.

/// Batches, which this build does not have.
pub enum TableBatches {}
