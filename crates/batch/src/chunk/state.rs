//! A chunk that a worker is answering. It has a cursor (the next record to examine) and the states of its
//! records.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::columns::ColumnChunk;
use super::output::ChunkOutput;
use super::records::RecordChunk;
use quadrille_formats::input::Chunk;
use quadrille_model::Count;

/// Identifies a record among the chunks that a worker has open. Engines include the ticket in every report
/// about the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Index of the chunk in the worker's list of open chunks.
    pub chunk: usize,
    /// Slot of the record. In a column chunk, this is the 0-based index of its line.
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

/// The records of a chunk. Most chunks are first stored as columns. They change to records at the first
/// record that columns cannot hold.
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
    /// Number of the first record in the whole run.
    pub first_index: u64,
    /// First slot that the worker has not examined.
    pub cursor: usize,
    /// Number, in the whole run, of the record in the slot `cursor`.
    pub cursor_index: u64,
    /// Number of examined records that have no answer yet.
    pub pending: usize,
    /// Hard records without an answer. The key is the slot of the record. The value is the number of
    /// solutions that the short search found.
    ///
    /// The value is `None` if no search has begun yet. In this case, memory must first be reserved for the
    /// search.
    pub hard: BTreeMap<usize, Option<Count>>,
    pub output: ChunkOutput,
}

impl ChunkState {
    /// Creates the state of a chunk in which no record has been examined.
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

    /// Returns the number of slots or lines. Skipped lines are included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.records {
            ChunkRecords::Columns(plain) => plain.lines.count(),
            ChunkRecords::Records(general) => general.slots.len(),
        }
    }

    /// Returns the column chunk, or `None` if this is a record chunk.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&ColumnChunk> {
        match &self.records {
            ChunkRecords::Columns(plain) => Some(plain),
            ChunkRecords::Records(_) => None,
        }
    }

    /// Returns the column chunk as mutable, or `None` if this is a record chunk.
    #[inline]
    pub(crate) fn plain_mut(&mut self) -> Option<&mut ColumnChunk> {
        match &mut self.records {
            ChunkRecords::Columns(plain) => Some(plain),
            ChunkRecords::Records(_) => None,
        }
    }

    /// Returns the record chunk. Panics if this is a column chunk.
    #[inline]
    pub(crate) fn general(&self) -> &RecordChunk {
        match &self.records {
            ChunkRecords::Records(general) => general,
            ChunkRecords::Columns(_) => unreachable!("the chunk is not a record chunk"),
        }
    }

    /// Returns the record chunk as mutable. Panics if this is a column chunk.
    #[inline]
    pub(crate) fn general_mut(&mut self) -> &mut RecordChunk {
        match &mut self.records {
            ChunkRecords::Records(general) => general,
            ChunkRecords::Columns(_) => unreachable!("the chunk is not a record chunk"),
        }
    }

    /// Moves the cursor to the next slot.
    pub(crate) fn advance(&mut self) {
        self.cursor_index += u64::from(self.general().is_record(self.cursor));
        self.cursor += 1;
    }

    /// Moves the cursor past the current record, which has no answer yet. Returns the slot and the number of
    /// the record.
    pub(crate) fn pass(&mut self) -> (usize, u64) {
        let passed = (self.cursor, self.cursor_index);
        self.advance();
        self.pending += 1;
        passed
    }

    /// Returns true if every record was examined, and only hard records lack an answer.
    pub(crate) fn is_looked_through(&self) -> bool {
        self.cursor == self.len() && self.pending <= self.hard.len()
    }

    /// Returns the number, in the whole run, of the record in a slot.
    pub(crate) fn index_of(&self, slot: usize) -> u64 {
        match &self.records {
            ChunkRecords::Columns(_) => self.first_index + slot as u64,
            ChunkRecords::Records(general) => {
                let behind = (slot..self.cursor).filter(|&slot| general.is_record(slot)).count() as u64;
                self.cursor_index - behind
            }
        }
    }
}
