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
//! * [`Puzzle`], [`Packed9x9`] (a plain 9x9) and [`CoverProblem`] have methods that read them from text, write them and
//!   answer them.
//! * [`engine::Solver`] answers one problem at a time with limits, a way to stop it, and an engine of the caller's choice.
//! * [`batch::run`] answers a whole corpus on all threads, from files or memory; the program `quadrille` is a command line
//!   around it.
//! * [`cubes::cut`] cuts one large problem into parts, to be answered anywhere.
//! * [`generate::run`] makes puzzles, the same ones for the same seed.
//! * [`canonical`] computes one form for all puzzles that are the same up to the arrangement of rows and columns and
//!   the labels.
//! * [`scales`] lists the scales on which a puzzle can be rated.
//! * [`verify`] checks a solution and shares nothing with any engine.
//!
//! One puzzle:
//!
//! ```
//! use quadrille::{FromText, GridQuestions, Puzzle};
//!
//! let puzzle: Puzzle =
//!     Puzzle::from_text("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")?;
//! let solution = puzzle.solve().expect("it has one");
//! assert!(format!("{solution:#}").starts_with("5 3 4 | 6 7 8 | 9 1 2\n6 7 2"));
//! assert!(puzzle.is_unique());
//! assert_eq!(Puzzle::from_text("1...............")?.count_all(), 72.into());
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! An exact cover, its solutions as they are found:
//!
//! ```
//! use quadrille::{CoverProblem, CoverQuestions};
//!
//! let pairs = CoverProblem::from_options(4, &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])?;
//! let all = pairs.solutions().collect::<quadrille::Result<Vec<_>>>()?;
//! assert_eq!(all, [[0, 5], [1, 4], [2, 3]]);
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! A corpus, from bytes in memory to bytes in memory:
//!
//! ```
//! use std::sync::Arc;
//!
//! use quadrille::batch::{self, Query, BatchOptions, Outputs, Progress};
//! use quadrille::engine::Control;
//! use quadrille::input::Source;
//!
//! let corpus = "2143341212344321\n....341.12344321 # any text\n21433412123443\n";
//! let source = Source::Bytes { name: "corpus".to_owned(), bytes: corpus.into() };
//! let mut rows = Vec::new();
//! let outputs = Outputs::new(Box::new(&mut rows));
//! let options = BatchOptions { threads: 1, ..BatchOptions::new(Query::Count { limit: None }) };
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
//! A puzzle that is built cell by cell:
//!
//! ```
//! use quadrille::{DigitSet, Geometry, GridQuestions, Puzzle};
//!
//! let mut puzzle = Puzzle::new(&Geometry::of_side(9)?);
//! puzzle.restrict(0, DigitSet::only(4)); // row 1, column 1 holds a 5: digits are 0-based here
//! assert!(!puzzle.is_unique());
//! # Ok::<(), quadrille::Error>(())
//! ```
//!
//! New verbs, formats, fields, statuses, engines and options come with minor versions: enums that these extend are `#[non_exhaustive]`, and
//! options are made with `..`, as in `Limits { nodes: Some(10), ..Limits::default() }`.
//!
//! Without the default feature `cli` the command line and its dependencies are left out.

// The print macros panic if the stream cannot be written. Use `cli::messages` and `cli::files` to print.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

mod api;
#[cfg(feature = "cli")]
mod bench;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
mod report;

pub use api::{AllSolutions, CoverQuestions, GridQuestions};
pub use quadrille_formats::input::FromText;
pub use quadrille_model::{
    Alphabet, Answer, Best, Bounds, Clash, Constraint, Count, CoverBuilder, CoverProblem, DigitSet,
    Direction, EndedBy, Entry, Error, ErrorKind, Geometry, Goal, Grid, House, HouseKind, Limits, Location,
    MAX_SIDE, NO_COLOUR, OwnAlphabet, Packed9x9, Problem, ProblemClass, ProblemRef, Puzzle, Reason, Reduced,
    Reduction, Result, Solution, Status, Symbols, TopK, Violation, Weights, verify,
};

/// Runs over whole corpora.
pub mod batch {
    pub use quadrille_batch::{
        Augmentation, BatchOptions, CHUNK_BYTES, Checkpoint, CommitRows, Comparison, GUARD_NODES, MAX_COPIES,
        MAX_INDEX_OFFSET, MAX_THREADS, NodeLimit, OnError, OutcomeReader, Outputs, Progress, Query,
        RecordOutcome, Report, RunFiles, WINDOW_BYTES, compare, run,
    };
}

/// Canonical forms. All puzzles that differ only in arrangement and labels have the same canonical form.
pub mod canonical {
    pub use quadrille_model::canonical::{
        Canonical, Canonizer, Cells, Form, Isomorphs, NoForm, NoImage, Part, Parts, Transform,
        TransformError, Transformed, canonical,
    };
}

