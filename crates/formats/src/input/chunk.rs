//! A piece of the input that one worker parses, solves and formats.

use std::ops::Deref;
use std::sync::Arc;

use super::{Layout, Position, SharedRules, Span};

/// The bytes of a chunk. They are the bytes of a buffer from offset `start` to its end.
///
/// Thanks to `start`, a buffer that was filled by reading becomes a chunk without being copied.
#[derive(Debug, Clone, Default)]
pub struct ChunkBytes {
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
}

impl Deref for ChunkBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.buffer[self.start..]
    }
}

/// Consecutive whole records of one source. A worker parses and solves them together.
#[derive(Debug, Clone, Default)]
pub struct Chunk {
    /// 0-based index of the chunk, counted over all sources. Output is written in the order of these indices.
    pub sequence: u64,
    /// Name of the source as the user gave it, or `-` for standard input.
    pub source: Arc<str>,
    /// Layout of the source. All chunks of a source share the same object.
    pub layout: Arc<Layout>,
    /// Rules of the source's first record. Later records with the same rules share them.
    ///
    /// All chunks of a source share the same object. `None` if the rules cannot be shared.
    pub shared_rules: Option<Arc<SharedRules>>,
    /// Bytes of the records.
    pub bytes: ChunkBytes,
    /// 1-based line number of the chunk's first byte in its source.
    pub first_line: u64,
    /// Offset of the chunk's first byte in the decompressed source, in bytes.
    pub first_byte: u64,
    /// 1-based number of the chunk's first record, counted over all sources.
    pub first_record: u64,
    /// Number of records in the chunk. Skipped lines do not count.
    pub records: u64,
    /// Positions of the records in the chunk, for grids, contest files and sections. The parser cannot find
    /// the records of these formats itself.
    ///
    /// Empty for line formats and CSV, because their parsers find the records.
    pub cuts: Vec<Cut>,
    /// Position of the reader after this chunk, from which reading can resume.
    pub end: Position,
    /// Number of decompressed input bytes from the end of the previous chunk to the end of this chunk.
    pub extent: u64,
    /// Warnings for the user that arose while the chunk was cut.
    pub warnings: Vec<String>,
}

/// Position of a record in the chunk, as found by the cutter.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    /// The range of the record's bytes in the chunk. Empty for a missing record.
    pub span: Span,
    /// Number of lines from the first line of the chunk to the first line of the record.
    pub line_offset: u32,
    /// Number of bytes in the source between the first byte of the chunk and the first byte of the record.
    pub byte_offset: u32,
    /// The reason why the record is invalid, if the cutter found one. For example: `T is 3, but only 1 grid
    /// was found`.
    pub invalid: Option<String>,
    /// Byte range of the puzzle with its heading, and byte range of the solution after it. `None` if the
    /// record does not have both.
    pub pair: Option<[Span; 2]>,
}

/// Size at which a chunk is complete: a number of bytes or a number of records. The chunk is complete when it
/// reaches either of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkTarget {
    /// Bytes of input.
    pub bytes: usize,
    /// Records.
    pub records: u64,
}
