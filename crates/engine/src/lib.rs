//! Solvers behind one interface.
//!
//! A part of [quadrille](https://docs.rs/quadrille): other packages use it through that one. This crate promises nothing of its own:
//! any item of it may change with any version.
//!
//! Three interfaces, the first one above the others:
//!
//! * [`Engine`] streams: it asks its [`Client`] for jobs and reports to it as results come, in whatever order
//!   they come. An engine may hold several jobs at once.
//! * [`TreeSearch`] is what a solver of one problem at a time implements: one deterministic depth-first search
//!   that can start below a prefix of decisions and stop at a frontier. [`OneByOne`] makes an engine of it, and
//!   `parallel` splits one problem over threads with it.
//! * [`SolutionCounter`] is what an engine implements that counts solutions without listing them. `Counting` makes an engine of
//!   it; where a search would cost less it declines.
//!
//! [`select()`] is the only place that decides which engine does what.
//!
//! Data flows one way: what engines are asked (`interface`, `tree_search`); what searches have in common (`control`,
//! `budget`, `run`, `memory`, `incumbent`, `probe`, `scale`, `prices`, and `counting` for counters); the engines, a file or folder each, which do not
//! use one another but for what is built on [`Bitmask`]'s board; `select`; and what asks them: [`Solver`],
//! `count_first`, [`estimate()`], `parallel`.

// These panic if the stream cannot be written.
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
mod control;
mod count_first;
mod counting;
mod dlx;
mod estimate;
mod incumbent;
mod interface;
pub mod lanes;
mod memo;
mod memory;
mod naive;
mod one_by_one;
pub mod parallel;
mod preprocess;
mod prices;
mod probe;
mod ruled;
mod run;
mod scale;
mod select;
mod solver;
mod tree_search;
mod variant;
mod walk;

pub(crate) use bands::Bands;
pub use control::Control;
pub use count_first::{Asked, CountFirst, Sparing, at_least};
pub use counting::{Counting, SHORT_SEARCH_NODES_OF_BEST, short_of};
pub use counting::{GUARD_NODES, SHORT_SEARCH_NODES};
pub use estimate::{Confidence, Estimate, Figure, Probing, estimate};
pub use interface::Flow;
pub use internals::*;
pub(crate) use select::select_within;
pub use select::{Choice, EngineKind, EnginePreference, Selection, select};
pub use solver::Solver;
pub use solver::contradicted;

/// Items for tests, fuzzers and benchmarks of this package only, see [`internals`].
pub mod internals {
    pub use super::best_cover::BestCover;
    pub use super::best_grid::BestGrid;
    pub use super::bitmask::Bitmask;
    pub use super::bitset::Bitset;
    pub use super::budget::Budget;
    pub use super::control::{Gate, Resting, Sleepers};
    pub use super::counting::SolutionCounter;
    pub use super::dlx::Dlx;
    pub use super::incumbent::Incumbent;
    pub use super::interface::{Client, Ended, Engine, Event, Job, Jobs, Make, Series, Solved};
    pub use super::memo::Memo;
    pub use super::naive::Naive;
    pub use super::one_by_one::OneByOne;
    pub use super::select::{ENGINES, EngineInfo, Form};
    pub use super::tree_search::{Task, TreeSearch, Visitor};
    pub use super::variant::Variant;
}
