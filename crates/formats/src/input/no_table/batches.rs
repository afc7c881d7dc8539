//! Replaces the module for batches of tables in a build without the feature `parquet`.

/// Batches of a table. This build cannot create them.
pub enum TableBatches {}
