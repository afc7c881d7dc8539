//! Finds equal 128-bit keys in a long stream, within a bound of memory, using disk beyond it.
//!
//! [`KeyGroups`] numbers the classes of equal keys of one stream. [`KeyIndex`] finds which keys of a second stream
//! occur in the first. Equal keys stand for records that the caller considers equal. A key should be a hash with 128
//! bits, or a bijection of one.
//!
//! ```text
//!  keys -> Table ----------------------------------> answer at once, while all keys fit into memory
//!            | full: its entries, then all later keys
//!            v
//!          Partitions (up to 64 files, by a hash of the key)      route: one byte per record, the number of its file
//!            | one after another: a Table of one partition         |
//!            | (again too large: divided again by another hash)    |
//!            v                                                     v
//!          answers of each partition, in the order of the records -> Members, Answers: read along the route
//! ```
//!
//! This is the Grace hash join (Kitsuregawa, Tanaka, Moto-oka, *Application of Hash to Data Base Machine and Its
//! Architecture*, 1983) in its hybrid form: records that arrived while keys fitted into memory are not read again. A
//! partition holds everything known about its keys, so each can be answered alone. A single key that occurs a billion
//! times is one entry of a table, however large its file is. Every division uses its own hash with a new random seed,
//! so no stream can be built to fill a single file. No answer depends on the memory, on the hashes or on the moment at
//! which the table was full.
//!
//! **Memory.** The bound counts the table (32 bytes per entry and 10 to 20 for its part of the index) and the buffers
//! of the files. The table grows in place by pieces, so an old and a new one never exist at the same time. Bounds below
//! [`MIN_MEMORY`] are raised to it. Two things of [`KeyGroups`] are not bounded. The first is 1 1/7 bits per record
//! (whether it is the first of its class), once keys are on disk or if sizes are requested. The second is the number of
//! classes of each size. That is a short list: k different sizes take k²/2 records.
//!
//! **Disk.** 17 to 19 bytes per key, one byte per record for the route, and two to five bytes per record for answers.
//! The keys of a partition are deleted before the next is read. Files have no names, so they vanish with the process,
//! however it ends.

mod key_index;
mod members;
mod partitions;
mod ranks;
mod spool;
mod store;
mod summary;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

pub use key_index::{Answers, Found, KEYS, KeyIndex, LookupResult, Lookups};
pub use members::{KeyGroups, Member, Members, Membership, Resolved, Settled};
use spool::Scratch;
pub use spool::StopCheck;
pub use summary::{Largest, MAX_LISTED, Summary};

/// Minimum bound of memory, in bytes; lower bounds are raised to it.
pub const MIN_MEMORY: u64 = 1 << 20;

/// Division of the memory between tables and buffers.
#[derive(Debug, Clone)]
struct Plan {
    /// Bytes of all tables and buffers together.
    memory: u64,
    /// Number of files into which keys are divided, 2 to 64. A run that divides twice has fewer than 256 open files.
    partitions: usize,
    /// Directory of the temporary files, with the size of their buffers.
    scratch: Arc<Scratch>,
}

impl Plan {
    /// Creates a plan that spends at most an eighth of the memory on the buffers of one division.
    fn new(memory_bytes: u64, directory: &Path) -> Self {
        let memory = memory_bytes.max(MIN_MEMORY);
        let partitions = (memory / 8 / (8 << 10)).clamp(2, 64) as usize;
        let buffer = (memory / 8 / partitions as u64).min(64 << 10) as usize;
        Plan { memory, partitions, scratch: Arc::new(Scratch::new(directory, buffer)) }
    }

    /// Returns the maximum number of bytes of a table.
    ///
    /// A table may take the memory that the buffers of `divisions` divisions and `other` bytes leave, but at least a
    /// quarter of all.
    fn table_bytes(&self, divisions: u32, other: u64) -> u64 {
        let buffers = (self.partitions * self.scratch.buffer()) as u64 * u64::from(divisions);
        self.memory.saturating_sub(buffers.saturating_add(other)).max(self.memory / 4)
    }
}
