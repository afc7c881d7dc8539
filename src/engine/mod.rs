//! Solvers behind one interface.
//!
//! Three interfaces, the first one above the others:
//!
//! * [`Engine`] streams: it asks its [`Client`] for jobs and reports to it as results come, in whatever order
//!   they come. An engine may hold several jobs at once.
//! * [`TreeSearch`] is what a solver of one problem at a time implements: one deterministic depth-first search
//!   that can start below a prefix of decisions and stop at a frontier. [`OneByOne`] makes an engine of it, and
//!   [`parallel`] splits one problem over threads with it.
//! * [`SolutionCounter`] is what an engine implements that counts solutions without listing them. [`Counting`] makes an engine of
//!   it; it can be asked whether a problem pays.
//!
//! [`select()`] is the only place that decides which engine does what.
//!
//! Data flows one way: what engines are asked (`interface`, `tree_search`); what searches have in common (`control`,
//! `budget`, `memory`, `incumbent`, `probe`, and `counting` for counters); the engines, a file or folder each, which know
//! nothing of one another but for what is built on [`Bitmask`]'s board; `select`; and what asks them: [`Solver`],
//! [`estimate()`], [`parallel`].

mod bands;
mod best_cover;
mod best_grid;
mod bitmask;
mod bitset;
mod budget;
mod control;
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
mod probe;
mod select;
mod solver;
mod tree_search;

pub use bands::Bands;
pub use best_cover::BestCover;
pub use best_grid::BestGrid;
pub use bitmask::Bitmask;
pub use bitset::Bitset;
pub use budget::Budget;
pub use control::{Control, Gate, Resting, Sleepers};
pub use counting::{CountFirst, Counting, SHORT_SEARCH_NODES, SolutionCounter};
pub use dlx::Dlx;
pub use estimate::{Estimate, Figure, Probing, estimate};
pub use incumbent::Incumbent;
pub use interface::{Client, Ended, Engine, Event, Flow, Job, Jobs, Make, Series, Solved};
pub use memo::Memo;
pub use naive::Naive;
pub use one_by_one::OneByOne;
pub use select::{
    Choice, ENGINES, EngineInfo, EngineKind, EnginePreference, Selection, select, select_within,
};
pub use solver::{Solver, contradicted};
pub use tree_search::{Task, TreeSearch, Visitor};
