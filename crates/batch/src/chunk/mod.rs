//! A chunk in work: the state of its records, and the rows made of it.
//!
//! ```text
//! PlainChunk    lines of plain 9x9 while all goes as it mostly does: a column for each thing that is known
//!     | at the first record that is anything else
//!     v
//! GeneralChunk  records of any kind: a slot each, and the solutions found   -> rows.rs -> ChunkOutput
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
