//! The place that a run has reached in its input, so that a later run can continue there.
//!
//! A position is the end of a chunk: everything before it was handed out in chunks. It holds the source, byte and
//! record, and a hash of everything before it. It does not hold the state of a cutter, such as the count of a contest
//! file, the side of the last grid or the columns of a table. Cutting depends only on the bytes, so a resumed reader
//! reads, hashes and cuts them again and reaches the same state. That is cheap compared with solving, and works for
//! pipes and compressed files too.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

/// The end of a chunk within the whole input. Only the reader uses its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Number of sources opened so far; 0 at the start.
    pub(super) opened: u64,
    /// Offset in the last opened source after decompression, in bytes.
    pub(super) byte: u64,
    /// Number of records in all chunks before the position.
    pub(super) records: u64,
    /// Hash of all bytes before the position in all sources; 0 if the reader does not hash.
    pub(super) hash: u128,
}

/// The serialized form of a position.
#[derive(Serialize, Deserialize)]
struct PositionText {
    opened: u64,
    byte: u64,
    records: u64,
    hash: String,
}

impl Position {
    /// Returns the number of records before the position.
    pub fn records(&self) -> u64 {
        self.records
    }
}

impl Serialize for Position {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Position { opened, byte, records, hash } = *self;
        PositionText { opened, byte, records, hash: format!("{hash:032x}") }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let PositionText { opened, byte, records, hash } = PositionText::deserialize(deserializer)?;
        let hash = u128::from_str_radix(&hash, 16).map_err(serde::de::Error::custom)?;
        Ok(Position { opened, byte, records, hash })
    }
}

/// Number of bytes passed so far, and their hash if the run may be resumed.
#[derive(Default)]
pub(super) struct InputHash {
    hash: Option<Box<Xxh3Default>>,
    bytes: u64,
    /// Lines that are not part of a record and not empty.
    skipped_lines: u64,
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

    /// Counts bytes that are not in memory. Only for readers that do not hash.
    pub(super) fn pass_unseen(&mut self, bytes: u64) {
        debug_assert!(self.hash.is_none(), "bytes that are not in memory cannot be hashed");
        self.bytes += bytes;
    }

    /// Counts lines that are not part of a record.
    pub(super) fn skip_lines(&mut self, lines: u64) {
        self.skipped_lines += lines;
    }

    /// Returns the number of lines that are not part of a record.
    pub(super) fn skipped_lines(&self) -> u64 {
        self.skipped_lines
    }

    /// Returns the number of bytes passed.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the hash of the bytes passed; 0 if they are not hashed.
    pub(super) fn hash(&self) -> u128 {
        self.hash.as_ref().map_or(0, |hash| hash.digest128())
    }
}
