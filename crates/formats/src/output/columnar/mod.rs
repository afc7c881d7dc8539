//! Files of columns: rows that [`table`](super::table) writes become Parquet or Arrow.

mod builders;
mod categories;
mod files;
mod parts;
mod sink;
mod text;

pub use files::{ArrowFile, ParquetFile};
pub use parts::ParquetParts;
pub use sink::{BatchSink, TableOutput};
