//! A chunk being worked on: the state of its records, and the rows written from it.
//!
//! ```text
//! ColumnChunk   lines of plain 9x9 with ordinary outcomes: one column per property
//!     | at the first record that is anything else
//!     v
//! RecordChunk  records of any kind: one slot each, and the solutions found   -> rows.rs -> ChunkOutput
//! ```

pub(super) mod audit;
mod augment;
pub(super) mod check;
pub(super) mod columns;
pub(super) mod converted_text;
mod drawing;
pub(super) mod minimal;
pub(super) mod needs;
pub(super) mod output;
pub(super) mod possible;
pub(super) mod ratings;
pub(super) mod records;
pub(super) mod rows;
pub(super) mod state;
pub(super) mod transformed;
