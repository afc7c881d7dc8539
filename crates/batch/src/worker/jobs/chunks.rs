//! Open chunks of a worker, and memory of finished chunks for reuse.

use crate::chunk::columns::ColumnChunk;
use crate::chunk::records::RecordChunk;
use crate::chunk::state::{ChunkRecords, ChunkState};

/// Open chunks. Tickets refer to a chunk by its index.
#[derive(Default)]
pub(super) struct OpenChunks {
    /// The open chunk at each index, or `None` if there is no chunk at the index.
    list: Vec<Option<ChunkState>>,
    /// Finished column chunks, whose memory is reused.
    #[expect(
        clippy::vec_box,
        reason = "they move between this list and open chunks: a pointer, not their bytes"
    )]
    pub(super) spare_plain: Vec<Box<ColumnChunk>>,
    /// Finished record chunks, whose memory is reused.
    #[expect(clippy::vec_box, reason = "as above")]
    pub(super) spare_general: Vec<Box<RecordChunk>>,
}

impl OpenChunks {
    /// Stores a chunk at a free index and returns the index.
    pub(super) fn put(&mut self, chunk: ChunkState) -> usize {
        let place = self.list.iter().position(Option::is_none).unwrap_or_else(|| {
            self.list.push(None);
            self.list.len() - 1
        });
        self.list[place] = Some(chunk);
        place
    }

    /// Returns the chunk at an index.
    ///
    /// Panics if there is no chunk at the index. The index in a ticket and the index of the current chunk are
    /// always valid.
    pub(super) fn get(&self, place: usize) -> &ChunkState {
        self.list[place].as_ref().expect("tickets are for open chunks")
    }

    /// Returns a mutable reference to the chunk at an index. Panics if there is no chunk at the index.
    pub(super) fn get_mut(&mut self, place: usize) -> &mut ChunkState {
        self.list[place].as_mut().expect("tickets are for open chunks")
    }

    /// Removes and returns the chunk at an index. Panics if there is no chunk at the index.
    pub(super) fn take(&mut self, place: usize) -> ChunkState {
        self.list[place].take().expect("tickets are for open chunks")
    }

    /// Returns the indices of all open chunks in ascending order.
    pub(super) fn places(&self) -> Vec<usize> {
        (0..self.list.len()).filter(|&place| self.list[place].is_some()).collect()
    }

    /// Returns the number of open chunks.
    pub(super) fn len(&self) -> usize {
        self.list.iter().flatten().count()
    }

    /// Stores the records of a finished chunk so that their memory can be reused.
    pub(super) fn recycle(&mut self, records: ChunkRecords) {
        match records {
            ChunkRecords::Columns(plain) => self.spare_plain.push(plain),
            ChunkRecords::Records(mut general) => {
                // Other chunks cannot use the rules and covers in these records. Clearing the records now
                // frees memory for the next chunk.
                general.records.clear();
                self.spare_general.push(general);
            }
        }
    }
}
