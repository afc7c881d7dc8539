//! The ordered writer: finished pieces of output wait here for their turn.
//!
//! Workers submit pieces of chunks in any order; one writer thread takes them in the order of the chunks. What
//! waits is bounded: when the window is full, workers take no new chunks, and a worker that streams a long
//! answer out of turn waits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::chunk::output::ChunkOutput;

/// A piece of a chunk's output.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The chunk's number.
    pub sequence: u64,
    pub content: ChunkOutput,
}

impl Piece {
    /// Bytes it stands for in the window.
    fn bytes(&self) -> usize {
        self.content.rows.len() + self.content.rejects.len()
    }
}

#[derive(Debug)]
pub(crate) struct ReorderBuffer {
    ordered: bool,
    /// Bytes that may wait for their turn.
    size: usize,
    state: Mutex<State>,
    /// The bytes that wait, for a look without the lock.
    filled: AtomicUsize,
    /// A piece that can be written is there, or there will be none.
    ready: Condvar,
    /// The head moved on, or bytes were taken.
    moved: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The chunk whose turn it is.
    head: u64,
    waiting: BTreeMap<u64, VecDeque<Piece>>,
    bytes: usize,
    /// No more pieces will come.
    closed: bool,
    /// True once pieces are dropped: the writer has stopped, or a worker broke down.
    abandoned: bool,
}

/// A piece that is to be written.
#[derive(Debug)]
pub(crate) struct Taken {
    pub piece: Piece,
    /// No other can follow at once.
    pub is_last: bool,
    /// Workers may take chunks again, and could not before.
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands over a piece. Waits while the window is full and the piece is neither the head's nor its chunk's
    /// last: the last piece ends a chunk that is already in memory, and never has to wait.
    pub(crate) fn submit(&self, piece: Piece) {
        let mut state = self.lock();
        while !piece.content.is_last()
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

    /// True if workers may take another chunk.
    pub(crate) fn has_room(&self) -> bool {
        self.filled.load(Ordering::Relaxed) < self.size
    }

    /// The next piece to write. Waits for one; `None` when there will be none. For the one writer.
    pub(crate) fn take(&self) -> Option<Taken> {
        let mut state = self.lock();
        loop {
            let was_full = state.bytes >= self.size;
            if let Some(piece) = state.pop(self.ordered) {
                self.filled.store(state.bytes, Ordering::Relaxed);
                let is_last = state.turn(self.ordered).is_none();
                let made_room = was_full && state.bytes < self.size;
                drop(state);
                self.moved.notify_all();
                return Some(Taken { piece, is_last, made_room });
            }
            if state.closed {
                return None;
            }
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that no more pieces will come.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    /// Ends the buffer early: pieces submitted from now on are dropped.
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

impl State {
    /// The chunk whose piece may be written now.
    fn turn(&self, ordered: bool) -> Option<u64> {
        if ordered {
            self.waiting.contains_key(&self.head).then_some(self.head)
        } else {
            self.waiting.keys().next().copied()
        }
    }

    fn pop(&mut self, ordered: bool) -> Option<Piece> {
        let sequence = self.turn(ordered)?;
        let queue = self.waiting.get_mut(&sequence)?;
        let piece = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&sequence);
        }
        self.bytes -= piece.bytes();
        if piece.content.is_last() {
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

    fn piece(sequence: u64, last: bool, rows: &str) -> Piece {
        let end = last.then(Position::default);
        Piece { sequence, content: ChunkOutput { rows: rows.into(), end, ..ChunkOutput::default() } }
    }

    fn rows(taken: Taken) -> String {
        String::from_utf8(taken.piece.content.rows).unwrap()
    }

    #[test]
    fn pieces_come_out_in_the_order_of_their_chunks() {
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
    fn a_stream_out_of_turn_waits_for_room_and_the_head_never_does() {
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
