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
//! * [`batch::run`] does all of it; the program `quadrille` is a command line around it.
//! * [`engine::Solver`] answers one problem at a time.
//! * [`mod@bench`] measures engines and instruction sets side by side.
//! * [`generate::run`] makes puzzles, the same ones for the same seed.
//! * What a problem is stands in [`model`], whose types are also found here at the top; [`verify`] checks a
//!   solution and shares nothing with any engine.
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
//! let outputs = Outputs { rows: Box::new(&mut rows), rejects: None, notice: Box::new(|_| ()), checkpoint: None };
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
//! One puzzle, made cell by cell:
//!
//! ```
//! use quadrille::engine::Solver;
//! use quadrille::{DigitSet, Geometry, Goal, Limits, ProblemRef, Puzzle, Status};
//!
//! let mut puzzle = Puzzle::new(&Geometry::of_side(9)?);
//! puzzle.restrict(0, DigitSet::only(4)); // row 1, column 1 holds a 5: digits are 0-based here
//! let answer = Solver::default().answer(ProblemRef::Puzzle(&puzzle), Goal::First(2), Limits::default())?;
//! assert_eq!(answer.status, Status::Multiple);
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! Without the default feature `cli` the command line and what it depends on are left out.

pub mod batch;
pub mod bench;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cubes;
pub mod direct;
pub mod encode;
pub mod engine;
mod error;
mod faults;
pub mod generate;
pub mod input;
pub mod model;
pub mod output;
mod simd;
pub mod stats;

pub use direct::{AllSolutions, Answers, AsProblem, Grid, Many};
pub use error::{Error, ErrorKind, Location, Result};
pub use model::*;
pub use simd::Isa;
