//! A chunk being worked on: the state of its records, and the rows written from it.
//!
//! ```text
//! PlainChunk    lines of plain 9x9 with ordinary outcomes: one column per property
//!     | at the first record that is anything else
//!     v
//! GeneralChunk  records of any kind: one slot each, and the solutions found   -> rows.rs -> ChunkOutput
//! ```

pub(super) mod audit;
pub(super) mod check;
pub(super) mod convert;
pub(super) mod converted;
mod drawing;
pub(super) mod general;
pub(super) mod images;
pub(super) mod minimal;
pub(super) mod output;
pub(super) mod plain;
pub(super) mod ratings;
pub(super) mod rows;
pub(super) mod state;
