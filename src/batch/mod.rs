//! A corpus from its sources to its outputs: reader, workers, ordered writer.
//!
//! ```text
//!  reader thread      cutting thread        workers (rayon)                 writer thread
//!  read, decompress -> cut into chunks  ->  parse, search, verify, format -> put in order, write
//!                      of records           one chunk at a time              64 MiB window
//! ```
//!
//! * A chunk ends by bytes, by records, or by the work it is expected to be (10 ms), whichever is first.
//! * A worker owns its engines for its life: nothing is allocated per record in the steady state.
//! * A record that turns out hard is cut into parts ([`engine::parallel`](crate::engine::parallel)), and workers
//!   that have no chunk, or no room for its output, help with them until there is one again (`seats`).
//! * Memory is bounded: chunks in the channels, one or a few in each worker, and the window. When the window is
//!   full, workers take no chunks, so that all of them come to help with whatever holds the head up.
//! * Answers are a function of the record and the options. Neither threads nor chunks nor neighbours show.

mod chunk;
mod flow;
mod options;
mod progress;
mod resume;
mod run;
#[cfg(test)]
mod tests;
mod worker;

pub use flow::writer::Outputs;
pub use options::{Ask, BatchOptions, CHUNK_BYTES, GUARD_NODES, NodeLimit, OnError, WINDOW_BYTES};
pub use progress::Progress;
pub use resume::checkpoint::Checkpoint;
pub use run::{Report, run};
