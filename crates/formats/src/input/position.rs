//! The place that a run has reached in its input, so that a later run can continue there.
//!
//! A position is the end of a chunk: everything before it was handed out in chunks. It holds the source, byte and
//! record, and a hash of everything before it. It does not hold the state of a cutter, such as the count of a contest
//! file, the side of the last grid or the columns of a table. Cutting depends only on the bytes, so a resumed reader
//! reads, hashes and cuts them again and reaches the same state. That is cheap compared with solving, and works for
//! pipes and compressed files too.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

use super::LineCounts;

/// The end of a chunk within the whole input. Only the reader uses its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// Number of sources opened so far; 0 at the start.
    pub(super) opened: u64,
    /// Offset in the last opened source after decompression, in bytes.
    pub(super) byte: u64,
    /// Number of records in all chunks before the position.
    pub(super) records: u64,
    /// Hash of all bytes before the position in all sources; 0 if the reader does not hash.
    #[serde(with = "hexadecimal")]
    pub(super) hash: u128,
}

/// A hash as text: 32 hexadecimal digits.
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

/// Number of bytes passed so far, and their hash if the run may be resumed.
#[derive(Default)]
pub(super) struct InputHash {
    hash: Option<Box<Xxh3Default>>,
    /// Number of bytes passed.
    pub(super) bytes: u64,
    /// The lines passed.
    pub(super) lines: LineCounts,
}

impl InputHash {
    /// Creates a counter that also hashes the bytes.
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

    /// Returns the hash of the bytes passed; 0 if they are not hashed.
    pub(super) fn hash(&self) -> u128 {
        self.hash.as_ref().map_or(0, |hash| hash.digest128())
    }
}
