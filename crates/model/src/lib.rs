//! Problems, goals of searches, and answers, without I/O and without a search.
//!
//! This crate is a part of [quadrille](https://docs.rs/quadrille), and other packages should use it through
//! that crate. Its own interface is not stable: any item may change in any version.
//!
//! Digits are 0-based in every array and type of this crate (`0..side`). They are 1-based in every text for
//! people. Cells are numbered row by row from 0, so cell `c` is in row `c / side`.

// The print macros panic if they cannot write to the stream.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod bits;
pub mod canonical;
pub mod encode;
mod error;
pub mod random;
pub mod rules;
pub mod shown;
pub mod simd;

pub use error::{Error, ErrorKind, Location, Result, message_of};

mod answer;
mod binomial;
mod clue_needs;
mod count;
mod counters;
mod cover;
mod cube;
mod digits;
mod geometry;
mod goal;
mod grid;
mod losses;
mod names;
mod packed_9x9;
mod possible_digits;
mod problem;
mod puzzle;
mod reason;
mod reduction;
mod score;
mod solutions;
mod symbols;
mod symmetry;
mod text;
mod top_solutions;
mod unavoidable;
mod verify;
pub mod verify_lines;
mod weights;
mod worded;

pub use answer::{Answer, Best, EndedBy, Outcome, Status};
pub use binomial::binomial;
pub use clue_needs::{ClueNeeds, Redundancy};
pub use count::Count;
pub use counters::{Counter, Counters};
pub use cover::{Bounds, CoverBuilder, CoverProblem, Entry, NO_COLOUR};
pub use cube::{CubeName, CutProblem, Decisions, Fingerprint, Purpose};
pub use digits::DigitSet;
pub use geometry::{Geometry, House, HouseKind, MAX_SIDE, geometry_9x9};
pub use goal::{Direction, Goal, Limits, TopK};
pub use grid::Grid;
pub use losses::{Loss, Losses};
pub use names::SHORT as SHORT_NAME;
pub use packed_9x9::{HOUSES_9X9, Packed9x9};
pub use possible_digits::{DigitCounts, PossibleDigits};
pub use problem::{Problem, ProblemClass, ProblemRef, RuleClass, Solution};
pub use puzzle::{Constraint, Puzzle};
pub use reason::{Clash, Reason};
pub use reduction::{Reduced, Reduction};
pub use score::{Score, score, scores};
pub use solutions::Solutions;
pub use symbols::{Alphabet, OwnAlphabet, PLAIN_LINE, Symbols};
pub use symmetry::Symmetry;
pub use top_solutions::{TopScores, TopSolutions};
pub use unavoidable::{lone_clues, unavoidable_sets};
pub use verify::{Violation, verify};
pub use verify_lines::{verify_lines, verify_ruled_lines};
pub use weights::Weights;
