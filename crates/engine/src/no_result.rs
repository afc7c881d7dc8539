//! Reasons why an additional result for an already solved puzzle, such as a rating, cannot be computed.

use quadrille_model::EndedBy;

/// Reason why a puzzle has no rating or no possible digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoResult {
    /// A limit was reached, or the caller stopped the work.
    Early(EndedBy),
    /// The result is not defined for this puzzle, or no engine supports it.
    Unsupported(String),
    /// An engine, or the code that computes the result, has a defect.
    Broken(String),
}
