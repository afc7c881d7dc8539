//! The reasons why a puzzle has no rating.

use quadrille_model::EndedBy;

/// Why a puzzle has no rating.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrated {
    /// A limit was reached, or the caller stopped the work.
    Early(EndedBy),
    /// The scale does not support the puzzle.
    Unsupported(String),
    /// A defect of the rating code.
    Broken(String),
}
