//! A chunk in work: what is known of its records, and how that becomes rows.

pub(super) mod audit;
pub(super) mod check;
pub(super) mod minimal;
pub(super) mod plain;
pub(super) mod rows;
pub(super) mod state;
