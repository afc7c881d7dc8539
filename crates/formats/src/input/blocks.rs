//! Blocks of bytes, and the messages in which the reading thread sends them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::Sender;

use super::Layout;
use quadrille_model::Error;

/// Bytes requested by one read.
pub(super) const BLOCK_BYTES: usize = 256 << 10;
/// Minimum free bytes at the front of a block, for the unread end of the previous block.
pub(super) const HEADROOM: usize = 4 << 10;

/// Bytes of a source, preceded by free room for the unread end of the previous block.
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// Offset in `bytes` of the first byte read: [`HEADROOM`] or a little more.
    pub(super) begin: usize,
}

impl Block {
    /// Returns the bytes that were read.
    pub(super) fn read(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }
}

/// Messages from the reading thread to the reader.
pub(super) enum Event {
    /// A source begins; holds its name.
    Open(Arc<str>),
    /// The layout of a table, which is known before any of its text.
    Layout(Box<Layout>),
    /// Some decompressed bytes of the source.
    Block(Block),
    /// The source has ended, with or without an error.
    End(Result<(), Error>),
}

/// The reading thread's end of the channel.
pub(super) struct BlockSender<'a> {
    pub(super) to_cutter: &'a Sender<Event>,
    pub(super) spare: &'a Mutex<Vec<Vec<u8>>>,
    /// Decompressed bytes sent so far.
    pub(super) unpacked: &'a AtomicU64,
}

impl BlockSender<'_> {
    /// Sends a message. Returns `None` if the receiver was dropped.
    pub(super) fn send(&self, event: Event) -> Option<()> {
        if let Event::Block(block) = &event {
            self.unpacked.fetch_add(block.read().len() as u64, Ordering::Relaxed);
        }
        self.to_cutter.send(event).ok()
    }

    /// Returns a used block, or `None` if there are none.
    pub(super) fn used(&self) -> Option<Vec<u8>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns an empty block, for rows that the reading thread writes itself.
    pub(super) fn empty_block(&self) -> Block {
        let mut bytes = self.used().unwrap_or_default();
        bytes.clear();
        bytes.resize(HEADROOM, 0);
        Block { bytes, begin: HEADROOM }
    }
}
