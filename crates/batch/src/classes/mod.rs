//! Equal keys in a long stream: which of many 128-bit keys are the same, within a bound of memory, else on disk.
//!
//! [`Classes`] numbers the classes of equal keys of one stream; [`Firsts`] says which keys of a second stream the first one
//! had. A key stands for whatever a caller takes for equal; it should be a hash or a bijection of it, of all 128 bits.
//!
//! ```text
//!  keys -> Table ----------------------------------> answer at once, while all keys fit into memory
//!            | full: its entries, then all later keys
//!            v
//!          Partitions (up to 64 files, by a hash of the key)      route: one byte a record, the file that it went to
//!            | one after another: a Table of one partition         |
//!            | (again too large: divided again by another hash)    |
//!            v                                                     v
//!          answers of each partition, in the order of the records -> Members, Answers: read along the route
//! ```
//!
//! This is the hash join of Grace (Kitsuregawa, Tanaka, Moto-oka, *Application of Hash to Data Base Machine and Its
//! Architecture*, 1983) in its hybrid form: what memory held is not read again. A partition holds all that was said of its
//! keys, so that each can be answered alone; a single key that comes a billion times is one entry of a table, however
//! large its file. Every division takes a hash of its own, seeded anew in each process, so no stream can aim at one file.
//! No answer depends on the memory, on the hashes or on where the table was full.
//!
//! **Memory.** What is counted is the table (32 bytes an entry and 10 to 20 of its index) and the buffers of the files; the
//! table grows in place by pieces, so that an old and a new one never stand beside each other. Bounds below [`MIN_MEMORY`]
//! are taken for it. Not bounded, for [`Classes`] alone: one bit and a seventh a record (which are the first of their
//! class) once keys are on disk or where sizes are wanted, and the numbers of classes of each size, which are few (k
//! different sizes take k²/2 records).
//!
//! **Disk.** 17 to 19 bytes a key, a byte a record for the route, and two to five bytes a record of answers; a partition's
//! keys are gone before the next is read. Files have no names: they vanish with the process, however it ends.

mod firsts;
mod members;
mod partitions;
mod ranks;
mod spool;
mod summary;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

pub use firsts::{Answers, Asked, Firsts, Found, KEYS, Questions};
pub use members::{Classes, Member, Members, Resolved, Seen, Settled};
use spool::Scratch;
pub use spool::Stop;
pub use summary::{LARGEST, Largest, Summary};

/// The least bound of memory in bytes; lower ones are taken for this one.
pub const MIN_MEMORY: u64 = 1 << 20;

/// How a bound of memory is spent.
#[derive(Debug, Clone)]
struct Plan {
    /// Bytes of all tables and buffers together.
    memory: u64,
    /// Number of files that keys are divided into, 2 to 64: a run that divides twice stays below 256 open files.
    partitions: usize,
    /// The folder of the files with the size of their buffers.
    scratch: Arc<Scratch>,
}

impl Plan {
    /// An eighth of the memory is for the buffers of one division, as long as that is of use.
    fn new(memory_bytes: u64, directory: &Path) -> Self {
        let memory = memory_bytes.max(MIN_MEMORY);
        let partitions = (memory / 8 / (8 << 10)).clamp(2, 64) as usize;
        let buffer = (memory / 8 / partitions as u64).min(64 << 10) as usize;
        Plan { memory, partitions, scratch: Arc::new(Scratch::new(directory, buffer)) }
    }

    /// Bytes that a table may take below `divisions` divisions, each of which holds on to its buffers, beside `other`
    /// bytes that are held elsewhere; never less than a quarter of all.
    fn table_bytes(&self, divisions: u32, other: u64) -> u64 {
        let buffers = (self.partitions * self.scratch.buffer()) as u64 * u64::from(divisions);
        self.memory.saturating_sub(buffers.saturating_add(other)).max(self.memory / 4)
    }
}
