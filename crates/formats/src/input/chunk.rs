//! A piece of the input that one worker parses, solves and formats.

use std::ops::Deref;
use std::sync::Arc;

use super::{Layout, Position, SharedRules, Span};

/// The bytes of a chunk: the end of a buffer, from `start` on.
///
/// A buffer filled by reading can thus become a chunk without a copy.
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

/// Whole records of one source, cut at record boundaries.
#[derive(Debug, Clone, Default)]
pub struct Chunk {
    /// 0-based number of the chunk in the run; output is written in this order.
    pub sequence: u64,
    /// Name of the source as the user gave it; `-` for standard input.
    pub source: Arc<str>,
    /// Layout of the source; all chunks of a source share the object.
    pub layout: Arc<Layout>,
    /// Rules of the source's first record, if later records may share them.
    ///
    /// All chunks of the source share the object.
    pub shared_rules: Option<Arc<SharedRules>>,
    /// Bytes of the records.
    pub bytes: ChunkBytes,
    /// Line of the first byte in the source, 1-based.
    pub first_line: u64,
    /// Offset of the first byte in the decompressed source, in bytes.
    pub first_byte: u64,
    /// Number of the first record over the whole run, 1-based.
    pub first_record: u64,
    /// Number of records; skipped lines do not count.
    pub records: u64,
    /// Places of the records, for formats whose records only the cutter can find (grids, contest files, sections).
    ///
    /// Empty for line formats and CSV, whose parser finds the records.
    pub cuts: Vec<Cut>,
    /// Position of the reader after this chunk.
    pub end: Position,
    /// Decompressed bytes of input from the end of the previous chunk to the end of this chunk.
    pub extent: u64,
    /// Warnings for the user that came up while cutting.
    pub warnings: Vec<String>,
}

/// Place of a record that the cutter found.
#[derive(Debug, Clone)]
pub struct Cut {
    /// The range of the record in the chunk; empty for a missing record.
    pub span: Span,
    /// Number of lines between the first line of the chunk and the line of the record.
    pub line_offset: u32,
    /// Number of bytes in the source between the first byte of the chunk and the first byte of the record.
    pub byte_offset: u32,
    /// The reason if the cutter found the record invalid, such as `T is 3, but only 1 grid was found`.
    pub invalid: Option<String>,
    /// The puzzle with its heading, and the solution after it, if the record has both.
    pub pair: Option<[Span; 2]>,
}

/// Size at which a chunk ends: at a number of bytes or of records, whichever comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkTarget {
    /// Bytes of input.
    pub bytes: usize,
    /// Records.
    pub records: u64,
}
