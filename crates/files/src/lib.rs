//! Standard streams, locked files, whole text files, and fault points.
//!
//! Part of [quadrille](https://docs.rs/quadrille); other packages use it through that crate. This crate makes no
//! promises: any item may change in any version.

// The print macros panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

pub mod fault_injection;
pub mod locked_file;
pub mod streams;
pub mod text_file;
