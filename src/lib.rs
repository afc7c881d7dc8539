//! Solves, counts, checks and optimises very large puzzle corpora in parallel.

pub mod batch;
#[cfg(feature = "cli")]
pub mod cli;
pub mod encode;
pub mod engine;
mod error;
pub mod input;
pub mod model;
pub mod output;
mod simd;
pub mod stats;

pub use error::{Error, ErrorKind, Location, Result};
pub use model::*;
pub use simd::Isa;
