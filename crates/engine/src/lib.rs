//! Solvers with a common interface.
//!
//! A part of [quadrille](https://docs.rs/quadrille): other packages should use it through that crate. This
//! crate has no stable interface of its own: any item may change with any version.
//!
//! There are three interfaces. The first is built on the other two:
//!
//! * [`Engine`] works on a stream: it asks its [`Client`] for jobs and reports results as they come, in any
//!   order. An engine may work on several jobs at once.
//! * [`TreeSearch`] searches one problem at a time, depth first and deterministically. It can start below a
//!   prefix of decisions and stop at a frontier. [`SearchEngine`] turns it into an engine.
//! * [`SolutionCounter`] counts solutions without listing them. `CounterEngine` turns it into an engine. A
//!   counter declines a problem if a search would cost less.
//!
//! `parallel` splits one problem into parts, and several threads search these parts with a [`TreeSearch`].
//! [`select()`] is the only place that decides which engine handles which problem.
//!
//! The modules form layers, and each layer uses only earlier layers. First come the interfaces of engines
//! (`interface`, `tree_search`). Next come the modules that searches share: `control`, `budget`,
//! `search_context`, `whole_search`, `memory`, `incumbent`, `least`, `probe`, `fixed_point`, `walk`,
//! `best_walk`, `letter_rings`, `option_sets`, and for counters `counting`. Then come the engines, each in a
//! file or folder of its own. Engines do not use one another, except that some use the board of [`Bitmask`].
//! Then comes `select`. The callers of `select` are last: [`Solver`], `long_search`, [`estimate()`],
//! `possible`, `parallel`, and [`Cases`], which uses [`Solver`].

// The print macros panic if standard output or standard error cannot be written, so they are forbidden.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

pub mod cubes;
pub mod scales;

mod bands;
mod best_cover;
mod best_grid;
mod best_walk;
mod bitmask;
mod bitset;
mod budget;
mod cases;
mod clue_needs;
mod control;
mod counting;
mod dlx;
mod estimate;
mod fixed_point;
mod graph;
mod incumbent;
mod interface;
pub mod lanes;
mod least;
mod letter_rings;
mod long_search;
mod memo;
mod memory;
mod naive;
mod no_result;
mod option_sets;
pub mod parallel;
mod possible;
mod preprocess;
mod probe;
mod search_context;
mod search_engine;
mod select;
mod solver;
mod tree_search;
mod variant;
mod variant_cover;
mod walk;
mod whole_search;

pub(crate) use bands::Bands;
pub use best_cover::BestCover;
pub use best_grid::BestGrid;
pub use bitmask::Bitmask;
pub use bitset::Bitset;
pub use budget::Budget;
pub use cases::{CaseSampler, Cases};
pub use clue_needs::{NeedsFinder, backdoor};
pub use control::{Control, WaitGuard, WakeOnCancel, YieldHook};
pub use counting::{CounterEngine, SHORT_SEARCH_NODES_OF_BEST, SolutionCounter, short_search_limits};
pub use counting::{GUARD_NODES, SHORT_SEARCH_NODES};
pub use dlx::Dlx;
pub use estimate::{Confidence, Estimate, EstimateOptions, MeanWithError, estimate};
pub use graph::CountGraph;
pub use incumbent::Incumbent;
pub use interface::{BatchSolution, Client, Constructor, Engine, Event, Flow, Job, JobBatch, JobEnd, Jobs};
pub use least::search_least;
pub use long_search::{Asked, LongSearch, at_least};
pub use memo::Memo;
pub use naive::Naive;
pub use no_result::NoResult;
pub use possible::{PossibleFinder, SolvedGrid};
pub use search_engine::SearchEngine;
pub(crate) use select::select_within;
pub use select::{
    ENGINES, EngineImpl, EngineInfo, EngineKind, EnginePreference, Selection, SelectionReason, select,
};
pub use solver::Solver;
pub use solver::contradicted;
pub use tree_search::{Task, TreeSearch, Visitor};
pub use variant::Variant;
