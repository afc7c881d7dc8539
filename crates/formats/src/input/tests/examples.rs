//! Texts that several tests read.

/// A 9x9, the input of many tests.
pub(super) const EASY: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// The solution of [`EASY`].
pub(super) const DONE: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// A layout of regions.
pub(super) const LAYOUT: &str =
    "999998888555998888555998333555111333222111333222111444222766444777766444777766666";
