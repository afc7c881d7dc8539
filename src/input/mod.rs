//! Bytes to records: sources, decompression, sniffing, cutting into chunks, parsing.

mod chunk;
mod layout;
mod record;

pub use chunk::{Chunk, ChunkTarget, Cut};
pub use layout::{CsvLayout, Format, Layout};
pub use record::{Body, Given, Record, Records, Span};
