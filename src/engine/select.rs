//! Which engine does what: one table, one function.

use super::{Engine, TreeSearch};
use crate::error::{Error, Result};
use crate::model::{Goal, ProblemClass};

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// Dancing links.
    Dlx,
    /// Depth-first search on bit masks.
    Bitmask,
    /// The slow reference.
    Naive,
    /// Branch and bound on weighted grids.
    Bound,
}

/// What a caller wishes of the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wish {
    /// An engine by name; `None` lets the selection choose.
    pub engine: Option<EngineKind>,
    /// Whether time per problem must be measurable.
    pub timings: bool,
}

/// An engine as the table lists it.
pub struct EngineInfo {
    /// Which.
    pub kind: EngineKind,
    /// Its name on the command line and in statistics.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Its own word on what it can do.
    pub supports: fn(ProblemClass, Goal) -> bool,
    /// Whether it works on one problem at a time, so that a problem's time can be measured.
    pub timed: bool,
    /// Makes one.
    pub make: fn() -> Box<dyn Engine>,
    /// Makes the search behind it, for splitting one problem; `None` where it cannot be split.
    pub make_search: Option<fn() -> Box<dyn TreeSearch>>,
}

/// The engine chosen and why.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    /// The engine.
    pub kind: EngineKind,
    /// Why this one, for the statistics.
    pub reason: &'static str,
}

/// Every engine there is.
pub static ENGINES: &[EngineInfo] = &[];

impl EngineKind {
    /// The table's entry for it.
    pub fn info(self) -> &'static EngineInfo {
        ENGINES.iter().find(|info| info.kind == self).expect("every engine stands in the table")
    }
}

/// Chooses the engine for a class of problem and a goal: a function of these and the wish alone.
///
/// # Errors
/// No engine can do it, or the named one cannot.
pub fn select(class: ProblemClass, goal: Goal, wish: Wish) -> Result<Selection> {
    let _ = (class, goal, wish);
    Err(Error::usage("no engine"))
}
