//! Buffer in which finished pieces of output wait until the writer can write them.
//!
//! Workers submit the pieces of each chunk's output, and the chunks may come in any order. The writer thread
//! takes the pieces in the order of the chunks. The buffer has a size limit. While the buffer is full,
//! workers take no new chunks. A worker that submits a long answer in several pieces then waits, unless its
//! chunk is the next one to write.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::chunk::output::ChunkOutput;
use crate::locks::lock;

#[derive(Debug)]
pub(crate) struct ReorderBuffer {
    ordered: bool,
    /// Total size of waiting pieces, in bytes, at which the buffer counts as full.
    size: usize,
    state: Mutex<ReorderState>,
    /// Total size of waiting pieces, in bytes. Threads can read it without the lock.
    filled: AtomicUsize,
    /// Condition that wakes the writer when a piece can be written, or when no more pieces will come.
    ready: Condvar,
    /// Condition that wakes workers when the writer took a piece, or when the remaining pieces are discarded.
    moved: Condvar,
}

#[derive(Debug, Default)]
struct ReorderState {
    /// Number of the chunk that must be written next.
    head: u64,
    waiting: BTreeMap<u64, VecDeque<ChunkOutput>>,
    bytes: usize,
    /// True if no more pieces will be submitted.
    closed: bool,
    /// True if pieces are discarded, because the writer stopped or a thread panicked.
    abandoned: bool,
}

/// A piece that the writer has removed from the buffer to write it.
#[derive(Debug)]
pub(crate) struct TakenPiece {
    pub piece: ChunkOutput,
    /// True if no other piece can be written at the moment.
    pub is_last: bool,
    /// True if the buffer was full before this piece was taken, and now has room.
    pub made_room: bool,
}

impl ReorderBuffer {
    pub(crate) fn new(ordered: bool, size: usize) -> Self {
        ReorderBuffer {
            ordered,
            size,
            state: Mutex::default(),
            filled: AtomicUsize::new(0),
            ready: Condvar::new(),
            moved: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ReorderState> {
        lock(&self.state)
    }

    /// Submits a piece of a chunk's output. If rows are ordered, waits while the buffer is full.
    ///
    /// Two kinds of pieces never wait: pieces of the chunk that must be written next, and the last piece of
    /// any chunk. A last piece need not wait, because its chunk is already in memory.
    pub(crate) fn submit(&self, piece: ChunkOutput) {
        let mut state = self.lock();
        while !piece.is_last()
            && self.ordered
            && piece.sequence != state.head
            && state.bytes >= self.size
            && !state.abandoned
        {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.abandoned {
            return;
        }
        state.bytes += piece.bytes();
        self.filled.store(state.bytes, Ordering::Relaxed);
        state.waiting.entry(piece.sequence).or_default().push_back(piece);
        drop(state);
        self.ready.notify_one();
    }

    /// Returns true if the buffer is not full, so that workers may begin another chunk.
    pub(crate) fn has_room(&self) -> bool {
        self.filled.load(Ordering::Relaxed) < self.size
    }

    /// Waits for the next piece to write and returns it, or `None` if no more pieces will come.
    ///
    /// Only the writer thread may call this method.
    pub(crate) fn take(&self) -> Option<TakenPiece> {
        let mut state = self.lock();
        loop {
            let was_full = state.bytes >= self.size;
            if let Some(piece) = state.pop(self.ordered) {
                self.filled.store(state.bytes, Ordering::Relaxed);
                let is_last = state.turn(self.ordered).is_none();
                let made_room = was_full && state.bytes < self.size;
                drop(state);
                self.moved.notify_all();
                return Some(TakenPiece { piece, is_last, made_room });
            }
            if state.closed {
                return None;
            }
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Marks the output as complete. No more pieces will be submitted.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    /// Discards all waiting pieces, and every piece submitted from now on.
    pub(crate) fn abandon(&self) {
        let mut state = self.lock();
        state.abandoned = true;
        state.waiting.clear();
        state.bytes = 0;
        self.filled.store(0, Ordering::Relaxed);
        drop(state);
        self.moved.notify_all();
    }
}

impl ReorderState {
    /// Returns the number of the chunk whose piece can be written now, or `None` if no piece can be written.
    fn turn(&self, ordered: bool) -> Option<u64> {
        if ordered {
            self.waiting.contains_key(&self.head).then_some(self.head)
        } else {
            self.waiting.keys().next().copied()
        }
    }

    fn pop(&mut self, ordered: bool) -> Option<ChunkOutput> {
        let sequence = self.turn(ordered)?;
        let queue = self.waiting.get_mut(&sequence)?;
        let piece = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&sequence);
        }
        self.bytes -= piece.bytes();
        if piece.is_last() {
            self.head = self.head.max(sequence + 1);
        }
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_formats::input::Position;

    const SIZE: usize = 1000;

    fn piece(sequence: u64, last: bool, rows: &str) -> ChunkOutput {
        let end = last.then(Position::default);
        ChunkOutput { sequence, rows: rows.into(), end, ..ChunkOutput::default() }
    }

    fn rows(taken: TakenPiece) -> String {
        String::from_utf8(taken.piece.rows).unwrap()
    }

    #[test]
    fn output_is_in_the_order_of_chunks() {
        let window = ReorderBuffer::new(true, SIZE);
        window.submit(piece(1, true, "c"));
        window.submit(piece(0, false, "a"));
        window.submit(piece(2, true, "d"));
        window.submit(piece(0, true, "b"));
        window.close();
        let order: Vec<_> = std::iter::from_fn(|| window.take()).map(rows).collect();
        assert_eq!(order, ["a", "b", "c", "d"]);
    }

    #[test]
    fn only_streams_out_of_turn_wait_for_room() {
        let window = ReorderBuffer::new(true, SIZE);
        let full = "f".repeat(SIZE);
        window.submit(piece(1, true, &full));
        assert!(!window.has_room());
        window.submit(piece(0, false, "head"));
        std::thread::scope(|scope| {
            scope.spawn(|| window.submit(piece(2, false, "late")));
            window.submit(piece(0, true, "end"));
            let order: Vec<_> = (0..4).filter_map(|_| window.take()).map(rows).collect();
            assert_eq!(order, ["head", "end", &full, "late"]);
        });
    }
}
