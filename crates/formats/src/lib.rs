//! Reads records from bytes and writes answers as bytes. Each format has its own file.
//!
//! This crate is part of [quadrille](https://docs.rs/quadrille). Other packages should use it through
//! `quadrille`. Nothing here is stable: any item may change in any version.

// Use of the print macros is an error, because they panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "some code is only for tables"))]

pub mod input;
pub mod output;