/// Cuts one large problem into cubes (parts that can be solved on any machine), and combines their answers.
pub mod cubes {
    pub use quadrille_engine::cubes::{CubeAnswers, CutOptions, Total, cut};
    pub use quadrille_formats::input::read_problem;
    pub use quadrille_model::{CubeName, CutProblem, Decisions, Fingerprint, Purpose};
}

/// Searching a single problem, with limits and a way to stop the search.
pub mod engine {
    pub use quadrille_engine::{
        CaseSampler, Cases, Confidence, Control, CountGraph, EngineKind, EnginePreference, Estimate,
        EstimateOptions, Flow, GUARD_NODES, MeanWithError, SHORT_SEARCH_NODES, Selection, SelectionReason,
        Solver, Task, estimate, select,
    };
    pub use quadrille_model::simd::Isa;
    pub use quadrille_model::{Counter, Counters};
}

/// Puzzles and exact cover problems that are generated from a seed.
pub mod generate {
    pub use quadrille_generate::{Generated, Kind, Options, Request, Symmetry, records, run};
}

/// Sources of records, and options for reading them.
pub mod input {
    pub use quadrille_formats::input::{ColumnRef, Format, InputOptions, OtherColumns, Source, WeightSource};
}

/// How answers are written.
pub mod output {
    pub use quadrille_formats::output::{
        Conversion, Delimiter, EMPTY_CELLS, Field, LineEnds, Lose, Notation, OutputFormat, OutputOptions,
        PuzzleText, Verb,
    };
    pub use quadrille_model::{Loss, Losses};
}

/// Ratings that say how difficult 9x9 puzzles are for people, based on the steps of Sudoku Explainer.
pub mod rating {
    pub use quadrille_rating::{
        Caller, Candidate, Counts, DIFFICULTIES, Level, Link, NestedChains, NoRating, NoTenths, QQWING,
        Rater, Rating, RatingBound, SER, Step, StepFilter, Technique, TechniqueSet, Tenths,
    };
}

/// Puzzle rules in addition to rows, columns and boxes.
pub mod rules {
    pub use quadrille_model::RuleClass;
    pub use quadrille_model::rules::{
        Claims, Drawing, House, Item, KINDS, KindInfo, Label, MAX_NAMED_SIDE, Quota, Relation, RuleCheck,
        RuleError, Rules, RunRules, SHORT_NAMES, Shape, ShortName, Sum, Table, are_rules, begins_rules,
        candidates_alone, cell_of, compile, items, killer, name_of, replaces_boxes, without_blanks,
    };
}

/// Scales on which a puzzle can be rated.
pub mod scales {
    pub use quadrille_engine::scales::{GuessRater, MAX_PERMUTATIONS, PERMUTATIONS, Scale};
    pub use quadrille_rating::{AnyRating, MeanGuesses, Thousandths};
}

/// Tables in memory as the program's input, and columnar files as its output.
#[cfg(feature = "parquet")]
pub mod tables {
    pub use quadrille_batch::in_memory::{TableAnswers, TableRecords, run_table};
    pub use quadrille_formats::output::columnar::{
        ArrowFile, BatchSink, ParquetFile, ParquetParts, TableOutput,
    };
}

/// Scores of answers that may be partly wrong. Computing the scores needs no search.
pub mod scores {
    pub use quadrille_model::{Score, score, scores};
}

/// Statistics of a run.
pub mod stats {
    pub use quadrille_batch::stats::{
        AnsweredRecord, Checksum, Clock, Drawing, EngineCounts, Hard, Histogram, Histogram2d, Phases,
        RatingCounts, ReasonCounts, RefusedRecord, RunOptions, SourceCounts, Statistics, ThreadTime, TimeBin,
        Timeline, UnplacedColumn,
    };
}

/// Internal items that this package's own tests and fuzzers use, such as single engines and readers.
///
/// The tests and fuzzers are in other crates than the code that they test, so these items must be public.
/// They may change at any time, and nothing else uses them.
#[doc(hidden)]
pub mod internals {
    pub use quadrille_engine::{
        BestCover, BestGrid, Bitmask, Bitset, Budget, Client, Dlx, ENGINES, Engine, EngineInfo, Event,
        Incumbent, Job, JobBatch, Jobs, Memo, Naive, SearchEngine, SolutionCounter, TreeSearch, Variant,
        Visitor, lanes, parallel,
    };
    pub use quadrille_formats::input::{
        Body, Chunk, ChunkTarget, GivenSolution, Parser, Position, Reader, Record, Records,
    };
    pub use quadrille_generate::{Random, cover, draw_weights};
    pub use quadrille_model::encode::write_dlx;
    pub use quadrille_model::{Outcome, TopScores, TopSolutions};
}
