//! Runs over a corpus, from sources to outputs: reader, workers, ordered writer.
//!
//! This crate is a part of [quadrille](https://docs.rs/quadrille), through which other packages use it. It has no
//! stable interface: any item may change with any version.
//!
//! ```text
//!  reading and cutting threads      workers (rayon, one per thread)              writing thread
//!  input::Reader -> CutterState     Worker: what is next?                        ReorderBuffer -> Writer
//!                      | Chunk        ChunkWorker: parse, search, verify, format       ^  |
//!                      v              HardWorker: one record, on all threads           |  | room
//!                   WorkQueue  ---->    |                                              |  |
//!                      ^  ^-- hard records of a chunk whose others are answered ---'   |  |
//!                      |                |-- ChunkOutput: rows, rejects, statistics ----'  |
//!                      '------------------------------------------------------------------'
//!  run.rs starts and joins the threads; finish.rs adds up their reports
//! ```
//!
//! | folder | what | imports |
//! |---|---|---|
//! | `options.rs` | question and options of a run | |
//! | `locks.rs` | locks that survive a panic | |
//! | `memory.rs` | division of a run's memory | |
//! | `resume/` | checkpoints | options |
//! | `chunk/` | a chunk being worked on: plain or general, and its rows | options, memory |
//! | `flow/` | queues between threads: chunks, work, pieces of output | chunk, resume |
//! | `outcomes.rs` | results of each record, for comparisons | |
//! | `shared.rs`, `progress.rs` | state that all threads see | flow |
//! | `worker/` | threads that answer records | all above |
//! | `finish.rs`, `run.rs` | a run from top to bottom | all above |
//! | `in_memory.rs` | a run over a table in memory | all above |
//!
//! Invariants that a change must keep:
//!
//! * An answer depends only on the record and the options, never on threads, chunks or neighbouring records.
//! * Memory is bounded: it holds the chunks in the queue, one or a few chunks per worker, and the reorder buffer of
//!   finished output. While the buffer is full no chunk is taken, so all threads come to help with the record whose
//!   rows are written next.
//! * A worker owns its engines for its whole life: nothing is allocated per record in the steady state.
//! * No thread waits for one record: see `flow/queue.rs`. Threads without work sleep until they are woken.
//! * A chunk ends by bytes, by records or by expected work, whichever comes first (`flow/chunking.rs`). When the input
//!   stalls, the records read so far are handed on immediately.

// The print macros panic if standard output or standard error cannot be written, so this crate does not use
// them.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

pub mod key_groups;
pub mod stats;

mod chunk;
pub mod compare;
mod finish;
mod flow;
#[cfg(feature = "parquet")]
pub mod in_memory;
mod locks;
mod memory;
mod options;
mod outcomes;
mod progress;
mod resume;
mod run;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

pub use finish::Report;
pub use flow::writer::Outputs;
pub use options::{
    Augmentation, BatchOptions, CHUNK_BYTES, Comparison, Condition, MAX_COPIES, MAX_INDEX_OFFSET,
    MAX_THREADS, NodeLimit, OnError, Query, WINDOW_BYTES,
};
pub use outcomes::{OutcomeReader, RecordOutcome};
pub use progress::Progress;
pub use resume::checkpoint::{Checkpoint, CommitRows, RunFiles, TrackedFile};
pub use run::run;

pub use quadrille_engine::GUARD_NODES;
