//! Generates puzzles, with [weights](draw_weights) if wanted, and classic exact cover problems (`cover`).
//!
//! The crate consists of a named random number generator, recipes that ask engines whether a candidate has one
//! solution, and a scheduler that runs hundreds of recipes at once.
//!
//! Part of [quadrille](https://docs.rs/quadrille); use it through that crate. This crate makes no promises of its
//! own: any item may change with any version.
//!
//! ```text
//!   quadrille_model::random   recipe (sudoku/...)             work                       engine
//!   quadrille-1 --> async functions: draw, ask, --> a question or a few    --> lanes: hundreds of them
//!                   throw away or keep              of each are jobs           at once, any order
//!                                                         |
//!                              schedule: which record and attempt next, records in order
//! ```
//!
//! Record `i` is a function of the request and `i` alone. Other records, the number of threads and the
//! instruction set do not matter, so shards are ranges of records. If [distinct](Request::distinct) records
//! are asked for, records that equal an earlier one of the run are left out and later ones take their place.
//!
//! [Neighbours](Neighbourhood) of given puzzles are the exception: a unit of work makes any number of records, which come
//! out in its order.
//!
//! Random numbers never change under the name [`GENERATOR`], and neither do the 9x9 records. Above side 9, proofs that
//! take too long are given up; which proofs these are may change with the engine. Hill climbing compares an engine's
//! guesses, so its records change if the guesses or the steps of a climb change.
//!
//! ```
//! use quadrille::generate::{Kind, Request, records};
//!
//! let minimal = records(&Request::new(Kind::Minimal, 1), 0..10)?;
//! assert_eq!(minimal.len(), 10);
//! assert!(minimal.iter().all(|puzzle| (17..40).contains(&puzzle.clues())));
//! # Ok::<(), quadrille::Error>(())
//! ```

// The print macros panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

pub mod cover;
mod distinct;
mod queries;
mod record;
mod run;
mod schedule;
pub mod sudoku;
mod weights;
mod work;

pub use quadrille_model::random::{GENERATOR, Random};
pub use record::Generated;
pub use run::{Hardest, Options, records, run};
pub use sudoku::{
    Change, Kind, MAX_ADDED, MAX_REMOVED, Method, Neighbourhood, Request, Symmetry, clue_range,
};
pub use weights::{draw_weights, write_weights};
