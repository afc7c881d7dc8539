//! Bytes to records: sources, decompression, sniffing, cutting into chunks, parsing.
//!
//! ```text
//! Source -> decompress -> blocks -> [bounded channel] -> Reader: sniff the head, cut at record boundaries
//!  (a thread of its own)                                    | Chunk
//!                                                           v
//!                                          Parser (one a worker): bytes -> Records
//! ```
//! A format is one file under `formats/` and one row of the table in `formats/mod.rs`, with the format's name, cutter and
//! parser. The cutter finds records in a growing stretch of bytes; it is sequential and cheap. The parser reads one
//! chunk; parsers run in parallel. Both must agree on which lines are records, so that the numbers in a [`Chunk`] are
//! exact.

mod blocks;
mod cells;
mod characters;
mod chunk;
mod columns;
mod cutter;
mod decompress;
mod dialect;
#[cfg(test)]
#[path = "tests/examples.rs"]
mod examples;
mod feed;
mod format_hints;
mod formats;
mod from_text;
mod grids;
mod head;
mod inner_grid;
mod layout;
mod line_counts;
mod lines;
mod members;
#[cfg(test)]
#[path = "tests/noise.rs"]
mod noise;
mod options;
mod parser;
mod plain_lines;
mod position;
mod read_one;
mod reader;
mod record;
mod roles;
mod row_text;
mod shapes;
mod shared_rules;
mod sniff;
mod source;
mod source_columns;
mod spreadsheet;
#[cfg_attr(not(feature = "parquet"), path = "no_table/mod.rs")]
mod table;
#[cfg(test)]
#[path = "tests/testing.rs"]
mod testing;
mod trial;
mod values;
mod variant;

pub(crate) use chunk::ChunkBytes;
pub use chunk::{Chunk, ChunkTarget, Cut};
pub use columns::{Column, ColumnRef, Columns, Places, Role};
pub(crate) use dialect::Dialect;
pub use feed::ReadProgress;
pub use format_hints::format_hint;
pub use from_text::FromText;
pub use layout::{CsvLayout, Format, Layout, LineBreak, ObjectShape};
pub use line_counts::{LineCounts, LineKind};
pub use options::{InputOptions, OtherColumns, WeightSource, read_weights};
pub use parser::Parser;
pub use plain_lines::{ClueCounts, PlainLines, Wanted};
pub use position::Position;
pub(crate) use read_one::read_one;
pub use read_one::read_problem;
pub use reader::Reader;
pub use record::{Body, GivenSolution, Record, Records, Span};
pub use shared_rules::SharedRules;
pub use source::Source;
pub(crate) use source_columns::{ColumnField, ColumnValue, beside, columns_of, has_all_columns, header_of};
pub use spreadsheet::ROUNDED;
pub use table::{PassthroughBatches, PassthroughColumns};
