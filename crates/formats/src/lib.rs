//! Reads bytes as records and writes answers as bytes, with one file per format.
//!
//! Part of [quadrille](https://docs.rs/quadrille); other packages use it through that crate. This crate makes no
//! promises: any item may change in any version.

// The print macros panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "some code is only for tables"))]

pub mod input;
pub mod output;
