//! Solves, counts, checks and optimises very large sudoku and exact cover corpora in parallel.
//!
//! A corpus is read in chunks, answered on all cores and written in the order of the input, in bounded memory:
//!
//! ```text
//!   files, pipes,     input: sniff,          engine: first, all, count, best       output: text, grid,
//!   gzip, zstd   -->  cut into chunks   -->  (puzzles become exact cover only -->  csv, jsonl, contest,
//!                     of records, parse      in encode); verify; stats             in the input's order
//!                     \____________________________ batch _______________________________________/
//! ```
//!
//! * [`Puzzle`], [`Packed`] (a plain 9x9) and [`Cover`] are read from text, written, and asked by methods.
//! * [`Many`] answers a slice of them on all threads.
//! * [`engine::Solver`] answers one problem at a time with limits, a way to stop it, and an engine of the caller's choice.
//! * [`batch::run`] does a whole corpus; the program `quadrille` is a command line around it.
//! * [`generate::run`] makes puzzles, the same ones for the same seed.
//! * [`canonical`] has one form for all puzzles that are the same up to the arrangement of rows and columns and the labels.
//! * [`scales`] has what a puzzle can be rated on.
//! * [`verify`] checks a solution and shares nothing with any engine.
//!
//! One puzzle:
//!
//! ```
//! use quadrille::Puzzle;
//!
//! let puzzle: Puzzle =
//!     "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
//! let solution = puzzle.solve().expect("it has one");
//! assert!(format!("{solution:#}").starts_with("5 3 4 | 6 7 8 | 9 1 2\n6 7 2"));
//! assert!(puzzle.is_unique());
//! assert_eq!("1...............".parse::<Puzzle>()?.count_all(), 72.into());
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! An exact cover, its solutions as they are found:
//!
//! ```
//! use quadrille::Cover;
//!
//! let pairs = Cover::from_options(4, &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])?;
//! let all = pairs.solutions().collect::<quadrille::Result<Vec<_>>>()?;
//! assert_eq!(all, [[0, 5], [1, 4], [2, 3]]);
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! A million puzzles out of memory, in columns: see [`Many`].
//!
//! A corpus, from bytes in memory to bytes in memory:
//!
//! ```
//! use std::sync::Arc;
//!
//! use quadrille::batch::{self, Ask, BatchOptions, Outputs, Progress};
//! use quadrille::engine::Control;
//! use quadrille::input::Source;
//!
//! let corpus = "2143341212344321\n....341.12344321 # any text\n21433412123443\n";
//! let source = Source::Bytes { name: "corpus".to_owned(), bytes: corpus.into() };
//! let mut rows = Vec::new();
//! let outputs = Outputs::of(Box::new(&mut rows));
//! let options = BatchOptions { threads: 1, ..BatchOptions::new(Ask::Count { limit: None }) };
//! let report =
//!     batch::run(vec![source], &options, outputs, &Arc::new(Control::new()), &Progress::new(1))?;
//!
//! assert!(report.error.is_none());
//! assert_eq!((report.statistics.answered(), report.statistics.rejected()), (2, 1));
//! assert_eq!(
//!     String::from_utf8(rows).unwrap(),
//!     "1\n1\ninvalid\t14 characters: no grid has this many cells\n"
//! );
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! A puzzle made cell by cell:
//!
//! ```
//! use quadrille::{DigitSet, Geometry, Puzzle};
//!
//! let mut puzzle = Puzzle::new(&Geometry::of_side(9)?);
//! puzzle.restrict(0, DigitSet::only(4)); // row 1, column 1 holds a 5: digits are 0-based here
//! assert!(!puzzle.is_unique());
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! Without the default feature `cli` the command line and what it depends on are left out.

// These panic if the stream cannot be written: `cli::messages` and `cli::files` print.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod batch;
#[cfg(feature = "cli")]
mod bench;
mod bits;
pub mod canonical;
mod classes;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod cubes;
mod direct;
mod encode;
pub mod engine;
mod error;
mod faults;
pub mod generate;
pub mod input;
mod locked;
mod model;
pub mod output;
mod random;
pub mod rating;
#[cfg(feature = "cli")]
mod report;
pub mod rules;
pub mod scales;
mod simd;
pub mod stats;
mod streams;
mod text_file;

pub use direct::{AllSolutions, Answers, AsProblem, Grid, Many};
pub use error::{Error, ErrorKind, Location, Result};
pub use model::{
    Alphabet, Answer, Best, Bounds, Clash, Constraint, Count, Counter, Counters, Cover, CoverBuilder,
    DigitSet, Direction, EndedBy, Entry, Fault, Geometry, Goal, House, HouseKind, Limits, Loss, Losses,
    MAX_SIDE, NO_COLOUR, Packed, Problem, ProblemClass, ProblemRef, Puzzle, Reason, Reduced, Reduction,
    RuleClass, Solution, Status, Symbols, Top, Weights, verify,
};
pub use simd::Isa;

/// No promise of stability: for this package's own tests, fuzzers and benchmarks.
#[doc(hidden)]
pub mod internals {
    /// Equal keys in a long stream.
    pub mod classes {
        pub use crate::classes::*;
    }
    pub use crate::cubes::*;
    pub use crate::encode::*;
    pub use crate::engine::internals::*;
    pub use crate::generate::internals::*;
    pub use crate::input::internals::*;
    pub use crate::model::{
        CubeName, Decisions, Fingerprint, Leaders, Outcome, Purpose, Ranking, Solutions, Whole,
    };
    pub use crate::output::internals::*;
    pub use crate::output::{Formatter, PlainOutput, formatter};
}
