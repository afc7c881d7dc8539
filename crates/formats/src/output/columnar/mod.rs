//! Converts the rows that [`table`](super::table) writes to Parquet and Arrow files.

mod builders;
mod categories;
mod files;
mod parts;
mod sink;
mod text;

pub use files::{ArrowFile, ParquetFile};
pub use parts::ParquetParts;
pub use sink::{BatchSink, TableOutput};
