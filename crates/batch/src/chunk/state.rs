//! A chunk in work: the place that was reached in it, and the state of its records.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::general::GeneralChunk;
use super::output::ChunkOutput;
use super::plain::PlainChunk;
use quadrille_formats::input::Chunk;
use quadrille_model::Count;

/// The number of a record among the open chunks of a worker, which comes back with all that engines report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Place of the chunk.
    pub chunk: usize,
    /// Slot of the record, or number of its line.
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

/// The records of a chunk: most are plain, and become general at the first record that is not.
#[derive(Debug)]
pub(crate) enum ChunkRecords {
    Plain(Box<PlainChunk>),
    General(Box<GeneralChunk>),
}

/// A chunk in work.
#[derive(Debug)]
pub(crate) struct ChunkState {
    pub chunk: Chunk,
    pub records: ChunkRecords,
    /// Number of its first record in the whole run.
    pub first_index: u64,
    /// First record that was not looked at yet.
    pub cursor: usize,
    /// Number of the record at the cursor.
    pub cursor_index: u64,
    /// Records without an answer that were looked at.
    pub pending: usize,
    /// Hard records among them: by slot, the solutions that their short searches met, which did not come to an end; `None`
    /// where none was begun, because it has to ask for memory.
    pub hard: BTreeMap<usize, Option<Count>>,
    pub output: ChunkOutput,
}

impl ChunkState {
    /// A chunk of whose records nothing is known.
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

    /// Returns the number of entries, skipped lines included.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.records {
            ChunkRecords::Plain(plain) => plain.lines.count(),
            ChunkRecords::General(general) => general.slots.len(),
        }
    }

    /// The chunk while it is plain.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&PlainChunk> {
        match &self.records {
            ChunkRecords::Plain(plain) => Some(plain),
            ChunkRecords::General(_) => None,
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn plain_mut(&mut self) -> Option<&mut PlainChunk> {
        match &mut self.records {
            ChunkRecords::Plain(plain) => Some(plain),
            ChunkRecords::General(_) => None,
        }
    }

    /// The chunk, which is general.
    #[inline]
    pub(crate) fn general(&self) -> &GeneralChunk {
        match &self.records {
            ChunkRecords::General(general) => general,
            ChunkRecords::Plain(_) => unreachable!("asked for what only general chunks have"),
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn general_mut(&mut self) -> &mut GeneralChunk {
        match &mut self.records {
            ChunkRecords::General(general) => general,
            ChunkRecords::Plain(_) => unreachable!("asked for what only general chunks have"),
        }
    }

    /// Moves on to the next record.
    pub(crate) fn advance(&mut self) {
        self.cursor_index += u64::from(self.general().is_record(self.cursor));
        self.cursor += 1;
    }

    /// Every record was looked at, and all but hard ones have an answer.
    pub(crate) fn is_looked_through(&self) -> bool {
        self.cursor == self.len() && self.pending <= self.hard.len()
    }

    /// Number of a record in the whole run.
    pub(crate) fn index_of(&self, slot: usize) -> u64 {
        match &self.records {
            ChunkRecords::Plain(_) => self.first_index + slot as u64,
            ChunkRecords::General(general) => {
                let behind = (slot..self.cursor).filter(|&slot| general.is_record(slot)).count() as u64;
                self.cursor_index - behind
            }
        }
    }

    /// Slot and number of the first of its hard records.
    pub(crate) fn first_hard(&self) -> Option<(usize, u64)> {
        self.hard.keys().next().map(|&slot| (slot, self.index_of(slot)))
    }
}
