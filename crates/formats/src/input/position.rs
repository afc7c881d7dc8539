//! The position that the program has reached in its input, so that a later execution can continue from there.
//!
//! A position is the end of a chunk. The reader has already returned everything before it in chunks. A
//! position consists of the source, the byte offset, the number of records, and a hash of everything before
//! it.
//!
//! A position does not include the state of a cutter, such as the count of a contest file, the size of the
//! last grid or the columns of a table. This state depends only on the bytes. So a resumed reader reads,
//! hashes and cuts all bytes before the position again, and reaches the same state. That is cheap compared
//! with solving, and it also works for pipes and compressed files.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

use super::LineCounts;

/// The end of a chunk within the whole input. Only the reader uses the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// Number of sources opened so far, or 0 at the start.
    pub(super) opened: u64,
    /// Byte offset in the source that was opened last, counted after decompression.
    pub(super) byte: u64,
    /// Number of records in all chunks before the position.
    pub(super) records: u64,
    /// Hash of all bytes before the position, over all sources. It is 0 if the reader does not compute
    /// hashes.
    #[serde(with = "hexadecimal")]
    pub(super) hash: u128,
}

/// Reads and writes a hash as text of 32 hexadecimal digits.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(hash: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{hash:032x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        u128::from_str_radix(&String::deserialize(deserializer)?, 16).map_err(D::Error::custom)
    }
}

impl Position {
    /// Returns the number of records before the position.
    pub fn records(&self) -> u64 {
        self.records
    }
}

/// Number of bytes that have been read so far, and a hash of these bytes. The hash is computed only if a
/// later execution of the program may continue from here.
#[derive(Default)]
pub(super) struct InputHash {
    hash: Option<Box<Xxh3Default>>,
    /// Number of bytes passed.
    pub(super) bytes: u64,
    /// The lines passed.
    pub(super) lines: LineCounts,
}

impl InputHash {
    /// Creates a counter that also computes a hash of the bytes.
    pub(super) fn hashing() -> Self {
        InputHash { hash: Some(Box::new(Xxh3Default::new())), ..InputHash::default() }
    }

    #[inline]
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if let Some(hash) = &mut self.hash {
            hash.update(bytes);
        }
    }

    /// Returns the hash of all bytes counted so far, or 0 if no hash is computed.
    pub(super) fn hash(&self) -> u128 {
        self.hash.as_ref().map_or(0, |hash| hash.digest128())
    }
}
