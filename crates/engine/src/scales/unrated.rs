//! The reasons why a puzzle has no rating.

use quadrille_model::EndedBy;

/// The reasons why a puzzle has no rating.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrated {
    /// A limit, or the caller.
    Early(EndedBy),
    /// The scale is for other puzzles.
    Unsupported(String),
    /// A defect of what rates.
    Broken(String),
}
