//! The reasons why a further question about an answered puzzle has no result.

use quadrille_model::EndedBy;

/// Why a puzzle has no rating, or no possible digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoResult {
    /// A limit was reached, or the caller stopped the work.
    Early(EndedBy),
    /// The question does not make sense for the puzzle, or no engine supports it.
    Unsupported(String),
    /// A defect of an engine or of the code that asks.
    Broken(String),
}
