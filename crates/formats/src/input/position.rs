//! The place in its input that a run has reached, so that another run can go on there.
//!
//! A position is the end of a chunk: everything before it is in chunks that were handed out. It holds how far that is
//! (source, byte, records) and a hash of what stood there. The state of a cutter at that place (the count of a contest
//! file, the side of the last grid, the columns of a table) is no part of it: cutting is a function of the bytes, so a
//! reader that resumes reads, hashes and cuts the same bytes again and has the same state as before. That costs little
//! beside solving, and works for pipes and compressed files as for plain ones.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

/// The end of a chunk in the input as a whole; only the reader uses its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Sources opened so far; 0 at the very start.
    pub(super) opened: u64,
    /// Offset in the last of them, decompressed.
    pub(super) byte: u64,
    /// Records in all chunks before it.
    pub(super) records: u64,
    /// Hash of all bytes before it, of all sources; 0 where the reader does not hash.
    pub(super) hash: u128,
}

/// A position as it is written down.
#[derive(Serialize, Deserialize)]
struct Written {
    opened: u64,
    byte: u64,
    records: u64,
    hash: String,
}

impl Position {
    /// Records before it.
    pub fn records(&self) -> u64 {
        self.records
    }
}

impl Serialize for Position {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Position { opened, byte, records, hash } = *self;
        Written { opened, byte, records, hash: format!("{hash:032x}") }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { opened, byte, records, hash } = Written::deserialize(deserializer)?;
        let hash = u128::from_str_radix(&hash, 16).map_err(serde::de::Error::custom)?;
        Ok(Position { opened, byte, records, hash })
    }
}

/// The number of bytes passed so far, and their hash where it is wanted.
#[derive(Default)]
pub(super) struct Trail {
    hash: Option<Box<Xxh3Default>>,
    bytes: u64,
}

impl Trail {
    /// Returns a trail that hashes.
    pub(super) fn hashing() -> Self {
        Trail { hash: Some(Box::new(Xxh3Default::new())), bytes: 0 }
    }

    #[inline]
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if let Some(hash) = &mut self.hash {
            hash.update(bytes);
        }
    }

    /// Passes bytes that are not at hand, which nothing is to be resumed behind.
    pub(super) fn pass_unseen(&mut self, bytes: u64) {
        debug_assert!(self.hash.is_none(), "bytes that are hashed have to be seen");
        self.bytes += bytes;
    }

    /// Bytes passed.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Their hash; 0 where there is none.
    pub(super) fn hash(&self) -> u128 {
        self.hash.as_ref().map_or(0, |hash| hash.digest128())
    }
}
