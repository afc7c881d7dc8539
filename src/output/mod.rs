//! Answers to bytes: one file a format, knowing nothing of where the bytes go.

mod row;

pub use row::Row;
