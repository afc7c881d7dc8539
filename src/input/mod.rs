//! Bytes to records: sources, decompression, sniffing, cutting into chunks, parsing.
//!
//! ```text
//! Source -> decompress -> blocks -> [bounded channel] -> Reader: sniff the head, cut at record boundaries
//!  (a thread of its own)                                    | Chunk
//!                                                           v
//!                                          Parser (one a worker): bytes -> Records
//! ```
//! A format is one file under `formats/` and one row of its table: what it is called, how its records are
//! found in a growing stretch of bytes (the cutter, sequential, cheap), and how one chunk of them is parsed (in
//! parallel). Cutter and parser agree on which lines are records: the numbers in a [`Chunk`] are exact.

mod cells;
mod chunk;
mod cutter;
mod decompress;
mod dialect;
mod formats;
mod grids;
mod head;
mod layout;
mod lines;
mod one;
mod options;
mod packed;
mod parser;
mod position;
mod reader;
mod record;
mod sniff;
mod source;
#[cfg(test)]
mod testing;

pub use chunk::{Chunk, ChunkBytes, ChunkTarget, Cut};
pub(crate) use dialect::Dialect;
pub use layout::{CsvLayout, Format, Layout};
pub(crate) use one::read_one;
pub use options::{ColumnRef, InputOptions, WeightSource, read_weights};
pub use packed::{ClueCounts, PlainLines};
pub use parser::Parser;
pub use position::Position;
pub use reader::Reader;
pub use record::{Body, Given, Record, Records, Span};
pub use source::{ReadProgress, Source};
