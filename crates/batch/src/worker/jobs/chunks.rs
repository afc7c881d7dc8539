//! The open chunks of a worker, and the memory of finished chunks, for reuse.

use crate::chunk::columns::ColumnChunk;
use crate::chunk::records::RecordChunk;
use crate::chunk::state::{ChunkRecords, ChunkState};

/// Open chunks, each at a place that tickets refer to.
#[derive(Default)]
pub(super) struct OpenChunks {
    /// Chunks by place; free places are `None`.
    list: Vec<Option<ChunkState>>,
    /// Memory of finished column chunks, for reuse.
    #[expect(
        clippy::vec_box,
        reason = "they move between this list and open chunks: a pointer, not their bytes"
    )]
    spare_plain: Vec<Box<ColumnChunk>>,
    #[expect(clippy::vec_box, reason = "as above")]
    spare_general: Vec<Box<RecordChunk>>,
}

impl OpenChunks {
    /// Puts a chunk at a free place and returns the place.
    pub(super) fn put(&mut self, chunk: ChunkState) -> usize {
        let place = self.list.iter().position(Option::is_none).unwrap_or_else(|| {
            self.list.push(None);
            self.list.len() - 1
        });
        self.list[place] = Some(chunk);
        place
    }

    /// Returns the chunk at a place.
    ///
    /// Panics if the place is free; places of tickets and of the current chunk are never free.
    pub(super) fn get(&self, place: usize) -> &ChunkState {
        self.list[place].as_ref().expect("tickets are for open chunks")
    }

    /// Returns the chunk at a place for changes. Panics if the place is free.
    pub(super) fn get_mut(&mut self, place: usize) -> &mut ChunkState {
        self.list[place].as_mut().expect("tickets are for open chunks")
    }

    /// Removes and returns the chunk at a place. Panics if the place is free.
    pub(super) fn take(&mut self, place: usize) -> ChunkState {
        self.list[place].take().expect("tickets are for open chunks")
    }

    /// Returns the places with a chunk, ascending.
    pub(super) fn places(&self) -> Vec<usize> {
        (0..self.list.len()).filter(|&place| self.list[place].is_some()).collect()
    }

    /// Returns the number of open chunks.
    pub(super) fn len(&self) -> usize {
        self.list.iter().flatten().count()
    }

    /// Returns memory of a finished column chunk, or `None` if there is none.
    pub(super) fn spare_plain(&mut self) -> Option<Box<ColumnChunk>> {
        self.spare_plain.pop()
    }

    /// Returns empty memory for the records of a record chunk.
    pub(super) fn spare_general(&mut self) -> Box<RecordChunk> {
        self.spare_general.pop().unwrap_or_default()
    }

    /// Keeps the memory of records for another chunk.
    pub(super) fn recycle(&mut self, records: ChunkRecords) {
        match records {
            ChunkRecords::Columns(plain) => self.spare_plain.push(plain),
            ChunkRecords::Records(mut general) => {
                // Rules and covers of these records are useless for others. Clearing them now makes their memory
                // available to the next chunk.
                general.records.clear();
                self.spare_general.push(general);
            }
        }
    }
}
