//! A corpus from its sources to its outputs: reader, workers, ordered writer.
//!
//! A part of [quadrille](https://docs.rs/quadrille): other packages use it through that one. This crate promises nothing of its own:
//! any item of it may change with any version.
//!
//! ```text
//!  reading and cutting threads      workers (rayon, one a thread)                writing thread
//!  input::Reader -> ChunkFeed       Worker: what is next?                        ReorderBuffer -> Writer
//!                      | Chunk        ChunkWorker: parse, search, verify, format       ^  |
//!                      v              HardWorker: one record, on all threads           |  | room
//!                   WorkQueue  ---->    |                                              |  |
//!                      ^  ^-- hard records of a chunk that is answered otherwise --'   |  |
//!                      |                |-- ChunkOutput: rows, rejects, statistics ----'  |
//!                      '------------------------------------------------------------------'
//!  run.rs starts and joins the threads; account.rs adds up their reports
//! ```
//!
//! | folder | what | imports |
//! |---|---|---|
//! | `options.rs` | question and options of a run | |
//! | `memory.rs` | the division of a run's memory | |
//! | `resume/` | checkpoints | options |
//! | `chunk/` | a chunk in work: plain or general, and its rows | options, memory |
//! | `flow/` | the queues between threads: chunks, work, pieces of output | chunk, resume |
//! | `traces.rs` | what came of each record, for comparisons | |
//! | `shared.rs`, `progress.rs` | what all threads see | flow |
//! | `worker/` | the threads that answer records | all above |
//! | `account.rs`, `run.rs` | a run from top to bottom | all above |
//! | `tables.rs` | a run over a table in memory | all above |
//!
//! What a change must not break:
//!
//! * Answers are a function of the record and the options. Neither threads nor chunks nor neighbours show.
//! * Memory is bounded: chunks in the queue, one or a few in each worker, and the window of finished output. While the window
//!   is full no chunk is taken, so that all threads come to help with whatever holds its head up.
//! * A worker owns its engines for its life: nothing is allocated per record in the steady state.
//! * Nobody waits for one record: see `flow/queue.rs`. Threads that wait sleep until they are woken.
//! * A chunk ends by bytes, by records, or by the work it is expected to be, whichever is first (`flow/chunking.rs`); what is
//!   there when the input stalls goes out at once.

// These panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

pub mod classes;
pub mod stats;

mod account;
mod chunk;
pub mod compare;
mod flow;
mod memory;
mod options;
mod progress;
mod resume;
mod run;
mod shared;
#[cfg(feature = "parquet")]
mod tables;
#[cfg(test)]
mod tests;
mod traces;
mod worker;

pub use account::Report;
pub use flow::writer::Outputs;
pub use options::{
    Ask, BatchOptions, CHUNK_BYTES, Comparison, MAX_INDEX_OFFSET, MOST_THREADS, NodeLimit, OnError,
    WINDOW_BYTES,
};
pub use progress::Progress;
pub use resume::checkpoint::{Checkpoint, RunFiles, Seal};
pub use run::run;
#[cfg(feature = "parquet")]
pub use tables::{TableAnswers, TableRecords, run_table};
pub use traces::{RecordTrace, TraceReader};

pub use quadrille_engine::GUARD_NODES;
