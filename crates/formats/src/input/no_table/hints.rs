//! Advice to get a build that reads tables.

pub(in crate::input) const PARQUET: &str = "a Parquet file, which this build cannot read: cargo install --path . --features parquet (or \
                                            convert it: duckdb -csv -c \"from 'ARCHIVE'\" | quadrille ...)";
pub(in crate::input) const ARROW: &str =
    "an Arrow stream or file, which this build cannot read: cargo install --path . --features parquet";
