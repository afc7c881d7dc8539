//! Bytes to records: sources, decompression, sniffing, cutting into chunks, parsing.
//!
//! ```text
//! Source -> decompress -> blocks -> [bounded channel] -> Reader: sniff the head, cut at record boundaries
//!  (a thread of its own)                                    | Chunk
//!                                                           v
//!                                          Parser (one a worker): bytes -> Records
//! ```
//! A format is one file under `formats/` and one row of its table, with the format's name, cutter and parser. The
//! cutter finds records in a growing stretch of bytes; it is sequential and cheap. The parser reads one chunk;
//! parsers run in parallel. Both must agree on which lines are records, so that the numbers in a [`Chunk`] are exact.

mod beside;
mod cells;
mod chunk;
mod column_names;
mod cutter;
mod decompress;
mod dialect;
mod feed;
mod formats;
mod from_text;
mod grids;
mod head;
mod layout;
mod lines;
mod looks;
mod members;
mod one;
mod options;
mod packed;
mod parser;
mod position;
mod reader;
mod record;
mod row_text;
mod ruled;
mod shared_rules;
mod sniff;
mod source;
mod spreadsheet;
#[cfg(feature = "parquet")]
mod table;
#[cfg(test)]
mod testing;

pub(crate) use beside::{Beside, BesideField, Column, beside, columns_of, has_all_columns, header_of};
pub(crate) use chunk::ChunkBytes;
pub use column_names::ColumnRef;
pub(crate) use dialect::Dialect;
pub use feed::ReadProgress;
pub use from_text::FromText;
pub use internals::*;
pub use layout::{Format, LineBreak};
pub(crate) use members::Role;
pub(crate) use one::read_one;
pub use options::{InputOptions, OtherColumns, WeightSource};
pub use packed::{ClueCounts, PlainLines};
pub use source::Source;
#[cfg(feature = "parquet")]
pub use table::{Carried, CarriedBatches};

/// Items for tests, fuzzers and benchmarks of this package only, see `internals`.
pub mod internals {
    pub use super::chunk::{Chunk, ChunkTarget, Cut};
    pub use super::layout::{CsvLayout, Layout, TableColumn, TableLayout};
    pub use super::members::MemberLayout;
    pub use super::one::read_problem;
    pub use super::options::read_weights;
    pub use super::parser::Parser;
    pub use super::position::Position;
    pub use super::reader::Reader;
    pub use super::record::{Body, Given, Record, Records, Span};
    pub use super::shared_rules::SharedRules;
    pub use super::spreadsheet::ROUNDED;
}
