//! Standard streams, locked files, text files read as a whole, and points at which tests inject faults.
//!
//! This crate is part of [quadrille](https://docs.rs/quadrille). Other packages should use it through
//! `quadrille`. Nothing here is stable: any item may change in any version.

// Use of the print macros is an error, because they panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

pub mod fault_injection;
pub mod locked_file;
pub mod streams;
pub mod text_file;
