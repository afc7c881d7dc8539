//! Puzzles as exact cover problems. This is the only conversion in the crate.
//!
//! A grid of side N has 4N² items and, before any clue, N³ options:
//!
//! ```text
//! items    0 .. N²          cell c holds a digit                          item c
//!         N² .. 4N²         house h holds digit d (rows, columns, boxes)  item N² + h * N + d
//! options  cell * N + digit: the cell's item and one item for each of its houses, ascending
//! ```
//! A grid with rules has items for the rules too (`variant`). [`template`] has every option and is created once per
//! geometry. A [`Matrix`] can also hold the options that one puzzle's candidates and letter groups leave. [`to_cover`]
//! makes a separate [`CoverProblem`](crate::CoverProblem) from it, and [`write_dlx`] writes any cover in Knuth's text format.

mod matrix;
mod standalone;
mod text;
mod variant;

pub use crate::geometry_9x9;
pub use matrix::{Matrix, template};
pub use standalone::{PuzzleCover, to_cover};
pub use text::write_dlx;

/// The cells that an option fills, in ascending order, and its 0-based digit.
type Placed = (Vec<u16>, u8);
