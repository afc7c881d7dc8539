//! A chunk being worked on: its cursor and the state of its records.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::columns::ColumnChunk;
use super::output::ChunkOutput;
use super::records::RecordChunk;
use quadrille_formats::input::Chunk;
use quadrille_model::Count;

/// Identifies a record among the open chunks of a worker. Every report of an engine carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Place of the chunk among the worker's open chunks.
    pub chunk: usize,
    /// Slot of the record, or 0-based number of its line in a column chunk.
    pub slot: usize,
}

impl From<Ticket> for u64 {
    fn from(ticket: Ticket) -> u64 {
        (ticket.chunk as u64) << 32 | ticket.slot as u64
    }
}

impl From<u64> for Ticket {
    fn from(number: u64) -> Ticket {
        Ticket { chunk: (number >> 32) as usize, slot: number as u32 as usize }
    }
}

/// Records of a chunk. Most chunks are plain, and become general at the first record that is not.
#[derive(Debug)]
pub(crate) enum ChunkRecords {
    Columns(Box<ColumnChunk>),
    Records(Box<RecordChunk>),
}

/// A chunk being worked on.
#[derive(Debug)]
pub(crate) struct ChunkState {
    pub chunk: Chunk,
    pub records: ChunkRecords,
    /// Number of the first record over the whole run.
    pub first_index: u64,
    /// First slot that has not been examined.
    pub cursor: usize,
    /// Number of the record at the cursor over the whole run.
    pub cursor_index: u64,
    /// Number of examined records without an answer.
    pub pending: usize,
    /// Unanswered hard records by slot, each with the number of solutions found before the short search stopped.
    ///
    /// `None` if no search was begun, because the record must first reserve memory.
    pub hard: BTreeMap<usize, Option<Count>>,
    pub output: ChunkOutput,
}

impl ChunkState {
    /// Creates the state of a chunk whose records have not been examined.
    pub(crate) fn new(
        chunk: Chunk,
        records: ChunkRecords,
        mut output: ChunkOutput,
        index_offset: u64,
    ) -> Self {
        output.source = Arc::clone(&chunk.source);
        let first_index = chunk.first_record + index_offset;
        ChunkState {
            chunk,
            records,
            first_index,
            cursor: 0,
            cursor_index: first_index,
            pending: 0,
            hard: BTreeMap::new(),
            output,
        }
    }

    /// Returns the number of entries, including skipped lines.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.records {
            ChunkRecords::Columns(plain) => plain.lines.count(),
            ChunkRecords::Records(general) => general.slots.len(),
        }
    }

    /// Returns the column chunk, or `None` if the chunk is general.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&ColumnChunk> {
        match &self.records {
            ChunkRecords::Columns(plain) => Some(plain),
            ChunkRecords::Records(_) => None,
        }
    }

    /// Returns the column chunk for changes, or `None` if the chunk is general.
    #[inline]
    pub(crate) fn plain_mut(&mut self) -> Option<&mut ColumnChunk> {
        match &mut self.records {
            ChunkRecords::Columns(plain) => Some(plain),
            ChunkRecords::Records(_) => None,
        }
    }

    /// Returns the record chunk. Panics if the chunk is plain.
    #[inline]
    pub(crate) fn general(&self) -> &RecordChunk {
        match &self.records {
            ChunkRecords::Records(general) => general,
            ChunkRecords::Columns(_) => unreachable!("the chunk is not a record chunk"),
        }
    }

    /// Returns the record chunk for changes. Panics if the chunk is plain.
    #[inline]
    pub(crate) fn general_mut(&mut self) -> &mut RecordChunk {
        match &mut self.records {
            ChunkRecords::Records(general) => general,
            ChunkRecords::Columns(_) => unreachable!("the chunk is not a record chunk"),
        }
    }

    /// Moves the cursor to the next entry.
    pub(crate) fn advance(&mut self) {
        self.cursor_index += u64::from(self.general().is_record(self.cursor));
        self.cursor += 1;
    }

    /// Returns true if every record was examined and all except hard records have an answer.
    pub(crate) fn is_looked_through(&self) -> bool {
        self.cursor == self.len() && self.pending <= self.hard.len()
    }

    /// Returns the number of a slot's record over the whole run.
    pub(crate) fn index_of(&self, slot: usize) -> u64 {
        match &self.records {
            ChunkRecords::Columns(_) => self.first_index + slot as u64,
            ChunkRecords::Records(general) => {
                let behind = (slot..self.cursor).filter(|&slot| general.is_record(slot)).count() as u64;
                self.cursor_index - behind
            }
        }
    }

    /// Returns slot and number of the first unanswered hard record, or `None`.
    pub(crate) fn first_hard(&self) -> Option<(usize, u64)> {
        self.hard.keys().next().map(|&slot| (slot, self.index_of(slot)))
    }
}
