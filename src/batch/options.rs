//! What a run is asked to do.

use crate::engine::EnginePreference;
use crate::error::{Error, Result};
use crate::input::InputOptions;
use crate::model::{Goal, Limits, Status, Top};
use crate::output::{OutputOptions, Verb};
use crate::simd::Isa;

/// What is asked of every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// A solution.
    Solve,
    /// A solution, and whether it is the only one.
    Unique,
    /// Up to so many solutions, a row each; at least 2.
    Several(u64),
    /// Every solution, a row each.
    Every,
    /// The number of solutions.
    Count {
        /// Stop counting here; at least 1.
        limit: Option<u64>,
    },
    /// The best solution of a weighted problem; where several are wanted, a row each, the best first.
    Best(Top),
    /// Whether the record is right: its given solution, else whether it has exactly one.
    Check {
        /// Whether every clue must be needed too.
        minimal: bool,
    },
}

impl Ask {
    /// What an engine is asked for it.
    pub fn goal(self) -> Goal {
        match self {
            Ask::Solve => Goal::First(1),
            Ask::Unique | Ask::Check { .. } => Goal::First(2),
            Ask::Several(limit) => Goal::First(limit),
            Ask::Every => Goal::All,
            Ask::Count { limit } => Goal::Count { limit },
            Ask::Best(top) => Goal::Best(top),
        }
    }

    /// Whether every solution has a row of its own.
    pub fn is_several(self) -> bool {
        matches!(self, Ask::Several(_) | Ask::Every) || matches!(self, Ask::Best(top) if top.limit > 1)
    }

    /// What the output is about.
    pub fn verb(self) -> Verb {
        match self {
            Ask::Solve | Ask::Unique | Ask::Several(_) | Ask::Every => Verb::Solve,
            Ask::Count { .. } => Verb::Count,
            Ask::Best(_) => Verb::Best,
            Ask::Check { .. } => Verb::Check,
        }
    }
}

/// What becomes of records that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// A row that says `invalid` and why.
    #[default]
    Row,
    /// No row.
    Skip,
    /// The run ends there.
    Fail,
}

/// Everything about a run but where its bytes come from and go to.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// What is asked of every record.
    pub ask: Ask,
    /// How to read.
    pub input: InputOptions,
    /// How to write; its verb and whether rows are several follow from `ask`.
    pub output: OutputOptions,
    /// Which engine.
    pub preference: EnginePreference,
    /// How far a search for one record goes.
    pub limits: Limits,
    /// Whether the node limit is only a guard that the caller did not ask for.
    pub guarded: bool,
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// Whether rows keep the order of the input.
    pub ordered: bool,
    /// Whether each chunk's rows are flushed at once.
    pub line_buffered: bool,
    /// What becomes of unreadable records.
    pub on_error: OnError,
    /// How many unreadable records end the run when exceeded.
    pub max_rejects: Option<u64>,
    /// Rows of other statuses are not written; empty writes all.
    pub only: Vec<Status>,
    /// Every so many records a second engine does the work again, and the two are compared.
    pub audit: Option<u64>,
    /// How many of the hardest records the statistics keep.
    pub top: usize,
    /// Bytes of input in a chunk at most.
    pub chunk_bytes: usize,
    /// Bytes of finished output that may wait for their turn; at least 1.
    pub window_bytes: usize,
    /// Number of the first record, less one: for shards of a larger corpus.
    pub index_offset: u64,
}

/// The node limit that guards a corpus against one blank grid.
pub const GUARD_NODES: u64 = 1_000_000_000;
/// Bytes of input in a chunk by default: large enough that handing one over costs nothing by comparison, small
/// enough that a chunk, its problems and its answers stay in a core's cache.
pub const CHUNK_BYTES: usize = 256 << 10;
/// Bytes of finished output that wait behind a record that takes long by default: some 800,000 rows of 9x9.
pub const WINDOW_BYTES: usize = 64 << 20;

impl BatchOptions {
    /// The defaults for a question: everything sniffed, text output in order, all cores, the node guard.
    pub fn new(ask: Ask) -> Self {
        BatchOptions {
            ask,
            input: InputOptions::default(),
            output: OutputOptions::default(),
            preference: EnginePreference::default(),
            limits: Limits { nodes: Some(GUARD_NODES), ..Limits::default() },
            guarded: true,
            threads: 0,
            ordered: true,
            line_buffered: false,
            on_error: OnError::Row,
            max_rejects: None,
            only: Vec::new(),
            audit: None,
            top: 10,
            chunk_bytes: CHUNK_BYTES,
            window_bytes: WINDOW_BYTES,
            index_offset: 0,
        }
    }

    /// Checks what can be checked before reading.
    ///
    /// # Errors
    /// Usage errors, from here and from the options of input.
    pub fn validate(&self) -> Result<()> {
        self.input.validate()?;
        self.preference.isa.map_or(Ok(()), Isa::require)?;
        let nothing = matches!(
            self.ask,
            Ask::Several(0 | 1) | Ask::Count { limit: Some(0) } | Ask::Best(Top { limit: 0, .. })
        );
        if nothing || self.audit == Some(0) {
            return Err(Error::usage("a limit or an audit interval of 0 asks for nothing"));
        }
        Ok(())
    }

    /// Output options that agree with the question.
    pub(crate) fn output_options(&self) -> OutputOptions {
        OutputOptions {
            verb: self.ask.verb(),
            several: self.ask.is_several(),
            unordered: !self.ordered,
            ..self.output.clone()
        }
    }

    /// Rejects allowed, where there is a limit: `--on-error fail` allows none.
    pub(crate) fn rejects_allowed(&self) -> Option<u64> {
        if self.on_error == OnError::Fail { Some(0) } else { self.max_rejects }
    }
}
