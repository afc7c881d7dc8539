//! Makes classic exact cover problems (`cover`) and puzzles, with [weights](draw_weights) beside them: a named generator
//! of random numbers, recipes that ask engines whether what they made has one solution, and a stream of hundreds of them
//! at once.
//!
//! A part of [quadrille](https://docs.rs/quadrille): other packages use it through that one. This crate promises nothing of its own:
//! any item of it may change with any version.
//!
//! ```text
//!   quadrille_model::random   recipe (sudoku/...)             work                       engine
//!   quadrille-1 --> async functions: draw, ask, --> a question or a few    --> lanes: hundreds of them
//!                   throw away or keep              of each are jobs           at once, any order
//!                                                         |
//!                              schedule: which record and attempt next, records in order
//! ```
//!
//! Record `i` is a function of the request and `i`, whatever other records are made, on however many threads, with
//! whatever instruction set: shards are ranges of records. Where [distinct](Request::distinct) records are asked for, those
//! like an earlier one of the run are left out and later ones take their place. Random numbers never change under the name [`GENERATOR`],
//! and so do not the 9x9 records; on other sides proofs that take too long are given up (up to side 9 none does), and which
//! those are may change with the engine. Hill climbing counts an engine's guesses and changes when these do, or when its steps do.
//!
//! ```
//! use quadrille::generate::{Kind, Request, records};
//!
//! let minimal = records(&Request::new(Kind::Minimal, 1), 0..10)?;
//! assert_eq!(minimal.len(), 10);
//! assert!(minimal.iter().all(|puzzle| (17..40).contains(&puzzle.clues())));
//! # Ok::<(), quadrille::Error>(())
//! ```

// These panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

mod ask;
pub mod cover;
mod distinct;
mod kinds;
mod record;
mod run;
mod schedule;
pub mod sudoku;
mod weights;
mod work;

pub use internals::*;
pub use record::Generated;
pub use run::{Options, records, run};
pub use sudoku::{Kind, Request};

/// Items for tests, fuzzers and benchmarks of this package only, see [`internals`].
pub mod internals {
    pub use super::kinds::{KINDS, KindInfo};
    pub use super::run::hardest;
    pub use super::weights::{draw_weights, write_weights};
    pub use quadrille_model::random::{GENERATOR, Random};

    /// Classic exact cover problems.
    pub mod cover {
        pub use crate::cover::*;
    }
}
