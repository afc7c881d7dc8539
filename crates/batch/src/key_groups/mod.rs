//! Finds equal 128-bit keys in a long stream, within a bound of memory, using disk beyond it.
//!
//! [`KeyGroups`] numbers the classes of equal keys of one stream. [`KeyIndex`] finds which keys of a second stream
//! occur in the first. Equal keys stand for records that the caller considers equal. A key should be a hash with 128
//! bits, or a bijection of one.
//!
//! ```text
//!  keys -> KeyTable ---------------------------------> answer at once, while all keys fit into memory
//!            | full: its entries, then all later keys, each with the number of its record
//!            v
//!          Sorter, by key: equal keys are neighbours
//!            |
//!            v
//!          Sorter, by number of the record ----------> Members, Answers: late answers in the order of the records
//! ```
//!
//! No answer depends on the memory or on the moment at which the table was full.
//!
//! **Memory.** The bound counts the table (32 bytes per entry and 10 to 20 for its part of the index) and what sorters
//! hold. The table grows in place by pieces, so an old and a new one never exist at the same time. Bounds below
//! [`MIN_MEMORY`] are raised to it. Two things of [`KeyGroups`] are not bounded. The first is 1 1/7 bits per record
//! (whether it is the first of its class), once keys are sorted. The second is the number of classes of each size. That
//! is a short list: k different sizes take k²/2 records.
//!
//! **Disk.** 24 to 32 bytes per key, and then 16 to 24 bytes per late answer. Hashing keys into files instead (Grace hash
//! join) takes half of that, and twice the code.

mod key_index;
mod members;
mod ranks;
mod sorter;
mod summary;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

pub use key_index::{Answers, Found, KEYS, KeyIndex, LookupResult};
pub use members::{KeyGroups, Member, Members, Membership, Resolved, Settled};
use sorter::Scratch;
pub use summary::{Largest, MAX_LISTED, Summary};

/// Minimum memory limit in bytes. A lower limit is raised to this value.
pub const MIN_MEMORY: u64 = 1 << 20;

/// Division of the memory between the table and the sorters.
#[derive(Debug, Clone)]
struct Plan {
    /// Maximum size of the table in bytes.
    ///
    /// While the table is moved to a sorter, the table and the sorter are in memory at the same time.
    table_bytes: u64,
    scratch: Arc<Scratch>,
}

impl Plan {
    /// Creates a plan that gives each of up to three sorters an eighth of the memory.
    ///
    /// Each sorter needs another eighth while it merges.
    fn new(memory_bytes: u64, directory: &Path) -> Self {
        let memory = memory_bytes.max(MIN_MEMORY);
        let bytes = usize::try_from(memory / 8).unwrap_or(usize::MAX);
        Plan { table_bytes: memory / 8 * 7, scratch: Arc::new(Scratch::new(directory, bytes, 32)) }
    }
}

/// Returns the upper and the lower 64 bits of a key. Comparing such pairs gives the same order as comparing
/// keys.
fn halves(key: u128) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}
