//! Bytes to records: sources, decompression, sniffing, cutting into chunks, parsing.
//!
//! ```text
//! Source -> decompress -> blocks -> [bounded channel] -> Reader: sniff the head, cut at record boundaries
//!  (a thread of its own)                                    | Chunk
//!                                                           v
//!                                          Parser (one a worker): bytes -> Records
//! ```
//! A format is one file under `formats/` and one row of the table of formats, with the format's name, cutter and
//! parser. The cutter finds records in a growing stretch of bytes; it is sequential and cheap. The parser reads one
//! chunk; parsers run in parallel. Both must agree on which lines are records, so that the numbers in a [`Chunk`] are
//! exact.

mod by_content;
mod cells;
mod characters;
mod chunk;
mod column_names;
mod cutter;
mod decompress;
mod dialect;
#[cfg(test)]
mod examples;
mod feed;
mod format_hints;
mod formats;
mod from_text;
mod grids;
mod head;
mod json_members;
mod layout;
mod line_counts;
mod lines;
#[cfg(test)]
mod noise;
mod options;
mod parser;
mod plain_lines;
mod position;
mod read_one;
mod reader;
mod record;
mod row_text;
mod shapes;
mod shared_rules;
mod sniff;
mod source;
mod source_columns;
mod spreadsheet;
#[cfg(feature = "parquet")]
mod table;
#[cfg(test)]
mod testing;
mod trial;
mod variant;

pub(crate) use chunk::ChunkBytes;
pub use column_names::ColumnRef;
pub(crate) use dialect::Dialect;
pub use feed::ReadProgress;
pub use from_text::FromText;
pub use internals::*;
pub use layout::{Format, LineBreak};
pub use line_counts::{LineCounts, LineKind};
pub use options::{InputOptions, OtherColumns, WeightSource};
pub use plain_lines::{ClueCounts, PlainLines};
pub(crate) use read_one::read_one;
pub use source::Source;
pub(crate) use source_columns::{
    ColumnField, ColumnValue, SourceColumn, beside, columns_of, has_all_columns, header_of,
};
#[cfg(feature = "parquet")]
pub use table::{PassthroughBatches, PassthroughColumns};

/// Items for tests and fuzzers of this package only, see `internals`.
pub mod internals {
    pub use super::chunk::{Chunk, ChunkTarget, Cut};
    pub use super::format_hints::format_hint;
    pub use super::json_members::{MemberLayout, Role};
    pub use super::layout::{CsvLayout, Layout, TableColumn, TableLayout};
    pub use super::options::read_weights;
    pub use super::parser::Parser;
    pub use super::position::Position;
    pub use super::read_one::read_problem;
    pub use super::reader::Reader;
    pub use super::record::{Body, GivenSolution, Record, Records, Span};
    pub use super::shared_rules::SharedRules;
    pub use super::spreadsheet::ROUNDED;
}
