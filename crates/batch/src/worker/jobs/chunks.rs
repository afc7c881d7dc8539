//! The chunks that a worker has open, and the memory of those that are done.

use crate::chunk::general::GeneralChunk;
use crate::chunk::plain::PlainChunk;
use crate::chunk::state::{ChunkRecords, ChunkState};

/// Chunks in work, each at a place that tickets name.
#[derive(Default)]
pub(super) struct OpenChunks {
    /// Free places are `None`.
    list: Vec<Option<ChunkState>>,
    /// Memory of chunks that are done, to be used again.
    #[expect(
        clippy::vec_box,
        reason = "they move between this list and open chunks: a pointer, not their bytes"
    )]
    spare_plain: Vec<Box<PlainChunk>>,
    #[expect(clippy::vec_box, reason = "as above")]
    spare_general: Vec<Box<GeneralChunk>>,
}

impl OpenChunks {
    /// Puts a chunk at a free place, which it returns.
    pub(super) fn put(&mut self, chunk: ChunkState) -> usize {
        let place = self.list.iter().position(Option::is_none).unwrap_or_else(|| {
            self.list.push(None);
            self.list.len() - 1
        });
        self.list[place] = Some(chunk);
        place
    }

    /// Returns the chunk at a place. Panics if it is free: the place is that of a ticket or of the current chunk.
    pub(super) fn get(&self, place: usize) -> &ChunkState {
        self.list[place].as_ref().expect("tickets are for open chunks")
    }

    /// Returns the chunk at a place, to be changed. Panics as [`get`](Self::get) does.
    pub(super) fn get_mut(&mut self, place: usize) -> &mut ChunkState {
        self.list[place].as_mut().expect("tickets are for open chunks")
    }

    /// Takes the chunk at a place out. Panics as [`get`](Self::get) does.
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

    /// Returns memory for the records of a plain chunk.
    pub(super) fn spare_plain(&mut self) -> Option<Box<PlainChunk>> {
        self.spare_plain.pop()
    }

    /// Returns memory for the records of a general chunk.
    pub(super) fn spare_general(&mut self) -> Box<GeneralChunk> {
        self.spare_general.pop().unwrap_or_default()
    }

    /// Keeps the memory of records for those of another chunk.
    pub(super) fn recycle(&mut self, records: ChunkRecords) {
        match records {
            ChunkRecords::Plain(plain) => self.spare_plain.push(plain),
            ChunkRecords::General(mut general) => {
                // Rules and covers of these records are of no use to others, and their memory is at hand for those of the next.
                general.records.clear();
                self.spare_general.push(general);
            }
        }
    }
}
