//! A piece of the input that one worker parses, solves and formats.

use std::ops::Deref;
use std::sync::Arc;

use super::row_text::{CELLS, spell_out};
use super::{Layout, Position, SharedRules, Span};
use quadrille_model::PLAIN_LINE;

/// The bytes of a chunk: what stands in a buffer from some place on, so that a buffer that was read into becomes a chunk
/// without being copied.
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
    /// Place in the run, 0 for the first; the writer puts chunks in this order.
    pub sequence: u64,
    /// The source's name as the user gave it, `-` for standard input.
    pub source: Arc<str>,
    /// The layout found by sniffing; the same object for all chunks of a source.
    pub layout: Arc<Layout>,
    /// The rules of the first record of the source, where others may share them; the same object for all chunks of it.
    pub shared_rules: Option<Arc<SharedRules>>,
    /// The bytes.
    pub bytes: ChunkBytes,
    /// They are nothing but the 81 characters of each of its records side by side, in place of the text of the rows of a table
    /// with no other column: see [`spell_out`](Self::spell_out).
    pub are_cells: bool,
    /// Line number of the first byte in the source, from 1.
    pub first_line: u64,
    /// Offset of the first byte in the decompressed source.
    pub first_byte: u64,
    /// Number of the first record over the whole run, from 1.
    pub first_record: u64,
    /// Number of records it holds (skipped lines are none).
    pub records: u64,
    /// Formats whose records only the cutter can find (grids, contest files, sections) list them here; for
    /// line formats and CSV it is empty and the parser finds them.
    pub cuts: Vec<Cut>,
    /// The position of the reader behind it.
    pub end: Position,
    /// Decompressed bytes of input from the end of the chunk before it to its own.
    pub extent: u64,
    /// Messages for people about the source that came up while cutting; for standard error.
    pub warnings: Vec<String>,
}

impl Chunk {
    /// Makes the text of rows of bare cells, as everything takes it that does not take records for plain lines.
    pub fn spell_out(&mut self) {
        if self.are_cells {
            let mut buffer = Vec::with_capacity(self.bytes.len() / CELLS * PLAIN_LINE);
            spell_out(&self.bytes, &mut buffer);
            self.bytes = ChunkBytes { buffer, start: 0 };
            self.are_cells = false;
        }
    }
}

/// A record that the cutter found.
#[derive(Debug, Clone)]
pub struct Cut {
    /// Its place in the chunk; empty for one that is missing.
    pub span: Span,
    /// Lines between the chunk's first and the record's.
    pub line_offset: u32,
    /// The reason why it is invalid, where the cutter found one (`T=3, found 1`).
    pub invalid: Option<String>,
}

/// The size at which a chunk ends: so many bytes or records, whichever comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkTarget {
    /// Bytes of input.
    pub bytes: usize,
    /// Records.
    pub records: u64,
}
