//! Bytes to records and answers to bytes: one file for each format.
//!
//! A part of [quadrille](https://docs.rs/quadrille): other packages use it through that one. This crate promises nothing of its own:
//! any item of it may change with any version.

// These panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

pub mod input;
pub mod output;
