//! Advice about tables that cannot be read as a stream.

pub(in crate::input) const PARQUET: &str = "a Parquet file in a pipe, which can be read only from its end: give the file's name, or write the pipe as an Arrow stream";
pub(in crate::input) const ARROW: &str =
    "an Arrow stream within a compressed stream: name the file, or unpack it first";
